# For the run scripts: makes sure that what they need is installed. To be sourced, in the root of the
# repository.
#
# On Debian and its kin missing packages are installed through apt, with sudo where the user is not
# root. Nothing is done, and no rights are needed, where all are there. Elsewhere the scripts go on if
# the tools are found, and else name the packages and stop.

# shellcheck disable=SC2034 # the scripts use them
PACKAGES_BUILD="gcc g++ libc6-dev meson ninja-build pkg-config libcglm-dev libmimalloc-dev"
# shellcheck disable=SC2034
PACKAGES_TESTS="libcriterion-dev libassimp-dev libcjson-dev"
# Engines that the benchmark compares with. It does without those that are not there, and says so.
# shellcheck disable=SC2034
PACKAGES_PEERS="libembree-dev libbullet-dev libfcl-dev libode-dev"
# What the benchmark is built with, and draws the plots of its report with, where found.
# shellcheck disable=SC2034
PACKAGES_BENCH="libassimp-dev libcjson-dev"
# What the suite of motion planning reads its data with; the benchmark does without it, and says so.
# shellcheck disable=SC2034
PACKAGES_READERS="libexpat1-dev libyaml-dev"
# shellcheck disable=SC2034
PACKAGES_PLOTS="gnuplot-nox"
# shellcheck disable=SC2034
PACKAGES_AARCH64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
# For 32-bit x86. (gcc-multilib would do, but cannot be installed beside the compiler for AArch64.)
# shellcheck disable=SC2034
PACKAGES_X86="lib32gcc-12-dev libc6-dev-i386"
# What checks how the sources are formatted; without it that test is skipped.
# shellcheck disable=SC2034
PACKAGES_FORMAT="clang-format"
# Other compilers and build systems, which the CI tries the library with.
# shellcheck disable=SC2034
PACKAGES_HOSTS="clang libclang-rt-14-dev lld cmake make"
# shellcheck disable=SC2034
PACKAGES_DEMOS="libassimp-dev libcairo2-dev libpng-dev libgif-dev libode-dev fonts-dejavu-core"
# shellcheck disable=SC2034
PACKAGES_DOCS="doxygen"

say() {
  printf '%s\n' "-- $*"
}

# as_root COMMAND...: with sudo where that is needed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    say "Root rights are needed for: $*"
    say "Please run that as root, or install sudo."
    exit 1
  fi
}

has_apt() {
  command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1
}

# find_missing PACKAGE...: leaves in $missing those that are not installed, each once.
find_missing() {
  missing=
  for package in "$@"; do
    # shellcheck disable=SC2016 # the format is dpkg-query's
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    case " $missing " in *" $package "*) continue ;; esac
    [ "$state" = installed ] || missing="$missing $package"
  done
}

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# need_packages PACKAGE...: by Debian's names.
need_packages() {
  if ! has_apt; then
    need_tools "$@"
    return
  fi
  find_missing "$@"
  [ -n "$missing" ] || return 0
  say "Installing through apt:$missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
  # shellcheck disable=SC2086 # a list
  install_packages $missing
}

# want_packages PACKAGE...: one after another, and going on without those that cannot be had.
want_packages() {
  if ! has_apt; then
    say "Would use, where found: $*"
    return
  fi
  find_missing "$@"
  [ -n "$missing" ] || return 0
  say "Installing through apt, if there are such:$missing"
  (as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q) || true
  for package in $missing; do
    (install_packages "$package") || say "Going on without $package"
  done
}

need_tools() {
  absent=
  for tool in cc meson ninja pkg-config; do
    command -v "$tool" >/dev/null 2>&1 || absent="$absent $tool"
  done
  if [ -z "$absent" ]; then
    for module in criterion cglm; do
      pkg-config --exists "$module" || absent="$absent $module"
    done
  fi
  [ -n "$absent" ] || return 0
  say "Not found:$absent"
  say "This system has no apt. Please install what Debian calls: $*"
  exit 1
}

# configure [OPTION...]: (re)configures build/, so that newly installed packages are noticed.
configure() {
  if [ -f build/build.ninja ]; then
    meson setup --reconfigure --buildtype=release "$@" build
  else
    meson setup --buildtype=release "$@" build
  fi
}
