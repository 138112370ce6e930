/* The segments in which triangles of two meshes intersect: between the outermost points where an
 * edge of one pierces the other, in long double. */
#include <criterion/criterion.h>
#include <motte/overlap.h>
#include <string.h>

#include "mesh/pair/two_meshes.h"

enum { MAX = 65536 };

static mo_triangle_pair pairs[MAX];
static mo_triangle_segment segments[MAX];

static ldouble length(ldvec v) {
  return sqrtl(dot(v, v));
}

static ldvec point_of(mo_vec3 p) {
  return (ldvec){p.x, p.y, p.z};
}

/* The points, at most 6, where edges of `a` pierce `b`. */
static int find_piercings(const ldvec a[3], const ldvec b[3], ldvec *points) {
  const ldvec n = cross(minus(b[1], b[0]), minus(b[2], b[0]));
  int count = 0;
  for (int i = 0; i < 3; i++) {
    const ldvec from = a[i], way = minus(a[(i + 1) % 3], from);
    const ldouble t = dot(n, minus(b[0], from)) / dot(n, way);
    const ldvec p = {from.x + t * way.x, from.y + t * way.y, from.z + t * way.z};
    bool inside = t >= 0 && t <= 1;
    for (int k = 0; k < 3; k++) {
      inside = inside && dot(cross(minus(b[(k + 1) % 3], b[k]), minus(p, b[k])), n) >= 0;
    }
    if (inside) {
      points[count++] = p;
    }
  }
  return count;
}

/* Returns whether the pair could be checked: the triangles cross clearly. */
static bool check_segment(const ldvec a[3], const ldvec b[3], const mo_triangle_segment *segment) {
  const ldvec n = cross(minus(a[1], a[0]), minus(a[2], a[0])),
              m = cross(minus(b[1], b[0]), minus(b[2], b[0]));
  ldouble far = 0;
  for (int i = 0; i < 3; i++) {
    far = fmaxl(far, fmaxl(length(a[i]), length(b[i])));
  }
  if (!(length(cross(n, m)) > 1e-2L * length(n) * length(m)) ||
      !(length(n) > 1e-2L * dot(minus(a[1], a[0]), minus(a[1], a[0]))) ||
      !(length(m) > 1e-2L * dot(minus(b[1], b[0]), minus(b[1], b[0])))) {
    return false;
  }
  cr_assert(!segment->is_coplanar);
  ldvec points[6], end[2] = {point_of(segment->from), point_of(segment->to)};
  int count = find_piercings(a, b, points);
  count += find_piercings(b, a, points + count);
  if (count < 2) {
    return false;
  }
  ldouble max = 0, off[2] = {INFINITY, INFINITY};
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      max = fmaxl(max, length(minus(points[i], points[k])));
    }
    off[0] = fminl(off[0], length(minus(points[i], end[0])));
    off[1] = fminl(off[1], length(minus(points[i], end[1])));
  }
  cr_assert(off[0] <= 1e-6L * far && off[1] <= 1e-6L * far, "%Lg %Lg of %Lg", off[0], off[1], far);
  cr_assert(fabsl(max - length(minus(end[0], end[1]))) <= 1e-6L * far, "%Lg of %Lg", max, far);
  return true;
}

Test(mesh_pair_segments, between_piercing_points) {
  rng r = rng_make(rng_seed("mesh_pair_segments/between_piercing_points", 3531));
  static const test_mesh_kind kinds[] = {TEST_MESH_TERRAIN, TEST_MESH_SOUP, TEST_MESH_TORUS,
                                         TEST_MESH_SPIKES, TEST_MESH_DEGENERATE};
  uint32_t checked = 0;
  for (uint64_t round = 0; round < rng_rounds(80, 1000); round++) {
    test_mesh meshes[2];
    mo_mesh *built[2];
    mo_transform map[2];
    for (int s = 0; s < 2; s++) {
      meshes[s] = test_mesh_make(kinds[rng_below(&r, sizeof kinds / sizeof *kinds)], 60, &r);
      map[s] = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_MIRROR + 1), 1);
      mo_mesh_def def = mo_default_mesh_def();
      def.positions = &meshes[s].positions->x;
      def.vertex_count = meshes[s].vertex_count;
      def.indices = meshes[s].indices;
      def.triangle_count = meshes[s].triangle_count;
      cr_assert_eq(mo_mesh_create(&def, &built[s]), MO_OK);
    }
    bring_together(&meshes[0], &map[0], &meshes[1], &map[1], &r);
    mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
    def.other = built[1];
    def.transform = map[0];
    def.other_transform = map[1];
    uint32_t total;
    cr_assert_eq(mo_mesh_overlap_mesh(built[0], &def, pairs, MAX, &total, NULL), MO_OK);
    cr_assert_eq(mo_mesh_get_overlap_segments(built[0], &def, pairs, total, segments), MO_OK);
    for (uint32_t i = 0; i < total; i++) {
      ldvec w[2][3];
      mo_vec3 c[2][3];
      test_mesh_corners(&meshes[0], pairs[i].triangle, c[0]);
      test_mesh_corners(&meshes[1], pairs[i].other, c[1]);
      for (int k = 0; k < 6; k++) {
        w[k / 3][k % 3] = image(&map[k / 3], c[k / 3][k % 3]);
      }
      checked += check_segment(w[0], w[1], &segments[i]);
    }
    for (int s = 0; s < 2; s++) {
      mo_mesh_release(built[s]);
      test_mesh_free(&meshes[s]);
    }
  }
  cr_assert_gt(checked, 300, "%u", checked);
}

static mo_mesh *triangle_of(const float positions[9]) {
  static const uint32_t indices[] = {0, 1, 2};
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *mesh = NULL;
  def.positions = positions;
  def.vertex_count = 3;
  def.indices = indices;
  def.triangle_count = 1;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* Of two triangles of a mesh each, under one map. */
static mo_triangle_segment segment_under(const mo_transform *map, const float a[9],
                                         const float b[9]) {
  mo_mesh *mesh = triangle_of(a), *other = triangle_of(b);
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  mo_triangle_segment segment;
  def.transform = def.other_transform = *map;
  def.other = other;
  cr_assert_eq(mo_mesh_get_overlap_segments(mesh, &def, (mo_triangle_pair[]){{0, 0}}, 1, &segment),
               MO_OK);
  mo_mesh_release(mesh);
  mo_mesh_release(other);
  return segment;
}

static mo_triangle_segment segment_of(const float a[9], const float b[9]) {
  const mo_transform identity = mo_transform_identity();
  return segment_under(&identity, a, b);
}

static bool joins(const mo_triangle_segment *s, mo_vec3 p, mo_vec3 q) {
  return (memcmp(&s->from, &p, sizeof p) == 0 && memcmp(&s->to, &q, sizeof q) == 0) ||
         (memcmp(&s->from, &q, sizeof q) == 0 && memcmp(&s->to, &p, sizeof p) == 0);
}

Test(mesh_pair_segments, known_answers) {
  static const float base[] = {0, 0, 0, 8, 0, 0, 0, 8, 0};
  static const float upright[] = {1, 2, -1, 1, 2, 3, 1, -6, -1},
                     inside[] = {1, 1, -1, 1, 1, 1, 2, 1, 0}, tip[] = {2, 2, 0, 2, 2, 4, 3, 3, 4},
                     same_plane[] = {1, 1, 0, 2, 1, 0, 1, 2, 0},
                     line[] = {1, 1, -1, 1, 1, 1, 1, 1, 0};
  mo_triangle_segment s = segment_of(base, upright);
  cr_assert(!s.is_coplanar && joins(&s, (mo_vec3){1, 0, 0}, (mo_vec3){1, 2, 0}));
  s = segment_of(base, inside);
  cr_assert(!s.is_coplanar && joins(&s, (mo_vec3){1, 1, 0}, (mo_vec3){2, 1, 0}));
  s = segment_of(base, tip);
  cr_assert(!s.is_coplanar && joins(&s, (mo_vec3){2, 2, 0}, (mo_vec3){2, 2, 0}));
  s = segment_of(base, same_plane);
  cr_assert(s.is_coplanar && joins(&s, (mo_vec3){2, 1, 0}, (mo_vec3){1, 2, 0}));
  s = segment_of(base, line);
  cr_assert(!s.is_coplanar && joins(&s, (mo_vec3){1, 1, 0}, (mo_vec3){1, 1, 0}));
}

/* Small triangles in the plane of large ones, far from the origin, in either order: the segment is
 * the longest edge of the small one. */
Test(mesh_pair_segments, small_triangles_in_large_ones) {
  rng r = rng_make(rng_seed("mesh_pair_segments/small_triangles_in_large_ones", 3532));
  for (uint64_t round = 0; round < rng_rounds(2000, 100000); round++) {
    mo_transform map = rng_transform(&r, RNG_RIGID, 1);
    const float size = expf(rng_float(&r, 0, 9)), small = size * expf(rng_float(&r, -9, -1));
    map.origin = rng_vec3(&r, -1e4f, 1e4f);
    const float x = rng_float(&r, -0.2f, 0.2f) * size, y = rng_float(&r, -0.2f, 0.2f) * size;
    const float large[] = {-2 * size, -size, 0, 2 * size, -size, 0, 0, 2 * size, 0};
    const float other[] = {x, y, 0, x + small, y + 0.3f * small, 0, x - 0.2f * small, y + small, 0};
    const float edge = sqrtf(1.2f * 1.2f + 0.7f * 0.7f) * small;
    for (int order = 0; order < 2; order++) {
      const mo_triangle_segment s =
          segment_under(&map, order == 0 ? large : other, order == 0 ? other : large);
      const mo_vec3 d = {s.to.x - s.from.x, s.to.y - s.from.y, s.to.z - s.from.z};
      const float length = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
      cr_assert(s.is_coplanar, "sizes %g and %g, order %d", (double)size, (double)small, order);
      cr_assert(fabsf(length - edge) <= 4e-3f + 1e-5f * size, "%g instead of %g", (double)length,
                (double)edge);
    }
  }
}
