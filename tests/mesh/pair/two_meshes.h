/* Poses of two meshes near each other, in long double. */
#ifndef TEST_MESH_PAIR_TWO_MESHES_H
#define TEST_MESH_PAIR_TWO_MESHES_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/families.h"
#include "support/mesh_files.h"

typedef long double ldouble;

typedef struct ldvec {
  ldouble x, y, z;
} ldvec;

static inline ldvec minus(ldvec a, ldvec b) {
  return (ldvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline ldouble dot(ldvec a, ldvec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ldvec cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline ldvec image(const mo_transform *m, mo_vec3 p) {
  const ldouble x = p.x, y = p.y, z = p.z;
  return (ldvec){m->origin.x + (m->x_axis.x * x + m->y_axis.x * y + m->z_axis.x * z),
                 m->origin.y + (m->x_axis.y * x + m->y_axis.y * y + m->z_axis.y * z),
                 m->origin.z + (m->x_axis.z * x + m->y_axis.z * y + m->z_axis.z * z)};
}

static inline ldouble min_along(const ldvec c[3], ldvec n) {
  return fminl(fminl(dot(n, c[0]), dot(n, c[1])), dot(n, c[2]));
}

static inline ldouble max_along(const ldvec c[3], ldvec n) {
  return fmaxl(fmaxl(dot(n, c[0]), dot(n, c[1])), dot(n, c[2]));
}

/* The greatest gap between two triangles along an axis, negative if they overlap along each; and
 * whether the axes decide, as they do unless a triangle is degenerate. */
static inline ldouble gap_between(const ldvec a[3], const ldvec b[3], bool *decides) {
  ldvec axes[17];
  ldvec ea[3], eb[3];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    ea[i] = minus(a[(i + 1) % 3], a[i]);
    eb[i] = minus(b[(i + 1) % 3], b[i]);
  }
  const ldvec na = cross(ea[0], ea[1]), nb = cross(eb[0], eb[1]);
  axes[count++] = na;
  axes[count++] = nb;
  for (int i = 0; i < 3; i++) {
    axes[count++] = cross(na, ea[i]);
    axes[count++] = cross(nb, eb[i]);
    for (int k = 0; k < 3; k++) {
      axes[count++] = cross(ea[i], eb[k]);
    }
  }
  *decides = sqrtl(dot(na, na)) > 1e-6L * dot(ea[0], ea[0]) &&
             sqrtl(dot(na, na)) > 1e-6L * dot(ea[1], ea[1]) &&
             sqrtl(dot(nb, nb)) > 1e-6L * dot(eb[0], eb[0]) &&
             sqrtl(dot(nb, nb)) > 1e-6L * dot(eb[1], eb[1]);
  ldouble gap = -INFINITY;
  for (int i = 0; i < count; i++) {
    const ldouble length = sqrtl(dot(axes[i], axes[i]));
    if (length > 0) {
      const ldouble here = fmaxl(min_along(b, axes[i]) - max_along(a, axes[i]),
                                 min_along(a, axes[i]) - max_along(b, axes[i]));
      gap = fmaxl(gap, here / length);
    }
  }
  return gap;
}

/* How far the exact test may be off. */
static inline ldouble tolerance_of(const ldvec a[3], const ldvec b[3]) {
  ldouble size = 0, far = 0;
  for (int i = 0; i < 3; i++) {
    const ldvec d = minus(a[i], a[0]), e = minus(b[i], b[0]);
    size = fmaxl(size, fmaxl(sqrtl(dot(d, d)), sqrtl(dot(e, e))));
    far = fmaxl(far, fmaxl(sqrtl(dot(a[i], a[i])), sqrtl(dot(b[i], b[i]))));
  }
  return 1e-8L * size + 1e-13L * far;
}

static inline mo_vec3 some_vertex(const test_mesh *mesh, rng *r) {
  return mesh->positions[rng_below(r, mesh->vertex_count)];
}

/* Moves a map so that a vertex of one mesh lies near one of the other. */
static inline void bring_together(const test_mesh *a, const mo_transform *map_a, const test_mesh *b,
                                  mo_transform *map_b, rng *r) {
  const ldvec there = image(map_a, some_vertex(a, r)), here = image(map_b, some_vertex(b, r));
  const float nudge = rng_chance(r, 0.5) ? 0.0f : rng_float(r, -1e-6f, 1e-6f);
  map_b->origin.x += (float)((there.x - here.x) * (1 + (ldouble)nudge));
  map_b->origin.y += (float)(there.y - here.y);
  map_b->origin.z += (float)(there.z - here.z);
}

/* Calls `check` with up to `max` real meshes of fewer than 3,000 triangles, each with a torus of
 * some triangles at its corner that is a tenth as large. `extent` is that of the real mesh. */
typedef void check_with_torus(const test_mesh meshes[2], const mesh_family families[2],
                              mo_vec3 extent, rng *r, void *context);
static inline void with_real_meshes(uint64_t max, uint32_t torus_size, bool plain, rng *r,
                                    check_with_torus *check, void *context) {
  char *paths[64];
  const uint32_t count = mesh_files_find(paths, 64);
  for (uint32_t i = 0; i < count; i++) {
    test_mesh meshes[2];
    if (i < max && mesh_file_read(paths[i], &meshes[0])) {
      if (meshes[0].triangle_count > 0 && meshes[0].triangle_count < 3000) {
        static mesh_family families[2];
        const mo_aabb box = test_mesh_bounds(&meshes[0]);
        const mo_vec3 extent = {box.upper.x - box.lower.x, box.upper.y - box.lower.y,
                                box.upper.z - box.lower.z};
        meshes[1] = test_mesh_make(TEST_MESH_TORUS, torus_size, r);
        test_mesh_place(&meshes[1], 0.1f * (extent.x + extent.y + extent.z), box.lower);
        for (int s = 0; s < 2; s++) {
          mesh_family_build(&families[s], &meshes[s], plain);
        }
        check(meshes, families, extent, r, context);
        for (int s = 0; s < 2; s++) {
          cr_assert(mesh_family_free(&families[s]));
        }
        test_mesh_free(&meshes[1]);
      }
      test_mesh_free(&meshes[0]);
    }
    free(paths[i]);
  }
}

/* What a visitor of pairs takes, until there is space for no more. */
typedef struct taken_pairs {
  mo_triangle_pair *pairs;
  uint32_t count, space;
} taken_pairs;

static inline bool take_pair(mo_triangle_pair pair, void *context) {
  taken_pairs *taken = context;
  taken->pairs[taken->count++] = pair;
  return taken->count < taken->space;
}

static inline int compare_pairs(const void *a, const void *b) {
  const mo_triangle_pair *x = a, *y = b;
  return x->triangle != y->triangle ? (x->triangle > y->triangle) - (x->triangle < y->triangle)
                                    : (x->other > y->other) - (x->other < y->other);
}

static inline void sort_pairs(const taken_pairs *taken) {
  if (taken->count > 0) {
    qsort(taken->pairs, taken->count, sizeof *taken->pairs, compare_pairs);
  }
}

#endif
