/* Contacts of a body with all triangles near it. Contacts along the normals of triangles that lie
 * in one plane are merged into one.
 *
 * Triangles are processed in the order of their indices, so that the result does not depend on the
 * tree, and in batches of MO_NEAR_TRIANGLES. Each belongs to the first plane that matches its own
 * within tolerances. A triangle whose edges are all flat can only have a contact along its normal.
 * So it is skipped once all corners of the body lie over other triangles of its plane. */
#include "contact/manifold/patch.h"
#include "contact/pair/planes.h"

typedef struct flats {
  const mo_surface *surface;
  mo_surface_report *report;
  void *context;
  mo_near_planes near;
} flats;

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
 * found. `ends`: triangles of the plane may be left out (contact/pair/planes.h). */
static void find_corners(const flats *f, flat_patch *to, uint32_t first, bool ends) {
  const mo_near_planes *near = &f->near;
  for (uint32_t i = first; i < near->count && !mo_patch_is_complete(&to->patch); i++) {
    mo_contact_body body;
    if (near->plane_of[i] == near->plane_of[first] &&
        mo_surface_is_amid_flat(f->surface, near->triangles[i]) &&
        !(ends && mo_surface_is_left_out(f->surface, near->triangles[i]))) {
      add_corners(f, to, near->triangles[i], &body);
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

/* Reports the contacts of the triangles of one plane: one merged contact, and those that are not
 * along the plane's normal. `first` is the index in the list of the first of these triangles. */
static void report_plane(const flats *f, uint32_t first) {
  const mo_surface *s = f->surface;
  const uint8_t number = f->near.plane_of[first];
  const mo_dvec3 face = f->near.planes[number].side.face,
                 origin = mo_dsub(mo_widen(s->mesh->affine->to_world.origin), s->reference);
  const mo_point_frame frame = {s->reference, s->mesh_first ? origin : s->body->origin,
                                s->mesh_first ? s->body->origin : origin};
  flat_patch to;
  to.below = to.near = MO_NO_TRIANGLE;
  mo_patch_begin(&to.patch, s->body, !s->mesh_first, &frame,
                 s->mesh_first ? face : mo_dscale(-1.0, face), s->search->most);
  mo_manifold manifold, one = {.point_count = 0};
  const bool ends = mo_surface_plane_ends(s, f->near.triangles[first]);
  find_corners(f, &to, first, ends);
  for (uint32_t i = first; i < f->near.count; i++) {
    const uint32_t triangle = f->near.triangles[i];
    const bool amid = mo_surface_is_amid_flat(s, triangle);
    if (f->near.plane_of[i] != number || (amid && mo_patch_is_complete(&to.patch)) ||
        (ends && mo_surface_is_left_out(s, triangle))) {
      continue;
    }
    if (!amid) {
      bool along_face;
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
  if (manifold.point_count > 0) {
    f->report(to.below != MO_NO_TRIANGLE ? to.below : to.near, &manifold, f->context);
  }
}

static void report_collected(const flats *f) {
  bool done[MO_NEAR_PLANES] = {false};
  for (uint32_t i = 0; i < f->near.count; i++) {
    const uint8_t number = f->near.plane_of[i];
    const uint32_t triangle = f->near.triangles[i];
    if (number == MO_NO_PLANE ||
        (f->near.planes[number].count == 1 && !mo_surface_is_amid_flat(f->surface, triangle))) {
      report_alone(f, triangle);
    } else if (!done[number]) {
      done[number] = true;
      report_plane(f, i);
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
  mo_surface with_planes = *s;
  if (s->whole == NULL) {
    with_planes.near = &f.near;
  }
  f.surface = &with_planes;
  f.near.size = s->body->size + s->body->ball;
  uint32_t begin = 0;
  do {
    mo_triangle_cache_clear(s->cache); /* what is in it depends on the planes */
    f.near.count = mo_surface_collect(s, region, begin, f.near.triangles, MO_NEAR_TRIANGLES);
    mo_near_planes_find(&f.near, f.surface);
    report_collected(&f);
    begin = f.near.count > 0 ? f.near.triangles[f.near.count - 1] + 1 : 0;
  } while (f.near.count == MO_NEAR_TRIANGLES);
}
