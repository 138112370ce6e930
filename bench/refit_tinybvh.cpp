// tinybvh on a deforming mesh: refitted, or built anew.
#include <memory>

#include "refit.h"
#include "tinybvh.h"

namespace {

using bench_tinybvh::Quality;
using bench_tinybvh::Tree;

struct Instance {
  const bench_mesh *mesh;
  std::unique_ptr<Tree> tree;
};

std::unique_ptr<Tree> build(const bench_mesh *mesh) {
  std::unique_ptr<Tree> tree(new Tree(mesh));
  tree->build(Quality::BINNED); // one with spatial splits cannot be refitted
  return tree;
}

void *create(const bench_refit_engine *, const bench_mesh *mesh) {
  return new Instance{mesh, build(mesh)};
}

void destroy(void *self) {
  delete static_cast<Instance *>(self);
}

void refit(void *opaque, bench_refit_report *) {
  Tree *tree = static_cast<Instance *>(opaque)->tree.get();
  tree->read_positions();
  tree->refit();
}

void rebuild(void *opaque, bench_refit_report *) {
  Instance *self = static_cast<Instance *>(opaque);
  self->tree = build(self->mesh);
}

void trace(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits) {
  const Tree *tree = static_cast<Instance *>(opaque)->tree.get();
  for (size_t i = 0; i < count; i++) {
    hits[i] = tree->closest_hit(rays[i], nullptr);
  }
}

} // namespace

extern "C" const bench_refit_engine bench_refit_tinybvh, bench_refit_tinybvh_rebuild;
const bench_refit_engine bench_refit_tinybvh = {
    {"tinybvh-refit", BENCH_TINYBVH_VERSION}, nullptr, create, destroy, refit, trace, nullptr};
const bench_refit_engine bench_refit_tinybvh_rebuild = {
    {"tinybvh-rebuild", BENCH_TINYBVH_VERSION}, nullptr, create, destroy, rebuild, trace, nullptr};
