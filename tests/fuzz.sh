#!/bin/sh
# Builds the fuzzers of tests/fuzz and runs them, from a bare Debian on.
#
#   sh tests/fuzz.sh MINUTES            all of them, each for the same part of the time
#   sh tests/fuzz.sh MINUTES scene ...  some of them
#
# Inputs that reach something new are kept in build-fuzz/corpus, beside those of tests/fuzz/corpus, and
# the next run begins with them. An input that fails is left in build-fuzz/findings; run it again with
# `build-fuzz/tests/fuzz/fuzz_scene build-fuzz/findings/scene-crash-...`.
#
# MOTTE_FUZZ_BUILD names another build folder, which is only compiled if it is set up already.
# MOTTE_FUZZ_SEED repeats the same mutations; without it they are others each time.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

all="hulls meshes edits scene compounds refusals memory work"
case "${1-}" in
  '' | 0 | *[!0-9]*)
    echo "usage: sh tests/fuzz.sh MINUTES [$(echo "$all" | tr ' ' '|')]..." >&2
    exit 2
    ;;
esac
minutes=$1
shift
# shellcheck disable=SC2086 # a list
[ $# -gt 0 ] || set -- $all

build=${MOTTE_FUZZ_BUILD:-build-fuzz}
if [ ! -f "$build/build.ninja" ]; then
  # shellcheck disable=SC2086 # lists
  need_packages $PACKAGES_BUILD $PACKAGES_TESTS $PACKAGES_HOSTS
  # -O1 compiles fastest, and scalar kernels do what the others do.
  CC=${CC:-clang} CXX=${CXX:-clang++} meson setup "$build" -Db_sanitize=address,undefined \
    -Db_lundef=false -Db_ndebug=false -Doptimization=1 -Dinstruction_sets='[]' -Dfuzz=enabled \
    -Dtests=enabled -Dbench=disabled -Ddemos=disabled -Ddocs=disabled
fi
targets=
for name in "$@"; do
  targets="$targets fuzz_$name"
done
say "Compiling in $build/"
# shellcheck disable=SC2086 # a list
meson compile -C "$build" $targets

# Memory is counted by the fuzzers themselves, with counting allocators.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# The limit of an input is wall time: it has to hold on a slow machine that others use, too. Work is counted by the
# fuzzer of that name. The entropic schedule of libFuzzer takes four times as long as the calls themselves.
options="-timeout=40 -max_len=512 -len_control=0 -entropic=0 -verbosity=0 -print_final_stats=1"
options="$options -seed=${MOTTE_FUZZ_SEED:-0}"
seconds=$((minutes * 60 / $#))
failed=
mkdir -p "$build/findings"
for name in "$@"; do
  say "$name, $seconds seconds"
  mkdir -p "$build/corpus/$name"
  # shellcheck disable=SC2086 # a list
  "$build/tests/fuzz/fuzz_$name" "$build/corpus/$name" "tests/fuzz/corpus/$name" $options \
    -max_total_time=$seconds -artifact_prefix="$build/findings/$name-" || failed="$failed $name"
done
[ -z "$failed" ] || say "FAILED:$failed"
[ -z "$failed" ]
