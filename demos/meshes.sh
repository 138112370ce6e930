# For the run scripts: example meshes in build/meshes. To be sourced, in the root of the repository,
# after tests/packages.sh.

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
