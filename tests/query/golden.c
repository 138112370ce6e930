/* Answers must not depend on the machine. This program runs the same queries on the same meshes and
 * scenes wherever it is built, and prints, per part, a hash of the input and one of the answers;
 * `tests/run.sh --aarch64` compares them between x86-64 and AArch64. Within one run, every form and
 * every instruction set must give the same answers. A plain program, as Criterion is not there for
 * every machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/golden.h"
#include "query/golden_casts.h"
#include "query/golden_contacts.h"
#include "query/golden_distances.h"
#include "query/golden_meshes.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/defs.h"
#include "support/plain.h"
#include "support/scenes.h"

enum { MESH_RAYS = 20, SCENE_RAYS = 25, BATCH = 70 };

static void hash_hit(hash *h, const mo_ray_hit *hit) {
  hash_number(h, hit->found);
  if (!hit->found) {
    return;
  }
  hash_number(h, hit->shape.index);
  hash_number(h, hit->triangle);
  hash_number(h, hit->triangle_user_data);
  hash_number(h, hit->front);
  hash_float(h, hit->t);
  hash_float(h, hit->u);
  hash_float(h, hit->v);
  hash_vec3(h, hit->point);
  hash_vec3(h, hit->normal);
}

/* Questions about one region. */
typedef struct questions {
  mo_ray_def ray;
  mo_aabb box;
  mo_sphere ball;
  mo_vec3 point;
  mo_plane planes[8];
  uint32_t plane_count;
} questions;

static void make_questions(questions *q, const sample_target *target, rng *r) {
  q->ray = sample_any_ray(r, target);
  q->box = sample_box(r, target);
  q->ball = sample_sphere(r, target);
  q->point = sample_point(r, target);
  q->plane_count = sample_planes(r, target, q->planes);
}

static void hash_questions(hash *h, const questions *q) {
  hash_vec3(h, q->ray.origin);
  hash_vec3(h, q->ray.direction);
  hash_float(h, q->ray.min_t);
  hash_float(h, q->ray.max_t);
  hash_number(h, q->ray.cull_back_faces);
  hash_vec3(h, q->box.lower);
  hash_vec3(h, q->box.upper);
  hash_vec3(h, q->ball.center);
  hash_float(h, q->ball.radius);
  hash_vec3(h, q->point);
  for (uint32_t i = 0; i < q->plane_count; i++) {
    hash_vec3(h, q->planes[i].normal);
    hash_float(h, q->planes[i].offset);
  }
}

static union {
  mo_ray_hit hits[MAX];
  uint32_t triangles[MAX];
  mo_triangle_ref refs[MAX];
  mo_shape_id shapes[MAX];
  mo_cull_result culled[MAX];
} list;

static void hash_triangles(hash *h, uint32_t total) {
  hash_number(h, total);
  hash_bytes(h, list.triangles, (total < MAX ? total : MAX) * sizeof *list.triangles);
}

static hash ask_mesh(const mo_mesh *mesh, const questions *q) {
  hash h = hash_begin();
  mo_ray_hit closest;
  bool any = false, inside = false;
  uint32_t total = 0;
  oracle_expect(mo_mesh_cast_ray(mesh, &q->ray, &closest, NULL), "a ray");
  hash_hit(&h, &closest);
  oracle_expect(mo_mesh_test_ray(mesh, &q->ray, &any, NULL), "any hit");
  hash_number(&h, any);
  oracle_expect(mo_mesh_cast_ray_all(mesh, &q->ray, list.hits, MAX, &total, NULL), "all hits");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_hit(&h, &list.hits[i]);
  }
  oracle_expect(mo_mesh_overlap_aabb(mesh, &q->box, list.triangles, MAX, &total, NULL), "a box");
  hash_triangles(&h, total);
  oracle_expect(mo_mesh_overlap_sphere(mesh, &q->ball, list.triangles, MAX, &total, NULL),
                "a ball");
  hash_triangles(&h, total);
  oracle_expect(mo_mesh_cull_planes(mesh, OF_PLANES(q->planes, q->plane_count, NULL),
                                    list.triangles, MAX, &total, NULL),
                "planes");
  hash_triangles(&h, total);
  oracle_expect(mo_mesh_contains_point(mesh, q->point, &inside, NULL), "a point");
  hash_number(&h, inside);
  return h;
}

static void ask_about_meshes(void) {
  static mesh_family family;
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    rng randoms = rng_make(100 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 250, r);
    hash_bytes(&asked, mesh.positions, mesh.vertex_count * sizeof *mesh.positions);
    hash_bytes(&asked, mesh.indices, 3 * mesh.triangle_count * sizeof *mesh.indices);
    mesh_family_build(&family, &mesh, false);
    for (int i = 0; i < MESH_RAYS; i++) {
      sample_target target = sample_target_of_mesh(&mesh, r);
      questions q;
      make_questions(&q, &target, r);
      hash_questions(&asked, &q);
      hash first;
      for (uint32_t form = 0; form < family.count; form++) {
        compare(form, &first, ask_mesh(family.meshes[form], &q), family.names[form], mesh.name);
      }
    }
    /* In how many pieces: the builder's arithmetic is the same everywhere too. */
    for (uint32_t form = 0; form < family.count; form++) {
      mo_mesh_stats stats;
      oracle_expect(mo_mesh_get_stats(family.meshes[form], &stats), "statistics");
      hash pieces = hash_begin();
      hash_number(&pieces, stats.node_count);
      hash_number(&pieces, stats.block_count);
      hash_number(&pieces, stats.duplicate_count);
      if (form == 0) {
        hash_number(&answered, pieces.value);
      }
    }
    mo_ray_def options = mo_default_ray_def();
    sample_target target = sample_target_of_mesh(&mesh, r);
    test_batch batch;
    rng of_layouts = *r;
    test_batch_make(&batch, TEST_BUNDLE_PATCHES, BATCH, false, &options, &target, &of_layouts);
    for (uint32_t form = 0; form < family.count; form++) {
      if (!check_mesh_batch(family.meshes[form], &batch, &of_layouts)) {
        wrong++;
        printf("%s: %s: %s\n", mesh.name, family.names[form], check_why());
      }
    }
    test_batch_free(&batch);
    part_end(test_mesh_kind_name((test_mesh_kind)kind));
    wrong += !mesh_family_free(&family);
    test_mesh_free(&mesh);
  }
}

static void hash_shapes(hash *h, uint32_t total) {
  hash_number(h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(h, list.shapes[i].index);
  }
}

static void hash_refs(hash *h, uint32_t total) {
  hash_number(h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(h, list.refs[i].shape.index);
    hash_number(h, list.refs[i].triangle);
  }
}

static hash ask_scene(const mo_scene *scene, const questions *q) {
  hash h = hash_begin();
  mo_ray_hit closest;
  bool any = false;
  uint32_t total = 0;
  oracle_expect(mo_scene_cast_ray(scene, &q->ray, &closest, NULL), "a ray");
  hash_hit(&h, &closest);
  oracle_expect(mo_scene_test_ray(scene, &q->ray, &any, NULL), "any hit");
  hash_number(&h, any);
  oracle_expect(mo_scene_cast_ray_all(scene, &q->ray, list.hits, MAX, &total, NULL), "all hits");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_hit(&h, &list.hits[i]);
  }
  oracle_expect(
      mo_scene_overlap_shapes(scene, IN_AABB(q->box, NULL), list.shapes, MAX, &total, NULL),
      "a box");
  hash_shapes(&h, total);
  oracle_expect(
      mo_scene_overlap_shapes(scene, IN_SPHERE(q->ball, NULL), list.shapes, MAX, &total, NULL),
      "a ball");
  hash_shapes(&h, total);
  oracle_expect(
      mo_scene_overlap_shapes(scene, AT_POINT(q->point, NULL), list.shapes, MAX, &total, NULL),
      "a point");
  hash_shapes(&h, total);
  oracle_expect(
      mo_scene_overlap_triangles(scene, IN_AABB(q->box, NULL), list.refs, MAX, &total, NULL),
      "triangles in a box");
  hash_refs(&h, total);
  oracle_expect(
      mo_scene_overlap_triangles(scene, IN_SPHERE(q->ball, NULL), list.refs, MAX, &total, NULL),
      "triangles in a ball");
  hash_refs(&h, total);
  oracle_expect(mo_scene_cull_planes(scene, OF_PLANES(q->planes, q->plane_count, NULL), list.culled,
                                     MAX, &total, NULL),
                "planes");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(&h, list.culled[i].shape.index);
    hash_number(&h, list.culled[i].inside);
  }
  return h;
}

static void ask_about_scene(const test_scene *scene, rng *r) {
  for (int i = 0; i < SCENE_RAYS; i++) {
    sample_target target = test_scene_target(scene, r);
    questions q;
    make_questions(&q, &target, r);
    hash_questions(&asked, &q);
    hash first;
    for (uint32_t form = 0; form < scene->family.count; form++) {
      compare(form, &first, ask_scene(scene->family.scenes[form], &q), scene->family.names[form],
              test_scene_kind_name(scene->kind));
    }
  }
}

static void ask_about_scenes(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(200 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 70, r);
    hash_scene(&scene);
    ask_about_scene(&scene, r);
    for (int moves = 0; moves < 40; moves++) {
      mo_transform transform = test_scene_transform(&scene, r);
      oracle_expect(
          scene_family_move(&scene.family, scene.ids[rng_below(r, scene.count)], &transform),
          "a move");
    }
    test_scene_remove(&scene, rng_below(r, scene.count));
    test_scene_add(&scene, r);
    scene_family_update(&scene.family);
    oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
    hash_scene(&scene);
    ask_about_scene(&scene, r);
    part_end(test_scene_kind_name((test_scene_kind)kind));
    wrong += !test_scene_free(&scene);
  }
}

/* One by one and with triangles that do not count. The order of a visit may differ. */
static bool mix_triangle(const mo_triangle *triangle, void *context) {
  hash h = hash_begin();
  hash_number(&h, triangle->shape.index);
  hash_number(&h, triangle->user_data);
  hash_number(&h, triangle->triangle);
  hash_number(&h, triangle->triangle_user_data);
  for (int i = 0; i < 3; i++) {
    hash_vec3(&h, triangle->corners[i]);
  }
  *(uint64_t *)context ^= h.value;
  return true;
}

static bool mix_shape(mo_shape_id shape, uint64_t user_data, void *context) {
  hash h = hash_begin();
  hash_number(&h, shape.index);
  hash_number(&h, user_data);
  *(uint64_t *)context ^= h.value;
  return true;
}

static bool two_in_three(mo_triangle_ref ref, void *context) {
  (void)context;
  return (ref.shape.index + ref.triangle) % 3 != 0;
}

static hash ask_forms(const mo_scene *scene, const mo_overlap_def *def) {
  hash h = hash_begin();
  uint64_t mixed = 0;
  bool any;
  oracle_expect(mo_scene_test_overlap(scene, def, &any, NULL), "any shape");
  hash_number(&h, any);
  oracle_expect(mo_scene_test_triangles(scene, def, &any, NULL), "any triangle");
  hash_number(&h, any);
  oracle_expect(mo_scene_visit_overlaps(scene, def, mix_shape, &mixed, NULL), "shapes");
  hash_number(&h, mixed);
  oracle_expect(mo_scene_visit_triangles(scene, def, mix_triangle, &mixed, NULL), "triangles");
  hash_number(&h, mixed);
  return h;
}

static void ask_by_forms(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(900 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 40, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS; i++) {
      sample_target target = test_scene_target(&scene, r);
      mo_overlap_def def = i % 2 ? mo_overlap_sphere_def(sample_sphere(r, &target))
                                 : mo_overlap_aabb_def(sample_box(r, &target));
      def.accept_triangle = i % 4 < 2 ? two_in_three : NULL;
      hash_number(&asked, def.type);
      hash_vec3(&asked, i % 2 ? def.sphere.center : def.box.lower);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_forms(scene.family.scenes[form], &def), scene.family.names[form],
                test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "forms: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* Half-spaces, still, moving and turning: all of the above for them. */
static hash ask_half_space(const mo_scene *scene, const mo_shape_cast_def *cast) {
  mo_overlap_def overlap = mo_overlap_primitive_def(cast->primitive);
  mo_distance_def distance = mo_default_distance_def();
  distance.primitive = cast->primitive;
  hash h = ask_shape(scene, cast);
  hash_number(&h, ask_forms(scene, &overlap).value);
  hash_number(&h, ask_distance(scene, &distance).value);
  hash_number(&h, ask_separation(scene, &cast->primitive).value);
  return h;
}

static void ask_by_half_spaces(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(1000 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 20, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 8; i++) {
      sample_target target = test_scene_target(&scene, r);
      mo_shape_cast_def def = mo_default_shape_cast_def();
      def.primitive = sample_half_space(r, &target);
      def.displacement = rng_vec3(r, -2, 2);
      def.axis = rng_direction(r);
      def.angle = i % 2 ? rng_float(r, -1, 1) : 0;
      hash_vec3(&asked, def.primitive.half_space.normal);
      hash_vec3(&asked, def.primitive.transform.origin);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_half_space(scene.family.scenes[form], &def),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "half-spaces: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

static hash ask_for_pairs(const mo_scene *scene, float distance) {
  static mo_pair pairs[MAX];
  hash h = hash_begin();
  uint32_t total;
  oracle_expect(mo_scene_find_near_pairs(scene, distance, NULL, pairs, MAX, &total), "pairs");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(&h, pairs[i].a.index);
    hash_number(&h, pairs[i].b.index);
  }
  return h;
}

/* Pairs in scenes with half-spaces. */
static void ask_for_half_space_pairs(void) {
  static test_scene scene;
  rng randoms = rng_make(1100), *r = &randoms;
  part_begin();
  for (int i = 0; i < 6; i++) {
    test_scene_make(&scene, TEST_SCENE_HALF_SPACES, 60, r);
    hash_scene(&scene);
    hash first;
    for (uint32_t form = 0; form < scene.family.count; form++) {
      compare(form, &first, ask_for_pairs(scene.family.scenes[form], i < 3 ? 0 : 0.5f),
              scene.family.names[form], "pairs");
    }
    wrong += !test_scene_free(&scene);
  }
  part_end("pairs: half-spaces");
}

static void (*const parts[])(void) = {
    ask_about_meshes,
    ask_about_scenes,
    ask_by_distance,
    ask_by_casts,
    ask_by_shapes,
    ask_for_lists,
    ask_by_motion,
    ask_by_shape_distance,
    ask_for_signs,
    ask_for_separations,
    ask_by_forms,
    ask_for_manifolds,
    ask_by_half_spaces,
    ask_for_tracked_contacts,
    ask_for_features,
    ask_for_impacts,
    ask_for_contacts_on_a_mesh,
    ask_for_half_space_pairs,
    ask_by_mesh_distance,
    ask_for_separation_of_meshes,
    ask_by_meshes,
    ask_about_swept_meshes,
};

/* Parts before this one take about as long as all others. */
enum { MIDDLE = 5, END = sizeof parts / sizeof *parts };

/* `first` or `second` as an argument: half of the parts. */
int main(int argc, char **argv) {
  const char *half = argc > 1 ? argv[1] : "";
  mo_isa isa;
  if (mo_isa_resolve(MO_ISA_AUTO, &isa) != MO_OK) {
    printf("MOTTE_ISA names a set that this machine does not have\n");
    return 77; /* skipped */
  }
  int end = strcmp(half, "first") == 0 ? MIDDLE : END;
  for (int i = strcmp(half, "second") == 0 ? MIDDLE : 0; i < end; i++) {
    parts[i]();
  }
  if (wrong > 0) {
    printf("%u wrong\n", wrong);
  }
  return wrong == 0 ? 0 : 1;
}
