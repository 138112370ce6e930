#include "queries_sea.h"

#include "common/check.h"
#include "common/vector.h"

/* Distance of two boxes in the lattice; PEEL's is 400 / 127. */
#define PITCH 3.15f

/* Half edges are up to 2; those of PEEL may be 0. */
static float half_edge(struct random_stream *random) {
  return random_between(random, 0.1f, 2);
}

bench_query_box *bench_sea_create(uint32_t side, uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  bench_query_box *boxes = allocate((size_t)side * side, sizeof *boxes);
  for (uint32_t i = 0; i < side * side; i++) {
    const mo_vec3 place = {PITCH * (float)(i % side), 0, PITCH * (float)(i / side)};
    boxes[i].center = vec3_add(place, random_direction(&random));
    float x = half_edge(&random), y = half_edge(&random), z = half_edge(&random);
    boxes[i].half = vec3(x, y, z);
  }
  return boxes;
}

mo_aabb bench_sea_bounds(const bench_query_box *boxes, uint32_t count) {
  mo_aabb sea = {boxes[0].center, boxes[0].center};
  for (uint32_t i = 0; i < count; i++) {
    sea = aabb_with_point(sea, vec3_sub(boxes[i].center, boxes[i].half));
    sea = aabb_with_point(sea, vec3_add(boxes[i].center, boxes[i].half));
  }
  return sea;
}

bench_probe bench_sea_cast_down(mo_aabb sea, float width, struct random_stream *random) {
  mo_vec3 center = random_point_in(random, sea);
  center.y = sea.upper.y + width;
  mo_vec3 down = vec3_add(vec3(0, -30, 0), vec3_scale(10, random_direction(random)));
  return (bench_probe){.center = center, .rotation = {0, 0, 0, 1}, .displacement = down};
}

bench_probe bench_sea_cast_across(mo_aabb sea, float width, struct random_stream *random) {
  mo_vec3 middle = aabb_center(sea), size = aabb_size(sea), target = random_point_in(random, sea);
  float radius = 0.5f * hypotf(size.x, size.z) + width;
  float angle = random_between(random, 0, 6.2831853f);
  mo_vec3 center = vec3(middle.x + radius * cosf(angle), 0, middle.z + radius * sinf(angle));
  center.y = target.y = random_between(random, sea.lower.y, sea.upper.y + width);
  mo_vec3 across = vec3_normalize(vec3_sub(target, center));
  return (bench_probe){
      .center = center, .rotation = {0, 0, 0, 1}, .displacement = vec3_scale(2 * radius, across)};
}
