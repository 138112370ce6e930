/* Queries on height fields: the answers are those of a mesh of the same triangles, bit for bit. */
#include "mesh/height/heights.h"

enum { MAX_LISTED = 4096 };

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static mo_vec3 add(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static mo_vec3 minus(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void check_ray_hit(const heights *h, const mo_ray_hit *a, const mo_ray_hit *b) {
  cr_assert_eq(a->found, b->found);
  cr_assert_eq(a->triangle, heights_field_triangle(h, b->triangle));
  if (a->found) {
    cr_assert_eq(a->t, b->t);
    cr_assert(same(a->point, b->point) && same(a->normal, b->normal));
    cr_assert(a->u == b->u && a->v == b->v && a->front == b->front);
    cr_assert_eq(a->triangle_user_data, b->triangle_user_data);
  }
}

static mo_vec3 near_point(const heights *h, rng *r) {
  mo_aabb box = mo_mesh_bounds(h->field);
  const float reach = rng_chance(r, 0.5) ? 0.2f : 3.0f;
  if (box.lower.x > box.upper.x) {
    box = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  }
  box.lower = minus(box.lower, (mo_vec3){reach, reach, reach});
  box.upper = add(box.upper, (mo_vec3){reach, reach, reach});
  return rng_point_in(r, box);
}

/* From anywhere: also straight down, along the axes, and through samples and sides of cells. */
static mo_ray_def any_ray(const heights *h, rng *r) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = near_point(h, r);
  ray.direction = minus(near_point(h, r), ray.origin);
  if (rng_chance(r, 0.3)) {
    ray.origin = heights_vertex(h, rng_below(r, h->def.columns), rng_below(r, h->def.rows));
    ray.origin.y += rng_chance(r, 0.5) ? 0.0f : 5.0f;
  }
  const uint32_t form = rng_below(r, 6);
  if (form < 3) {
    const float sign = rng_chance(r, 0.5) ? 1.0f : -1.0f;
    ray.direction = (mo_vec3){0, 0, 0};
    *(form == 0 ? &ray.direction.x : form == 1 ? &ray.direction.y : &ray.direction.z) = sign;
  }
  if (rng_chance(r, 0.3)) {
    ray.max_t = rng_float(r, 0, 2);
    ray.min_t = rng_chance(r, 0.5) ? 0.0f : rng_float(r, 0, 0.5f);
  }
  ray.cull_back_faces = rng_chance(r, 0.2);
  return ray;
}

static void check_lists_of_rays(const heights *h, const mo_ray_def *ray) {
  static mo_ray_hit a[MAX_LISTED], b[MAX_LISTED];
  uint32_t count[2];
  cr_assert_eq(mo_mesh_cast_ray_all(h->field, ray, a, MAX_LISTED, &count[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_ray_all(h->mesh, ray, b, MAX_LISTED, &count[1], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[0]; i++) {
    check_ray_hit(h, &a[i], &b[i]);
  }
  cr_assert_eq(mo_mesh_cast_ray_first(h->field, ray, a, 3, &count[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_ray_first(h->mesh, ray, b, 3, &count[1], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[0]; i++) {
    check_ray_hit(h, &a[i], &b[i]);
  }
}

static uint32_t check_ray(const heights *h, const mo_ray_def *ray) {
  mo_ray_hit a, b;
  bool any[2];
  mo_query_stats stats = {0};
  cr_assert_eq(mo_mesh_cast_ray(h->field, ray, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_ray(h->mesh, ray, &b, NULL), MO_OK);
  check_ray_hit(h, &a, &b);
  cr_assert_eq(mo_mesh_cast_ray(h->field, ray, &a, &stats), MO_OK);
  check_ray_hit(h, &a, &b);
  cr_assert_eq(mo_mesh_test_ray(h->field, ray, &any[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_test_ray(h->mesh, ray, &any[1], NULL), MO_OK);
  cr_assert_eq(any[0], any[1]);
  check_lists_of_rays(h, ray);
  return a.found;
}

Test(mesh_height, rays) {
  rng r = rng_make(rng_seed("mesh_height/rays", 11));
  uint32_t hits = 0;
  for (uint64_t i = 0; i < rng_rounds(150, 20000); i++) {
    heights h = heights_any(&r);
    for (int k = 0; k < 60; k++) {
      const mo_ray_def ray = any_ray(&h, &r);
      hits += check_ray(&h, &ray);
    }
    heights_free(&h);
  }
  cr_assert_gt(hits, 2000);
}

/* Rays in batches: coherent ones go in packets, others side by side. */
Test(mesh_height, batches_of_rays) {
  enum { RAYS = 512 };
  rng r = rng_make(rng_seed("mesh_height/batches", 12));
  static mo_vec3 origins[RAYS], directions[RAYS];
  static mo_ray_hit hits[2][RAYS];
  static bool any[2][RAYS];
  for (uint64_t i = 0; i < rng_rounds(24, 3000); i++) {
    heights h = heights_make(&r, (heights_kind)rng_below(&r, HEIGHTS_KINDS), 200, 150,
                             rng_chance(&r, 0.5) ? 0.0 : 0.1);
    const mo_vec3 eye = near_point(&h, &r);
    const bool coherent = rng_chance(&r, 0.5);
    for (int k = 0; k < RAYS; k++) {
      origins[k] = coherent ? (mo_vec3){eye.x, eye.y + 5, eye.z} : near_point(&h, &r);
      directions[k] =
          coherent ? (mo_vec3){0.3f + 0.02f * (float)(k % 32), -0.5f, 0.01f * (float)(k / 32)}
                   : rng_direction(&r);
    }
    for (int side = 0; side < 2; side++) {
      mo_batch_def def = mo_default_batch_def();
      const mo_batch_output out = {.hit = {.data = hits[side]}},
                            found = {.found = {.data = any[side]}};
      def.origins = mo_vec3_array_of(origins, sizeof *origins);
      def.directions = mo_vec3_array_of(directions, sizeof *directions);
      def.count = RAYS;
      def.coherence = coherent ? MO_COHERENCE_COHERENT : MO_COHERENCE_INCOHERENT;
      const mo_mesh *mesh = side == 0 ? h.field : h.mesh;
      cr_assert_eq(mo_mesh_cast_rays(mesh, &def, &out, NULL, NULL), MO_OK);
      cr_assert_eq(mo_mesh_test_rays(mesh, &def, &found, NULL, NULL), MO_OK);
    }
    for (int k = 0; k < RAYS; k++) {
      check_ray_hit(&h, &hits[0][k], &hits[1][k]);
      cr_assert_eq(any[0][k], any[1][k]);
    }
    heights_free(&h);
  }
}

static mo_primitive any_body(const heights *h, rng *r) {
  mo_primitive p = {.type = MO_PRIMITIVE_GEOMETRY};
  mo_geometry *g = &p.geometry;
  switch (rng_below(r, 4)) {
  case 0: {
    const mo_vec3 half = rng_vec3(r, 0.1f, 1.5f);
    *g = (mo_geometry){.type = MO_SHAPE_BOX, .box = {.half_extents = half}};
    break;
  }
  case 1:
    *g = (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {.radius = rng_float(r, 0.1f, 1.5f)}};
    break;
  case 2:
    *g = (mo_geometry){.type = MO_SHAPE_CAPSULE,
                       .capsule = {{0, -0.5f, 0}, {0, 0.5f, 0}, rng_float(r, 0.1f, 0.5f)}};
    break;
  default:
    *g = (mo_geometry){.type = MO_SHAPE_CYLINDER,
                       .cylinder = {{0, -0.5f, 0}, {0, 0.5f, 0}, rng_float(r, 0.1f, 0.8f)}};
    break;
  }
  const mo_vec3 at = near_point(h, r);
  p.transform = mo_transform_make(at, rng_rotation(r), (mo_vec3){1, 1, 1});
  return p;
}

/* The triangles of a region, with their corners. */
typedef struct listed {
  mo_triangle items[MAX_LISTED];
  uint32_t count;
} listed;

static bool list_triangle(const mo_triangle *triangle, void *context) {
  listed *list = context;
  list->items[list->count++] = *triangle;
  return list->count < MAX_LISTED;
}

static int by_index(const void *a, const void *b) {
  const mo_triangle *x = a, *y = b;
  return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static void list_sorted(const mo_mesh *mesh, const mo_overlap_def *def, listed *list) {
  list->count = 0;
  cr_assert_eq(mo_mesh_visit_triangles(mesh, def, list_triangle, list, NULL), MO_OK);
  qsort(list->items, list->count, sizeof *list->items, by_index);
}

static void check_overlap(const heights *h, const mo_overlap_def *def) {
  static listed a, b;
  bool any[2];
  list_sorted(h->field, def, &a);
  list_sorted(h->mesh, def, &b);
  cr_assert_eq(a.count, b.count);
  for (uint32_t i = 0; i < a.count; i++) {
    cr_assert_eq(a.items[i].triangle, heights_field_triangle(h, b.items[i].triangle));
    cr_assert_eq(a.items[i].triangle_user_data, b.items[i].triangle_user_data);
    cr_assert_eq(memcmp(a.items[i].corners, b.items[i].corners, sizeof a.items->corners), 0);
  }
  cr_assert_eq(mo_mesh_test_overlap(h->field, def, &any[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_test_overlap(h->mesh, def, &any[1], NULL), MO_OK);
  cr_assert_eq(any[0], any[1]);
}

static void check_planes(const heights *h, rng *r) {
  static uint32_t a[MAX_LISTED], b[MAX_LISTED];
  uint32_t count[2];
  mo_plane planes[3];
  mo_cull_def def = mo_default_cull_def();
  for (int i = 0; i < 3; i++) {
    const mo_vec3 point = near_point(h, r);
    planes[i].normal = rng_direction(r);
    planes[i].offset = -(planes[i].normal.x * point.x + planes[i].normal.y * point.y +
                         planes[i].normal.z * point.z);
  }
  def.planes = planes;
  def.plane_count = 1 + rng_below(r, 3);
  cr_assert_eq(mo_mesh_cull_planes(h->field, &def, a, MAX_LISTED, &count[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_cull_planes(h->mesh, &def, b, MAX_LISTED, &count[1], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[0]; i++) {
    cr_assert_eq(a[i], heights_field_triangle(h, b[i]));
  }
}

static void check_inside(const heights *h, mo_vec3 point) {
  bool inside[2];
  int32_t winding[2];
  cr_assert_eq(mo_mesh_contains_point(h->field, point, &inside[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_contains_point(h->mesh, point, &inside[1], NULL), MO_OK);
  cr_assert_eq(inside[0], inside[1]);
  cr_assert_eq(mo_mesh_winding_number(h->field, point, &winding[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_winding_number(h->mesh, point, &winding[1], NULL), MO_OK);
  cr_assert_eq(winding[0], winding[1]);
}

Test(mesh_height, overlaps) {
  rng r = rng_make(rng_seed("mesh_height/overlaps", 13));
  for (uint64_t i = 0; i < rng_rounds(100, 20000); i++) {
    heights h = heights_any(&r);
    for (int k = 0; k < 12; k++) {
      const mo_vec3 at = near_point(&h, &r), size = rng_vec3(&r, 0, 4);
      mo_overlap_def def = mo_overlap_aabb_def((mo_aabb){minus(at, size), add(at, size)});
      check_overlap(&h, &def);
      def = mo_overlap_sphere_def((mo_sphere){at, rng_float(&r, 0, 3)});
      check_overlap(&h, &def);
      def = mo_overlap_primitive_def(any_body(&h, &r));
      check_overlap(&h, &def);
      check_planes(&h, &r);
      check_inside(&h, near_point(&h, &r));
      check_inside(&h, heights_vertex(&h, rng_below(&r, h.def.columns), rng_below(&r, h.def.rows)));
    }
    heights_free(&h);
  }
}

static void check_closest_hit(const heights *h, const mo_closest_hit *a, const mo_closest_hit *b) {
  cr_assert_eq(a->found, b->found);
  if (a->found) {
    cr_assert_eq(a->triangle, heights_field_triangle(h, b->triangle));
    cr_assert(a->triangle_user_data == b->triangle_user_data && a->feature == b->feature &&
              a->feature_index == b->feature_index && a->distance == b->distance);
    cr_assert(same(a->point, b->point) && same(a->normal, b->normal) && same(a->from, b->from) &&
              a->u == b->u && a->v == b->v);
  }
}

static void check_distances(const heights *h, rng *r) {
  static mo_closest_hit few[2][8];
  mo_closest_hit a, b;
  mo_distance_def def = mo_default_distance_def();
  const mo_vec3 point = near_point(h, r);
  const float max = rng_chance(r, 0.5) ? INFINITY : rng_float(r, 0, 2);
  uint32_t count[2];
  cr_assert_eq(mo_mesh_closest_point(h->field, point, max, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_closest_point(h->mesh, point, max, &b, NULL), MO_OK);
  check_closest_hit(h, &a, &b);
  cr_assert_eq(mo_mesh_signed_distance(h->field, point, max, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_signed_distance(h->mesh, point, max, &b, NULL), MO_OK);
  check_closest_hit(h, &a, &b);
  def.primitive = any_body(h, r);
  def.max_distance = max;
  cr_assert_eq(mo_mesh_find_closest(h->field, &def, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_find_closest(h->mesh, &def, &b, NULL), MO_OK);
  check_closest_hit(h, &a, &b);
  cr_assert_eq(mo_mesh_find_closest_few(h->field, &def, few[0], 8, &count[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_find_closest_few(h->mesh, &def, few[1], 8, &count[1], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[0]; i++) {
    check_closest_hit(h, &few[0][i], &few[1][i]);
  }
}

Test(mesh_height, distances) {
  rng r = rng_make(rng_seed("mesh_height/distances", 14));
  for (uint64_t i = 0; i < rng_rounds(100, 20000); i++) {
    heights h = heights_any(&r);
    for (int k = 0; k < 10; k++) {
      check_distances(&h, &r);
    }
    heights_free(&h);
  }
}

static uint32_t check_cast_hit(const heights *h, const mo_cast_hit *a, const mo_cast_hit *b) {
  cr_assert_eq(a->found, b->found);
  if (a->found) {
    cr_assert_eq(a->triangle, heights_field_triangle(h, b->triangle));
    cr_assert(a->triangle_user_data == b->triangle_user_data && a->t == b->t &&
              a->depth == b->depth && a->feature == b->feature &&
              a->feature_index == b->feature_index && a->own_feature == b->own_feature &&
              a->own_feature_index == b->own_feature_index);
    cr_assert(same(a->point, b->point) && same(a->normal, b->normal));
  }
  return a->found;
}

static uint32_t check_casts(const heights *h, rng *r) {
  mo_cast_hit a, b;
  mo_sphere_cast_def ball = mo_default_sphere_cast_def();
  mo_shape_cast_def shape = mo_default_shape_cast_def();
  mo_separation apart[2];
  uint32_t hits;
  ball.sphere.center = near_point(h, r);
  ball.sphere.radius = rng_float(r, 0, 1);
  ball.displacement = minus(near_point(h, r), ball.sphere.center);
  cr_assert_eq(mo_mesh_cast_sphere(h->field, &ball, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_sphere(h->mesh, &ball, &b, NULL), MO_OK);
  hits = check_cast_hit(h, &a, &b);
  shape.primitive = any_body(h, r);
  shape.displacement = minus(near_point(h, r), shape.primitive.transform.origin);
  if (rng_chance(r, 0.3)) {
    shape.axis = rng_direction(r);
    shape.angle = rng_float(r, -2, 2);
    shape.pivot = shape.primitive.transform.origin;
  }
  cr_assert_eq(mo_mesh_cast_shape(h->field, &shape, &a, NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_shape(h->mesh, &shape, &b, NULL), MO_OK);
  hits += check_cast_hit(h, &a, &b);
  shape.displacement = (mo_vec3){0, 0, 0};
  shape.angle = 0;
  cr_assert_eq(mo_mesh_find_separation(h->field, &shape, &apart[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_find_separation(h->mesh, &shape, &apart[1], NULL), MO_OK);
  cr_assert_eq(apart[0].overlaps, apart[1].overlaps);
  if (apart[0].overlaps) {
    check_cast_hit(h, &apart[0].deepest, &apart[1].deepest);
    cr_assert_eq(apart[0].found, apart[1].found);
    cr_assert(!apart[0].found || same(apart[0].translation, apart[1].translation));
  }
  return hits;
}

Test(mesh_height, casts) {
  rng r = rng_make(rng_seed("mesh_height/casts", 15));
  uint32_t hits = 0;
  for (uint64_t i = 0; i < rng_few_rounds(100, 20000); i++) {
    heights h = heights_any(&r);
    for (int k = 0; k < 8; k++) {
      hits += check_casts(&h, &r);
    }
    heights_free(&h);
  }
  cr_assert_gt(hits, 100);
}

static void check_pairs_of_meshes(const heights *h, const heights *other, rng *r) {
  static mo_triangle_pair a[MAX_LISTED], b[MAX_LISTED];
  uint32_t count[2];
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  mo_distance_mesh_def distance = mo_default_distance_mesh_def();
  mo_closest_hit hits[2][2];
  const mo_vec3 at = rng_vec3(r, -3, 3), scale = rng_vec3(r, 0.5f, 2);
  def.other_transform = mo_transform_make(at, rng_rotation(r), scale);
  distance.other_transform = def.other_transform;
  def.other = distance.other = other->field;
  cr_assert_eq(mo_mesh_overlap_mesh(h->field, &def, a, MAX_LISTED, &count[0], NULL), MO_OK);
  cr_assert_eq(mo_mesh_find_closest_mesh(h->field, &distance, hits[0], NULL), MO_OK);
  def.other = distance.other = other->mesh;
  cr_assert_eq(mo_mesh_overlap_mesh(h->mesh, &def, b, MAX_LISTED, &count[1], NULL), MO_OK);
  cr_assert_eq(mo_mesh_find_closest_mesh(h->mesh, &distance, hits[1], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[0] && i < MAX_LISTED; i++) {
    cr_assert_eq(a[i].triangle, heights_field_triangle(h, b[i].triangle));
    cr_assert_eq(a[i].other, heights_field_triangle(other, b[i].other));
  }
  check_closest_hit(h, &hits[0][0], &hits[1][0]);
  check_closest_hit(other, &hits[0][1], &hits[1][1]);
  bool meets_itself = true;
  cr_assert_eq(mo_mesh_test_overlap_self(h->field, &meets_itself, NULL), MO_OK);
  cr_assert_not(meets_itself);
  def.other = distance.other = other->mesh; /* a field and a mesh */
  cr_assert_eq(mo_mesh_overlap_mesh(h->field, &def, a, MAX_LISTED, &count[0], NULL), MO_OK);
  cr_assert_eq(count[0], count[1]);
}

Test(mesh_height, pairs_of_meshes) {
  rng r = rng_make(rng_seed("mesh_height/pairs", 16));
  for (uint64_t i = 0; i < rng_few_rounds(60, 20000); i++) {
    heights h = heights_make(&r, HEIGHTS_HILLS, 9, 7, rng_chance(&r, 0.5) ? 0.0 : 0.2),
            other = heights_make(&r, HEIGHTS_ROUGH, 6, 10, rng_chance(&r, 0.5) ? 0.0 : 0.2);
    for (int k = 0; k < 3; k++) {
      check_pairs_of_meshes(&h, &other, &r);
    }
    heights_free(&h);
    heights_free(&other);
  }
}
