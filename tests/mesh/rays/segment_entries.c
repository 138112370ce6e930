/* Short segments, which begin at the segment entries of a mesh (mesh/rays/segment_entries.h),
 * against brute force; and which meshes have one. */
#include <criterion/criterion.h>
#include <math.h>

#include <motte/batch.h>

#include "mesh/format/read.h"
#include "mesh/rays/rays.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/families.h"

static float widest(mo_aabb box) {
  return fmaxf(box.upper.x - box.lower.x,
               fmaxf(box.upper.y - box.lower.y, box.upper.z - box.lower.z));
}

static mo_vec3 mix(mo_vec3 a, float s, mo_vec3 b) {
  return (mo_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static mo_vec3 random_vector(rng *r) {
  float v[3];
  for (int axis = 0; axis < 3; axis++) {
    v[axis] = rng_below(r, 6) == 0 ? 0.0f : rng_float(r, -1, 1);
  }
  return (mo_vec3){v[0], v[1], v[2]};
}

/* Not so long that a corner of the mesh would be out of range, or a direction without length. */
static float limited(float length) {
  return fminf(fmaxf(length, 1e-30f), 1e29f);
}

/* A segment that ends at a point of a triangle, before it or behind it; shorter than the mesh is
 * wide. */
static mo_ray_def sample_segment(rng *r, const test_mesh *mesh, float width) {
  mo_vec3 corners[3], middle = {0, 0, 0};
  test_mesh_corners(mesh, rng_below(r, mesh->triangle_count), corners);
  for (int i = 0; i < 3; i++) {
    middle = mix(middle, 1.0f / 3.0f, corners[i]);
  }
  uint32_t which = rng_below(r, 4);
  mo_vec3 at = which < 3 ? corners[which] : middle;
  float length = limited(width * powf(2.0f, -rng_float(r, 0.5f, 16)));
  mo_vec3 step = random_vector(r);
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = mix(at, -length, step);
  ray.direction = (mo_vec3){at.x - ray.origin.x, at.y - ray.origin.y, at.z - ray.origin.z};
  if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) {
    ray.direction.x = length;
  }
  if (rng_below(r, 2) == 0) {
    ray.direction = mix((mo_vec3){0, 0, 0}, 1.0f / length, ray.direction);
    ray.max_t = length;
  } else {
    ray.max_t = 1.0f;
  }
  switch (rng_below(r, 5)) {
  case 0:
    ray.max_t *= 1.5f;
    break;
  case 1:
    ray.max_t *= rng_float(r, 0.5f, 1);
    break;
  case 2:
    ray.min_t = ray.max_t * rng_float(r, 0, 1);
    break;
  default:
    break;
  }
  return ray;
}

Test(segment_entries, agrees_with_brute_force) {
  rng r = rng_make(rng_seed("segment_entries", 5101));
  uint64_t rounds = rng_few_rounds(60, 4000);
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 700, &r);
    if (mesh.triangle_count > 0) {
      float width = widest(test_mesh_bounds(&mesh));
      mesh_family family;
      mesh_family_build(&family, &mesh, kind % 4 != 0);
      oracle_mesh oracle = {0};
      const mo_mesh *const *meshes = (const mo_mesh *const *)family.meshes;
      oracle_mesh_read(&oracle, meshes[0]);
      for (uint64_t i = 0; i < rounds; i++) {
        mo_ray_def ray = sample_segment(&r, &mesh, width);
        cr_assert(check_mesh_ray(meshes, family.count, &oracle, &ray, CHECK_FAST), "%s: %s",
                  mesh.name, check_why());
      }
      oracle_mesh_free(&oracle);
      cr_assert(mesh_family_free(&family));
    }
    test_mesh_free(&mesh);
  }
}

typedef mo_ray_def sample(rng *r, const test_mesh *mesh, float width);

/* A ball of radius one so far from zero. */
static void check_far_ball(rng *r, float away, sample *sample_one, uint64_t rounds) {
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 1500, r);
  test_mesh_place(&mesh, 1.0f, mix((mo_vec3){0, 0, 0}, away, random_vector(r)));
  float width = widest(test_mesh_bounds(&mesh));
  mesh_family family;
  mesh_family_build(&family, &mesh, true);
  oracle_mesh oracle = {0};
  const mo_mesh *const *meshes = (const mo_mesh *const *)family.meshes;
  oracle_mesh_read(&oracle, meshes[0]);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_ray_def ray = sample_one(r, &mesh, width);
    cr_assert(check_mesh_ray(meshes, family.count, &oracle, &ray, CHECK_FAST), "%g: %s",
              (double)away, check_why());
  }
  oracle_mesh_free(&oracle);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

/* Small meshes far from zero, where the margin is not small beside their triangles. */
Test(segment_entries, agrees_far_from_zero) {
  rng r = rng_make(rng_seed("segment_entries_far", 5102));
  uint64_t rounds = rng_few_rounds(150, 20000);
  for (float away = 4.0f; away < 1e6f; away *= 4.0f) {
    check_far_ball(&r, away, sample_segment, rounds);
  }
}

/* A segment from a corner, or to one, which it hits there. */
static mo_ray_def sample_corner_segment(rng *r, const test_mesh *mesh, float width) {
  mo_vec3 corners[3];
  test_mesh_corners(mesh, rng_below(r, mesh->triangle_count), corners);
  mo_vec3 at = corners[rng_below(r, 3)];
  mo_ray_def ray = mo_default_ray_def();
  ray.max_t = 1.0f;
  do {
    mo_vec3 other = mix(at, width * powf(2.0f, -rng_float(r, 1, 10)), random_vector(r));
    ray.direction = (mo_vec3){at.x - other.x, at.y - other.y, at.z - other.z};
    ray.origin = rng_below(r, 2) == 0 ? at : other;
  } while (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0);
  return ray;
}

/* So far from zero that a segment's cells are rounded by a good part of a cell, or some cells. The
 * corners at the sides of a subtree's box are lost there if the margin is much too small. */
Test(segment_entries, finds_corners_far_from_zero) {
  rng r = rng_make(rng_seed("segment_entries_corners", 5105));
  uint64_t rounds = rng_few_rounds(100, 20000);
  for (float away = 0x1p14f; away <= 0x1p22f; away *= 4.0f) {
    check_far_ball(&r, away, sample_corner_segment, rounds);
  }
}

/* The box of a subtree, as its parent has it. */
static mo_aabb box_of_subtree(const mo_mesh *mesh, uint32_t child) {
  for (uint32_t node = 0; node < mesh->node_count; node++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      if (mo_mesh_child(mesh, node, slot) == child) {
        return mo_mesh_child_box(mesh, node, slot);
      }
    }
  }
  cr_assert_fail("no such subtree: %x", child);
  return (mo_aabb){0};
}

/* What the margin is for, in parts of the mesh's reach: a hit is up to 5 * 2^-17 outside of its
 * triangle's box (geometry/ray/ray.h, of a ray from no more than four times the reach), times
 * slopes of up to four in scenes, and the cells of the segment are rounded by less than 2^-19.
 * Close to zero it is a small part of a cell, so that some sides show it; far from zero all do. */
Test(segment_entries, keeps_a_margin_around_its_boxes) {
  rng r = rng_make(rng_seed("segment_entries_room", 5106));
  for (float away = 0.0f; away <= 0x1p20f; away = away * 16.0f + 1.0f) {
    test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 3000, &r);
    test_mesh_place(&mesh, 1.0f, mix((mo_vec3){0, 0, 0}, away, random_vector(&r)));
    mo_mesh *made = test_mesh_build(&mesh);
    const mo_segment_entry_points *entries = made->segment_entry_points;
    cr_assert(entries != NULL);
    mo_vec3 reach = made->reach;
    double margin = (5 * 0x1p-15 + 0x1p-19) * (double)fmaxf(reach.x, fmaxf(reach.y, reach.z));
    for (int i = 0; i < MO_BYTE_BOX_COUNT && entries->boxes.lower[0][i] != 255; i++) {
      mo_aabb box = box_of_subtree(made, entries->child[i]);
      const float from[3] = {box.lower.x, box.lower.y, box.lower.z};
      const float to[3] = {box.upper.x, box.upper.y, box.upper.z};
      for (int axis = 0; axis < 3; axis++) {
        double scale = entries->scale[axis], shift = entries->shift[axis];
        double first = floor(((double)from[axis] - margin) * scale - shift);
        double last = floor(((double)to[axis] + margin) * scale - shift);
        cr_assert(entries->boxes.lower[axis][i] <= first && last <= entries->boxes.upper[axis][i],
                  "%g away, subtree %d, axis %d: cells %d to %d, should be %g to %g", (double)away,
                  i, axis, entries->boxes.lower[axis][i], entries->boxes.upper[axis][i], first,
                  last);
      }
    }
    mo_mesh_release(made);
    test_mesh_free(&mesh);
  }
}

static void add_random(test_mesh *mesh, rng *r, mo_vec3 middle, float size) {
  mo_vec3 corners[3];
  for (int i = 0; i < 3; i++) {
    corners[i] = mix(middle, size, random_vector(r));
  }
  test_mesh_add_corners(mesh, corners[0], corners[1], corners[2]);
}

/* Triangles far apart, and among them many close behind each other: there a short segment meets
 * more leaves than are listed. */
Test(segment_entries, agrees_where_segments_meet_much) {
  rng r = rng_make(rng_seed("segment_entries_much", 5103));
  uint64_t rounds = rng_few_rounds(60, 20000);
  test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, &r);
  for (int i = 0; i < 1500; i++) {
    add_random(&mesh, &r, random_vector(&r), 0.02f);
  }
  mo_vec3 front = {0.3f, 0.3f, 0.3f};
  for (int i = 0; i < 8000; i++) {
    mo_vec3 at = mix(front, 2e-5f * (float)i, (mo_vec3){1, 0, 0});
    test_mesh_add_corners(&mesh, at, mix(at, 0.05f, (mo_vec3){0, 1, 0}),
                          mix(at, 0.05f, (mo_vec3){0, 0, 1}));
  }
  mesh_family family;
  mesh_family_build(&family, &mesh, true);
  oracle_mesh oracle = {0};
  const mo_mesh *const *meshes = (const mo_mesh *const *)family.meshes;
  oracle_mesh_read(&oracle, meshes[0]);
  for (uint32_t i = 0; i < family.count; i++) {
    cr_assert(meshes[i]->segment_entry_points != NULL);
  }
  for (uint64_t i = 0; i < rounds; i++) {
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = mix(front, 0.02f, random_vector(&r));
    ray.origin.x = front.x - rng_float(&r, -0.05f, 0.05f);
    ray.direction = (mo_vec3){1, rng_float(&r, -0.1f, 0.2f), rng_float(&r, -0.1f, 0.2f)};
    ray.max_t = rng_float(&r, 0, 0.3f);
    ray.cull_back_faces = rng_below(&r, 4) == 0;
    cr_assert(check_mesh_ray(meshes, family.count, &oracle, &ray, CHECK_FAST), "%s", check_why());
  }
  oracle_mesh_free(&oracle);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

/* Segments of a batch begin there, too: in meshes that fit the cache, and in those that do not, and
 * where other rays are among them. */
Test(segment_entries, batches_as_one_at_a_time) {
  enum { COUNT = 2000 };
  static mo_ray_def rays[COUNT];
  static mo_ray_hit hits[COUNT];
  static bool found[COUNT];
  rng r = rng_make(rng_seed("segment_entries_batches", 5104));
  for (uint32_t size = 3000; size < 200000; size *= 8) {
    test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, size, &r);
    mo_mesh *made = test_mesh_build(&mesh);
    cr_assert(made->segment_entry_points != NULL);
    float width = widest(made->bounds);
    for (int i = 0; i < COUNT; i++) {
      rays[i] = sample_segment(&r, &mesh, width);
      if (rng_below(&r, 10) == 0) {
        rays[i].max_t = INFINITY;
      }
    }
    mo_batch_def def = test_batch_def_of(rays, COUNT);
    def.coherence = MO_COHERENCE_INCOHERENT;
    mo_batch_output output = {.hit = {hits, sizeof *hits}};
    cr_assert_eq(mo_mesh_cast_rays(made, &def, &output, NULL, NULL), MO_OK);
    output = (mo_batch_output){.found = {found, sizeof *found}};
    cr_assert_eq(mo_mesh_test_rays(made, &def, &output, NULL, NULL), MO_OK);
    int hit_count = 0;
    for (int i = 0; i < COUNT; i++) {
      mo_ray_hit hit;
      cr_assert_eq(mo_mesh_cast_ray(made, &rays[i], &hit, NULL), MO_OK);
      cr_assert_eq(hits[i].triangle, hit.triangle, "%u triangles, ray %d", size, i);
      cr_assert(!hit.found || hits[i].t == hit.t, "%u triangles, ray %d", size, i);
      cr_assert_eq(found[i], hit.found, "%u triangles, ray %d", size, i);
      hit_count += hit.found;
    }
    cr_assert(hit_count > COUNT / 20 && hit_count < COUNT - COUNT / 20);
    mo_mesh_release(made);
    test_mesh_free(&mesh);
  }
}

/* Only meshes of several nodes that do not change. */
Test(segment_entries, is_kept_where_it_is_of_use) {
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 2000, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  for (int kind = 0; kind < 4; kind++) {
    mo_mesh_def variant = def;
    if (kind == 1) {
      variant.build.deformable = true;
      variant.build.builder = MO_MESH_BUILDER_SINGLE;
    }
    if (kind == 2) {
      variant.build.builder = MO_MESH_BUILDER_TOP_DOWN;
      variant.build.bounds = test_mesh_bounds(&mesh);
      variant.build.depth = 2;
    }
    variant.triangle_count = kind == 3 ? 12 : def.triangle_count;
    mo_mesh *made;
    cr_assert_eq(mo_mesh_create(&variant, &made), MO_OK);
    cr_assert_eq(made->segment_entry_points != NULL, kind == 0);
    cr_assert_eq(mo_mesh_validate(made), MO_OK);
    if (kind == 0) {
      made->segment_entry_points->boxes.upper[1][5]--;
      cr_assert_eq(mo_mesh_validate(made), MO_ERROR_CORRUPT);
    }
    mo_mesh_release(made);
  }
  test_mesh_free(&mesh);
}

/* Whether some segment entry touches the box of a segment: the plain version. */
static bool may_hit(const mo_mesh *mesh, mo_vec3 from, mo_vec3 to) {
  const mo_segment_entry_points *entries = mesh->segment_entry_points;
  const float ends[2][3] = {{from.x, from.y, from.z}, {to.x, to.y, to.z}};
  for (int i = 0; i < MO_BYTE_BOX_COUNT; i++) {
    bool touches = true;
    for (int axis = 0; axis < 3; axis++) {
      float a = ends[0][axis] * entries->scale[axis] - entries->shift[axis];
      float b = ends[1][axis] * entries->scale[axis] - entries->shift[axis];
      touches &= fminf(a, b) < (float)entries->boxes.upper[axis][i] + 1.0f &&
                 fmaxf(a, b) >= (float)entries->boxes.lower[axis][i];
    }
    if (touches) {
      return true;
    }
  }
  return false;
}

/* The inside of a sphere, and what is near it, are known to be empty; and not more than is. */
Test(segment_entries, leaves_out_what_is_empty) {
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 2000, &r);
  mo_mesh *made = test_mesh_build(&mesh);
  float radius = made->bounds.upper.x;
  for (int axis = 0; axis < 3; axis++) {
    for (int side = -1; side < 2; side += 2) {
      float unit[3] = {0, 0, 0};
      unit[axis] = (float)side * radius;
      mo_vec3 pole = {unit[0], unit[1], unit[2]}, none = {0, 0, 0};
      cr_assert(may_hit(made, mix(none, 0.8f, pole), mix(none, 1.1f, pole)));
      cr_assert(!may_hit(made, mix(none, 0.1f, pole), mix(none, 0.5f, pole)));
      cr_assert(!may_hit(made, mix(none, 1.02f, pole), mix(none, 1.4f, pole)));
    }
  }
  mo_mesh_release(made);
  test_mesh_free(&mesh);
}
