#!/bin/sh
# Builds Motte, fetches real meshes and runs the demo on them, from a bare Debian on.
#
#   sh demos/run.sh                     an elephant, an armadillo, a lion, a camel and a dragon
#   sh demos/run.sh --mesh FILE ...     other meshes; all options go to motte-demo (see --help)
#
# Pictures and the animation are written to build/demo-pictures.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_DEMOS
say "Configuring and compiling in build/"
configure -Ddemos=enabled
meson compile -C build motte-demo deform-demo galaxy-demo queries-demo

# Some 140 meshes from the demos of CGAL, downloaded and unpacked, not installed.
fetch_meshes() {
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
    say "No apt to fetch example meshes with: give your own with --mesh FILE."
    exit 1
  fi
  say "Fetching example meshes (Debian's libcgal-demo, 24 MB) into build/meshes"
  rm -rf build/cgal-demo build/meshes
  mkdir -p build/cgal-demo/meshes
  if ! download; then
    say "Updating the lists of apt first"
    as_root apt-get update -q
    download
  fi
  dpkg-deb -x build/cgal-demo/libcgal-demo_*.deb build/cgal-demo/unpacked
  archive=$(find build/cgal-demo/unpacked -name data.tar.gz)
  tar -xzf "$archive" -C build/cgal-demo/meshes --strip-components=2 data/meshes
  mv build/cgal-demo/meshes build/meshes
  rm -rf build/cgal-demo
}

download() {
  (cd build/cgal-demo && apt-get -o APT::Sandbox::User= download -q libcgal-demo)
}

own_mesh=no
for option in "$@"; do
  case "$option" in
    -m* | --mesh | --mesh=* | --help | --usage | --version) own_mesh=yes ;;
  esac
done
if [ "$own_mesh" = no ]; then
  [ -d build/meshes ] || fetch_meshes
  for name in ChineseDragon-10kv camel lion armadillo refined_elephant; do
    set -- --mesh "build/meshes/$name.off" "$@"
  done
  set -- --up -0.084,0.863,0.498 "$@" # so that the elephant stands on its feet
fi

exec build/demos/motte-demo --output build/demo-pictures "$@"
