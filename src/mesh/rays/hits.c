/* The first hits of a ray: in a list that shortens the ray once it is full, or one after another by
 * a cursor. */
#include "mesh/rays/rays.h"

static bool key_before(const mo_hit_key *key, const mo_ray_hit *hit) {
  if (key->t != hit->t) {
    return key->t < hit->t;
  }
  if (key->shape != hit->shape.index) {
    return key->shape < hit->shape.index;
  }
  if (key->child != hit->child) {
    return key->child < hit->child;
  }
  return key->triangle < hit->triangle;
}

bool mo_hit_belongs_in_list(const mo_bounded_list *hits, const mo_hit_key *after,
                            const mo_ray_hit *hit, bool listed) {
  const mo_ray_hit *items = hits->items;
  if (after != NULL && !key_before(after, hit)) {
    return false;
  }
  if (hits->count == hits->capacity && !mo_hit_before(hit, &items[0])) {
    return false;
  }
  for (uint32_t i = 0; listed && i < hits->count; i++) {
    if (items[i].triangle == hit->triangle && items[i].child == hit->child &&
        items[i].shape.index == hit->shape.index) {
      return false;
    }
  }
  return true;
}

void mo_list_first_hit(mo_bounded_list *hits, const mo_ray_hit *hit, float *max_t) {
  mo_bounded_offer(hits, hit, sizeof *hit, mo_hit_before);
  if (hits->count == hits->capacity) {
    *max_t = ((const mo_ray_hit *)hits->items)->t;
  }
}

static bool is_accepted(const mo_mesh_ray_options *options, const mo_ray_hit *hit) {
  return options->accept == NULL ||
         options->accept((mo_triangle_ref){hit->shape, hit->triangle, hit->child}, hit->t,
                         options->accept_context);
}

void mo_mesh_ray_list_hit(const mo_mesh_ray_options *options, const mo_ray_hit *hit,
                          mo_ray_goal goal, bool duplicated, mo_mesh_hit *best) {
  if (goal == MO_GOAL_ALL) {
    if (is_accepted(options, hit)) {
      mo_bounded_offer(options->hits, hit, sizeof *hit, mo_hit_before);
    }
  } else if (mo_hit_belongs_in_list(options->hits, options->after, hit, duplicated) &&
             is_accepted(options, hit)) {
    mo_list_first_hit(options->hits, hit, &best->max_t);
  }
}

/* The states of a cursor: numbers that uninitialised memory is unlikely to contain. */

enum { CURSOR_AT_BEGIN = 0x6d6f0001, CURSOR_AFTER_HIT, CURSOR_AT_END };

mo_result mo_ray_cursor_init(mo_ray_cursor *cursor, const mo_ray_hit *after) {
  if (cursor == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (after != NULL && isnan(after->t)) {
    return MO_ERROR_NOT_FINITE;
  }
  mo_hit_key key = {0};
  if (after != NULL) {
    key = (mo_hit_key){after->t, after->shape.index, after->child, after->triangle};
  }
  cursor->state = after != NULL ? CURSOR_AFTER_HIT : CURSOR_AT_BEGIN;
  cursor->next = cursor->count = 0;
  cursor->t = key.t;
  cursor->shape = key.shape;
  cursor->child = key.child;
  cursor->triangle = key.triangle;
  return MO_OK;
}

/* Whether mo_ray_cursor_init was called for the cursor. */
static bool is_initialized(const mo_ray_cursor *cursor) {
  return cursor->state >= CURSOR_AT_BEGIN && cursor->state <= CURSOR_AT_END &&
         cursor->next <= cursor->count && cursor->count <= MO_CURSOR_HITS;
}

/* Takes the next hit that was fetched, or "no hit" at the end; false if hits must be fetched
 * first. */
static bool take_fetched_hit(mo_ray_cursor *cursor, mo_ray_hit *hit) {
  if (cursor->next < cursor->count) {
    *hit = cursor->hits[cursor->next++];
    return true;
  }
  *hit = (mo_ray_hit){.triangle = MO_NO_TRIANGLE};
  return cursor->state == CURSOR_AT_END;
}

/* The buffer to fetch hits into: small at first, as the caller may want only a few. */
static mo_bounded_list fetch_buffer(mo_ray_cursor *cursor) {
  return mo_bounded_make(cursor->hits,
                         cursor->state == CURSOR_AT_BEGIN ? MO_CURSOR_HITS / 2 : MO_CURSOR_HITS);
}

static const mo_hit_key *key_of(const mo_ray_cursor *cursor, mo_hit_key *key) {
  *key = (mo_hit_key){cursor->t, cursor->shape, cursor->child, cursor->triangle};
  return cursor->state == CURSOR_AT_BEGIN ? NULL : key;
}

static void update_after_fetch(mo_ray_cursor *cursor, const mo_bounded_list *list) {
  cursor->next = 0;
  cursor->count = list->count;
  cursor->state = list->count < list->capacity ? CURSOR_AT_END : CURSOR_AFTER_HIT;
  if (list->count > 0) {
    const mo_ray_hit *last = &cursor->hits[list->count - 1];
    cursor->t = last->t;
    cursor->shape = last->shape.index;
    cursor->child = last->child;
    cursor->triangle = last->triangle;
  }
}

mo_result mo_cast_ray_first(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_hit *hits,
                            uint32_t capacity, uint32_t *count, mo_query_stats *stats) {
  if (call->subject == NULL || ray == NULL || count == NULL || (capacity > 0 && hits == NULL)) {
    return mo_refuse_null(call->host, call->function,
                          ray == NULL     ? "ray"
                          : count == NULL ? "count"
                                          : "hits");
  }
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(call->host, call->function, ray);
  }
  mo_bounded_list list = mo_bounded_make(hits, capacity);
  call->fetch(call->subject, ray, &list, NULL, stats);
  *count = list.count;
  return MO_OK;
}

mo_result mo_next_hit(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_cursor *cursor,
                      mo_ray_hit *hit, mo_query_stats *stats) {
  if (call->subject == NULL || ray == NULL || cursor == NULL || hit == NULL) {
    return mo_refuse_null(call->host, call->function,
                          ray == NULL      ? "ray"
                          : cursor == NULL ? "cursor"
                                           : "hit");
  }
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(call->host, call->function, ray);
  }
  if (!is_initialized(cursor)) {
    mo_refusal refusal = mo_refusal_of(call->host, call->function, "cursor");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " was not set by mo_ray_cursor_init");
  }
  if (take_fetched_hit(cursor, hit)) {
    return MO_OK;
  }
  mo_hit_key key;
  mo_bounded_list list = fetch_buffer(cursor);
  call->fetch(call->subject, ray, &list, key_of(cursor, &key), stats);
  update_after_fetch(cursor, &list);
  take_fetched_hit(cursor, hit);
  return MO_OK;
}

/* Finds the first hits that come after the key `after`, and writes them to the list, sorted and
 * complete. */
static void fetch_first_hits(const void *subject, const mo_ray_def *ray, mo_bounded_list *list,
                             const mo_hit_key *after, mo_query_stats *stats) {
  const mo_mesh *mesh = subject;
  mo_query_stats counts;
  if (stats != NULL) {
    counts = mo_stats_begin(stats);
  }
  mo_mesh_ray in;
  mo_mesh_ray_options options;
  mo_mesh_hit best;
  mo_mesh_ray_init(&in, ray, &ray->origin, &ray->direction, NULL);
  mo_mesh_ray_options_init(&options, ray, stats != NULL ? &counts : NULL);
  mo_mesh_hit_init(&best, ray->max_t);
  options.hits = list;
  options.after = after;
  if (after != NULL) {
    in.min_t = mo_max(in.min_t, mo_min(after->t, FLT_MAX));
  }
  if (mo_ray_has_direction(ray) && list->capacity > 0) {
    mo_mesh_trace_ray(mesh, mo_mesh_ray_kernels_for(mesh->isa), &in, &options, MO_GOAL_FIRST,
                      &best);
  }
  mo_bounded_sort(list, sizeof(mo_ray_hit), mo_hit_before);
  mo_ray_hit *hits = list->items;
  for (uint32_t i = 0; i < list->count; i++) {
    mo_mesh_ray_complete_hit(mesh, ray, &hits[i]);
  }
  mo_stats_end(options.stats, stats);
}

mo_result mo_mesh_cast_ray_first(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hits,
                                 uint32_t capacity, uint32_t *count, mo_query_stats *stats) {
  mo_fetch_call call = {mesh, mo_mesh_host(mesh), __func__, fetch_first_hits};
  return mo_cast_ray_first(&call, ray, hits, capacity, count, stats);
}

mo_result mo_mesh_next_hit(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_cursor *cursor,
                           mo_ray_hit *hit, mo_query_stats *stats) {
  mo_fetch_call call = {mesh, mo_mesh_host(mesh), __func__, fetch_first_hits};
  return mo_next_hit(&call, ray, cursor, hit, stats);
}
