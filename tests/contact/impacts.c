/* The first impacts of movers in random scenes of all kinds, by every placement policy, mesh format
 * and instruction set, against a loop over all shapes and triangles with mo_find_impact. */
#include "contact/movers.h"
#include "support/task_order.h"

static mo_impact expected[MAX];

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

static void place(mo_scene *subject, mo_shape_id id, const mo_transform *map) {
  cr_assert_eq(mo_scene_set_transform(subject, id, map), MO_OK);
  cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
}

static void set_motion(mo_scene *subject, mo_shape_id id, mo_motion motion) {
  cr_assert_eq(mo_scene_set_motion(subject, &id, 1, motion, NULL), MO_OK);
}

/* Two static shapes, of which one or both are movers, have no impact; any other two have. */
Test(impacts, static_shapes_do_not_meet) {
  static const mo_motion motions[] = {MO_MOTION_STATIC, MO_MOTION_SLEEPING, MO_MOTION_DYNAMIC};
  mo_scene *subject = test_scene_empty();
  const mo_shape_id left = add(subject, MO_SHAPE_SPHERE, 0, 0),
                    right = add(subject, MO_SHAPE_SPHERE, 5, 0);
  for (int i = 0; i < 18; i++) {
    const uint32_t count = 1 + (uint32_t)(i / 9);
    set_motion(subject, left, motions[i % 3]);
    set_motion(subject, right, motions[i / 3 % 3]);
    mo_impact_search search = search_of(count);
    movers[0] = (mo_mover){.shape = left, .movement = {.displacement = {10, 0, 0}}};
    movers[1] = (mo_mover){.shape = right, .movement = {.displacement = {-1, 0, 0}}};
    find(subject, &search);
    const bool both_static = i % 3 == 0 && i / 3 % 3 == 0;
    for (uint32_t k = 0; k < count; k++) {
      cr_assert_eq(impacts[k].found, !both_static, "%d: mover %u", i, k);
    }
  }
  mo_scene_destroy(subject);
}

/* A small sheet rises to a ball and turns meanwhile, by more than a right angle until they meet: it
 * is the side that is then up that is met. */
Test(impacts, back_faces_are_those_at_the_impact) {
  const mo_transform small =
      mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, mo_vec(0.05f, 0.05f, 0.05f));
  static const float angles[] = {0, 0.8f, 2.9f, -3.1f, 3.8f, -4.2f, -0.5f};
  for (int i = 0; i < 28; i++) {
    const bool up = i % 2 == 0, mesh_moves = i / 2 % 2 == 0;
    const float angle = angles[i / 4];
    mo_scene *subject = test_scene_empty();
    const mo_shape_id ball = add(subject, MO_SHAPE_SPHERE, 0, 8), sheet = add_sheet(subject, 0, up);
    place(subject, sheet, &small);
    mo_impact_search search = search_of(2);
    search.cull_back_faces = true;
    movers[0] = (mo_mover){.shape = sheet, .movement = {.axis = {0, 0, 1}, .angle = angle}};
    movers[1] = (mo_mover){.shape = ball};
    if (mesh_moves) {
      movers[0].movement.displacement.y = 10;
    } else {
      movers[1].movement.displacement.y = -10;
    }
    find(subject, &search);
    const bool front = (cos(0.8 * (double)angle) > 0) == up;
    for (int k = 0; k < 2; k++) {
      cr_assert_eq(impacts[k].found, front, "angle %g, up %d", (double)angle, up);
      cr_assert(!front || fabsf(impacts[k].t - 0.79f) < 0.02f);
    }
    mo_scene_destroy(subject);
  }
}

/* Of several movers that are refused the first in the array is named, in whatever order the tasks
 * that check them run. */
Test(impacts, the_first_bad_mover_is_named) {
  enum { COUNT = 40 };
  for (int order = 0; order < 2; order++) {
    mo_scene_def scene_def = mo_default_scene_def();
    if (order == 1) {
      scene_def.host.tasks = tasks_backwards(4);
    }
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    for (int i = 0; i < COUNT; i++) {
      movers[i] = (mo_mover){.shape = add(subject, MO_SHAPE_SPHERE, (float)i, 0)};
    }
    mo_impact_search search = search_of(COUNT);
    for (uint32_t first = 0; first < COUNT; first += 3) {
      for (uint32_t second = first + 1; second < COUNT; second += 7) {
        const mo_shape_id id = movers[first].shape;
        movers[first].shape.generation += 5;
        movers[second].movement.angle = NAN;
        size_t bad = 0;
        cr_assert_eq(mo_scene_find_impacts(subject, &search, impacts, &bad, NULL),
                     MO_ERROR_STALE_ID);
        cr_assert_eq(bad, first, "%zu of %u and %u", bad, first, second);
        movers[first].shape = id;
        movers[second].movement.angle = 0;
      }
    }
    mo_scene_destroy(subject);
  }
}

/* What passes or ends at half of the slop is met, though the boxes around its path are clear of the
 * other's by as much: two movers, a half-space that moves, and a ball above a sheet. */
Test(impacts, within_the_slop_is_met) {
  const float slop = 0.0078125f, near = 0.5f * slop;
  for (int axis = 0; axis < 3; axis++) {
    for (int side = -1; side <= 1; side += 2) {
      mo_scene *subject = test_scene_empty();
      mo_vec3 way = {0, 0, 0}, across = {0, 0, 0};
      *(axis == 0 ? &way.x : axis == 1 ? &way.y : &way.z) = 6;
      *(axis == 0 ? &across.y : axis == 1 ? &across.z : &across.x) = (float)side * (2 + near);
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
      mo_shape_id ids[2];
      for (int i = 0; i < 2; i++) {
        def.transform.origin = i == 0 ? mo_vec(0, 0, 0) : mo_add(across, mo_scale(5.0f / 6, way));
        cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[i]), MO_OK);
        movers[i] = (mo_mover){.shape = ids[i],
                               .movement = {.displacement = mo_scale(i == 0 ? 1 : -1, way)}};
      }
      mo_impact_search search = search_of(2);
      search.def = (mo_impact_def){slop, 1, search.def.cookie};
      find(subject, &search);
      cr_assert(impacts[0].found && impacts[1].found, "axis %d, side %d", axis, side);
      cr_assert(impacts[0].t > 0.2f && impacts[0].t < 0.3f);
      search.count = 1; /* the other stands still */
      find(subject, &search);
      cr_assert(impacts[0].found);
      mo_scene_destroy(subject);
    }
  }
  /* Upward, to half of the slop below a ball and a sheet. */
  for (int i = 0; i < 6; i++) {
    mo_scene *subject = test_scene_empty();
    const mo_shape_id obstacle =
        i % 2 == 0 ? add(subject, MO_SHAPE_SPHERE, 0, 8) : add_sheet(subject, 7.9f, true);
    mo_shape_def def = mo_default_shape_def(i < 2 ? MO_SHAPE_HALF_SPACE : MO_SHAPE_SPHERE);
    if (i < 2) {
      def.geometry.half_space = (mo_half_space){{0, 1, 0}, 0};
    } else {
      def.geometry.sphere = (mo_sphere){{0, -0.25f, 0}, 0.25f};
    }
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
    mo_impact_search search = search_of(1);
    search.def = (mo_impact_def){slop, 1, search.def.cookie};
    const float rise = 7.9f - near;
    movers[0] = (mo_mover){.shape = i < 4 ? id : obstacle,
                           .movement = {.displacement = {0, i < 4 ? rise : -rise, 0}}};
    find(subject, &search);
    cr_assert(impacts[0].found && impacts[0].t > 0.99f, "%d", i);
    mo_scene_destroy(subject);
  }
}

/* A sheet that turns in its plane, by little, while it comes to within half of the slop of a small
 * ball, or the ball of it. */
Test(impacts, turning_sheets_come_within_the_slop) {
  const float slop = 0.0078125f, radius = 0x1p-10f, way = 8 - radius - 0.5f * slop;
  for (int i = 0; i < 3; i++) {
    mo_scene *subject = test_scene_empty();
    const mo_shape_id sheet = add_sheet(subject, 8, false);
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
    def.geometry.sphere = (mo_sphere){{0, 0, 0}, radius};
    mo_shape_id ball;
    cr_assert_eq(mo_scene_add_shape(subject, &def, &ball), MO_OK);
    mo_impact_search search = search_of(i == 0 ? 1 : 2);
    search.def = (mo_impact_def){slop, 1, search.def.cookie};
    const float share = 0.5f * (float)i; /* of the way, that the ball goes */
    movers[0] = (mo_mover){.shape = sheet,
                           .movement = {.displacement = {0, (share - 1) * way, 0},
                                        .pivot = {0, 8, 0},
                                        .axis = {0, 1, 0},
                                        .angle = 1e-4f}};
    movers[1] = (mo_mover){.shape = ball, .movement = {.displacement = {0, share * way, 0}}};
    find(subject, &search);
    cr_assert(impacts[0].found && impacts[0].t > 0.99f, "%d", i);
    cr_assert(i == 0 || (impacts[1].found && impacts[1].t == impacts[0].t), "%d", i);
    mo_scene_destroy(subject);
  }
}

static mo_scene *scene_of_slivers(const test_mesh *mesh, mo_mesh_builder builder,
                                  mo_shape_id ids[2], bool has_duplicates) {
  mo_mesh_def mesh_def = test_mesh_def(mesh);
  mesh_def.build.builder = builder;
  mo_mesh *built;
  cr_assert_eq(mo_mesh_create(&mesh_def, &built), MO_OK);
  mo_mesh_stats info;
  cr_assert_eq(mo_mesh_get_stats(built, &info), MO_OK);
  cr_assert_eq(info.duplicate_count > 0, has_duplicates);
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = built;
  cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[0]), MO_OK);
  mo_mesh_release(built);
  def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box.half_extents = mo_vec(0.1f, 0.02f, 0.2f);
  cr_assert_eq(mo_scene_add_shape(subject, &def, &ids[1]), MO_OK);
  return subject;
}

/* A mesh that rotates is culled by slices of time. Triangles stored in many leaves, of which a box
 * meets some, have the impacts of triangles that are stored once. */
Test(impacts, triangles_in_many_leaves_of_a_mesh_that_rotates) {
  rng r = rng_make(rng_seed("impacts of slivers", 1473));
  uint32_t found = 0;
  for (int round = 0; round < 8; round++) {
    test_mesh mesh = {0};
    for (int i = 0; i < 120; i++) {
      const mo_vec3 a = rng_vec3(&r, -2, 2);
      test_mesh_add_corners(&mesh, a, mo_add(a, rng_vec3(&r, -0.1f, 0.1f)), rng_vec3(&r, -2, 2));
    }
    mo_shape_id ids[2];
    mo_scene *subject[2] = {scene_of_slivers(&mesh, MO_MESH_BUILDER_MIDPOINT, ids, true),
                            scene_of_slivers(&mesh, MO_MESH_BUILDER_SINGLE, ids, false)};
    for (int i = 0; i < 60; i++) {
      mo_transform at = rng_transform(&r, RNG_RIGID, 2);
      mo_impact_search search = search_of(2);
      movers[0] = (mo_mover){.shape = ids[0],
                             .movement = {.axis = rng_direction(&r), .angle = rng_float(&r, 0, 1)}};
      movers[1] = (mo_mover){.shape = ids[1], .movement = {.displacement = rng_vec3(&r, -2, 2)}};
      mo_impact of[2];
      for (int k = 0; k < 2; k++) {
        cr_assert_eq(mo_scene_set_transform(subject[k], ids[1], &at), MO_OK);
        cr_assert_eq(mo_scene_update(subject[k], NULL), MO_OK);
        find(subject[k], &search);
        of[k] = impacts[1];
      }
      cr_assert(same(&of[0], &of[1]), "round %d, %d: %d %u at %a, not %d %u at %a", round, i,
                of[0].found, of[0].other_triangle, (double)of[0].t, of[1].found,
                of[1].other_triangle, (double)of[1].t);
      found += of[0].found;
    }
    mo_scene_destroy(subject[0]);
    mo_scene_destroy(subject[1]);
    test_mesh_free(&mesh);
  }
  cr_assert_gt(found, 100);
}
