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
. demos/meshes.sh

# shellcheck disable=SC2086 # lists
need_packages $PACKAGES_BUILD $PACKAGES_DEMOS
say "Configuring and compiling in build/"
configure -Ddemos=enabled
meson compile -C build motte-demo cloth-demo deform-demo galaxy-demo queries-demo

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
