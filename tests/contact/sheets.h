/* Sheets of triangles with a border, and bodies astride it, for tests of contacts. */
#ifndef TEST_CONTACT_SHEETS_H
#define TEST_CONTACT_SHEETS_H

#include "contact/bent_places.h"

enum { MAX_BORDERS = 256, SHEET_CELLS = 6 };

/* An edge of a single triangle. */
typedef struct border {
  ldvec start, end, outward; /* outward: unit, in the plane of the triangle */
  ldvec face;                /* unit */
} border;

static border borders[MAX_BORDERS];
static uint32_t border_count;

static inline bool is_missing(const bool missing[SHEET_CELLS][SHEET_CELLS], int i, int k) {
  return i < 0 || k < 0 || i >= SHEET_CELLS || k >= SHEET_CELLS || missing[i][k];
}

/* Cells of a grid in the plane y = 0, bent to a part of a cylinder or not; some are missing, so
 * that the border has corners of both kinds. Vertices off their places, any diagonals and
 * windings. */
static inline test_mesh sheet_mesh(rng *r) {
  static mo_vec3 at[SHEET_CELLS + 1][SHEET_CELLS + 1];
  bool missing[SHEET_CELLS][SHEET_CELLS] = {{false}};
  test_mesh mesh = {0};
  const float off = rng_chance(r, 0.3) ? 0 : rng_float(r, 0, 0.3f);
  const float bend = rng_chance(r, 0.6) ? 0 : rng_float(r, -0.1f, 0.1f);
  const double rate = rng_chance(r, 0.5) ? 0 : 0.3;
  for (int i = 0; i <= SHEET_CELLS; i++) {
    for (int k = 0; k <= SHEET_CELLS; k++) {
      const float x = (float)i - 0.5f * SHEET_CELLS + rng_float(r, -off, off),
                  z = (float)k - 0.5f * SHEET_CELLS + rng_float(r, -off, off);
      at[i][k] = mo_vec(x, bend * x * x, z);
    }
  }
  for (int i = 0; i < SHEET_CELLS; i++) {
    for (int k = 0; k < SHEET_CELLS; k++) {
      missing[i][k] = rng_chance(r, rate);
    }
  }
  for (int i = 0; i < SHEET_CELLS; i++) {
    for (int k = 0; k < SHEET_CELLS; k++) {
      if (!is_missing(missing, i, k)) {
        ground_quad(&mesh, at[i][k], at[i][k + 1], at[i + 1][k + 1], at[i + 1][k], r);
      }
    }
  }
  ground_weld(&mesh);
  return mesh;
}

static inline bool is_edge_of(const mo_vec3 c[3], mo_vec3 a, mo_vec3 b) {
  for (int k = 0; k < 3; k++) {
    const mo_vec3 from = c[k], to = c[(k + 1) % 3];
    if ((memcmp(&from, &a, sizeof a) == 0 && memcmp(&to, &b, sizeof b) == 0) ||
        (memcmp(&from, &b, sizeof b) == 0 && memcmp(&to, &a, sizeof a) == 0)) {
      return true;
    }
  }
  return false;
}

static inline void find_borders(const place *at) {
  const test_mesh *mesh = &at->ground.mesh;
  border_count = 0;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3], other[3];
    test_mesh_corners(mesh, i, c);
    for (int k = 0; k < 3; k++) {
      bool shared = false;
      for (uint32_t l = 0; l < mesh->triangle_count && !shared; l++) {
        test_mesh_corners(mesh, l, other);
        shared = l != i && is_edge_of(other, c[k], c[(k + 1) % 3]);
      }
      bool exists;
      const ldvec *t = at->surface.corners[i];
      const ldvec face = unit_normal(t, &exists);
      if (!shared && exists && border_count < MAX_BORDERS) {
        const ldvec start = t[k], end = t[(k + 1) % 3];
        ldvec outward = unit_of(cross_of(face, ld_sub(end, start)));
        outward =
            ld_dot(outward, ld_sub(t[(k + 2) % 3], start)) > 0 ? ld_scale(-1, outward) : outward;
        borders[border_count++] = (border){start, end, outward, face};
      }
    }
  }
}

static inline place make_sheet_place(rng *r) {
  ground g = {.name = "sheet", .mesh = sheet_mesh(r), .map = mo_transform_identity()};
  if (rng_chance(r, 0.7)) {
    g.map = mo_transform_make(rng_vec3(r, -5, 5), rng_rotation(r), mo_vec(1, 1, 1));
  }
  g.up = g.map.y_axis;
  g.spacing = 1;
  place at = place_make(g, true);
  find_borders(&at);
  return at;
}

/* A body that reaches over a random place of the border, and into the sheet a little along a
 * direction between the outward one and the normals of both sides. */
static inline bool astride(const place *at, body_kind kind, rng *r, pose *p) {
  const border *b = &borders[rng_below(r, border_count)];
  const float size = power_between(r, -0.7f, 0.5f), angle = rng_float(r, -1.5f, 1.5f);
  const ldvec way =
      ld_add(ld_scale(steady_cosine(angle), b->outward), ld_scale(steady_sine(angle), b->face));
  p->body = bent_body_make(kind, size, r);
  p->map = mo_transform_make(mo_vec(0, 0, 0),
                             random_rotation(r, rng_chance(r, 0.5) ? b->outward : b->face),
                             p->body.scale);
  const float u = rng_chance(r, 0.2) ? 0 : rng_float(r, 0, 1);
  ldvec origin = ld_add(b->start, ld_scale(u, ld_sub(b->end, b->start)));
  const float aside = rng_chance(r, 0.5) ? 0 : rng_float(r, 0, 0.4f);
  origin = ld_add(origin, ld_scale(aside * p->body.diameter, ld_float(rng_direction(r))));
  place_at(p, origin);
  p->outer = polytope_mapped(&p->body.outer, &p->map);
  ldouble clearance;
  clearances(at, p, &way, 1, &clearance);
  if (!(clearance < INFINITY)) {
    return false;
  }
  const ldouble depth = p->body.thickness * power_between(r, -2.5f, -0.5f);
  place_at(p, ld_add(origin, ld_scale(clearance - depth, way)));
  return true;
}

#endif
