/* Internal (ghost) edges at seams between shapes. A body that slides over a floor of boxes collides
 * with the edge of the next box from the side, before it arrives or because it has sunk in
 * slightly. A rolling ball gets a speculative contact with that edge. By itself each such contact
 * is correct. For the union of both boxes it is wrong, as that edge lies inside the floor.
 *
 * A normal is valid at a point of a surface if, a little way out along it, no other part of the
 * surface is closer. So a contact point with one shape is hidden by another shape, the carrier, if
 * the point lies on the face with which the carrier supports the body, and if its normal leans over
 * that face. It is not hidden if the shape it belongs to rises above the face there: then that
 * shape is a wall or a step that stands on the carrier, and the body touches its lowest part. */
#include "contact/pair/seam.h"

#include "contact/body/feature.h"
#include "contact/surface/surface.h"
#include "geometry/triangle/triangle.h"
#include "scene/octree/octree.h"
#include "scene/unbounded.h"

/* Cosines between normals above which two contacts are along the same face. Stricter for round
 * bodies (a milliradian, where the rounding of cosines to float ends): a normal that is off by more
 * makes a rolling ball hop. Other bodies may have many normals at an edge (see `slope`). */
static const float one_normal_of_round = 0.9999995f, one_normal = 0.9998f;
/* Least cosine between the normal of a contact and the face that it is along. */
static const double along_face = 0.999;
/* Fraction of the shortest extent of the body, or of the longest extent of the other shape if that
 * is smaller. Points closer to a face than this are on it. */
static const double on_face = 0x1p-10;
/* Fraction of the coordinates: the gap between shapes that their rounding may cause. */
static const double coordinate_noise = 0x1p-22;
/* Slopes that decide whether a shape rises above the carrier's face, at a contact point: how much
 * higher it may be per distance behind that point without counting as rising. A rounded body has
 * only one possible normal at a point, so nearly no part of what it touches there counts as rising
 * (`rounded_slope`, along that normal). Other bodies may touch an edge with any of many normals, of
 * which the contact has one; for these, slopes of up to some six degrees do not count (`slope`,
 * along the face). */
static const double rounded_slope = 50.0, slope = 0.1;

static mo_dvec3 place_of(const mo_contact *contact, bool is_second, uint32_t point) {
  const mo_manifold_point *p = &contact->manifold.points[point];
  double half = (is_second ? -0.5 : 0.5) * (double)p->separation;
  return mo_dadd(mo_widen(is_second ? p->anchor_b : p->anchor_a),
                 mo_dscale(half, mo_widen(contact->manifold.normal)));
}

mo_contact_side mo_contact_side_of(const mo_contact *contact, bool is_second) {
  const mo_vec3 n = contact->manifold.normal;
  const uint32_t count = contact->manifold.point_count;
  mo_dvec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < count; i++) {
    sum = mo_dadd(sum, place_of(contact, is_second, i));
  }
  return (mo_contact_side){.slot = is_second ? contact->b.index : contact->a.index,
                           .other = is_second ? contact->a.index : contact->b.index,
                           .is_second = is_second,
                           .normal = is_second ? n : mo_vec(-n.x, -n.y, -n.z),
                           .place = mo_narrow(mo_dscale(1.0 / count, sum))};
}

static double least_extent(mo_aabb bounds) {
  mo_vec3 extent = mo_sub(bounds.upper, bounds.lower);
  return (double)mo_min(mo_min(extent.x, extent.y), extent.z);
}

static double greatest_extent(mo_aabb bounds) {
  mo_vec3 extent = mo_sub(bounds.upper, bounds.lower);
  return (double)mo_max(mo_max(extent.x, extent.y), extent.z);
}

static double noise_of(mo_aabb bounds) {
  mo_vec3 reach = mo_aabb_reach(bounds);
  return coordinate_noise * (double)mo_max(mo_max(reach.x, reach.y), reach.z);
}

/* Whether a shape has curved sides. */
static bool is_round(const mo_geometry *g) {
  return g->rounding > 0.0f ||
         (g->type != MO_SHAPE_BOX && g->type != MO_SHAPE_HULL && g->type != MO_SHAPE_MESH);
}

mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  const mo_aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const mo_aabb stored = mo_slot_is_unbounded(scene, slot) ? all : mo_tree_box(scene, slot);
  return (mo_seam_body){.scene = scene,
                        .slot = slot,
                        .origin = mo_widen(shape->affine.to_world.origin),
                        .near = (float)(on_face * least_extent(stored) + noise_of(stored)),
                        .same_normal =
                            is_round(&shape->geometry) ? one_normal_of_round : one_normal};
}

/* Whether a contact may be along a face of the other shape, as far as the kind of that shape tells.
 * The feature of a point does not tell: at the border of a face it is an edge or a vertex. */
static bool may_have_face(const mo_seam_body *body, mo_seam_contact c) {
  const mo_geometry *g = &body->scene->shapes[c.side->other].geometry;
  return g->type != MO_SHAPE_SPHERE && g->type != MO_SHAPE_CAPSULE;
}

/* Whether some point of a contact lies above the face of the carrier, by the quick test. */
static bool is_high(const mo_seam_body *body, mo_seam_contact c, const mo_contact_side *carrier) {
  mo_contact_side point = *c.side;
  for (uint32_t i = 0; i < c.contact->manifold.point_count; i++) {
    point.place = mo_narrow(place_of(c.contact, c.side->is_second, i));
    if (!mo_seam_is_low(body, &point, carrier)) {
      return true;
    }
  }
  return false;
}

typedef struct held_face {
  mo_dvec3 normal; /* unit, towards the body */
  double offset;   /* of its plane along the normal */
} held_face;

/* The three shapes. Positions are relative to the origin of the body. */
typedef struct shapes {
  const mo_seam_body *body;
  mo_seam_contact contact, carrying;
  mo_collider other, carrier;
  mo_contact_body other_body, carrier_body; /* not set for a mesh */
  held_face face;
  /* unit, in the plane of the face: the direction in which the contact's normal leans */
  mo_dvec3 lean;
  mo_dvec3 slope; /* gradient that is added to heights, from `slope` or `rounded_slope` */
  double near;    /* points closer than this are in the same place */
} shapes;

/* Whether a contact leans over the face itself: the normal of the carrier may be slightly off. */
static bool leans_over(const held_face *face, const mo_seam_body *body,
                       const mo_contact_side *side) {
  return mo_dot(mo_narrow(face->normal), side->normal) <= body->same_normal;
}

static double height_of(const held_face *face, mo_dvec3 place) {
  return mo_ddot(face->normal, place) - face->offset;
}

/* Finds the face with which the carrier supports the body. Returns false if there is none. */
static bool find_face(shapes *s) {
  const mo_contact *c = s->carrying.contact;
  const mo_dvec3 normal = mo_dunit(mo_widen(s->carrying.side->normal));
  if (s->carrier.half_space != NULL) {
    const mo_half_space_body *h = s->carrier.half_space;
    s->face.normal = h->normal;
    s->face.offset = -mo_half_space_height(h, s->body->origin);
  } else if (s->carrier.mesh != NULL) {
    uint32_t triangle = s->carrying.side->is_second ? c->triangle_a : c->triangle_b;
    const mo_collider one = mo_collider_of_triangle(&s->carrier, triangle);
    mo_contact_body body;
    mo_collider_make_body(&body, &one, s->body->origin);
    s->face.normal = mo_contact_face_normal(&body, normal);
    s->face.offset = mo_ddot(s->face.normal, body.corner[0]);
  } else {
    const mo_contact_body *body = &s->carrier_body;
    s->face.normal = mo_contact_face_normal(body, normal);
    mo_dvec3 most = mo_dadd(mo_contact_body_support(body, s->face.normal),
                            mo_contact_body_rounding(body, s->face.normal));
    s->face.offset = mo_ddot(s->face.normal, most);
  }
  return mo_ddot(s->face.normal, normal) >= along_face;
}

/* A search for a triangle of a mesh near a point. */
typedef struct near_triangles {
  const shapes *shapes;
  const mo_collider *mesh;
  mo_dvec3 place;
  bool (*matters)(const shapes *s, const mo_dvec3 corner[3], mo_dvec3 place);
  bool found;
} near_triangles;

static bool test_triangle(uint32_t triangle, void *context) {
  near_triangles *n = context;
  const shapes *s = n->shapes;
  const mo_collider one = mo_collider_of_triangle(n->mesh, triangle);
  mo_contact_body body;
  mo_collider_make_body(&body, &one, s->body->origin);
  mo_dvec3 way = mo_dsub(mo_triangle_closest_point(body.corner, n->place), n->place);
  n->found = mo_dlength(way) <= s->near && n->matters(s, body.corner, n->place);
  return !n->found;
}

/* Whether some triangle of a mesh is near a point and passes the test `matters`. */
static bool mesh_has(const shapes *s, const mo_collider *mesh, mo_dvec3 place,
                     bool (*matters)(const shapes *s, const mo_dvec3 corner[3], mo_dvec3 place)) {
  mo_query_stats counts = {0};
  const mo_surface surface = {
      .mesh = mesh->mesh, .affine = mesh->affine, .isa = s->body->scene->isa, .stats = &counts};
  near_triangles n = {s, mesh, place, matters, false};
  const mo_dvec3 at = mo_dadd(s->body->origin, place);
  const mo_aabb box = {
      {mo_round_down(at.x - s->near), mo_round_down(at.y - s->near), mo_round_down(at.z - s->near)},
      {mo_round_up(at.x + s->near), mo_round_up(at.y + s->near), mo_round_up(at.z + s->near)}};
  if (mo_aabb_overlap(box, mo_tree_box(s->body->scene, mesh->shape.index))) {
    const mo_region region = {.kind = MO_REGION_BOX, .box = box};
    mo_surface_visit(&surface, &region, test_triangle, &n);
  }
  return n.found;
}

/* Height of a point above the face, corrected by the slope that is allowed from the contact point
 * `from` on. */
static double rise_of(const shapes *s, mo_dvec3 place, mo_dvec3 from) {
  return height_of(&s->face, place) + mo_ddot(s->slope, mo_dsub(place, from));
}

/* What is nowhere above the face does not rise, nor does what stays below the slope. The slope
 * alone would not do: where the normal crosses the border of a tile at an angle, a corner of the
 * tile lies ahead of the contact point, where the slope is below the face. */
static bool triangle_rises(const shapes *s, const mo_dvec3 corner[3], mo_dvec3 from) {
  double height = -INFINITY, rise = -INFINITY;
  for (int i = 0; i < 3; i++) {
    height = fmax(height, height_of(&s->face, corner[i]));
    rise = fmax(rise, rise_of(s, corner[i], from));
  }
  return fmin(height, rise) > s->near;
}

/* The point of the other shape that is farthest along a vector. */
static mo_dvec3 farthest_of_other(const shapes *s, mo_dvec3 along) {
  const mo_dvec3 n = mo_dunit(along);
  return mo_dadd(mo_contact_body_support(&s->other_body, n),
                 mo_contact_body_rounding(&s->other_body, n));
}

/* Whether the other shape rises above the face at a contact point: then it is a wall or step, and
 * the point is not hidden. */
static bool rises(const shapes *s, mo_dvec3 from) {
  if (s->other.mesh != NULL) {
    return mesh_has(s, &s->other, from, triangle_rises);
  }
  const mo_dvec3 up = s->face.normal;
  return height_of(&s->face, farthest_of_other(s, up)) > s->near &&
         rise_of(s, farthest_of_other(s, mo_dadd(up, s->slope)), from) > s->near;
}

static bool rises_at_some(const shapes *s, const mo_dvec3 *places, uint32_t count) {
  bool any = false;
  for (uint32_t i = 0; i < count && !any; i++) {
    any = rises(s, places[i]);
  }
  return any;
}

static bool any_triangle(const shapes *s, const mo_dvec3 corner[3], mo_dvec3 place) {
  (void)s;
  (void)corner;
  (void)place;
  return true;
}

static void make_body(mo_contact_body *body, const mo_collider *c, mo_dvec3 reference) {
  if (c->mesh == NULL && c->half_space == NULL) {
    mo_collider_make_body(body, c, reference);
  }
}

/* Whether a triangle lies along the face. */
static bool is_along_face(const shapes *s, const mo_dvec3 corner[3], mo_dvec3 place) {
  (void)place;
  const mo_dvec3 n = mo_dcross(mo_dsub(corner[1], corner[0]), mo_dsub(corner[2], corner[0]));
  return fabs(mo_ddot(s->face.normal, n)) >= along_face * mo_dlength(n);
}

static bool is_on_body(const shapes *s, const mo_contact_body *body, mo_dvec3 place) {
  const mo_distance_body core = mo_contact_body_core(body);
  const mo_distance_body point = {.corners = {place, place, place}};
  return mo_bodies_within(&core, &point, body->ball + s->near);
}

/* Whether a point in the plane of the face is on the carrier. */
static bool is_on_carrier(const shapes *s, mo_dvec3 place) {
  return s->carrier.half_space != NULL ||
         (s->carrier.mesh != NULL ? mesh_has(s, &s->carrier, place, any_triangle)
                                  : is_on_body(s, &s->carrier_body, place));
}

/* Whether a point in the plane of the face is on a face that a shape has in the same plane. The
 * body of the shape has been made unless it is a mesh. */
static bool is_on_level_face(const shapes *s, const mo_collider *shape, const mo_contact_body *body,
                             mo_dvec3 place) {
  if (shape->mesh != NULL) {
    return mesh_has(s, shape, place, is_along_face);
  }
  const mo_dvec3 up = s->face.normal, own = mo_contact_face_normal(body, up);
  const mo_dvec3 top =
      mo_dadd(mo_contact_body_support(body, up), mo_contact_body_rounding(body, up));
  return mo_ddot(own, up) >= along_face && fabs(height_of(&s->face, top)) <= s->near &&
         is_on_body(s, body, place);
}

/* The world box of this half width around a place, which is relative to the body's origin. */
static mo_aabb box_around(const mo_seam_body *body, mo_dvec3 place, float near) {
  const mo_vec3 at = mo_narrow(mo_dadd(body->origin, place));
  return (mo_aabb){{at.x - near, at.y - near, at.z - near},
                   {at.x + near, at.y + near, at.z + near}};
}

bool mo_seam_is_near_others(const mo_seam_body *body, mo_seam_contact contact) {
  for (uint32_t i = 0; i < contact.contact->manifold.point_count; i++) {
    const mo_dvec3 place = place_of(contact.contact, contact.side->is_second, i);
    const mo_aabb around = box_around(body, place, 8.0f * body->near);
    for (uint32_t k = 0; k < body->partner_count; k++) {
      const uint32_t slot = body->partners[k];
      if (slot != MO_NONE && slot != contact.side->other &&
          (mo_slot_is_unbounded(body->scene, slot) ||
           mo_aabb_overlap(around, mo_tree_box(body->scene, slot)))) {
        return true;
      }
    }
  }
  return false;
}

/* Whether a shape that the body may collide with has a face in the same plane at some point there:
 * the body need not touch it. */
static bool is_on_partner(const shapes *s, mo_dvec3 place) {
  const mo_scene *scene = s->body->scene;
  const mo_aabb around = box_around(s->body, place, (float)s->near);
  for (uint32_t i = 0; i < s->body->partner_count; i++) {
    const uint32_t slot = s->body->partners[i];
    if (slot == MO_NONE || mo_slot_is_unbounded(scene, slot) ||
        (scene->shapes[slot].category & s->body->sensor_categories) != 0 ||
        !mo_aabb_overlap(around, mo_tree_box(scene, slot))) {
      continue;
    }
    const mo_collider partner = mo_collider_without_bounds(scene, slot);
    mo_contact_body body = {.ball = 0.0};
    if (!partner.is_volume) {
      make_body(&body, &partner, s->body->origin);
      if (is_on_level_face(s, &partner, &body, place)) {
        return true;
      }
    }
  }
  return false;
}

/* Whether the surface goes on at a point in the plane of the face: on the carrier; on the other
 * shape itself, as a contact may have points inside of a face and a normal that suits only those at
 * its edge; or on a third shape, where the corners of several tiles meet. */
static bool goes_on(const shapes *s, mo_dvec3 place) {
  return is_on_carrier(s, place) || is_on_level_face(s, &s->other, &s->other_body, place) ||
         is_on_partner(s, place);
}

/* A point in the plane of the face, a little beyond a contact point in the direction in which its
 * normal leans. */
static mo_dvec3 leaning_place(const shapes *s, mo_dvec3 place) {
  mo_dvec3 on = mo_dsub(place, mo_dscale(height_of(&s->face, place), s->face.normal));
  return mo_dadd(on, mo_dscale(2.0 * s->near, s->lean));
}

static void measure(mo_seam_body *body) {
  const mo_collider own = mo_collider_without_bounds(body->scene, body->slot);
  const mo_aabb bounds = mo_collider_bounds(&own);
  mo_contact_body made = {.ball = 0.0};
  make_body(&made, &own, body->origin);
  body->is_measured = true;
  body->is_rounded = made.ball > 0.0;
  body->least_extent = least_extent(bounds);
  body->noise = noise_of(bounds);
}

static void set_lean(shapes *s) {
  mo_dvec3 n = mo_widen(s->contact.side->normal), up = s->face.normal;
  s->lean = mo_dunit(mo_dsub(n, mo_dscale(mo_ddot(n, up), up)));
  s->slope = s->body->is_rounded ? mo_dscale(rounded_slope, n) : mo_dscale(slope, s->lean);
}

uint32_t mo_seam_hidden_points(mo_seam_body *body, mo_seam_contact contact,
                               mo_seam_contact carrier) {
  if (!mo_seam_leans(body, contact.side, carrier.side) || !may_have_face(body, carrier) ||
      is_high(body, contact, carrier.side)) {
    return 0;
  }
  shapes s = {.body = body,
              .contact = contact,
              .carrying = carrier,
              .carrier = mo_collider_without_bounds(body->scene, carrier.side->other)};
  make_body(&s.carrier_body, &s.carrier, body->origin);
  if (!find_face(&s) || !leans_over(&s.face, body, contact.side)) {
    return 0;
  }
  s.other = mo_collider_without_bounds(body->scene, contact.side->other);
  /* a half-space rises in every direction that its normal leans to */
  if (s.other.half_space != NULL) {
    return 0;
  }
  if (!body->is_measured) {
    measure(body);
  }
  s.near = on_face * fmin(body->least_extent, greatest_extent(mo_collider_bounds(&s.other))) +
           body->noise;
  make_body(&s.other_body, &s.other, body->origin);
  set_lean(&s);
  const uint32_t count = contact.contact->manifold.point_count;
  mo_dvec3 places[MO_MAX_MANIFOLD_POINTS] = {{0.0, 0.0, 0.0}};
  for (uint32_t i = 0; i < count; i++) {
    places[i] = place_of(contact.contact, contact.side->is_second, i);
    if (height_of(&s.face, places[i]) > s.near) {
      return 0;
    }
  }
  /* Whether a mesh rises takes a query. In a heap of meshes the surface seldom goes on. */
  const bool is_mesh = s.other.mesh != NULL;
  if (!is_mesh && rises_at_some(&s, places, count)) {
    return 0;
  }
  uint32_t hidden = 0;
  for (uint32_t i = 0; i < count; i++) {
    hidden |= goes_on(&s, leaning_place(&s, places[i])) ? 1u << i : 0;
  }
  return hidden != 0 && is_mesh && rises_at_some(&s, places, count) ? 0 : hidden;
}
