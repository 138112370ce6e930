#!/bin/sh
# Builds Motte beside the engines that Debian has, runs all suites of the benchmark, and writes a
# report, from a bare Debian on.
#
#   sh bench/run.sh              all suites, with real meshes: half an hour
#   sh bench/run.sh --quick      small runs on generated meshes: minutes, most of them to compile
#   sh bench/run.sh --data DIR   also the suites whose data is to be downloaded (bench/DATA.md)
#
# Other options go to motte-bench run (build/bench/motte-bench run all --help). The report is
# build/report/index.html, and the same in Markdown; results.json beside it can be compared with
# that of another run.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
. demos/meshes.sh

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_BENCH
# shellcheck disable=SC2086 # lists
want_packages $PACKAGES_PEERS $PACKAGES_PLOTS
say "Configuring and compiling in build/"
configure -Dbench=enabled -Dassertions=disabled
meson compile -C build motte-bench

quick=no
for option in "$@"; do
  case "$option" in
    --quick) quick=yes ;;
  esac
done
if [ "$quick" = no ]; then
  [ -d build/meshes ] || fetch_meshes
  for name in lion armadillo; do
    set -- "$@" "build/meshes/$name.off"
  done
fi

mkdir -p build/report
status=0
build/bench/motte-bench run all --json build/report/results.json --html build/report/index.html \
  "$@" >build/report/tables.txt || status=$?
# 4: answers of some engine were wrong; 130: interrupted. The report says so.
case $status in
  0 | 4 | 130) ;;
  *) exit $status ;;
esac
build/bench/motte-bench report build/report/results.json >build/report/report.md
say "The report is build/report/index.html"
exit $status
