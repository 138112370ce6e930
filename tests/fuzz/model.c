/* A scene and a plain list of what it should hold. */
#include "fuzz/model.h"

#include <motte/query.h>

#include "math/vector.h"

static void remember(mo_log_level level, const char *message, void *context) {
  (void)level;
  fuzz_model *m = context;
  snprintf(m->why, sizeof m->why, "%s", message);
}

void fuzz_model_create(fuzz_model *m, fuzz_bytes *b) {
  memset(m, 0, sizeof *m);
  counting_allocator_init(&m->counter);
  mo_scene_def def = mo_default_scene_def();
  uint8_t options = fuzz_byte(b);
  b->wild = options & 1;
  def.tree.policy = (mo_tree_policy)((options >> 1 & 3) % 3); /* 2: MO_TREE_MIDPOINT */
  def.tree.capacity = options & 8 ? 1 + fuzz_below(b, 4) : 4;
  def.tree.max_depth = options & 8 ? 1 + fuzz_below(b, MO_SCENE_MAX_DEPTH) : MO_SCENE_MAX_DEPTH;
  def.margin = options & 16 ? MO_CONTACT_MARGIN : 0;
  def.host = counting_allocator_host(&m->counter);
  def.host.log = remember;
  def.host.log_context = m;
  mo_result result = mo_scene_create(&def, &m->scene);
  FUZZ_CHECK(result == MO_OK, "%s: %s", mo_result_name(result), m->why);
}

void fuzz_model_destroy(fuzz_model *m) {
  mo_scene_destroy(m->scene);
  FUZZ_CHECK(counting_allocator_is_clean(&m->counter), "memory is left over");
}

mo_shape_id fuzz_model_any(const fuzz_model *m, fuzz_bytes *b) {
  uint8_t which = fuzz_byte(b);
  return m->count == 0 || which == 255 ? m->stale : m->ids[which % m->count];
}

/* --- what the scene should hold --- */

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_map(const mo_transform *a, const mo_transform *b) {
  return same_vec3(a->x_axis, b->x_axis) && same_vec3(a->y_axis, b->y_axis) &&
         same_vec3(a->z_axis, b->z_axis) && same_vec3(a->origin, b->origin);
}

static void check_shape(const fuzz_model *m, uint32_t i) {
  mo_shape_def def;
  mo_aabb bounds, tight;
  const mo_shape_def *expected = &m->defs[i];
  FUZZ_CHECK(mo_scene_get_shape(m->scene, m->ids[i], &def) == MO_OK, "shape %u", i);
  FUZZ_CHECK(def.geometry.type == expected->geometry.type &&
                 def.geometry.rounding == expected->geometry.rounding &&
                 same_map(&def.transform, &expected->transform) &&
                 def.category == expected->category && def.mask == expected->mask &&
                 def.user_data == expected->user_data && def.motion == expected->motion &&
                 def.body == expected->body,
             "shape %u is not as it was added", i);
  FUZZ_CHECK(mo_scene_get_bounds(m->scene, m->ids[i], &bounds) == MO_OK, "bounds");
  FUZZ_CHECK(mo_scene_get_tight_bounds(m->scene, m->ids[i], &tight) == MO_OK, "bounds");
  FUZZ_CHECK(bounds.lower.x <= tight.lower.x && bounds.lower.y <= tight.lower.y &&
                 bounds.lower.z <= tight.lower.z && bounds.upper.x >= tight.upper.x &&
                 bounds.upper.y >= tight.upper.y && bounds.upper.z >= tight.upper.z,
             "shape %u reaches out of its bounds", i);
}

void fuzz_model_check(const fuzz_model *m) {
  mo_result result = mo_scene_validate(m->scene);
  FUZZ_CHECK(result == MO_OK, "%s: %s", mo_result_name(result), m->why);
  FUZZ_CHECK(mo_scene_shape_count(m->scene) == m->count, "%u shapes, expected %u",
             mo_scene_shape_count(m->scene), m->count);
  for (uint32_t i = 0; i < m->count; i++) {
    check_shape(m, i);
  }
}

static void print_vec3(const char *name, mo_vec3 v) {
  fprintf(stderr, " %s {%a, %a, %a}", name, (double)v.x, (double)v.y, (double)v.z);
}

/* All numbers of the union, whichever of them count. */
static void print_geometry(const mo_geometry *g) {
  fprintf(stderr, " type %d, rounding %a, numbers", (int)g->type, (double)g->rounding);
  const float *numbers = &g->capsule.a.x;
  for (int i = 0; i < 7; i++) {
    fprintf(stderr, " %a", (double)numbers[i]);
  }
}

void fuzz_model_print(const fuzz_model *m) {
  for (uint32_t i = 0; i < m->count; i++) {
    const mo_shape_def *def = &m->defs[i];
    mo_aabb bounds = {{0}, {0}};
    mo_scene_get_bounds(m->scene, m->ids[i], &bounds);
    fprintf(stderr, "shape %u: motion %d, body %d, category %#x, mask %#x,", m->ids[i].index,
            (int)def->motion, (int)def->body, (unsigned)def->category, (unsigned)def->mask);
    print_geometry(&def->geometry);
    print_vec3("x", def->transform.x_axis);
    print_vec3("y", def->transform.y_axis);
    print_vec3("z", def->transform.z_axis);
    print_vec3("at", def->transform.origin);
    print_vec3("bounds", bounds.lower);
    print_vec3("to", bounds.upper);
    fprintf(stderr, "\n");
  }
}

/* What any shape may be refused for. Numbers that are not wild are in range, and finite. */
static void check_refusal(const fuzz_model *m, const fuzz_bytes *b, mo_result result, bool stale) {
  if (m->starved && result == MO_ERROR_OUT_OF_MEMORY) {
    return;
  }
  bool wild = result == MO_ERROR_NOT_FINITE || result == MO_ERROR_OUT_OF_RANGE;
  FUZZ_CHECK(result == MO_ERROR_INVALID_ARGUMENT || (b->wild && wild) ||
                 (stale && result == MO_ERROR_STALE_ID),
             "%s", mo_result_name(result));
}

/* The place of an id in the list; `count` if it is stale. */
static uint32_t place_of(const fuzz_model *m, mo_shape_id id) {
  uint32_t i = 0;
  while (i < m->count && (m->ids[i].index != id.index || m->ids[i].generation != id.generation)) {
    i++;
  }
  return i;
}

/* --- operations --- */

static void add(fuzz_model *m, fuzz_bytes *b) {
  mo_shape_def defs[4];
  mo_shape_id ids[4];
  size_t bad = 0;
  uint32_t count = 1 + fuzz_byte(b) / 64;
  if (m->count + count > FUZZ_SHAPES) {
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    defs[i] = fuzz_shape(b);
  }
  mo_result result = count == 1 ? mo_scene_add_shape(m->scene, defs, ids)
                                : mo_scene_add_shapes(m->scene, defs, count, ids, &bad);
  if (result != MO_OK) {
    check_refusal(m, b, result, false);
    FUZZ_CHECK(result == MO_ERROR_OUT_OF_MEMORY ? count == 1 || bad == MO_NO_INDEX : bad < count,
               "first_bad is %zu of %u", bad, count);
    return;
  }
  memcpy(&m->defs[m->count], defs, count * sizeof *defs);
  memcpy(&m->ids[m->count], ids, count * sizeof *ids);
  m->count += count;
}

static void forget(fuzz_model *m, uint32_t i) {
  m->stale = m->ids[i];
  m->count--;
  m->ids[i] = m->ids[m->count];
  m->defs[i] = m->defs[m->count];
}

static void remove_one(fuzz_model *m, fuzz_bytes *b) {
  mo_shape_id id = fuzz_model_any(m, b);
  uint32_t i = place_of(m, id);
  mo_result result = mo_scene_remove_shape(m->scene, id);
  FUZZ_CHECK(result == (i < m->count ? MO_OK : MO_ERROR_STALE_ID), "%s", mo_result_name(result));
  if (result == MO_OK) {
    forget(m, i);
  }
}

static void remove_last(fuzz_model *m, fuzz_bytes *b) {
  uint32_t count = fuzz_below(b, 8);
  count = count < m->count ? count : m->count;
  mo_result result = mo_scene_remove_shapes(m->scene, &m->ids[m->count - count], count, NULL);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  while (count-- > 0) {
    forget(m, m->count - 1);
  }
}

static void set_transform(fuzz_model *m, fuzz_bytes *b) {
  mo_shape_id id = fuzz_model_any(m, b);
  uint32_t i = place_of(m, id);
  mo_transform map = fuzz_transform(b);
  mo_result result = mo_scene_set_transform(m->scene, id, &map);
  if (result == MO_OK) {
    FUZZ_CHECK(i < m->count, "a stale id is taken");
    m->defs[i].transform = map;
  } else {
    check_refusal(m, b, result, i == m->count);
  }
}

/* A step of some shapes, with velocities or without. */
typedef struct step {
  mo_shape_id ids[FUZZ_SHAPES];
  uint32_t places[FUZZ_SHAPES];
  mo_transform transforms[FUZZ_SHAPES];
  mo_vec3 origins[FUZZ_SHAPES], velocities[FUZZ_SHAPES];
  uint32_t count;
} step;

static void decode_step(const fuzz_model *m, fuzz_bytes *b, step *s, bool turns) {
  s->count = m->count > 0 ? fuzz_below(b, FUZZ_SHAPES) : 0;
  for (uint32_t k = 0; k < s->count; k++) {
    uint32_t i = s->places[k] = fuzz_below(b, m->count);
    s->ids[k] = m->ids[i];
    s->transforms[k] = m->defs[i].transform;
    if (turns) {
      s->transforms[k] = fuzz_transform(b);
    } else {
      mo_vec3 by = fuzz_vec3(b);
      s->transforms[k].origin = mo_add(s->transforms[k].origin, mo_scale(0.125f, by));
    }
    s->origins[k] = s->transforms[k].origin;
    s->velocities[k] = mo_sub(s->origins[k], m->defs[i].transform.origin);
  }
}

/* Where an update lacks memory for the tree, its moves may have been made: all of them, or none. */
static bool has_moved(const fuzz_model *m, const step *s) {
  bool differs = false, moved = false;
  for (uint32_t k = 0; k < s->count; k++) {
    mo_transform map;
    bool last = true; /* the last element for a shape counts */
    for (uint32_t j = k + 1; j < s->count; j++) {
      last = last && s->places[j] != s->places[k];
    }
    mo_result result = mo_scene_get_transform(m->scene, s->ids[k], &map);
    FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
    if (last && !same_map(&s->transforms[k], &m->defs[s->places[k]].transform)) {
      bool here = same_map(&map, &s->transforms[k]);
      FUZZ_CHECK(!differs || moved == here, "some have moved, and some have not");
      differs = true;
      moved = here;
    }
  }
  return moved;
}

static void update(fuzz_model *m, fuzz_bytes *b) {
  step s = {0};
  uint8_t options = fuzz_byte(b);
  mo_update_def def = mo_default_update_def();
  bool turns = options & 1;
  decode_step(m, b, &s, turns);
  def.ids = s.ids;
  def.count = s.count;
  def.transforms = turns || options & 2 ? s.transforms : NULL;
  def.origins = def.transforms == NULL ? s.origins : NULL;
  def.velocities = options & 4 ? s.velocities : NULL;
  def.lookahead = options & 4 ? 1 : 0;
  def.upkeep = options & 8 ? 1 + fuzz_byte(b) : def.upkeep;
  mo_result result = mo_scene_update(m->scene, &def);
  if (result != MO_OK && !(m->starved && has_moved(m, &s))) {
    check_refusal(m, b, result, false);
    return;
  }
  for (uint32_t k = 0; k < s.count; k++) {
    m->defs[s.places[k]].transform = s.transforms[k];
  }
}

static void set_geometry(fuzz_model *m, fuzz_bytes *b) {
  mo_shape_id id = fuzz_model_any(m, b);
  uint32_t i = place_of(m, id);
  mo_geometry geometry = fuzz_geometry(b);
  mo_result result = mo_scene_set_geometry(m->scene, id, &geometry);
  if (result == MO_OK) {
    FUZZ_CHECK(i < m->count, "a stale id is taken");
    m->defs[i].geometry = geometry;
  } else {
    check_refusal(m, b, result, i == m->count);
  }
}

static void set_motion(fuzz_model *m, fuzz_bytes *b) {
  uint32_t count = fuzz_below(b, FUZZ_SHAPES + 1);
  count = count < m->count ? count : m->count;
  mo_motion motion = (mo_motion)fuzz_below(b, 4);
  mo_result result = mo_scene_set_motion(m->scene, m->ids, count, motion, NULL);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  for (uint32_t i = 0; i < count; i++) {
    m->defs[i].motion = motion;
  }
}

/* Filter, body, user data, margin, or refreshed bounds. */
static void set_other(fuzz_model *m, fuzz_bytes *b) {
  mo_shape_id id = fuzz_model_any(m, b);
  uint32_t i = place_of(m, id), kind = fuzz_below(b, 5);
  uint8_t value = fuzz_byte(b);
  mo_shape_def unused = {0}, *def = i < m->count ? &m->defs[i] : &unused;
  uint64_t before = def->body;
  mo_result result;
  if (kind == 0) {
    result = mo_scene_set_filter(m->scene, id, def->category = value & 15, def->mask = value);
  } else if (kind == 1) {
    result = mo_scene_set_body(m->scene, id, def->body = value % 4);
  } else if (kind == 2) {
    result = mo_scene_set_user_data(m->scene, id, def->user_data = value);
  } else if (kind == 3) {
    result = mo_scene_set_margin(m->scene, id, def->margin = (float)value / 64);
  } else {
    result = mo_scene_refresh_shape(m->scene, id);
  }
  if (kind == 1 && m->starved && result == MO_ERROR_OUT_OF_MEMORY) {
    def->body = before;
    return;
  }
  FUZZ_CHECK(result == (i < m->count ? MO_OK : MO_ERROR_STALE_ID) ||
                 (b->wild && result == MO_ERROR_OUT_OF_RANGE),
             "%s", mo_result_name(result));
}

void fuzz_model_refresh(fuzz_model *m) {
  for (uint32_t i = 0; i < m->count; i++) {
    mo_result result = mo_scene_refresh_shape(m->scene, m->ids[i]);
    FUZZ_CHECK(result == MO_OK, "refresh: %s", mo_result_name(result));
  }
}

/* Rounding by a shift may make or end pairs when their shapes change next, so all are refreshed. */
static void shift(fuzz_model *m, fuzz_bytes *b) {
  mo_vec3 by = fuzz_vec3(b);
  mo_result result = mo_scene_shift_origin(m->scene, by);
  if (result != MO_OK) {
    FUZZ_CHECK(b->wild && (result == MO_ERROR_NOT_FINITE || result == MO_ERROR_OUT_OF_RANGE), "%s",
               mo_result_name(result));
    return;
  }
  for (uint32_t i = 0; i < m->count; i++) {
    m->defs[i].transform.origin = mo_add(m->defs[i].transform.origin, by);
  }
  fuzz_model_refresh(m);
}

void fuzz_model_change(fuzz_model *m, fuzz_bytes *b) {
  static void (*const operations[])(fuzz_model *, fuzz_bytes *) = {
      add,        update,    add,         set_transform, update, remove_one, set_geometry,
      set_motion, set_other, remove_last, shift,         add,    update};
  uint32_t which = fuzz_below(b, 1 + sizeof operations / sizeof *operations);
  if (m->starved) {
    bool all_after = fuzz_chance(b, 128);
    counting_allocator_fail_at(&m->counter, 1 + fuzz_below(b, 8), all_after);
  }
  if (which == sizeof operations / sizeof *operations) {
    FUZZ_CHECK(mo_scene_trim(m->scene) == MO_OK, "trim");
  } else {
    operations[which](m, b);
  }
  counting_allocator_fail_at(&m->counter, 0, false);
  fuzz_model_check(m);
}
