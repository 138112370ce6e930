#include "geometry/hull/clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/exact.h"
#include "support/plain.h"
#include "support/steady.h"

const char *cloud_name(cloud_kind kind) {
  static const char *const names[CLOUD_KINDS] = {
      "ball", "sphere",   "cube faces", "lattice",  "wide lattice", "slab",
      "flat", "cylinder", "far",        "denormal", "exponents",    "needle"};
  return names[kind];
}

static mo_vec3 in_ball(rng *r) {
  mo_vec3 p;
  do {
    p = rng_vec3(r, -1, 1);
  } while (p.x * p.x + p.y * p.y + p.z * p.z > 1);
  return p;
}

static mo_vec3 on_sphere(rng *r) {
  for (;;) {
    mo_vec3 p = in_ball(r);
    double length = sqrt((double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z);
    if (length > 0.1) {
      return (mo_vec3){(float)(p.x / length), (float)(p.y / length), (float)(p.z / length)};
    }
  }
}

static mo_vec3 on_cube(rng *r) {
  mo_vec3 p = rng_vec3(r, -1, 1);
  float side = rng_chance(r, 0.5) ? 1 : -1;
  float *const axes[] = {&p.x, &p.y, &p.z};
  *axes[rng_below(r, 3)] = side;
  return p;
}

static float whole(rng *r, uint32_t max) {
  return (float)rng_below(r, 2 * max + 1) - (float)max;
}

static mo_vec3 on_lattice(rng *r, uint32_t max) {
  float x = whole(r, max);
  float y = whole(r, max);
  float z = whole(r, max);
  return (mo_vec3){x, y, z};
}

static float any_exponent(rng *r) {
  float exponent = rng_float(r, -30, 30);
  return rng_float(r, -1, 1) * steady_power10(exponent) * 0.99f;
}

static mo_vec3 point_of(cloud_kind kind, rng *r) {
  mo_vec3 p;
  switch (kind) {
  case CLOUD_SPHERE:
    return on_sphere(r);
  case CLOUD_CUBE_FACES:
    return on_cube(r);
  case CLOUD_LATTICE:
    return on_lattice(r, 2);
  case CLOUD_WIDE_LATTICE:
    return on_lattice(r, 1 << 20);
  case CLOUD_SLAB:
    p = rng_vec3(r, -1, 1);
    p.z = rng_chance(r, 0.5) ? 1 : nextafterf(1, 2);
    return p;
  case CLOUD_FLAT:
    p = on_lattice(r, 1000);
    p.z = 2 * p.x - 3 * p.y;
    return p;
  case CLOUD_CYLINDER:
    p.x = rng_float(r, 0, 6.2831853f);
    p = (mo_vec3){steady_cosine(p.x), steady_sine(p.x), rng_chance(r, 0.5)};
    return p;
  case CLOUD_FAR:
    p = in_ball(r);
    return (mo_vec3){p.x + 1e6f, p.y - 1e6f, p.z + 1e6f};
  case CLOUD_DENORMAL:
    p = on_lattice(r, 1000);
    return (mo_vec3){p.x * 0x1p-149f, p.y * 0x1p-149f, p.z * 0x1p-149f};
  case CLOUD_EXPONENTS:
    p.x = any_exponent(r);
    p.y = any_exponent(r);
    p.z = any_exponent(r);
    return p;
  case CLOUD_NEEDLE:
    p = in_ball(r);
    p.x *= 1e6f;
    return p;
  case CLOUD_BALL:
  case CLOUD_KINDS:
    break;
  }
  return in_ball(r);
}

void cloud_fill(cloud_kind kind, mo_vec3 *points, uint32_t count, rng *r) {
  for (uint32_t i = 0; i < count; i++) {
    points[i] = point_of(kind, r);
  }
  for (uint32_t i = 0; kind == CLOUD_CUBE_FACES && i < count && i < 8; i++) {
    points[i] = (mo_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
  }
}

mo_hull_def cloud_def(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  return def;
}

static mo_vec3 vertex_of(const mo_vec3 *vertices, const uint32_t *loop, uint32_t i) {
  return vertices[loop[i]];
}

bool cloud_is_inside(const mo_hull *hull, mo_vec3 point) {
  mo_hull_info info;
  mo_hull_get_info(hull, &info);
  mo_vec3 *vertices = malloc(info.vertex_count * sizeof *vertices);
  mo_hull_get_vertices(hull, vertices, info.vertex_count, NULL);
  bool inside = true;
  for (uint32_t i = 0; i < info.face_count && inside; i++) {
    mo_hull_face face;
    uint32_t loop[3];
    mo_hull_get_face(hull, i, &face, loop, 3);
    const mo_vec3 corners[4] = {vertex_of(vertices, loop, 0), vertex_of(vertices, loop, 1),
                                vertex_of(vertices, loop, 2), point};
    inside = exact_orientation(corners) <= 0;
  }
  free(vertices);
  return inside;
}

uint64_t cloud_hull_hash(const mo_hull *hull) {
  mo_hull_info info;
  mo_hull_get_info(hull, &info);
  uint64_t hash = FNV1A_BEGIN;
  hash = fnv1a(hash, &info.vertex_count, sizeof info.vertex_count);
  hash = fnv1a(hash, &info.face_count, sizeof info.face_count);
  hash = fnv1a(hash, &info.bounds, sizeof info.bounds);
  hash = fnv1a(hash, &info.volume, sizeof info.volume);
  hash = fnv1a(hash, &info.surface_area, sizeof info.surface_area);
  hash = fnv1a(hash, &info.centroid, sizeof info.centroid);
  hash = fnv1a(hash, &info.distance_lost, sizeof info.distance_lost);
  mo_vec3 *vertices = malloc(info.vertex_count * sizeof *vertices);
  mo_hull_get_vertices(hull, vertices, info.vertex_count, NULL);
  hash = fnv1a(hash, vertices, info.vertex_count * sizeof *vertices);
  free(vertices);
  mo_hull_edge *edges = malloc(info.edge_count * sizeof *edges);
  mo_hull_get_edges(hull, edges, info.edge_count, NULL);
  hash = fnv1a(hash, edges, info.edge_count * sizeof *edges);
  free(edges);
  uint32_t *list = malloc(info.edge_count * sizeof *list);
  for (uint32_t i = 0; i < info.face_count; i++) {
    mo_hull_face face;
    mo_hull_get_face(hull, i, &face, list, info.edge_count);
    hash = fnv1a(hash, &face, sizeof face);
    hash = fnv1a(hash, list, face.vertex_count * sizeof *list);
  }
  for (uint32_t i = 0; i < info.vertex_count; i++) {
    uint32_t count;
    mo_hull_get_neighbors(hull, i, list, info.edge_count, &count);
    hash = fnv1a(hash, list, count * sizeof *list);
  }
  free(list);
  return hash;
}
