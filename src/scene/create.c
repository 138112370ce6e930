/* Creation, destruction and trimming of scenes, and their arrays by slot. */
#include "base/tasks.h"
#include "scene/bodies/bodies.h"
#include "scene/bulk/bulk.h"
#include "scene/changes/change_log.h"
#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/shape.h"
#include "scene/shapes/unbounded.h"

mo_tree_options mo_default_tree_options(void) {
  return (mo_tree_options){
      .policy = MO_TREE_IRREGULAR,
      .capacity = 16,
      .max_depth = MO_SCENE_MAX_DEPTH,
      .max_straddlers = 0.25f,
      .looseness = 2,
      .cookie = MO_COOKIE,
  };
}

mo_scene_def mo_default_scene_def(void) {
  return (mo_scene_def){
      .tree = mo_default_tree_options(),
      .isa = MO_ISA_AUTO,
      .host = mo_default_host(),
      .cookie = MO_COOKIE,
  };
}

/* Checks the options of a tree. Comparisons are written so that NaN fails them. */
static mo_result check_options(const mo_tree_options *options, const mo_refusal *refusal) {
  const mo_result illegal = MO_ERROR_INVALID_ARGUMENT;
  mo_result result = mo_check_cookie(options->cookie, refusal, "", "mo_default_tree_options");
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)options->policy, MO_TREE_MIDPOINT, refusal, ".policy");
  }
  if (result != MO_OK) {
    return result;
  }
  if (options->capacity < 1 || options->capacity > 1024) {
    return mo_refuse_number(refusal, illegal, ".capacity", options->capacity, "not 1 to 1024");
  }
  if (options->max_depth < 1 || options->max_depth > MO_SCENE_MAX_DEPTH) {
    return mo_refuse_number(refusal, illegal, ".max_depth", options->max_depth,
                            "not 1 to MO_SCENE_MAX_DEPTH");
  }
  if (!(options->max_straddlers >= 0 && options->max_straddlers <= 1)) {
    return mo_refuse_number(refusal, illegal, ".max_straddlers", options->max_straddlers,
                            "not 0 to 1");
  }
  float looseness = options->looseness;
  if (options->policy == MO_TREE_LOOSE && !(looseness > 1 && looseness <= 4)) {
    return mo_refuse_number(refusal, illegal, ".looseness", looseness, "not above 1 and up to 4");
  }
  if (options->policy == MO_TREE_IRREGULAR && !(looseness >= 1 && looseness <= 4)) {
    return mo_refuse_number(refusal, illegal, ".looseness", looseness, "not 1 to 4");
  }
  return MO_OK;
}

static mo_result check_def(const mo_scene_def *def, mo_isa *isa) {
  mo_refusal refusal = mo_refusal_of(&def->host, "mo_scene_create", "def");
  mo_refusal tree = mo_refusal_in(&refusal, ".tree", MO_NO_INDEX);
  mo_result result = mo_margin_check(def->margin, &refusal);
  if (result == MO_OK) {
    result = check_options(&def->tree, &tree);
  }
  if (result == MO_OK && def->expected_shape_count > MO_MAX_SHAPES) {
    result = mo_refuse_number(&refusal, MO_ERROR_TOO_MANY, ".expected_shape_count",
                              def->expected_shape_count, "above MO_MAX_SHAPES");
  }
  if (result == MO_OK) {
    result = mo_isa_resolve(def->isa, isa);
    result = result != MO_OK ? mo_refuse_isa(&refusal, result, def->isa) : MO_OK;
  }
  return result;
}

/* Reserves memory for `count` shapes: their records, and as many blocks and nodes as so many shapes
 * typically fill. */
static mo_result reserve_for_shapes(mo_scene *scene, uint32_t count) {
  mo_result result = mo_slots_reserve(scene, count);
  if (result == MO_OK && count > 0) {
    result = mo_blocks_reserve(scene, count / 5 + 1);
  }
  if (result == MO_OK && count > 0) {
    result = mo_nodes_reserve(scene, count / 24 + 1);
  }
  return result;
}

mo_result mo_scene_create(const mo_scene_def *def, mo_scene **scene) {
  if (def == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def->cookie != MO_COOKIE) {
    return MO_ERROR_UNINITIALIZED_DEF; /* the host in the def cannot be used for logging */
  }
  if (scene == NULL || def->host.allocator.allocate == NULL ||
      def->host.allocator.release == NULL) {
    return mo_refuse_null(&def->host, __func__,
                          scene == NULL                          ? "scene"
                          : def->host.allocator.allocate == NULL ? "def.host.allocator.allocate"
                                                                 : "def.host.allocator.release");
  }
  mo_isa isa;
  mo_result result = check_def(def, &isa);
  if (result != MO_OK) {
    return result;
  }
  mo_scene *made = mo_allocate(&def->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t workers = mo_tasks_workers(&def->host);
  *made = (mo_scene){
      .moved_part_count = workers < MO_MOVES_MAX_PARTS ? workers : MO_MOVES_MAX_PARTS,
      .host = def->host,
      .isa = isa,
      .options = def->tree,
      .margin = def->margin,
      .free_slot = MO_NONE,
      .root = MO_CHILD_EMPTY,
      .root_bounds = mo_aabb_empty(),
      .root_cell = mo_aabb_infinite(),
  };
  mo_pool_init(&made->nodes, &def->host.allocator, sizeof(mo_scene_node));
  mo_pool_init(&made->blocks, &def->host.allocator, sizeof(mo_shape_block));
  result = reserve_for_shapes(made, def->expected_shape_count);
  if (result != MO_OK) {
    mo_scene_destroy(made);
    return result;
  }
  *scene = made;
  return MO_OK;
}

/* Reallocates the arrays by slot that every scene has; capacity 0 frees them. */
static mo_result resize_slots(mo_scene *scene, uint32_t capacity) {
  const mo_array arrays[] = {
      {&scene->shapes, sizeof *scene->shapes},
      {&scene->places, sizeof *scene->places},
      {&scene->traits, sizeof *scene->traits},
      {&scene->generations, sizeof *scene->generations},
  };
  return mo_arrays_resize(&scene->host.allocator, arrays, 4, scene->slot_count,
                          &scene->shape_capacity, capacity);
}

void mo_scene_destroy(mo_scene *scene) {
  if (scene == NULL || scene->owner != NULL) {
    return;
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_geometry_release(&scene->shapes[slot].geometry);
    }
  }
  mo_listeners_detach(scene);
  const mo_allocator allocator = scene->host.allocator;
  mo_bulk_destroy(scene);
  mo_unbounded_destroy(scene);
  mo_rigid_bodies_destroy(scene);
  mo_displacements_destroy(scene);
  mo_pool_destroy(&scene->nodes);
  mo_pool_destroy(&scene->blocks);
  mo_deallocate(&allocator, scene->moved.groups,
                mo_moved_marks_bytes(scene, scene->moved.block_count), 1);
  mo_deallocate(&allocator, scene->cells, scene->cell_capacity, sizeof *scene->cells);
  (void)mo_node_arrays_resize(scene, 0);
  (void)resize_slots(scene, 0);
  mo_deallocate(&allocator, scene, 1, sizeof *scene);
}

mo_result mo_slots_reserve(mo_scene *scene, uint32_t count) {
  if (count <= scene->shape_capacity) {
    return MO_OK;
  }
  if (count > MO_MAX_SHAPES) {
    return MO_ERROR_TOO_MANY;
  }
  uint32_t capacity = scene->shape_capacity < 16 ? 16 : 2 * scene->shape_capacity;
  capacity = capacity > MO_MAX_SHAPES ? MO_MAX_SHAPES : capacity;
  capacity = capacity < count ? count : capacity;
  mo_result result = mo_listeners_reserve(scene, capacity);
  return result == MO_OK ? mo_slots_resize(scene, capacity) : result;
}

/* Optional arrays by slot (bodies, displacements) must not have less capacity than the others. So
 * they grow before the others, and shrink after them. */
mo_result mo_slots_resize(mo_scene *scene, uint32_t capacity) {
  bool grows = capacity > scene->shape_capacity;
  mo_result result = grows ? mo_rigid_bodies_resize(scene, capacity) : MO_OK;
  if (result == MO_OK && grows) {
    result = mo_displacements_resize(scene, capacity);
  }
  if (result == MO_OK) {
    result = resize_slots(scene, capacity);
  }
  if (result == MO_OK && !grows) {
    (void)mo_rigid_bodies_resize(scene, capacity);
    (void)mo_displacements_resize(scene, capacity);
  }
  return result;
}

mo_result mo_scene_trim(mo_scene *scene) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_bulk_destroy(scene);
  mo_nodes_trim(scene);
  mo_blocks_trim(scene);
  mo_unbounded_trim(scene);
  mo_rigid_bodies_trim(scene);
  mo_displacements_trim(scene);
  if (scene->slot_count > 0 && scene->slot_count < scene->shape_capacity) {
    (void)mo_slots_resize(scene, scene->slot_count);
  }
  mo_listeners_trim(scene);
  return MO_OK;
}
