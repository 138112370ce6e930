/* Speculative contacts of fast bodies (mo_contact_tracker_def::max_speculative_distance): no body
 * overlaps anything after a step unless it had a contact before it. What overlaps is judged by
 * closest points and by closed forms. */
#include <motte/compound.h>
#include <stdlib.h>

#include "contact/flat_meshes.h"
#include "contact/floors.h"
#include "contact/tracking.h"
#include "math/aabb.h"
#include "support/rng.h"

enum { MAX_CONTACTS = 4096 };
static const float STEP = 1.0f / 60.0f;
static const mo_quat upright = {0, 0, 0, 1};

/* What a body may overlap, and a box around it. */
typedef struct obstacle {
  mo_primitive primitive;
  mo_aabb box;
} obstacle;

/* A scene with a tracker, and one body that flies. */
typedef struct flight {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  obstacle *obstacles; /* all that is not the body: shapes and triangles */
  uint32_t obstacle_count;
  mo_shape_id id;
  mo_geometry geometry;
  mo_mesh *mesh; /* not null: the body is this mesh, the surface of `geometry` */
  mo_quat rotation;
  mo_vec3 origin, velocity;
  /* Whether the ground, unless it is a half-space, and the body are children of compounds. */
  bool ground_is_child, body_is_child;
} flight;

typedef enum ground {
  GROUND_BOX,
  GROUND_HALF_SPACE,
  GROUND_FLAT_MESH,
  GROUND_HILLS,
  GROUNDS
} ground;

static void add_obstacle(flight *f, const mo_primitive *p, mo_aabb box) {
  if ((f->obstacle_count & (f->obstacle_count - 1)) == 0) { /* a power of two: all are in use */
    const uint32_t capacity = f->obstacle_count == 0 ? 1 : 2 * f->obstacle_count;
    f->obstacles = realloc(f->obstacles, capacity * sizeof *f->obstacles);
    cr_assert_not_null(f->obstacles);
  }
  f->obstacles[f->obstacle_count++] = (obstacle){*p, box};
}

/* Adds a shape, or a placement of a compound with that shape as its child, rotated against it. */
static mo_shape_id add_shape(mo_scene *scene, mo_shape_def def, bool is_child) {
  const mo_scene_def own = mo_default_scene_def();
  mo_compound *compound = NULL;
  mo_shape_id id;
  if (is_child) {
    const mo_transform turn =
        mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 1, 0, 0}, mo_vec(1, 1, 1));
    mo_shape_def child = def;
    child.transform = turn;
    cr_assert_eq(mo_compound_create(&own, &compound), MO_OK);
    cr_assert_eq(mo_scene_add_shape(mo_compound_children(compound), &child, &id), MO_OK);
    cr_assert_eq(mo_compound_update(compound), MO_OK);
    def.geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND, .compound = compound};
    def.transform = mo_transform_compose(&def.transform, &turn);
  }
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_compound_release(compound);
  return id;
}

static void add_static(flight *f, const mo_geometry *geometry) {
  mo_shape_def def = mo_default_shape_def(geometry->type);
  def.geometry = *geometry;
  def.motion = MO_MOTION_STATIC;
  add_shape(f->scene, def, f->ground_is_child && geometry->type != MO_SHAPE_HALF_SPACE);
  if (geometry->type != MO_SHAPE_MESH) {
    mo_primitive p = mo_primitive_of_geometry(geometry, &def.transform);
    add_obstacle(f, &p, mo_aabb_infinite());
  }
}

/* Triangles on a grid from -24 to 24; flat, or with heights of up to 3. */
static void add_mesh(flight *f, rng *r, bool hills) {
  test_mesh flat = {0};
  mo_vec3 grid[FLOOR_SIDE + 1][FLOOR_SIDE + 1];
  for (int i = 0; i <= FLOOR_SIDE; i++) {
    for (int k = 0; k <= FLOOR_SIDE; k++) {
      float y = hills ? rng_float(r, -3, 0) : 0;
      grid[i][k] = mo_vec(2 * (float)i - 24, y, 2 * (float)k - 24);
    }
  }
  for (int i = 0; i < FLOOR_SIDE; i++) {
    for (int k = 0; k < FLOOR_SIDE; k++) {
      test_mesh_add_corners(&flat, grid[i][k], grid[i + 1][k + 1], grid[i + 1][k]);
      test_mesh_add_corners(&flat, grid[i][k], grid[i][k + 1], grid[i + 1][k + 1]);
    }
  }
  mo_mesh_def def = test_mesh_def(&flat);
  def.build.edges = true;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  for (uint32_t i = 0; i < mo_mesh_triangle_count(mesh); i++) {
    mo_vec3 corners[3];
    cr_assert_eq(mo_mesh_get_triangle(mesh, i, corners, NULL), MO_OK);
    mo_primitive p = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
    mo_aabb box = {corners[0], corners[0]};
    for (int k = 1; k < 3; k++) {
      box = mo_aabb_add_point(box, corners[k]);
    }
    add_obstacle(f, &p, box);
  }
  mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = mesh};
  add_static(f, &geometry);
  mo_mesh_release(mesh);
  test_mesh_free(&flat);
}

static void add_ground(flight *f, rng *r, ground kind) {
  mo_geometry box = box_of(30, 1, 30);
  box.box.center.y = -1;
  mo_geometry half_space = {.type = MO_SHAPE_HALF_SPACE, .half_space = {{0, 1, 0}, 0}};
  switch (kind) {
  case GROUND_BOX:
    add_static(f, &box);
    return;
  case GROUND_HALF_SPACE:
    add_static(f, &half_space);
    return;
  default:
    add_mesh(f, r, kind == GROUND_HILLS);
  }
}

static void begin(flight *f, float margin, float max, float reuse) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = margin;
  *f = (flight){.rotation = upright};
  cr_assert_eq(mo_scene_create(&def, &f->scene), MO_OK);
  mo_contact_tracker_def tracker = mo_default_contact_tracker_def();
  tracker.max_speculative_distance = max;
  tracker.reuse_distance = reuse;
  cr_assert_eq(mo_contact_tracker_create(f->scene, &tracker, &f->tracker), MO_OK);
}

static void end(flight *f) {
  mo_mesh_release(f->mesh);
  mo_contact_tracker_destroy(f->tracker);
  mo_scene_destroy(f->scene);
  free(f->obstacles);
}

static void add_body(flight *f) {
  const mo_geometry of_mesh = {.type = MO_SHAPE_MESH, .mesh = f->mesh};
  mo_shape_def def = mo_default_shape_def(f->mesh != NULL ? MO_SHAPE_MESH : f->geometry.type);
  def.geometry = f->mesh != NULL ? of_mesh : f->geometry;
  def.transform = mo_transform_make(f->origin, f->rotation, mo_vec(1, 1, 1));
  f->id = add_shape(f->scene, def, f->body_is_child);
}

static mo_contact_events place(flight *f, mo_shape_id id, mo_vec3 origin, mo_vec3 velocity) {
  mo_update_def def = mo_default_update_def();
  def.ids = &id;
  def.origins = &origin;
  def.velocities = &velocity;
  def.lookahead = STEP;
  def.count = 1;
  cr_assert_eq(mo_scene_update(f->scene, &def), MO_OK);
  return update(f->tracker);
}

static float min_of(const mo_contact_events *events) {
  float min = INFINITY;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    min = fminf(min, min_separation(&events->contacts[i].contact.manifold));
  }
  return min;
}

static bool overlaps_at(const flight *f, mo_vec3 origin) {
  const mo_vec3 reach = {4, 4, 4}; /* of any body here */
  const mo_aabb around = {mo_sub(origin, reach), mo_add(origin, reach)};
  mo_primitive body = placed(f->geometry, origin, f->rotation);
  bool overlap = false;
  for (uint32_t i = 0; i < f->obstacle_count && !overlap; i++) {
    const obstacle *o = &f->obstacles[i];
    if (mo_aabb_overlap(o->box, around)) {
      cr_assert_eq(mo_primitive_overlap(&body, &o->primitive, &overlap), MO_OK);
    }
  }
  return overlap;
}

/* Whether it overlaps anywhere on its way in this step. Many bodies are thinner than their way. */
static bool overlaps_on_way(const flight *f, mo_vec3 way) {
  enum { PARTS = 12 };
  for (int i = 1; i <= PARTS; i++) {
    if (overlaps_at(f, mo_add(f->origin, mo_scale((float)i / PARTS, way)))) {
      return true;
    }
  }
  return false;
}

/* Falls and flies until it overlaps. Returns the deepest separation of its first contact. */
static float fly(flight *f, float gravity) {
  float first = INFINITY;
  cr_assert_not(overlaps_at(f, f->origin));
  for (int step = 0; step < 400 && f->origin.y > -4; step++) {
    mo_contact_events events = place(f, f->id, f->origin, f->velocity);
    const float now = min_of(&events);
    first = first < INFINITY ? first : now;
    f->velocity.y -= gravity * STEP;
    const mo_vec3 way = mo_scale(STEP, f->velocity);
    if (overlaps_on_way(f, way)) {
      cr_assert(now < INFINITY, "from (%a, %a, %a) it overlaps in the next step, without a contact",
                (double)f->origin.x, (double)f->origin.y, (double)f->origin.z);
      return first;
    }
    f->origin = mo_add(f->origin, way);
  }
  return first; /* past the side of the ground */
}

static mo_geometry body_of(rng *r, uint32_t kind) {
  mo_geometry g =
      box_of(rng_float(r, 0.1f, 0.7f), rng_float(r, 0.1f, 0.7f), rng_float(r, 0.1f, 0.7f));
  switch (kind) {
  case 0:
    return g;
  case 1:
    return sphere_of(mo_vec(0, 0, 0), rng_float(r, 0.1f, 0.6f));
  case 2:
    return capsule_of(rng_float(r, 0.1f, 0.8f), rng_float(r, 0.1f, 0.4f));
  case 3:
    return cylinder_of(rng_float(r, 0.1f, 0.6f), rng_float(r, 0.1f, 0.5f));
  case 4:
    g.rounding = 0.1f;
    return g;
  default:
    return (mo_geometry){.type = MO_SHAPE_HULL, .hull = test_hull_random(r)};
  }
}

enum { BODY_KINDS = 6, BOX_OF_TRIANGLES = BODY_KINDS };

/* Balls, boxes, capsules, cylinders, rounded boxes and hulls, at 5 to 100 m/s, upright or tilted;
 * on the ground also boxes that are meshes. */
static void check_fast_bodies(bool ground_is_child, bool body_is_child) {
  rng r = rng_make(rng_seed("contact/approach", 3211));
  uint64_t arrived = 0, flights = 0;
  for (uint32_t kind = 0; kind <= BOX_OF_TRIANGLES; kind++) {
    for (int g = 0; g < GROUNDS; g++) {
      for (uint64_t round = 0; round < rng_few_rounds(12, 600); round++) {
        flight f;
        const bool reuses = rng_chance(&r, 0.3);
        /* Without a margin nothing allows for what acceleration adds; and on bent meshes a cast
         * finds what lies along the velocity alone. */
        const bool falls = g != GROUND_HILLS && rng_chance(&r, 0.5);
        begin(&f, falls ? MO_CONTACT_MARGIN : 0, 2, reuses ? 0.005f : 0);
        f.ground_is_child = ground_is_child;
        f.body_is_child = body_is_child;
        add_ground(&f, &r, (ground)g);
        const float speed = rng_float(&r, 5, 100), lean = rng_float(&r, 0, 0.6f);
        const float around = rng_float(&r, 0, 6.28f),
                    height = rng_float(&r, 2.5f, 2.5f + 0.15f * speed);
        const mo_vec3 target = rng_vec3(&r, -4, 4);
        f.geometry = body_of(&r, kind % BODY_KINDS);
        if (kind == BOX_OF_TRIANGLES) {
          test_mesh box = crate(f.geometry.box.half_extents, 1 + (int)rng_below(&r, 3));
          f.mesh = build(&box);
        }
        f.rotation = rng_chance(&r, 0.3) ? upright : rng_rotation(&r);
        f.velocity = mo_vec(speed * sinf(lean) * cosf(around), -speed * cosf(lean),
                            speed * sinf(lean) * sinf(around));
        f.origin =
            mo_add(mo_vec(target.x, 0, target.z), mo_scale(height / f.velocity.y, f.velocity));
        add_body(&f);
        const float first = fly(&f, falls ? 9.81f : 0);
        flights++;
        arrived += first < INFINITY;
        cr_assert_geq(first, -1e-5f, "kind %u on ground %d at %g m/s: first contact %g deep", kind,
                      g, (double)speed, -(double)first);
        end(&f);
      }
    }
  }
  cr_assert_gt(2 * arrived, flights);
}

Test(contact_approach, fast_bodies_have_contacts_before_they_overlap) {
  check_fast_bodies(false, false);
}

Test(contact_approach, fast_children_have_contacts_before_they_overlap) {
  check_fast_bodies(true, false);
  check_fast_bodies(false, true);
  check_fast_bodies(true, true);
}

/* Checks the contacts of a ball with a mesh. Returns how many points are beside the shortest way
 * out: they must be what the ball meets on its way. */
static uint32_t check_ball(const flight *f, const mo_contact_events *events, bool mesh_first) {
  const ldouble radius = f->geometry.sphere.radius;
  uint32_t met = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_manifold *m = &events->contacts[i].contact.manifold;
    const ldvec out = ld_scale(mesh_first ? 1 : -1, ld_float(m->normal));
    for (uint32_t k = 0; k < m->point_count; k++) {
      const ldouble apart = m->points[k].separation;
      const ldvec to = ld_sub(ld_float(f->origin), ld_float(m->points[k].position));
      const ldouble height = ld_dot(to, out);
      cr_assert(fabsl(height - radius - apart / 2) < 1e-4L, "%Lg above, %Lg apart", height - radius,
                apart);
      if (ld_norm(ld_sub(to, ld_scale(height, out))) > 1e-2L) {
        const ldvec on = ld_add(to, ld_scale(apart / 2, out)), way = ld_float(f->velocity);
        const ldouble along = -ld_dot(on, way) / ld_dot(way, way);
        cr_assert(ld_norm(ld_add(on, ld_scale(along, way))) < radius + 1e-3L);
        met++;
      }
    }
  }
  return met;
}

/* Balls of a compound that fly along a floor towards a slope: each has its contact with the floor,
 * and one with the slope, which a cast finds. However many there are, none of them gets lost. */
Test(contact_approach, many_children_are_cast_together) {
  enum { MAX_BALLS = 24 };
  static const float corners[6][3] = {{-9, 0, -9}, {1, 0, -9}, {-9, 0, 9},
                                      {1, 0, 9},   {9, 8, -9}, {9, 8, 9}};
  static const uint32_t triangles[] = {0, 2, 1, 1, 2, 3, 1, 3, 4, 4, 3, 5};
  mo_mesh_def ground_def = mo_default_mesh_def();
  ground_def.positions = &corners[0][0];
  ground_def.vertex_count = 6;
  ground_def.indices = triangles;
  ground_def.triangle_count = 4;
  ground_def.build.edges = true;
  for (uint32_t count = 1; count <= MAX_BALLS; count++) {
    mo_scene_def def = mo_default_scene_def();
    def.margin = MO_CONTACT_MARGIN;
    mo_mesh *mesh;
    mo_compound *balls;
    mo_scene *scene;
    cr_assert_eq(mo_mesh_create(&ground_def, &mesh), MO_OK);
    cr_assert_eq(mo_compound_create(&def, &balls), MO_OK);
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.geometry.sphere.radius = 0.1f;
    mo_shape_id floor_id, body;
    for (uint32_t i = 0; i < count; i++) {
      shape.transform.origin.z = 0.25f * (float)i;
      cr_assert_eq(mo_scene_add_shape(mo_compound_children(balls), &shape, &body), MO_OK);
    }
    cr_assert_eq(mo_compound_update(balls), MO_OK);
    shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = mesh;
    shape.motion = MO_MOTION_STATIC;
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &floor_id), MO_OK);
    shape = mo_default_shape_def(MO_SHAPE_COMPOUND);
    shape.geometry.compound = balls;
    shape.transform.origin = mo_vec(0.6f, 0.35f, 0);
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &body), MO_OK);
    mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
    tracker_def.max_speculative_distance = 1;
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(scene, &tracker_def, &tracker), MO_OK);
    const mo_vec3 velocity = {42, 0, 0};
    mo_update_def move = mo_default_update_def();
    move.ids = &body;
    move.transforms = &shape.transform;
    move.velocities = &velocity;
    move.lookahead = STEP;
    move.count = 1;
    mo_contact_events events;
    cr_assert_eq(mo_scene_update(scene, &move), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    uint32_t of_child[MAX_BALLS] = {0};
    for (uint32_t i = 0; i < events.contact_count; i++) {
      const mo_contact *c = &events.contacts[i].contact;
      cr_assert(c->a.index == floor_id.index && c->b.index == body.index && c->child_b < count);
      of_child[c->child_b]++;
    }
    for (uint32_t i = 0; i < count; i++) {
      cr_assert_eq(of_child[i], of_child[0], "%u of %u: %u contacts", i, count, of_child[i]);
      cr_assert(of_child[i] > 0);
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
    mo_compound_release(balls);
    mo_mesh_release(mesh);
  }
}

/* Contacts of balls that fly over hills lead from A to B, with the point halfway. The mesh is A as
 * often as B. */
Test(contact_approach, points_that_balls_will_meet) {
  rng r = rng_make(rng_seed("contact/approach/balls", 3213));
  uint32_t met[2] = {0, 0};
  for (uint64_t round = 0; round < rng_rounds(30, 1000); round++) {
    flight f;
    begin(&f, 0, 4, 0);
    const bool mesh_first = round % 2 == 1;
    f.geometry = sphere_of(mo_vec(0, 0, 0), rng_float(&r, 0.1f, 0.6f));
    f.origin = mo_vec(0, 10, 0);
    if (mesh_first) {
      add_mesh(&f, &r, true);
      add_body(&f);
    } else {
      add_body(&f);
      add_mesh(&f, &r, true);
    }
    for (int i = 0; i < 200; i++) {
      const mo_vec3 way = rng_direction(&r);
      f.velocity = mo_scale(rng_float(&r, 60, 240), mo_vec(way.x, 0.3f * way.y, way.z));
      f.origin = mo_vec(rng_float(&r, -9, 9), rng_float(&r, -0.8f, 0.5f), rng_float(&r, -9, 9));
      const mo_contact_events events = place(&f, f.id, f.origin, f.velocity);
      if (!overlaps_at(&f, f.origin)) {
        met[mesh_first] += check_ball(&f, &events, mesh_first);
      }
    }
    end(&f);
  }
  cr_assert(met[0] > 10 && met[1] > 10, "%u %u", met[0], met[1]);
}

/* A one-sided mesh is in the way of what flies at its front alone. */
Test(contact_approach, backs_of_one_sided_meshes_are_not_met) {
  rng r = rng_make(0);
  for (int side = -1; side <= 1; side += 2) {
    flight f;
    begin(&f, 0, 4, 0);
    mo_contact_tracker_destroy(f.tracker);
    mo_contact_tracker_def def = mo_default_contact_tracker_def();
    def.max_speculative_distance = 4;
    def.cull_back_faces = true;
    cr_assert_eq(mo_contact_tracker_create(f.scene, &def, &f.tracker), MO_OK);
    add_mesh(&f, &r, false);
    f.geometry = sphere_of(mo_vec(0, 0, 0), 0.3f);
    f.origin = mo_vec(0.7f, (float)side, 0.4f);
    add_body(&f);
    const mo_contact_events events =
        place(&f, f.id, f.origin, mo_vec(30, -120.0f * (float)side, 0));
    cr_assert_eq(events.contact_count, side > 0, "from side %d", side);
    end(&f);
  }
}

/* What was wrong: a box that falls at 27 m/s. */
Test(contact_approach, of_a_falling_box) {
  for (int on = 0; on < 2; on++) {
    flight f;
    begin(&f, MO_CONTACT_MARGIN, on ? 1 : 0, 0);
    rng r = rng_make(1);
    add_ground(&f, &r, GROUND_BOX);
    f.geometry = box_of(0.5f, 0.5f, 0.5f);
    f.velocity = mo_vec(0, -27, 0);
    f.origin = mo_vec(0, 0.5f + 0.45f * 3 + 0.25f, 0);
    add_body(&f);
    float depth = INFINITY;
    for (int step = 0; step < 10 && !(depth < INFINITY); step++) {
      mo_contact_events events = place(&f, f.id, f.origin, f.velocity);
      depth = min_of(&events);
      f.origin = mo_add(f.origin, mo_scale(STEP, f.velocity));
    }
    if (on) { /* 0.25 away, which is less than 0.45 */
      cr_assert_float_eq(depth, 0.25f, 1e-4f);
    } else {
      cr_assert_float_eq(depth, -0.2f, 1e-4f, "the option is off");
    }
    end(&f);
  }
}

static bool boxes_touch(const mo_scene *scene, const mo_shape_id ids[2]) {
  mo_aabb a, b;
  cr_assert_eq(mo_scene_get_bounds(scene, ids[0], &a), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, ids[1], &b), MO_OK);
  return mo_aabb_overlap(a, b);
}

/* Points are as far away as the shapes approach, by closed form: along the normal, up to the limit,
 * by the velocity of each. */
Test(contact_approach, decides_how_far_points_may_be) {
  rng r = rng_make(rng_seed("contact/approach: distance", 3212));
  uint32_t near = 0, far = 0;
  for (uint64_t round = 0; round < rng_rounds(1000, 50000); round++) {
    flight f;
    float limit = rng_float(&r, 0, 1);
    begin(&f, rng_float(&r, 0, 0.02f), limit, 0);
    mo_shape_id ids[2];
    mo_vec3 origins[2] = {{0, 0, 0}, mo_scale(rng_float(&r, 1.01f, 2.2f), rng_direction(&r))};
    mo_vec3 velocities[2];
    for (int i = 0; i < 2; i++) {
      ids[i] =
          add(f.scene, sphere_of(mo_vec(0, 0, 0), 0.5f), origins[i].x, origins[i].y, origins[i].z);
      velocities[i] = rng_chance(&r, 0.2) ? mo_vec(0, 0, 0) : rng_vec3(&r, -60, 60);
    }
    place(&f, ids[0], origins[0], velocities[0]);
    mo_contact_events events = place(&f, ids[1], origins[1], velocities[1]);
    double distance = apart(origins[0], origins[1]), gap = distance - 1, approach = 0;
    for (int axis = 0; axis < 3; axis++) {
      const float *d = &origins[1].x, *a = &velocities[0].x, *b = &velocities[1].x;
      approach += ((double)a[axis] - (double)b[axis]) / 60 * (double)d[axis] / distance;
    }
    double max = fmax(0.02, fmin((double)limit, 0.02 + fmax(approach, 0)));
    /* Closer than that to the limit it is a matter of rounding. Boxes that do not touch are no
     * pair.
     */
    if (gap < max - 1e-4 && boxes_touch(f.scene, ids)) {
      cr_assert_eq(events.contact_count, 1, "%g apart, up to %g", gap, max);
      near++;
    } else if (gap > max + 1e-4) {
      cr_assert_eq(events.contact_count, 0, "%g apart, up to %g", gap, max);
      far++;
    }
    end(&f);
  }
  cr_assert(near > 50 && far > 50, "%u near, %u far", near, far);
}

/* A box that flies over a floor, along a wall: the contacts are those of one that lies still, with
 * all four points, and the wall has none. */
Test(contact_approach, shapes_that_fly_past_each_other_are_no_farther_than_others) {
  for (int fast = 0; fast < 2; fast++) {
    flight f;
    begin(&f, MO_CONTACT_MARGIN, 2, 0);
    rng r = rng_make(1);
    add_ground(&f, &r, GROUND_BOX);
    mo_geometry wall = box_of(30, 5, 0.5f);
    wall.box.center.z = 1.3f; /* 0.3 from the box */
    add_static(&f, &wall);
    f.geometry = box_of(0.5f, 0.5f, 0.5f);
    f.origin = mo_vec(0, 0.5f, 0);
    f.velocity = mo_vec(fast ? 80 : 0, 0, 0);
    add_body(&f);
    mo_contact_events events = place(&f, f.id, f.origin, f.velocity);
    cr_assert_eq(events.contact_count, 1);
    cr_assert_eq(events.contacts[0].contact.manifold.point_count, 4);
    end(&f);
  }
}

/* Velocities are forgotten by the next move without one, by mo_scene_refresh_shape, and with the
 * shape. */
Test(contact_approach, velocities_hold_until_the_next_move) {
  flight f;
  begin(&f, MO_CONTACT_MARGIN, 2, 0);
  rng r = rng_make(1);
  add_ground(&f, &r, GROUND_BOX);
  f.geometry = box_of(0.5f, 0.5f, 0.5f);
  f.origin = mo_vec(0, 0.7f, 0);
  f.velocity = mo_vec(0, -30, 0);
  add_body(&f);
  mo_transform map = mo_transform_identity();
  map.origin = f.origin;
  mo_contact_events events = place(&f, f.id, f.origin, f.velocity);
  cr_assert_eq(events.contact_count, 1);
  cr_assert_eq(update(f.tracker).contact_count, 1, "nothing has changed");
  cr_assert_eq(mo_contact_tracker_refresh_shape(f.tracker, f.id), MO_OK);
  cr_assert_eq(update(f.tracker).contact_count, 1, "worked out again, with its velocity");
  cr_assert_eq(mo_scene_set_transform(f.scene, f.id, &map), MO_OK);
  cr_assert_eq(update(f.tracker).contact_count, 0, "moved without a velocity");
  cr_assert_eq(place(&f, f.id, f.origin, f.velocity).contact_count, 1);
  cr_assert_eq(mo_scene_refresh_shape(f.scene, f.id), MO_OK);
  cr_assert_eq(update(f.tracker).contact_count, 0, "refreshed");
  cr_assert_eq(place(&f, f.id, f.origin, f.velocity).contact_count, 1);
  cr_assert_eq(mo_scene_remove_shape(f.scene, f.id), MO_OK);
  add_body(&f);
  cr_assert_eq(update(f.tracker).contact_count, 0, "another shape in the slot");
  cr_assert_eq(place(&f, f.id, f.origin, mo_vec(0, 30, 0)).contact_count, 0, "leaves");
  end(&f);
}
