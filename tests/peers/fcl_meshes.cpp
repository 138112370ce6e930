// Two meshes beside FCL's trees of oriented boxes: whether they touch, which triangles do, and how
// far apart they are, in random poses. Real meshes are taken where there are any (mesh_files.h),
// each with the next larger one, and generated ones.
//
// FCL computes in double precision, with rotations that are rigid to single precision only:
// distances have to agree to 1e-5 of the size of the meshes. Whether they touch may differ where
// they are not farther apart than that, and so may one in a hundred of the pairs of triangles.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <motte/motte.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

extern "C" {
#include "support/mesh_files.h"
}

namespace {

using Model = fcl::BVHModel<fcl::OBBRSS<double>>;
using Pairs = std::vector<std::pair<int, int>>;

constexpr double tolerance = 1e-5;   // of distances, over the size of the meshes
constexpr double other_pairs = 1e-2; // share of pairs of triangles that may differ
constexpr uint32_t max_triangles = 100000;

void check(mo_result result, const char *what) {
  if (result != MO_OK) {
    std::fprintf(stderr, "fcl_meshes: %s: %s\n", what, mo_result_text(result));
    std::exit(EXIT_FAILURE);
  }
}

float between(std::mt19937_64 &r, float a, float b) {
  return std::uniform_real_distribution<float>(a, b)(r);
}

struct Mesh {
  mo_mesh *motte = nullptr;
  Model fcl;
  mo_aabb bounds;
  uint32_t count;

  explicit Mesh(const test_mesh &from) : bounds(test_mesh_bounds(&from)), count(0) {
    std::vector<mo_vec3> positions;
    std::vector<uint32_t> indices;
    std::vector<fcl::Vector3<double>> points;
    std::vector<fcl::Triangle> faces;
    for (uint32_t i = 0; i < from.triangle_count; i++) {
      mo_vec3 corners[3];
      test_mesh_corners(&from, i, corners);
      for (const mo_vec3 &c : corners) {
        indices.push_back(uint32_t(positions.size()));
        positions.push_back(c);
        points.emplace_back(c.x, c.y, c.z);
      }
      faces.emplace_back(3 * i, 3 * i + 1, 3 * i + 2);
    }
    count = from.triangle_count;
    mo_mesh_def def = mo_default_mesh_def();
    def.positions = positions.data();
    def.vertex_count = uint32_t(positions.size());
    def.indices = indices.data();
    def.triangle_count = count;
    check(mo_mesh_create(&def, &motte), "a mesh");
    fcl.beginModel();
    fcl.addSubModel(points, faces);
    fcl.endModel();
  }
  Mesh(const Mesh &) = delete;
  Mesh &operator=(const Mesh &) = delete;
  ~Mesh() {
    mo_mesh_release(motte);
  }
};

double size_of(const mo_aabb &box) {
  return std::max({double(box.upper.x) - box.lower.x, double(box.upper.y) - box.lower.y,
                   double(box.upper.z) - box.lower.z});
}

// A map that brings the middle of a box somewhere into another one, or near it.
mo_transform random_pose(const mo_aabb &a, const mo_aabb &b, std::mt19937_64 &r) {
  const float by = 0.4f * float(size_of(b));
  const mo_quat turn = {between(r, -1, 1), between(r, -1, 1), between(r, -1, 1), between(r, -1, 1)};
  mo_transform map = mo_transform_make({0, 0, 0}, turn, {1, 1, 1});
  const mo_vec3 middle = {0.5f * (b.lower.x + b.upper.x), 0.5f * (b.lower.y + b.upper.y),
                          0.5f * (b.lower.z + b.upper.z)};
  const mo_vec3 from = mo_transform_point(&map, middle);
  map.origin = {between(r, a.lower.x - by, a.upper.x + by) - from.x,
                between(r, a.lower.y - by, a.upper.y + by) - from.y,
                between(r, a.lower.z - by, a.upper.z + by) - from.z};
  return map;
}

Pairs motte_pairs(const Mesh &a, const Mesh &b, const mo_transform &map) {
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  def.other = b.motte;
  def.other_transform = map;
  uint32_t total = 0;
  check(mo_mesh_overlap_mesh(a.motte, &def, nullptr, 0, &total, nullptr), "pairs");
  std::vector<mo_triangle_pair> found(total);
  check(mo_mesh_overlap_mesh(a.motte, &def, found.data(), total, &total, nullptr), "pairs");
  Pairs pairs;
  for (const mo_triangle_pair &p : found) {
    pairs.emplace_back(int(p.triangle), int(p.other));
  }
  return pairs;
}

double motte_distance(const Mesh &a, const Mesh &b, const mo_transform &map) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  def.other = b.motte;
  def.other_transform = map;
  mo_closest_hit hits[2];
  check(mo_mesh_find_closest_mesh(a.motte, &def, hits, nullptr), "a distance");
  return hits[0].distance;
}

struct Tally {
  int poses = 0, touches = 0, wrong = 0;
  size_t pairs = 0, others = 0; // pairs that one of the two lacks
  double error = 0;             // of distances, over the size
};

void compare(const Mesh &a, const Mesh &b, const mo_transform &map, Tally *tally) {
  fcl::Transform3<double> pose = fcl::Transform3<double>::Identity();
  pose.linear() << map.x_axis.x, map.y_axis.x, map.z_axis.x, map.x_axis.y, map.y_axis.y,
      map.z_axis.y, map.x_axis.z, map.y_axis.z, map.z_axis.z;
  pose.translation() << map.origin.x, map.origin.y, map.origin.z;
  const fcl::Transform3<double> origin = fcl::Transform3<double>::Identity();
  fcl::CollisionResult<double> contacts;
  fcl::collide(&a.fcl, origin, &b.fcl, pose, fcl::CollisionRequest<double>(size_t(1) << 24, false),
               contacts);
  Pairs theirs, other;
  for (size_t i = 0; i < contacts.numContacts(); i++) {
    theirs.emplace_back(int(contacts.getContact(i).b1), int(contacts.getContact(i).b2));
  }
  std::sort(theirs.begin(), theirs.end());
  const Pairs ours = motte_pairs(a, b, map);
  std::set_symmetric_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                                std::back_inserter(other));
  fcl::DistanceResult<double> apart;
  fcl::distance(&a.fcl, origin, &b.fcl, pose, fcl::DistanceRequest<double>(), apart);
  const double size = std::max(size_of(a.bounds), size_of(b.bounds));
  const double mine = motte_distance(a, b, map), distance = std::max(0.0, apart.min_distance);
  tally->poses++;
  tally->touches += !ours.empty();
  tally->pairs += ours.size();
  tally->others += other.size();
  tally->error = std::max(tally->error, std::abs(mine - distance) / size);
  tally->wrong += (mine > 0) != ours.empty();
  tally->wrong += ours.empty() != theirs.empty() && std::max(mine, distance) > tolerance * size;
}

bool report(const char *name, const Tally &t) {
  std::printf(
      "%s: %d of %d poses touch, %d answers wrong; %zu pairs, %zu others; distances to %.0e\n",
      name, t.touches, t.poses, t.wrong, t.pairs, t.others, t.error);
  return t.wrong == 0 && t.error <= tolerance &&
         double(t.others) <= 2 + other_pairs * double(t.pairs);
}

bool compare_meshes(const char *name, const test_mesh &first, const test_mesh &second, int poses,
                    std::mt19937_64 &r) {
  const Mesh a(first), b(second);
  Tally tally;
  for (int i = 0; i < poses; i++) {
    compare(a, b, random_pose(a.bounds, b.bounds, r), &tally);
  }
  return report(name, tally);
}

bool compare_generated(int poses, uint64_t seed, std::mt19937_64 &r) {
  const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_IRREGULAR, TEST_MESH_LATTICE,
                                  TEST_MESH_LONG_THIN};
  rng of_meshes = rng_make(seed);
  bool ok = true;
  for (test_mesh_kind kind : kinds) {
    test_mesh first = test_mesh_make(kind, 2000, &of_meshes);
    test_mesh second = test_mesh_make(TEST_MESH_TORUS, 500, &of_meshes);
    ok = compare_meshes("generated", first, second, poses, r) && ok;
    test_mesh_free(&first);
    test_mesh_free(&second);
  }
  return ok;
}

bool compare_files(int poses, std::mt19937_64 &r) {
  char *paths[256];
  const uint32_t count = mesh_files_find(paths, 256);
  test_mesh last = {};
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    test_mesh mesh;
    if (mesh_file_read(paths[i], &mesh) && mesh.triangle_count <= max_triangles) {
      if (last.triangle_count > 0 && mesh.triangle_count > 0) {
        // in one size, as that of files differs
        const double factor = size_of(test_mesh_bounds(&last)) / size_of(test_mesh_bounds(&mesh));
        test_mesh_place(&mesh, float(factor), {0, 0, 0});
        ok = compare_meshes(paths[i], mesh, last, poses, r) && ok;
      }
      std::swap(last, mesh);
    }
    test_mesh_free(&mesh);
    std::free(paths[i]);
  }
  test_mesh_free(&last);
  return ok;
}

} // namespace

int main() {
  const char *text = std::getenv("MOTTE_TEST_SEED");
  const uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
  const int poses = std::getenv("MOTTE_LONG") != nullptr ? 500 : 20;
  std::printf("seed of peers/fcl_meshes: %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 r(seed);
  const bool generated = compare_generated(poses, seed, r), files = compare_files(poses, r);
  return generated && files ? EXIT_SUCCESS : EXIT_FAILURE;
}
