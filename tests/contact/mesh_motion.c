/* Bodies that roll, slide and rest on bent meshes with `edges`, by the solver of demos/step.c:
 * nothing falls through. A body has fallen through if its centre has passed through a triangle,
 * which a loop over all triangles decides in long double. The speed of bodies is limited such that
 * a step takes them no farther than a part of their thickness. */
#define main step_main
__attribute__((unused)) static int step_main(void);
#include "../demos/step.c"
#undef main

#include <criterion/criterion.h>

#include "contact/bent_bodies.h"
#include "contact/grounds.h"
#include "support/mesh_files.h"

/* Of kinetic and potential energy that a body may gain, per kilogram: contacts that are found late
 * push it out at up to max_push_speed. */
static const double max_gain = 10;

/* The greatest part of the thickness that a body moves in a step. */
static const float max_travel = 0.2f;

static const body_kind kinds[] = {BODY_BALL, BODY_CAPSULE,  BODY_BOX,
                                  BODY_HULL, BODY_CYLINDER, BODY_ROUNDED};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A body under way. */
typedef struct runner {
  bent_body shape;
  mo_vec3 start;
  mo_hull *hull; /* null: not a hull */
  uint32_t restarts;
  mo_aabb seen; /* where `near` lists all triangles */
  uint32_t *near, near_count;
} runner;

typedef struct world {
  ground ground;
  surface surface;
  mo_aabb bounds;
  mo_scene *scene;
  mo_contact_tracker *tracker;
  runner runners[MAX_BODIES];
} world;

static uint64_t seed;
static uint64_t fallen[2][BODY_KIND_COUNT], thrown[2][BODY_KIND_COUNT], moved[2][BODY_KIND_COUNT];
static uint32_t examples[2];

static void add_ground(world *w, bool edges) {
  mo_mesh_def def = test_mesh_def(&w->ground.mesh);
  def.build.edges = edges;
  mo_mesh *built;
  check(mo_mesh_create(&def, &built));
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.transform = w->ground.map;
  add_body(w->scene, shape, 0, 0);
  mo_mesh_release(built);
}

static void begin(world *w, ground g, bool edges) {
  *w = (world){.ground = g};
  w->surface = surface_make(&g.mesh, &g.map);
  w->bounds = surface_nothing;
  for (uint32_t i = 0; i < w->surface.count; i++) {
    for (int k = 0; k < 3; k++) {
      surface_grow(&w->bounds, w->surface.corners[i][k]);
    }
  }
  mo_scene_def def = mo_default_scene_def();
  check(mo_scene_create(&def, &w->scene));
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.material.friction = 0.6f;
  check(mo_contact_tracker_create(w->scene, &tracker_def, &w->tracker));
  body_count = 0;
  add_ground(w, edges);
}

static void end(world *w) {
  for (uint32_t i = 1; i < body_count; i++) {
    mo_hull_release(w->runners[i].hull);
    free(w->runners[i].near);
  }
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
  surface_free(&w->surface);
}

/* The first triangle of some that a segment passes through, or UINT32_MAX. */
static uint32_t pierced_of(const world *w, const uint32_t *near, uint32_t count, ldvec from,
                           ldvec to) {
  for (uint32_t i = 0; i < count; i++) {
    if (segment_pierces(from, to, w->surface.corners[near[i]])) {
      return near[i];
    }
  }
  return UINT32_MAX;
}

static mo_aabb box_around(ldvec from, ldvec to, ldouble more) {
  polytope segment = {.vertex_count = 2, .vertices = {from, to}};
  return polytope_bounds(&segment, more);
}

static uint32_t pierced_by(const world *w, ldvec from, ldvec to) {
  static uint32_t near[SURFACE_MAX];
  mo_aabb box = box_around(from, to, 0);
  return pierced_of(w, near, surface_near(&w->surface, &box, near), from, to);
}

static bool contains(const mo_aabb *outer, const mo_aabb *inner) {
  return outer->lower.x <= inner->lower.x && outer->upper.x >= inner->upper.x &&
         outer->lower.y <= inner->lower.y && outer->upper.y >= inner->upper.y &&
         outer->lower.z <= inner->lower.z && outer->upper.z >= inner->upper.z;
}

/* The same for the way of a body. Triangles around are listed again only when it leaves their box,
 * as a loop over all triangles of a large mesh takes long. */
static uint32_t pierced_on_way(const world *w, runner *one, ldvec from, ldvec to) {
  mo_aabb box = box_around(from, to, 0);
  if (one->near == NULL || !contains(&one->seen, &box)) {
    static uint32_t near[SURFACE_MAX];
    one->seen = box_around(from, to, one->shape.thickness);
    one->near_count = surface_near(&w->surface, &one->seen, near);
    one->near = realloc(one->near, (one->near_count + 1) * sizeof *near);
    memcpy(one->near, near, one->near_count * sizeof *near);
  }
  return pierced_of(w, one->near, one->near_count, from, to);
}

/* Whether a body that is not rotated overlaps nothing there. */
static bool is_free(const world *w, const bent_body *shape, mo_vec3 at) {
  static uint32_t near[SURFACE_MAX];
  mo_transform map = mo_transform_identity();
  map.origin = at;
  polytope core = polytope_mapped(&shape->core, &map), outer = polytope_mapped(&shape->outer, &map);
  mo_aabb box = polytope_bounds(&outer, 0);
  uint32_t count = surface_near(&w->surface, &box, near);
  for (uint32_t i = 0; i < count; i++) {
    if (body_depth(shape, &core, w->surface.corners[near[i]]) > 0) {
      return false;
    }
  }
  return count < SURFACE_MAX;
}

/* Above a random triangle, from which it can be reached. */
static bool find_start(const world *w, const bent_body *shape, rng *r, mo_vec3 *start) {
  mo_transform identity = mo_transform_identity();
  polytope core = polytope_mapped(&shape->core, &identity);
  ldouble low, high;
  range_along(core.vertices, core.vertex_count, (ldvec){0, 1, 0}, &low, &high);
  for (int tries = 0; tries < 300; tries++) {
    const ldvec *t = w->surface.corners[rng_below(r, w->surface.count)];
    float u = rng_float(r, 0, 1), v = rng_float(r, 0, 1), up = rng_float(r, 0.05f, 0.5f);
    ldvec q = ld_add(ld_scale(1 - u, t[0]), ld_scale(u * (1 - v), t[1]));
    q = ld_add(q, ld_scale(u * v, t[2]));
    ldouble height = shape->rounding - low + up * shape->thickness;
    ldvec c = ld_add(q, (ldvec){0, height, 0});
    *start = mo_vec((float)c.x, (float)c.y, (float)c.z);
    q.y += 1e-4L * shape->thickness;
    if (is_free(w, shape, *start) && pierced_by(w, q, ld_float(*start)) == UINT32_MAX) {
      return true;
    }
  }
  return false;
}

/* Its own size instead of a transform's. */
static void give_own_hull(runner *one) {
  bent_body *b = &one->shape;
  mo_vec3 points[BENT_HULL_POINTS];
  for (int i = 0; i < BENT_HULL_POINTS; i++) {
    ldvec v = ld_scale(b->scale.x, b->core.vertices[i]);
    points[i] = mo_vec((float)v.x, (float)v.y, (float)v.z);
    b->core.vertices[i] = b->outer.vertices[i] = ld_float(points[i]);
  }
  b->scale = mo_vec(1, 1, 1);
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = BENT_HULL_POINTS;
  check(mo_hull_create(&def, &one->hull));
  b->geometry.hull = one->hull;
}

/* Bodies collide with the ground alone. */
static void add_runner(world *w, const runner *one, mo_vec3 velocity) {
  float size = 0.5f * (float)one->shape.diameter;
  mo_shape_def def = mo_default_shape_def(one->shape.geometry.type);
  def.geometry = one->shape.geometry;
  def.transform.origin = one->start;
  def.category = 2;
  def.mask = ~UINT64_C(2);
  w->runners[body_count] = *one;
  body *b = add_body(w->scene, def, 1, 0.4f * size * size);
  b->velocity.linear = velocity;
}

static float speed_limit(const runner *one) {
  return max_travel * 60 * (float)one->shape.thickness;
}

static void add_random_runner(world *w, body_kind kind, float size, rng *r) {
  runner one = {.shape = bent_body_make(kind, size, r)};
  if (kind == BODY_HULL) {
    give_own_hull(&one);
  }
  float speed = rng_float(r, 0, 0.5f) * speed_limit(&one);
  mo_vec3 direction = rng_direction(r);
  if (find_start(w, &one.shape, r, &one.start)) {
    add_runner(w, &one, mo_scale(speed, mo_vec(direction.x, 0, direction.z)));
  } else {
    mo_hull_release(one.hull);
  }
}

static mo_vec3 at_most(mo_vec3 v, float length) {
  float now = sqrtf(dot(v, v));
  return now > length ? mo_scale(length / now, v) : v;
}

static double energy_of(const body *b) {
  mo_vec3 v = b->velocity.linear;
  return 0.5 * (double)dot(v, v) + 9.81 * (double)b->position.y;
}

static void restart(runner *one, body *b) {
  b->position = one->start;
  b->rotation = (mo_quat){0, 0, 0, 1};
  b->velocity = (motion){{0, 0, 0}, {0, 0, 0}};
  one->restarts++;
}

static void report(const world *w, uint32_t i, bool edges, const char *what, mo_vec3 from,
                   uint32_t triangle) {
  if (examples[edges]++ >= 6) {
    return;
  }
  mo_vec3 to = bodies[i].position;
  fprintf(stderr, "%s: %s on %s, edges %d (seed %llu), from %a %a %a to %a %a %a", what,
          body_kind_name(w->runners[i].shape.kind), w->ground.name, edges, (unsigned long long)seed,
          (double)from.x, (double)from.y, (double)from.z, (double)to.x, (double)to.y, (double)to.z);
  if (triangle != UINT32_MAX) {
    const ldvec *t = w->surface.corners[triangle];
    fprintf(stderr, " through triangle %u: %.7Lg %.7Lg %.7Lg, %.7Lg %.7Lg %.7Lg, %.7Lg %.7Lg %.7Lg",
            triangle, t[0].x, t[0].y, t[0].z, t[1].x, t[1].y, t[1].z, t[2].x, t[2].y, t[2].z);
  }
  fprintf(stderr, "\n");
}

/* What falls over a border, or through, begins again. */
static void judge(world *w, bool edges, const body *before, double *energies) {
  for (uint32_t i = 1; i < body_count; i++) {
    runner *one = &w->runners[i];
    body *b = &bodies[i];
    mo_vec3 from = before[i].position;
    uint32_t triangle = pierced_on_way(w, one, ld_float(from), ld_float(b->position));
    b->velocity.linear = at_most(b->velocity.linear, speed_limit(one));
    b->velocity.angular = at_most(b->velocity.angular, 10);
    bool is_thrown = !(energy_of(b) <= energies[i] + max_gain);
    if (triangle != UINT32_MAX) {
      fallen[edges][one->shape.kind]++;
      report(w, i, edges, "fell through", from, triangle);
    } else if (is_thrown) {
      thrown[edges][one->shape.kind]++;
      report(w, i, edges, "thrown", from, UINT32_MAX);
    }
    if (triangle != UINT32_MAX || is_thrown || b->position.y < w->bounds.lower.y - 3) {
      restart(one, b);
      energies[i] = energy_of(b);
    }
  }
}

static void run(world *w, bool edges, double seconds) {
  static body before[MAX_BODIES];
  double energies[MAX_BODIES];
  for (uint32_t i = 1; i < body_count; i++) {
    energies[i] = energy_of(&bodies[i]);
    moved[edges][w->runners[i].shape.kind]++;
  }
  for (int i = 0; i < (int)(60 * seconds); i++) {
    memcpy(before, bodies, sizeof before);
    step(w->scene, w->tracker);
    judge(w, edges, before, energies);
  }
}

static void expect_no_falls(void) {
  for (int edges = 0; edges < 2; edges++) {
    for (int kind = 0; kind < BODY_KIND_COUNT; kind++) {
      if (moved[edges][kind] > 0) {
        fprintf(stderr, "%s edges, %s: %llu bodies, %llu falls, %llu thrown\n",
                edges ? "with" : "without", body_kind_name((body_kind)kind),
                (unsigned long long)moved[edges][kind], (unsigned long long)fallen[edges][kind],
                (unsigned long long)thrown[edges][kind]);
      }
      cr_expect_eq(fallen[edges][kind], 0, "%s", body_kind_name((body_kind)kind));
      cr_expect_eq(thrown[edges][kind], 0, "%s", body_kind_name((body_kind)kind));
    }
  }
}

/* The kinds of bodies by turns. */
static void run_on(ground g, bool edges, uint32_t count, double seconds, rng *r) {
  static world w;
  begin(&w, g, edges);
  for (uint32_t i = 0; i < count; i++) {
    float size = g.spacing * steady_power10(rng_float(r, -0.6f, 0.4f));
    add_random_runner(&w, kinds[i % KINDS], size, r);
  }
  run(&w, edges, seconds);
  end(&w);
}

/* Its y axis stays upright; its edges become about half a metre long. */
static void make_upright(ground *g, bool mirrored) {
  float scale = 0.5f / g->mesh_spacing;
  g->map = mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, mo_vec(scale, scale, scale));
  g->map.x_axis.x = mirrored ? -scale : scale;
  g->up = mo_vec(0, 1, 0);
  g->spacing = 0.5f;
}

Test(mesh_motion, nothing_falls_through_bent_ground) {
  seed = rng_seed("mesh motion", 3301);
  const uint64_t rounds = rng_few_rounds(1, 8);
  const double seconds = (double)rng_few_rounds(4, 60);
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < GROUND_KIND_COUNT; kind++) {
      rng r = rng_make(seed + 1000 * round + (uint64_t)kind);
      ground g = ground_make((ground_kind)kind, &r);
      make_upright(&g, rng_chance(&r, 0.3));
      run_on(g, true, 12, seconds, &r);
      run_on(g, false, 12, 0.25 * seconds, &r);
      test_mesh_free(&g.mesh);
    }
  }
  expect_no_falls();
}

/* A ridge that descends along x, with a slope to each side; any diagonals. */
static test_mesh descending_ridge(float slope, float length, rng *r) {
  test_mesh mesh = {0};
  for (int i = 0; 0.5f * (float)i < length; i++) {
    for (int k = -4; k < 4; k++) {
      mo_vec3 corners[4];
      for (int c = 0; c < 4; c++) {
        float x = 0.5f * (float)(i + c / 2), z = (float)(k + (c == 1 || c == 2));
        corners[c] = mo_vec(x, -slope * x - 0.1f * fabsf(z), z);
      }
      ground_quad(&mesh, corners[0], corners[1], corners[2], corners[3], r);
    }
  }
  ground_weld(&mesh);
  return mesh;
}

/* 60 at a time. */
Test(mesh_motion, balls_on_a_descending_ridge) {
  seed = rng_seed("mesh motion ridge", 3302);
  rng r = rng_make(seed);
  const double seconds = (double)rng_few_rounds(6, 60);
  const float slopes[] = {0.02f, 0.2f};
  for (int round = 0; round < 4; round++) {
    static world w;
    ground g = {.name = "descending ridge", .map = mo_transform_identity(), .spacing = 0.5f};
    g.mesh = descending_ridge(slopes[round % 2], 20, &r);
    bool edges = round < 2 || rng_chance(&r, 0.5);
    begin(&w, g, edges);
    for (uint32_t i = 0; i < 60; i++) {
      runner one = {.shape = bent_body_make(BODY_BALL, rng_float(&r, 0.15f, 0.5f), &r)};
      float x = rng_float(&r, 1, 19), z = rng_chance(&r, 0.5) ? 0 : rng_float(&r, -0.2f, 0.2f);
      float radius = one.shape.geometry.sphere.radius;
      one.start = mo_vec(x, -slopes[round % 2] * x + 1.05f * radius, z);
      add_runner(&w, &one, mo_vec(rng_float(&r, 0, 1), 0, 0));
    }
    run(&w, edges, seconds);
    end(&w);
    test_mesh_free(&g.mesh);
  }
  expect_no_falls();
}

/* Stands on edge along x; its upper border goes up and down. */
static test_mesh standing_sheet(rng *r) {
  enum { COLUMNS = 24, ROWS = 3 };
  static mo_vec3 at[COLUMNS + 1][ROWS + 1];
  test_mesh mesh = {0};
  const float rise = steady_power10(rng_float(r, -2, -0.4f));
  for (int i = 0; i <= COLUMNS; i++) {
    for (int k = 0; k <= ROWS; k++) {
      const float off = k == 0 ? 0 : rng_float(r, -rise, rise);
      at[i][k] = mo_vec(0.4f * (float)i, 0.5f * (float)(k - ROWS) + off, 0);
    }
  }
  for (int i = 0; i < COLUMNS; i++) {
    for (int k = 0; k < ROWS; k++) {
      ground_quad(&mesh, at[i][k], at[i][k + 1], at[i + 1][k + 1], at[i + 1][k], r);
    }
  }
  ground_weld(&mesh);
  return mesh;
}

/* What is dropped on to the border may balance there or fall off, and is not thrown. */
Test(mesh_motion, bodies_on_the_border_of_a_standing_sheet) {
  seed = rng_seed("mesh motion border", 3304);
  const uint64_t rounds = rng_few_rounds(3, 60);
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    ground g = {.name = "standing sheet", .map = mo_transform_identity(), .spacing = 0.4f};
    g.mesh = standing_sheet(&r);
    run_on(g, true, 24, 4, &r);
    test_mesh_free(&g.mesh);
  }
  expect_no_falls();
}

static float middle_edge(const surface *s) {
  ldouble sum = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    sum += ld_norm(ld_sub(s->corners[i][0], s->corners[i][1]));
  }
  return (float)(sum / s->count);
}

/* In the fast suite, the navigation meshes for a moment. */
Test(mesh_motion, nothing_falls_through_real_meshes) {
  enum { MAX_FILES = 512 };
  static char *paths[MAX_FILES];
  seed = rng_seed("mesh motion files", 3303);
  const double seconds = (double)rng_few_rounds(2, 60);
  uint32_t count = mesh_files_find(paths, MAX_FILES);
  for (uint32_t i = 0; i < count; i++) {
    rng r = rng_make(seed + i);
    ground g = {.map = mo_transform_identity()};
    bool chosen = rng_rounds(0, 1) != 0 || strstr(paths[i], "recast") != NULL;
    if (chosen && mesh_file_read(paths[i], &g.mesh)) {
      snprintf(g.name, sizeof g.name, "%.60s", g.mesh.name);
      surface s = surface_make(&g.mesh, &g.map);
      g.mesh_spacing = middle_edge(&s);
      surface_free(&s);
      if (g.mesh_spacing > 0 && isfinite(g.mesh_spacing)) {
        make_upright(&g, false);
        run_on(g, true, (uint32_t)rng_few_rounds(12, 36), seconds, &r);
      }
    }
    test_mesh_free(&g.mesh);
    free(paths[i]);
  }
  expect_no_falls();
}
