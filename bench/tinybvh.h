// What the adapters of tinybvh share: rays, and a mesh in the layout BVH8_CPU, which tinybvh calls
// its fastest on a CPU.
#ifndef BENCH_TINYBVH_H
#define BENCH_TINYBVH_H

#define NO_THREADED_BUILDS // suites run on one thread
#include <tiny_bvh.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "engine.h"

#define BENCH_TINYBVH_TEXT_OF(a) #a
#define BENCH_TINYBVH_TEXT(a) BENCH_TINYBVH_TEXT_OF(a)
#define BENCH_TINYBVH_VERSION                                                                      \
  "tinybvh " BENCH_TINYBVH_TEXT(TINY_BVH_VERSION_MAJOR) "." BENCH_TINYBVH_TEXT(                    \
      TINY_BVH_VERSION_MINOR) "." BENCH_TINYBVH_TEXT(TINY_BVH_VERSION_SUB)

namespace bench_tinybvh {

// What tinybvh has allocated through its context and not freed yet.
using Sizes = std::unordered_map<void *, size_t>;

inline void *allocate_counted(size_t size, void *sizes) {
  void *memory = tinybvh::malloc64(size);
  (*static_cast<Sizes *>(sizes))[memory] = size;
  return memory;
}

inline void free_counted(void *memory, void *sizes) {
  static_cast<Sizes *>(sizes)->erase(memory);
  tinybvh::free64(memory);
}

// The constructor of rays would clear the whole record, and normalise what is of unit length.
inline tinybvh::Ray make_query(const bench_ray &ray) {
  tinybvh::Ray query;
  query.O = tinybvh::bvhvec3(ray.origin.x, ray.origin.y, ray.origin.z);
  query.D = tinybvh::bvhvec3(ray.direction.x, ray.direction.y, ray.direction.z);
  query.rD = tinybvh::tinybvh_rcp(query.D);
  query.hit.t = std::min(ray.max_t, BVH_FAR);
  return query;
}

enum class Quality {
  BINNED, // by a binned surface area heuristic
  SPLITS, // also with spatial splits
};

class Tree {
public:
  explicit Tree(const bench_mesh *mesh)
      : mesh(mesh), bvh(tinybvh::BVHContext{allocate_counted, free_counted, &sizes}) {
    read_positions();
  }
  Tree(const Tree &) = delete;
  Tree &operator=(const Tree &) = delete;

  // tinybvh reads corners as four floats each.
  void read_positions() {
    const triangles &source = mesh->triangles;
    points.resize(source.vertex_count);
    for (uint32_t i = 0; i < source.vertex_count; i++) {
      mo_vec3 p = source.positions[i];
      points[i] = tinybvh::bvhvec4(p.x, p.y, p.z, 0);
    }
  }

  // Once for each tree. BuildHQ of a pointer would build without spatial splits (in 1.6.7).
  void build(Quality quality) {
    const triangles &source = mesh->triangles;
    const tinybvh::bvhvec4slice slice(points.data(), source.vertex_count);
    if (quality == Quality::SPLITS) {
      bvh.BuildHQ(slice, source.indices, source.triangle_count);
    } else {
      bvh.Build(slice, source.indices, source.triangle_count);
    }
  }

  // BVH8_CPU::Refit would leave the bounds of the tree that it converts as they were (in 1.6.7).
  void refit() {
    bvh.bvh8.bvh.Refit();
    bvh.ConvertFrom(bvh.bvh8);
  }

  // All that is allocated. The tree that rays visit is allocated without the context.
  size_t bytes() const {
    size_t sum = size_t(bvh.allocatedBlocks) * sizeof(tinybvh::BVH8_CPU::CacheLine);
    for (const auto &part : sizes) {
      sum += part.second;
    }
    return sum;
  }

  // For a tree over instances, which refers to it.
  tinybvh::BVHBase *base() {
    return &bvh;
  }

  // `surface` may be null. Normals are not computed by tinybvh.
  bench_hit closest_hit(const bench_ray &ray, bench_surface *surface) const {
    tinybvh::Ray query = make_query(ray);
    const float max_t = query.hit.t;
    bvh.Intersect(query);
    if (!(query.hit.t < max_t)) {
      return {INFINITY, MO_NO_TRIANGLE};
    }
    if (surface != nullptr) {
      *surface = {{query.hit.u, query.hit.v}, normal_of(query.hit.prim)};
    }
    return {query.hit.t, query.hit.prim};
  }

  bool has_hit(const bench_ray &ray) const {
    return bvh.IsOccluded(make_query(ray));
  }

private:
  const bench_mesh *mesh;
  Sizes sizes; // before the tree, which frees its memory at the end
  std::vector<tinybvh::bvhvec4> points;
  tinybvh::BVH8_CPU bvh;

  mo_vec3 normal_of(uint32_t triangle) const {
    const uint32_t *corner = &mesh->triangles.indices[3 * size_t(triangle)];
    const tinybvh::bvhvec3 a = points[corner[0]], b = points[corner[1]], c = points[corner[2]];
    const tinybvh::bvhvec3 normal = tinybvh::tinybvh_cross(b - a, c - a);
    return {normal.x, normal.y, normal.z};
  }
};

} // namespace bench_tinybvh

#endif
