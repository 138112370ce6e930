/* Logs which rule of accept.c has made, kept or removed each contact of a surface. */
#include "base/log.h"
#include "contact/surface/accept.h"

/* A text that says which rule decided on the contact of a triangle; null if it had no contact. */
static const char *deciding_rule_of(const mo_gathered_triangle *t) {
  if (t->absence == MO_CONTACT_REPEATED) {
    return "removed, another triangle has the same contact";
  }
  if (t->absence == MO_CONTACT_NO_MINIMUM) {
    return "removed, the meshes are closer to each other beside it";
  }
  if (!(t->separation < INFINITY)) {
    return NULL;
  }
  if (t->contact_origin == MO_CONTACT_MADE) {
    return t->on_face ? "made along its face, as its own was rejected and no other one resolves it"
                      : "made along the body's face or across edges, as its own was rejected";
  }
  if (t->contact_origin == MO_CONTACT_KEPT_WITH_FACE_NORMAL) {
    return "kept though rejected, but along its face, as nothing else resolves it";
  }
  if (t->contact_origin == MO_CONTACT_KEPT_ACROSS_BORDER) {
    return "kept though rejected, but straight over the border, as nothing else resolves it";
  }
  if (t->kept_points != 0) {
    return t->on_face ? "kept, on its face" : "kept, on an edge or vertex";
  }
  if (t->is_resolved) {
    return t->own_contact_rejected ? "removed, rejected and resolved by a contact beside it"
                                   : "removed, hidden and resolved by a contact beside it";
  }
  if (t->own_contact_rejected) {
    return "removed, rejected as its normal leads through the sheet or meets it sideways, or is "
           "not proven";
  }
  return t->face_continues ? "removed, it leans over an edge beyond which the face goes on"
                           : "removed, hidden by a nearer triangle";
}

void mo_surface_log_rules(const mo_gathered_triangles *gathered) {
  const mo_contact_log *log = gathered->surface->log;
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    const char *verdict = deciding_rule_of(t);
    if (verdict != NULL) {
      mo_log(log->host, MO_LOG_DEBUG,
             "contact rule: slots %u and %u, triangle %u: %s (points %#x, separation %g, normal "
             "%g %g %g)",
             log->a, log->b, t->index, verdict, t->kept_points, (double)t->separation,
             (double)t->normal.x, (double)t->normal.y, (double)t->normal.z);
    }
  }
}
