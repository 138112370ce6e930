/* A scene with placements of compounds, and the flat scene that it stands for. */
#include "fuzz/placed.h"

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

void placed_model_create(placed_model *m, fuzz_bytes *b) {
  memset(m, 0, sizeof *m);
  counting_allocator_init(&m->counter);
  const uint8_t options = fuzz_byte(b);
  mo_scene_def def = mo_default_scene_def();
  m->is_wild = b->wild = (options & 9) == 9;
  def.margin = options & 2 ? MO_CONTACT_MARGIN : 0;
  def.tree.capacity = options & 4 ? 1 : 4;
  def.host = counting_allocator_host(&m->counter);
  expect(mo_scene_create(&def, &m->scene), "create a scene");
  for (int i = 0; i < PLACED_COMPOUNDS; i++) {
    expect(mo_compound_create(&def, &m->compounds[i]), "create a compound");
  }
}

void placed_model_destroy(placed_model *m) {
  mo_scene_destroy(m->scene);
  mo_scene_destroy(m->flat);
  for (int i = 0; i < PLACED_COMPOUNDS; i++) {
    mo_compound_release(m->compounds[i]);
  }
  FUZZ_CHECK(counting_allocator_is_clean(&m->counter), "memory is left over");
}

/* --- changes --- */

/* The scene, or that of the children of a compound. */
static mo_scene *part_of(const placed_model *m, uint32_t which) {
  return which < PLACED_COMPOUNDS ? mo_compound_children(m->compounds[which]) : m->scene;
}

/* Whether a compound is another one or contains it. */
static bool contains(const mo_compound *compound, const mo_compound *other) {
  mo_shape_id ids[PLACED_SHAPES];
  uint32_t count;
  const mo_scene *children = mo_compound_children((mo_compound *)compound);
  bool found = compound == other;
  expect(mo_scene_get_shapes(children, ids, PLACED_SHAPES, &count), "get children");
  for (uint32_t i = 0; i < count && !found; i++) {
    mo_geometry geometry;
    expect(mo_scene_get_geometry(children, ids[i], &geometry), "get a child");
    found = geometry.type == MO_SHAPE_COMPOUND && contains(geometry.compound, other);
  }
  return found;
}

static mo_geometry any_geometry(const placed_model *m, fuzz_bytes *b) {
  if (!fuzz_chance(b, 112)) {
    return fuzz_geometry(b);
  }
  mo_geometry geometry = {.type = MO_SHAPE_COMPOUND};
  geometry.compound = m->compounds[fuzz_below(b, PLACED_COMPOUNDS)];
  return geometry;
}

/* What a part may refuse: half-spaces and compounds that would contain themselves among children;
 * numbers that are wild. */
static void check_result(const placed_model *m, const fuzz_bytes *b, uint32_t part,
                         const mo_geometry *geometry, mo_result result) {
  const bool is_child = part < PLACED_COMPOUNDS;
  const bool is_cyclic = is_child && geometry->type == MO_SHAPE_COMPOUND &&
                         contains(geometry->compound, m->compounds[part]);
  const bool is_barred = is_cyclic || (is_child && geometry->type == MO_SHAPE_HALF_SPACE);
  const bool wild = result == MO_ERROR_NOT_FINITE || result == MO_ERROR_OUT_OF_RANGE;
  FUZZ_CHECK(result != MO_OK || !is_barred, "a barred child is taken");
  FUZZ_CHECK(result == MO_OK || result == MO_ERROR_INVALID_ARGUMENT || (b->wild && wild), "%s",
             mo_result_name(result));
  FUZZ_CHECK(result == MO_OK || is_barred || geometry->type != MO_SHAPE_COMPOUND || b->wild,
             "a compound is refused: %s", mo_result_name(result));
}

static void add(placed_model *m, fuzz_bytes *b, uint32_t part) {
  mo_shape_def def = fuzz_shape(b);
  mo_shape_id id;
  def.geometry = any_geometry(m, b);
  if (mo_scene_shape_count(part_of(m, part)) < PLACED_SHAPES) {
    const mo_geometry geometry = def.geometry;
    const mo_result result = mo_scene_add_shape(part_of(m, part), &def, &id);
    check_result(m, b, part, &geometry, result);
  }
}

void placed_model_change(placed_model *m, fuzz_bytes *b) {
  const uint32_t part = PLACED_COMPOUNDS - fuzz_below(b, PLACED_COMPOUNDS + 1);
  const uint32_t kind = fuzz_below(b, 8), which = fuzz_byte(b);
  mo_scene *scene = part_of(m, part);
  mo_shape_id ids[PLACED_SHAPES];
  uint32_t count;
  m->is_stale = true;
  expect(mo_scene_get_shapes(scene, ids, PLACED_SHAPES, &count), "get shapes");
  if (count == 0 || kind < 4) {
    add(m, b, part);
    return;
  }
  const mo_shape_id id = ids[which % count];
  if (kind == 4) {
    expect(mo_scene_remove_shape(scene, id), "remove");
  } else if (kind == 5) {
    const mo_transform map = fuzz_transform(b);
    const mo_result result = mo_scene_set_transform(scene, id, &map);
    FUZZ_CHECK(result == MO_OK || result == MO_ERROR_INVALID_ARGUMENT || b->wild, "%s",
               mo_result_name(result));
  } else if (kind == 6) {
    const mo_geometry geometry = any_geometry(m, b);
    check_result(m, b, part, &geometry, mo_scene_set_geometry(scene, id, &geometry));
  } else {
    const uint32_t category = fuzz_byte(b) & 7, mask = fuzz_byte(b);
    expect(mo_scene_set_filter(scene, id, category, mask), "set the filter");
  }
}

/* --- the flat scene --- */

/* Refreshes the placements of compounds. Wild numbers may take some beyond the range of
 * coordinates, so that they keep old bounds: then nothing is compared. */
static void refresh(placed_model *m, mo_scene *scene) {
  mo_shape_id ids[PLACED_SHAPES];
  uint32_t count;
  expect(mo_scene_get_shapes(scene, ids, PLACED_SHAPES, &count), "get shapes");
  for (uint32_t i = 0; i < count; i++) {
    mo_geometry geometry;
    expect(mo_scene_get_geometry(scene, ids[i], &geometry), "get geometry");
    if (geometry.type == MO_SHAPE_COMPOUND) {
      const mo_result result = mo_scene_refresh_shape(scene, ids[i]);
      FUZZ_CHECK(result == MO_OK || (m->is_wild && result == MO_ERROR_OUT_OF_RANGE), "%s",
                 mo_result_name(result));
      m->overflowed = m->overflowed || result != MO_OK;
    }
  }
}

static bool is_legal_vec3(mo_vec3 v) {
  return fabsf(v.x) <= MO_MAX_COORDINATE && fabsf(v.y) <= MO_MAX_COORDINATE &&
         fabsf(v.z) <= MO_MAX_COORDINATE;
}

static bool is_legal(const mo_transform *map) {
  return is_legal_vec3(map->x_axis) && is_legal_vec3(map->y_axis) && is_legal_vec3(map->z_axis) &&
         is_legal_vec3(map->origin);
}

static void add_flat(placed_model *m, const mo_shape_def *def, const placed_origin *origin) {
  mo_shape_id id;
  m->overflowed = m->overflowed || m->flat_count == PLACED_FLAT;
  if (m->overflowed) {
    return;
  }
  const mo_result result = mo_scene_add_shape(m->flat, def, &id);
  FUZZ_CHECK(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE, "%s", mo_result_name(result));
  if (result == MO_OK) {
    FUZZ_CHECK(id.index == m->flat_count, "the order of flat shapes");
    m->origins[m->flat_count++] = *origin;
  }
}

/* Adds the shapes of a part, under a map if they are children. */
static void flatten(placed_model *m, const mo_scene *part, const mo_transform *map,
                    placed_origin *at) {
  mo_shape_id ids[PLACED_SHAPES];
  uint32_t count;
  expect(mo_scene_get_shapes(part, ids, PLACED_SHAPES, &count), "get shapes");
  for (uint32_t i = 0; i < count && !m->overflowed; i++) {
    mo_shape_def def;
    placed_origin origin = *at;
    expect(mo_scene_get_shape(part, ids[i], &def), "get a shape");
    if (map == NULL) {
      origin.shape = ids[i];
    } else {
      origin.path[origin.depth++] = ids[i];
      def.transform = mo_transform_compose(map, &def.transform);
    }
    origin.levels[origin.depth] = (placed_level){def.category, def.mask};
    if (!is_legal(&def.transform)) {
      continue;
    }
    if (def.geometry.type == MO_SHAPE_COMPOUND) {
      flatten(m, mo_compound_children((mo_compound *)def.geometry.compound), &def.transform,
              &origin);
    } else {
      add_flat(m, &def, &origin);
    }
  }
}

void placed_model_settle(placed_model *m) {
  if (!m->is_stale && m->flat != NULL) {
    return;
  }
  m->is_stale = m->overflowed = false;
  for (int round = 0; round < PLACED_COMPOUNDS; round++) { /* inner ones first, in any order */
    for (int i = 0; i < PLACED_COMPOUNDS; i++) {
      refresh(m, mo_compound_children(m->compounds[i]));
      expect(mo_compound_update(m->compounds[i]), "update a compound");
    }
  }
  refresh(m, m->scene);
  expect(mo_scene_validate(m->scene), "validate");
  mo_scene_def def = mo_default_scene_def();
  placed_origin at = {0};
  def.host = counting_allocator_host(&m->counter);
  mo_scene_destroy(m->flat);
  expect(mo_scene_create(&def, &m->flat), "create the flat scene");
  m->flat_count = 0;
  flatten(m, m->scene, NULL, &at);
}

void placed_model_check_child(const placed_model *m, mo_shape_id shape, uint32_t child,
                              mo_shape_id flat) {
  FUZZ_CHECK(flat.index < m->flat_count, "no flat shape");
  const placed_origin *at = &m->origins[flat.index];
  FUZZ_CHECK(same_id(shape, at->shape), "shape %u, expected %u", shape.index, at->shape.index);
  if (at->depth == 0) {
    FUZZ_CHECK(child == 0, "child %u of no compound", child);
    return;
  }
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
  mo_geometry geometry;
  mo_shape_def found, expected;
  uint32_t depth;
  expect(mo_scene_get_geometry(m->scene, shape, &geometry), "get the compound");
  expect(mo_compound_find_path(geometry.compound, child, path, &depth), "find a path");
  FUZZ_CHECK(depth == at->depth, "a path of %u, expected %u", depth, at->depth);
  for (uint32_t i = 0; i < depth; i++) {
    FUZZ_CHECK(same_id(path[i], at->path[i]), "another path");
  }
  expect(mo_scene_get_child(m->scene, shape, child, &found), "get a child");
  expect(mo_scene_get_shape(m->flat, flat, &expected), "get a flat shape");
  FUZZ_CHECK(memcmp(&found.transform, &expected.transform, sizeof found.transform) == 0,
             "another transform");
}
