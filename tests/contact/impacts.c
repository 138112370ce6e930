/* The first impacts of movers in random scenes of all kinds, by every placement policy, mesh format
 * and instruction set, against a loop over all shapes and triangles with mo_find_impact. */
#include "contact/movers.h"

static mo_impact expected[MOST];

static bool passes(const mo_impact_search *search, const mo_mover *mover, const oracle_shape *own,
                   const oracle_shape *other) {
  const mo_shape_def *a = &own->def, *b = &other->def;
  if (own == other || a->geometry.type == MO_SHAPE_VOLUME || b->geometry.type == MO_SHAPE_VOLUME ||
      !(a->category & b->mask) || !(b->category & a->mask) ||
      (a->motion == MO_MOTION_STATIC && b->motion == MO_MOTION_STATIC) ||
      (mover->ignore.index == other->id.index &&
       mover->ignore.generation == other->id.generation) ||
      (mover->partners == MO_IMPACT_WITH_STILL && mover_of(search, other->id) != NULL)) {
    return false;
  }
  bool in_order = own->id.index < other->id.index;
  const oracle_shape *first = in_order ? own : other, *second = in_order ? other : own;
  const mo_pair pair = {first->id, second->id};
  return search->accept == NULL ||
         search->accept(&pair, first->def.user_data, second->def.user_data, search->context);
}

static void meet(const mo_impact_search *search, const oracle_shape *own, uint32_t triangle,
                 const oracle_shape *other, mo_impact *best) {
  const oracle_mesh *mine = mesh_of(own), *mesh = mesh_of(other);
  traveller a = traveller_of(own, mine != NULL ? &mine->triangles[triangle] : NULL,
                             mover_of(search, own->id));
  for (uint32_t i = 0; i < (mesh != NULL ? mesh->count : 1); i++) {
    const oracle_triangle *theirs = mesh != NULL ? &mesh->triangles[i] : NULL;
    traveller b = traveller_of(other, theirs, mover_of(search, other->id));
    if (!mo_aabb_overlap(a.around, b.around) && oracle_far_apart(a.around, b.around)) {
      continue;
    }
    bool in_order = own->id.index < other->id.index;
    mo_impact impact = {.found = false};
    mo_result result = in_order ? mo_find_impact(&a.primitive, &a.movement, &b.primitive,
                                                 &b.movement, &search->def, &impact)
                                : mo_find_impact(&b.primitive, &b.movement, &a.primitive,
                                                 &a.movement, &search->def, &impact);
    if (result != MO_OK || !impact.found || (best->found && impact.t >= best->t)) {
      continue;
    }
    impact.other = other->id;
    impact.user_data = other->def.user_data;
    impact.triangle = mine != NULL ? triangle : MO_NO_TRIANGLE;
    impact.triangle_user_data = mine != NULL ? mine->triangles[triangle].user_data : 0;
    impact.other_triangle = mesh != NULL ? i : MO_NO_TRIANGLE;
    impact.other_triangle_user_data = mesh != NULL ? theirs->user_data : 0;
    if (!in_order) {
      const mo_impact as_found = impact;
      impact.normal = mo_scale(-1, impact.normal);
      impact.feature = as_found.other_feature;
      impact.feature_index = as_found.other_feature_index;
      impact.other_feature = as_found.feature;
      impact.other_feature_index = as_found.feature_index;
    }
    *best = impact;
  }
}

/* By a loop over shapes, then over triangles, so that the first of equals is taken. */
static mo_impact first_impact(const mo_impact_search *search, const mo_mover *mover) {
  mo_impact best = {.triangle = MO_NO_TRIANGLE, .other_triangle = MO_NO_TRIANGLE};
  const oracle_shape *own = shape_of(mover->shape);
  const oracle_mesh *mine = mesh_of(own);
  for (uint32_t i = 0; i < scene.oracle.shape_count && mover->partners != MO_IMPACT_WITH_NONE;
       i++) {
    const oracle_shape *other = &scene.oracle.shapes[i];
    if (passes(search, mover, own, other)) {
      for (uint32_t k = 0; k < (mine != NULL ? mine->count : 1); k++) {
        meet(search, own, k, other, &best);
      }
    }
  }
  return best;
}

static bool same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same(const mo_impact *a, const mo_impact *b) {
  return a->found == b->found && a->triangle == b->triangle &&
         a->other_triangle == b->other_triangle &&
         (!a->found ||
          (a->began_in_touch == b->began_in_touch && a->other.index == b->other.index &&
           a->other.generation == b->other.generation && a->user_data == b->user_data &&
           a->triangle_user_data == b->triangle_user_data &&
           a->other_triangle_user_data == b->other_triangle_user_data && a->t == b->t &&
           same_vector(a->point, b->point) && same_vector(a->normal, b->normal) &&
           a->separation == b->separation && a->feature == b->feature &&
           a->feature_index == b->feature_index && a->other_feature == b->other_feature &&
           a->other_feature_index == b->other_feature_index));
}

static uint32_t check(rng *r) {
  mo_impact_search search = search_of(random_movers(r));
  uint32_t left_out = rng_below(r, 6), found = 0;
  search.context = &left_out;
  search.accept = accept;
  search.def.core = rng_chance(r, 0.3) ? 1 : rng_chance(r, 0.2) ? 0 : rng_float(r, 0, 1);
  search.def.slop = rng_chance(r, 0.2) ? 0 : rng_float(r, 1e-4f, 0.05f);
  for (uint32_t i = 0; i < search.count; i++) {
    expected[i] = first_impact(&search, &movers[i]);
    found += expected[i].found;
  }
  for (uint32_t form = 0; form < scene.family.count; form++) {
    memset(impacts, 0x55, sizeof impacts);
    mo_query_stats stats = {0};
    size_t bad = 7;
    cr_assert_eq(mo_scene_find_impacts(scene.family.scenes[form], &search, impacts, &bad,
                                       rng_chance(r, 0.5) ? &stats : NULL),
                 MO_OK);
    cr_assert_eq(bad, MO_NO_INDEX);
    for (uint32_t i = 0; i < search.count; i++) {
      const mo_impact *a = &impacts[i], *b = &expected[i];
      cr_assert(same(a, b),
                "%s, %s: mover %u (shape %u): %d shape %u triangles %u %u at %a, not %d shape %u "
                "triangles %u %u at %a",
                test_scene_kind_name(scene.kind), scene.family.names[form], i,
                movers[i].shape.index, a->found, a->other.index, a->triangle, a->other_triangle,
                (double)a->t, b->found, b->other.index, b->triangle, b->other_triangle,
                (double)b->t);
    }
  }
  return found;
}

Test(impacts, are_those_of_a_loop_over_all_shapes_and_triangles) {
  uint64_t rounds = rng_few_rounds(1, 40);
  uint32_t found = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
      rng r = rng_make(rng_seed("impacts in scenes", 1400 + 100 * round + (uint64_t)kind));
      test_scene_make(&scene, (test_scene_kind)kind, 18, &r);
      for (int i = 0; i < 2; i++) {
        found += check(&r);
      }
      cr_assert(test_scene_free(&scene));
    }
  }
  cr_assert(found > 15 * rounds, "%u", found);
}

/* --- known ones --- */

/* A sheet of one triangle, whose front looks up or down, at a height. */
static mo_shape_id add_sheet(mo_scene *subject, float height, bool up) {
  static const float positions[] = {-9, 0, -9, 0, 0, 18, 9, 0, -9};
  static const uint32_t order[2][3] = {{0, 2, 1}, {0, 1, 2}};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.position_stride = 12;
  def.vertex_count = 3;
  def.indices = order[up];
  def.index_type = MO_INDEX_U32;
  def.triangle_count = 1;
  mo_mesh *mesh;
  mo_shape_id id;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = mesh;
  shape.transform.origin.y = height;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
  mo_mesh_release(mesh);
  return id;
}

static mo_shape_id add(mo_scene *subject, mo_shape_type type, float x, float y) {
  mo_shape_def def = mo_default_shape_def(type);
  mo_shape_id id;
  def.transform.origin = mo_vec(x, y, 0);
  if (type == MO_SHAPE_SPHERE) {
    def.geometry.sphere.radius = 0.1f;
  }
  cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
  return id;
}

static void find(const mo_scene *subject, const mo_impact_search *search) {
  cr_assert_eq(mo_scene_find_impacts(subject, search, impacts, NULL, NULL), MO_OK);
}

Test(impacts, bullets_meet_sheets_and_each_other) {
  mo_scene *subject = test_scene_empty();
  mo_shape_id sheet = add_sheet(subject, 2, true), volume = add(subject, MO_SHAPE_VOLUME, 0, 3),
              above = add(subject, MO_SHAPE_SPHERE, 0, 8),
              below = add(subject, MO_SHAPE_SPHERE, 0.1f, -8);
  mo_impact_search search = search_of(2);
  movers[0] = (mo_mover){
      .shape = above, .movement = {.displacement = {0, -16, 0}}, .partners = MO_IMPACT_WITH_STILL};
  movers[1] = (mo_mover){.shape = below,
                         .movement = {.displacement = {-0.1f, 16, 0}},
                         .partners = MO_IMPACT_WITH_STILL};
  find(subject, &search);
  for (int i = 0; i < 2; i++) {
    cr_assert(impacts[i].found && impacts[i].other.index == sheet.index);
    cr_assert_eq(impacts[i].other_triangle, 0);
    cr_assert(fabsf(impacts[i].normal.y - (i == 0 ? -1 : 1)) <= 1e-6f);
  }
  search.cull_back_faces = true; /* the front looks at the first alone */
  movers[1].partners = MO_IMPACT_WITH_ALL;
  find(subject, &search);
  cr_assert(impacts[0].found && impacts[0].other.index == sheet.index);
  cr_assert(impacts[1].found && impacts[1].other.index == above.index);
  movers[0].ignore = sheet;
  movers[1].partners = MO_IMPACT_WITH_NONE;
  find(subject, &search);
  cr_assert(!impacts[0].found && !impacts[1].found);
  /* The sheet itself moves, and turns; a volume meets nothing. */
  search.cull_back_faces = false;
  movers[0] = (mo_mover){.shape = sheet,
                         .movement = {.displacement = {0, 12, 0}, .axis = {0, 1, 0}, .angle = 1}};
  movers[1] = (mo_mover){.shape = volume, .movement = {.displacement = {0, 12, 0}}};
  find(subject, &search);
  cr_assert(impacts[0].found && impacts[0].other.index == above.index && impacts[0].triangle == 0);
  cr_assert(fabsf(12 * impacts[0].t + impacts[0].separation - 5.9f) <= 1e-4f);
  cr_assert(!impacts[1].found);
  mo_scene_destroy(subject);
}

/* Two bullets at 1,000 m/s that meet head on, and would pass each other in one step. */
Test(impacts, two_bullets_head_on) {
  const float fast = 1000.0f / 60, radius = 0.1f;
  mo_scene *subject = test_scene_empty();
  mo_shape_id left = add(subject, MO_SHAPE_SPHERE, 0, 0),
              right = add(subject, MO_SHAPE_SPHERE, fast, 0);
  mo_impact_search search = search_of(2);
  movers[0] = (mo_mover){.shape = left, .movement = {.displacement = {fast, 0, 0}}};
  movers[1] = (mo_mover){.shape = right, .movement = {.displacement = {-fast, 0, 0}}};
  find(subject, &search);
  float expected_t = (fast - 2 * radius) / (2 * fast);
  for (int i = 0; i < 2; i++) {
    cr_assert(impacts[i].found && impacts[i].other.index == (i == 0 ? right : left).index);
    cr_assert(impacts[i].t <= expected_t && impacts[i].t >= expected_t - 0.005f / fast);
    cr_assert_eq(impacts[i].normal.x, i == 0 ? 1 : -1);
  }
  cr_assert_eq(impacts[0].t, impacts[1].t);
  /* A shape of a sensor category stops nothing. */
  cr_assert_eq(mo_scene_set_filter(subject, right, 2, UINT64_MAX), MO_OK);
  search.sensor_categories = 2;
  find(subject, &search);
  cr_assert(!impacts[0].found && !impacts[1].found);
  mo_scene_destroy(subject);
}

/* A ball at 240 m/s that grazes the edge of a shelf is not stopped there, but at the wall a metre
 * behind: it is not the first touch that counts, but the first that passes through. */
Test(impacts, wall_behind_a_grazed_shelf) {
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id shelf, wall;
  def.geometry.box.half_extents = mo_vec(0.2f, 0.1f, 1);
  cr_assert_eq(mo_scene_add_shape(subject, &def, &shelf), MO_OK);
  def.geometry.box.half_extents = mo_vec(0.05f, 3, 3);
  def.transform.origin = mo_vec(1.25f, 0, 0);
  cr_assert_eq(mo_scene_add_shape(subject, &def, &wall), MO_OK);
  for (int i = 0; i < 2; i++) { /* 0.02 deep over the edge; through the middle */
    mo_shape_id ball = add(subject, MO_SHAPE_SPHERE, -2, i == 0 ? 0.18f : 0);
    mo_impact_search search = search_of(1);
    movers[0] = (mo_mover){.shape = ball, .movement = {.displacement = {4, 0, 0}}};
    find(subject, &search);
    cr_assert(impacts[0].found && impacts[0].other.index == (i == 0 ? wall : shelf).index);
    cr_assert(fabsf(4 * impacts[0].t + impacts[0].separation - (i == 0 ? 3.1f : 1.7f)) <= 1e-4f);
    cr_assert_eq(mo_scene_remove_shape(subject, ball), MO_OK);
  }
  mo_scene_destroy(subject);
}
