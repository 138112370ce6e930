/* Meshes in every form beside their oracles; see mesh_subject.h. */
#include "support/mesh_subject.h"

#include <criterion/criterion.h>

#include "support/batches.h"
#include "support/check.h"

void mesh_subject_build(mesh_subject *s) {
  mesh_family_build(&s->family, &s->mesh, false);
  oracle_mesh_read(&s->oracle, s->family.meshes[0]);
}

void mesh_subject_free(mesh_subject *s) {
  oracle_mesh_free(&s->oracle);
  cr_assert(mesh_family_free(&s->family), "%s: memory is outstanding", s->mesh.name);
  test_mesh_free(&s->mesh);
}

void mesh_subject_check_all(mesh_subject_check *check, rng *r, uint64_t rounds) {
  static const uint32_t sizes[] = {1, 9, 70, 400};
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      mesh_subject s;
      s.mesh = test_mesh_make((test_mesh_kind)kind, sizes[i], r);
      mesh_subject_build(&s);
      check(&s, r, rounds);
      mesh_subject_free(&s);
    }
  }
}

bool mesh_subject_is_hit(const mesh_subject *s, const mo_ray_def *ray, uint32_t triangle,
                         float *t) {
  oracle_list hits = {0};
  oracle_mesh_rays(&s->oracle, ray, &hits);
  bool found = false;
  for (uint32_t i = 0; i < hits.count && !found; i++) {
    const mo_ray_hit *hit = (const mo_ray_hit *)hits.items + i;
    found = hit->triangle == triangle;
    *t = hit->t;
  }
  oracle_list_free(&hits);
  return found;
}

void mesh_subject_check_ray(const mesh_subject *s, const mo_ray_def *ray, bool full) {
  cr_assert(check_mesh_ray((const mo_mesh *const *)s->family.meshes, s->family.count, &s->oracle,
                           ray, full ? CHECK_FULL : CHECK_FAST),
            "%s", check_why());
}

void mesh_subject_check_batches(const mesh_subject *s, mo_ray_def *rays, size_t count, rng *r) {
  test_batch batch = {.count = count, .rays = rays, .def = test_batch_def_of(rays, count)};
  batch.def.min_t = (mo_float_array){NULL, 0};
  for (uint32_t i = 0; i < s->family.count; i++) {
    for (int c = MO_COHERENCE_AUTO; c <= MO_COHERENCE_INCOHERENT; c++) {
      batch.def.coherence = (mo_coherence)c;
      cr_assert(check_mesh_batch(s->family.meshes[i], &batch, r), "%s: %s", s->family.names[i],
                check_why());
    }
  }
}
