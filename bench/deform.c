/* Motions that deform a mesh. Each is a function of the vertex at rest and the time. */
#include <math.h>

#include "refit.h"

const char *bench_motion_name(unsigned motion) {
  static const char *const names[BENCH_MOTIONS] = {"wave", "twist", "scatter"};
  return motion < BENCH_MOTIONS ? names[motion] : NULL;
}

/* The vertex relative to the middle of the mesh, the largest extent being 2. */
static mo_vec3 wave(mo_vec3 p, double time) {
  double phase = 40 * time;
  return (mo_vec3){p.x + 0.05f * (float)sin(6 * p.y + phase), p.y,
                   p.z + 0.08f * (float)sin(5 * p.x + 4 * p.y + phase)};
}

static mo_vec3 twist(mo_vec3 p, double time) {
  double angle = 4 * 3.14159265358979 * time * (p.y + 1) / 2;
  float c = (float)cos(angle), s = (float)sin(angle);
  return (mo_vec3){c * p.x + s * p.z, p.y, c * p.z - s * p.x};
}

static mo_vec3 scatter(mo_vec3 p, double time) {
  double x = floor(6 * p.x), y = floor(6 * p.y), z = floor(6 * p.z); /* the part it belongs to */
  double azimuth = 12.9898 * x + 78.233 * y + 37.719 * z, height = sin(azimuth * 3.7);
  double distance = 1.5 * time;
  return (mo_vec3){p.x + (float)(distance * cos(azimuth)), p.y + (float)(distance * height),
                   p.z + (float)(distance * sin(azimuth))};
}

void bench_deform(bench_mesh *mesh, const bench_mesh *rest, bench_motion motion, double time) {
  static mo_vec3 (*const motions[])(mo_vec3, double) = {wave, twist, scatter};
  mo_vec3 lower = rest->bounds.lower, upper = rest->bounds.upper;
  mo_vec3 middle = {(lower.x + upper.x) / 2, (lower.y + upper.y) / 2, (lower.z + upper.z) / 2};
  float extent = fmaxf(fmaxf(upper.x - lower.x, upper.y - lower.y), upper.z - lower.z);
  float half = extent > 0 ? extent / 2 : 1;
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mo_vec3 p = rest->triangles.positions[i];
    p = (mo_vec3){(p.x - middle.x) / half, (p.y - middle.y) / half, (p.z - middle.z) / half};
    p = motions[motion](p, time);
    mesh->triangles.positions[i] =
        (mo_vec3){middle.x + half * p.x, middle.y + half * p.y, middle.z + half * p.z};
  }
  bench_mesh_find_bounds(mesh);
}
