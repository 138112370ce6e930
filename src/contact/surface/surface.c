/* Reports the contacts of a surface. Those along the normals of triangles that lie in one plane are
 * united into one, as if these triangles were one face.
 *
 * Triangles are processed in the order of their indices, so that the result does not depend on the
 * tree, and in batches of MO_MAX_GATHERED_TRIANGLES. Each triangle belongs to the first plane that
 * matches its own plane within tolerances. A triangle whose edges are all flat is skipped once all
 * corners of the body lie over other triangles of its plane, as it can add no points. Inside a flat
 * part of the surface only the contact with its plane is made, not those of single triangles. */
#include "base/log.h"
#include "contact/manifold/patch.h"
#include "contact/normal/polytope.h"
#include "contact/surface/accept.h"
#include "contact/surface/depth.h"
#include "contact/surface/mesh_body.h"
#include "geometry/triangle/triangle.h"

enum { MAX_PLANES = 63, NO_PLANE = MAX_PLANES };

/* Two planes are the same if the sine between their normals is at most this, and the heights of the
 * body's centre over them differ by at most this fraction of the size of the body. */
static const double same_plane_tolerance = 0x1p-10;

/* A contact is behind its triangle if the cosine between the contact normal and the triangle's
 * normal is below this. */
static const double max_behind_cosine = -0.5;

/* The plane of a triangle, as seen from the body. */
typedef struct plane {
  mo_dvec3 normal;    /* unit, towards the body */
  double height;      /* of the body's centre above the plane */
  bool in_front;      /* whether the body is on the front side of the triangle */
  uint32_t user_data; /* user data that all triangles of the plane have */
  uint32_t first;     /* position in `items` of the first triangle with a contact along `normal` */
  uint32_t count;     /* the number of triangles in the plane */
} plane;

/* The triangles near the body, their planes, and the callback that receives contacts. */
typedef struct plane_reporter {
  mo_gathered_triangles gathered;
  mo_surface_report *report;
  void *context;
  plane planes[MAX_PLANES];
  int plane_count;
} plane_reporter;

/* The plane of triangle `i`, which has the face `face`. Its normal points to the side of the
 * direction `towards`, and is zero if the triangle is degenerate. */
static plane plane_of_face(const mo_gathered_triangles *gathered, uint32_t i,
                           const mo_gathered_face *face, mo_dvec3 towards) {
  const uint32_t index = gathered->items[i].index;
  plane p = {.in_front = mo_ddot(face->front, towards) >= 0.0,
             .user_data = mo_mesh_user_data(gathered->surface->mesh, index),
             .first = i};
  p.normal = mo_dscale(p.in_front ? 1.0 : -1.0, face->front);
  p.height = mo_ddot(p.normal, mo_dsub(gathered->surface_body->body->center, face->corner[0]));
  return p;
}

static plane plane_of(const mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 towards) {
  mo_gathered_face made;
  return plane_of_face(gathered, i, mo_gathered_face_of(gathered, i, &made), towards);
}

/* Whether two planes are the same within tolerances, whatever their user data and the sides of
 * their triangles' fronts. */
static bool are_coplanar(const mo_gathered_triangles *gathered, const plane *p, const plane *q) {
  const mo_dvec3 across = mo_dcross(p->normal, q->normal);
  return fabs(p->height - q->height) <= same_plane_tolerance * gathered->size &&
         mo_ddot(p->normal, q->normal) > 0.0 &&
         mo_ddot(across, across) <= same_plane_tolerance * same_plane_tolerance;
}

static bool is_same_plane(const mo_gathered_triangles *gathered, const plane *p, const plane *q) {
  return p->user_data == q->user_data && are_coplanar(gathered, p, q) &&
         (p->in_front == q->in_front || !gathered->surface->cull_back_faces);
}

/* Whether an accepted contact is along the normal of its triangle, perhaps only as it was kept so.
 */
static bool is_along_face(const mo_gathered_triangle *t) {
  return t->on_face || t->contact_origin == MO_CONTACT_KEPT_WITH_FACE_NORMAL;
}

/* Lists the planes of all triangles that have a contact along their normal. */
static void find_planes(plane_reporter *f) {
  f->plane_count = 0;
  for (uint32_t i = 0; i < f->gathered.count; i++) {
    const mo_gathered_triangle *t = &f->gathered.items[i];
    if (t->kept_points == 0 || !is_along_face(t)) {
      continue;
    }
    const plane own = plane_of(&f->gathered, i, mo_gathered_normal(t));
    int k = 0;
    while (k < f->plane_count && !is_same_plane(&f->gathered, &f->planes[k], &own)) {
      k++;
    }
    if (k == f->plane_count && k < MAX_PLANES) {
      f->planes[f->plane_count++] = own;
    }
  }
}

/* Whether a triangle that lies in a plane belongs to the face that the body touches there. A
 * triangle does not if another part of the surface hides it, such as a side of a block below the
 * top, or if it has no own contact: the body may be behind it without touching it. A body that is a
 * triangle of a mesh is no thicker than its tilt: where it has sunk in, it is behind some triangles
 * of a face that its mesh overlaps, and their own contacts would lead out at their back. */
static bool is_part_of_face(mo_gathered_triangles *gathered, uint32_t i, const plane *p) {
  const mo_gathered_triangle *t = &gathered->items[i];
  return t->kept_points != 0 || t->absence == MO_CONTACT_REPEATED ||
         (t->separation < INFINITY &&
          (gathered->surface_body->mesh != NULL ||
           mo_ddot(mo_gathered_normal(t), p->normal) > max_behind_cosine) &&
          !mo_surface_hides_contact(gathered, i));
}

/* Whether a triangle has a contact along its normal at the back of a plane. */
static bool is_touched_at_back(const mo_gathered_triangle *t, const plane *p) {
  return t->kept_points != 0 && is_along_face(t) && mo_ddot(mo_gathered_normal(t), p->normal) < 0.0;
}

/* Assigns each triangle to the first of the listed planes in which it lies, or to none. */
static void assign_planes(plane_reporter *f) {
  for (uint32_t i = 0; i < f->gathered.count; i++) {
    mo_gathered_triangle *t = &f->gathered.items[i];
    mo_gathered_face made;
    const mo_gathered_face *face = mo_gathered_face_of(&f->gathered, i, &made);
    const bool has_plane = mo_dlength(face->front) > 0.0;
    t->plane = NO_PLANE;
    for (int k = 0; has_plane && k < f->plane_count && t->plane == NO_PLANE; k++) {
      const plane own = plane_of_face(&f->gathered, i, face, f->planes[k].normal);
      if (is_same_plane(&f->gathered, &f->planes[k], &own) &&
          !is_touched_at_back(t, &f->planes[k]) &&
          is_part_of_face(&f->gathered, i, &f->planes[k])) {
        t->plane = 0x3f & (uint32_t)k;
        f->planes[k].count++;
      }
    }
  }
}

/* The triangles in one plane as one face. Their common contact is reported as the contact of one of
 * them. */
typedef struct flat_patch {
  mo_patch patch;
  uint32_t lowest_index_below_corner; /* lowest triangle index below a corner of the body, or
                                         MO_NO_TRIANGLE */
  uint32_t lowest_index_near_body;    /* lowest triangle index near the body, or MO_NO_TRIANGLE */
  uint32_t count_below_corners; /* how many triangles are near the body below a corner of it */
} flat_patch;

/* Whether a triangle has only flat edges: the surface neither ends nor bends at them. */
static bool has_only_flat_edges(const mo_mesh *mesh, uint32_t triangle) {
  bool flat = true;
  for (int i = 0; i < 3; i++) {
    flat = flat && mo_edge_at(mesh, triangle, i) == MO_MESH_EDGE_FLAT;
  }
  return flat;
}

/* Whether the contact of a patch may be reported as the contact of this triangle: not if the
 * triangle has another contact. */
static bool may_identify_contact(const mo_gathered_triangle *t) {
  return is_along_face(t) || t->kept_points == 0;
}

static void add_corners(const mo_gathered_triangles *gathered, flat_patch *to, uint32_t i,
                        mo_contact_body *body) {
  const mo_gathered_triangle *t = &gathered->items[i];
  mo_gathered_make_body(gathered, i, body);
  if (mo_patch_add_corners(&to->patch, body)) {
    to->count_below_corners++;
    if (t->index < to->lowest_index_below_corner && may_identify_contact(t)) {
      to->lowest_index_below_corner = t->index;
    }
  }
}

/* Adds the triangles of plane `number` to its patch. A first pass adds only the corners of the body
 * over triangles with only flat edges, as these triangles may already cover the whole body. */
static void add_triangles(const plane_reporter *f, int number, flat_patch *to) {
  const mo_gathered_triangles *gathered = &f->gathered;
  mo_contact_body body;
  for (uint32_t i = 0; i < gathered->count && !mo_patch_covers_supporting_feature(&to->patch);
       i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    if (t->plane == number && has_only_flat_edges(gathered->surface->mesh, t->index)) {
      add_corners(gathered, to, i, &body);
    }
  }
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    const bool inside = has_only_flat_edges(gathered->surface->mesh, t->index);
    if (t->plane != number || (inside && mo_patch_covers_supporting_feature(&to->patch))) {
      continue;
    }
    add_corners(gathered, to, i, &body);
    if ((mo_patch_add_triangle(&to->patch, &body, t->index) || t->kept_points != 0) &&
        t->index < to->lowest_index_near_body && may_identify_contact(t)) {
      to->lowest_index_near_body = t->index;
    }
  }
}

static bool are_equal_vectors(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether some triangle near the body continues plane `p` across the flat edge `edge` of triangle
 * `i`. */
static bool continues_across_edge(const mo_gathered_triangles *gathered, const plane *p, uint32_t i,
                                  int edge) {
  mo_vec3 own[3], c[3];
  mo_mesh_corners(gathered->surface->mesh, gathered->items[i].index, own);
  const mo_vec3 start = own[edge], end = own[(edge + 1) % 3];
  for (uint32_t other = 0; other < gathered->count; other++) {
    mo_mesh_corners(gathered->surface->mesh, gathered->items[other].index, c);
    for (int k = 0; k < 3 && other != i; k++) {
      const mo_vec3 from = c[k], to = c[(k + 1) % 3];
      if ((are_equal_vectors(from, end) && are_equal_vectors(to, start)) ||
          (are_equal_vectors(from, start) && are_equal_vectors(to, end))) {
        const plane there = plane_of(gathered, other, p->normal);
        return are_coplanar(gathered, p, &there);
      }
    }
  }
  return false;
}

/* The distance of a point on the triangles of plane `number` from the border of these triangles; at
 * most `reach`. 0 if the point is on none of the triangles. */
static double distance_to_border(const plane_reporter *f, int number, mo_dvec3 point,
                                 double reach) {
  const mo_gathered_triangles *gathered = &f->gathered;
  const plane *p = &f->planes[number];
  double distance = reach;
  bool is_on = false;
  for (uint32_t i = 0; i < gathered->count; i++) {
    const plane own = plane_of(gathered, i, p->normal);
    if (!are_coplanar(gathered, p, &own)) {
      continue;
    }
    mo_gathered_face made;
    const mo_dvec3 *c = mo_gathered_face_of(gathered, i, &made)->corner;
    is_on = is_on || (gathered->items[i].plane == number &&
                      mo_dlength(mo_dsub(mo_triangle_closest_point(c, point), point)) <=
                          same_plane_tolerance * gathered->size);
    for (int k = 0; k < 3; k++) {
      const mo_dvec3 edge[3] = {c[k], c[(k + 1) % 3], c[k]};
      const double to = mo_dlength(mo_dsub(mo_triangle_closest_point(edge, point), point));
      if (to < distance &&
          (mo_edge_at(gathered->surface->mesh, gathered->items[i].index, k) != MO_MESH_EDGE_FLAT ||
           !continues_across_edge(gathered, p, i, k))) {
        distance = to;
      }
    }
  }
  return is_on ? distance : 0.0;
}

/* How deep a contact with the triangles of a plane may be. The line from the body's deepest
 * point to its centre crosses the plane. To leave the triangles, the body has to move until its
 * deepest point or its centre has passed the plane, or until the crossing has passed the border
 * of the triangles. If the line crosses the plane at a small angle, a short move of the body shifts
 * the crossing far: by up to the length of the move divided by the sine of the angle. The border is
 * that of the triangles near the body, so it may be closer than the border of the whole surface. */
__attribute__((noinline)) static double max_depth_of(const plane_reporter *f, int number,
                                                     const mo_manifold *manifold) {
  const mo_gathered_triangles *gathered = &f->gathered;
  const plane *p = &f->planes[number];
  const mo_manifold_point *deepest = &manifold->points[0];
  for (uint32_t i = 1; i < manifold->point_count; i++) {
    deepest = manifold->points[i].separation < deepest->separation ? &manifold->points[i] : deepest;
  }
  const double depth = -(double)deepest->separation;
  if (depth <= gathered->max_depth || !(p->height > 0.0)) {
    return gathered->max_depth;
  }
  const mo_dvec3 low = mo_gathered_point_on_body(gathered, deepest, p->normal);
  const mo_dvec3 line = mo_dsub(gathered->surface_body->body->center, low);
  const double rise = depth + p->height, sine = fmin(rise / mo_dlength(line), 1.0);
  const mo_dvec3 crossing = mo_dadd(low, mo_dscale(depth / rise, line));
  const double overlap = fmin(depth, p->height);
  const double border = sine * distance_to_border(f, number, crossing, overlap / sine);
  return fmax(gathered->max_depth, MO_MAX_DEPTH_RATIO * fmin(overlap, border));
}

static bool has_touching_contact(const plane_reporter *f, int number) {
  bool touches = false;
  for (uint32_t i = 0; i < f->gathered.count && !touches; i++) {
    const mo_gathered_triangle *t = &f->gathered.items[i];
    touches =
        t->plane == number && t->kept_points != 0 && is_along_face(t) && t->separation <= 0.0f;
  }
  return touches;
}

static void drop_touching_points(mo_manifold *manifold) {
  const uint32_t count = manifold->point_count;
  manifold->point_count = 0;
  manifold->touching = false;
  for (uint32_t i = 0; i < count; i++) {
    if (manifold->points[i].separation > 0.0f) {
      manifold->points[manifold->point_count++] = manifold->points[i];
    }
  }
}

/* Makes the common manifold of the triangles of one plane. Returns the index of the triangle whose
 * contact it is reported as, or MO_NO_TRIANGLE if no triangle is near the body. `count` receives
 * how many triangles are near the body below a corner of it. Not inlined, so that its large local
 * variables leave the stack afterwards. */
__attribute__((noinline)) static uint32_t make_manifold_of_plane(const plane_reporter *f,
                                                                 int number, mo_manifold *manifold,
                                                                 uint32_t *count) {
  const mo_surface *s = f->gathered.surface;
  const mo_contact_body *body = f->gathered.surface_body->body;
  const plane *p = &f->planes[number];
  const mo_dvec3 reference = f->gathered.surface_body->reference,
                 origin = mo_dsub(mo_widen(s->affine->to_world.origin), reference);
  const mo_point_frame frame = {reference, s->is_first ? origin : body->origin,
                                s->is_first ? body->origin : origin};
  flat_patch to;
  to.lowest_index_below_corner = to.lowest_index_near_body = MO_NO_TRIANGLE;
  to.count_below_corners = 0;
  mo_patch_begin(&to.patch, body, !s->is_first, &frame,
                 s->is_first ? p->normal : mo_dscale(-1.0, p->normal), s->max);
  add_triangles(f, number, &to);
  mo_patch_end(&to.patch, manifold);
  *count = to.count_below_corners;
  return to.lowest_index_below_corner != MO_NO_TRIANGLE ? to.lowest_index_below_corner
                                                        : to.lowest_index_near_body;
}

/* Reports a contact, unless it repeats that of another triangle of the body's mesh. */
static void report_unless_repeated(plane_reporter *f, uint32_t triangle,
                                   const mo_manifold *manifold) {
  if (f->gathered.surface_body->mesh == NULL || !mo_mesh_body_repeats(&f->gathered, manifold)) {
    f->report(triangle, manifold, f->context);
  }
}

static void report_plane(plane_reporter *f, int number) {
  const mo_surface *s = f->gathered.surface;
  const plane *p = &f->planes[number];
  mo_manifold manifold;
  uint32_t count, name = make_manifold_of_plane(f, number, &manifold, &count);
  if (name == MO_NO_TRIANGLE) {
    name = f->gathered.items[p->first].index;
  }
  /* A corner of a mesh may lie far behind a face that the mesh is beside. */
  if (f->gathered.surface_body->mesh != NULL && !has_touching_contact(f, number)) {
    drop_touching_points(&manifold);
  }
  if (manifold.point_count == 0) {
    manifold = mo_gathered_accepted_contact(&f->gathered, p->first);
  }
  mo_surface_limit_depths(&f->gathered, max_depth_of(f, number, &manifold), &manifold);
  if (s->log != NULL) {
    mo_log(s->log->host, MO_LOG_DEBUG,
           "contact rule: slots %u and %u, triangle %u: stands for %u in one plane (%u points)",
           s->log->a, s->log->b, name, p->count, manifold.point_count);
  }
  report_unless_repeated(f, name, &manifold);
}

static bool is_reported_with_plane(const plane_reporter *f, const mo_gathered_triangle *t) {
  return t->plane != NO_PLANE && f->planes[t->plane].count > 1 && is_along_face(t);
}

static void report_contacts(plane_reporter *f) {
  for (int k = 0; k < f->plane_count; k++) {
    if (f->planes[k].count > 1) {
      report_plane(f, k);
    }
  }
  for (uint32_t i = 0; i < f->gathered.count; i++) {
    const mo_gathered_triangle *t = &f->gathered.items[i];
    if (t->kept_points != 0 && !is_reported_with_plane(f, t)) {
      mo_manifold manifold = mo_gathered_accepted_contact(&f->gathered, i);
      if (!mo_needs_proof(&f->gathered)) { /* the depth of a proven contact needs no limit */
        mo_surface_limit_depths(&f->gathered, f->gathered.max_depth, &manifold);
      }
      report_unless_repeated(f, t->index, &manifold);
    }
  }
}

static bool have_only_flat_edges(const mo_gathered_triangles *gathered) {
  bool flat = true;
  for (uint32_t i = 0; i < gathered->count && flat; i++) {
    flat = has_only_flat_edges(gathered->surface->mesh, gathered->items[i].index);
  }
  return flat;
}

/* Whether the surface near a convex body is one plane, goes on beyond all triangles near the body,
 * and has the body's centre in front. If so, makes them the triangles of plane 0. */
static bool is_one_plane(plane_reporter *f) {
  mo_gathered_triangles *gathered = &f->gathered;
  if (gathered->count < 2 || gathered->count > MO_MAX_STORED_FACES ||
      gathered->surface_body->mesh != NULL || !have_only_flat_edges(gathered)) {
    return false;
  }
  const mo_dvec3 normal = mo_gathered_front_on_body_side(gathered, 0);
  const plane first = plane_of(gathered, 0, normal);
  if (!(first.height > 0.0) || (gathered->surface->cull_back_faces && !first.in_front)) {
    return false;
  }
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_dvec3 of_own = mo_gathered_front_on_body_side(gathered, i);
    const plane own = plane_of(gathered, i, normal);
    if (of_own.x != normal.x || of_own.y != normal.y || of_own.z != normal.z ||
        !is_same_plane(gathered, &first, &own)) {
      return false;
    }
    gathered->items[i].plane = 0;
    gathered->items[i].on_face = true;
    gathered->items[i].kept_points = 0;
  }
  f->planes[0] = first;
  f->plane_count = 1;
  return true;
}

/* Whether a body is so little below plane 0 that no triangle by itself would push it to the other
 * side, and that the depths need no limit. */
static bool is_shallow(plane_reporter *f, const mo_manifold *manifold) {
  mo_gathered_triangles *gathered = &f->gathered;
  const mo_contact_body *body = gathered->surface_body->body;
  double depth = 0.0;
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    depth = mo_dmax(depth, -(double)manifold->points[i].separation);
  }
  if (depth > 0.5 * mo_dmin(f->planes[0].height, body->thickness + body->ball_radius)) {
    return false;
  }
  bool found = depth <= mo_gathered_max_depth(gathered, 0.0);
  for (uint32_t i = 0; i < gathered->count && !found; i++) {
    const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
    found = m->manifold.point_count > 0 && depth <= mo_gathered_max_depth(gathered, m->depth);
  }
  return found;
}

/* Reports the contact of a body inside a flat part of a surface, as on a level floor, without
 * finding the contacts of the triangles by themselves: all of these would be along the plane, or
 * hidden by neighbors. Returns false if the surface is not flat there, if only one triangle is
 * below the body, whose own contact would be reported, or if the body is deep in the surface. */
static bool report_flat_surface(plane_reporter *f) {
  mo_manifold manifold;
  uint32_t count;
  if (!is_one_plane(f)) {
    return false;
  }
  const uint32_t name = make_manifold_of_plane(f, 0, &manifold, &count);
  if (count < 2 || !is_shallow(f, &manifold)) {
    return false;
  }
  f->report(name, &manifold, f->context);
  return true;
}

/* Reports the contacts of a mesh without edges: of each triangle by itself. */
static void report_triangle_contacts(plane_reporter *f) {
  for (uint32_t i = 0; i < f->gathered.count; i++) {
    const mo_manifold *manifold = &mo_gathered_contact(&f->gathered, i)->manifold;
    if (manifold->point_count > 0) {
      f->report(f->gathered.items[i].index, manifold, f->context);
    }
  }
}

bool mo_surface_find_contacts(const mo_surface *surface, const mo_surface_body *body,
                              mo_surface_report *report, void *context) {
  mo_contact_polytope polytope;
  mo_contact_body kept = *body->body;
  mo_contact_body_cache_polytope(&kept, &polytope);
  mo_surface_body on = *body;
  on.body = &kept;
  plane_reporter f;
  f.report = report;
  f.context = context;
  uint32_t begin = 0;
  do {
    mo_gather_triangles(&f.gathered, surface, &on, begin);
    if (begin == 0 && f.gathered.is_one_surface && surface->log == NULL &&
        report_flat_surface(&f)) {
      return true;
    }
    if (f.gathered.is_one_surface && on.mesh != NULL) {
      mo_mesh_body_find_minima(&f.gathered);
    }
    mo_gather_contacts(&f.gathered);
    if (f.gathered.is_one_surface) {
      if (!mo_surface_accept_contacts(&f.gathered)) {
        return false;
      }
      find_planes(&f);
      assign_planes(&f);
      if (surface->log != NULL) {
        mo_surface_log_rules(&f.gathered);
      }
      report_contacts(&f);
    } else {
      report_triangle_contacts(&f);
    }
    begin = f.gathered.count > 0 ? f.gathered.items[f.gathered.count - 1].index + 1 : 0;
  } while (f.gathered.count == MO_MAX_GATHERED_TRIANGLES);
  return true;
}
