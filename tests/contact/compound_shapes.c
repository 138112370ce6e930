/* Contacts of compounds and meshes that are in no scene (mo_scene_collide_shape): against the
 * contacts of pairs once the shape is in the scene, and of compounds against a loop over their
 * children, each as a shape by itself. Random compounds, nested ones and an empty one among them,
 * and meshes with and without `edges`, in scenes that have placements of compounds too. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "query/random_children.h"
#include "support/scenes.h"

enum { COMPOUNDS = 7, EMPTY = 0, SURFACES = 4, SHAPES = 14, MAX_CHILDREN = 512, MAX = 60000 };

typedef struct own_child {
  uint32_t number;
  mo_shape_def def;
} own_child;

static test_scene base; /* for its meshes and hulls, and for random numbers */
static mo_mesh *surfaces[SURFACES];
static mo_compound *compounds[COMPOUNDS];
static mo_scene *scene, *own_scene;
static mo_shape_id ids[SHAPES + 1];
static uint32_t id_count, child_count, contact_count[2];
static own_child children[MAX_CHILDREN];
static mo_contact found[MAX], expected[MAX], again[MAX];
static uint32_t found_count, expected_count;

/* --- the world --- */

static void make_surfaces(rng *r) {
  static const test_mesh_kind kinds[SURFACES] = {TEST_MESH_BOX, TEST_MESH_TORUS, TEST_MESH_TERRAIN,
                                                 TEST_MESH_SPHERE};
  for (int i = 0; i < SURFACES; i++) {
    test_mesh mesh = test_mesh_make(kinds[i], 60, r);
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.edges = true;
    cr_assert_eq(mo_mesh_create(&def, &surfaces[i]), MO_OK);
    test_mesh_free(&mesh);
  }
}

static mo_geometry any_simple_geometry(rng *r) {
  mo_geometry geometry = test_scene_geometry(&base, r);
  if (rng_chance(r, 0.3)) {
    geometry = (mo_geometry){.type = MO_SHAPE_MESH};
    geometry.mesh = surfaces[rng_below(r, SURFACES)];
  }
  return geometry;
}

static mo_shape_def any_shape(rng *r, uint32_t nested) {
  mo_geometry geometry = any_simple_geometry(r);
  if (nested > 0 && rng_chance(r, 0.3)) {
    geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND};
    geometry.compound = compounds[rng_below(r, nested)];
  }
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform = test_scene_transform(&base, r);
  set_random_filter(&def, r);
  def.user_data = rng_below(r, 1000);
  return def;
}

/* No slot of the scene is free, so what is added to it is its last shape. */
static void add_shapes(rng *r) {
  for (uint32_t i = 0; i < SHAPES; i++) {
    mo_shape_def def = any_shape(r, 4);
    if (i == 3 && rng_chance(r, 0.5)) {
      def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
      def.transform.origin.y = -base.spread;
    }
    const mo_result result = mo_scene_add_shape(scene, &def, &ids[id_count]);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    id_count += result == MO_OK;
  }
}

static void make_world(test_scene_kind kind, rng *r) {
  test_scene_make(&base, kind, 12, r);
  make_surfaces(r);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    const mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_compound_create(&def, &compounds[i]), MO_OK);
    const uint32_t count = i == EMPTY ? 0 : i < 4 ? 1 + rng_below(r, 12) : 3;
    add_children(mo_compound_children(compounds[i]), count, i < 4 ? 0 : i, r, any_shape);
    cr_assert_eq(mo_compound_update(compounds[i]), MO_OK);
  }
  scene = test_scene_empty();
  own_scene = test_scene_empty();
  id_count = 0;
  add_shapes(r);
}

static void free_world(void) {
  mo_scene_destroy(scene);
  mo_scene_destroy(own_scene);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_compound_release(compounds[i]);
  }
  for (uint32_t i = 0; i < SURFACES; i++) {
    mo_mesh_release(surfaces[i]);
  }
  cr_assert(test_scene_free(&base));
}

/* --- the shape in no scene --- */

/* Lists the children of a compound under its transform; numbers of free slots name none. */
static void list_children(mo_shape_id id) {
  child_count = 0;
  for (uint32_t number = 0, misses = 0; misses < 64; number++) {
    mo_shape_def def;
    misses = mo_scene_get_child(own_scene, id, number, &def) == MO_OK ? 0 : misses + 1;
    if (misses == 0) {
      children[child_count++] = (own_child){number, def};
      cr_assert_lt(child_count, MAX_CHILDREN);
    }
  }
}

/* Chooses a shape under a transform; false if it is beyond the range of coordinates. */
static bool make_own(mo_shape_def *own, rng *r) {
  const sample_target target = test_scene_target(&base, r);
  mo_shape_id id;
  *own = any_shape(r, rng_chance(r, 0.8) ? COMPOUNDS : 0);
  own->category = 1;
  own->mask = UINT64_MAX;
  if (rng_chance(r, 0.6)) {
    own->geometry.type = MO_SHAPE_COMPOUND;
    own->geometry.rounding = 0;
    own->geometry.compound = compounds[rng_below(r, COMPOUNDS)];
  }
  if (rng_chance(r, 0.7)) {
    own->transform.origin = sample_point(r, &target);
  }
  if (mo_scene_add_shape(own_scene, own, &id) != MO_OK) {
    return false;
  }
  child_count = 0;
  if (own->geometry.type == MO_SHAPE_COMPOUND) {
    list_children(id);
  }
  cr_assert_eq(mo_scene_remove_shape(own_scene, id), MO_OK);
  return true;
}

static const own_child *child_of(uint32_t number) {
  const own_child *child = NULL;
  for (uint32_t i = 0; i < child_count; i++) {
    child = children[i].number == number ? &children[i] : child;
  }
  cr_assert_not_null(child, "there is no child %u", number);
  return child;
}

/* --- contacts --- */

static bool is_same_point(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether an anchor on a child is its position relative to the origin of the compound, but for
 * rounding. */
static bool is_anchor(const mo_contact *c, const mo_manifold_point *p, mo_vec3 origin) {
  const mo_vec3 off = mo_sub(mo_add(origin, p->anchor_a), p->position);
  const float size = mo_max_magnitude(origin) + mo_max_magnitude(p->position) +
                     mo_max_magnitude(child_of(c->child_a)->def.transform.origin);
  return mo_max_magnitude(off) <= 1e-6f * size + 1e-30f;
}

/* Compares contacts of the same triangles. Where `origin` is not null, the anchor on the first
 * shape is relative to it in `c`, and to another point in `d`. */
static void expect_same_contact(const mo_contact *c, const mo_contact *d, const mo_vec3 *origin) {
  const mo_manifold *m = &c->manifold, *n = &d->manifold;
  cr_assert(c->b.index == d->b.index && c->b.generation == d->b.generation);
  cr_assert(c->child_a == d->child_a && c->child_b == d->child_b);
  cr_assert(c->user_data_a == d->user_data_a && c->user_data_b == d->user_data_b);
  cr_assert(c->triangle_a == d->triangle_a && c->triangle_b == d->triangle_b);
  cr_assert(c->triangle_user_data_a == d->triangle_user_data_a);
  cr_assert(c->triangle_user_data_b == d->triangle_user_data_b);
  cr_assert(m->touching == n->touching && m->point_count == n->point_count);
  cr_assert(m->point_count == 0 || is_same_point(m->normal, n->normal));
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i], *q = &n->points[i];
    cr_assert(is_same_point(p->position, q->position) && is_same_point(p->anchor_b, q->anchor_b));
    cr_assert(p->separation == q->separation && p->id == q->id);
    cr_assert(origin != NULL ? is_anchor(c, p, *origin) : is_same_point(p->anchor_a, q->anchor_a));
  }
}

static void expect_same_contacts(const mo_vec3 *origin) {
  cr_assert_eq(found_count, expected_count, "%u contacts, not %u", found_count, expected_count);
  for (uint32_t i = 0; i < found_count; i++) {
    cr_assert(found[i].a.index == 0 && found[i].a.generation == 0);
    expect_same_contact(&found[i], &expected[i], origin);
  }
}

static void find(const mo_collide_shape_def *def) {
  cr_assert_eq(mo_scene_collide_shape(scene, def, found, MAX, &found_count, NULL), MO_OK);
  cr_assert_leq(found_count, MAX);
}

/* Contacts with each shape of the scene are those of a pair, once the shape is in the scene. Pairs
 * leave no volumes out. */
static void check_pairs(const mo_shape_def *own, mo_collide_shape_def def) {
  mo_collide_def options = mo_default_collide_def();
  mo_shape_id id;
  def.filter = mo_default_filter();
  def.hit_volumes = true;
  options.speculative_distance = def.speculative_distance;
  options.cull_back_faces = def.cull_back_faces;
  find(&def);
  cr_assert_eq(mo_scene_add_shape(scene, own, &id), MO_OK);
  cr_assert_eq(id.index, id_count);
  expected_count = 0;
  for (uint32_t i = 0; i < id_count; i++) {
    const mo_pair pair = {id, ids[i]};
    uint32_t total;
    cr_assert_eq(mo_scene_collide_pair(scene, &pair, &options, expected + expected_count,
                                       MAX - expected_count, &total),
                 MO_OK);
    expected_count += total;
    cr_assert_leq(expected_count, MAX);
  }
  for (uint32_t i = 0; i < expected_count && child_count == 0; i++) {
    expected[i].user_data_a = 0;
  }
  expect_same_contacts(NULL);
  contact_count[child_count > 0] += found_count;
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
}

static int compare_numbers(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int compare_contacts(const void *a, const void *b) {
  const mo_contact *x = a, *y = b;
  return x->b.index != y->b.index         ? compare_numbers(x->b.index, y->b.index)
         : x->child_a != y->child_a       ? compare_numbers(x->child_a, y->child_a)
         : x->child_b != y->child_b       ? compare_numbers(x->child_b, y->child_b)
         : x->triangle_a != y->triangle_a ? compare_numbers(x->triangle_a, y->triangle_a)
                                          : compare_numbers(x->triangle_b, y->triangle_b);
}

/* Contacts of a compound are those of its children, each as a shape by itself. */
static void check_children(const mo_shape_def *own, const mo_collide_shape_def *def) {
  find(def);
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    mo_collide_shape_def one = *def;
    mo_contact *contacts = expected + expected_count;
    uint32_t total;
    if (children[i].def.geometry.type == MO_SHAPE_VOLUME && !def->hit_volumes) {
      continue;
    }
    one.primitive = mo_primitive_of_geometry(&children[i].def.geometry, &children[i].def.transform);
    const mo_result result =
        mo_scene_collide_shape(scene, &one, contacts, MAX - expected_count, &total, NULL);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    if (result != MO_OK) {
      continue; /* it does not count */
    }
    expected_count += total;
    cr_assert_leq(expected_count, MAX);
    for (uint32_t k = 0; k < total; k++) {
      cr_assert(contacts[k].child_a == 0 && contacts[k].user_data_a == 0);
      contacts[k].child_a = children[i].number;
      contacts[k].user_data_a = children[i].def.user_data;
    }
  }
  qsort(expected, expected_count, sizeof *expected, compare_contacts);
  expect_same_contacts(&own->transform.origin);
}

/* Lists that are too short have the first contacts, and count them all. */
static void check_short_list(const mo_collide_shape_def *def, rng *r) {
  const uint32_t capacity = rng_below(r, found_count + 1);
  uint32_t total;
  find(def);
  cr_assert_eq(mo_scene_collide_shape(scene, def, again, capacity, &total, NULL), MO_OK);
  cr_assert_eq(total, found_count);
  for (uint32_t i = 0; i < capacity && i < total; i++) {
    expect_same_contact(&again[i], &found[i], NULL);
  }
}

static void ask(rng *r) {
  mo_shape_def own;
  mo_collide_shape_def def = mo_default_collide_shape_def();
  if (!make_own(&own, r)) {
    return;
  }
  def.primitive = mo_primitive_of_geometry(&own.geometry, &own.transform);
  def.speculative_distance = rng_chance(r, 0.5) ? 0.02f : rng_float(r, 0, 1);
  def.cull_back_faces = rng_chance(r, 0.3);
  check_pairs(&own, def);
  def.filter = test_scene_filter(&base, r);
  def.filter.ignore = (mo_shape_id){0};
  def.hit_volumes = rng_chance(r, 0.5);
  if (own.geometry.type == MO_SHAPE_COMPOUND) {
    check_children(&own, &def);
  }
  check_short_list(&def, r);
}

Test(contact_compound_shapes, contacts_as_of_pairs_and_of_children) {
  rng r = rng_make(rng_seed("contact/compound_shapes", 1));
  const uint64_t rounds = rng_few_rounds(1, 20);
  for (uint64_t round = 0; round < rounds; round++) {
    contact_count[0] = contact_count[1] = 0;
    for (int kind = 0; kind < TEST_SCENE_HALF_SPACES; kind++) {
      make_world((test_scene_kind)kind, &r);
      for (int i = 0; i < 12; i++) {
        ask(&r);
      }
      free_world();
    }
    cr_log_info("%u contacts of compounds, %u of other shapes", contact_count[1], contact_count[0]);
    cr_assert_gt(contact_count[0], 100);
    cr_assert_gt(contact_count[1], 1000);
  }
}
