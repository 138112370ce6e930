/* Contacts of a body with all triangles near it. Contacts along the normals of triangles that lie
 * in one plane are merged into one.
 *
 * Triangles are processed in the order of their indices, so that the result does not depend on the
 * tree, and in batches of MOST_TRIANGLES. Each belongs to the first plane that matches its own
 * within tolerances. A triangle whose edges are all flat can only have a contact along its normal.
 * So it is skipped once all corners of the body lie over other triangles of its plane. */
#include "contact/manifold/patch.h"
#include "contact/pair/beyond.h"

enum { MOST_TRIANGLES = 2048, MOST_PLANES = 64, ALONE = MOST_PLANES };

typedef struct plane {
  mo_surface_side side;
  uint32_t user_data, count;
} plane;

typedef struct flats {
  const mo_surface *surface;
  mo_surface_report *report;
  void *context;
  uint32_t count;
  uint32_t triangles[MOST_TRIANGLES];
  uint8_t plane_of[MOST_TRIANGLES]; /* or ALONE */
  plane planes[MOST_PLANES];
  int plane_count;
} flats;

static bool is_same_plane(const flats *f, const plane *p, const plane *q) {
  const mo_surface *s = f->surface;
  return mo_surface_same_plane(&p->side, &q->side, s->body->size + s->body->ball) &&
         p->user_data == q->user_data &&
         (p->side.in_front == q->side.in_front || !s->search->cull_back_faces);
}

static uint8_t find_plane(flats *f, uint32_t triangle) {
  const mo_surface *s = f->surface;
  const uint32_t *user_data = s->mesh->mesh->user_data;
  mo_contact_body body;
  mo_surface_make_triangle(s, triangle, &body);
  const plane own = {.side = mo_surface_side_of(s, &body),
                     .user_data = user_data != NULL ? user_data[triangle] : 0};
  if (mo_dlength(own.side.face) == 0.0) {
    return ALONE;
  }
  int i = 0;
  while (i < f->plane_count && !is_same_plane(f, &f->planes[i], &own)) {
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
typedef struct flat_patch {
  mo_patch patch;
  /* lowest index below a corner of the body; lowest index near the body; or MO_NO_TRIANGLE */
  uint32_t below, near;
} flat_patch;

static void add_corners(const flats *f, flat_patch *to, uint32_t triangle, mo_contact_body *body) {
  mo_surface_make_triangle(f->surface, triangle, body);
  if (mo_patch_add_corners(&to->patch, body) && triangle < to->below) {
    to->below = triangle;
  }
}

/* Adds the corners of the body that lie over triangles with only flat edges, until all corners are
 * found. */
static void find_corners(const flats *f, flat_patch *to, uint32_t first) {
  for (uint32_t i = first; i < f->count && !mo_patch_is_complete(&to->patch); i++) {
    mo_contact_body body;
    if (f->plane_of[i] == f->plane_of[first] && is_amid_flat(f->surface, f->triangles[i])) {
      add_corners(f, to, f->triangles[i], &body);
    }
  }
}

static void report_alone(const flats *f, uint32_t triangle) {
  mo_manifold manifold;
  bool along_face;
  if (mo_surface_contact(f->surface, triangle, &manifold, &along_face)) {
    f->report(triangle, &manifold, f->context);
  }
}

/* Reports the contacts of the triangles of one plane, not merged. `first` as for report_plane. */
static void report_each(const flats *f, uint32_t first) {
  for (uint32_t i = first; i < f->count; i++) {
    if (f->plane_of[i] == f->plane_of[first]) {
      report_alone(f, f->triangles[i]);
    }
  }
}

/* Reports the contacts of the triangles of one plane: one merged contact, and those that are not
 * along the plane's normal. `first` is the index in the list of the first of these triangles. */
static void report_plane(const flats *f, uint32_t first) {
  const mo_surface *s = f->surface;
  const uint8_t number = f->plane_of[first];
  const mo_dvec3 face = f->planes[number].side.face,
                 origin = mo_dsub(mo_widen(s->mesh->affine->to_world.origin), s->reference);
  const mo_point_frame frame = {s->reference, s->mesh_first ? origin : s->body->origin,
                                s->mesh_first ? s->body->origin : origin};
  flat_patch to;
  to.below = to.near = MO_NO_TRIANGLE;
  mo_patch_begin(&to.patch, s->body, !s->mesh_first, &frame,
                 s->mesh_first ? face : mo_dscale(-1.0, face), s->search->most);
  mo_manifold manifold, one = {.point_count = 0};
  find_corners(f, &to, first);
  bool beyond = false; /* then the body is not at this side of the surface */
  for (uint32_t i = first; i < f->count; i++) {
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

static void report_collected(flats *f) {
  bool done[MOST_PLANES + 1] = {false};
  f->plane_count = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    f->plane_of[i] = find_plane(f, f->triangles[i]);
  }
  for (uint32_t i = 0; i < f->count; i++) {
    uint8_t number = f->plane_of[i];
    if (number == ALONE ||
        (f->planes[number].count == 1 && !is_amid_flat(f->surface, f->triangles[i]))) {
      report_alone(f, f->triangles[i]);
    } else if (!done[number]) {
      done[number] = true;
      if (mo_surface_is_beyond_plane(f->surface, &f->planes[number].side)) {
        report_each(f, i);
      } else {
        report_plane(f, i);
      }
    }
  }
}

static bool report_triangle(uint32_t triangle, void *context) {
  report_alone(context, triangle);
  return true;
}

void mo_surface_find_contacts(const mo_surface *s, const mo_region *region,
                              mo_surface_report *report, void *context) {
  flats f;
  f.surface = s;
  f.report = report;
  f.context = context;
  if (!mo_surface_knows_edges(s)) {
    mo_surface_visit(s->search, s->mesh, region, report_triangle, &f);
    return;
  }
  uint32_t begin = 0;
  do {
    f.count = mo_surface_collect(s, region, begin, f.triangles, MOST_TRIANGLES);
    report_collected(&f);
    begin = f.count > 0 ? f.triangles[f.count - 1] + 1 : 0;
  } while (f.count == MOST_TRIANGLES);
}
