/* A contact tracker of a model's scene, with what its last update left behind. */
#include "fuzz/contacts.h"

#include "math/vector.h"

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

static bool same_pair(mo_pair a, mo_pair b) {
  return same_id(a.a, b.a) && same_id(a.b, b.b);
}

static mo_pair pair_of(const mo_tracked_contact *c) {
  return (mo_pair){c->contact.a, c->contact.b};
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_manifold(const mo_manifold *a, const mo_manifold *b) {
  bool same = a->touching == b->touching && a->point_count == b->point_count &&
              (a->point_count == 0 || same_vec3(a->normal, b->normal));
  for (uint32_t i = 0; same && i < a->point_count; i++) {
    const mo_manifold_point *p = &a->points[i], *q = &b->points[i];
    same = same_vec3(p->position, q->position) && same_vec3(p->anchor_a, q->anchor_a) &&
           same_vec3(p->anchor_b, q->anchor_b) && p->separation == q->separation && p->id == q->id;
  }
  return same;
}

/* But for the ids of the shapes. */
static bool same_contact(const mo_contact *a, const mo_contact *b) {
  return a->triangle_a == b->triangle_a && a->triangle_b == b->triangle_b &&
         a->user_data_a == b->user_data_a && a->user_data_b == b->user_data_b &&
         a->triangle_user_data_a == b->triangle_user_data_a &&
         a->triangle_user_data_b == b->triangle_user_data_b &&
         same_manifold(&a->manifold, &b->manifold);
}

/* --- all contacts of a tracker --- */

static bool is_before(const mo_contact *a, const mo_contact *b) {
  const uint32_t k[2][4] = {{a->a.index, a->b.index, a->triangle_a, a->triangle_b},
                            {b->a.index, b->b.index, b->triangle_a, b->triangle_b}};
  for (int i = 0; i < 4; i++) {
    if (k[0][i] != k[1][i]) {
      return k[0][i] < k[1][i];
    }
  }
  return false;
}

static int compare(const void *a, const void *b) {
  const mo_tracked_contact *c = a, *d = b;
  return is_before(&c->contact, &d->contact) ? -1 : is_before(&d->contact, &c->contact);
}

/* Those at rest of all shapes, each once. */
static void add_resting(const fuzz_model *m, const mo_contact_tracker *tracker, fuzz_contacts *c) {
  static mo_tracked_contact resting[FUZZ_CONTACTS];
  for (uint32_t i = 0; i < m->count; i++) {
    uint32_t total;
    expect(
        mo_contact_tracker_get_resting_contacts(tracker, m->ids[i], resting, FUZZ_CONTACTS, &total),
        "get those at rest");
    c->overflowed = c->overflowed || total > FUZZ_CONTACTS;
    for (uint32_t k = 0; k < total && k < FUZZ_CONTACTS; k++) {
      bool first = same_id(resting[k].contact.a, m->ids[i]);
      FUZZ_CHECK(first || same_id(resting[k].contact.b, m->ids[i]), "of another shape");
      c->overflowed = c->overflowed || (first && c->count == FUZZ_CONTACTS);
      if (first && !c->overflowed) {
        c->all[c->count++] = resting[k];
      }
    }
  }
}

static void read_contacts(const fuzz_model *m, const mo_contact_tracker *tracker,
                          const mo_contact_events *events, fuzz_contacts *c) {
  c->overflowed = events->contact_count > FUZZ_CONTACTS;
  c->count = c->overflowed ? 0 : events->contact_count;
  if (c->count > 0) {
    memcpy(c->all, events->contacts, c->count * sizeof *c->all);
  }
  for (uint32_t i = 1; i < c->count; i++) {
    FUZZ_CHECK(is_before(&c->all[i - 1].contact, &c->all[i].contact), "contact %u is not in order",
               i);
  }
  add_resting(m, tracker, c);
  qsort(c->all, c->count, sizeof *c->all, compare);
  mo_contact_tracker_stats stats;
  expect(mo_contact_tracker_get_stats(tracker, &stats), "get statistics");
  FUZZ_CHECK(c->overflowed || stats.contact_count + stats.resting_count == c->count,
             "%u contacts, the statistics say %u and %u at rest", c->count, stats.contact_count,
             stats.resting_count);
}

/* --- each contact by itself --- */

/* For a finding. */
static void print_contacts(const char *title, const fuzz_contacts *c) {
  fprintf(stderr, "%s:\n", title);
  for (uint32_t i = 0; i < c->count; i++) {
    const mo_contact *k = &c->all[i].contact;
    const mo_manifold *m = &k->manifold;
    fprintf(stderr, "  shapes %u, %u, triangles %d, %d, %s, %u points", k->a.index, k->b.index,
            (int)k->triangle_a, (int)k->triangle_b, m->touching ? "touching" : "apart",
            m->point_count);
    if (m->point_count > 0) {
      fprintf(stderr, ", normal %g %g %g", (double)m->normal.x, (double)m->normal.y,
              (double)m->normal.z);
    }
    for (uint32_t p = 0; p < m->point_count; p++) {
      fprintf(stderr, "; %g %g %g by %g", (double)m->points[p].position.x,
              (double)m->points[p].position.y, (double)m->points[p].position.z,
              (double)m->points[p].separation);
    }
    fprintf(stderr, "\n");
  }
}

static bool is_finite(mo_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* The sum of the coordinates and extents of a shape, which rounding goes by; half-spaces have none.
 */
static float size_of(const fuzz_model *m, mo_shape_id id) {
  mo_aabb b;
  expect(mo_scene_get_tight_bounds(m->scene, id, &b), "get bounds");
  float size = fabsf(b.lower.x) + fabsf(b.lower.y) + fabsf(b.lower.z) + fabsf(b.upper.x) +
               fabsf(b.upper.y) + fabsf(b.upper.z);
  return isfinite(size) ? size : 0;
}

/* The greatest gap of a point: distances are right to within 1e-9 of the sizes (mo_collide), and
 * separations are floats. */
static float max_gap(const fuzz_tracker *t, const mo_contact *c) {
  float max = fmaxf(t->def.speculative_distance, t->def.max_speculative_distance);
  return max + 1e-6f * (max + size_of(t->model, c->a) + size_of(t->model, c->b));
}

static void check_contact(const fuzz_tracker *t, const mo_tracked_contact *c) {
  const mo_manifold *m = &c->contact.manifold;
  FUZZ_CHECK(c->contact.a.index < c->contact.b.index, "the order of the pair");
  FUZZ_CHECK(m->point_count <= MO_MAX_MANIFOLD_POINTS, "%u points", m->point_count);
  FUZZ_CHECK(!c->began || c->touching, "began, and does not touch");
  if (m->point_count == 0) {
    return;
  }
  double length =
      sqrt((double)m->normal.x * (double)m->normal.x + (double)m->normal.y * (double)m->normal.y +
           (double)m->normal.z * (double)m->normal.z);
  FUZZ_CHECK(fabs(length - 1) < 1e-5, "a normal of length %g", length);
  float max = max_gap(t, &c->contact);
  for (uint32_t i = 0; i < m->point_count; i++) {
    bool sound = is_finite(m->points[i].position) && isfinite(m->points[i].separation) &&
                 (t->def.reuse_distance > 0 || m->points[i].separation <= max);
    if (!sound) {
      fuzz_model_print(t->model);
      print_contacts("contacts", &t->now);
    }
    FUZZ_CHECK(sound, "point %u, a gap of %g", i, (double)m->points[i].separation);
    for (uint32_t k = 0; k < i; k++) {
      FUZZ_CHECK(m->points[i].id != m->points[k].id, "points %u and %u have the same id", k, i);
    }
  }
}

/* --- against the update before --- */

static bool has_touched(const fuzz_tracker *t, mo_pair pair) {
  for (uint32_t i = 0; i < t->touching_count; i++) {
    if (same_pair(t->touching[i], pair)) {
      return true;
    }
  }
  return false;
}

static bool is_listed(const mo_pair *pairs, uint32_t count, mo_pair pair) {
  for (uint32_t i = 0; i < count; i++) {
    if (same_pair(pairs[i], pair)) {
      return true;
    }
  }
  return false;
}

/* Begins and ends are what was added to and removed from the pairs that touch. */
static void check_events(fuzz_tracker *t) {
  const mo_contact_events *e = &t->events;
  mo_pair now[FUZZ_PAIRS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->now.count; i++) {
    const mo_tracked_contact *c = &t->now.all[i];
    mo_pair pair = pair_of(c);
    bool same = i > 0 && same_pair(pair_of(&t->now.all[i - 1]), pair);
    FUZZ_CHECK(!same || c->touching == t->now.all[i - 1].touching, "a pair touches and does not");
    if (c->touching && !same) {
      FUZZ_CHECK(has_touched(t, pair) != is_listed(e->begins, e->begin_count, pair),
                 "a pair touches and did %s, begins say otherwise",
                 has_touched(t, pair) ? "before" : "not before");
      now[count++] = pair;
    }
  }
  for (uint32_t i = 0; i < t->touching_count; i++) {
    bool ended = is_listed(e->ends, e->end_count, t->touching[i]);
    FUZZ_CHECK(ended != is_listed(now, count, t->touching[i]), "a pair touched: %s",
               ended ? "ended, and touches" : "no end, and does not touch");
  }
  FUZZ_CHECK(t->touching_count + e->begin_count == count + e->end_count, "the number of events");
  memcpy(t->touching, now, count * sizeof *now);
  t->touching_count = count;
}

/* The points that have their memory from before, have it from the same pair, each from one. */
static void check_memory(fuzz_tracker *t, const mo_tracked_contact *c) {
  for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
    float number = c->memory[k].values[0];
    if (!(c->kept >> k & 1)) {
      FUZZ_CHECK(number == 0, "a new point remembers %g", (double)number);
      continue;
    }
    bool found = false;
    for (uint32_t i = 0; i < t->before.count && !found; i++) {
      const mo_tracked_contact *o = &t->before.all[i];
      for (uint32_t j = 0; j < o->contact.manifold.point_count; j++) {
        found = found || (o->memory[j].values[0] == number && same_pair(pair_of(o), pair_of(c)));
      }
    }
    FUZZ_CHECK(found, "a point remembers what the pair never had: %g", (double)number);
  }
}

static void check_distinct_memory(const fuzz_contacts *c) {
  static bool seen[1 << 16];
  memset(seen, 0, sizeof seen);
  for (uint32_t i = 0; i < c->count; i++) {
    for (uint32_t k = 0; k < c->all[i].contact.manifold.point_count; k++) {
      float number = c->all[i].memory[k].values[0];
      if (number > 0 && number < (float)(1 << 16)) {
        FUZZ_CHECK(!seen[(uint32_t)number], "two points have the same memory");
        seen[(uint32_t)number] = true;
      }
    }
  }
}

/* Each point gets a number of its own. */
static void write_memory(fuzz_tracker *t) {
  for (uint32_t i = 0; i < t->events.contact_count; i++) {
    for (uint32_t k = 0; k < t->events.contacts[i].contact.manifold.point_count; k++) {
      t->events.contacts[i].memory[k].values[0] = ++t->serial;
    }
  }
  read_contacts(t->model, t->tracker, &t->events, &t->now);
}

/* --- against others --- */

static bool is_alike(const mo_tracked_contact *c, const mo_tracked_contact *d) {
  return same_contact(&c->contact, &d->contact) && c->rejected == d->rejected;
}

/* Contacts are a function of the scene: a new tracker finds the same. With seams that only holds
 * once all shapes have changed, as seams are examined when a shape changes, not its partners. */
static void check_by_new_tracker(fuzz_tracker *t) {
  static fuzz_contacts fresh;
  mo_contact_tracker *tracker = NULL;
  mo_contact_events events;
  expect(mo_contact_tracker_create(t->model->scene, &t->def, &tracker), "create a tracker");
  expect(mo_contact_tracker_update(tracker, &events), "update a new tracker");
  read_contacts(t->model, tracker, &events, &fresh);
  bool same = fresh.overflowed || fresh.count == t->now.count;
  for (uint32_t i = 0; same && i < t->now.count && !fresh.overflowed; i++) {
    same = same_pair(pair_of(&fresh.all[i]), pair_of(&t->now.all[i])) &&
           is_alike(&fresh.all[i], &t->now.all[i]);
  }
  if (!same) {
    fuzz_model_print(t->model);
    print_contacts("the tracker", &t->now);
    print_contacts("a new tracker", &fresh);
  }
  FUZZ_CHECK(same, "contacts are not those of a new tracker");
  mo_contact_tracker_destroy(tracker);
}

static bool is_mesh(const fuzz_tracker *t, mo_shape_id id) {
  mo_geometry geometry;
  expect(mo_scene_get_geometry(t->model->scene, id, &geometry), "get the geometry");
  return geometry.type == MO_SHAPE_MESH;
}

/* With all points of seams, contacts are those of each pair by itself. (Those of two meshes are
 * merged.) */
static void check_by_pairs(const fuzz_tracker *t) {
  static mo_contact found[FUZZ_CONTACTS];
  mo_pair pairs[FUZZ_PAIRS];
  uint32_t pair_count, count, next = 0;
  mo_collide_def def = mo_default_collide_def();
  def.speculative_distance = t->def.speculative_distance;
  def.cull_back_faces = t->def.cull_back_faces;
  expect(mo_scene_find_pairs(t->model->scene, NULL, pairs, FUZZ_PAIRS, &pair_count), "pairs");
  for (uint32_t i = 0; i < pair_count; i++) {
    if (is_mesh(t, pairs[i].a) && is_mesh(t, pairs[i].b)) {
      while (next < t->now.count && same_pair(pair_of(&t->now.all[next]), pairs[i])) {
        next++;
      }
      continue;
    }
    expect(mo_scene_collide_pair(t->model->scene, &pairs[i], &def, found, FUZZ_CONTACTS, &count),
           "collide a pair");
    for (uint32_t k = 0; k < count && k < FUZZ_CONTACTS; k++, next++) {
      FUZZ_CHECK(next < t->now.count && same_pair(pair_of(&t->now.all[next]), pairs[i]) &&
                     same_contact(&t->now.all[next].contact, &found[k]),
                 "contact %u of shapes %u and %u is not that of the pair", k, pairs[i].a.index,
                 pairs[i].b.index);
    }
  }
  FUZZ_CHECK(next == t->now.count, "%u contacts, %u of all pairs", t->now.count, next);
}

static bool is_by_pairs(const mo_contact_tracker_def *def) {
  return def->keep_seams && !def->merge_coplanar && def->modify == NULL &&
         def->max_speculative_distance == 0 && def->sensor_categories == 0;
}

/* --- what is done --- */

/* A scene and a tracker that are copies; `old` are the ids of the shapes in the model. */
typedef struct copy {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id old[FUZZ_SHAPES], new[FUZZ_SHAPES];
  uint32_t count;
} copy;

/* The index of a shape in the model. */
static uint32_t index_in_model(const copy *c, mo_shape_id id) {
  uint32_t i = 0;
  while (c != NULL && i < c->count && !same_id(c->new[i], id)) {
    i++;
  }
  return c != NULL && i < c->count ? c->old[i].index : id.index;
}

/* A function of the pair alone: rejects contacts of some, leaves points of others out. `context` is
 * the copy, if the tracker is one. */
static void modify(mo_modified_pair *pair, void *context) {
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    mo_tracked_contact *c = &pair->contacts[i];
    uint32_t sum = index_in_model(context, c->contact.a) + index_in_model(context, c->contact.b);
    c->rejected = sum % 5 == 4;
    c->material.friction = (float)(sum % 3);
    if (sum % 3 == 2 && c->contact.manifold.point_count > 1) {
      c->contact.manifold.point_count--;
    }
  }
}

void fuzz_tracker_create(fuzz_tracker *t, fuzz_model *m, fuzz_bytes *b) {
  uint8_t options = fuzz_byte(b);
  t->model = m;
  t->serial = 0;
  t->all_changed = false;
  t->touching_count = t->now.count = t->before.count = 0;
  t->now.overflowed = t->before.overflowed = false;
  t->events = (mo_contact_events){0};
  t->def = mo_default_contact_tracker_def();
  t->def.keep_seams = options & 1;
  t->def.cull_back_faces = options & 2;
  t->def.merge_coplanar = options & 4;
  t->def.max_speculative_distance = options & 8 ? 1 : 0;
  t->def.sensor_categories = options & 16 ? 2 : 0;
  t->def.speculative_distance = options & 32 ? 0.25f : t->def.speculative_distance;
  t->def.reuse_distance = options >> 6 == 3 ? 0.05f : 0;
  t->def.modify = options >> 6 == 2 ? modify : NULL;
  expect(mo_contact_tracker_create(m->scene, &t->def, &t->tracker), "create a tracker");
}

void fuzz_tracker_destroy(fuzz_tracker *t) {
  mo_contact_tracker_destroy(t->tracker);
}

static void remember(fuzz_tracker *t) {
  t->before.count = t->now.count;
  t->before.overflowed = t->now.overflowed;
  memcpy(t->before.all, t->now.all, t->now.count * sizeof *t->now.all);
}

static void check_valid(const fuzz_tracker *t, const mo_contact_tracker *tracker) {
  mo_result result = mo_contact_tracker_validate(tracker);
  FUZZ_CHECK(result == MO_OK, "%s: %s", mo_result_name(result), t->model->why);
}

/* What changes contacts of a tracker. */
typedef mo_result tracker_call(mo_contact_tracker *tracker, const void *argument,
                               mo_contact_events *events);

/* Lets each allocation fail in turn, with and without those after it. Nothing changes by that. */
static void call_starved(const fuzz_tracker *t, mo_contact_tracker *tracker, tracker_call *call,
                         const void *argument, mo_contact_events *events) {
  counting_allocator *counter = &t->model->counter;
  mo_contact_tracker_stats before, after;
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  for (size_t nth = 0; result != MO_OK; nth++) {
    expect(mo_contact_tracker_get_stats(tracker, &before), "get statistics");
    counting_allocator_fail_at(counter, 1 + nth / 2, nth % 2 == 0);
    result = call(tracker, argument, events);
    counting_allocator_fail_at(counter, 0, false);
    FUZZ_CHECK(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY, "%s", mo_result_name(result));
    expect(mo_contact_tracker_get_stats(tracker, &after), "get statistics");
    FUZZ_CHECK(result == MO_OK || (before.contact_count == after.contact_count &&
                                   before.resting_count == after.resting_count &&
                                   before.update_count == after.update_count),
               "a call without memory has changed the contacts");
    check_valid(t, tracker);
  }
}

/* Makes the call, with failing allocations where the model has them. */
static void make_call(const fuzz_tracker *t, mo_contact_tracker *tracker, tracker_call *call,
                      const void *argument, mo_contact_events *events) {
  if (t->model->starved) {
    call_starved(t, tracker, call, argument, events);
  } else {
    mo_result result = call(tracker, argument, events);
    FUZZ_CHECK(result == MO_OK, "%s: %s", mo_result_name(result), t->model->why);
    check_valid(t, tracker);
  }
}

static mo_result call_update(mo_contact_tracker *tracker, const void *argument,
                             mo_contact_events *events) {
  (void)argument;
  return mo_contact_tracker_update(tracker, events);
}

void fuzz_tracker_update(fuzz_tracker *t) {
  remember(t);
  make_call(t, t->tracker, call_update, NULL, &t->events);
  read_contacts(t->model, t->tracker, &t->events, &t->now);
  if (t->now.overflowed || t->before.overflowed) {
    FUZZ_CHECK(t->now.count <= FUZZ_CONTACTS, "too many");
    return;
  }
  for (uint32_t i = 0; i < t->now.count; i++) {
    check_contact(t, &t->now.all[i]);
    check_memory(t, &t->now.all[i]);
  }
  check_distinct_memory(&t->now);
  check_events(t);
  if (t->def.reuse_distance == 0 && (t->def.keep_seams || t->all_changed)) {
    check_by_new_tracker(t);
  }
  if (t->def.reuse_distance == 0 && is_by_pairs(&t->def)) {
    check_by_pairs(t);
  }
  t->all_changed = false;
  write_memory(t);
}

void fuzz_tracker_shift(fuzz_tracker *t, mo_vec3 by) {
  fuzz_model *m = t->model;
  fuzz_tracker_update(t);
  if (mo_scene_shift_origin(m->scene, by) == MO_OK) {
    for (uint32_t i = 0; i < m->count; i++) {
      m->defs[i].transform.origin = mo_add(m->defs[i].transform.origin, by);
    }
  }
  uint32_t before = t->now.count;
  check_valid(t, t->tracker);
  make_call(t, t->tracker, call_update, NULL, &t->events);
  FUZZ_CHECK(t->events.begin_count == 0 && t->events.end_count == 0, "a shift has events");
  read_contacts(m, t->tracker, &t->events, &t->now);
  FUZZ_CHECK(t->now.overflowed || t->now.count == before, "%u contacts, after a shift %u", before,
             t->now.count);
  fuzz_model_refresh(m);
  t->all_changed = true;
  fuzz_tracker_update(t);
}

/* --- a run that is saved and restored --- */

static mo_shape_id renamed(const copy *c, mo_shape_id old) {
  for (uint32_t i = 0; i < c->count; i++) {
    if (same_id(c->old[i], old)) {
      return c->new[i];
    }
  }
  return (mo_shape_id){0};
}

static void copy_scene(copy *c, const fuzz_tracker *t) {
  const fuzz_model *m = t->model;
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host = counting_allocator_host(&t->model->counter);
  expect(mo_scene_create(&scene_def, &c->scene), "create a scene");
  expect(mo_scene_get_shapes(m->scene, c->old, FUZZ_SHAPES, &c->count), "get shapes");
  for (uint32_t i = 0; i < c->count; i++) {
    mo_shape_def def;
    expect(mo_scene_get_shape(m->scene, c->old[i], &def), "get a shape");
    expect(mo_scene_add_shape(c->scene, &def, &c->new[i]), "add a shape again");
  }
  expect(mo_scene_update(c->scene, NULL), "update");
  mo_contact_tracker_def tracker_def = t->def;
  tracker_def.context = c;
  expect(mo_contact_tracker_create(c->scene, &tracker_def, &c->tracker), "create a tracker");
  expect(mo_contact_tracker_update(c->tracker, NULL), "update a tracker");
}

static void compare_run(const fuzz_tracker *t, const copy *c, const fuzz_contacts *copied) {
  FUZZ_CHECK(copied->count == t->now.count, "%u contacts, restored %u", t->now.count,
             copied->count);
  for (uint32_t i = 0; i < copied->count; i++) {
    const mo_tracked_contact *a = &t->now.all[i], *d = &copied->all[i];
    FUZZ_CHECK(same_id(renamed(c, a->contact.a), d->contact.a) &&
                   same_id(renamed(c, a->contact.b), d->contact.b) && is_alike(a, d) &&
                   a->touching == d->touching,
               "contact %u is not as it was saved", i);
    for (uint32_t k = 0; k < a->contact.manifold.point_count; k++) {
      FUZZ_CHECK(a->memory[k].values[0] == d->memory[k].values[0], "memory of contact %u", i);
    }
  }
}

static void read_copy(const copy *c, const mo_contact_events *events, fuzz_contacts *contacts) {
  fuzz_model m = {.scene = c->scene, .count = c->count};
  memcpy(m.ids, c->new, sizeof m.ids);
  read_contacts(&m, c->tracker, events, contacts);
}

typedef struct saved_contacts {
  mo_tracked_contact all[FUZZ_CONTACTS];
  uint32_t count;
} saved_contacts;

static mo_result call_restore(mo_contact_tracker *tracker, const void *argument,
                              mo_contact_events *events) {
  const saved_contacts *saved = argument;
  return mo_contact_tracker_restore(tracker, saved->all, saved->count, events);
}

static void restore(const fuzz_tracker *t, copy *c, fuzz_contacts *copied) {
  static saved_contacts saved;
  mo_contact_events events;
  saved.count = t->now.count;
  for (uint32_t i = 0; i < saved.count; i++) {
    mo_tracked_contact *contact = &saved.all[i];
    *contact = t->now.all[i];
    contact->contact.a = renamed(c, contact->contact.a);
    contact->contact.b = renamed(c, contact->contact.b);
  }
  make_call(t, c->tracker, call_restore, &saved, &events);
  read_copy(c, &events, copied);
}

/* The same move of one shape in both scenes, and an update of both. */
static void go_on(fuzz_tracker *t, const copy *c, fuzz_bytes *b, fuzz_contacts *copied) {
  fuzz_model *m = t->model;
  mo_contact_events events;
  if (m->count > 0) {
    uint32_t i = fuzz_below(b, m->count);
    mo_transform map = m->defs[i].transform;
    map.origin = mo_add(map.origin, mo_scale(0.0625f, fuzz_vec3(b)));
    mo_result result = mo_scene_set_transform(m->scene, m->ids[i], &map);
    FUZZ_CHECK(mo_scene_set_transform(c->scene, renamed(c, m->ids[i]), &map) == result,
               "a move is refused in one of two scenes");
    m->defs[i].transform = result == MO_OK ? map : m->defs[i].transform;
  }
  fuzz_tracker_update(t);
  make_call(t, c->tracker, call_update, NULL, &events);
  FUZZ_CHECK(events.begin_count == t->events.begin_count && events.end_count == t->events.end_count,
             "%u begins and %u ends, after restoring %u and %u", t->events.begin_count,
             t->events.end_count, events.begin_count, events.end_count);
  read_copy(c, &events, copied);
}

void fuzz_tracker_replay(fuzz_tracker *t, fuzz_bytes *b) {
  static fuzz_contacts copied;
  copy c = {0};
  if (t->def.reuse_distance > 0) {
    return;
  }
  fuzz_model_refresh(t->model);
  expect(mo_scene_update(t->model->scene, NULL), "update");
  t->all_changed = true;
  fuzz_tracker_update(t);
  if (!t->now.overflowed) {
    copy_scene(&c, t);
    restore(t, &c, &copied);
    compare_run(t, &c, &copied);
    go_on(t, &c, b, &copied);
    /* The numbers that were written since are those of one run alone. */
    FUZZ_CHECK(copied.count == t->now.count, "%u contacts, restored %u", t->now.count,
               copied.count);
    for (uint32_t i = 0; i < copied.count; i++) {
      FUZZ_CHECK(is_alike(&t->now.all[i], &copied.all[i]) &&
                     t->now.all[i].kept == copied.all[i].kept &&
                     t->now.all[i].touching == copied.all[i].touching,
                 "contact %u differs after restoring", i);
    }
    mo_contact_tracker_destroy(c.tracker);
    mo_scene_destroy(c.scene);
  }
}

/* --- islands and sleep --- */

static void check_islands(const fuzz_tracker *t, const mo_islands *islands) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < islands->island_count; i++) {
    FUZZ_CHECK(islands->starts[i] == seen && islands->starts[i + 1] > seen, "start of island %u",
               i);
    for (; seen < islands->starts[i + 1]; seen++) {
      FUZZ_CHECK(mo_scene_is_valid(t->model->scene, islands->shapes[seen]), "a shape that is gone");
    }
  }
  FUZZ_CHECK(seen == islands->shape_count, "%u shapes in islands, expected %u", seen,
             islands->shape_count);
  for (uint32_t i = 0; i < t->events.contact_count; i++) {
    uint32_t island = islands->island_of_contact[i];
    FUZZ_CHECK(island == MO_NO_ISLAND || island < islands->island_count, "island %u", island);
    FUZZ_CHECK(island == MO_NO_ISLAND || t->events.contacts[i].contact.manifold.point_count > 0,
               "a contact without points is in an island");
  }
}

typedef struct woken_shapes {
  const mo_shape_id *ids;
  uint32_t count;
} woken_shapes;

static mo_result call_wake(mo_contact_tracker *tracker, const void *argument,
                           mo_contact_events *events) {
  const woken_shapes *shapes = argument;
  return mo_contact_tracker_wake(tracker, shapes->ids, shapes->count, events);
}

void fuzz_tracker_rest(fuzz_tracker *t, fuzz_bytes *b) {
  fuzz_model *m = t->model;
  mo_islands islands;
  mo_shape_id sleepers[FUZZ_SHAPES];
  uint32_t total, first = m->count > 0 ? fuzz_below(b, m->count) : 0;
  uint32_t count = m->count > first ? 1 : 0;
  fuzz_tracker_update(t);
  expect(mo_contact_tracker_find_islands(t->tracker, &islands), "find islands");
  check_islands(t, &islands);
  expect(mo_contact_tracker_find_sleepers(t->tracker, &m->ids[first], count, sleepers, FUZZ_SHAPES,
                                          &total),
         "find sleepers");
  for (uint32_t i = 0; i < total; i++) {
    mo_motion motion;
    expect(mo_scene_get_motion(m->scene, sleepers[i], &motion), "a sleeper that is gone");
    FUZZ_CHECK(motion == MO_MOTION_SLEEPING &&
                   (i == 0 || sleepers[i - 1].index < sleepers[i].index),
               "sleeper %u", i);
  }
  woken_shapes shapes = {&m->ids[first], count};
  make_call(t, t->tracker, call_wake, &shapes, &t->events);
  static fuzz_contacts woken;
  read_contacts(m, t->tracker, &t->events, &woken);
  FUZZ_CHECK(woken.overflowed || woken.count == t->now.count, "%u contacts, after waking %u",
             t->now.count, woken.count);
}
