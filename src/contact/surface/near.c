/* Gathers the triangles near a body, and finds the contact of each by itself. */
#include "contact/surface/near.h"

#include "base/assert.h"
#include "base/bounded.h"
#include "contact/body/limits.h"
#include "contact/normal/polytope.h"

/* Sine of an angle. A normal that leans by less counts as the triangle's normal. */
static const double along_face_sine = 1e-6;
/* Sine of an angle. A normal between closest points that leans by more is not rounding. */
static const double distinct_lean = 0x1p-10;
/* Separations are rounded to floats: fraction by which they may be off. */
static const double float_noise = 0x1p-20;
/* Fraction of the size of the body: points closer to an edge than this are on it. */
static const double on_edge = 0x1p-20;
/* The normal of a contact leads out of the back of a triangle if the cosine between it and that of
 * the front is below this. Not 0, as normals at borders of a mesh may be perpendicular to it but
 * for rounding. */
static const double back_face = -0x1p-7;

/* The state of listing triangles. They are found by the box around the body, which is larger where
 * the body is rotated or round; so they are tested against its extents, four at a time. */
typedef struct batch {
  const mo_near *near;
  uint32_t begin;
  mo_near_extents extents;
  uint32_t waiting[4], waiting_count;
  mo_bounded list;
  uint32_t *listed; /* MO_LISTED_TRIANGLES; see mo_near */
  uint32_t listed_count;
} batch;

static bool index_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* Lists those of the waiting triangles that are not beyond the body. */
static void list_waiting(batch *b) {
  static uint32_t (*const find_beyond[MO_ISA_COUNT])(const mo_surface *, const uint32_t[4],
                                                     const mo_near_extents *) =
      MO_ISA_TABLE(mo_triangles_beyond);
  const uint32_t count = b->waiting_count;
  for (uint32_t k = count; k < 4; k++) {
    b->waiting[k] = b->waiting[0];
  }
  const uint32_t beyond =
      count == 0 ? 0
                 : find_beyond[b->near->surface->isa](b->near->surface, b->waiting, &b->extents);
  for (uint32_t k = 0; k < count; k++) {
    if ((beyond >> k & 1) == 0) {
      mo_bounded_offer(&b->list, &b->waiting[k], sizeof *b->waiting, index_before);
    }
  }
  b->waiting_count = 0;
}

static bool collect(uint32_t triangle, void *context) {
  batch *b = context;
  if (b->listed_count < MO_LISTED_TRIANGLES) {
    b->listed[b->listed_count] = triangle;
  }
  b->listed_count++;
  if (triangle >= b->begin) {
    b->waiting[b->waiting_count++] = triangle;
    if (b->waiting_count == 4) {
      list_waiting(b);
    }
  }
  return true;
}

static void make_face(const mo_near *near, uint32_t i, mo_near_face *face) {
  mo_surface_corners(near->surface, near->items[i].index, near->on->reference, face->corner);
  face->front = mo_surface_front(near->surface, face->corner, &face->noise);
}

const mo_near_face *mo_near_face_of(const mo_near *near, uint32_t i, mo_near_face *made) {
  MO_ASSERT(i < near->count);
  if (i < MO_STORED_FACES) {
    return &near->faces[i];
  }
  make_face(near, i, made);
  return made;
}

void mo_near_make_body(const mo_near *near, uint32_t i, mo_contact_body *body) {
  mo_near_face made;
  const mo_near_face *face = mo_near_face_of(near, i, &made);
  mo_contact_body_of_corners(body, face->corner, &near->surface->affine->to_world,
                             near->on->reference);
}

static mo_manifold manifold_along(const mo_near *near, const mo_contact_body *triangle,
                                  mo_dvec3 normal) {
  const mo_surface *s = near->surface;
  return s->is_first
             ? mo_manifold_along(triangle, near->on->body, near->on->reference, s->max, normal)
             : mo_manifold_along(near->on->body, triangle, near->on->reference, s->max,
                                 mo_dscale(-1.0, normal));
}

mo_manifold mo_near_contact_along(const mo_near *near, uint32_t i, mo_dvec3 normal) {
  mo_contact_body body;
  mo_near_make_body(near, i, &body);
  return manifold_along(near, &body, normal);
}

double mo_near_lowest(const mo_near *near, mo_dvec3 normal) {
  const mo_contact_body *body = near->on->body;
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

static mo_dvec3 middle_of(const mo_near *near, const mo_manifold_point *point) {
  return mo_dadd(mo_widen(near->surface->is_first ? point->anchor_b : point->anchor_a),
                 near->on->body->origin);
}

mo_dvec3 mo_near_point_on_triangle(const mo_near *near, const mo_manifold_point *point,
                                   mo_dvec3 normal) {
  return mo_dsub(middle_of(near, point), mo_dscale(0.5 * (double)point->separation, normal));
}

mo_dvec3 mo_near_point_on_body(const mo_near *near, const mo_manifold_point *point,
                               mo_dvec3 normal) {
  return mo_dadd(middle_of(near, point), mo_dscale(0.5 * (double)point->separation, normal));
}

/* Whether a point on a triangle is farther from all edges than a distance. */
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

/* Whether some point lies in the interior of the triangle, where the only normals of the surface
 * are those of its front and back. Points on an edge do not count, whatever the rounding errors. */
static bool has_point_inside(const mo_near *near, const mo_triangle_contact *m) {
  for (uint32_t i = 0; i < m->manifold.point_count; i++) {
    const mo_manifold_point *point = &m->manifold.points[i];
    const uint32_t own = (uint32_t)(near->surface->is_first ? point->id >> 32 : point->id);
    if (own >> 30 == MO_FEATURE_FACE &&
        lies_inside(m, mo_near_point_on_triangle(near, point, m->normal), on_edge * near->size)) {
      return true;
    }
  }
  return false;
}

bool mo_near_is_by_distance(const mo_near *near, double separation) {
  const mo_contact_body *body = near->on->body;
  return body->ball > 0.0 &&
         (body->kind == MO_CORE_POINT ||
          (body->kind == MO_CORE_SEGMENT && separation > -(1.0 - float_noise) * body->ball));
}

/* Replaces the normal by that of the triangle if it leans only slightly, or if the contact has a
 * point in the interior, and the contact is not more than twice as deep then, and still touches. */
static void straighten(const mo_near *near, const mo_contact_body *body, mo_triangle_contact *m) {
  const double towards = mo_ddot(m->face.front, m->normal),
               lean = mo_dlength(mo_dcross(m->face.front, m->normal));
  m->on_face = mo_dlength(m->face.front) > 0.0 && lean <= along_face_sine;
  m->is_oblique = !m->on_face && mo_dlength(m->face.front) > 0.0 && has_point_inside(near, m);
  if (m->on_face || mo_dlength(m->face.front) == 0.0 || (lean > MO_SLIGHT_LEAN && !m->is_oblique)) {
    return;
  }
  if (lean > distinct_lean && mo_near_is_by_distance(near, m->separation)) {
    return;
  }
  const mo_dvec3 face = mo_dscale(towards < 0.0 ? -1.0 : 1.0, m->face.front);
  const mo_manifold straight = manifold_along(near, body, face);
  const double deepest =
      MO_MAX_EXCESS * mo_dmin(m->separation, 0.0) - MO_SURFACE_SLACK * near->size;
  const double separation = min_separation(&straight);
  if (straight.point_count > 0 && separation >= deepest &&
      (m->separation > 0.0 || separation <= near->tolerance)) {
    m->manifold = straight;
    m->normal = face;
    m->separation = separation;
    m->on_face = true;
    m->is_oblique = false;
  }
}

/* Whether a face of a hull surely separates it from a triangle: it has no contact. (Sides of boxes
 * have been compared already.) */
static bool is_apart(const mo_near *near, const mo_near_face *face) {
  static bool (*const find[MO_ISA_COUNT])(mo_contact_polytope *, const mo_dvec3[3], double) =
      MO_ISA_TABLE(mo_polytope_is_apart);
  const mo_contact_body *body = near->on->body;
  return !mo_contact_body_is_half_space(body) && body->kind == MO_CORE_HULL &&
         body->ellipsoid == 0.0 && body->polytope != NULL &&
         find[near->surface->isa](body->polytope, face->corner, near->surface->max + body->ball);
}

/* Whether a triangle is surely farther than a distance from the plane of another one, whose unit
 * normal has a rounding error of up to `noise`. */
static bool is_beyond_plane(mo_dvec3 front, double noise, mo_dvec3 origin, const mo_dvec3 corner[3],
                            double distance) {
  int above = 0, below = 0;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 from = mo_dsub(corner[i], origin);
    const double height = mo_ddot(front, from),
                 far = distance + noise * (fabs(from.x) + fabs(from.y) + fabs(from.z));
    above += height > far;
    below += height < -far;
  }
  return above == 3 || below == 3;
}

/* Whether the plane of a body that is a triangle, or that of a triangle, surely separates them. */
static bool plane_separates(const mo_near *near, const mo_near_face *face) {
  const mo_contact_body *body = near->on->body;
  if (mo_contact_body_is_half_space(body) || body->kind != MO_CORE_TRIANGLE) {
    return false;
  }
  const mo_dvec3 *own = body->core.corners, *c = face->corner;
  const double distance = near->surface->max + body->ball + 2.0 * near->tolerance;
  return is_beyond_plane(face->front, face->noise, c[0], own, distance) ||
         is_beyond_plane(near->body_front, near->body_noise, own[0], c, distance);
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

static void find_contact(const mo_near *near, uint32_t i, mo_triangle_contact *m) {
  const mo_surface *s = near->surface;
  mo_contact_body body;
  mo_near_face made;
  const mo_near_face *face = mo_near_face_of(near, i, &made);
  m->manifold.point_count = 0;
  if (is_apart(near, face) || plane_separates(near, face)) {
    return;
  }
  mo_near_make_body(near, i, &body);
  m->manifold = manifold_of(s, near->on, &body);
  if (m->manifold.point_count == 0) {
    return;
  }
  m->face = *face;
  m->normal = mo_dscale(s->is_first ? 1.0 : -1.0, mo_widen(m->manifold.normal));
  m->separation = min_separation(&m->manifold);
  m->overlap = -m->separation;
  m->on_face = m->is_oblique = false;
  MO_ASSERT(mo_is_unit(m->normal) && m->separation < INFINITY);
  if (near->is_united) {
    straighten(near, &body, m);
  }
}

const mo_triangle_contact *mo_near_contact(mo_near *near, uint32_t i) {
  MO_ASSERT(i < near->count && near->count <= MO_NEAR_TRIANGLES);
  const uint32_t at = i % MO_CACHED_TRIANGLES;
  if (near->cached[at] != i) {
    near->cached[at] = i;
    find_contact(near, i, &near->contacts[at]);
  }
  return &near->contacts[at];
}

double mo_near_overlap_when_moved(const mo_near *near, uint32_t i, mo_dvec3 by) {
  mo_vec3 local[3];
  mo_contact_body body; /* of the triangle, moved the other way */
  mo_mesh_corners(near->surface->mesh, near->items[i].index, local);
  mo_contact_body_of_triangle(&body, local, &near->surface->affine->to_world,
                              mo_dadd(near->on->reference, by));
  const mo_manifold manifold =
      mo_manifold_of(near->on->body, &body, near->on->reference, near->surface->max, NULL);
  return -min_separation(&manifold);
}

/* Replaces the normal of a contact; its points on the triangle and their separations stay. */
static void turn(const mo_near *near, mo_manifold *manifold, mo_vec3 normal) {
  const mo_vec3 outward = near->surface->is_first ? normal : mo_scale(-1.0f, normal);
  const mo_vec3 change = mo_sub(outward, manifold->normal);
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    mo_manifold_point *p = &manifold->points[i];
    const float half = near->surface->is_first ? 0.5f * p->separation : -0.5f * p->separation;
    mo_near_move_point(p, mo_scale(half, change));
  }
  manifold->normal = outward;
}

mo_manifold mo_near_accepted(mo_near *near, uint32_t i) {
  const mo_near_triangle *t = &near->items[i];
  mo_manifold manifold = t->is_forced ? mo_near_contact_along(near, i, mo_near_normal(t))
                                      : mo_near_contact(near, i)->manifold;
  if (t->is_along_face) {
    turn(near, &manifold, t->normal);
  }
  MO_ASSERT(t->kept != 0 && t->kept >> manifold.point_count == 0);
  const uint32_t count = manifold.point_count;
  manifold.point_count = 0;
  manifold.touching = false;
  for (uint32_t k = 0; k < count; k++) {
    if (t->kept >> k & 1) {
      manifold.touching = manifold.touching || manifold.points[k].separation <= 0.0f;
      manifold.points[manifold.point_count++] = manifold.points[k];
    }
  }
  return manifold;
}

/* Whether a contact would be culled, and so can hide no other one: the body is behind a one-sided
 * triangle, and does not overlap it so deeply that the shortest way out leads behind it. */
static bool is_culled(const mo_near *near, const mo_triangle_contact *m) {
  return near->surface->cull_back_faces && mo_ddot(m->face.front, m->normal) < back_face &&
         m->separation > -near->on->body->ball;
}

static void examine(mo_near *near, uint32_t i) {
  mo_near_triangle *t = &near->items[i];
  const mo_triangle_contact *m = mo_near_contact(near, i);
  t->separation = INFINITY;
  t->kept = 0;
  t->searched = MO_NEAR_TRIANGLES;
  t->on_face = t->is_forced = t->is_hidden = t->face_goes_on = t->is_resolved = false;
  t->is_refused = t->is_repeated = t->is_along_face = t->has_no_face_contact = false;
  if (m->manifold.point_count > 0 && !is_culled(near, m)) {
    near->overlap = mo_dmax(near->overlap, m->overlap);
    t->separation = (float)m->separation;
    t->normal = mo_narrow(m->normal);
    t->on_face = m->on_face;
  }
}

/* Up to how much the corners of a mesh are off by rounding; world units. */
static double rounding_of(const mo_surface *s) {
  const mo_transform *map = &s->affine->to_world;
  const mo_vec3 reach = s->mesh->reach;
  return 0x1p-22 * (mo_dlength(mo_widen(map->x_axis)) * (double)reach.x +
                    mo_dlength(mo_widen(map->y_axis)) * (double)reach.y +
                    mo_dlength(mo_widen(map->z_axis)) * (double)reach.z);
}

static bool is_ball_or_capsule(const mo_contact_body *body) {
  return !mo_contact_body_is_half_space(body) && body->ball > 0.0 &&
         (body->kind == MO_CORE_POINT || body->kind == MO_CORE_SEGMENT);
}

/* Sets the extents of the body: along its own axes, as far as it has such axes, and rounded. */
static void set_extents(const mo_near *near, mo_near_extents *e) {
  const mo_contact_body *body = near->on->body;
  const bool has_axes = !mo_contact_body_is_half_space(body) && body->kind != MO_CORE_POINT &&
                        body->kind != MO_CORE_TRIANGLE;
  const double reach = near->surface->max + MO_SURFACE_SLACK * near->size + near->tolerance;
  *e = (mo_near_extents){.reference = near->on->reference, .rounding = INFINITY};
  if (is_ball_or_capsule(body)) {
    e->rounding = body->ball + reach;
    e->center = body->center;
    e->half = body->kind == MO_CORE_SEGMENT ? body->axis[0] : e->half;
  }
  for (int i = 0; i < 3 && has_axes; i++) {
    const mo_dvec3 axis = body->kind == MO_CORE_BOX ? body->side[i] : body->column[i];
    const double length = mo_dlength(axis);
    if (length > 0.0) {
      const mo_dvec3 unit = mo_dscale(1.0 / length, axis);
      e->axis[e->count] = unit;
      e->low[e->count] = mo_near_lowest(near, unit) - reach;
      e->high[e->count++] = reach - mo_near_lowest(near, mo_dscale(-1.0, unit));
    }
  }
}

/* Lists the triangles. Not inlined, so that its array is gone when contacts are found. */
__attribute__((noinline)) static void list_triangles(mo_near *near, uint32_t begin) {
  uint32_t triangles[MO_NEAR_TRIANGLES];
  batch b = {.near = near,
             .begin = begin,
             .list = mo_bounded_make(triangles, MO_NEAR_TRIANGLES),
             .listed = near->listed};
  set_extents(near, &b.extents);
  mo_surface_visit(near->surface, &near->on->region, collect, &b);
  list_waiting(&b);
  mo_bounded_sort(&b.list, sizeof *triangles, index_before);
  near->count = b.list.count;
  for (uint32_t i = 0; i < near->count; i++) {
    MO_ASSERT(i == 0 || triangles[i - 1] < triangles[i]);
    near->items[i].index = triangles[i];
  }
  for (uint32_t i = 0; i < near->count && i < MO_STORED_FACES; i++) {
    make_face(near, i, &near->faces[i]);
  }
  if (near->is_united && near->on->mesh_corner == NULL && b.listed_count <= MO_LISTED_TRIANGLES) {
    mo_sheet_sides_list(near->on->sides, near->listed, b.listed_count);
  }
}

void mo_near_gather(mo_near *near, const mo_surface *surface, const mo_surface_body *on,
                    uint32_t begin) {
  near->surface = surface;
  near->on = on;
  /* a half-space touches any mesh only at vertices */
  near->is_united = surface->mesh->edges != NULL && !mo_contact_body_is_half_space(on->body);
  near->size = on->body->size + on->body->ball;
  near->tolerance = 0x1p-18 * near->size + rounding_of(surface);
  near->overlap = 0.0;
  if (!mo_contact_body_is_half_space(on->body) && on->body->kind == MO_CORE_TRIANGLE) {
    near->body_front = mo_surface_front(surface, on->body->core.corners, &near->body_noise);
  }
  list_triangles(near, begin);
  for (uint32_t i = 0; i < MO_CACHED_TRIANGLES; i++) {
    near->cached[i] = UINT32_MAX;
  }
  for (uint32_t i = 0; i < near->count; i++) {
    examine(near, i);
  }
  near->is_pierced = on->body->kind != MO_CORE_POINT && on->body->ball > 0.0 &&
                     near->overlap >= (1.0 - float_noise) * on->body->ball;
  /* Along the normals of faces, which are preferred, depths may be larger by the face bias. */
  const double shortest = near->overlap - MO_FACE_BIAS * on->body->thickness;
  near->max_depth = on->mesh_corner != NULL ? INFINITY
                                            : mo_dmax(near->overlap, MO_MAX_EXCESS * shortest) +
                                                  MO_SURFACE_SLACK * near->size;
}
