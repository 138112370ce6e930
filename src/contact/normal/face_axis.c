/* Finds the face normal along which two bodies have the greatest separation. */
#include "contact/body/feature.h"
#include "contact/normal/contact_normal.h"

typedef struct face_search {
  const mo_contact_body *a, *b;
  mo_dvec3 offset; /* from the centre of A to that of B */
  double max_separation;
  mo_dvec3 normal;
} face_search;

/* Tries a face normal n, which may have any length and may point to either body. The zero vector
 * means that there is no face, and is skipped. */
static void try_normal(face_search *s, mo_dvec3 n) {
  double length = mo_dlength(n);
  if (length > 0.0) {
    n = mo_dscale((mo_ddot(n, s->offset) < 0.0 ? -1.0 : 1.0) / length, n);
    double separation = mo_contact_separation_along(s->a, s->b, n);
    if (separation > s->max_separation) {
      s->max_separation = separation;
      s->normal = n;
    }
  }
}

/* Tries the face normals of one body. `out` leads to the other body. All faces of a box are tried;
 * of other bodies only the face whose normal is closest to `out`. */
static void try_faces_of_body(face_search *s, const mo_contact_body *body, mo_dvec3 out) {
  if (body->kind == MO_CORE_BOX) {
    for (int i = 0; i < 3; i++) {
      try_normal(s, body->face_normal[i]);
    }
  } else {
    try_normal(s, mo_contact_face_normal(body, out));
  }
}

double mo_contact_best_face(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 *normal) {
  face_search s = {a, b, mo_dsub(b->center, a->center), -INFINITY, {0.0, 0.0, 0.0}};
  mo_dvec3 out = mo_dunit(s.offset);
  try_faces_of_body(&s, a, out);
  try_faces_of_body(&s, b, mo_dscale(-1.0, out));
  *normal = s.normal;
  return s.max_separation;
}
