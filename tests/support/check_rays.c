/* Comparing rays, on meshes and on scenes: the closest hit, any, and all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"
#include "support/check.h"

/* A mesh or a scene, and the traversal. */
typedef struct ray_subject {
  const mo_mesh *mesh;
  const mo_scene *scene;
  reference_traversal traversal;
  bool no_mailbox;
} ray_subject;

/* Whether the queries of motte/query.h are used. */
static bool is_plain(ray_subject s) {
  return s.traversal == REFERENCE_FAST && !s.no_mailbox;
}

static reference_ray reference_of(ray_subject s, const mo_ray_def *ray) {
  reference_ray def = {.ray = mo_default_ray_def()};
  def.ray = *ray;
  def.traversal = s.traversal;
  def.no_mailbox = s.no_mailbox;
  return def;
}

static mo_result cast(ray_subject s, const mo_ray_def *ray, mo_ray_hit *hit,
                      mo_query_stats *stats) {
  if (!is_plain(s)) {
    reference_ray def = reference_of(s, ray);
    return s.mesh != NULL ? reference_mesh_cast_ray(s.mesh, &def, hit, stats)
                          : reference_scene_cast_ray(s.scene, &def, hit, stats);
  }
  return s.mesh != NULL ? mo_mesh_cast_ray(s.mesh, ray, hit, stats)
                        : mo_scene_cast_ray(s.scene, ray, hit, stats);
}

static mo_result test(ray_subject s, const mo_ray_def *ray, bool *hit, mo_query_stats *stats) {
  if (!is_plain(s)) {
    reference_ray def = reference_of(s, ray);
    return s.mesh != NULL ? reference_mesh_test_ray(s.mesh, &def, hit, stats)
                          : reference_scene_test_ray(s.scene, &def, hit, stats);
  }
  return s.mesh != NULL ? mo_mesh_test_ray(s.mesh, ray, hit, stats)
                        : mo_scene_test_ray(s.scene, ray, hit, stats);
}

static mo_result cast_all(ray_subject s, const mo_ray_def *ray, mo_ray_hit *hits, uint32_t capacity,
                          uint32_t *total, mo_query_stats *stats) {
  if (!is_plain(s)) {
    reference_ray def = reference_of(s, ray);
    return s.mesh != NULL
               ? reference_mesh_cast_ray_all(s.mesh, &def, hits, capacity, total, stats)
               : reference_scene_cast_ray_all(s.scene, &def, hits, capacity, total, stats);
  }
  return s.mesh != NULL ? mo_mesh_cast_ray_all(s.mesh, ray, hits, capacity, total, stats)
                        : mo_scene_cast_ray_all(s.scene, ray, hits, capacity, total, stats);
}

static mo_result cast_first(ray_subject s, const mo_ray_def *ray, mo_ray_hit *hits,
                            uint32_t capacity, uint32_t *count, mo_query_stats *stats) {
  return s.mesh != NULL ? mo_mesh_cast_ray_first(s.mesh, ray, hits, capacity, count, stats)
                        : mo_scene_cast_ray_first(s.scene, ray, hits, capacity, count, stats);
}

static mo_result next_hit(ray_subject s, const mo_ray_def *ray, mo_ray_cursor *cursor,
                          mo_ray_hit *hit, mo_query_stats *stats) {
  return s.mesh != NULL ? mo_mesh_next_hit(s.mesh, ray, cursor, hit, stats)
                        : mo_scene_next_hit(s.scene, ray, cursor, hit, stats);
}

static void describe(const mo_ray_hit *hit, char text[300]) {
  if (!hit->found) {
    snprintf(text, 300, "nothing");
    return;
  }
  snprintf(text, 300,
           "shape %u.%u (data %" PRIu64 ") triangle %u (data %u) t %a at {%a, %a, %a} normal "
           "{%a, %a, %a} u %a v %a front %d",
           hit->shape.index, hit->shape.generation, hit->user_data, hit->triangle,
           hit->triangle_user_data, (double)hit->t, (double)hit->point.x, (double)hit->point.y,
           (double)hit->point.z, (double)hit->normal.x, (double)hit->normal.y,
           (double)hit->normal.z, (double)hit->u, (double)hit->v, hit->front);
}

static bool differs(const char *what, uint32_t subject, const mo_ray_def *ray,
                    const mo_ray_hit *expected, const mo_ray_hit *found) {
  char left[300], right[300];
  describe(expected, left);
  describe(found, right);
  return check_failed("%s of subject %u: %s\n  expected %s\n  found    %s", what, subject,
                      check_ray_text(ray), left, right);
}

/* Counters only grow. */
static bool grew(const mo_query_stats *before, const mo_query_stats *after) {
  return after->scene_node_count >= before->scene_node_count &&
         after->scene_block_count >= before->scene_block_count &&
         after->shape_count >= before->shape_count &&
         after->mesh_node_count >= before->mesh_node_count &&
         after->mesh_block_count >= before->mesh_block_count &&
         after->triangle_count >= before->triangle_count &&
         after->mailbox_hit_count >= before->mailbox_hit_count;
}

static bool check_all(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                      const oracle_list *expected, uint32_t capacity, mo_query_stats *stats) {
  const mo_ray_hit *all = expected->items;
  /* One hit more than the capacity, to see that nothing is written there. */
  mo_ray_hit *hits = malloc((capacity + 1) * sizeof *hits);
  memset(hits, 0x5a, (capacity + 1) * sizeof *hits);
  uint32_t total = UINT32_MAX;
  mo_result result = cast_all(subject, ray, capacity ? hits : NULL, capacity, &total, stats);
  bool ok = true;
  if (result != MO_OK) {
    ok = check_failed("all hits of subject %u: %s for %s", index, mo_result_name(result),
                      check_ray_text(ray));
  } else if (total != expected->count) {
    ok = check_failed("all hits of subject %u: %s\n  expected %u, found %u", index,
                      check_ray_text(ray), expected->count, total);
  }
  for (uint32_t i = 0; ok && i < capacity && i < total; i++) {
    ok = check_same_hit(&hits[i], &all[i]) ||
         differs("hit among all", index, ray, &all[i], &hits[i]);
  }
  const unsigned char *guard = (const unsigned char *)&hits[capacity];
  for (size_t i = 0; ok && i < sizeof *hits; i++) {
    ok = guard[i] == 0x5a || check_failed("hits were written beyond the capacity");
  }
  free(hits);
  return ok;
}

/* The first hits alone. */
static bool check_first(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                        const oracle_list *expected, uint32_t capacity, mo_query_stats *stats) {
  const mo_ray_hit *all = expected->items;
  mo_ray_hit *hits = malloc((capacity + 1) * sizeof *hits);
  memset(hits, 0x5a, (capacity + 1) * sizeof *hits);
  uint32_t count = UINT32_MAX, wanted = capacity < expected->count ? capacity : expected->count;
  mo_result result = cast_first(subject, ray, capacity ? hits : NULL, capacity, &count, stats);
  bool ok = true;
  if (result != MO_OK) {
    ok = check_failed("first hits of subject %u: %s for %s", index, mo_result_name(result),
                      check_ray_text(ray));
  } else if (count != wanted) {
    ok = check_failed("first %u hits of subject %u: %s\n  expected %u, found %u", capacity, index,
                      check_ray_text(ray), wanted, count);
  }
  for (uint32_t i = 0; ok && i < count; i++) {
    ok = check_same_hit(&hits[i], &all[i]) ||
         differs("hit among the first", index, ray, &all[i], &hits[i]);
  }
  const unsigned char *guard = (const unsigned char *)&hits[capacity];
  for (size_t i = 0; ok && i < sizeof *hits; i++) {
    ok = guard[i] == 0x5a || check_failed("hits were written beyond the capacity");
  }
  free(hits);
  return ok;
}

/* One hit after another, from the start or right after hit `start` - 1, to the end and beyond. */
static bool check_cursor(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                         const oracle_list *expected, uint32_t start) {
  static const mo_ray_hit nothing = {0};
  const mo_ray_hit *all = expected->items;
  mo_ray_cursor cursor;
  memset(&cursor, 0x5a, sizeof cursor);
  bool ok = mo_ray_cursor_init(&cursor, start > 0 ? &all[start - 1] : NULL) == MO_OK ||
            check_failed("a cursor is not set");
  for (uint32_t i = start; ok && i < expected->count + 2; i++) {
    const mo_ray_hit *wanted = i < expected->count ? &all[i] : &nothing;
    mo_ray_hit hit;
    memset(&hit, 0x5a, sizeof hit);
    mo_result result = next_hit(subject, ray, &cursor, &hit, NULL);
    if (result != MO_OK) {
      ok = check_failed("next hit of subject %u: %s for %s", index, mo_result_name(result),
                        check_ray_text(ray));
    } else if (!check_same_hit(&hit, wanted)) {
      ok = differs("next hit", index, ray, wanted, &hit);
    }
  }
  return ok;
}

/* Rays without statistics may take the fast path. */
static bool check_uncounted(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                            const oracle_list *expected) {
  static const mo_ray_hit nothing = {0};
  const mo_ray_hit *closest = expected->count ? expected->items : &nothing;
  mo_ray_hit hit;
  memset(&hit, 0x5a, sizeof hit);
  bool any = expected->count == 0;
  mo_result result = cast(subject, ray, &hit, NULL);
  if (result == MO_OK) {
    result = test(subject, ray, &any, NULL);
  }
  if (result != MO_OK) {
    return check_failed("not counted, subject %u: %s for %s", index, mo_result_name(result),
                        check_ray_text(ray));
  }
  return check_same_hit(&hit, closest)
             ? any == (expected->count > 0) ||
                   check_failed("any hit of subject %u, not counted: %s, expected %u hits", index,
                                check_ray_text(ray), expected->count)
             : differs("closest hit, not counted,", index, ray, closest, &hit);
}

static bool check_one(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                      const oracle_list *expected, check_effort effort) {
  mo_query_stats stats = {0}, before = {0};
  static const mo_ray_hit nothing = {0};
  const mo_ray_hit *closest = expected->count ? expected->items : &nothing;
  mo_ray_hit hit;
  memset(&hit, 0x5a, sizeof hit);
  mo_result result = cast(subject, ray, &hit, &stats);
  if (result != MO_OK) {
    return check_failed("closest hit of subject %u: %s for %s", index, mo_result_name(result),
                        check_ray_text(ray));
  }
  if (!check_same_hit(&hit, closest)) {
    return differs("closest hit", index, ray, closest, &hit);
  }
  if (!grew(&before, &stats)) {
    return check_failed("statistics went back");
  }
  before = stats;
  bool any = expected->count == 0;
  result = test(subject, ray, &any, &stats);
  if (result != MO_OK || any != (expected->count > 0)) {
    return check_failed("any hit of subject %u: %s for %s, expected %u hits", index,
                        mo_result_name(result), check_ray_text(ray), expected->count);
  }
  if (!grew(&before, &stats)) {
    return check_failed("statistics went back");
  }
  before = stats;
  if (!check_all(subject, index, ray, expected, expected->count + 1, &stats)) {
    return false;
  }
  if (!grew(&before, &stats)) {
    return check_failed("statistics went back");
  }
  before = stats;
  bool plain = is_plain(subject); /* the reference traversals have no other queries */
  if (plain && (!check_first(subject, index, ray, expected, (expected->count + 2) / 2, &stats) ||
                !check_cursor(subject, index, ray, expected, 0))) {
    return false;
  }
  if (!grew(&before, &stats)) {
    return check_failed("statistics went back");
  }
  if (effort == CHECK_FULL && plain &&
      !(check_first(subject, index, ray, expected, expected->count + 1, NULL) &&
        check_first(subject, index, ray, expected, expected->count != 0, NULL) &&
        check_cursor(subject, index, ray, expected, expected->count / 2) &&
        check_cursor(subject, index, ray, expected, expected->count))) {
    return false;
  }
  return effort == CHECK_FAST ||
         (check_all(subject, index, ray, expected, expected->count / 2, NULL) &&
          (!plain || check_all(subject, index, ray, expected, expected->count != 0, NULL)));
}

/* The other traversals. All but the fast one count in any case; the naive one needs no mailbox. */
static const struct {
  reference_traversal traversal;
  bool no_mailbox;
} references[] = {
    {REFERENCE_FAST, true},
    {REFERENCE_PLANE_WALK, false},
    {REFERENCE_PLANE_WALK, true},
    {REFERENCE_NAIVE, false},
};

static bool check_subject(ray_subject subject, uint32_t index, const mo_ray_def *ray,
                          const oracle_list *expected, check_effort effort) {
  if (!check_uncounted(subject, index, ray, expected) ||
      (effort != CHECK_QUICK && !check_one(subject, index, ray, expected, effort))) {
    return false;
  }
  for (size_t i = 0; effort == CHECK_FULL && i < sizeof references / sizeof *references; i++) {
    subject.traversal = references[i].traversal;
    subject.no_mailbox = references[i].no_mailbox;
    if ((subject.traversal == REFERENCE_FAST && !check_uncounted(subject, index, ray, expected)) ||
        !check_one(subject, index, ray, expected, effort)) {
      char why[1000];
      snprintf(why, sizeof why, "%s", check_why());
      return check_failed("traversal %d, no_mailbox %d: %s", (int)subject.traversal,
                          subject.no_mailbox, why);
    }
  }
  return true;
}

bool check_mesh_ray(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                    const mo_ray_def *ray, check_effort effort) {
  oracle_list expected = {0};
  oracle_mesh_rays(oracle, ray, &expected);
  bool ok = true;
  for (uint32_t i = 0; ok && i < mesh_count; i++) {
    ok = check_subject((ray_subject){.mesh = meshes[i]}, i, ray, &expected, effort);
  }
  oracle_list_free(&expected);
  return ok;
}

bool check_scene_ray(const mo_scene *const *scenes, uint32_t scene_count,
                     const oracle_scene *oracle, const mo_ray_def *ray, check_effort effort) {
  oracle_list expected = {0};
  oracle_scene_rays(oracle, ray, &expected);
  bool ok = true;
  for (uint32_t i = 0; ok && i < scene_count; i++) {
    ok = check_subject((ray_subject){.scene = scenes[i]}, i, ray, &expected, effort);
  }
  oracle_list_free(&expected);
  return ok;
}
