/* Contacts of a body with all triangles near it. Contacts along the normals of triangles that lie
 * in one plane are merged into one.
 *
 * Triangles are processed in the order of their indices, so that the result does not depend on the
 * tree, and in batches of MOST_TRIANGLES. Each belongs to the first plane that matches its own
 * within tolerances. A triangle whose edges are all flat can only have a contact along its normal.
 * So it is skipped once all corners of the body lie over other triangles of its plane. */
#include "contact/manifold/patch.h"
#include "contact/pair/surface.h"

enum { MOST_TRIANGLES = 2048, MOST_PLANES = 64, ALONE = MOST_PLANES };

/* Two planes are the same if the sine between their normals is at most this, and the heights of the
 * body's centre above them differ by at most this fraction of the body's size. */
static const double same_plane = 0x1p-10;

typedef struct plane {
  mo_dvec3 face; /* unit, towards the body */
  double height; /* of the body's centre */
  uint32_t user_data, count;
  bool in_front;
} plane;

typedef struct flats {
  const mo_surface *surface;
  mo_surface_report *report;
  void *context;
  uint32_t begin; /* triangles with lower indices are done */
  mo_bounded list;
  uint32_t triangles[MOST_TRIANGLES];
  uint8_t plane_of[MOST_TRIANGLES]; /* or ALONE */
  plane planes[MOST_PLANES];
  int plane_count;
} flats;

static bool index_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static bool collect(uint32_t triangle, void *context) {
  flats *f = context;
  if (triangle >= f->begin) {
    mo_bounded_offer(&f->list, &triangle, sizeof triangle, index_before);
  }
  return true;
}

static bool is_same_plane(const flats *f, const plane *p, const plane *q) {
  const mo_dvec3 across = mo_dcross(p->face, q->face);
  return mo_ddot(p->face, q->face) > 0.0 && mo_ddot(across, across) <= same_plane * same_plane &&
         p->user_data == q->user_data &&
         (p->in_front == q->in_front || !f->surface->search->cull_back_faces);
}

static uint8_t find_plane(flats *f, uint32_t triangle) {
  const mo_surface *s = f->surface;
  const uint32_t *user_data = s->mesh->mesh->user_data;
  mo_contact_body body;
  mo_surface_make_triangle(s, triangle, &body);
  const mo_surface_side side = mo_surface_side_of(s, &body);
  const plane own = {.face = side.face,
                     .height = mo_ddot(side.face, mo_dsub(s->center, body.corner[0])),
                     .user_data = user_data != NULL ? user_data[triangle] : 0,
                     .in_front = side.in_front};
  if (mo_dlength(own.face) == 0.0) {
    return ALONE;
  }
  const double near = same_plane * (s->body->size + s->body->ball);
  int i = 0;
  while (i < f->plane_count && !(fabs(f->planes[i].height - own.height) <= near &&
                                 is_same_plane(f, &f->planes[i], &own))) {
    i++;
  }
  if (i == f->plane_count && i < MOST_PLANES) {
    f->planes[f->plane_count++] = own;
  }
  if (i < MOST_PLANES) {
    f->planes[i].count++;
  }
  return (uint8_t)i;
}

/* Whether a triangle has only flat edges: the surface neither ends nor bends at them. */
static bool is_amid_flat(const mo_surface *s, uint32_t triangle) {
  bool flat = true;
  for (int i = 0; i < 3; i++) {
    flat = flat && mo_edge_at(s->mesh->mesh, triangle, i) == MO_MESH_EDGE_FLAT;
  }
  return flat;
}

/* A patch of triangles in one plane, and the triangle that its contact is named by. */
typedef struct meeting_place {
  mo_patch patch;
  /* lowest index below a corner of the body; lowest index near the body; or MO_NO_TRIANGLE */
  uint32_t below, near;
} meeting_place;

static void add_corners(const flats *f, meeting_place *to, uint32_t triangle,
                        mo_contact_body *body) {
  mo_surface_make_triangle(f->surface, triangle, body);
  if (mo_patch_add_corners(&to->patch, body) && triangle < to->below) {
    to->below = triangle;
  }
}

/* Adds the corners of the body that lie over triangles with only flat edges, until all corners are
 * found. */
static void find_corners(const flats *f, meeting_place *to, uint32_t first) {
  for (uint32_t i = first; i < f->list.count && !mo_patch_is_complete(&to->patch); i++) {
    mo_contact_body body;
    if (f->plane_of[i] == f->plane_of[first] && is_amid_flat(f->surface, f->triangles[i])) {
      add_corners(f, to, f->triangles[i], &body);
    }
  }
}

/* Reports the contacts of the triangles of one plane: one merged contact, and those that are not
 * along the plane's normal. `first` is the index in the list of the first of these triangles. */
static void meet_plane(const flats *f, uint32_t first) {
  const mo_surface *s = f->surface;
  const uint8_t number = f->plane_of[first];
  const mo_dvec3 face = f->planes[number].face,
                 origin = mo_dsub(mo_widen(s->mesh->affine->to_world.origin), s->reference);
  const mo_point_frame frame = {s->reference, s->mesh_first ? origin : s->body->origin,
                                s->mesh_first ? s->body->origin : origin};
  meeting_place to;
  to.below = to.near = MO_NO_TRIANGLE;
  mo_patch_begin(&to.patch, s->body, !s->mesh_first, &frame,
                 s->mesh_first ? face : mo_dscale(-1.0, face), s->search->most);
  mo_manifold manifold, one = {.point_count = 0};
  find_corners(f, &to, first);
  bool beyond = false; /* then the body is not at this side of the surface */
  for (uint32_t i = first; i < f->list.count; i++) {
    const uint32_t triangle = f->triangles[i];
    const bool amid = is_amid_flat(s, triangle);
    if (f->plane_of[i] != number || (amid && mo_patch_is_complete(&to.patch))) {
      continue;
    }
    if (!amid) {
      bool along_face;
      beyond = beyond || mo_surface_is_beyond(s, triangle);
      if (!mo_surface_contact(s, triangle, &manifold, &along_face)) {
        continue;
      }
      if (!along_face) {
        f->report(triangle, &manifold, f->context);
        continue;
      }
      one = to.near == MO_NO_TRIANGLE ? manifold : one;
    }
    mo_contact_body body;
    add_corners(f, &to, triangle, &body);
    if ((mo_patch_add(&to.patch, &body, triangle) || !amid) && triangle < to.near) {
      to.near = triangle;
    }
  }
  mo_patch_end(&to.patch, &manifold);
  manifold = manifold.point_count > 0 ? manifold : one;
  if (manifold.point_count > 0 && !beyond) {
    f->report(to.below != MO_NO_TRIANGLE ? to.below : to.near, &manifold, f->context);
  }
}

static void meet_alone(const flats *f, uint32_t triangle) {
  mo_manifold manifold;
  bool along_face;
  if (mo_surface_contact(f->surface, triangle, &manifold, &along_face)) {
    f->report(triangle, &manifold, f->context);
  }
}

static void meet_collected(flats *f) {
  bool done[MOST_PLANES + 1] = {false};
  f->plane_count = 0;
  for (uint32_t i = 0; i < f->list.count; i++) {
    f->plane_of[i] = find_plane(f, f->triangles[i]);
  }
  for (uint32_t i = 0; i < f->list.count; i++) {
    uint8_t number = f->plane_of[i];
    if (number == ALONE ||
        (f->planes[number].count == 1 && !is_amid_flat(f->surface, f->triangles[i]))) {
      meet_alone(f, f->triangles[i]);
    } else if (!done[number]) {
      done[number] = true;
      meet_plane(f, i);
    }
  }
}

static bool meet_triangle(uint32_t triangle, void *context) {
  meet_alone(context, triangle);
  return true;
}

void mo_surface_find_contacts(const mo_surface *s, const mo_region *region,
                              mo_surface_report *report, void *context) {
  flats f;
  f.surface = s;
  f.report = report;
  f.context = context;
  f.begin = 0;
  if (!mo_surface_knows_edges(s)) {
    mo_surface_visit(s->search, s->mesh, region, meet_triangle, &f);
    return;
  }
  do {
    f.list = mo_bounded_make(f.triangles, MOST_TRIANGLES);
    mo_surface_visit(s->search, s->mesh, region, collect, &f);
    mo_bounded_sort(&f.list, sizeof *f.triangles, index_before);
    meet_collected(&f);
    f.begin = f.list.count > 0 ? f.triangles[f.list.count - 1] + 1 : 0;
  } while (f.list.total > f.list.count);
}
