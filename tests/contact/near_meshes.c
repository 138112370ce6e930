/* Contacts of two closed meshes that are apart: there is one at their closest points, and there are
 * far fewer than pairs of triangles that are near each other. Against the distance of both meshes,
 * and a loop over all pairs of triangles. */
#include "contact/contacts.h"
#include "contact/flat_meshes.h"
#include "contact/tubes.h"
#include "support/mesh_files.h"

enum { MAX = 4096, MAX_FILES = 512, MAX_MESHES = 24, MAX_TRIANGLES = 20000 };

static const float greatest_gap = 0.018f; /* below the speculative distance */

static mo_contact contacts[MAX];

static mo_mesh *random_tube(rng *r) {
  const uint32_t rings = 12 + rng_below(r, 30), sides = 5 + rng_below(r, 9);
  tube t =
      rng_chance(r, 0.5)
          ? tube_of_circle(rng_float(r, 0.3f, 0.5f), rng_float(r, 0.05f, 0.15f), rings, sides)
          : tube_of_trefoil(rng_float(r, 0.8f, 1.2f), rng_float(r, 0.05f, 0.1f), rings + 22, sides);
  test_mesh mesh = tube_mesh(&t);
  return build(&mesh);
}

static mo_closest_hit closest(mo_mesh *const mesh[2], const mo_transform place[2]) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  mo_closest_hit hits[2];
  def.other = mesh[1];
  def.transform = place[0];
  def.other_transform = place[1];
  cr_assert_eq(mo_mesh_find_closest_mesh(mesh[0], &def, hits, NULL), MO_OK);
  return hits[0];
}

static void rotate(rng *r, mo_transform place[2]) {
  for (int i = 0; i < 2; i++) {
    const mo_quat turn = rng_rotation(r);
    place[i] = mo_transform_make(mo_vec(0, 0, 0), turn, mo_vec(1, 1, 1));
  }
}

/* Moves the second mesh along a line until it is so far from the first. */
static bool move_apart(rng *r, mo_mesh *const mesh[2], mo_transform place[2], float gap) {
  const mo_vec3 way = rng_direction(r);
  place[1].origin = mo_scale(4, way);
  for (int i = 0; i < 200 && mo_dot(place[1].origin, place[1].origin) < 17; i++) {
    const float far = closest(mesh, place).distance - gap;
    if (fabsf(far) < 1e-5f) {
      return true;
    }
    place[1].origin = mo_sub(place[1].origin, mo_scale(far, way));
  }
  return false;
}

/* How many pairs of triangles, one of each mesh, are within the speculative distance. */
static uint32_t count_near_pairs(mo_mesh *const mesh[2], const mo_transform place[2]) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < mo_mesh_triangle_count(mesh[0]); i++) {
    mo_vec3 c[3];
    cr_assert_eq(mo_mesh_get_triangle(mesh[0], i, c, NULL), MO_OK);
    mo_primitive one = mo_primitive_of_triangle(c[0], c[1], c[2]);
    one.transform = place[0];
    for (uint32_t k = 0; k < mo_mesh_triangle_count(mesh[1]); k++) {
      cr_assert_eq(mo_mesh_get_triangle(mesh[1], k, c, NULL), MO_OK);
      mo_primitive other = mo_primitive_of_triangle(c[0], c[1], c[2]);
      other.transform = place[1];
      mo_manifold m;
      const mo_collide_def def = mo_default_collide_def();
      cr_assert_eq(mo_collide(&one, &other, &def, &m), MO_OK);
      found += m.point_count > 0;
    }
  }
  return found;
}

typedef struct outcome {
  uint32_t contacts;
  float nearest; /* the least distance of a contact point from the middle of the closest points */
  float min;     /* the least separation */
} outcome;

static outcome collide_meshes(mo_mesh *const mesh[2], const mo_transform place[2], mo_vec3 middle) {
  outcome o = {contacts_of_meshes(mesh, place, contacts, MAX), INFINITY, INFINITY};
  for (uint32_t i = 0; i < o.contacts; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      const mo_vec3 to = mo_sub(m->points[k].position, middle);
      o.nearest = fminf(o.nearest, sqrtf(mo_dot(to, to)));
      o.min = fminf(o.min, m->points[k].separation);
    }
  }
  return o;
}

/* Normals that differ from that of a face by up to a degree are replaced by that, which moves the
 * contact along the face, and changes its separation by a fiftieth of that; so does that of an edge
 * of one over a face of the other, by up to a tenth of the distance. */
static const float max_shift = 0.04f, max_excess = 0.02f * 0.04f;

static bool is_at_closest_points(const outcome *o, float distance) {
  return o->min > 0.999f * distance - 1e-6f && o->min < 1.15f * distance + max_excess &&
         (o->nearest <= max_shift || o->min < 1.02f * distance);
}

Test(near_meshes, closest_points_have_a_contact) {
  rng r = rng_make(rng_seed("contact/near_meshes", 3541));
  uint64_t found = 0, near_pairs = 0;
  for (uint64_t round = 0; round < rng_few_rounds(64, 4000);) {
    mo_mesh *const mesh[2] = {random_tube(&r), random_tube(&r)};
    mo_transform place[2];
    rotate(&r, place);
    if (move_apart(&r, mesh, place, rng_float(&r, 0.0005f, greatest_gap))) {
      const mo_closest_hit at = closest(mesh, place);
      const outcome o = collide_meshes(mesh, place, mo_scale(0.5f, mo_add(at.point, at.from)));
      cr_assert(is_at_closest_points(&o, at.distance),
                "round %u: %g apart, but the nearest of %u contacts is %g apart and off by %g",
                (uint32_t)round, (double)at.distance, o.contacts, (double)o.min, (double)o.nearest);
      if (round % 16 == 0) {
        found += o.contacts;
        near_pairs += count_near_pairs(mesh, place);
      }
      round++;
    }
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
  }
  cr_assert_lt(3 * found, near_pairs + 32, "%u contacts of %u near pairs", (uint32_t)found,
               (uint32_t)near_pairs);
}

/* With the centre of its box at the origin, and a longest side of 1. */
static bool read_mesh(const char *path, mo_mesh **mesh) {
  test_mesh file;
  if (!mesh_file_read(path, &file) || file.triangle_count > MAX_TRIANGLES) {
    test_mesh_free(&file);
    return false;
  }
  const mo_aabb box = test_mesh_bounds(&file);
  const mo_vec3 extent = mo_sub(box.upper, box.lower), sum = mo_add(box.lower, box.upper);
  const float scale = 1 / fmaxf(extent.x, fmaxf(extent.y, extent.z));
  test_mesh_place(&file, scale, mo_scale(-0.5f * scale, sum));
  *mesh = build(&file);
  return true;
}

/* Real meshes have holes, loose parts and triangles that lie on others. */
Test(near_meshes, closest_points_of_real_meshes_have_a_contact) {
  static char *paths[MAX_FILES];
  mo_mesh *meshes[MAX_MESHES];
  rng r = rng_make(rng_seed("contact/near_meshes/files", 3542));
  const uint32_t files = mesh_files_find(paths, MAX_FILES);
  uint32_t count = 0, missed = 0, found = 0;
  for (uint32_t i = 0; i < files; i++) {
    count += count < MAX_MESHES && read_mesh(paths[i], &meshes[count]);
    free(paths[i]);
  }
  for (uint64_t round = 0; count > 0 && round < rng_few_rounds(40, 4000); round++) {
    mo_mesh *const mesh[2] = {meshes[rng_below(&r, count)], meshes[rng_below(&r, count)]};
    mo_transform place[2];
    rotate(&r, place);
    if (move_apart(&r, mesh, place, rng_float(&r, 0.0005f, greatest_gap))) {
      const mo_closest_hit at = closest(mesh, place);
      const outcome o = collide_meshes(mesh, place, mo_scale(0.5f, mo_add(at.point, at.from)));
      missed += !is_at_closest_points(&o, at.distance);
      found++;
    }
  }
  cr_assert_leq(missed, 1 + found / 200, "of %u poses %u have no contact at the closest points",
                found, missed);
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_release(meshes[i]);
  }
}
