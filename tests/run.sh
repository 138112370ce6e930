#!/bin/sh
# Builds Motte and runs its tests, from a bare Debian on.
#
#   sh tests/run.sh          the fast suite, as CI does
#   sh tests/run.sh --long   the long suite: millions of queries against brute force
#   sh tests/run.sh --aarch64   the library cross-compiled for 64-bit ARM, under QEMU: its answers
#                            by NEON must be those of this machine by every instruction set, to the bit
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

suite=fast
case "${1-}" in
  '') ;;
  --long) suite=long ;;
  --aarch64) suite=aarch64 ;;
  *)
    echo "usage: sh tests/run.sh [--long | --aarch64]" >&2
    exit 2
    ;;
esac

# golden NAME SET COMMAND...: the answers by an instruction set must be those that came first. They
# are computed in two halves beside each other.
golden() {
  name=$1 set=$2
  shift 2
  answers=build-aarch64/answers-$name-$set
  status=0
  MOTTE_ISA=$set "$@" first >"$answers-first" &
  MOTTE_ISA=$set "$@" second >"$answers-second" || status=$?
  wait $! || status=$?
  cat "$answers-first" "$answers-second" >"$answers"
  if [ "$status" -eq 77 ]; then
    say "$name, $set: not on this machine"
  elif [ "$status" -ne 0 ] || ! diff build-aarch64/answers-x86_64-scalar "$answers"; then
    say "$name, $set: FAILED"
    return 1
  else
    say "$name, $set: the same answers"
  fi
}

if [ "$suite" = aarch64 ]; then
  # shellcheck disable=SC2086 # lists
  need_packages $PACKAGES_BUILD $PACKAGES_TESTS $PACKAGES_AARCH64
  say "Compiling for this machine in build/, for AArch64 in build-aarch64/"
  configure -Dtests=enabled -Dassertions=enabled
  meson compile -C build test_query_golden
  # -O1 compiles in a third of the time of -O3; the answers are the same.
  cross="--cross-file tests/aarch64.ini --buildtype=release -Doptimized=false -Doptimization=1"
  cross="$cross -Dunited=true -Dmimalloc=disabled -Ddocs=disabled"
  [ ! -f build-aarch64/build.ninja ] || cross="$cross --reconfigure"
  # shellcheck disable=SC2086 # a list
  meson setup $cross -Dtests=enabled -Dassertions=enabled -Dbench=disabled -Ddemos=disabled \
    build-aarch64
  meson compile -C build-aarch64 test_query_golden test_math_lanes_operations test_base_task_threads \
    motte:shared_library
  failed=0
  meson test -C build-aarch64 --no-rebuild --print-errorlogs math/lanes/operations base/task_threads \
    api/fused || failed=1
  for set in scalar sse4 avx2 avx512; do
    golden x86_64 "$set" build/tests/test_query_golden || failed=1
  done
  # NEON is there in every AArch64. In CI with few forms of trees: all forms run through the same kernels, and are
  # compared above with SSE4, which has four lanes, too. A part of the answers tells the number of forms.
  if [ "${CI-}" = true ]; then
    export MOTTE_FEW_FORMS=1
    golden x86_64 scalar build/tests/test_query_golden || failed=1
  fi
  golden aarch64 neon qemu-aarch64 -L /usr/aarch64-linux-gnu \
    build-aarch64/tests/test_query_golden || failed=1
  exit $failed
fi

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_TESTS $PACKAGES_DEMOS
# shellcheck disable=SC2086 # a list
want_packages $PACKAGES_PEERS $PACKAGES_READERS
say "Configuring and compiling in build/"
configure -Dtests=enabled -Dbench=enabled -Ddemos=enabled -Dassertions=enabled
meson compile -C build

say "Running the $suite tests"
rm -f build/meson-logs/testlog.json
status=0
meson test -C build --no-rebuild --print-errorlogs --suite "$suite" || status=$?
python3 tests/count_tests.py build/meson-logs/testlog.json
exit $status
