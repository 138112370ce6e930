#!/bin/sh
# Builds Motte and runs its tests, from a bare Debian on.
#
#   sh tests/run.sh          the fast suite, as CI does
#   sh tests/run.sh --long   the long suite: millions of queries against brute force
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

suite=fast
case "${1-}" in
  '') ;;
  --long) suite=long ;;
  *)
    echo "usage: sh tests/run.sh [--long]" >&2
    exit 2
    ;;
esac

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_TESTS $PACKAGES_DEMOS
say "Configuring and compiling in build/"
configure -Dtests=true -Dbench=true -Ddemos=true
meson compile -C build

say "Running the $suite tests"
rm -f build/meson-logs/testlog.json
status=0
meson test -C build --no-rebuild --print-errorlogs --suite "$suite" || status=$?
python3 tests/count_tests.py build/meson-logs/testlog.json
exit $status
