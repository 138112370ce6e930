// What the adapters of FCL share: meshes as trees of oriented bounding boxes with rectangle-swept
// spheres, convex polytopes, and poses.
#ifndef BENCH_FCL_MESH_H
#define BENCH_FCL_MESH_H

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/convex.h>

#include <memory>
#include <vector>

#include "mesh_file.h"

namespace bench_fcl {

using Real = double;
using Vector = fcl::Vector3<Real>;
using Model = fcl::BVHModel<fcl::OBBRSS<Real>>;

inline std::shared_ptr<Model> make_model(const bench_mesh *mesh, Real scale) {
  const triangles &source = mesh->triangles;
  std::vector<Vector> points;
  std::vector<fcl::Triangle> faces;
  for (uint32_t i = 0; i < source.vertex_count; i++) {
    mo_vec3 p = source.positions[i];
    points.push_back(scale * Vector(p.x, p.y, p.z));
  }
  for (uint32_t i = 0; i < source.triangle_count; i++) {
    const uint32_t *corner = &source.indices[3 * size_t(i)];
    faces.emplace_back(corner[0], corner[1], corner[2]);
  }
  auto model = std::make_shared<Model>();
  model->beginModel();
  model->addSubModel(points, faces);
  model->endModel();
  return model;
}

// A closed mesh that is convex.
inline std::shared_ptr<fcl::Convex<Real>> make_hull(const triangles &source) {
  auto points = std::make_shared<std::vector<Vector>>();
  auto faces = std::make_shared<std::vector<int>>();
  for (uint32_t i = 0; i < source.vertex_count; i++) {
    mo_vec3 p = source.positions[i];
    points->emplace_back(p.x, p.y, p.z);
  }
  for (uint32_t i = 0; i < source.triangle_count; i++) {
    faces->push_back(3);
    for (uint32_t k = 0; k < 3; k++) {
      faces->push_back(int(source.indices[3 * size_t(i) + k]));
    }
  }
  return std::make_shared<fcl::Convex<Real>>(points, int(source.triangle_count), faces);
}

inline fcl::Transform3<Real> pose(mo_vec3 t, mo_quat q) {
  fcl::Transform3<Real> transform = fcl::Transform3<Real>::Identity();
  transform.linear() = fcl::Quaternion<Real>(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
  transform.translation() = Vector(t.x, t.y, t.z);
  return transform;
}

} // namespace bench_fcl

#endif
