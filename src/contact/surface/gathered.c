/* Lists the triangles near a body, and finds the contact of the body with each triangle by itself.
 */
#include "contact/surface/gathered.h"

#include "base/assert.h"
#include "base/bounded.h"
#include "contact/body/limits.h"
#include "contact/normal/polytope.h"

/* Sine of an angle. A contact normal closer than this to the triangle's normal counts as equal to
 * it. */
static const double max_sine_of_equal_normals = 1e-6;
/* Sine of the angle between the triangle's normal and a contact normal computed from closest
 * points. An angle caused by rounding errors alone is smaller than this. */
static const double min_distinct_normal_sine = 0x1p-10;
/* Relative error of separations by rounding to floats. */
static const double float_rounding = 0x1p-20;
/* Fraction of the size of the body: points closer to an edge than this count as on the edge. */
static const double on_edge_relative_tolerance = 0x1p-20;
/* A contact is on the back of a triangle if the cosine between its normal and the normal of the
 * triangle's front is below this. The limit is not 0: at borders of a mesh both normals may be
 * perpendicular but for rounding. */
static const double max_back_face_cosine = -0x1p-7;

/* A box is compact if its shortest side is longer than this fraction of its longest. */
static const double min_compact_ratio = 0.25;

/* The state of listing triangles near a body. Those near a ball, capsule or box touch its own
 * shape, grown. Around other bodies a box along the axes of the world finds too many, so these are
 * also tested against the extents of the body, four at a time. */
typedef struct triangle_lister {
  const mo_gathered_triangles *gathered;
  uint32_t min_triangle;
  mo_gather_culling_extents extents;  /* without axes: all triangles pass */
  uint32_t waiting[4], waiting_count; /* triangles that are tested next against the extents */
  mo_bounded_list list;               /* the triangles that have passed that test */
  uint32_t *listed_triangles;         /* see mo_gathered_triangles */
  uint32_t listed_count;
} triangle_lister;

static bool is_lower_index(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void list_waiting_triangles(triangle_lister *b) {
  static uint32_t (*const find_beyond[MO_ISA_COUNT])(const mo_surface *, const uint32_t[4],
                                                     const mo_gather_culling_extents *) =
      MO_ISA_TABLE(mo_triangles_beyond);
  const uint32_t count = b->waiting_count;
  for (uint32_t k = count; k < 4; k++) {
    b->waiting[k] = b->waiting[0];
  }
  const uint32_t beyond =
      count == 0
          ? 0
          : find_beyond[b->gathered->surface->isa](b->gathered->surface, b->waiting, &b->extents);
  for (uint32_t k = 0; k < count; k++) {
    if ((beyond >> k & 1) == 0) {
      mo_bounded_offer(&b->list, &b->waiting[k], sizeof *b->waiting, is_lower_index);
    }
  }
  b->waiting_count = 0;
}

static bool collect_triangle(uint32_t triangle, void *context) {
  triangle_lister *b = context;
  if (b->listed_count < MO_MAX_LISTED_TRIANGLES) {
    b->listed_triangles[b->listed_count] = triangle;
  }
  b->listed_count++;
  if (triangle >= b->min_triangle && b->extents.count == 0) {
    mo_bounded_offer(&b->list, &triangle, sizeof triangle, is_lower_index);
  } else if (triangle >= b->min_triangle) {
    b->waiting[b->waiting_count++] = triangle;
    if (b->waiting_count == 4) {
      list_waiting_triangles(b);
    }
  }
  return true;
}

static void make_face(const mo_gathered_triangles *gathered, uint32_t i, mo_gathered_face *face) {
  mo_surface_corners(gathered->surface, gathered->items[i].index, gathered->surface_body->reference,
                     face->corner);
  face->front = mo_surface_front_normal(gathered->surface, face->corner, &face->error_bound);
}

const mo_gathered_face *mo_gathered_face_of(const mo_gathered_triangles *gathered, uint32_t i,
                                            mo_gathered_face *made) {
  MO_ASSERT(i < gathered->count);
  if (i < MO_MAX_STORED_FACES) {
    return &gathered->faces[i];
  }
  make_face(gathered, i, made);
  return made;
}

void mo_gathered_make_body(const mo_gathered_triangles *gathered, uint32_t i,
                           mo_contact_body *body) {
  mo_gathered_face made;
  const mo_gathered_face *face = mo_gathered_face_of(gathered, i, &made);
  mo_contact_body_of_corners(body, face->corner, &gathered->surface->affine->to_world,
                             gathered->surface_body->reference);
}

static mo_manifold manifold_along(const mo_gathered_triangles *gathered,
                                  const mo_contact_body *triangle, mo_dvec3 normal) {
  const mo_surface *s = gathered->surface;
  return s->is_first ? mo_manifold_along(triangle, gathered->surface_body->body,
                                         gathered->surface_body->reference, s->max, normal)
                     : mo_manifold_along(gathered->surface_body->body, triangle,
                                         gathered->surface_body->reference, s->max,
                                         mo_dscale(-1.0, normal));
}

mo_manifold mo_gathered_contact_along(const mo_gathered_triangles *gathered, uint32_t i,
                                      mo_dvec3 normal) {
  mo_contact_body body;
  mo_gathered_make_body(gathered, i, &body);
  return manifold_along(gathered, &body, normal);
}

double mo_gathered_min_height(const mo_gathered_triangles *gathered, mo_dvec3 normal) {
  const mo_contact_body *body = gathered->surface_body->body;
  const mo_dvec3 down = mo_dscale(-1.0, normal);
  const mo_dvec3 lowest =
      mo_dadd(mo_contact_body_support(body, down), mo_contact_body_rounding(body, down));
  return mo_ddot(normal, lowest);
}

static double min_separation(const mo_manifold *manifold) {
  double min = INFINITY;
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    min = mo_dmin(min, (double)manifold->points[i].separation);
  }
  return min;
}

static mo_dvec3 midpoint_of_contact_point(const mo_gathered_triangles *gathered,
                                          const mo_manifold_point *point) {
  return mo_dadd(mo_widen(gathered->surface->is_first ? point->anchor_b : point->anchor_a),
                 gathered->surface_body->body->origin);
}

mo_dvec3 mo_gathered_point_on_triangle(const mo_gathered_triangles *gathered,
                                       const mo_manifold_point *point, mo_dvec3 normal) {
  return mo_dsub(midpoint_of_contact_point(gathered, point),
                 mo_dscale(0.5 * (double)point->separation, normal));
}

mo_dvec3 mo_gathered_point_on_body(const mo_gathered_triangles *gathered,
                                   const mo_manifold_point *point, mo_dvec3 normal) {
  return mo_dadd(midpoint_of_contact_point(gathered, point),
                 mo_dscale(0.5 * (double)point->separation, normal));
}

/* Whether a point on a triangle is farther than `distance` from all edges of the triangle. */
static bool lies_inside(const mo_triangle_contact *m, mo_dvec3 point, double distance) {
  const mo_dvec3 *c = m->face.corner;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 in = mo_dcross(m->face.front, mo_dsub(c[(i + 1) % 3], c[i]));
    const double side = mo_ddot(in, mo_dsub(c[(i + 2) % 3], c[i])) < 0.0 ? -1.0 : 1.0;
    if (!(side * mo_ddot(in, mo_dsub(point, c[i])) > distance * mo_dlength(in))) {
      return false;
    }
  }
  return true;
}

/* Whether some point of a contact lies in the interior of the triangle, where the surface has no
 * normals but those of front and back. Points on an edge do not count, whatever the rounding
 * errors. */
static bool has_point_inside(const mo_gathered_triangles *gathered, const mo_triangle_contact *m) {
  for (uint32_t i = 0; i < m->manifold.point_count; i++) {
    const mo_manifold_point *point = &m->manifold.points[i];
    const uint32_t own = (uint32_t)(gathered->surface->is_first ? point->id >> 32 : point->id);
    if (own >> 30 == MO_FEATURE_FACE &&
        lies_inside(m, mo_gathered_point_on_triangle(gathered, point, m->normal),
                    on_edge_relative_tolerance * gathered->size)) {
      return true;
    }
  }
  return false;
}

bool mo_gathered_separation_is_distance(const mo_gathered_triangles *gathered, double separation) {
  const mo_contact_body *body = gathered->surface_body->body;
  return body->ball_radius > 0.0 && (body->kind == MO_CORE_POINT ||
                                     (body->kind == MO_CORE_SEGMENT &&
                                      separation > -(1.0 - float_rounding) * body->ball_radius));
}

/* Replaces the contact normal by the triangle's normal if both are nearly equal, or if the contact
 * has a point in the interior of the triangle; but not if the contact would then no longer touch,
 * or be more than twice as deep. */
static void snap_to_face_normal(const mo_gathered_triangles *gathered, const mo_contact_body *body,
                                mo_triangle_contact *m) {
  const double towards = mo_ddot(m->face.front, m->normal),
               lean = mo_dlength(mo_dcross(m->face.front, m->normal));
  m->on_face = mo_dlength(m->face.front) > 0.0 && lean <= max_sine_of_equal_normals;
  m->has_oblique_normal =
      !m->on_face && mo_dlength(m->face.front) > 0.0 && has_point_inside(gathered, m);
  if (m->on_face || mo_dlength(m->face.front) == 0.0 ||
      (lean > MO_SNAP_TO_FACE_MAX_SINE && !m->has_oblique_normal)) {
    return;
  }
  if (lean > min_distinct_normal_sine &&
      mo_gathered_separation_is_distance(gathered, m->separation)) {
    return;
  }
  const mo_dvec3 face = mo_dscale(towards < 0.0 ? -1.0 : 1.0, m->face.front);
  const mo_manifold straight = manifold_along(gathered, body, face);
  const double deepest = MO_MAX_DEPTH_RATIO * mo_dmin(m->separation, 0.0) -
                         MO_SURFACE_HEIGHT_TOLERANCE * gathered->size;
  const double separation = min_separation(&straight);
  /* Along the triangle's normal, a body that reaches over a border has contact points only above
   * the triangle, so its deepest point may be missing. */
  const double shallowest = m->separation / MO_MAX_DEPTH_RATIO;
  if (straight.point_count > 0 && separation >= deepest &&
      (m->separation > 0.0 || separation <= shallowest + gathered->tolerance)) {
    m->manifold = straight;
    m->normal = face;
    m->separation = separation;
    m->on_face = true;
    m->has_oblique_normal = false;
  }
}

/* Whether a face of a hull surely separates it from a triangle, which then has no contact. (The
 * sides of boxes have been tested by the extents.) */
static bool hull_face_separates(const mo_gathered_triangles *gathered,
                                const mo_gathered_face *face) {
  static bool (*const find[MO_ISA_COUNT])(mo_contact_polytope *, const mo_dvec3[3], double) =
      MO_ISA_TABLE(mo_polytope_is_apart);
  const mo_contact_body *body = gathered->surface_body->body;
  return !mo_contact_body_is_half_space(body) && body->kind == MO_CORE_HULL &&
         body->ellipsoid_radius == 0.0 && body->polytope != NULL &&
         find[gathered->surface->isa](body->polytope, face->corner,
                                      gathered->surface->max + body->ball_radius);
}

static mo_manifold manifold_of(const mo_surface *s, const mo_surface_body *on,
                               const mo_contact_body *triangle) {
  return s->is_first ? mo_manifold_of(triangle, on->body, on->reference, s->max, NULL)
                     : mo_manifold_of(on->body, triangle, on->reference, s->max, NULL);
}

mo_manifold mo_surface_contact_of_triangle(const mo_surface *surface, const mo_surface_body *on,
                                           uint32_t triangle) {
  mo_dvec3 corner[3];
  mo_contact_body body;
  mo_surface_corners(surface, triangle, on->reference, corner);
  mo_contact_body_of_corners(&body, corner, &surface->affine->to_world, on->reference);
  return manifold_of(surface, on, &body);
}

static void find_contact(const mo_gathered_triangles *gathered, uint32_t i,
                         mo_triangle_contact *m) {
  const mo_surface *s = gathered->surface;
  mo_contact_body body;
  mo_gathered_face made;
  const mo_gathered_face *face = mo_gathered_face_of(gathered, i, &made);
  m->manifold.point_count = 0;
  if (gathered->items[i].absence >= MO_CONTACT_OUT_OF_REACH ||
      hull_face_separates(gathered, face)) {
    return;
  }
  mo_gathered_make_body(gathered, i, &body);
  m->manifold = manifold_of(s, gathered->surface_body, &body);
  if (m->manifold.point_count == 0) {
    return;
  }
  m->face = *face;
  m->normal = mo_dscale(s->is_first ? 1.0 : -1.0, mo_widen(m->manifold.normal));
  m->separation = min_separation(&m->manifold);
  m->depth = -m->separation;
  m->on_face = m->has_oblique_normal = false;
  MO_ASSERT(mo_is_unit(m->normal) && m->separation < INFINITY);
  if (gathered->is_one_surface) {
    snap_to_face_normal(gathered, &body, m);
  }
}

const mo_triangle_contact *mo_gathered_contact(mo_gathered_triangles *gathered, uint32_t i) {
  MO_ASSERT(i < gathered->count && gathered->count <= MO_MAX_GATHERED_TRIANGLES);
  uint32_t at = 0;
  while (at < gathered->cached_count && gathered->cached_items[at] != i) {
    at++;
  }
  if (at == gathered->cached_count) {
    at = at < MO_CACHED_CONTACTS ? at : MO_CACHED_CONTACTS - 1;
    gathered->cached_items[at] = i;
    find_contact(gathered, i, &gathered->contacts[at]);
    if (at == gathered->cached_count && gathered->contacts[at].manifold.point_count > 0) {
      gathered->cached_count++;
    }
  }
  return &gathered->contacts[at];
}

double mo_surface_find_depth_after_move(const mo_surface *surface, const mo_surface_body *on,
                                        uint32_t triangle, mo_dvec3 by) {
  mo_vec3 local[3];
  mo_contact_body body; /* the triangle, moved by minus `by` instead of moving the body by `by` */
  mo_mesh_corners(surface->mesh, triangle, local);
  mo_contact_body_of_triangle(&body, local, &surface->affine->to_world, mo_dadd(on->reference, by));
  const mo_manifold manifold = mo_manifold_of(on->body, &body, on->reference, surface->max, NULL);
  return -min_separation(&manifold);
}

/* Replaces the normal of a contact; its points on the triangle and their separations stay. */
static void replace_normal(const mo_gathered_triangles *gathered, mo_manifold *manifold,
                           mo_vec3 normal) {
  const mo_vec3 outward = gathered->surface->is_first ? normal : mo_scale(-1.0f, normal);
  const mo_vec3 change = mo_sub(outward, manifold->normal);
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    mo_manifold_point *p = &manifold->points[i];
    const float half = gathered->surface->is_first ? 0.5f * p->separation : -0.5f * p->separation;
    mo_gathered_move_point(p, mo_scale(half, change));
  }
  manifold->normal = outward;
}

mo_manifold mo_gathered_accepted_contact(mo_gathered_triangles *gathered, uint32_t i) {
  const mo_gathered_triangle *t = &gathered->items[i];
  mo_manifold manifold = t->contact_origin == MO_CONTACT_MADE
                             ? mo_gathered_contact_along(gathered, i, mo_gathered_normal(t))
                             : mo_gathered_contact(gathered, i)->manifold;
  if (t->contact_origin == MO_CONTACT_KEPT_WITH_FACE_NORMAL ||
      t->contact_origin == MO_CONTACT_KEPT_ACROSS_BORDER) {
    replace_normal(gathered, &manifold, t->normal);
  }
  MO_ASSERT(t->kept_points != 0 && t->kept_points >> manifold.point_count == 0);
  const uint32_t count = manifold.point_count;
  manifold.point_count = 0;
  manifold.touching = false;
  for (uint32_t k = 0; k < count; k++) {
    if (t->kept_points >> k & 1) {
      manifold.touching = manifold.touching || manifold.points[k].separation <= 0.0f;
      manifold.points[manifold.point_count++] = manifold.points[k];
    }
  }
  return manifold;
}

/* Whether a contact is culled as one with a back face, and so can hide no other contact: the body
 * is behind a one-sided triangle, and does not overlap it so deeply that the shortest way out leads
 * behind the triangle. */
static bool is_culled(const mo_gathered_triangles *gathered, const mo_triangle_contact *m) {
  return gathered->surface->cull_back_faces &&
         mo_ddot(m->face.front, m->normal) < max_back_face_cosine &&
         m->separation > -gathered->surface_body->body->ball_radius;
}

double mo_gathered_max_depth(const mo_gathered_triangles *gathered, double depth) {
  /* Depths along face normals, which are preferred, may be larger by the face bias. */
  const double shortest = depth - MO_FACE_BIAS * gathered->surface_body->body->thickness;
  return mo_dmax(depth, MO_MAX_DEPTH_RATIO * shortest) +
         MO_SURFACE_HEIGHT_TOLERANCE * gathered->size;
}

static void gather_contact(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
  t->separation = INFINITY;
  t->kept_points = 0;
  t->hiding_tests_made = MO_MAX_GATHERED_TRIANGLES;
  t->on_face = t->is_hidden = t->face_continues = t->is_resolved = false;
  t->own_contact_rejected = t->has_no_face_contact = false;
  t->contact_origin = MO_CONTACT_OWN;
  if (m->manifold.point_count > 0 && !is_culled(gathered, m)) {
    gathered->max_triangle_depth = mo_dmax(gathered->max_triangle_depth, m->depth);
    t->separation = (float)m->separation;
    t->normal = mo_narrow(m->normal);
    t->on_face = m->on_face;
  }
}

/* A bound of the rounding error of the corners of a mesh, in world units. */
static double corner_rounding_of(const mo_surface *s) {
  const mo_transform *map = &s->affine->to_world;
  const mo_vec3 reach = s->mesh->reach;
  return 0x1p-22 * (mo_dlength(mo_widen(map->x_axis)) * (double)reach.x +
                    mo_dlength(mo_widen(map->y_axis)) * (double)reach.y +
                    mo_dlength(mo_widen(map->z_axis)) * (double)reach.z);
}

static bool is_rounded(const mo_contact_body *body, mo_core_kind core) {
  return !mo_contact_body_is_half_space(body) && body->ball_radius > 0.0 && body->kind == core;
}

/* How far from the body the triangles are that are listed, at least. */
static double reach_of(const mo_gathered_triangles *gathered) {
  return gathered->surface->max + MO_SURFACE_HEIGHT_TOLERANCE * gathered->size +
         gathered->tolerance;
}

/* Whether a body is a compact box with perpendicular sides. (From the middle of a plank, triangles
 * at its ends say less about the side of their sheet than those beside it, which it does not
 * touch.) */
static bool is_compact_box(const mo_contact_body *body) {
  if (body->kind != MO_CORE_BOX || body->ellipsoid_radius > 0.0) {
    return false;
  }
  const mo_dvec3 *n = body->face_normal, *axis = body->axis;
  const double skew = fabs(mo_ddot(n[0], n[1])) + fabs(mo_ddot(n[1], n[2])) +
                      fabs(mo_ddot(n[2], n[0])),
               x = mo_ddot(axis[0], axis[0]), y = mo_ddot(axis[1], axis[1]),
               z = mo_ddot(axis[2], axis[2]);
  return skew < 0x1p-20 && mo_dmin(x, mo_dmin(y, z)) >
                               min_compact_ratio * min_compact_ratio * mo_dmax(x, mo_dmax(y, z));
}

/* Whether the surface has to be searched only within the body's own shape, grown by reach_of: a
 * ball, a capsule, or a compact box. Few of the triangles that touch a box around such a body along
 * the axes of the world touch it. */
static bool has_own_region(const mo_contact_body *body) {
  return is_rounded(body, MO_CORE_POINT) || is_rounded(body, MO_CORE_SEGMENT) ||
         (!mo_contact_body_is_half_space(body) && is_compact_box(body));
}

/* The region of a body's own shape. It is grown by more than what single precision changes. `grown`
 * receives the shape, to which the region keeps a pointer. */
static mo_region own_region_of(const mo_gathered_triangles *gathered,
                               mo_prepared_primitive *grown) {
  const mo_contact_body *body = gathered->surface_body->body;
  const mo_dvec3 center = mo_dadd(gathered->surface_body->reference, body->center);
  const double lengths[3] = {mo_dlength(body->axis[0]), mo_dlength(body->axis[1]),
                             mo_dlength(body->axis[2])};
  const double by = body->ball_radius + reach_of(gathered),
               more = by + 0x1p-20 * (mo_sum_of_magnitudes(center) + body->size + by);
  mo_solid solid = {.kind = MO_SOLID_BOX};
  mo_transform map = {.origin = mo_narrow(center)};
  if (body->kind == MO_CORE_BOX) {
    const mo_dvec3 *n = body->face_normal;
    map.x_axis = mo_narrow(n[0]);
    map.y_axis = mo_narrow(n[1]);
    map.z_axis = mo_narrow(n[2]);
    solid.b = mo_widen(mo_vec(mo_round_up(lengths[0] + more), mo_round_up(lengths[1] + more),
                              mo_round_up(lengths[2] + more)));
  } else if (body->kind == MO_CORE_SEGMENT && lengths[0] > 0.0) {
    const mo_dvec3 along = mo_dscale(1.0 / lengths[0], body->axis[0]),
                   side = mo_dunit(mo_dcross(along, mo_most_perpendicular_axis(along)));
    map.x_axis = mo_narrow(along);
    map.y_axis = mo_narrow(side);
    map.z_axis = mo_narrow(mo_dcross(along, side));
    solid.kind = MO_SOLID_CAPSULE;
    solid.b.x = (double)mo_round_up(lengths[0]);
    solid.a.x = -solid.b.x;
    solid.radius = (double)mo_round_up(more);
  } else {
    return (mo_region){.kind = MO_REGION_BALL,
                       .ball = {.center = map.origin, .radius = mo_round_up(more)}};
  }
  *grown = (mo_prepared_primitive){.body = mo_body_of_solid(&solid, &map)};
  return mo_region_of_primitive(grown);
}

/* Sets the extents of a body without a region of its own: along its axes, if it has axes. */
static void set_extents(const mo_gathered_triangles *gathered, mo_gather_culling_extents *e) {
  const mo_contact_body *body = gathered->surface_body->body;
  const double reach = reach_of(gathered);
  *e = (mo_gather_culling_extents){.reference = gathered->surface_body->reference};
  if (mo_contact_body_is_half_space(body) || body->kind == MO_CORE_TRIANGLE) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 axis = body->kind == MO_CORE_BOX ? body->face_normal[i] : body->column[i];
    const double length = mo_dlength(axis);
    if (length > 0.0) {
      const mo_dvec3 unit = mo_dscale(1.0 / length, axis);
      e->axis[e->count] = unit;
      e->low[e->count] = mo_gathered_min_height(gathered, unit) - reach;
      e->high[e->count++] = reach - mo_gathered_min_height(gathered, mo_dscale(-1.0, unit));
    }
  }
}

/* Lists the triangles near the body. Not inlined, so that its array is off the stack when contacts
 * are computed. */
__attribute__((noinline)) static void list_triangles(mo_gathered_triangles *gathered,
                                                     uint32_t begin) {
  uint32_t triangles[MO_MAX_GATHERED_TRIANGLES];
  triangle_lister b = {.gathered = gathered,
                       .min_triangle = begin,
                       .list = mo_bounded_make(triangles, MO_MAX_GATHERED_TRIANGLES),
                       .listed_triangles = gathered->listed_triangles};
  mo_prepared_primitive grown;
  const bool own = has_own_region(gathered->surface_body->body);
  const mo_region region = own ? own_region_of(gathered, &grown) : gathered->surface_body->region;
  if (!own) {
    set_extents(gathered, &b.extents);
  }
  mo_surface_visit(gathered->surface, &region, collect_triangle, &b);
  list_waiting_triangles(&b);
  mo_bounded_sort(&b.list, sizeof *triangles, is_lower_index);
  gathered->count = b.list.count;
  for (uint32_t i = 0; i < gathered->count; i++) {
    MO_ASSERT(i == 0 || triangles[i - 1] < triangles[i]);
    gathered->items[i].index = triangles[i];
    gathered->items[i].absence = MO_CONTACT_NOT_ABSENT;
  }
  for (uint32_t i = 0; i < gathered->count && i < MO_MAX_STORED_FACES; i++) {
    make_face(gathered, i, &gathered->faces[i]);
  }
  if (gathered->is_one_surface && gathered->surface_body->mesh == NULL &&
      b.listed_count <= MO_MAX_LISTED_TRIANGLES) {
    mo_sheet_sides_set_triangles(gathered->surface_body->sides, gathered->listed_triangles,
                                 b.listed_count, !own);
  }
}

mo_dvec3 mo_gathered_front_on_body_side(const mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_face made;
  return mo_dscale(mo_sheet_find_side_of_body(gathered->surface_body->sides, gathered->surface,
                                              gathered->items[i].index),
                   mo_gathered_face_of(gathered, i, &made)->front);
}

void mo_gather_triangles(mo_gathered_triangles *gathered, const mo_surface *surface,
                         const mo_surface_body *on, uint32_t begin) {
  gathered->surface = surface;
  gathered->accepts_unproven = false;
  gathered->surface_body = on;
  /* a half-space touches any mesh only at vertices */
  gathered->is_one_surface =
      mo_mesh_is_surface(surface->mesh) && !mo_contact_body_is_half_space(on->body);
  gathered->size = on->body->size + on->body->ball_radius;
  gathered->tolerance = 0x1p-18 * gathered->size + corner_rounding_of(surface);
  gathered->max_triangle_depth = 0.0;
  if (!mo_contact_body_is_half_space(on->body) && on->body->kind == MO_CORE_TRIANGLE) {
    double error_bound;
    gathered->body_front = mo_surface_front_normal(surface, on->body->core.corners, &error_bound);
  }
  if (on->mesh != NULL) {
    gathered->tolerance += corner_rounding_of(&on->mesh->own);
  }
  list_triangles(gathered, begin);
  gathered->is_partial = begin > 0 || gathered->count == MO_MAX_GATHERED_TRIANGLES;
  gathered->cached_count = 0;
}

void mo_gather_contacts(mo_gathered_triangles *gathered) {
  const mo_contact_body *body = gathered->surface_body->body;
  for (uint32_t i = 0; i < gathered->count; i++) {
    gather_contact(gathered, i);
  }
  gathered->core_is_overlapped =
      body->kind != MO_CORE_POINT && body->ball_radius > 0.0 &&
      gathered->max_triangle_depth >= (1.0 - float_rounding) * body->ball_radius;
  gathered->max_depth = gathered->surface_body->mesh != NULL
                            ? INFINITY
                            : mo_gathered_max_depth(gathered, gathered->max_triangle_depth);
}
