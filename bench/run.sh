#!/bin/sh
# Builds Motte beside the engines that Debian has, runs all suites of the benchmark, and writes a
# report, from a bare Debian on.
#
#   sh bench/run.sh              all suites, with real meshes: half an hour
#   sh bench/run.sh --quick      small runs on generated meshes: minutes, most of them to compile
#   sh bench/run.sh --data DIR   also the suites whose data is to be downloaded (bench/DATA.md)
#
# Unless it is quick or meshes are given, it downloads meshes: Debian's libcgal-demo, 24 MB. Other
# options go to motte-bench run (sh bench/run.sh --help). Their paths are from where the script is
# called. The report is build/report/index.html, and the same as README.md with its plots beside it
# (in another folder with --markdown DIR); results.json can be compared with that of another run.
set -eu
from=$PWD
cd "$(dirname "$0")/.."
root=$PWD
. tests/packages.sh
. demos/meshes.sh

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_BENCH
# shellcheck disable=SC2086 # lists
want_packages $PACKAGES_PEERS $PACKAGES_READERS $PACKAGES_PLOTS
say "Configuring and compiling in build/"
configure -Dbench=enabled -Dassertions=disabled
meson compile -C build motte-bench

meshes=yes
for option in "$@"; do
  case "$option" in
    --help | --usage | '-?') exec build/bench/motte-bench run all "$option" ;;
    --quick | --mesh | --mesh=* | *.obj | *.off | *.ply | *.stl) meshes=no ;;
  esac
done
if [ "$meshes" = yes ]; then
  [ -d build/meshes ] || fetch_meshes
  for name in lion armadillo; do
    set -- "$@" "$root/build/meshes/$name.off"
  done
fi

mkdir -p build/report
status=0
trap : INT # Ctrl-C ends the run early, and the report is written all the same
(cd "$from" && exec "$root/build/bench/motte-bench" run all --markdown "$root/build/report" "$@" \
  --json "$root/build/report/results.json" --html "$root/build/report/index.html") \
  >build/report/tables.txt || status=$?
# 4: answers of some engine were wrong; 130: interrupted. The report says so.
case $status in
  0 | 4 | 130) ;;
  *) exit $status ;;
esac
say "The report is build/report/index.html"
exit $status
