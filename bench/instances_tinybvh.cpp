// tinybvh: instances of meshes in BVH8_CPU below a tree of its type BVH, the only one that it has
// for instances on a CPU. That is built anew each frame, as it refuses to be refitted.
//
// Transforms are 4x4 matrices by rows, for column vectors. In the space of a mesh a ray keeps its
// t, as its direction is not normalised there. Hits, which are those with t > 0, have the numbers
// of triangle and instance in fields of their own. A ray sees an instance if their masks have a bit
// in common, as they do by default.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "instances.h"
#include "tinybvh.h"

namespace {

using bench_tinybvh::make_query;
using bench_tinybvh::Quality;
using bench_tinybvh::Tree;

struct World {
  std::vector<std::unique_ptr<Tree>> meshes;
  std::vector<tinybvh::BVHBase *> bases; // of the meshes
  std::vector<tinybvh::BLASInstance> placed;
  tinybvh::BVH top;
};

tinybvh::bvhmat4 convert(const mo_transform &t) {
  const float rows[12] = {t.x_axis.x, t.y_axis.x, t.z_axis.x, t.origin.x, //
                          t.x_axis.y, t.y_axis.y, t.z_axis.y, t.origin.y, //
                          t.x_axis.z, t.y_axis.z, t.z_axis.z, t.origin.z};
  tinybvh::bvhmat4 matrix; // its last row is 0, 0, 0, 1
  std::copy(rows, rows + 12, matrix.cell);
  return matrix;
}

// Build also computes inverse transforms, and bounds of instances from those of their meshes.
void update(void *opaque, const bench_instances *instances) {
  World *self = static_cast<World *>(opaque);
  for (uint32_t i = 0; i < instances->mesh_count; i++) {
    if (instances->deforms[i]) {
      self->meshes[i]->read_positions();
      self->meshes[i]->refit();
    }
  }
  for (uint32_t i = 0; i < instances->count; i++) {
    self->placed[i].transform = convert(instances->transforms[i]);
  }
  self->top.Build(self->placed.data(), instances->count, self->bases.data(), instances->mesh_count);
}

void *create(const bench_instancer *, const bench_instances *instances) {
  World *self = new World;
  for (uint32_t i = 0; i < instances->mesh_count; i++) {
    std::unique_ptr<Tree> tree(new Tree(instances->meshes[i]));
    // One with spatial splits cannot be refitted.
    tree->build(instances->deforms[i] ? Quality::BINNED : Quality::SPLITS);
    self->bases.push_back(tree->base());
    self->meshes.push_back(std::move(tree));
  }
  for (uint32_t i = 0; i < instances->count; i++) {
    self->placed.emplace_back(instances->mesh_of[i]);
  }
  update(self, instances);
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count, bench_hit *hits) {
  const tinybvh::BVH &top = static_cast<const World *>(opaque)->top;
  if (mode == BENCH_ANY) {
    for (size_t i = 0; i < count; i++) {
      hits[i] = {top.IsOccluded(make_query(rays[i])) ? 0 : INFINITY, MO_NO_TRIANGLE};
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    tinybvh::Ray query = make_query(rays[i]);
    const float max_t = query.hit.t;
    top.Intersect(query);
    hits[i] = {INFINITY, MO_NO_TRIANGLE};
    if (query.hit.t < max_t) {
      hits[i] = {query.hit.t, query.hit.prim};
    }
  }
}

// Origins of rays are multiplied by the inverse, and so are the less exact the farther they are
// from that of the world, in single precision: 1e-5 off at a distance of 100. At a glancing angle t
// is off by several times as much. In a crowd of 100,000 that is more than rounding in less than
// one ray in a million.
const double tolerated = 1e-5;

} // namespace

extern "C" const bench_instancer bench_tinybvh_instancer;
const bench_instancer bench_tinybvh_instancer = {{"tinybvh", BENCH_TINYBVH_VERSION},
                                                 nullptr,
                                                 tolerated,
                                                 create,
                                                 destroy,
                                                 update,
                                                 trace,
                                                 trace, // pictures: it has no packets for instances
                                                 nullptr};
