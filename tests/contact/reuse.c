/* Contacts that are reused while shapes move little (reuse_distance): how far they are from
 * those that are worked out, when they are worked out again, and that they follow what moves. */
#include <motte/continuous.h>

#include "contact/floors.h"
#include "contact/manifold/reusable_contact.h"
#include "contact/reuse.h"

enum { BODIES = 40, MAX_PAIRS = BODIES * (BODIES - 1) / 2, MAX_CONTACTS = 4096 };

/* With its faces as far out as without rounding along z. */
static mo_geometry rounded_box(float x, float y, float z) {
  const float rounding = 0.0625f;
  return (mo_geometry){
      .type = MO_SHAPE_BOX, .rounding = rounding, .box = {.half_extents = {x, y, z - rounding}}};
}

/* --- many bodies, beside contacts that are worked out --- */

typedef struct crowd {
  mo_shape_id ids[BODIES];
  mo_transform places[BODIES];
  mo_movement movements[BODIES]; /* of a step */
} crowd;

static mo_mesh *make_floor(rng *r) {
  enum { SIDE = 12 };
  float positions[3 * SIDE * SIDE];
  uint32_t indices[6 * SIDE * SIDE], count = 0;
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    positions[3 * i] = (float)(i % SIDE) - 0.5f * SIDE;
    positions[3 * i + 1] = (float)(i / SIDE) - 0.5f * SIDE;
    positions[3 * i + 2] = rng_float(r, -0.3f, 0.3f) - 2.0f;
    if (i % SIDE + 1 < SIDE && i / SIDE + 1 < SIDE) {
      const uint32_t cell[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
      memcpy(indices + count, cell, sizeof cell);
      count += 6;
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = SIDE * SIDE;
  def.indices = indices;
  def.triangle_count = count / 3;
  def.build.edges = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* Solids of all kinds close together, some scaled or mirrored, and a mesh and a half-space below
 * them. */
static void fill(mo_scene *scene, crowd *c, mo_vec3 around, rng *r) {
  static const rng_transform_kind kinds[] = {
      RNG_RIGID, RNG_RIGID, RNG_UNIFORM_SCALE, RNG_MIRROR, RNG_NONUNIFORM_SCALE, RNG_SHEAR};
  mo_mesh *floor = make_floor(r);
  for (int i = 0; i < BODIES; i++) {
    mo_geometry geometry = random_geometry(r);
    if (i == 0) {
      geometry = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = floor};
    } else if (i == 1) {
      geometry = (mo_geometry){.type = MO_SHAPE_HALF_SPACE,
                               .half_space = {.normal = {0, 0, 1}, .offset = -2.5f}};
    }
    mo_shape_def def = mo_default_shape_def(geometry.type);
    def.geometry = geometry;
    def.margin = MO_CONTACT_MARGIN;
    bool is_still = i < 2;
    def.transform = is_still
                        ? mo_transform_identity()
                        : rng_transform(r, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], 1);
    def.transform.origin = mo_add(around, mo_scale(is_still ? 0 : 3, def.transform.origin));
    cr_assert_eq(mo_scene_add_shape(scene, &def, &c->ids[i]), MO_OK);
    c->places[i] = def.transform;
    bool moves = !is_still && rng_chance(r, 0.8);
    c->movements[i].displacement = mo_scale(moves ? rng_float(r, 0, 0.0005f) : 0, rng_direction(r));
    c->movements[i].axis = rng_direction(r);
    c->movements[i].angle = moves ? rng_float(r, -0.0005f, 0.0005f) : 0;
  }
  mo_mesh_release(floor);
}

static void step(mo_scene *scene, crowd *c) {
  for (int i = 0; i < BODIES; i++) {
    mo_movement *m = &c->movements[i];
    m->pivot = c->places[i].origin;
    cr_assert_eq(mo_movement_transform(m, 1, &c->places[i], &c->places[i]), MO_OK);
    if (m->angle != 0) {
      cr_assert_eq(mo_scene_set_transform(scene, c->ids[i], &c->places[i]), MO_OK);
    }
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

/* The least separation of some contacts of one pair; infinite without points. */
static float deepest_of(const mo_contact *contacts, uint32_t count, size_t stride) {
  float deepest = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    const mo_manifold *m =
        &((const mo_contact *)((const char *)(const void *)contacts + i * stride))->manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      deepest = fminf(deepest, m->points[k].separation);
    }
  }
  return deepest;
}

static void check_points(const mo_scene *scene, const mo_tracked_contact *t) {
  mo_shape_def a, b;
  cr_assert_eq(mo_scene_get_shape(scene, t->contact.a, &a), MO_OK);
  cr_assert_eq(mo_scene_get_shape(scene, t->contact.b, &b), MO_OK);
  const mo_manifold *m = &t->contact.manifold;
  bool touching = false;
  cr_assert_float_eq(mo_dot(m->normal, m->normal), 1, 1e-6);
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    mo_vec3 of_a = mo_add(a.transform.origin, p->anchor_a),
            of_b = mo_add(b.transform.origin, p->anchor_b);
    cr_assert_lt(mo_max_magnitude(mo_sub(of_a, p->position)), 1e-4f);
    cr_assert_lt(mo_max_magnitude(mo_sub(of_b, p->position)), 1e-4f);
    cr_assert_leq(p->separation, 0.02f * 1.0001f);
    touching = touching || p->separation <= 0;
  }
  cr_assert_eq(m->touching, touching);
}

/* All pairs of the scene: what the tracker has of them is close to what is worked out now. */
static void check_crowd(const mo_scene *scene, const mo_contact_events *events, float distance) {
  static mo_pair pairs[MAX_PAIRS];
  static mo_contact contacts[MAX_CONTACTS];
  uint32_t pair_count, next = 0;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, pairs, MAX_PAIRS, &pair_count), MO_OK);
  mo_collide_def def = mo_default_collide_def();
  /* What a face's normal is preferred by, of bodies about one unit thick (mo_collide). */
  const float bias = 1.0f / 128, tolerance = 2 * distance + bias;
  for (uint32_t i = 0; i < pair_count; i++) {
    uint32_t count, first = next;
    cr_assert_eq(mo_scene_collide_pair(scene, &pairs[i], &def, contacts, MAX_CONTACTS, &count),
                 MO_OK);
    cr_assert_leq(count, MAX_CONTACTS);
    for (; next < events->contact_count &&
           events->contacts[next].contact.a.index == pairs[i].a.index &&
           events->contacts[next].contact.b.index == pairs[i].b.index;
         next++) {
      check_points(scene, &events->contacts[next]);
    }
    float is = deepest_of(contacts, count, sizeof *contacts);
    float has =
        deepest_of(&events->contacts[first].contact, next - first, sizeof *events->contacts);
    /* What is apart may be beyond the speculative distance for one, and not yet for the other.
     * Which side of a mesh counts may change with its separation. */
    is = fminf(is, def.speculative_distance);
    has = fminf(has, def.speculative_distance);
    bool is_mesh = pairs[i].a.index == 0;
    cr_assert(is_mesh || fabsf(is - has) <= tolerance, "pair %u %u: %g and %g", pairs[i].a.index,
              pairs[i].b.index, (double)is, (double)has);
  }
  cr_assert_eq(next, events->contact_count);
}

static void check_many(mo_vec3 around, float distance, uint64_t seed) {
  rng r = rng_make(seed);
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  crowd c;
  fill(scene, &c, around, &r);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker *tracker = tracker_with(scene, distance, true);
  uint64_t reused = 0, computed = 0;
  for (int i = 0; i < 30; i++) {
    mo_contact_events events = update(tracker);
    check_crowd(scene, &events, distance);
    if (i > 0) {
      reused += stats_of(tracker).reused_count;
      computed += stats_of(tracker).computed_count;
    }
    step(scene, &c);
  }
  /* Most are worked out as an axis shows that they are apart, or have moved too far. */
  cr_assert(distance == 0 ? reused == 0 : 4 * reused > computed, "%llu and %llu",
            (unsigned long long)reused, (unsigned long long)computed);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(reuse, separations_are_off_by_twice_the_distance) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    check_many(mo_vec(0, 0, 0), 0.01f, seed);
    check_many(mo_vec(0, 0, 0), 0.003f, seed);
  }
}

Test(reuse, nothing_is_reused_by_default) {
  check_many(mo_vec(0, 0, 0), 0, 9);
}

/* --- two bodies --- */

static mo_transform turned_about_z(float angle, mo_vec3 origin) {
  mo_transform t = mo_transform_identity();
  t.x_axis = mo_vec(cosf(angle), sinf(angle), 0);
  t.y_axis = mo_vec(-sinf(angle), cosf(angle), 0);
  t.origin = origin;
  return t;
}

/* A box on another one, which turn round and round together. */
Test(reuse, what_moves_together_is_computed_once) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry box = rounded_box(1, 0.5f, 0.5f);
  const mo_shape_id ids[2] = {add(scene, box, 20, 0, 0), add(scene, box, 20, 0, 0.999f)};
  mo_contact_tracker *tracker = tracker_with(scene, 1e-4f, true);
  for (int i = 0; i <= 500; i++) {
    float angle = 0.07f * (float)i;
    mo_vec3 at = {20 * cosf(angle), 20 * sinf(angle), 0.01f * (float)i};
    const mo_transform places[2] = {turned_about_z(angle, at),
                                    turned_about_z(angle, mo_add(at, mo_vec(0, 0, 0.999f)))};
    cr_assert_eq(mo_scene_set_transforms(scene, ids, places, 2, NULL), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_events events = update(tracker);
    cr_assert_eq(events.contact_count, 1);
    const mo_tracked_contact *t = &events.contacts[0];
    cr_assert_eq(t->contact.manifold.point_count, 4);
    cr_assert_eq(t->kept, i > 0 ? 15 : 0);
    cr_assert_float_eq(t->contact.manifold.normal.z, 1, 1e-5);
    for (int k = 0; k < 4; k++) {
      const mo_manifold_point *p = &t->contact.manifold.points[k];
      cr_assert_float_eq(p->separation, -0.001f, 1e-5);
      /* The corners of the lower face, wherever that is. */
      mo_vec3 d = mo_sub(p->position, mo_add(at, mo_vec(0, 0, 0.4995f)));
      cr_assert_float_eq(fabsf(mo_dot(d, places[0].x_axis)), 1, 1e-4);
      cr_assert_float_eq(fabsf(mo_dot(d, places[0].y_axis)), 0.5f, 1e-4);
      cr_assert_float_eq(d.z, 0, 1e-4);
    }
    cr_assert_eq(stats_of(tracker).reused_count, i > 0);
    cr_assert_eq(stats_of(tracker).computed_count, i == 0);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

static mo_transform turned_about_x(float angle, mo_vec3 origin) {
  mo_transform t = mo_transform_identity();
  t.y_axis = mo_vec(0, cosf(angle), sinf(angle));
  t.z_axis = mo_vec(0, -sinf(angle), cosf(angle));
  t.origin = origin;
  return t;
}

/* The manifold of the only pair, which was reused, after both shapes have been placed. */
static mo_manifold reused_at(mo_scene *scene, mo_contact_tracker *tracker, const mo_shape_id ids[2],
                             const mo_transform places[2]) {
  cr_assert_eq(mo_scene_set_transforms(scene, ids, places, 2, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 1);
  cr_assert_eq(stats_of(tracker).reused_count, 1);
  return events.contacts[0].contact.manifold;
}

/* A small box on a large one, of which either is the first shape. Both tilt together, then the
 * large one alone, then the small one: the normal is always that of the upper face of the large
 * one. */
Test(reuse, manifolds_turn_with_the_larger_shape) {
  const mo_geometry boxes[2] = {rounded_box(4, 4, 1), rounded_box(0.5f, 0.5f, 0.5f)};
  const float heights[2] = {-1, 0.499f};
  for (int order = 0; order < 2; order++) {
    mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
    mo_shape_id ids[2]; /* the large one first */
    for (int i = 0; i < 2; i++) {
      const int at = order == 0 ? i : 1 - i;
      ids[at] = add(scene, boxes[at], 0, 0, heights[at]);
    }
    mo_contact_tracker *tracker = tracker_with(scene, 0.02f, true);
    update(tracker);
    const float tilts[][2] = {{0.2f, 0.2f}, {0.9f, 0.9f}, {0.002f, 0}, {-0.002f, 0}, {0, 0.01f}};
    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; k++) {
      mo_transform places[2];
      for (int i = 0; i < 2; i++) {
        const float tilt = tilts[k][i];
        places[i] = turned_about_x(
            tilt, mo_scale(heights[i], mo_vec(0, -sinf(tilts[k][0]), cosf(tilts[k][0]))));
      }
      const mo_manifold m = reused_at(scene, tracker, ids, places);
      const float up = order == 0 ? 1 : -1;
      cr_assert_eq(m.point_count, 4);
      cr_assert_lt(apart(mo_scale(up, m.normal), places[0].z_axis), 1e-6,
                   "order %d, tilt %zu: %g %g %g", order, k, (double)m.normal.x, (double)m.normal.y,
                   (double)m.normal.z);
      for (int i = 0; i < 4; i++) { /* below a corner of the small one */
        const mo_vec3 d = mo_sub(m.points[i].position, places[1].origin);
        cr_assert_float_eq(fabsf(mo_dot(d, places[1].x_axis)), 0.5f, 0.01);
        cr_assert_float_eq(fabsf(mo_dot(d, places[1].y_axis)), 0.5f, 0.01);
        const float below =
            mo_dot(mo_sub(m.points[i].position, places[0].origin), places[0].z_axis) - 1;
        cr_assert_float_eq(2 * below, m.points[i].separation, 1e-5);
      }
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}

/* A rod that lies on a disc turns about its own middle: its ends move, though its center does not.
 * Its points are under its ends. */
Test(reuse, a_turn_in_place_is_motion) {
  const float distance = 0.05f, half = 1;
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry disc = {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, -1}, {0, 0, 0}, 5}};
  add(scene, disc, 0, 0, 0);
  const mo_shape_id rod = add(scene, capsule_of(half, 0.5f), 0, 0, 0.499f);
  mo_contact_tracker *tracker = tracker_with(scene, distance, true);
  uint32_t reused = 0;
  float angle = 0;
  for (int i = 0; i < 60; i++) {
    angle += i % 4 == 3 ? 0.3f : 0.005f;
    const mo_transform place = turned_about_z(angle, mo_vec(0, 0, 0.499f));
    cr_assert_eq(mo_scene_set_transform(scene, rod, &place), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_events events = update(tracker);
    reused += stats_of(tracker).reused_count;
    cr_assert_eq(events.contact_count, 1);
    const mo_manifold *m = &events.contacts[0].contact.manifold;
    cr_assert_eq(m->point_count, 2);
    for (uint32_t k = 0; k < 2; k++) {
      const float along = mo_dot(m->points[k].position, place.x_axis),
                  across = mo_dot(m->points[k].position, place.y_axis);
      cr_assert(fabsf(fabsf(along) - half) <= 2 * distance && fabsf(across) <= 2 * distance,
                "step %d: at %g %g", i, (double)along, (double)across);
    }
  }
  cr_assert_eq(reused, 45 - 1, "%u", reused); /* all but the first, and those after 0.3 */
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* --- bounds of motion --- */

/* A body with a frame, which moves a little with each step. */
typedef struct framed_body {
  mo_transform place;
  mo_shape_frame frame;
  mo_travel travel;
} framed_body;

static framed_body random_framed_body(rng *r) {
  framed_body b = {.place = rng_transform(r, RNG_SHEAR, 1)};
  const mo_vec3 half = mo_scale(rng_float(r, 0.1f, 3), mo_vec(1, 1, 1));
  (void)mo_shape_frame_set(&b.frame, &b.place);
  mo_shape_frame_set_sphere(&b.frame, b.place.origin,
                            (mo_aabb){mo_sub(b.place.origin, half), mo_add(b.place.origin, half)});
  return b;
}

static void move_framed_body(framed_body *b, rng *r) {
  const mo_movement movement = {.displacement = mo_scale(rng_float(r, 0, 0.01f), rng_direction(r)),
                                .pivot = b->place.origin,
                                .axis = rng_direction(r),
                                .angle = rng_chance(r, 0.7) ? rng_float(r, -0.02f, 0.02f) : 0};
  const mo_shape_frame before = b->frame;
  const mo_vec3 origin = b->place.origin;
  cr_assert_eq(mo_movement_transform(&movement, 1, &b->place, &b->place), MO_OK);
  (void)mo_shape_frame_set(&b->frame, &b->place);
  const mo_shape_motion motion =
      mo_shape_motion_of(&b->frame, before.axes, origin, b->place.origin);
  b->travel.distance += mo_dlength(mo_widen(motion.displacement));
  b->travel.rotation += (double)motion.rotation;
}

/* How far bodies have travelled bounds how far they have moved as seen from each other. Where one
 * body stays, or they go straight on, it does so closely. */
Test(reuse, travel_bounds_motion) {
  rng r = rng_make(5);
  for (int round = 0; round < 2000; round++) {
    framed_body bodies[2] = {random_framed_body(&r), random_framed_body(&r)};
    mo_pair_poses poses = mo_pair_poses_of(&bodies[0].frame, &bodies[1].frame,
                                           bodies[0].place.origin, bodies[1].place.origin);
    const mo_relative_pose start = mo_relative_pose_of(&poses);
    const framed_body *reference = &bodies[start.reference], *other = &bodies[!start.reference];
    const double reach = mo_reach_of_other_shape(&start, &reference->frame, &other->frame);
    const bool moves[2] = {rng_chance(&r, 0.7), rng_chance(&r, 0.7)};
    double farthest = 0;
    for (int i = 0; i < 20 && mo_is_finite(start.center); i++) {
      for (int k = 0; k < 2; k++) {
        if (moves[k]) {
          move_framed_body(&bodies[k], &r);
        }
      }
      poses = mo_pair_poses_of(&bodies[0].frame, &bodies[1].frame, bodies[0].place.origin,
                               bodies[1].place.origin);
      const double motion = mo_max_motion_since(&start, &poses);
      farthest = fmax(farthest, motion);
      const double bound = mo_max_motion_by_travel(&other->travel, &reference->travel,
                                                   (double)other->frame.radius, reach + farthest);
      const double rounding = 0x1p-20 * reach; /* of poses, which are floats */
      cr_assert(motion <= bound + rounding, "round %d, step %d: %g, bound %g", round, i, motion,
                bound);
      cr_assert(i > 0 || moves[start.reference] || bound <= motion + rounding,
                "round %d: %g, bound %g", round, motion, bound);
    }
  }
}

/* Small motions add up. */
Test(reuse, a_slow_body_is_computed_again_and_again) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry ball = {
      .type = MO_SHAPE_SPHERE, .rounding = 0.0625f, .sphere = {.radius = 0.4375f}};
  const mo_geometry box = rounded_box(5, 5, 1);
  add(scene, box, 0, 0, -1);
  mo_shape_id id = add(scene, ball, 0, 0, 0.5f);
  mo_contact_tracker *tracker = tracker_with(scene, 0.0025f, true);
  uint32_t computed = 0;
  for (int i = 0; i < 100; i++) {
    move(scene, id, 0.001f * (float)i, 0, 0.5f - 0.0005f * (float)i);
    mo_contact_events events = update(tracker);
    computed += stats_of(tracker).computed_count;
    cr_assert_eq(events.contact_count, 1);
    cr_assert_float_eq(events.contacts[0].contact.manifold.points[0].separation,
                       -0.0005f * (float)i, 1e-5);
  }
  cr_assert_eq(computed, 34); /* each third step goes beyond 2.2 mm */
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Points that part leave the contact, and come back with it. */
Test(reuse, points_beyond_the_speculative_distance_are_left_out) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry box = rounded_box(1, 1, 1);
  add(scene, box, 0, 0, -1);
  mo_shape_id id = add(scene, box, 0, 0, 1.019f);
  const float shared_margin = 0.05f;
  cr_assert_eq(mo_scene_set_margin(scene, id, shared_margin), MO_OK);
  mo_contact_tracker *tracker = tracker_with(scene, 0.004f, true);
  cr_assert_eq(update(tracker).contact_count, 1);
  move(scene, id, 0, 0, 1.021f);
  cr_assert_eq(update(tracker).contact_count, 0);
  move(scene, id, 0, 0, 1.018f);
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 1);
  cr_assert_eq(events.contacts[0].contact.manifold.point_count, 4);
  cr_assert_eq(stats_of(tracker).reused_count, 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* A body of each kind slides over triangles of one plane. */
Test(reuse, what_slides_on_a_mesh_keeps_its_height) {
  rng r = rng_make(3);
  const mo_transform identity = mo_transform_identity();
  test_mesh flat = floor_mesh(&r, &identity);
  mo_mesh_def mesh_def = test_mesh_def(&flat);
  mesh_def.build.edges = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  add(scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}, 0, 0, 0);
  mo_mesh_release(mesh);
  test_mesh_free(&flat);
  mo_geometry kinds[] = {box_of(0.3f, 0.2f, 0.4f), sphere_of(mo_vec(0, 0, 0), 0.2f),
                         capsule_of(0.3f, 0.2f)};
  mo_shape_id ids[3];
  for (int i = 0; i < 3; i++) {
    ids[i] = add(scene, kinds[i], 1.5f * (float)i - 1.5f, 0.199f, 0);
  }
  mo_contact_tracker *tracker = tracker_with(scene, 0.004f, true);
  uint32_t reused = 0;
  for (int step = 0; step < 200; step++) {
    for (int i = 0; i < 3; i++) {
      move(scene, ids[i], 1.5f * (float)i - 1.5f, 0.199f, 0.0015f * (float)step);
    }
    mo_contact_events events = update(tracker);
    reused += stats_of(tracker).reused_count;
    cr_assert_eq(events.contact_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
      const mo_manifold *m = &events.contacts[i].contact.manifold;
      cr_assert_gt(m->point_count, 0);
      cr_assert_float_eq(m->normal.y, 1, 1e-6);
      for (uint32_t k = 0; k < m->point_count; k++) {
        cr_assert_float_eq(m->points[k].separation, -0.001f, 1e-5);
      }
    }
  }
  cr_assert(reused > 390 && reused < 405, "%u", reused); /* in two of three steps */
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* --- what makes contacts be worked out --- */

static uint32_t computed_after_update(mo_contact_tracker *tracker) {
  update(tracker);
  return stats_of(tracker).computed_count;
}

Test(reuse, other_shapes_and_geometries_are_computed) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry box = rounded_box(1, 1, 1),
                    ball = {.type = MO_SHAPE_SPHERE, .sphere = {.radius = 1}};
  add(scene, box, 0, 0, -1);
  mo_shape_id id = add(scene, box, 0, 0, 1);
  mo_contact_tracker *tracker = tracker_with(scene, 0.01f, true);
  cr_assert_eq(computed_after_update(tracker), 1);
  move(scene, id, 0, 0, 0.999f);
  cr_assert_eq(computed_after_update(tracker), 0);
  cr_assert_eq(stats_of(tracker).reused_count, 1);
  cr_assert_eq(mo_scene_set_geometry(scene, id, &ball), MO_OK);
  mo_contact_events events = update(tracker);
  cr_assert_eq(stats_of(tracker).computed_count, 1);
  cr_assert_eq(events.contacts[0].contact.manifold.point_count, 1);
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_OK);
  cr_assert_eq(computed_after_update(tracker), 1);
  cr_assert_eq(mo_contact_tracker_refresh_shape(tracker, id), MO_OK);
  cr_assert_eq(computed_after_update(tracker), 1);
  /* Another shape in the same slot. */
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
  mo_shape_id other = add(scene, box, 0, 0, 0.999f);
  cr_assert_eq(other.index, id.index);
  events = update(tracker);
  cr_assert_eq(stats_of(tracker).computed_count, 1);
  cr_assert_eq(events.contacts[0].contact.manifold.point_count, 4);
  cr_assert_eq(events.end_count, 1);
  cr_assert_eq(events.begin_count, 1);
  /* Twice the size is no motion. */
  mo_transform larger = mo_transform_identity();
  larger.x_axis.x = larger.y_axis.y = larger.z_axis.z = 1.005f;
  larger.origin.z = 0.999f;
  cr_assert_eq(mo_scene_set_transform(scene, other, &larger), MO_OK);
  cr_assert_eq(computed_after_update(tracker), 1);
  /* A mirror image is none either, though each point is in the same place. */
  larger.x_axis.x = -1.005f;
  cr_assert_eq(mo_scene_set_transform(scene, other, &larger), MO_OK);
  cr_assert_eq(computed_after_update(tracker), 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Sensors touch or not as of now. */
Test(reuse, volumes_are_not_reused) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {.radius = 1}},
                    region = {.type = MO_SHAPE_VOLUME, .volume = {{-1, -1, -1}, {1, 1, 1}}};
  add(scene, region, 0, 0, 0);
  mo_shape_id id = add(scene, ball, 1.999f, 0, 0);
  mo_contact_tracker *tracker = tracker_with(scene, 0.01f, true);
  cr_assert_eq(update(tracker).begin_count, 1);
  move(scene, id, 2.001f, 0, 0);
  cr_assert_eq(update(tracker).end_count, 1);
  move(scene, id, 1.999f, 0, 0);
  cr_assert_eq(update(tracker).begin_count, 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

static void lower_by(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    mo_manifold *m = &pair->contacts[i].contact.manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      m->points[k].separation -= 0.25f;
    }
  }
}

/* What the host changes does not add up. */
Test(reuse, modify_is_given_reused_contacts_unchanged) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry box = rounded_box(1, 1, 1);
  add(scene, box, 0, 0, -1);
  mo_shape_id id = add(scene, box, 0, 0, 1);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.reuse_distance = 0.01f;
  def.modify = lower_by;
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  for (int i = 0; i < 5; i++) {
    move(scene, id, 0, 0, 1 - 0.001f * (float)i);
    mo_contact_events events = update(tracker);
    cr_assert_eq(stats_of(tracker).reused_count, i > 0);
    cr_assert_float_eq(events.contacts[0].contact.manifold.points[0].separation,
                       -0.001f * (float)i - 0.25f, 1e-5);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Far from the origin, and after it is shifted, distances are the same. */
Test(reuse, shifts_of_the_origin_are_no_motion) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_geometry box = rounded_box(1, 1, 1);
  add(scene, box, 4096, 0, -1);
  mo_shape_id id = add(scene, box, 4096, 0, 1);
  mo_contact_tracker *tracker = tracker_with(scene, 0.01f, true);
  cr_assert_eq(computed_after_update(tracker), 1);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(-4096, 0, 0)), MO_OK);
  move(scene, id, 0, 0, 0.998f);
  mo_contact_events events = update(tracker);
  cr_assert_eq(stats_of(tracker).reused_count, 1);
  cr_assert_float_eq(events.contacts[0].contact.manifold.points[0].separation, -0.002f, 1e-6);
  cr_assert_lt(fabsf(events.contacts[0].contact.manifold.points[0].position.x), 1.001f);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Moves a shape without rotation, at a speed. */
static void move_at(mo_scene *scene, mo_shape_id id, float x, float y, float speed) {
  const mo_transform place =
      mo_transform_make(mo_vec(x, y, 0), (mo_quat){0, 0, 0, 1}, mo_vec(1, 1, 1));
  const mo_vec3 velocity = {speed, 0, 0};
  mo_update_def def = mo_default_update_def();
  def.ids = &id;
  def.transforms = &place;
  def.velocities = &velocity;
  def.lookahead = 1.0f / 60;
  def.count = 1;
  cr_assert_eq(mo_scene_update(scene, &def), MO_OK);
}

static uint32_t points_between(const mo_contact_events *events, mo_pair pair) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    count += same_pair((mo_pair){c->a, c->b}, pair) ? c->manifold.point_count : 0;
  }
  return count;
}

/* A box on two tiles, just over the border of one. Its contact with the side of that tile is hidden
 * while the other is there, also where that one leaves in an update in which the box is fast, whose
 * contacts are others than those that are stored. */
Test(reuse, sides_of_tiles_are_felt_once_their_neighbour_has_left) {
  for (int fast = 0; fast < 2; fast++) {
    const mo_host host = mo_default_host();
    mo_scene *scene = scene_with(&host);
    const mo_shape_id left = add(scene, box_of(1, 1, 1), -1, -1, 0),
                      right = add(scene, box_of(1, 1, 1), 1, -1, 0),
                      body = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, 5, 0);
    mo_contact_tracker_def def = mo_default_contact_tracker_def();
    def.reuse_distance = 0.01f;
    def.max_speculative_distance = 0.1f;
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
    const float speeds[] = {-3, 0, fast ? -3 : 0, 0};
    for (int i = 0; i < 4; i++) {
      if (i == 2) {
        cr_assert_eq(mo_scene_remove_shape(scene, right), MO_OK);
      }
      move_at(scene, body, 0.498f + 1e-5f * (float)i, 0.496f, speeds[i]);
      const mo_contact_events events = update(tracker);
      cr_assert_eq(points_between(&events, (mo_pair){left, body}) > 0, i >= 2, "fast %d, update %d",
                   fast, i);
    }
    cr_assert_gt(stats_of(tracker).reused_count, 0);
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}
