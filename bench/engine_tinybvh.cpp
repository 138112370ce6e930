// tinybvh: single rays through its tree of eight children per node, built with and without spatial
// splits.
#define TINYBVH_IMPLEMENTATION
#include "tinybvh.h"

#include "timing.h"

namespace {

using bench_tinybvh::Quality;
using bench_tinybvh::Tree;

bool is_available(const bench_engine *) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

void *create(const bench_engine *engine, const bench_mesh *mesh, double *build_seconds) {
  Tree *self = new Tree(mesh);
  double start = bench_clock();
  self->build(*static_cast<const Quality *>(engine->variant));
  *build_seconds = bench_clock() - start;
  return self;
}

void destroy(void *self) {
  delete static_cast<Tree *>(self);
}

size_t bytes(const void *self) {
  return static_cast<const Tree *>(self)->bytes();
}

void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count, bench_hit *hits,
           bench_surface *surfaces) {
  const Tree *self = static_cast<const Tree *>(opaque);
  if (mode == BENCH_ANY) {
    for (size_t i = 0; i < count; i++) {
      hits[i] = {self->has_hit(rays[i]) ? 0 : INFINITY, MO_NO_TRIANGLE};
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    hits[i] = self->closest_hit(rays[i], surfaces != nullptr ? &surfaces[i] : nullptr);
  }
}

bench_engine make_engine(const char *name, const Quality *quality) {
  bench_engine engine = {};
  engine.id = {name, BENCH_TINYBVH_VERSION};
  engine.variant = quality;
  engine.is_available = is_available;
  engine.create = create;
  engine.destroy = destroy;
  engine.bytes = bytes;
  engine.trace = trace;
  return engine;
}

const Quality splits = Quality::SPLITS, binned = Quality::BINNED;

} // namespace

extern "C" const bench_engine bench_tinybvh_splits, bench_tinybvh_binned;
const bench_engine bench_tinybvh_splits = make_engine("tinybvh-splits", &splits);
const bench_engine bench_tinybvh_binned = make_engine("tinybvh-binned", &binned);
