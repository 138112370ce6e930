/* A mesh in every form that the library offers, beside its oracle; for programs with Criterion. */
#ifndef TEST_MESH_SUBJECT_H
#define TEST_MESH_SUBJECT_H

#include "oracle/oracle.h"
#include "support/families.h"

typedef struct mesh_subject {
  test_mesh mesh;
  mesh_family family;
  oracle_mesh oracle;
} mesh_subject;

/* Builds all forms of s->mesh; the subject must not move afterwards. */
void mesh_subject_build(mesh_subject *s);

/* Also frees s->mesh, and checks that no memory is outstanding. */
void mesh_subject_free(mesh_subject *s);

/* Calls `check` for meshes of every generated kind, from 1 to 400 triangles. */
typedef void mesh_subject_check(const mesh_subject *s, rng *r, uint64_t rounds);
void mesh_subject_check_all(mesh_subject_check *check, rng *r, uint64_t rounds);

/* Whether a triangle is among all hits of a ray by brute force, and its t. */
bool mesh_subject_is_hit(const mesh_subject *s, const mo_ray_def *ray, uint32_t triangle, float *t);

/* Checks one ray on every form against brute force. */
void mesh_subject_check_ray(const mesh_subject *s, const mo_ray_def *ray, bool full);

/* Checks that batches of rays with default options but for `max_t` get the answers of one ray at a
 * time, on every form and by every route. */
void mesh_subject_check_batches(const mesh_subject *s, mo_ray_def *rays, size_t count, rng *r);

#endif
