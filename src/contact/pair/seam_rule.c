/* Internal (ghost) edges at seams between shapes. A body that slides over a floor of boxes collides
 * with the edge of the next box from the side, before it arrives there or because it has sunk in
 * slightly. A rolling ball gets a speculative contact with that edge. By itself each such contact
 * is correct. For the union of both boxes it is wrong, as the edge lies inside the floor.
 *
 * A normal is valid at a point of a surface if, a little way out along it, no other part of the
 * surface is closer. So a contact point with one shape is hidden by another shape, the supporter,
 * if the point lies on the face with which the supporter supports the body, if its normal leans
 * over that face, and if the surface goes on there. It is not hidden
 * - where the contact is along a face of its own shape, except for a side that the supporter
 *   covers;
 * - where a face of the body rests on a nearly parallel face of the shape: the body may be tilted
 *   against both shapes, and each supports it;
 * - where its shape rises above the supporter's face: then the shape is a wall or a step that
 *   stands on the supporter, and the body touches the lowest part of it;
 * - where the body overlaps its shape, unless the supporter resolves that overlap too: the surface
 *   of the shape has to continue the supporter's face, or be a parallel step below it, and moving
 *   the body out of the supporter has to move it out of the shape as well. In a heap, shapes may
 *   reach into each other, and a point inside the supporter may be all that keeps two bodies
 *   apart. */
#include "contact/body/feature.h"
#include "contact/pair/seam_shapes.h"
#include "contact/surface/surface.h"
#include "geometry/overlap/overlap.h"
#include "geometry/triangle/triangle.h"
#include "scene/octree/octree.h"

/* Two faces are parallel if the cosine between their normals is at least this. */
static const double min_parallel_cosine = 0.999;
/* The other shape counts as rising above the face of the supporting shape, behind a
 * contact point, if its slope (a tangent) is greater than this. For a rounded body, which has only
 * one possible normal at a point, nearly every slope is ignored (`ignored_slope_of_rounded`, along
 * that normal). Other bodies may touch an edge with many normals; for them, slopes of up to some
 * six degrees are ignored (`ignored_slope`, along the face). A face of the body rests on a face of
 * the other shape if one has at most that slope over the other. */
static const double ignored_slope_of_rounded = 50.0, ignored_slope = 0.1;
/* How deep a hidden contact point may be if its shape can be moved, as the body may push that shape
 * away. Fraction of the same extent as for MO_SEAM_ON_FACE_TOLERANCE. */
static const double max_hidden_depth_fraction = 0x1p-4;

/* The state of testing whether the shape that supports a body (`supporter`) hides points of a
 * contact between the body and another shape (`other`). Positions are relative to the body's
 * origin. */
typedef struct seam_test {
  const mo_seam_body *body;
  const mo_seam_contact *contact;
  mo_collider other, supporter;
  const mo_contact_body *other_body, *supporter_body; /* of a mesh: the triangle of the contact */
  mo_seam_face face;      /* the face of the supporter that supports the body */
  double supporter_depth; /* penetration depth of body and supporter */
  /* unit, in the plane of `face`: the direction in which the normal of `contact` leans */
  mo_dvec3 tilt_direction;
  mo_dvec3 slope;          /* gradient added to heights over the face, for the ignored slope */
  double point_tolerance;  /* points closer than this count as the same */
  bool is_fixed;           /* the other shape is static or kinematic: contacts do not move it */
  double max_hidden_depth; /* the greatest depth of a contact point that may be hidden */
} seam_test;

/* Whether the normal of a contact leans over a face, that is, differs from the face's normal. */
static bool normal_differs_from_face(const mo_seam_face *face, const mo_seam_body *body,
                                     const mo_seam_contact *contact) {
  return mo_dot(mo_narrow(face->normal), contact->normal) <= body->same_normal_cosine;
}

/* A search for a triangle of a mesh within `distance` of a point for which `passes` returns true.
 */
typedef struct nearby_triangle_search {
  const seam_test *test;
  const mo_collider *mesh;
  mo_dvec3 point;
  double distance;
  bool (*passes)(const seam_test *s, const mo_dvec3 corner[3], mo_dvec3 point);
  bool found;
} nearby_triangle_search;

static bool test_triangle(uint32_t triangle, void *context) {
  nearby_triangle_search *n = context;
  const seam_test *s = n->test;
  const mo_collider one = mo_collider_of_triangle(n->mesh, triangle);
  mo_contact_body body;
  mo_collider_make_body(&body, &one, s->body->origin);
  mo_dvec3 offset = mo_dsub(mo_triangle_closest_point(body.core.corners, n->point), n->point);
  n->found = mo_dlength(offset) <= n->distance && n->passes(s, body.core.corners, n->point);
  return !n->found;
}

static mo_aabb box_of_mesh(const mo_scene *scene, const mo_collider *mesh) {
  return mesh->placement_origin != NULL ? mo_collider_bounds(mesh)
                                        : mo_slot_box(scene, mesh->shape.index);
}

static bool mesh_has_triangle_near(const seam_test *s, const mo_collider *mesh, mo_dvec3 position,
                                   double distance,
                                   bool (*passes)(const seam_test *s, const mo_dvec3 corner[3],
                                                  mo_dvec3 position)) {
  mo_query_stats counts = {0};
  const mo_surface surface = {
      .mesh = mesh->mesh, .affine = mesh->affine, .isa = s->body->scene->isa, .stats = &counts};
  nearby_triangle_search n = {s, mesh, position, distance, passes, false};
  const mo_aabb box = mo_aabb_around_ball(mo_dadd(s->body->origin, position), distance);
  if (mo_aabb_overlap(box, box_of_mesh(s->body->scene, mesh))) {
    const mo_region region = {.kind = MO_REGION_BOX, .box = box};
    mo_surface_visit(&surface, &region, test_triangle, &n);
  }
  return n.found;
}

/* Height of `position` above an inclined plane. The plane rises with the ignored slope, against the
 * direction in which the contact normal leans. At the contact point `from` it has the height of the
 * face, or for a rounded body the height of `from`. */
static double height_above_ignored_slope(const seam_test *s, mo_dvec3 position, mo_dvec3 from) {
  const double base = s->body->is_rounded ? mo_seam_face_height(&s->face, from) : 0.0;
  return mo_seam_face_height(&s->face, position) - base +
         mo_ddot(s->slope, mo_dsub(position, from));
}

static double max_height_of_corners(const seam_test *s, const mo_dvec3 corner[3]) {
  return fmax(
      fmax(mo_seam_face_height(&s->face, corner[0]), mo_seam_face_height(&s->face, corner[1])),
      mo_seam_face_height(&s->face, corner[2]));
}

static bool triangle_is_above_face(const seam_test *s, const mo_dvec3 corner[3], mo_dvec3 from) {
  (void)from;
  return max_height_of_corners(s, corner) > s->point_tolerance;
}

/* Whether a triangle has a corner above the face and a corner above the ignored slope. Testing only
 * the slope is not enough: a corner of a tile may lie ahead of the contact point, where the plane
 * with the ignored slope is below the face. */
static bool triangle_rises_above_face(const seam_test *s, const mo_dvec3 corner[3], mo_dvec3 from) {
  double rise = -INFINITY;
  for (int i = 0; i < 3; i++) {
    rise = fmax(rise, height_above_ignored_slope(s, corner[i], from));
  }
  return fmin(max_height_of_corners(s, corner), rise) > s->point_tolerance;
}

static mo_dvec3 support_of_other(const seam_test *s, mo_dvec3 along) {
  return mo_seam_rounded_support(s->other_body, mo_dunit(along));
}

/* Whether the other shape rises above the face at the contact point `from`: then it is a wall or
 * step, and the point is not hidden. */
static bool touched_shape_rises_above_face(const seam_test *s, mo_dvec3 from) {
  if (s->other.kind == MO_COLLIDER_MESH) {
    return mesh_has_triangle_near(s, &s->other, from, s->point_tolerance,
                                  triangle_rises_above_face);
  }
  const mo_dvec3 up = s->face.normal;
  return mo_seam_face_height(&s->face, support_of_other(s, up)) > s->point_tolerance &&
         height_above_ignored_slope(s, support_of_other(s, mo_dadd(up, s->slope)), from) >
             s->point_tolerance;
}

static bool other_rises_at_any(const seam_test *s, const mo_dvec3 *positions, uint32_t count) {
  bool any = false;
  for (uint32_t i = 0; i < count && !any; i++) {
    any = touched_shape_rises_above_face(s, positions[i]);
  }
  return any;
}

static bool accept_any_triangle(const seam_test *s, const mo_dvec3 corner[3], mo_dvec3 position) {
  (void)s;
  (void)corner;
  (void)position;
  return true;
}

static bool is_parallel_triangle(const seam_test *s, const mo_dvec3 corner[3], mo_dvec3 position) {
  (void)position;
  const mo_dvec3 n = mo_dcross(mo_dsub(corner[1], corner[0]), mo_dsub(corner[2], corner[0]));
  return fabs(mo_ddot(s->face.normal, n)) >= min_parallel_cosine * mo_dlength(n);
}

/* Whether two directions are at right angles, but for the rounding of a rotation. */
static bool are_perpendicular(mo_dvec3 a, mo_dvec3 b) {
  return fabs(mo_ddot(a, b)) <= 0x1p-18;
}

/* Tests by the three slabs between opposite sides whether a box comes within `distance` of a point.
 * Returns false where they do not decide: near `distance`, also beside edges and corners, and for a
 * box that is skewed or flat. */
static bool slabs_decide(const mo_contact_body *box, mo_dvec3 position, double distance,
                         bool *is_near) {
  if (box->kind != MO_CORE_BOX || !(box->thickness > 0.0) || box->ellipsoid_radius > 0.0) {
    return false;
  }
  const mo_dvec3 *n = box->face_normal, from = mo_dsub(position, box->center);
  double max = 0.0, sum2 = 0.0;
  for (int i = 0; i < 3; i++) {
    const double out = fabs(mo_ddot(n[i], from)) - fabs(mo_ddot(n[i], box->axis[i]));
    max = mo_dmax(max, out);
    sum2 += out > 0.0 ? out * out : 0.0;
  }
  const double limit = box->ball_radius + distance;
  *is_near = sum2 < 0.999 * limit * limit;
  return (*is_near || max > 1.001 * limit) && are_perpendicular(n[0], n[1]) &&
         are_perpendicular(n[1], n[2]) && are_perpendicular(n[2], n[0]);
}

/* Whether a body comes within `distance` of a point. For boxes, of which heaps consist, the slabs
 * nearly always decide. */
static bool is_body_near_point(const mo_contact_body *body, mo_dvec3 position, double distance) {
  bool is_near;
  if (slabs_decide(body, position, distance, &is_near)) {
    return is_near;
  }
  const mo_dvec3 corners[3] = {position, position, position};
  const mo_body point = mo_body_of_triangle(corners);
  return mo_bodies_within(&body->core, &point, body->ball_radius + distance);
}

static bool is_point_on_body(const seam_test *s, const mo_contact_body *body, mo_dvec3 position) {
  return is_body_near_point(body, position, s->point_tolerance);
}

static bool has_face_parallel_to_supporter(const seam_test *s, const mo_contact_body *body) {
  return mo_ddot(mo_contact_face_normal(body, s->face.normal), s->face.normal) >=
         min_parallel_cosine;
}

/* Whether a point in the plane of the face is on the supporting shape. */
static bool is_point_on_supporter(const seam_test *s, mo_dvec3 position) {
  return s->supporter.kind == MO_COLLIDER_HALF_SPACE ||
         (s->supporter.kind == MO_COLLIDER_MESH
              ? mesh_has_triangle_near(s, &s->supporter, position, s->point_tolerance,
                                       accept_any_triangle)
              : is_point_on_body(s, s->supporter_body, position));
}

/* Whether `position`, a point in the plane of the supporting face, lies on a coplanar face of a
 * mesh. */
static bool is_on_coplanar_triangle(const seam_test *s, const mo_collider *mesh,
                                    mo_dvec3 position) {
  return mesh_has_triangle_near(s, mesh, position, s->point_tolerance, is_parallel_triangle);
}

/* Whether `position`, a point in the plane of the supporting face, lies on a coplanar face of a
 * convex shape. */
static bool is_on_coplanar_face(const seam_test *s, const mo_contact_body *body,
                                mo_dvec3 position) {
  /* The first test: the shape must not rise above the plane elsewhere. */
  return mo_seam_face_height(&s->face, mo_seam_rounded_support(body, s->face.normal)) <=
             s->point_tolerance &&
         has_face_parallel_to_supporter(s, body) && is_point_on_body(s, body, position);
}

/* A search for a partner with a face that is coplanar with that of the supporter. */
typedef struct coplanar_search {
  const seam_test *test;
  mo_dvec3 position; /* a point that must lie on that face */
} coplanar_search;

static bool has_coplanar_face(uint32_t slot, const mo_placed_child *child, void *context) {
  const coplanar_search *search = context;
  const seam_test *s = search->test;
  const mo_scene *scene = s->body->scene;
  const mo_shape *record = mo_tested_shape(scene, slot, child);
  const mo_shape_type type = record->geometry.type;
  if ((record->category & s->body->sensor_categories) != 0 || type == MO_SHAPE_VOLUME ||
      type == MO_SHAPE_HALF_SPACE) {
    return false;
  }
  mo_seam_shape memory;
  const mo_seam_shape *shape =
      mo_seam_find_cached(s->body, slot, child != NULL ? child->number : 0);
  if (shape == NULL) {
    const mo_collider partner = mo_collider_of_shape_or_child(scene, slot, child);
    if (type == MO_SHAPE_MESH) {
      return is_on_coplanar_triangle(s, &partner, search->position);
    }
    shape = mo_seam_shape_of(s->body, &partner, 0, &memory);
  }
  return is_on_coplanar_face(s, &shape->body, search->position);
}

/* Whether `position`, a point in the plane of the supporting face, lies on a coplanar face of a
 * third shape that the body may collide with. The body need not touch that shape. */
static bool is_on_coplanar_partner(const seam_test *s, mo_dvec3 position) {
  coplanar_search search = {s, position};
  const mo_aabb around = mo_seam_box_around(s->body, position, (float)s->point_tolerance);
  return mo_seam_find_partner(s->body, &s->contact->side, around, has_coplanar_face, &search);
}

static mo_dvec3 project_onto_face(const seam_test *s, mo_dvec3 position) {
  return mo_dsub(position, mo_dscale(mo_seam_face_height(&s->face, position), s->face.normal));
}

/* The contact point `position`, projected onto the supporting face and moved a little in the
 * direction in which the contact normal leans. */
static mo_dvec3 point_ahead_on_face(const seam_test *s, mo_dvec3 position) {
  return mo_dadd(project_onto_face(s, position),
                 mo_dscale(2.0 * s->point_tolerance, s->tilt_direction));
}

/* Whether a face with a normal of any length is nearly at right angles to the contact normal. */
static bool is_across_contact_normal(const seam_test *s, mo_dvec3 face) {
  const mo_dvec3 n = mo_widen(s->contact->normal);
  const double along = mo_ddot(face, n), max_tangent2 = ignored_slope * ignored_slope;
  return along != 0.0 &&
         along * along * (1.0 + max_tangent2) >= mo_ddot(face, face) * mo_ddot(n, n);
}

static bool is_triangle_across_contact_normal(const seam_test *s, const mo_dvec3 corner[3],
                                              mo_dvec3 position) {
  (void)position;
  return is_across_contact_normal(
      s, mo_dcross(mo_dsub(corner[1], corner[0]), mo_dsub(corner[2], corner[0])));
}

/* Whether the other shape has a face at the contact point `position` that is nearly at right angles
 * to the contact normal. */
static bool other_has_face_across_contact_normal(const seam_test *s, mo_dvec3 position) {
  if (s->other.kind == MO_COLLIDER_MESH) {
    return mesh_has_triangle_near(s, &s->other, position, s->point_tolerance,
                                  is_triangle_across_contact_normal);
  }
  const mo_dvec3 normal = mo_dunit(mo_widen(s->contact->normal));
  return is_across_contact_normal(s, mo_contact_face_normal(s->other_body, normal));
}

/* Whether the contact normal is that of a face of the body. */
static bool is_along_own_face(const seam_test *s) {
  const mo_seam_contact *c = s->contact;
  const mo_collider own = mo_seam_own_collider(s->body);
  if (own.kind == MO_COLLIDER_HALF_SPACE) {
    return false;
  }
  const mo_dvec3 down = mo_dunit(mo_dscale(-1.0, mo_widen(c->normal)));
  mo_seam_shape memory;
  const mo_seam_shape *shape = mo_seam_shape_of(
      s->body, &own, c->side.is_second ? c->contact->triangle_b : c->contact->triangle_a, &memory);
  return mo_ddot(mo_contact_face_normal(&shape->body, down), down) >
         (double)MO_SEAM_FLAT_SAME_NORMAL_COSINE;
}

/* Whether the body rests with a face on a nearly parallel face of the other shape. Then the contact
 * is no edge, although its normal is not that of the other shape's face. */
static bool rests_on_face_of_other(const seam_test *s, const mo_dvec3 *positions, uint32_t count) {
  bool rests = false;
  if (is_along_own_face(s)) {
    for (uint32_t i = 0; i < count && !rests; i++) {
      rests = other_has_face_across_contact_normal(s, positions[i]);
    }
  }
  return rests;
}

static double top_height_of_other(const seam_test *s) {
  return mo_seam_face_height(&s->face, mo_seam_rounded_support(s->other_body, s->face.normal));
}

/* Whether the other shape continues the supporting face at the contact point `position`: it reaches
 * up to the plane of that face there, or it cannot be moved and has a parallel face below (a step).
 */
static bool other_continues_face(const seam_test *s, mo_dvec3 position) {
  const mo_dvec3 above = project_onto_face(s, position);
  const double level = 4.0 * s->point_tolerance,
               below = fmax(0.0, -mo_seam_face_height(&s->face, position));
  if (s->other.kind == MO_COLLIDER_MESH) {
    return mesh_has_triangle_near(s, &s->other, above, level, accept_any_triangle) ||
           (s->is_fixed && mesh_has_triangle_near(s, &s->other, position, s->point_tolerance,
                                                  is_parallel_triangle));
  }
  /* A tilted side reaches the plane of the supporting face somewhat beside the contact point. */
  return (top_height_of_other(s) >= -level &&
          is_body_near_point(s->other_body, above, level + 0.5 * below)) ||
         (s->is_fixed && has_face_parallel_to_supporter(s, s->other_body));
}

/* Whether the other shape ends at the supporting face; a mesh, at the contact point `position`,
 * where other triangles than the contact's may go on. */
static bool other_ends_at_face(const seam_test *s, mo_dvec3 position) {
  return top_height_of_other(s) <= s->point_tolerance &&
         (s->other.kind != MO_COLLIDER_MESH ||
          !mesh_has_triangle_near(s, &s->other, position, s->point_tolerance,
                                  triangle_is_above_face));
}

/* Whether moving the body along the normal of the supporting face, by its depth in the supporting
 * shape, takes it to the outside of the face's plane, but for a quarter of the greater depth. False
 * if the supporter touches the body from the side: its depth is then less than the body reaches
 * below the plane. Assumed of bodies that are meshes or half-spaces, which support others. */
static bool supporter_moves_body_above_face(const seam_test *s, double depth) {
  const mo_collider own = mo_seam_own_collider(s->body);
  if (own.kind == MO_COLLIDER_MESH || own.kind == MO_COLLIDER_HALF_SPACE) {
    return true;
  }
  mo_seam_shape memory;
  const mo_seam_shape *shape = mo_seam_shape_of(s->body, &own, 0, &memory);
  const mo_dvec3 down = mo_dscale(-1.0, s->face.normal);
  const double left = -mo_seam_face_height(&s->face, mo_seam_rounded_support(&shape->body, down)) -
                      s->supporter_depth;
  return left <= s->point_tolerance + 0.25 * fmax(depth, s->supporter_depth);
}

/* Whether moving the body out of the supporting shape, along the face normal, also moves
 * it out of the other shape, up to the tolerance. So it is if the depth along the contact normal
 * becomes small enough, or if the other shape ends at the face. It is also assumed if the body is
 * not rounded and touches an edge sideways: the remaining overlap is at most `ignored_slope` times
 * the depths. */
static bool supporter_moves_body_out(const seam_test *s, mo_dvec3 position, double depth) {
  const double cosine = mo_ddot(s->face.normal, mo_widen(s->contact->normal));
  return (cosine < (double)MO_SEAM_MAX_SIDEWAYS_COSINE && !s->body->is_rounded) ||
         depth - s->supporter_depth * cosine <= s->point_tolerance ||
         (other_ends_at_face(s, position) && supporter_moves_body_above_face(s, depth));
}

/* Whether a contact point at which body and other shape overlap by `depth` may be hidden: moving
 * the body out of the supporting shape has to resolve that overlap as well. */
static bool supporter_resolves_overlap(const seam_test *s, mo_dvec3 position, double depth) {
  return depth <= s->point_tolerance ||
         (depth <= s->max_hidden_depth && supporter_moves_body_out(s, position, depth) &&
          other_continues_face(s, position));
}

/* Sets the tolerances of a test. mo_seam_measure_body must have been called for the body. */
static void set_tolerances(seam_test *s, double max_extent_of_other) {
  const mo_seam_body *body = s->body;
  const double size = fmin(body->min_extent, max_extent_of_other);
  s->is_fixed = mo_slot_is_immovable(body->scene, s->contact->side.other);
  s->point_tolerance = MO_SEAM_ON_FACE_TOLERANCE * size + body->coordinate_error_bound;
  s->max_hidden_depth = s->is_fixed ? INFINITY : max_hidden_depth_fraction * size;
}

/* Sets the direction in which the contact normal leans, and the ignored slope. */
static void set_tilt_direction(seam_test *s) {
  mo_dvec3 n = mo_widen(s->contact->normal), up = s->face.normal;
  s->tilt_direction = mo_dunit(mo_dsub(n, mo_dscale(mo_ddot(n, up), up)));
  s->slope = s->body->is_rounded ? mo_dscale(ignored_slope_of_rounded, n)
                                 : mo_dscale(ignored_slope, s->tilt_direction);
}

static double max_depth_of(const mo_contact *c) {
  double max = 0.0;
  for (uint32_t i = 0; i < c->manifold.point_count; i++) {
    max = fmax(max, -(double)c->manifold.points[i].separation);
  }
  return max;
}

static bool are_all_at_or_below(const mo_seam_face *face, const mo_dvec3 *positions, uint32_t count,
                                double near) {
  uint32_t i = 0;
  while (i < count && mo_seam_face_height(face, positions[i]) <= near) {
    i++;
  }
  return i == count;
}

/* Whether the other shape itself continues the face at `position`, a point in the plane of the
 * face. */
static bool is_on_face_of_other(const seam_test *s, mo_dvec3 position) {
  return s->other.kind == MO_COLLIDER_MESH ? is_on_coplanar_triangle(s, &s->other, position)
                                           : is_on_coplanar_face(s, s->other_body, position);
}

/* Returns a bit for each point at which the surface continues and at which moving the body out of
 * the supporting shape resolves the overlap. The surface continues on the supporter, or on
 * a third shape where corners of several tiles meet. If it does so at some point, then other points
 * count too at which the other shape itself continues the face, as a contact can have points in the
 * interior of a face. */
static uint32_t find_hidden_points(const seam_test *s, const mo_dvec3 *positions, uint32_t count) {
  const mo_manifold_point *points = s->contact->contact->manifold.points;
  uint32_t beyond = 0, within = 0;
  for (uint32_t i = 0; i < count; i++) {
    const mo_dvec3 ahead = point_ahead_on_face(s, positions[i]);
    const bool surface_continues =
        is_point_on_supporter(s, ahead) || is_on_coplanar_partner(s, ahead);
    if (surface_continues || is_on_face_of_other(s, ahead)) {
      *(surface_continues ? &beyond : &within) |=
          supporter_resolves_overlap(s, positions[i], -(double)points[i].separation) ? 1u << i : 0;
    }
  }
  return beyond != 0 ? beyond | within : 0;
}

/* Whether the other shape supports the body by a face of its own, or rises above the supporting
 * face; then its contact stays. */
static bool other_supports_body(const seam_test *s, bool is_sideways, const mo_dvec3 *positions,
                                uint32_t count) {
  return (!is_sideways && rests_on_face_of_other(s, positions, count)) ||
         other_rises_at_any(s, positions, count);
}

uint32_t mo_seam_find_hidden_points(mo_seam_body *body, mo_seam_contact *contact,
                                    mo_seam_contact *supporter) {
  if (!mo_seam_normals_allow_hiding(body, contact, supporter) ||
      !mo_seam_is_supporter(body, supporter)) {
    return 0;
  }
  const bool is_sideways = mo_seam_is_sideways(contact, supporter);
  const mo_seam_face face = *mo_seam_face_of(body, supporter);
  if ((!is_sideways && mo_seam_is_along_face(body, contact)) ||
      !normal_differs_from_face(&face, body, contact)) {
    return 0;
  }
  const uint32_t count = contact->contact->manifold.point_count;
  mo_dvec3 positions[MO_MAX_MANIFOLD_POINTS]; /* left uninitialised beyond `count` */
  for (uint32_t i = 0; i < count; i++) {
    positions[i] = mo_seam_point_on_other(contact, i);
    /* First a test with a larger tolerance, as the exact tolerance needs expensive bounds. */
    if (!(mo_seam_face_height(&face, positions[i]) <= 1.001 * (double)body->point_tolerance)) {
      return 0;
    }
  }
  mo_placed_child memory[2];
  seam_test s = {.body = body,
                 .contact = contact,
                 .other = mo_seam_other_collider(body, &contact->side, &memory[0]),
                 .face = face,
                 .supporter_depth = max_depth_of(supporter->contact)};
  /* The supporter never hides a half-space, which rises in every direction that its normal leans
   * to.
   */
  if (s.other.kind == MO_COLLIDER_HALF_SPACE) {
    return 0;
  }
  if (!body->is_measured) {
    mo_seam_measure_body(body);
  }
  mo_seam_shape shapes[2], *other = mo_seam_other_shape(body, &s.other, contact, &shapes[0]);
  s.other_body = &other->body;
  set_tolerances(&s, mo_seam_max_extent(other, &s.other));
  if (!are_all_at_or_below(&s.face, positions, count, s.point_tolerance)) {
    return 0;
  }
  set_tilt_direction(&s);
  /* Tests that query a mesh come last, as in heaps the surface seldom continues beyond the contact.
   */
  const bool is_mesh = s.other.kind == MO_COLLIDER_MESH;
  if (!is_mesh && other_supports_body(&s, is_sideways, positions, count)) {
    return 0;
  }
  s.supporter = mo_seam_other_collider(body, &supporter->side, &memory[1]);
  s.supporter_body = &mo_seam_other_shape(body, &s.supporter, supporter, &shapes[1])->body;
  const uint32_t hidden = find_hidden_points(&s, positions, count);
  return hidden != 0 && is_mesh && other_supports_body(&s, is_sideways, positions, count) ? 0
                                                                                          : hidden;
}
