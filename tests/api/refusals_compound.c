/* Refusals of motte/compound.h, and of functions that do not take compounds. */
#include "../support/defs.h"
#include "refusals.h"

static size_t first_bad;

static mo_result place_in(mo_compound *outer, mo_compound *inner) {
  mo_shape_id id;
  mo_shape_def nested = mo_default_shape_def(MO_SHAPE_COMPOUND);
  nested.geometry.compound = inner;
  return mo_scene_add_shape(mo_compound_children(outer), &nested, &id);
}

/* A chain of compounds, each in the next, that becomes deeper than is legal at either end. */
static void refuse_depth(const mo_scene_def *def) {
  mo_compound *last = NULL, *middle = NULL, *outer = NULL;
  for (int depth = 1; depth < MO_MAX_COMPOUND_DEPTH; depth++) {
    mo_compound *next = NULL;
    REFUSED(MO_OK, NULL, mo_compound_create, def, &next);
    if (last != NULL) {
      REFUSED(MO_OK, NULL, place_in, next, last);
      mo_compound_release(last);
    }
    last = next;
    REFUSED(MO_OK, NULL, mo_compound_update, last);
  }
  REFUSED(MO_OK, NULL, mo_compound_create, def, &middle);
  REFUSED(MO_OK, NULL, mo_compound_create, def, &outer);
  REFUSED(MO_OK, NULL, place_in, outer, middle);
  REFUSED(MO_OK, NULL, place_in, middle, last);
  REFUSED(MO_OK, NULL, mo_compound_update, middle);
  REFUSED(MO_ERROR_TOO_MANY, "compound is nested deeper than MO_MAX_COMPOUND_DEPTH",
          mo_compound_update, outer);
  mo_shape_id id;
  mo_shape_def nested = mo_default_shape_def(MO_SHAPE_COMPOUND);
  nested.geometry.compound = middle;
  REFUSED(MO_ERROR_TOO_MANY,
          "def.geometry.compound would be nested deeper than MO_MAX_COMPOUND_DEPTH",
          mo_scene_add_shape, mo_compound_children(outer), &nested, &id);
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  REFUSED(MO_OK, NULL, mo_scene_add_shape, mo_compound_children(outer), &ball, &id);
  REFUSED(MO_ERROR_TOO_MANY, "geometry.compound would be nested deeper than MO_MAX_COMPOUND_DEPTH",
          mo_scene_set_geometry, mo_compound_children(outer), id, &nested.geometry);
  mo_compound_release(last);
  mo_compound_release(middle);
  mo_compound_release(outer);
}

static void refuse_children(const mo_scene_def *def) {
  mo_compound *compound = NULL;
  mo_shape_id id;
  REFUSED(MO_OK, NULL, mo_compound_create, def, &compound);
  mo_scene *children = mo_compound_children(compound);
  mo_shape_def bad = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "def.geometry.type is MO_SHAPE_HALF_SPACE, which cannot be a child of a compound",
          mo_scene_add_shape, children, &bad, &id);
  REFUSED_AT(0, MO_ERROR_INVALID_ARGUMENT,
             "defs[0].geometry.type is MO_SHAPE_HALF_SPACE, which cannot be a child of a compound",
             mo_scene_add_shapes, children, &bad, 1, &id, &first_bad);
  bad = mo_default_shape_def(MO_SHAPE_COMPOUND);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.geometry.compound is null", mo_scene_add_shape, children,
          &bad, &id);
  bad.geometry.compound = compound;
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "def.geometry.compound contains the compound to which it would be added",
          mo_scene_add_shape, children, &bad, &id);
  mo_compound_release(compound);
}

/* Functions without a host tell nobody. */
static void refuse_masses(const mo_geometry *placed) {
  const mo_geometry none = {.type = MO_SHAPE_COMPOUND};
  mo_geometry rounded = *placed, undefined = *placed;
  mo_transform wide = mo_transform_identity(), nowhere = wide;
  mo_mass_properties mass;
  rounded.rounding = 1;
  undefined.rounding = NAN;
  wide.x_axis.x = 2e30f;
  nowhere.origin.z = NAN;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, &none, NULL, &mass);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_geometry_get_mass_properties, placed, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, NULL, mo_geometry_get_mass_properties, &rounded, NULL, &mass);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_geometry_get_mass_properties, &undefined, NULL, &mass);
  REFUSED(MO_ERROR_NOT_FINITE, NULL, mo_geometry_get_mass_properties, placed, &nowhere, &mass);
  REFUSED(MO_ERROR_OUT_OF_RANGE, NULL, mo_geometry_get_mass_properties, placed, &wide, &mass);
}

/* A compound as the shape of queries. */
static void refuse_shapes_of_queries(mo_scene *scene, const mo_geometry *placed) {
  const mo_transform identity = mo_transform_identity();
  mo_geometry bad = *placed;
  mo_overlap_def overlap = mo_default_overlap_def();
  mo_distance_def distance = mo_default_distance_def();
  mo_shape_cast_def cast = mo_default_shape_cast_def();
  mo_character_def character = mo_default_character_def();
  mo_character_move_result moved;
  mo_closest_hit closest;
  mo_separation apart;
  mo_cast_hit hit;
  bool found;
  bad.compound = NULL;
  overlap = mo_overlap_primitive_def(mo_primitive_of_geometry(&bad, &identity));
  distance.primitive = cast.primitive = overlap.primitive;
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.compound is null", mo_scene_test_overlap,
          scene, &overlap, &found, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.compound is null", mo_scene_find_closest,
          scene, &distance, &closest, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.compound is null", mo_scene_cast_shape,
          scene, &cast, &hit, NULL);
  bad = *placed;
  bad.rounding = 1;
  overlap.primitive.geometry = distance.primitive.geometry = bad;
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "def.primitive.geometry.rounding is 1, which a compound has not", mo_scene_test_overlap,
          scene, &overlap, &found, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "def.primitive.geometry.rounding is 1, which a compound has not", mo_scene_find_closest,
          scene, &distance, &closest, NULL);
  cast.primitive.geometry = *placed;
  cast.primitive.transform.x_axis.x = 1e30f;
  cast.primitive.transform.x_axis.y = 1e30f;
  cast.primitive.transform.origin.x = 0.9e30f;
  REFUSED(MO_ERROR_OUT_OF_RANGE,
          "def.primitive.transform takes a corner of the bounds beyond MO_MAX_COORDINATE",
          mo_scene_find_separation, scene, &cast, &apart, NULL);
  cast.primitive.transform.origin.x = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, "def.primitive.transform.origin.x is NaN", mo_scene_cast_shape,
          scene, &cast, &hit, NULL);
  character.primitive = mo_primitive_of_geometry(placed, &identity);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "def.primitive.geometry.type is MO_SHAPE_COMPOUND",
          mo_character_move, scene, &character, &moved, NULL);
}

static void refuse_collided_shapes(const mo_scene *scene, const mo_geometry *placed) {
  const mo_transform identity = mo_transform_identity();
  mo_collide_shape_def def = mo_default_collide_shape_def();
  mo_primitive *primitive = &def.primitive;
  uint32_t total;
  *primitive = mo_primitive_of_geometry(placed, &identity);
  REFUSED(MO_OK, NULL, mo_scene_collide_shape, scene, &def, NULL, 0, &total, NULL);
  primitive->geometry.compound = NULL;
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def.primitive.geometry.compound is null", mo_scene_collide_shape,
          scene, &def, NULL, 0, &total, NULL);
  primitive->geometry = *placed;
  primitive->geometry.rounding = 1;
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "def.primitive.geometry.rounding is 1, which a compound has not", mo_scene_collide_shape,
          scene, &def, NULL, 0, &total, NULL);
  primitive->geometry.rounding = 0;
  primitive->transform.x_axis = (mo_vec3){1e30f, 1e30f, 0};
  primitive->transform.origin.x = 0.9e30f;
  REFUSED(MO_ERROR_OUT_OF_RANGE,
          "def.primitive.transform takes a corner of the bounds beyond MO_MAX_COORDINATE",
          mo_scene_collide_shape, scene, &def, NULL, 0, &total, NULL);
  primitive->transform.origin.x = NAN;
  REFUSED(MO_ERROR_NOT_FINITE, "def.primitive.transform.origin.x is NaN", mo_scene_collide_shape,
          scene, &def, NULL, 0, &total, NULL);
}

static void refuse_placements(const mo_scene_def *def) {
  mo_compound *compound = NULL;
  mo_scene *scene = NULL;
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH], id, ball_id;
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE), read;
  mo_triangle triangle;
  uint32_t depth;
  REFUSED(MO_OK, NULL, mo_compound_create, def, &compound);
  REFUSED(MO_OK, NULL, mo_scene_create, def, &scene);
  REFUSED(MO_OK, NULL, mo_scene_add_shape, mo_compound_children(compound), &ball, &id);
  REFUSED(MO_OK, NULL, mo_compound_update, compound);
  mo_shape_def placed = mo_default_shape_def(MO_SHAPE_COMPOUND);
  placed.geometry.compound = compound;
  REFUSED(MO_OK, NULL, mo_scene_add_shape, scene, &placed, &id);
  REFUSED(MO_OK, NULL, mo_scene_add_shape, scene, &ball, &ball_id);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_compound_find_path, NULL, 0, path, &depth);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ids is null", mo_compound_find_path, compound, 0, NULL, &depth);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "depth is null", mo_compound_find_path, compound, 0, path, NULL);
  REFUSED(MO_ERROR_INVALID_INDEX, "child is 1, which no child of the compound has",
          mo_compound_find_path, compound, 1, path, &depth);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_get_child, NULL, id, 0, &read);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_get_child, scene, id, 0, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "id is no compound", mo_scene_get_child, scene, ball_id, 0,
          &read);
  REFUSED(MO_ERROR_INVALID_INDEX, "child is 1, which no child of the compound has",
          mo_scene_get_child, scene, id, 1, &read);
  REFUSED(MO_ERROR_INVALID_INDEX, "ref.child is 1, which does not exist", mo_scene_get_triangle,
          scene, (mo_triangle_ref){id, 0, 1}, &triangle);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "ref.child is no mesh", mo_scene_get_triangle, scene,
          (mo_triangle_ref){id, 0, 0}, &triangle);
  refuse_shapes_of_queries(scene, &placed.geometry);
  refuse_collided_shapes(scene, &placed.geometry);
  refuse_masses(&placed.geometry);
  REFUSED(MO_OK, NULL, mo_scene_remove_shape, scene, ball_id);
  REFUSED(MO_ERROR_STALE_ID, "id = {index 1, generation 1} is stale", mo_scene_get_child, scene,
          ball_id, 0, &read);
  mo_scene_destroy(scene);
  mo_compound_release(compound);
}

void refuse_compounds(const refusal_world *w) {
  mo_scene_def def = refusal_scene_def();
  mo_compound *made = NULL;
  mo_child_ref ref;
  uint32_t total;
  const mo_overlap_def region = mo_default_overlap_def();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_compound_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "compound is null", mo_compound_create, &def, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_compound_update, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_overlap_children, NULL, &region, &ref, 1, &total,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_scene_overlap_children, w->scene, NULL, &ref, 1,
          &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_overlap_children, w->scene, &region,
          &ref, 1, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "children is null", mo_scene_overlap_children, w->scene, &region,
          NULL, 1, &total, NULL);
  refuse_depth(&def);
  refuse_children(&def);
  refuse_placements(&def);
}
