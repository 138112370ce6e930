#include "queries-demo/panels.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

static const mo_vec3 across = {0.0f, 0.0f, 1.0f};

static struct pen pen_of(uint32_t color) {
  return (struct pen){
      .light = light_of_color(color), .width = 2.5f, .strength = 0.95f, .hidden = 0.35f};
}

static void draw_line(const struct overlay *overlay, mo_vec3 from, mo_vec3 to, uint32_t color) {
  struct pen pen = pen_of(color);
  overlay_line(overlay, from, to, &pen);
}

static void draw_dot(const struct overlay *overlay, mo_vec3 at, float width, uint32_t color) {
  struct pen pen = pen_of(color);
  pen.width = width;
  overlay_dot(overlay, at, &pen);
}

static mo_filter solids(void) {
  mo_filter filter = mo_default_filter();
  filter.mask = STAGE_SOLID;
  return filter;
}

static void set_all(struct stage *stage) {
  stage_add_ring(stage);
  stage_add_solids(stage);
}

static void set_ring(struct stage *stage) {
  stage_add_ring(stage);
}

/* --- rays --- */

static mo_ray_def ray_of_panels(void) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = vec3(-7.0f, 2.9f, 2.2f);
  ray.direction = vec3(14.0f, -2.4f, -3.6f);
  ray.max_t = 1.0f;
  ray.filter = solids();
  return ray;
}

static void draw_hit(const struct overlay *overlay, const mo_ray_hit *hit, uint32_t color) {
  draw_dot(overlay, hit->point, 9.0f, color);
  draw_line(overlay, hit->point, vec3_add(hit->point, vec3_scale(0.8f, hit->normal)), color);
}

static void draw_closest_hit(const struct stage *stage, const struct overlay *overlay) {
  mo_ray_def ray = ray_of_panels();
  mo_ray_hit hit;
  check(mo_scene_cast_ray(stage->scene, &ray, &hit, NULL), "cast a ray");
  if (hit.found) {
    draw_line(overlay, ray.origin, hit.point, AMBER);
    draw_hit(overlay, &hit, RED);
  }
}

static void draw_all_hits(const struct stage *stage, const struct overlay *overlay) {
  enum { MAX = 64 };
  mo_ray_def ray = ray_of_panels();
  mo_ray_hit hits[MAX];
  uint32_t total;
  check(mo_scene_cast_ray_all(stage->scene, &ray, hits, MAX, &total, NULL), "cast a ray");
  draw_line(overlay, ray.origin, vec3_add(ray.origin, ray.direction), AMBER);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    draw_hit(overlay, &hits[i], hits[i].front ? RED : BLUE);
  }
}

/* --- overlaps --- */

static mo_primitive primitive(mo_geometry geometry, mo_transform at) {
  return mo_primitive_of_geometry(&geometry, &at);
}

static mo_geometry box_of(float x, float y, float z) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_BOX).geometry;
  geometry.box.half_extents = vec3(x, y, z);
  return geometry;
}

static mo_geometry ball_of(float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  geometry.sphere.radius = radius;
  return geometry;
}

static mo_geometry capsule_of(float half, float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_CAPSULE).geometry;
  geometry.capsule = (mo_capsule){vec3(0.0f, -half, 0.0f), vec3(0.0f, half, 0.0f), radius};
  return geometry;
}

static void draw_edges(const struct overlay *overlay, const mo_primitive *box, uint32_t color) {
  mo_vec3 h = box->geometry.box.half_extents;
  for (unsigned corner = 0; corner < 8; corner++) {
    for (unsigned axis = 1; axis <= 4; axis *= 2) {
      if (corner & axis) {
        const mo_aabb local = {vec3(-h.x, -h.y, -h.z), h};
        draw_line(overlay, mo_transform_point(&box->transform, aabb_corner(local, corner)),
                  mo_transform_point(&box->transform, aabb_corner(local, corner & ~axis)), color);
      }
    }
  }
}

static mo_primitive turned_box(void) {
  return primitive(box_of(3.4f, 1.2f, 0.8f),
                   stage_place(vec3(2.6f, 1.5f, 1.6f), vec3(0.2f, 1.0f, 0.1f), 0.7f));
}

static bool paint_touched(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  stage_paint(context, user_data, RED);
  return true;
}

static void set_overlap(struct stage *stage) {
  set_all(stage);
  mo_overlap_def def = mo_overlap_primitive_def(turned_box());
  def.filter = solids();
  check(mo_scene_visit_overlaps(stage->scene, &def, paint_touched, stage, NULL), "find overlaps");
}

static void draw_overlap(const struct stage *stage, const struct overlay *overlay) {
  (void)stage;
  mo_primitive box = turned_box();
  draw_edges(overlay, &box, AMBER);
}

/* Of a camera at the left that looks along x, at what lies from 3 to 10 before it. */
static void frustum_corners(mo_vec3 corners[8]) {
  const float near = 3.0f, far = 10.0f, wide = 3.0f, high = 6.0f;
  float projection[16] = {0}; /* by columns */
  projection[8] = wide;
  projection[5] = high;
  projection[13] = -1.6f * high;
  projection[2] = (far + near) / (far - near);
  projection[14] = (8.0f * (far + near) - 2.0f * far * near) / (far - near);
  projection[3] = 1.0f; /* the distance along x from the camera, at x = -8 */
  projection[15] = 8.0f;
  check(mo_frustum_corners(projection, corners), "find the corners of a frustum");
}

static void set_frustum(struct stage *stage) {
  mo_vec3 corners[8];
  mo_hull_def hull_def = mo_default_hull_def();
  mo_geometry frustum = {.type = MO_SHAPE_HULL};
  mo_transform here = mo_transform_identity();
  set_all(stage);
  frustum_corners(corners);
  hull_def.positions = corners;
  hull_def.position_count = 8;
  check(mo_hull_create(&hull_def, &frustum.hull), "make a hull of a frustum");
  mo_overlap_def def = mo_overlap_primitive_def(primitive(frustum, here));
  def.filter = solids();
  check(mo_scene_visit_overlaps(stage->scene, &def, paint_touched, stage, NULL), "cull");
  mo_hull_release(frustum.hull);
}

static void draw_frustum(const struct stage *stage, const struct overlay *overlay) {
  (void)stage;
  mo_vec3 corners[8];
  frustum_corners(corners);
  for (unsigned corner = 0; corner < 8; corner++) {
    for (unsigned bit = 1; bit <= 4; bit *= 2) {
      if (corner & bit) {
        draw_line(overlay, corners[corner], corners[corner & ~bit], AMBER);
      }
    }
  }
}

static mo_primitive lying_capsule(void) {
  return primitive(capsule_of(1.1f, 0.7f), stage_place(vec3(2.2f, 2.4f, 1.6f), across, 1.1f));
}

static bool draw_triangle(const mo_triangle *triangle, void *context) {
  for (int i = 0; i < 3; i++) {
    draw_line(context, triangle->corners[i], triangle->corners[(i + 1) % 3], RED);
  }
  return true;
}

static void set_triangles(struct stage *stage) {
  stage_add_ring(stage);
  mo_primitive capsule = lying_capsule();
  stage_add_figure(stage, &capsule.geometry, &capsule.transform, AMBER);
}

static void draw_triangles(const struct stage *stage, const struct overlay *overlay) {
  mo_overlap_def def = mo_overlap_primitive_def(lying_capsule());
  def.filter = solids();
  struct overlay copy = *overlay;
  check(mo_scene_visit_triangles(stage->scene, &def, draw_triangle, &copy, NULL), "find triangles");
}

/* --- casts --- */

/* Adds a shape at some times of a movement. */
static void add_trail(struct stage *stage, const mo_shape_cast_def *def, float last, uint32_t steps,
                      uint32_t color) {
  for (uint32_t i = 0; i <= steps; i++) {
    float t = last * (float)i / (float)steps;
    mo_transform turn = stage_place(vec3(0, 0, 0), def->axis, t * def->angle);
    if (def->angle == 0.0f) {
      turn = mo_transform_identity();
    }
    mo_transform at = def->primitive.transform;
    at.origin = vec3_sub(at.origin, def->pivot);
    at = mo_transform_compose(&turn, &at);
    at.origin = vec3_add(vec3_add(at.origin, def->pivot), vec3_scale(t, def->displacement));
    stage_add_figure(stage, &def->primitive.geometry, &at, i == steps ? color : BLUE);
  }
}

static mo_shape_cast_def falling_ball(void) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = primitive(ball_of(0.6f), stage_place(vec3(-6.0f, 5.0f, 2.0f), across, 0.0f));
  def.displacement = vec3(7.5f, -4.5f, -1.5f);
  def.options.filter = solids();
  return def;
}

static mo_shape_cast_def turning_bar(void) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive =
      primitive(box_of(2.6f, 0.18f, 0.3f), stage_place(vec3(0.0f, 4.6f, 0.5f), across, 0.0f));
  def.displacement = vec3(1.5f, -1.4f, 0.0f);
  def.pivot = vec3(0.0f, 4.6f, 0.5f);
  def.axis = across;
  def.angle = -2.6f;
  def.options.filter = solids();
  return def;
}

static void set_cast(struct stage *stage, const mo_shape_cast_def *def, uint32_t steps) {
  stage_add_ring(stage);
  mo_cast_hit hit;
  check(mo_scene_cast_shape(stage->scene, def, &hit, NULL), "cast a shape");
  add_trail(stage, def, hit.found ? hit.t : 1.0f, steps, AMBER);
}

static void draw_contact(const struct stage *stage, const struct overlay *overlay,
                         const mo_shape_cast_def *def) {
  mo_cast_hit hit;
  check(mo_scene_cast_shape(stage->scene, def, &hit, NULL), "cast a shape");
  if (hit.found) {
    draw_dot(overlay, hit.point, 9.0f, RED);
    draw_line(overlay, hit.point, vec3_add(hit.point, vec3_scale(1.2f, hit.normal)), RED);
  }
}

static void set_moving(struct stage *stage) {
  const mo_shape_cast_def def = falling_ball();
  set_cast(stage, &def, 4);
}

static void draw_moving(const struct stage *stage, const struct overlay *overlay) {
  const mo_shape_cast_def def = falling_ball();
  draw_contact(stage, overlay, &def);
}

static void set_turning(struct stage *stage) {
  const mo_shape_cast_def def = turning_bar();
  set_cast(stage, &def, 3);
}

static void draw_turning(const struct stage *stage, const struct overlay *overlay) {
  const mo_shape_cast_def def = turning_bar();
  draw_contact(stage, overlay, &def);
}

/* Two balls that fly at each other, and one that falls on the ring; each as of a cast. */
static void set_impacts(struct stage *stage) {
  enum { MOVERS = 3 };
  mo_shape_cast_def ways[MOVERS] = {falling_ball(), falling_ball(), falling_ball()};
  ways[0].primitive = primitive(ball_of(0.5f), stage_place(vec3(-6.0f, 1.6f, 3.8f), across, 0.0f));
  ways[0].displacement = vec3(8.0f, 0.4f, 0.0f);
  ways[1].primitive = primitive(ball_of(0.8f), stage_place(vec3(5.6f, 2.4f, 3.8f), across, 0.0f));
  ways[1].displacement = vec3(-6.4f, -0.4f, 0.0f);
  ways[2].displacement = vec3(5.2f, -5.2f, -3.0f);
  mo_mover movers[MOVERS];
  mo_mover_memory memory[MOVERS];
  mo_impact impacts[MOVERS];
  stage_add_ring(stage);
  for (uint32_t i = 0; i < MOVERS; i++) {
    const mo_shape_cast_def *way = &ways[i];
    movers[i] = (mo_mover){
        .shape = stage_add(stage, &way->primitive.geometry, &way->primitive.transform, BLUE),
        .movement = {way->displacement, way->pivot, way->axis, way->angle},
    };
  }
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  search.count = MOVERS;
  check(mo_scene_find_impacts(stage->scene, &search, impacts, NULL, NULL), "find impacts");
  for (uint32_t i = 0; i < MOVERS; i++) {
    add_trail(stage, &ways[i], impacts[i].found ? impacts[i].t : 1.0f, 3, AMBER);
  }
}

/* --- distances --- */

static mo_distance_def near_of(mo_primitive from) {
  mo_distance_def def = mo_default_distance_def();
  def.primitive = from;
  def.filter = solids();
  return def;
}

static mo_primitive leaning_cylinder(void) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
  geometry.cylinder = (mo_cylinder){vec3(0.0f, -1.0f, 0.0f), vec3(0.0f, 1.0f, 0.0f), 0.5f};
  return primitive(geometry, stage_place(vec3(-2.0f, 4.6f, 1.5f), across, 0.8f));
}

static void set_closest(struct stage *stage) {
  stage_add_ring(stage);
  mo_primitive from = leaning_cylinder();
  stage_add_figure(stage, &from.geometry, &from.transform, AMBER);
}

static void draw_closest(const struct stage *stage, const struct overlay *overlay) {
  mo_distance_def def = near_of(leaning_cylinder());
  mo_closest_hit hit;
  check(mo_scene_find_closest(stage->scene, &def, &hit, NULL), "find what is closest");
  draw_line(overlay, hit.from, hit.point, RED);
  draw_dot(overlay, hit.from, 8.0f, RED);
  draw_dot(overlay, hit.point, 8.0f, RED);
}

static mo_primitive ball_aside(void) {
  return primitive(ball_of(0.5f), stage_place(vec3(4.4f, 3.6f, 4.4f), across, 0.0f));
}

static void set_nearest(struct stage *stage) {
  set_all(stage);
  mo_primitive from = ball_aside();
  stage_add_figure(stage, &from.geometry, &from.transform, AMBER);
}

static void draw_nearest(const struct stage *stage, const struct overlay *overlay) {
  enum { FEW = 6 };
  mo_distance_def def = near_of(ball_aside());
  mo_closest_hit hits[FEW];
  uint32_t count;
  check(mo_scene_find_closest_few(stage->scene, &def, hits, FEW, &count, NULL),
        "find the closest few");
  for (uint32_t i = 0; i < count; i++) {
    draw_line(overlay, hits[i].from, hits[i].point, i == 0 ? RED : AMBER);
    draw_dot(overlay, hits[i].point, 7.0f, i == 0 ? RED : AMBER);
  }
}

static void draw_signed(const struct stage *stage, const struct overlay *overlay) {
  for (int i = -22; i <= 22; i++) {
    for (int j = -9; j <= 9; j++) {
      mo_closest_def def = mo_default_closest_def();
      def.point = vec3(0.22f * (float)i, 1.8f + 0.22f * (float)j, 0.0f);
      def.filter = solids();
      mo_closest_hit hit;
      if (def.point.y < 0.05f) {
        continue; /* below the floor */
      }
      check(mo_scene_signed_distance(stage->scene, &def, &hit, NULL), "find a signed distance");
      float width = 2.0f + 5.0f * fminf(fabsf(hit.distance), 1.0f);
      struct pen pen = pen_of(hit.distance < 0.0f ? RED : BLUE);
      pen.width = width;
      pen.hidden = 1.0f;
      overlay_dot(overlay, def.point, &pen);
    }
  }
}

/* --- separation, contacts, characters, hulls --- */

static void set_separation(struct stage *stage) {
  stage_add_ring(stage);
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive =
      primitive(capsule_of(0.8f, 0.6f), stage_place(vec3(1.2f, 2.6f, 2.6f), across, 1.3f));
  def.options.filter = solids();
  mo_separation out;
  check(mo_scene_find_separation(stage->scene, &def, &out, NULL), "find a separation");
  stage_add_figure(stage, &def.primitive.geometry, &def.primitive.transform, RED);
  if (out.overlaps && out.found) {
    mo_transform at = def.primitive.transform;
    at.origin = vec3_add(at.origin, out.translation);
    stage_add_figure(stage, &def.primitive.geometry, &at, AMBER);
  }
}

/* A slab that lies on four shapes. */
static mo_primitive slab(void) {
  return primitive(box_of(4.8f, 0.3f, 1.6f), stage_place(vec3(0.0f, 2.2f, 0.0f), across, 0.02f));
}

static void set_contacts(struct stage *stage) {
  mo_geometry cylinder = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
  cylinder.cylinder = (mo_cylinder){vec3(0.0f, -1.0f, 0.0f), vec3(0.0f, 1.0f, 0.0f), 0.9f};
  const mo_geometry below[] = {box_of(0.8f, 1.0f, 0.8f), capsule_of(0.9f, 1.0f), ball_of(1.0f),
                               cylinder};
  for (int i = 0; i < 4; i++) {
    mo_transform at = stage_place(vec3(-3.6f + 2.4f * (float)i, 1.0f, 0.0f),
                                  i == 1 ? vec3(1.0f, 0.0f, 0.0f) : vec3(0.0f, 1.0f, 0.0f),
                                  i == 1 ? 1.5707963f : 0.4f);
    stage_add(stage, &below[i], &at, GREEN);
  }
}

/* Normals and, by the size of their points, depths. */
static void draw_contacts(const struct stage *stage, const struct overlay *overlay) {
  enum { MAX = 8 };
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = slab();
  def.filter = solids();
  mo_contact contacts[MAX];
  uint32_t total;
  check(mo_scene_collide_shape(stage->scene, &def, contacts, MAX, &total, NULL), "find contacts");
  draw_edges(overlay, &def.primitive, AMBER);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    const mo_manifold *manifold = &contacts[i].manifold;
    for (uint32_t k = 0; k < manifold->point_count; k++) {
      mo_vec3 at = manifold->points[k].position;
      draw_dot(overlay, at, 4.0f + 60.0f * fmaxf(0.0f, -manifold->points[k].separation), RED);
      draw_line(overlay, at, vec3_add(at, vec3_scale(-0.9f, manifold->normal)), RED);
    }
  }
}

static void set_character(struct stage *stage) {
  const mo_geometry ground = box_of(7.0f, 0.05f, 4.0f);
  mo_transform at = stage_place(vec3(0.0f, -0.04f, 0.0f), across, 0.0f);
  stage_add(stage, &ground, &at, PALE);
  for (int i = 0; i < 8; i++) {
    const mo_geometry step = box_of(0.35f, 0.14f * (float)(i + 1), 1.6f);
    at = stage_place(vec3(-1.6f + 0.7f * (float)i, 0.14f * (float)(i + 1), 0.0f), across, 0.0f);
    stage_add(stage, &step, &at, PALE);
  }
  mo_character_def def = mo_default_character_def();
  def.primitive =
      primitive(capsule_of(0.5f, 0.35f), stage_place(vec3(-5.2f, 0.9f, 0.0f), across, 0.0f));
  def.filter = solids();
  for (int step = 0; step < 120; step++) {
    if (step % 12 == 0) {
      stage_add_figure(stage, &def.primitive.geometry, &def.primitive.transform,
                       step == 108 ? AMBER : BLUE);
    }
    def.displacement = vec3(0.08f, -0.05f, 0.0f);
    mo_character_move_result moved;
    check(mo_character_move(stage->scene, &def, &moved, NULL), "move a character");
    def.primitive.transform = moved.transform;
  }
}

static void set_hull(struct stage *stage) {
  enum { POINTS = 40 };
  mo_vec3 points[POINTS];
  for (int i = 0; i < POINTS; i++) {
    float angle = 2.39996323f * (float)i, height = 1.0f - 2.0f * ((float)i + 0.5f) / POINTS;
    float out = sqrtf(1.0f - height * height);
    points[i] = vec3(2.6f * out * cosf(angle), 1.7f * height, 2.0f * out * sinf(angle));
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = POINTS;
  mo_hull *hull;
  check(mo_hull_create(&def, &hull), "make a hull");
  mo_geometry geometry = {.type = MO_SHAPE_HULL, .hull = hull};
  mo_transform at = stage_place(vec3(-2.9f, 1.9f, 0.0f), vec3(0.0f, 1.0f, 0.2f), 0.5f);
  stage_add(stage, &geometry, &at, AMBER);
  geometry.rounding = 0.5f;
  at = mo_transform_make(vec3(3.1f, 1.9f, 0.0f), quat_around(vec3(0.0f, 1.0f, 0.0f), 0.8f),
                         vec3(0.8f, 0.8f, 0.8f));
  stage_add(stage, &geometry, &at, GREEN);
  mo_hull_release(hull);
}

const struct panel panels[PANEL_COUNT] = {
    {"ray", "A ray, the closest hit", "the point that is hit, and the normal", RED, set_all,
     draw_closest_hit},
    {"ray-all", "A ray, all hits in order", "met from outside; blue: from inside", RED, set_all,
     draw_all_hits},
    {"overlap", "Overlap: shapes", "touch the box that is turned", RED, set_overlap, draw_overlap},
    {"triangles", "Overlap: triangles", "touch the capsule", RED, set_triangles, draw_triangles},
    {"frustum", "Overlap: a frustum", "touch what the camera sees", RED, set_frustum, draw_frustum},
    {"cast", "Cast of a ball", "where it touches first", RED, set_moving, draw_moving},
    {"cast-turning", "Cast of a box that turns", "where it touches first", RED, set_turning,
     draw_turning},
    {"impacts", "First impacts of movers", "where each is stopped", AMBER, set_impacts, NULL},
    {"closest", "Distance of a cylinder", "the closest points of both", RED, set_closest,
     draw_closest},
    {"nearest", "The six nearest of a ball", "the nearest of all", RED, set_nearest, draw_nearest},
    {"signed", "Signed distance in a plane", "inside; blue: outside; large: far", RED, set_ring,
     draw_signed},
    {"separation", "Separation", "where it was; amber: parted", RED, set_separation, NULL},
    {"contacts", "Contacts for a solver", "points, normals; large: deep", RED, set_contacts,
     draw_contacts},
    {"character", "A character on stairs", "its way, every twelfth move", BLUE, set_character,
     NULL},
    {"hull", "Convex hulls, sharp and rounded", "of forty points", AMBER, set_hull, NULL},
};
