/* motte-exactness: millions of rays and overlap queries on real and generated meshes and on random
 * scenes, each compared with brute force bit for bit.
 *
 *   test_exactness [--rays N] [--overlaps N] [--seed S] [--jobs N] [--files N] [--subject N]
 *
 * A failure names its subject; the same options and `--subject` repeat the queries of that one.
 * Brute force costs as much as a mesh has triangles, so most questions go to small meshes: a mesh
 * of n triangles gets a share in proportion to (n + 500)^-3/4. Small meshes are built in every way
 * the library offers. One ray in eight goes to two of the trees, in every way to ask (closest, any,
 * all, the first, one after another); the others ask one tree for the closest hit and for any. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"
#include "support/families.h"
#include "support/mesh_files.h"
#include "support/samples.h"
#include "support/scenes.h"

typedef struct options {
  uint64_t rays, overlaps, seed;
  unsigned jobs;
  uint32_t files, subject; /* UINT32_MAX: all */
} options;

/* What is tested: a generated mesh, a file, or a random scene. */
typedef struct subject {
  enum { GENERATED, READ, SCENE } type;
  test_mesh_kind kind;
  test_scene_kind scene_kind;
  uint32_t size; /* triangles, or shapes */
  char *path;
  test_mesh mesh;
  uint64_t seed;
  double weight;
} subject;

enum { MAX_SUBJECTS = 1024 };

static options wanted = {
    .rays = 100000000,
    .overlaps = 1000000,
    .seed = 1,
    .jobs = 2,
    .files = UINT32_MAX,
    .subject = UINT32_MAX,
};
static subject subjects[MAX_SUBJECTS];
static uint32_t subject_count;
static double total_weight;

static atomic_uint next_subject;
static atomic_ullong rays_done, overlaps_done, rays_sampled, rays_hit, boxes, boxes_touched;
static atomic_bool failed;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static time_t started, last_print;

static void report(const char *name) {
  pthread_mutex_lock(&printing);
  time_t now = time(NULL);
  if (now - last_print >= 5) {
    last_print = now;
    printf("%5ld s  %12llu rays  %10llu overlap queries  now %s\n", (long)(now - started),
           (unsigned long long)rays_done, (unsigned long long)overlaps_done, name);
    fflush(stdout);
  }
  pthread_mutex_unlock(&printing);
}

static bool fail(const subject *s, const char *name) {
  pthread_mutex_lock(&printing);
  failed = true;
  fprintf(stderr, "FAILED: %s, subject %u: %s\n", name, (unsigned)(s - subjects), check_why());
  pthread_mutex_unlock(&printing);
  return false;
}

/* How many rays, or overlap queries, a subject gets. */
static uint64_t share_of(const subject *s, uint64_t all) {
  return (uint64_t)ceil((double)all * s->weight / total_weight);
}

/* Most rays go through a few queries of one tree, some through every query. */
static check_effort choose_effort(rng *r, bool large) {
  uint32_t chance = rng_below(r, 64);
  return chance >= 8 ? CHECK_QUICK : chance > 0 || large ? CHECK_FAST : CHECK_FULL;
}

static bool ask_mesh_rays(const subject *s, const test_mesh *mesh, const mesh_family *family,
                          const oracle_mesh *oracle, rng *r) {
  uint64_t count = share_of(s, wanted.rays);
  sample_target target = sample_target_of_mesh(mesh, r);
  for (uint64_t i = 0; i < count && !failed; i++) {
    sample_other_triangle(&target, mesh, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    if (oracle->count > 0 && rng_below(r, 16) == 0) {
      ray.ignore_triangle = rng_below(r, oracle->count);
    }
    const mo_mesh *pair[2] = {family->meshes[i % family->count],
                              family->meshes[(i + 1) % family->count]};
    check_effort effort = choose_effort(r, oracle->count >= 5000);
    if (!check_mesh_ray(pair, effort == CHECK_QUICK ? 1 : 2, oracle, &ray, effort)) {
      return fail(s, mesh->name);
    }
    rays_done++;
    if (i % 256 == 0) {
      mo_ray_hit hit;
      rays_sampled++;
      rays_hit += mo_mesh_cast_ray(pair[0], &ray, &hit, NULL) == MO_OK && hit.found;
      report(mesh->name);
    }
  }
  return !failed;
}

static bool ask_mesh_overlaps(const subject *s, const test_mesh *mesh, const mesh_family *family,
                              const oracle_mesh *oracle, rng *r) {
  uint64_t count = share_of(s, wanted.overlaps);
  sample_target target = sample_target_of_mesh(mesh, r);
  for (uint64_t i = 0; i < count && !failed; i++) {
    sample_other_triangle(&target, mesh, r);
    const mo_mesh *pair[2] = {family->meshes[i % family->count],
                              family->meshes[(i + 1) % family->count]};
    bool same = true;
    switch (i % 4) {
    case 0: {
      mo_aabb box = sample_box(r, &target);
      uint32_t total = 0;
      same = check_mesh_aabb(pair, 2, oracle, &box);
      mo_mesh_overlap_aabb(pair[0], &box, NULL, 0, &total, NULL);
      boxes++;
      boxes_touched += total > 0;
      break;
    }
    case 1: {
      mo_sphere sphere = sample_sphere(r, &target);
      same = check_mesh_sphere(pair, 2, oracle, &sphere);
      break;
    }
    case 2:
      same = check_mesh_point(pair, 2, oracle, sample_point(r, &target));
      break;
    default: {
      mo_plane planes[8];
      uint32_t plane_count = sample_planes(r, &target, planes);
      same = check_mesh_planes(pair, 2, oracle, planes, plane_count);
      break;
    }
    }
    if (!same) {
      return fail(s, mesh->name);
    }
    overlaps_done++;
    if (i % 64 == 0) {
      report(mesh->name);
    }
  }
  return !failed;
}

static void ask_mesh(subject *s) {
  rng r = rng_make(s->seed);
  test_mesh mesh = s->type == READ ? s->mesh : test_mesh_make(s->kind, s->size, &r);
  mesh_family *family = oracle_need(malloc(sizeof *family));
  oracle_mesh oracle;
  mesh_family_build(family, &mesh, mesh.triangle_count > 20000);
  oracle_mesh_read(&oracle, family->meshes[0]);
  if (ask_mesh_rays(s, &mesh, family, &oracle, &r)) {
    ask_mesh_overlaps(s, &mesh, family, &oracle, &r);
  }
  oracle_mesh_free(&oracle);
  if (!mesh_family_free(family)) {
    check_failed("memory is outstanding");
    fail(s, mesh.name);
  }
  free(family);
  test_mesh_free(&mesh);
  s->mesh = mesh;
}

static bool ask_scene_once(test_scene *scene, const subject *s, uint64_t i, rng *r) {
  const mo_scene *const *all = test_scene_subjects(scene);
  uint32_t first = (uint32_t)(i % (scene->family.count - 1));
  sample_target target = test_scene_target(scene, r);
  mo_filter filter = test_scene_filter(scene, r);
  bool same = true;
  if (i < share_of(s, wanted.rays)) {
    mo_ray_def ray = sample_any_ray(r, &target);
    ray.filter = filter;
    ray.hit_volumes = rng_below(r, 2);
    check_effort effort = choose_effort(r, false);
    uint32_t count = effort == CHECK_QUICK ? 1 : 2;
    same = check_scene_ray(all + first, count, &scene->oracle, &ray, effort);
    rays_done++;
  }
  if (i < share_of(s, wanted.overlaps)) {
    mo_overlap_def def = mo_default_overlap_def();
    def.filter = filter;
    def.precision = rng_below(r, 4) ? MO_PRECISION_GEOMETRY : MO_PRECISION_BOUNDS;
    mo_aabb box = sample_box(r, &target);
    mo_sphere sphere = sample_sphere(r, &target);
    mo_plane planes[8];
    uint32_t plane_count = sample_planes(r, &target, planes);
    mo_vec3 point = sample_point(r, &target);
    same = same && check_scene_aabb(all + first, 2, &scene->oracle, &box, &def) &&
           check_scene_sphere(all + first, 2, &scene->oracle, &sphere, &def) &&
           check_scene_point(all + first, 2, &scene->oracle, point, &def) &&
           check_scene_planes(all + first, 2, &scene->oracle, planes, plane_count, &filter);
    overlaps_done += 6;
  }
  return same;
}

static void ask_scene(subject *s) {
  char name[64];
  snprintf(name, sizeof name, "%s scene of %u", test_scene_kind_name(s->scene_kind), s->size);
  rng r = rng_make(s->seed);
  test_scene *scene = oracle_need(malloc(sizeof *scene));
  test_scene_make(scene, s->scene_kind, s->size, &r);
  uint64_t count = share_of(s, wanted.rays > wanted.overlaps ? wanted.rays : wanted.overlaps);
  for (uint64_t i = 0; i < count && !failed; i++) {
    if (!ask_scene_once(scene, s, i, &r)) {
      fail(s, name);
    }
    report(name);
  }
  if (!test_scene_free(scene)) {
    check_failed("memory is outstanding");
    fail(s, name);
  }
  free(scene);
}

static void *work(void *context) {
  (void)context;
  for (;;) {
    uint32_t i = next_subject++;
    if (i >= subject_count || failed) {
      return NULL;
    }
    if (wanted.subject != UINT32_MAX && wanted.subject != i) {
      continue;
    }
    if (subjects[i].type == SCENE) {
      ask_scene(&subjects[i]);
    } else {
      ask_mesh(&subjects[i]);
    }
  }
}

static subject *add_subject(uint32_t size) {
  subject *s = &subjects[subject_count];
  s->size = size;
  s->seed = wanted.seed * 1000003 + subject_count;
  s->weight = pow(size + 500.0, -0.75);
  total_weight += s->weight;
  subject_count++;
  return s;
}

static void collect_subjects(void) {
  char *paths[MAX_SUBJECTS / 2];
  uint32_t count = mesh_files_find(paths, MAX_SUBJECTS / 2), read = 0;
  /* The largest first: they take longest. */
  for (uint32_t i = count; i-- > 0;) {
    test_mesh mesh;
    if (i < wanted.files && mesh_file_read(paths[i], &mesh)) {
      subject *s = add_subject(mesh.triangle_count);
      s->type = READ;
      s->mesh = mesh;
      read++;
    }
    free(paths[i]);
  }
  static const uint32_t shapes[] = {1000, 300, 100, 30, 8};
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (int i = 0; i < 5; i++) {
      subject *s = add_subject(shapes[i]);
      s->type = SCENE;
      s->scene_kind = (test_scene_kind)kind;
      /* A shape is much dearer than a triangle. */
      total_weight -= 0.9 * s->weight;
      s->weight *= 0.1;
    }
  }
  static const uint32_t triangles[] = {4000, 1500, 600, 250, 90, 30, 10, 3};
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (int i = 0; i < 8; i++) {
      subject *s = add_subject(triangles[i]);
      s->type = GENERATED;
      s->kind = (test_mesh_kind)kind;
    }
  }
  printf("%u files of %u, %u subjects\n", read, count, subject_count);
}

static bool parse(int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) {
      return false;
    }
    uint64_t value = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--rays") == 0) {
      wanted.rays = value;
    } else if (strcmp(argv[i], "--overlaps") == 0) {
      wanted.overlaps = value;
    } else if (strcmp(argv[i], "--seed") == 0) {
      wanted.seed = value;
    } else if (strcmp(argv[i], "--files") == 0) {
      wanted.files = (uint32_t)value;
    } else if (strcmp(argv[i], "--subject") == 0) {
      wanted.subject = (uint32_t)value;
    } else if (strcmp(argv[i], "--jobs") == 0 && value >= 1 && value <= 64) {
      wanted.jobs = (unsigned)value;
    } else {
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  wanted.seed = rng_seed("exactness", wanted.seed);
  if (!parse(argc, argv)) {
    fprintf(stderr,
            "usage: %s [--rays N] [--overlaps N] [--seed S] [--jobs N] [--files N] [--subject N]\n",
            argv[0]);
    return 2;
  }
  started = last_print = time(NULL);
  printf("seed %" PRIu64 ": %" PRIu64 " rays, %" PRIu64 " overlap queries\n", wanted.seed,
         wanted.rays, wanted.overlaps);
  collect_subjects();
  pthread_t threads[64];
  unsigned made = 0;
  while (made + 1 < wanted.jobs && pthread_create(&threads[made], NULL, work, NULL) == 0) {
    made++;
  }
  work(NULL);
  while (made > 0) {
    pthread_join(threads[--made], NULL);
  }
  printf("%llu of %llu sampled rays hit, %llu of %llu boxes touched a triangle\n",
         (unsigned long long)rays_hit, (unsigned long long)rays_sampled,
         (unsigned long long)boxes_touched, (unsigned long long)boxes);
  printf("%llu rays, %llu overlap queries, %ld s, seed %" PRIu64 ": %s\n",
         (unsigned long long)rays_done, (unsigned long long)overlaps_done,
         (long)(time(NULL) - started), wanted.seed, failed ? "FAILED" : "all as by brute force");
  return failed ? 1 : 0;
}
