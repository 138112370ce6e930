// What the adapters of FCL share with those of Coal, which descends from it. Their sources are
// compiled once for each library; what differs between the two interfaces is here.
#ifndef BENCH_FCL_COAL_H
#define BENCH_FCL_COAL_H

#ifdef BENCH_COAL_VERSION
#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/collision_object.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>
#else
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/distance.h>
#endif

#include <memory>
#include <vector>

#include "mesh_file.h"

namespace {

using Real = double;
using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;

#ifdef BENCH_COAL_VERSION

#define BENCH_FCL_COAL(engine) engine##_coal
#define BENCH_FCL_COAL_ID "coal", BENCH_COAL_VERSION

namespace library = coal;
using coal::Box;
using coal::Capsule;
using coal::CollisionResult;
using coal::Cylinder;
using coal::DistanceRequest;
using coal::DistanceResult;
using coal::Sphere;
using coal::Triangle;
using Geometry = coal::CollisionGeometry;
using Hull = coal::Convex<Triangle>;
using Manager = coal::DynamicAABBTreeCollisionManager;
using Model = coal::BVHModel<coal::OBBRSS>;
using Object = coal::CollisionObject;
using Transform = coal::Transform3s;

inline coal::CollisionRequest make_request(size_t max_contacts, bool with_points) {
  return coal::CollisionRequest(with_points ? coal::CONTACT : coal::NO_REQUEST, max_contacts);
}

inline Transform make_transform(const Matrix &rotation, const Vector &translation) {
  return Transform(rotation, translation);
}

inline void set_edges(Box *box, const Vector &edges) {
  box->halfSide = edges / 2;
}

inline std::shared_ptr<Hull> make_hull_of(std::shared_ptr<std::vector<Vector>> points,
                                          const std::vector<Triangle> &faces) {
  auto polygons = std::make_shared<std::vector<Triangle>>(faces);
  return std::make_shared<Hull>(points, unsigned(points->size()), polygons, unsigned(faces.size()));
}

// Calls `visit(a, b)` for each two objects of which AABBs overlap, until it returns true: of the
// manager, or of it and another manager or object.
template <class Visit, class... Other>
void visit_overlaps(Manager *manager, Visit visit, Other *...other) {
  struct Callback : coal::CollisionCallBackBase {
    Visit *visit;
    bool collide(Object *a, Object *b) override {
      return (*visit)(a, b);
    }
  } callback;
  callback.visit = &visit;
  manager->collide(other..., &callback);
}

#else

#define BENCH_FCL_COAL(engine) engine##_fcl
#define BENCH_FCL_COAL_ID "fcl", BENCH_FCL_VERSION

namespace library = fcl;
using fcl::Triangle;
using Box = fcl::Box<Real>;
using Capsule = fcl::Capsule<Real>;
using CollisionResult = fcl::CollisionResult<Real>;
using Cylinder = fcl::Cylinder<Real>;
using DistanceRequest = fcl::DistanceRequest<Real>;
using DistanceResult = fcl::DistanceResult<Real>;
using Sphere = fcl::Sphere<Real>;
using Geometry = fcl::CollisionGeometry<Real>;
using Hull = fcl::Convex<Real>;
using Manager = fcl::DynamicAABBTreeCollisionManager<Real>;
using Model = fcl::BVHModel<fcl::OBBRSS<Real>>;
using Object = fcl::CollisionObject<Real>;
using Transform = fcl::Transform3<Real>;

inline fcl::CollisionRequest<Real> make_request(size_t max_contacts, bool with_points) {
  return fcl::CollisionRequest<Real>(max_contacts, with_points);
}

inline Transform make_transform(const Matrix &rotation, const Vector &translation) {
  Transform transform = Transform::Identity();
  transform.linear() = rotation;
  transform.translation() = translation;
  return transform;
}

inline void set_edges(Box *box, const Vector &edges) {
  box->side = edges;
}

inline std::shared_ptr<Hull> make_hull_of(std::shared_ptr<std::vector<Vector>> points,
                                          const std::vector<Triangle> &faces) {
  auto polygons = std::make_shared<std::vector<int>>();
  for (const Triangle &face : faces) {
    polygons->insert(polygons->end(), {3, int(face[0]), int(face[1]), int(face[2])});
  }
  return std::make_shared<Hull>(points, int(faces.size()), polygons);
}

template <class Visit, class... Other>
void visit_overlaps(Manager *manager, Visit visit, Other *...other) {
  manager->collide(other..., static_cast<void *>(&visit), [](Object *a, Object *b, void *data) {
    return (*static_cast<Visit *>(data))(a, b);
  });
}

#endif

inline Vector vector_of(mo_vec3 v) {
  return Vector(v.x, v.y, v.z);
}

inline Matrix matrix_of(mo_quat q) {
  return Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
}

inline Transform pose_of(mo_vec3 translation, mo_quat rotation) {
  return make_transform(matrix_of(rotation), vector_of(translation));
}

inline std::vector<Vector> points_of(const triangles &source, Real scale) {
  std::vector<Vector> points;
  for (uint32_t i = 0; i < source.vertex_count; i++) {
    points.push_back(scale * vector_of(source.positions[i]));
  }
  return points;
}

inline std::vector<Triangle> faces_of(const triangles &source) {
  std::vector<Triangle> faces;
  for (uint32_t i = 0; i < source.triangle_count; i++) {
    const uint32_t *corner = &source.indices[3 * size_t(i)];
    faces.emplace_back(corner[0], corner[1], corner[2]);
  }
  return faces;
}

// A mesh as a tree of oriented bounding boxes with rectangle-swept spheres.
inline std::shared_ptr<Model> make_model(const bench_mesh *mesh, Real scale) {
  auto model = std::make_shared<Model>();
  model->beginModel();
  model->addSubModel(points_of(mesh->triangles, scale), faces_of(mesh->triangles));
  model->endModel();
  return model;
}

// A closed mesh that is convex.
inline std::shared_ptr<Hull> make_hull(const triangles &source) {
  return make_hull_of(std::make_shared<std::vector<Vector>>(points_of(source, 1)),
                      faces_of(source));
}

// Pairs of convex shapes or triangles that touch, as many as `max`; of two meshes with points, all
// that are found.
inline size_t count_contacts(const Geometry *a, const Transform &a_pose, const Geometry *b,
                             const Transform &b_pose, size_t max, bool with_points = false) {
  CollisionResult result;
  return library::collide(a, a_pose, b, b_pose, make_request(max, with_points), result);
}

// Not above 0 where they touch.
inline Real find_distance(const Geometry *a, const Transform &a_pose, const Geometry *b,
                          const Transform &b_pose, bool with_points) {
  DistanceRequest request(with_points, false);
  DistanceResult result;
  library::distance(a, a_pose, b, b_pose, request, result);
  return result.min_distance;
}

} // namespace

#endif
