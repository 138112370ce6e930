/* Batches of queries of one type. Each query is answered by the public function for a single query;
 * the host's tasks spread chunks of queries over threads.
 *
 * Queries run on a shallow copy of the scene or mesh, which shares all arrays but has no log: the
 * first refused query is only known at the end. That query is then run again to get its log
 * message. */
#include <motte/query_batch.h>
#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "base/tasks.h"
#include "mesh/closed.h"
#include "mesh/near/near.h"
#include "scene/scene.h"

enum { MAX_QUERIES_PER_TASK = 64 };

/* --- the queries --- */

/* X(SINGLE or LIST, query type, function name, type of a def, type of an answer or list element) */
#define SCENE_QUERIES(X)                                                                           \
  X(SINGLE, TEST_OVERLAP, test_overlap, mo_overlap_def, bool)                                      \
  X(LIST, OVERLAP_SHAPES, overlap_shapes, mo_overlap_def, mo_shape_id)                             \
  X(SINGLE, TEST_TRIANGLES, test_triangles, mo_overlap_def, bool)                                  \
  X(LIST, OVERLAP_TRIANGLES, overlap_triangles, mo_overlap_def, mo_triangle_ref)                   \
  X(SINGLE, CAST_SPHERE, cast_sphere, mo_sphere_cast_def, mo_cast_hit)                             \
  X(SINGLE, TEST_SPHERE_CAST, test_sphere_cast, mo_sphere_cast_def, bool)                          \
  X(LIST, CAST_SPHERE_ALL, cast_sphere_all, mo_sphere_cast_def, mo_cast_hit)                       \
  X(SINGLE, CAST_SHAPE, cast_shape, mo_shape_cast_def, mo_cast_hit)                                \
  X(SINGLE, TEST_SHAPE_CAST, test_shape_cast, mo_shape_cast_def, bool)                             \
  X(LIST, CAST_SHAPE_ALL, cast_shape_all, mo_shape_cast_def, mo_cast_hit)                          \
  X(SINGLE, FIND_SEPARATION, find_separation, mo_shape_cast_def, mo_separation)                    \
  X(SINGLE, CLOSEST_POINT, closest_point, mo_closest_def, mo_closest_hit)                          \
  X(SINGLE, SIGNED_DISTANCE, signed_distance, mo_closest_def, mo_closest_hit)                      \
  X(SINGLE, FIND_CLOSEST, find_closest, mo_distance_def, mo_closest_hit)                           \
  X(LIST, FIND_WITHIN, find_within, mo_distance_def, mo_closest_hit)                               \
  X(LIST, FIND_CLOSEST_FEW, find_closest_few, mo_distance_def, mo_closest_hit)                     \
  X(LIST, CAST_RAY_ALL, cast_ray_all, mo_ray_def, mo_ray_hit)                                      \
  X(LIST, CAST_RAY_FIRST, cast_ray_first, mo_ray_def, mo_ray_hit)                                  \
  X(SINGLE, FIND_GROUND, find_ground, mo_ray_def, mo_ground)                                       \
  X(LIST, CULL_PLANES, cull_planes, mo_cull_def, mo_cull_result)                                   \
  X(LIST, FIND_NEAR, find_near, mo_near_def, mo_near_shape)                                        \
  X(LIST, FIND_NEAREST, find_nearest, mo_near_def, mo_near_shape)                                  \
  X(LIST, FIND_LEVELS, find_levels, mo_level_def, mo_level_result)                                 \
  X(SINGLE, SHAPE_FITS, shape_fits, mo_fit_def, bool)                                              \
  X(LIST, FIND_OBSTACLES, find_obstacles, mo_fit_def, mo_shape_id)

#define MESH_QUERIES(X)                                                                            \
  X(SINGLE, TEST_OVERLAP, test_overlap, mo_overlap_def, bool)                                      \
  X(SINGLE, TEST_TRIANGLES, test_overlap, mo_overlap_def, bool)                                    \
  X(LIST, OVERLAP_TRIANGLES, overlap_triangles, mo_overlap_def, uint32_t)                          \
  X(SINGLE, CAST_SPHERE, cast_sphere, mo_sphere_cast_def, mo_cast_hit)                             \
  X(SINGLE, TEST_SPHERE_CAST, test_sphere_cast, mo_sphere_cast_def, bool)                          \
  X(LIST, CAST_SPHERE_ALL, cast_sphere_all, mo_sphere_cast_def, mo_cast_hit)                       \
  X(SINGLE, CAST_SHAPE, cast_shape, mo_shape_cast_def, mo_cast_hit)                                \
  X(SINGLE, TEST_SHAPE_CAST, test_shape_cast, mo_shape_cast_def, bool)                             \
  X(LIST, CAST_SHAPE_ALL, cast_shape_all, mo_shape_cast_def, mo_cast_hit)                          \
  X(SINGLE, FIND_SEPARATION, find_separation, mo_shape_cast_def, mo_separation)                    \
  X(SINGLE, FIND_CLOSEST, find_closest, mo_distance_def, mo_closest_hit)                           \
  X(LIST, FIND_WITHIN, find_within, mo_distance_def, mo_closest_hit)                               \
  X(LIST, FIND_CLOSEST_FEW, find_closest_few, mo_distance_def, mo_closest_hit)                     \
  X(LIST, CAST_RAY_ALL, cast_ray_all, mo_ray_def, mo_ray_hit)                                      \
  X(LIST, CAST_RAY_FIRST, cast_ray_first, mo_ray_def, mo_ray_hit)                                  \
  X(LIST, CULL_PLANES, cull_planes, mo_cull_def, uint32_t)                                         \
  X(SINGLE, TEST_OVERLAP_MESH, test_overlap_mesh, mo_overlap_mesh_def, bool)                       \
  X(LIST, OVERLAP_MESH, overlap_mesh, mo_overlap_mesh_def, mo_triangle_pair)                       \
  X(SINGLE, FIND_CLOSEST_MESH, find_closest_mesh, mo_distance_mesh_def, mo_closest_hit[2])         \
  X(SINGLE, TEST_WITHIN_MESH, test_within_mesh, mo_distance_mesh_def, bool)                        \
  X(SINGLE, FIND_SEPARATION_MESH, find_separation_mesh, mo_separation_mesh_def, mo_mesh_separation)

/* Where one query writes: a single answer or a list. Also the cache of the queries before it in
 * the same task. */
typedef struct query_output {
  void *items;
  uint32_t capacity, *total; /* only set for queries that answer with a list */
  mo_closest_cache *cache;   /* last answer, for closest points and signed distances of meshes */
} query_output;

typedef mo_result answer_function(const void *subject, const void *def, const query_output *to,
                                  mo_query_stats *stats);

typedef struct query_type {
  size_t def_size, answer_size;
  bool is_list;
  answer_function *answer; /* null: not supported by this kind of subject */
} query_type;

#define OUTPUT_ARGUMENTS_SINGLE to->items
#define OUTPUT_ARGUMENTS_LIST to->items, to->capacity, to->total
#define DEFINE_ANSWER_FUNCTION(subject, kind, type, function)                                      \
  static mo_result subject##_##type(const void *of, const void *def, const query_output *to,       \
                                    mo_query_stats *stats) {                                       \
    return mo_##subject##_##function(of, def, OUTPUT_ARGUMENTS_##kind, stats);                     \
  }
#define DEFINE_SCENE_ANSWER_FUNCTION(kind, type, function, def, answer)                            \
  DEFINE_ANSWER_FUNCTION(scene, kind, type, function)
#define DEFINE_MESH_ANSWER_FUNCTION(kind, type, function, def, answer)                             \
  DEFINE_ANSWER_FUNCTION(mesh, kind, type, function)

SCENE_QUERIES(DEFINE_SCENE_ANSWER_FUNCTION)
MESH_QUERIES(DEFINE_MESH_ANSWER_FUNCTION)

/* Answer functions that the macros cannot define, as the public functions have other names or
 * parameters. */
static mo_result scene_MOVE_CHARACTER(const void *scene, const void *def, const query_output *to,
                                      mo_query_stats *stats) {
  return mo_character_move(scene, def, to->items, stats);
}

static mo_result scene_MOVE_ALLOWED(const void *scene, const void *def, const query_output *to,
                                    mo_query_stats *stats) {
  return mo_character_move_allowed(scene, def, to->items, stats);
}

static mo_result check_closest_def(const mo_mesh *mesh, const mo_closest_def *def,
                                   const char *function) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, function, "def");
  return mo_check_cookie(def->cookie, &refusal, "", "mo_default_closest_def");
}

static mo_result mesh_CLOSEST_POINT(const void *mesh, const void *def, const query_output *to,
                                    mo_query_stats *stats) {
  const mo_closest_def *from = def;
  mo_result result = check_closest_def(mesh, from, "mo_mesh_closest_point");
  return result == MO_OK ? mo_mesh_closest_point_with_cache(to->cache, mesh, from->point,
                                                            from->max_distance, to->items, stats)
                         : result;
}

static mo_result mesh_SIGNED_DISTANCE(const void *mesh, const void *def, const query_output *to,
                                      mo_query_stats *stats) {
  const mo_closest_def *from = def;
  mo_result result = check_closest_def(mesh, from, "mo_mesh_signed_distance");
  return result == MO_OK ? mo_mesh_signed_distance_with_cache(to->cache, mesh, from->point,
                                                              from->max_distance, to->items, stats)
                         : result;
}

static mo_result mesh_WINDING_NUMBER(const void *mesh, const void *def, const query_output *to,
                                     mo_query_stats *stats) {
  return mo_mesh_winding_number(mesh, *(const mo_vec3 *)def, to->items, stats);
}

static mo_result mesh_CONTAINS_POINT(const void *mesh, const void *def, const query_output *to,
                                     mo_query_stats *stats) {
  return mo_mesh_contains_point(mesh, *(const mo_vec3 *)def, to->items, stats);
}

enum { QUERY_TYPE_COUNT = MO_QUERY_FIND_SEPARATION_MESH + 1 };

/* Values of query_type.is_list, by the first argument of X above: SINGLE or LIST. */
enum { IS_SINGLE = false, IS_LIST = true };

#define QUERY_ROW(subject, kind, type, def, answer)                                                \
  [MO_QUERY_##type] = {sizeof(def), sizeof(answer), IS_##kind, subject##_##type},
#define SCENE_QUERY_ROW(kind, type, function, def, answer) QUERY_ROW(scene, kind, type, def, answer)
#define MESH_QUERY_ROW(kind, type, function, def, answer) QUERY_ROW(mesh, kind, type, def, answer)

static const query_type scene_queries[QUERY_TYPE_COUNT] = {
    SCENE_QUERIES(SCENE_QUERY_ROW)
        QUERY_ROW(scene, SINGLE, MOVE_CHARACTER, mo_character_def, mo_character_move_result)
            QUERY_ROW(scene, SINGLE, MOVE_ALLOWED, mo_character_def, bool)};
static const query_type mesh_queries[QUERY_TYPE_COUNT] = {
    MESH_QUERIES(MESH_QUERY_ROW) QUERY_ROW(mesh, SINGLE, CONTAINS_POINT, mo_vec3, bool)
        QUERY_ROW(mesh, SINGLE, CLOSEST_POINT, mo_closest_def, mo_closest_hit)
            QUERY_ROW(mesh, SINGLE, SIGNED_DISTANCE, mo_closest_def, mo_closest_hit)
                QUERY_ROW(mesh, SINGLE, WINDING_NUMBER, mo_vec3, int32_t)};

/* --- running a batch --- */

typedef struct batch_run {
  const mo_query_batch *batch;
  const query_type *type;
  const void *subject; /* the scene or mesh: a copy without a log */
  mo_query_stats *stats;
  bool mesh_is_closed; /* false also if that was not tested, as it does not pay */
  size_t queries_per_task;
  atomic_size_t first_refused_index; /* lowest index of a refused query so far; the number of
                                        queries if none */
} batch_run;

static const void *def_of(const batch_run *r, size_t i) {
  size_t stride = r->batch->def_stride != 0 ? r->batch->def_stride : r->type->def_size;
  return (const char *)r->batch->defs + i * stride;
}

static query_output output_of(const batch_run *r, size_t i, mo_closest_cache *cache) {
  const mo_query_batch *batch = r->batch;
  size_t size = batch->answer_stride != 0 ? batch->answer_stride : r->type->answer_size;
  size_t first = i, capacity = 0;
  if (r->type->is_list) {
    first = batch->offsets != NULL ? batch->offsets[i] : i * batch->capacity;
    capacity = batch->offsets != NULL ? batch->offsets[i + 1] - first : batch->capacity;
  }
  return (query_output){
      .items = batch->answers != NULL ? (char *)batch->answers + first * size : NULL,
      .capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX,
      .total = r->type->is_list ? &batch->totals[i] : NULL,
      .cache = cache,
  };
}

static mo_result answer_query(const batch_run *r, size_t i, mo_closest_cache *cache) {
  const query_output to = output_of(r, i, cache);
  return r->type->answer(r->subject, def_of(r, i), &to, r->stats);
}

static void answer_chunk(uint32_t index, void *context) {
  batch_run *r = context;
  size_t count = r->batch->count, first = index * r->queries_per_task;
  size_t last = count - first < r->queries_per_task ? count : first + r->queries_per_task;
  size_t bad = atomic_load_explicit(&r->first_refused_index, memory_order_relaxed);
  mo_closest_cache cache = mo_closest_cache_make(r->mesh_is_closed);
  for (size_t i = first; i < last && i < bad; i++) {
    if (answer_query(r, i, &cache) != MO_OK) {
      while (i < bad && !atomic_compare_exchange_weak(&r->first_refused_index, &bad, i)) {
      }
      return;
    }
  }
}

static void answer_all(batch_run *r, const mo_host *host) {
  size_t count = r->batch->count;
  size_t even = count / (8 * (size_t)mo_tasks_workers(host)), min = count / UINT32_MAX + 1;
  r->queries_per_task = even < MAX_QUERIES_PER_TASK ? even : MAX_QUERIES_PER_TASK;
  r->queries_per_task = r->queries_per_task > min ? r->queries_per_task : min;
  uint32_t chunks = (uint32_t)((count + r->queries_per_task - 1) / r->queries_per_task);
  if (r->stats == NULL) {
    mo_tasks_run(host, chunks, answer_chunk, r);
  } else {
    for (uint32_t i = 0; i < chunks; i++) {
      answer_chunk(i, r);
    }
  }
}

static mo_result check_arrays(const mo_query_batch *batch, const query_type *type,
                              const mo_refusal *refusal, size_t *bad) {
  bool needs_answers = batch->count > 0;
  if (type->is_list && batch->offsets != NULL) {
    for (size_t i = 0; i < batch->count; i++) {
      if (batch->offsets[i] > batch->offsets[i + 1]) {
        *bad = i;
        return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                         ".offsets[%zu] is %zu, below the one before, %zu", i + 1,
                         batch->offsets[i + 1], batch->offsets[i]);
      }
    }
    needs_answers = needs_answers && batch->offsets[batch->count] > batch->offsets[0];
  } else if (type->is_list) {
    needs_answers = needs_answers && batch->capacity > 0;
  }
  const char *missing = batch->count > 0 && batch->defs == NULL                      ? ".defs"
                        : needs_answers && batch->answers == NULL                    ? ".answers"
                        : batch->count > 0 && type->is_list && batch->totals == NULL ? ".totals"
                                                                                     : NULL;
  return missing != NULL ? mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", missing)
                         : MO_OK;
}

/* Checks a batch. After an error `bad` receives the index of the offending element, if there is
 * one. */
static mo_result check_batch(const mo_query_batch *batch, const query_type *types,
                             const mo_refusal *refusal, size_t *bad) {
  mo_result result = mo_check_cookie(batch->cookie, refusal, "", "mo_default_query_batch");
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)batch->query, QUERY_TYPE_COUNT - 1, refusal, ".query");
  }
  if (result != MO_OK) {
    return result;
  }
  const query_type *type = &types[batch->query];
  if (type->answer == NULL) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".query is %d, which is of %s alone",
                     (int)batch->query, types == mesh_queries ? "scenes" : "meshes");
  }
  if (batch->def_stride != 0 && batch->def_stride < type->def_size) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".def_stride is %zu, below the %zu bytes of a def", batch->def_stride,
                     type->def_size);
  }
  if (batch->answer_stride != 0 && (batch->answer_stride < type->answer_size ||
                                    (type->is_list && batch->answer_stride != type->answer_size))) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".answer_stride is %zu, %s the %zu bytes of an answer", batch->answer_stride,
                     type->is_list ? "not" : "below", type->answer_size);
  }
  return check_arrays(batch, type, refusal, bad);
}

/* A log callback that stores the message in its context. */
static void store_message(mo_log_level level, const char *message, void *context) {
  (void)level;
  char *line = context;
  strncpy(line, message, MO_LOG_LINE_SIZE - 1);
}

/* Runs the refused query again and logs its message. `host` is that of the copied scene or mesh. */
static mo_result log_refusal(const batch_run *r, const mo_refusal *refusal, mo_host *host) {
  char line[MO_LOG_LINE_SIZE] = "";
  size_t bad = atomic_load(&r->first_refused_index);
  mo_refusal def = mo_refusal_in(refusal, ".defs", bad);
  host->log = store_message;
  host->log_context = line;
  return mo_refuse(&def, answer_query(r, bad, NULL), ": %s", line);
}

/* Runs a checked batch on a copy of its scene or mesh, whose host is `quiet`. */
static mo_result run_batch(batch_run *r, const mo_refusal *refusal, mo_host *quiet,
                           size_t *first_bad) {
  size_t count = r->batch->count;
  atomic_init(&r->first_refused_index, count);
  if (count > 0) {
    quiet->log = NULL;
    answer_all(r, quiet);
  }
  size_t bad = atomic_load(&r->first_refused_index);
  if (bad == count) {
    return MO_OK;
  }
  mo_set_first_bad(first_bad, bad);
  return log_refusal(r, refusal, quiet);
}

/* Whether a mesh is closed. Only tested for long batches of signed distances: a query that needs no
 * winding number saves the time in which some twenty triangles are tested here. */
static bool is_known_to_be_closed(const mo_mesh *mesh, const mo_query_batch *batch) {
  return batch->query == MO_QUERY_SIGNED_DISTANCE && mesh->triangle_count / 16 < batch->count &&
         mo_mesh_is_closed(mesh);
}

mo_query_batch mo_default_query_batch(void) {
  return (mo_query_batch){.query = MO_QUERY_TEST_OVERLAP, .cookie = MO_COOKIE};
}

mo_query_batch mo_query_batch_of(mo_query_type query, const void *defs, size_t count,
                                 void *answers) {
  mo_query_batch batch = mo_default_query_batch();
  batch.query = query;
  batch.defs = defs;
  batch.count = count;
  batch.answers = answers;
  return batch;
}

mo_result mo_scene_run_queries(const mo_scene *scene, const mo_query_batch *batch,
                               size_t *first_bad, mo_query_stats *stats) {
  if (scene == NULL || batch == NULL) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_scene_host(scene), __func__, "batch");
  }
  const mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "batch");
  size_t bad = MO_NO_INDEX;
  mo_result result = check_batch(batch, scene_queries, &refusal, &bad);
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
    return result;
  }
  mo_scene copy = *scene;
  batch_run r = {
      .batch = batch, .type = &scene_queries[batch->query], .subject = &copy, .stats = stats};
  return run_batch(&r, &refusal, &copy.host, first_bad);
}

mo_result mo_mesh_run_queries(const mo_mesh *mesh, const mo_query_batch *batch, size_t *first_bad,
                              mo_query_stats *stats) {
  if (mesh == NULL || batch == NULL) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "batch");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "batch");
  size_t bad = MO_NO_INDEX;
  mo_result result = check_batch(batch, mesh_queries, &refusal, &bad);
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
    return result;
  }
  mo_mesh copy;
  /* the copy has no reference count, which other threads may change meanwhile */
  const size_t begin = offsetof(mo_mesh, host);
  memcpy((char *)&copy + begin, (const char *)mesh + begin, sizeof copy - begin);
  const mo_mesh *visited = stats != NULL ? stats->visited_mesh : NULL;
  if (visited == mesh) {
    stats->visited_mesh = &copy;
  }
  batch_run r = {.batch = batch,
                 .type = &mesh_queries[batch->query],
                 .subject = &copy,
                 .stats = stats,
                 .mesh_is_closed = is_known_to_be_closed(&copy, batch)};
  result = run_batch(&r, &refusal, &copy.host, first_bad);
  if (visited == mesh) {
    stats->visited_mesh = visited;
  }
  return result;
}
