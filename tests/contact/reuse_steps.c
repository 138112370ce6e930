/* Contacts that are reused (reuse_distance) under a solver: a minute in which nothing sinks, drifts
 * or falls through; and shapes that jitter, beside closed forms. */
#include <motte/compound.h>
#include <stdio.h>

#include "contact/reuse.h"

enum { MAX_BODIES = 64, MAX_POINTS = 4096, SECOND = 60, PASSES = 8 };

static const float reuse_distance = 0.005f, dt = 1.0f / SECOND, slop = 0.005f;

/* --- a solver: sequential impulses (Catto 2005); a body turns like a ball of its size --- */

typedef struct body {
  mo_shape_id id;
  mo_transform place, start;
  mo_vec3 linear, angular;
  float inverse_mass, inverse_inertia, radius; /* radius: of a ball inside the body */
} body;

typedef struct world {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  body bodies[MAX_BODIES];
  uint32_t count;
  uint64_t reused, computed;
} world;

typedef struct point {
  body *a, *b;
  mo_vec3 arm_a, arm_b, along[3];
  float *impulses, speed;
} point;

static world *world_create(void) {
  world *w = calloc(1, sizeof *w);
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  cr_assert_eq(mo_scene_create(&def, &w->scene), MO_OK);
  return w;
}

static void world_destroy(world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
  free(w);
}

/* `radius` 0: a static body. */
static body *add_body(world *w, mo_geometry geometry, mo_vec3 origin, float radius) {
  cr_assert_lt(w->count, MAX_BODIES);
  body *b = &w->bodies[w->count];
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform.origin = origin;
  def.user_data = w->count++;
  def.motion = radius > 0 ? MO_MOTION_DYNAMIC : MO_MOTION_STATIC;
  *b = (body){.place = def.transform, .start = def.transform, .radius = radius};
  if (radius > 0) {
    b->inverse_mass = 1;
    b->inverse_inertia = 1 / (0.4f * radius * radius);
  }
  cr_assert_eq(mo_scene_add_shape(w->scene, &def, &b->id), MO_OK);
  return b;
}

static void push(const point *p, int k, float impulse) {
  const mo_vec3 along = p->along[k];
  body *a = p->a, *b = p->b;
  a->linear = mo_sub(a->linear, mo_scale(impulse * a->inverse_mass, along));
  a->angular =
      mo_sub(a->angular, mo_scale(impulse * a->inverse_inertia, mo_cross(p->arm_a, along)));
  b->linear = mo_add(b->linear, mo_scale(impulse * b->inverse_mass, along));
  b->angular =
      mo_add(b->angular, mo_scale(impulse * b->inverse_inertia, mo_cross(p->arm_b, along)));
}

static void solve(const point *p, int k, float speed, float min, float max) {
  const mo_vec3 along = p->along[k], turn_a = mo_cross(p->arm_a, along),
                turn_b = mo_cross(p->arm_b, along);
  const float parting = mo_dot(along, mo_sub(p->b->linear, p->a->linear)) +
                        mo_dot(turn_b, p->b->angular) - mo_dot(turn_a, p->a->angular);
  const float stiffness = p->a->inverse_mass + p->b->inverse_mass +
                          p->a->inverse_inertia * mo_dot(turn_a, turn_a) +
                          p->b->inverse_inertia * mo_dot(turn_b, turn_b);
  const float before = p->impulses[k];
  p->impulses[k] = fmaxf(min, fminf(max, before + (speed - parting) / stiffness));
  push(p, k, p->impulses[k] - before);
}

static uint32_t list_points(world *w, mo_contact_events *events, point *points) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    mo_tracked_contact *t = &events->contacts[i];
    const mo_manifold *m = &t->contact.manifold;
    const mo_vec3 n = m->normal;
    const mo_vec3 side = fabsf(n.x) < 0.6f ? mo_vec(1, 0, 0) : mo_vec(0, 1, 0);
    mo_vec3 u = mo_cross(n, side);
    u = mo_scale(1 / sqrtf(mo_dot(u, u)), u);
    for (uint32_t k = 0; k < m->point_count; k++) {
      const mo_manifold_point *at = &m->points[k];
      cr_assert_lt(count, MAX_POINTS);
      points[count++] = (point){
          .a = &w->bodies[t->contact.user_data_a],
          .b = &w->bodies[t->contact.user_data_b],
          .arm_a = at->anchor_a,
          .arm_b = at->anchor_b,
          .along = {n, u, mo_cross(n, u)},
          .impulses = t->memory[k].values,
          .speed = at->separation > 0 ? -at->separation / dt
                                      : fminf(2, 0.15f / dt * fmaxf(0, -at->separation - slop)),
      };
    }
  }
  return count;
}

static void integrate(world *w, body *b) {
  const float speed = sqrtf(mo_dot(b->angular, b->angular));
  const mo_movement m = {.displacement = mo_scale(dt, b->linear),
                         .axis = speed > 0 ? mo_scale(1 / speed, b->angular) : mo_vec(1, 0, 0),
                         .pivot = b->place.origin,
                         .angle = speed * dt};
  cr_assert_eq(mo_movement_transform(&m, 1, &b->place, &b->place), MO_OK);
  cr_assert_eq(mo_scene_set_transform(w->scene, b->id, &b->place), MO_OK);
  b->linear = mo_scale(0.995f, b->linear);
  b->angular = mo_scale(0.995f, b->angular);
}

static void step(world *w) {
  static point points[MAX_POINTS];
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  mo_contact_events events = update(w->tracker);
  w->reused += stats_of(w->tracker).reused_count;
  w->computed += stats_of(w->tracker).computed_count;
  for (uint32_t i = 0; i < w->count; i++) {
    w->bodies[i].linear.y -= w->bodies[i].inverse_mass > 0 ? 9.81f * dt : 0;
  }
  const uint32_t count = list_points(w, &events, points);
  for (uint32_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      push(&points[i], k, points[i].impulses[k]);
    }
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (uint32_t i = 0; i < count; i++) {
      const point *p = &points[pass % 2 ? i : count - 1 - i];
      solve(p, 0, p->speed, 0, INFINITY);
      const float max = 0.6f * p->impulses[0];
      solve(p, 1, 0, -max, max);
      solve(p, 2, 0, -max, max);
    }
  }
  for (uint32_t i = 0; i < w->count; i++) {
    if (w->bodies[i].inverse_mass > 0) {
      integrate(w, &w->bodies[i]);
    }
  }
}

static void run(world *w, uint32_t seconds) {
  for (uint32_t i = 0; i < seconds * SECOND; i++) {
    step(w);
  }
  cr_assert_eq(mo_contact_tracker_validate(w->tracker), MO_OK);
}

/* --- a minute at rest --- */

/* A wall of bricks, each upon two, on a box. */
static void build_wall(world *w) {
  enum { ROWS = 6, COLUMNS = 6 };
  add_body(w, box_of(10, 1, 10), mo_vec(0, -1, 0), 0);
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS - row % 2; column++) {
      const float x = 0.42f * ((float)column + 0.5f * (float)(row % 2));
      add_body(w, box_of(0.2f, 0.1f, 0.1f), mo_vec(x, 0.1f + 0.2f * (float)row, 0), 0.15f);
    }
  }
}

static float height_of_bowl(float x, float z, void *context) {
  (void)context;
  return 0.15f * (x * x + z * z);
}

/* Bodies of several kinds fall in a heap in a bowl of triangles. */
static void build_heap(world *w) {
  mo_mesh *bowl = make_grid(33, 0.25f, height_of_bowl, NULL);
  add_body(w, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = bowl}, mo_vec(0, 0, 0), 0);
  mo_mesh_release(bowl);
  const mo_geometry kinds[] = {box_of(0.25f, 0.2f, 0.3f), sphere_of(mo_vec(0, 0, 0), 0.25f),
                               capsule_of(0.2f, 0.2f), cylinder_of(0.2f, 0.2f)};
  for (int i = 0; i < 36; i++) {
    const mo_vec3 at = {0.8f * (float)(i % 3 - 1), 0.8f + 0.75f * (float)(i / 9),
                        0.8f * (float)(i / 3 % 3 - 1)};
    add_body(w, kinds[i % 4], at, 0.2f);
  }
}

/* The height of the lowest corner of a brick. */
static float lowest_corner(const mo_transform *t) {
  return t->origin.y - 0.2f * fabsf(t->x_axis.y) - 0.1f * fabsf(t->y_axis.y) -
         0.1f * fabsf(t->z_axis.y);
}

/* The greatest distance of a brick from where it began, and the lowest corner of all. */
static void measure_wall(const world *w, float *drift, float *lowest) {
  *drift = 0;
  *lowest = INFINITY;
  for (uint32_t i = 1; i < w->count; i++) {
    const mo_vec3 way = mo_sub(w->bodies[i].place.origin, w->bodies[i].start.origin);
    *drift = fmaxf(*drift, sqrtf(mo_dot(way, way)));
    *lowest = fminf(*lowest, lowest_corner(&w->bodies[i].place));
  }
}

static world *run_world(void (*build)(world *), float distance, uint32_t seconds) {
  world *w = world_create();
  build(w);
  w->tracker = tracker_with(w->scene, distance, false);
  run(w, seconds);
  return w;
}

Test(reuse_steps, a_wall_stands_for_a_minute) {
  float drift[2], lowest[2];
  for (int i = 0; i < 2; i++) {
    world *w = run_world(build_wall, i == 0 ? 0 : reuse_distance, 60);
    measure_wall(w, &drift[i], &lowest[i]);
    printf("wall, reuse %d: moved %g, lowest corner %g, %llu reused, %llu computed\n", i,
           (double)drift[i], (double)lowest[i], (unsigned long long)w->reused,
           (unsigned long long)w->computed);
    cr_assert(i == 0 ? w->reused == 0 : w->reused > 20 * w->computed, "%llu and %llu",
              (unsigned long long)w->reused, (unsigned long long)w->computed);
    world_destroy(w);
  }
  /* Rows sink by the slop each. */
  cr_assert_lt(drift[0], 0.1f, "%g", (double)drift[0]);
  cr_assert_lt(drift[1], drift[0] + 2 * reuse_distance, "%g after %g", (double)drift[1],
               (double)drift[0]);
  cr_assert_gt(lowest[1], -slop - 2 * reuse_distance, "%g after %g", (double)lowest[1],
               (double)lowest[0]);
}

/* Balls inside all bodies stay above the bowl, and come to rest as without reuse, in which nothing
 * adds up and a third of the time will do. */
Test(reuse_steps, a_heap_in_a_mesh_stays_for_a_minute) {
  for (int i = 0; i < 2; i++) {
    const uint32_t seconds = i == 0 ? 10 : 30;
    world *w = run_world(build_heap, i == 0 ? 0 : reuse_distance, seconds);
    mo_vec3 middle[MAX_BODIES];
    for (uint32_t k = 1; k < w->count; k++) {
      middle[k] = w->bodies[k].place.origin;
    }
    w->reused = w->computed = 0;
    run(w, seconds);
    float farthest = 0, sum = 0;
    for (uint32_t k = 1; k < w->count; k++) {
      const mo_vec3 at = w->bodies[k].place.origin, way = mo_sub(at, middle[k]);
      farthest = fmaxf(farthest, sqrtf(mo_dot(way, way)));
      sum += at.y;
      /* The slope is below 1.2 where bodies are, so the bowl is as far as 0.64 of the height. */
      cr_assert_gt(0.64f * (at.y - height_of_bowl(at.x, at.z, NULL)), 0.2f * 0.64f - 0.05f,
                   "body %u at %g %g %g", k, (double)at.x, (double)at.y, (double)at.z);
    }
    printf("heap, reuse %d: moved %g, mean height %g, %llu reused, %llu computed\n", i,
           (double)farthest, (double)(sum / (float)(w->count - 1)), (unsigned long long)w->reused,
           (unsigned long long)w->computed);
    cr_assert_lt(farthest, 0.25f);
    cr_assert_lt(sum / (float)(w->count - 1), 1.2f);
    cr_assert(i == 0 || w->reused > 4 * w->computed);
    world_destroy(w);
  }
}

/* --- shapes that jitter, beside closed forms --- */

/* The signed distance of two boxes along the best of the 15 axes: exact where they overlap, and at
 * most their distance where they are apart. */
static double separation_of_boxes(const mo_transform t[2], const mo_vec3 half[2]) {
  const mo_vec3 axes[2][3] = {{t[0].x_axis, t[0].y_axis, t[0].z_axis},
                              {t[1].x_axis, t[1].y_axis, t[1].z_axis}};
  const mo_dvec3 way = mo_dsub(mo_widen(t[1].origin), mo_widen(t[0].origin));
  double best = -INFINITY;
  for (int k = 0; k < 15; k++) {
    mo_dvec3 n = k < 6 ? mo_widen(axes[k / 3][k % 3])
                       : mo_dcross(mo_widen(axes[0][(k - 6) / 3]), mo_widen(axes[1][(k - 6) % 3]));
    if (mo_dlength(n) < 1e-3) {
      continue;
    }
    n = mo_dunit(n);
    double gap = fabs(mo_ddot(way, n));
    for (int i = 0; i < 2; i++) {
      gap -= (double)half[i].x * fabs(mo_ddot(n, mo_widen(axes[i][0]))) +
             (double)half[i].y * fabs(mo_ddot(n, mo_widen(axes[i][1]))) +
             (double)half[i].z * fabs(mo_ddot(n, mo_widen(axes[i][2])));
    }
    best = fmax(best, gap);
  }
  return best;
}

static float deepest_of(const mo_contact_events *events) {
  float deepest = INFINITY;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_manifold *m = &events->contacts[i].contact.manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      deepest = fminf(deepest, m->points[k].separation);
    }
  }
  return deepest;
}

/* A pose at most some 2.5 mm away from `start`. */
static mo_transform jitter(const mo_transform *start, rng *r) {
  const mo_movement m = {.displacement = mo_scale(rng_float(r, 0, 0.0015f), rng_direction(r)),
                         .axis = rng_direction(r),
                         .pivot = start->origin,
                         .angle = rng_float(r, 0, 0.001f)};
  mo_transform place;
  cr_assert_eq(mo_movement_transform(&m, 1, start, &place), MO_OK);
  return place;
}

/* Two boxes that lie, stand or lean on each other. */
Test(reuse_steps, boxes_that_jitter_have_their_depth) {
  const mo_vec3 half[2] = {{0.7f, 0.3f, 0.6f}, {0.3f, 0.25f, 0.4f}};
  uint64_t reused = 0, computed = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    rng r = rng_make(seed);
    mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
    mo_transform start[2] = {rng_transform(&r, RNG_RIGID, 1), mo_transform_identity()};
    start[1] = seed % 2 ? rng_transform(&r, RNG_RIGID, 1) : start[0];
    const mo_vec3 way = seed % 2 ? rng_direction(&r) : start[0].y_axis;
    start[1].origin = mo_add(start[0].origin, mo_scale(2, way));
    /* towards the first until they are 1 mm deep */
    for (int i = 0; i < 60; i++) {
      const float gap = (float)separation_of_boxes(start, half) + 0.001f;
      start[1].origin = mo_sub(start[1].origin, mo_scale(gap, way));
    }
    mo_shape_id ids[2];
    for (int i = 0; i < 2; i++) {
      ids[i] = add(scene, box_of(half[i].x, half[i].y, half[i].z), 0, 0, 0);
      cr_assert_eq(mo_scene_set_margin(scene, ids[i], MO_CONTACT_MARGIN), MO_OK);
    }
    mo_contact_tracker *tracker = tracker_with(scene, reuse_distance, false);
    for (int i = 0; i < 50; i++) {
      const mo_transform places[2] = {jitter(&start[0], &r), jitter(&start[1], &r)};
      cr_assert_eq(mo_scene_set_transforms(scene, ids, places, 2, NULL), MO_OK);
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      mo_contact_events events = update(tracker);
      const float is = (float)separation_of_boxes(places, half), has = deepest_of(&events);
      /* What a face's normal is preferred by (mo_collide) comes on top. */
      cr_assert(is > 0.01f || fabsf(is - has) <= 2 * reuse_distance + 1.0f / 128,
                "seed %llu, step %d: %g, not %g", (unsigned long long)seed, i, (double)has,
                (double)is);
      reused += stats_of(tracker).reused_count;
      computed += stats_of(tracker).computed_count;
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
  cr_assert_gt(reused, computed);
}

/* A placement of two balls and a ball on a plane of triangles: how far each is from the ball, and
 * which child has the contact. */
Test(reuse_steps, compounds_are_reused) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  const mo_scene_def compound_def = mo_default_scene_def();
  mo_compound *compound;
  cr_assert_eq(mo_compound_create(&compound_def, &compound), MO_OK);
  mo_scene *children = mo_compound_children(compound);
  add(children, sphere_of(mo_vec(0, 0, 0), 0.5f), -1, 0, 0);
  add(children, sphere_of(mo_vec(0, 0, 0), 0.5f), 1, 0, 0);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  const mo_shape_id placed =
      add(scene, (mo_geometry){.type = MO_SHAPE_COMPOUND, .compound = compound}, 0, 0, 0);
  const mo_shape_id ball = add(scene, sphere_of(mo_vec(0, 0, 0), 0.5f), 1, 0.999f, 0);
  cr_assert_eq(mo_scene_set_margin(scene, ball, MO_CONTACT_MARGIN), MO_OK);
  mo_contact_tracker *tracker = tracker_with(scene, reuse_distance, false);
  rng r = rng_make(5);
  uint64_t reused = 0;
  for (int i = 0; i < 100; i++) {
    const mo_vec3 at = mo_add(mo_vec(1, 0.999f, 0), mo_scale(0.002f, rng_direction(&r)));
    move(scene, ball, at.x, at.y, at.z);
    mo_contact_events events = update(tracker);
    cr_assert_eq(events.contact_count, 1);
    const mo_contact *c = &events.contacts[0].contact;
    const mo_vec3 way = mo_sub(at, mo_vec(1, 0, 0));
    const float gap = sqrtf(mo_dot(way, way)) - 1;
    cr_assert_eq(c->a.index == placed.index ? c->child_a : c->child_b, 1);
    cr_assert_float_eq(c->manifold.points[0].separation, gap, 2 * reuse_distance);
    reused += stats_of(tracker).reused_count;
  }
  cr_assert_gt(reused, 80);
  /* A volume among the children is tested as of now. */
  add(children, (mo_geometry){.type = MO_SHAPE_VOLUME, .volume = {{-9, -9, -9}, {-8, -8, -8}}}, 0,
      0, 0);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(scene, placed), MO_OK);
  for (int i = 0; i < 3; i++) {
    move(scene, ball, 1, 0.999f, 0);
    update(tracker);
    cr_assert_eq(stats_of(tracker).computed_count, 1);
  }
  mo_compound_release(compound);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Shapes that approach slowly have a contact before they touch, though pairs without contacts are
 * reused too. */
Test(reuse_steps, slow_approach_begins_before_the_touch) {
  for (int i = 0; i < 3; i++) {
    mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
    add(scene, box_of(2, 1, 2), 0, -1, 0);
    const mo_shape_id id =
        add(scene, i == 0 ? box_of(0.5f, 0.5f, 0.5f) : capsule_of(0.3f, 0.5f), 0, 0.56f, 0);
    cr_assert_eq(mo_scene_set_margin(scene, id, 0.1f), MO_OK);
    mo_contact_tracker *tracker = tracker_with(scene, i == 2 ? 0.5f : 0.015f, false);
    bool has_contact = false;
    for (int step = 0; step < 80; step++) {
      const float gap = 0.06f - 0.001f * (float)step;
      move(scene, id, 0, 0.5f + gap, 0);
      has_contact = update(tracker).contact_count > 0;
      cr_assert(has_contact || gap > 0.009f, "%d: at %g", i, (double)gap);
    }
    cr_assert(has_contact);
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}

/* --- shapes that creep about in a groove of triangles --- */

static const float groove_slope = 0.7f;

static float height_of_groove(float x, float z, void *context) {
  (void)context;
  (void)z;
  return groove_slope * fabsf(x);
}

/* The point of a box, ball or capsule that is farthest along a direction. */
static mo_vec3 farthest_point(const mo_geometry *g, const mo_transform *t, mo_vec3 along) {
  const mo_vec3 axes[3] = {t->x_axis, t->y_axis, t->z_axis};
  mo_vec3 half = {0, 0, 0}, at = t->origin;
  float radius = 0;
  if (g->type == MO_SHAPE_BOX) {
    half = g->box.half_extents;
  } else if (g->type == MO_SHAPE_SPHERE) {
    radius = g->sphere.radius;
  } else {
    half = g->capsule.b; /* from the middle */
    radius = g->capsule.radius;
  }
  const float halves[3] = {half.x, half.y, half.z};
  for (int i = 0; i < 3; i++) {
    at = mo_add(at, mo_scale(copysignf(halves[i], mo_dot(axes[i], along)), axes[i]));
  }
  return mo_add(at, mo_scale(radius, along));
}

/* The least separation of the points whose normal, towards the body, is nearly `normal`. */
static float deepest_along(const mo_contact_events *events, mo_shape_id id, mo_vec3 normal) {
  float deepest = INFINITY;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    const float towards = c->b.index == id.index ? 1 : -1;
    for (uint32_t k = 0; k < c->manifold.point_count; k++) {
      if (towards * mo_dot(c->manifold.normal, normal) > 0.99f) {
        deepest = fminf(deepest, c->manifold.points[k].separation);
      }
    }
  }
  return deepest;
}

/* Each side of the groove that a body is deeper in than it may have moved since has a contact, also
 * where the other side alone had one when contacts were computed. */
static void creep_in_groove(mo_scene *scene, const mo_geometry *g, float distance, rng *r) {
  const float length = sqrtf(1 + groove_slope * groove_slope);
  const mo_shape_id id = add(scene, *g, 0, 0, 0);
  cr_assert_eq(mo_scene_set_margin(scene, id, MO_CONTACT_MARGIN), MO_OK);
  mo_contact_tracker *tracker = tracker_with(scene, distance, false);
  mo_transform place = rng_transform(r, RNG_RIGID, 1);
  place.origin = mo_vec(0, 1, 0);
  uint32_t deep = 0, reused = 0;
  mo_vec3 way = {0, 0, 0};
  for (int step = 0; step < 400; step++) {
    way = step % 20 == 0 ? mo_scale(rng_float(r, 0, 0.2f * distance), rng_direction(r)) : way;
    const mo_movement m = {.displacement = way,
                           .axis = rng_direction(r),
                           .pivot = place.origin,
                           .angle = rng_float(r, 0, 0.1f * distance)};
    cr_assert_eq(mo_movement_transform(&m, 1, &place, &place), MO_OK);
    float height[2], lowest = INFINITY;
    mo_vec3 normal[2], farthest[2];
    for (int pass = 0; pass < 2; pass++) { /* falls onto the groove, or is lifted out */
      place.origin.y -= pass == 0 ? 0 : fmaxf(fminf(lowest - 0.01f, 1), lowest + 1.5f * distance);
      for (int side = 0; side < 2; side++) {
        normal[side] = mo_scale(1 / length, mo_vec(side == 0 ? -groove_slope : groove_slope, 1, 0));
        farthest[side] = farthest_point(g, &place, mo_scale(-1, normal[side]));
        height[side] = mo_dot(normal[side], farthest[side]);
        lowest = fminf(side == 0 ? INFINITY : lowest, height[side]);
      }
      if (pass == 0 && lowest < 0.01f && lowest > -1.5f * distance) {
        break;
      }
    }
    cr_assert_eq(mo_scene_set_transform(scene, id, &place), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    const mo_contact_events events = update(tracker);
    reused += (uint32_t)stats_of(tracker).reused_count;
    for (int side = 0; side < 2; side++) {
      const float x = side == 0 ? farthest[side].x : -farthest[side].x,
                  has = deepest_along(&events, id, normal[side]);
      if (x > 0.05f && height[side] < -distance) {
        deep++;
        cr_assert(has <= height[side] + 2 * distance + 0.003f,
                  "reuse within %g, step %d, side %d: %g, not %g", (double)distance, step, side,
                  (double)has, (double)height[side]);
      }
    }
  }
  fprintf(stderr, "within %g: %u sides deep, %u reused\n", (double)distance, deep, reused);
  mo_contact_tracker_destroy(tracker);
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
}

Test(reuse_steps, each_side_of_a_groove_has_its_contact) {
  mo_scene *scene = scene_with(&(mo_host){.allocator = mo_default_allocator()});
  mo_mesh *groove = make_grid(17, 0.25f, height_of_groove, NULL);
  add(scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = groove}, 0, 0, 0);
  mo_mesh_release(groove);
  const mo_geometry kinds[] = {box_of(0.25f, 0.2f, 0.3f), sphere_of(mo_vec(0, 0, 0), 0.25f),
                               capsule_of(0.2f, 0.2f)};
  rng r = rng_make(rng_seed("contact/reuse_steps/groove", 6));
  for (uint64_t round = rng_few_rounds(4, 400); round-- > 0;) {
    for (int i = 0; i < 12; i++) {
      const float distances[] = {0.002f, 0.005f, 0.02f, 0.06f};
      creep_in_groove(scene, &kinds[i % 3], distances[i / 3], &r);
    }
  }
  mo_scene_destroy(scene);
}
