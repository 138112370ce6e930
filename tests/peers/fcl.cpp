// Overlaps, distances, depths and contacts of convex shapes beside FCL, which finds them by libccd:
// nothing of it is shared with Motte. FCL knows rigid transforms only, so these are rigid.
//
// Overlaps have to be the same where shapes are farther apart, or overlap deeper, than 1e-4. Where
// they are apart, FCL may end its search above the distance, by up to 5e-3 as measured, where sizes
// are about 1. Its depths are often those of a way out that is not the shortest: none may be
// shorter than Motte's, and FCL must find no overlap once a shape has moved by Motte's. The same
// holds for the deepest point of a manifold, but for the depth that mo_collide gives up to have the
// normal of a face or rim.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <motte/motte.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;

constexpr double sure = 1e-4;         // of overlaps: farther or deeper than this
constexpr double longer = 2e-2;       // of FCL's distances
constexpr double shorter = 2e-6;      // of FCL's distances and depths
constexpr double given_up = 1.0 / 64; // by manifolds: 1/128 of thicknesses, which are at most 2

const char *const names[] = {"sphere", "box", "capsule", "cylinder", "cone", "hull"};
constexpr int kinds = 6;

void check(mo_result result, const char *what) {
  if (result != MO_OK) {
    std::fprintf(stderr, "fcl: %s: %s\n", what, mo_result_text(result));
    std::exit(EXIT_FAILURE);
  }
}

struct Body {
  int kind;
  mo_primitive primitive;
  Geometry geometry;
  fcl::Transform3<double> pose;
  mo_hull *hull = nullptr;

  ~Body() {
    mo_hull_release(hull);
  }
};

double between(std::mt19937_64 &r, double a, double b) {
  return std::uniform_real_distribution<double>(a, b)(r);
}

// A hull of random points; FCL has it by the faces that Motte found, whose order of corners and
// planes are tested elsewhere.
void make_hull(Body *body, mo_geometry *geometry, std::mt19937_64 &r) {
  std::vector<mo_vec3> points(8 + r() % 20);
  for (mo_vec3 &p : points) {
    p = {float(between(r, -1, 1)), float(between(r, -1, 1)), float(between(r, -1, 1))};
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points.data();
  def.position_stride = sizeof(mo_vec3);
  def.position_count = uint32_t(points.size());
  check(mo_hull_create(&def, &body->hull), "a hull");
  geometry->hull = body->hull;
  mo_hull_info info;
  check(mo_hull_get_info(body->hull, &info), "its size");
  std::vector<mo_vec3> corners(info.vertex_count);
  check(mo_hull_get_vertices(body->hull, corners.data(), info.vertex_count, nullptr),
        "its vertices");
  auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
  for (const mo_vec3 &c : corners) {
    vertices->emplace_back(c.x, c.y, c.z);
  }
  auto faces = std::make_shared<std::vector<int>>();
  for (uint32_t i = 0; i < info.face_count; i++) {
    mo_hull_face face;
    std::vector<uint32_t> polygon(info.vertex_count);
    check(mo_hull_get_face(body->hull, i, &face, polygon.data(), info.vertex_count), "a face");
    faces->push_back(int(face.vertex_count));
    faces->insert(faces->end(), polygon.begin(), polygon.begin() + face.vertex_count);
  }
  body->geometry =
      std::make_shared<fcl::Convex<double>>(vertices, int(info.face_count), faces, false);
}

// FCL centres its shapes at the origin, along z.
void make(Body *body, int kind, double spread, std::mt19937_64 &r) {
  const mo_shape_type types[] = {MO_SHAPE_SPHERE,   MO_SHAPE_BOX,  MO_SHAPE_CAPSULE,
                                 MO_SHAPE_CYLINDER, MO_SHAPE_CONE, MO_SHAPE_HULL};
  const float radius = float(between(r, 0.1, 1)), half = float(between(r, 0.1, 1));
  mo_geometry geometry = mo_default_shape_def(types[kind]).geometry;
  body->kind = kind;
  switch (kind) {
  case 0:
    geometry.sphere.radius = radius;
    body->geometry = std::make_shared<fcl::Sphere<double>>(radius);
    break;
  case 1: {
    const float side = float(between(r, 0.1, 1));
    geometry.box.half_extents = {radius, half, side};
    body->geometry = std::make_shared<fcl::Box<double>>(2.0 * radius, 2.0 * half, 2.0 * side);
    break;
  }
  case 2:
    geometry.capsule = {{0, 0, -half}, {0, 0, half}, radius};
    body->geometry = std::make_shared<fcl::Capsule<double>>(radius, 2.0 * half);
    break;
  case 3:
    geometry.cylinder = {{0, 0, -half}, {0, 0, half}, radius};
    body->geometry = std::make_shared<fcl::Cylinder<double>>(radius, 2.0 * half);
    break;
  case 4: // its apex is on the positive side of z
    geometry.cone = {{0, 0, half}, {0, 0, -half}, radius};
    body->geometry = std::make_shared<fcl::Cone<double>>(radius, 2.0 * half);
    break;
  default:
    make_hull(body, &geometry, r);
  }
  mo_vec3 at = {float(between(r, -spread, spread)), float(between(r, -spread, spread)),
                float(between(r, -spread, spread))};
  mo_quat turn = {float(between(r, -1, 1)), float(between(r, -1, 1)), float(between(r, -1, 1)),
                  float(between(r, -1, 1))};
  mo_transform map = mo_transform_make(at, turn, {1, 1, 1});
  body->primitive = mo_primitive_of_geometry(&geometry, &map);
  body->pose.setIdentity();
  body->pose.linear() << map.x_axis.x, map.y_axis.x, map.z_axis.x, map.x_axis.y, map.y_axis.y,
      map.z_axis.y, map.x_axis.z, map.y_axis.z, map.z_axis.z;
  body->pose.translation() << at.x, at.y, at.z;
}

// What is known of two kinds of shapes. FCL's numbers less Motte's, at least and at most.
struct Tally {
  int pairs = 0, overlaps = 0, different = 0, same_depth = 0;
  double min_distance = 0, max_distance = 0, min_depth = 0;
  int manifolds = 0, wrong = 0;
  double too_deep = 0, too_close = 0; // manifolds, against FCL
  double swapped = 0;                 // how much depths change with the bodies exchanged
};

// Returns the depth; negative where the bodies do not overlap.
double fcl_overlap(const Body &a, const Body &b) {
  fcl::CollisionRequest<double> request;
  request.enable_contact = true;
  fcl::CollisionResult<double> result;
  fcl::collide(a.geometry.get(), a.pose, b.geometry.get(), b.pose, request, result);
  return result.isCollision() ? std::max(0.0, result.getContact(0).penetration_depth) : -1.0;
}

// Whether FCL finds no overlap once the second body has moved.
bool parts(const Body &a, const Body &b, const mo_vec3 &normal, double by) {
  Body moved = b;
  mo_hull_retain(moved.hull);
  moved.pose.translation() += by * fcl::Vector3<double>(normal.x, normal.y, normal.z);
  return fcl_overlap(a, moved) < 0;
}

double fcl_distance(const Body &a, const Body &b) {
  fcl::DistanceRequest<double> request;
  fcl::DistanceResult<double> result;
  return fcl::distance(a.geometry.get(), a.pose, b.geometry.get(), b.pose, request, result);
}

void compare(const Body &a, const Body &b, Tally *tally) {
  mo_primitive_distance apart;
  check(mo_primitive_find_distance(&a.primitive, &b.primitive, INFINITY, &apart), "a distance");
  mo_primitive_penetration deep;
  check(mo_primitive_find_penetration(&a.primitive, &b.primitive, &deep), "a depth");
  tally->pairs++;
  tally->overlaps += deep.found;
  const double depth = fcl_overlap(a, b);
  if (!deep.found) {
    const double longer_by = fcl_distance(a, b) - apart.distance;
    tally->different += apart.distance > sure && depth >= 0;
    tally->min_distance = std::min(tally->min_distance, longer_by);
    tally->max_distance = std::max(tally->max_distance, longer_by);
  } else if (deep.depth > sure) {
    tally->different += depth < 0 || !parts(a, b, deep.normal, deep.depth + sure);
    tally->min_depth = std::min(tally->min_depth, depth - deep.depth);
    tally->same_depth += depth - deep.depth < longer;
  }
}

mo_manifold collide(const Body &a, const Body &b) {
  const mo_collide_def def = mo_default_collide_def();
  mo_manifold m;
  check(mo_collide(&a.primitive, &b.primitive, &def, &m), "contacts");
  return m;
}

double min_separation(const mo_manifold &m) {
  double min = INFINITY;
  for (uint32_t i = 0; i < m.point_count; i++) {
    min = std::min(min, double(m.points[i].separation));
  }
  return min;
}

void compare_contacts(const Body &a, const Body &b, Tally *tally) {
  const mo_manifold m = collide(a, b);
  const double depth = fcl_overlap(a, b), min = min_separation(m);
  const double apart = depth < 0 ? fcl_distance(a, b) : 0;
  if (m.point_count == 0) {
    tally->wrong +=
        depth > sure || (depth < 0 && apart < mo_default_collide_def().speculative_distance - sure);
    return;
  }
  tally->manifolds++;
  tally->swapped = std::max(tally->swapped, std::abs(min - min_separation(collide(b, a))));
  if (depth > sure) {
    tally->too_deep = std::max(tally->too_deep, -min - depth);
    tally->wrong += !m.touching || !parts(a, b, m.normal, given_up - min);
  } else if (depth < 0) {
    tally->wrong += m.touching && apart > sure;
    tally->too_close = std::max(tally->too_close, apart - min);
  }
}

} // namespace

int main() {
  const char *text = std::getenv("MOTTE_TEST_SEED");
  const uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
  std::printf("seed of peers/fcl: %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 r(seed);
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < 36 * 1000; round++) {
    Body a, b;
    make(&a, round % kinds, 1.5, r);
    make(&b, round / kinds % kinds, 1.5, r);
    const int min = std::min(a.kind, b.kind), max = std::max(a.kind, b.kind);
    Tally *tally = &tallies[std::string(names[min]) + ", " + names[max]];
    compare(a, b, tally);
    compare_contacts(a, b, tally);
  }
  bool ok = true;
  for (const auto &row : tallies) {
    const Tally &t = row.second;
    ok = ok && t.different == 0 && t.min_distance >= -shorter && t.max_distance <= longer &&
         t.min_depth >= -shorter && t.overlaps > 0 && t.overlaps < t.pairs && t.wrong == 0 &&
         std::max({t.too_deep, t.too_close, t.swapped}) <= given_up;
    std::printf("%-18s %d pairs, %d answers differ; distances %+.0e to %+.0e; %d overlap, "
                "%d depths are the same, the others longer; %+.0e\n",
                row.first.c_str(), t.pairs, t.different, t.min_distance, t.max_distance, t.overlaps,
                t.same_depth, t.min_depth);
    std::printf(
        "%-18s %d manifolds, %d wrong; up to %.0e too deep, %.0e too close; %.0e exchanged\n", "",
        t.manifolds, t.wrong, t.too_deep, t.too_close, t.swapped);
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
