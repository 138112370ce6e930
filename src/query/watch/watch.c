/* Creation and destruction of watches; adding, changing, shifting and removing their regions. */
#include "query/watch/watch.h"

#include "scene/octree/octree.h"

mo_region_def mo_default_region_def(void) {
  return (mo_region_def){
      .filter = mo_default_filter(), .precision = MO_PRECISION_GEOMETRY, .cookie = MO_COOKIE};
}

/* --- creation and destruction --- */

static mo_result check_shift(const mo_listener *changes, mo_vec3 by, const mo_refusal *refusal);
static void shift_regions(mo_listener *changes, mo_vec3 by);
static void trim_memory(mo_listener *changes);

static mo_result reserve_slots(mo_listener *changes, uint32_t slots) {
  mo_watch *watch = (mo_watch *)changes;
  mo_result result = mo_pair_set_reserve_slots(&watch->by_shape, slots);
  return result == MO_OK ? mo_list_extend(&watch->host.allocator, &watch->generations.list,
                                          sizeof *watch->generations.slots, slots, 0)
                         : result;
}

static mo_result create_regions(mo_watch *watch, const mo_scene *scene) {
  mo_scene_def def = mo_default_scene_def();
  def.isa = scene->isa;
  def.host = scene->host;
  def.host.tasks = (mo_tasks){.worker_count = 0};
  return mo_scene_create(&def, &watch->regions);
}

mo_result mo_watch_create(mo_scene *scene, mo_watch **watch) {
  if (scene == NULL || watch == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "watch");
  }
  mo_watch *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_watch){
      .changes = {.kinds = MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED | MO_CHANGE_INSIDE_BOUNDS,
                  .reserve = reserve_slots,
                  .check_shift = check_shift,
                  .shift = shift_regions,
                  .trim = trim_memory},
      .host = scene->host,
  };
  mo_pair_set_init(&made->by_shape, &scene->host.allocator);
  mo_pair_set_init(&made->by_region, &scene->host.allocator);
  mo_result result = create_regions(made, scene);
  if (result == MO_OK) {
    result = mo_listener_register(&made->changes, scene);
  }
  if (result != MO_OK) {
    mo_watch_destroy(made);
    return result;
  }
  *watch = made;
  return MO_OK;
}

static void free_workspace(mo_watch *watch) {
  const mo_allocator *allocator = &watch->host.allocator;
  mo_watch_keys *keys[] = {&watch->by_region_changes, &watch->by_shape_changes};
  mo_watch_output *outputs[] = {&watch->enters, &watch->leaves};
  mo_list_trim(allocator, &watch->found.list, sizeof *watch->found.slots, 0);
  for (int i = 0; i < 2; i++) {
    mo_list_trim(allocator, &keys[i]->list, sizeof *keys[i]->keys, 0);
    mo_list_trim(allocator, &outputs[i]->list, sizeof *outputs[i]->events, 0);
  }
}

static void trim_memory(mo_listener *changes) {
  mo_watch *watch = (mo_watch *)changes;
  free_workspace(watch);
  mo_list_trim(&watch->host.allocator, &watch->generations.list, sizeof *watch->generations.slots,
               changes->slot_capacity);
  mo_pair_set_trim(&watch->by_shape, changes->slot_capacity);
  mo_pair_set_trim(&watch->by_region, watch->watched.count);
  (void)mo_scene_trim(watch->regions);
}

void mo_watch_destroy(mo_watch *watch) {
  if (watch == NULL) {
    return;
  }
  const mo_allocator allocator = watch->host.allocator;
  for (uint32_t i = 0; watch->regions != NULL && i < watch->regions->slot_count; i++) {
    if (mo_slot_is_alive(watch->regions, i)) {
      mo_watched_region_free_planes(watch, &watch->watched.regions[i]);
    }
  }
  mo_listener_unregister(&watch->changes, &allocator);
  mo_scene_destroy(watch->regions);
  mo_pair_set_destroy(&watch->by_shape);
  mo_pair_set_destroy(&watch->by_region);
  mo_list_trim(&allocator, &watch->watched.list, sizeof *watch->watched.regions, 0);
  mo_list_trim(&allocator, &watch->stale.list, sizeof *watch->stale.slots, 0);
  mo_list_trim(&allocator, &watch->generations.list, sizeof *watch->generations.slots, 0);
  free_workspace(watch);
  mo_deallocate(&allocator, watch, 1, sizeof *watch);
}

/* --- regions --- */

static mo_result check_form(const mo_region_form *form, const mo_refusal *refusal) {
  mo_refusal box = mo_refusal_in(refusal, ".box", MO_NO_INDEX);
  mo_refusal sphere = mo_refusal_in(refusal, ".sphere", MO_NO_INDEX);
  switch (form->type) {
  case MO_REGION_AABB:
    return mo_check_aabb(&form->box, &box);
  case MO_REGION_SPHERE:
    return mo_check_sphere(&form->sphere, &sphere);
  case MO_REGION_CONVEX:
    return mo_check_planes(form->convex.planes, form->convex.count, refusal, ".convex.planes");
  }
  return mo_check_enum_value((unsigned)form->type, MO_REGION_CONVEX, refusal, ".type");
}

/* The box by which changed shapes find a region, clamped to the range of coordinates. It has the
 * part of the margin for rounding that depends on the region; the box with which a shape searches
 * has the rest. */
static mo_geometry search_box_of(const mo_prepared_region *of) {
  mo_aabb box = of->region.kind == MO_REGION_PLANES
                    ? mo_aabb_infinite()
                    : mo_region_grow(mo_region_bounds(&of->region), mo_vec(0.0f, 0.0f, 0.0f));
  return (mo_geometry){.type = MO_SHAPE_VOLUME, .volume = mo_aabb_clamped(box)};
}

/* Makes a prepared region from a validated form. `*planes` receives a copy of the form's planes,
 * owned by the caller. */
static mo_result prepare_region(const mo_watch *watch, const mo_region_form *form,
                                mo_precision precision, mo_prepared_region *of, mo_plane **planes) {
  const uint32_t count = form->type == MO_REGION_CONVEX ? form->convex.count : 0;
  mo_region region = {.kind = MO_REGION_PLANES, .plane_count = count};
  *planes = NULL;
  if (form->type == MO_REGION_AABB) {
    region = (mo_region){.kind = MO_REGION_BOX, .box = form->box};
  } else if (form->type == MO_REGION_SPHERE) {
    region = (mo_region){.kind = MO_REGION_BALL, .ball = form->sphere};
  } else if (count > 0) {
    *planes = mo_allocate(&watch->host.allocator, count, sizeof **planes);
    if (*planes == NULL) {
      return MO_ERROR_OUT_OF_MEMORY;
    }
    memcpy(*planes, form->convex.planes, count * sizeof **planes);
    region.planes = *planes;
  }
  *of = mo_prepared_region_of(watch->changes.scene, &region, precision);
  return MO_OK;
}

/* Reserves capacity for `count` regions. */
static mo_result reserve_regions(mo_watch *watch, uint32_t count) {
  const mo_allocator *allocator = &watch->host.allocator;
  mo_watched_regions *watched = &watch->watched;
  mo_result result = mo_list_extend(allocator, &watched->list, sizeof *watched->regions, count, 0);
  if (result == MO_OK) {
    result = mo_list_reserve_total(allocator, &watch->stale.list, sizeof *watch->stale.slots,
                                   watched->count);
  }
  return result == MO_OK ? mo_pair_set_reserve_slots(&watch->by_region, watched->count) : result;
}

static void mark_stale(mo_watch *watch, uint32_t region) {
  if (!watch->watched.regions[region].stale) {
    watch->watched.regions[region].stale = true;
    watch->stale.slots[watch->stale.count++] = region;
  }
}

static mo_result check_def(const mo_region_def *def, const mo_refusal *refusal) {
  mo_refusal form = mo_refusal_in(refusal, ".form", MO_NO_INDEX);
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_region_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result =
        mo_check_enum_value((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  return result == MO_OK ? check_form(&def->form, &form) : result;
}

mo_result mo_watch_add_region(mo_watch *watch, const mo_region_def *def, mo_region_id *id) {
  if (watch == NULL || def == NULL || id == NULL) {
    return mo_refuse_null(mo_watch_host(watch), __func__, def == NULL ? "def" : "id");
  }
  if (watch->changes.scene == NULL) {
    return mo_refuse_lost_scene(watch, __func__);
  }
  mo_refusal refusal = mo_refusal_of(&watch->host, __func__, "def");
  mo_result result = check_def(def, &refusal);
  if (result == MO_OK) {
    result = reserve_regions(watch, watch->regions->slot_count + 1);
  }
  mo_prepared_region of;
  mo_plane *planes = NULL;
  if (result == MO_OK) {
    result = prepare_region(watch, &def->form, def->precision, &of, &planes);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_shape_def box = mo_default_shape_def(MO_SHAPE_VOLUME);
  box.geometry = search_box_of(&of);
  mo_shape_id name;
  result = mo_scene_add_shape(watch->regions, &box, &name);
  if (result != MO_OK) {
    mo_deallocate(&watch->host.allocator, planes, of.region.plane_count, sizeof *planes);
    return result;
  }
  watch->watched.regions[name.index] = (mo_watched_region){
      .type = def->form.type,
      .prepared = of,
      .filter = def->filter,
      .user_data = def->user_data,
      .planes = planes,
  };
  watch->region_count++;
  mark_stale(watch, name.index);
  *id = (mo_region_id){name.index, name.generation};
  return MO_OK;
}

mo_result mo_watch_remove_region(mo_watch *watch, mo_region_id id) {
  if (watch == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!mo_region_is_known(watch, id)) {
    return mo_refuse_region(watch, __func__, id);
  }
  watch->watched.regions[id.index].removed = true;
  watch->region_count--;
  mark_stale(watch, id.index);
  return MO_OK;
}

mo_result mo_watch_set_form(mo_watch *watch, mo_region_id id, const mo_region_form *form) {
  if (watch == NULL || form == NULL) {
    return mo_refuse_null(mo_watch_host(watch), __func__, "form");
  }
  if (watch->changes.scene == NULL) {
    return mo_refuse_lost_scene(watch, __func__);
  }
  if (!mo_region_is_known(watch, id)) {
    return mo_refuse_region(watch, __func__, id);
  }
  mo_refusal refusal = mo_refusal_of(&watch->host, __func__, "form");
  mo_result result = check_form(form, &refusal);
  mo_prepared_region of;
  mo_plane *planes = NULL;
  if (result == MO_OK) {
    result = prepare_region(watch, form, watch->watched.regions[id.index].prepared.precision, &of,
                            &planes);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_geometry box = search_box_of(&of);
  result = mo_scene_set_geometry(watch->regions, (mo_shape_id){id.index, id.generation}, &box);
  if (result != MO_OK) {
    mo_deallocate(&watch->host.allocator, planes, of.region.plane_count, sizeof *planes);
    return result;
  }
  mo_watched_region *watched = &watch->watched.regions[id.index];
  mo_watched_region_free_planes(watch, watched);
  watched->type = form->type;
  watched->prepared = of;
  watched->planes = planes;
  mark_stale(watch, id.index);
  return MO_OK;
}

mo_result mo_watch_set_filter(mo_watch *watch, mo_region_id id, const mo_filter *filter) {
  if (watch == NULL || filter == NULL) {
    return mo_refuse_null(mo_watch_host(watch), __func__, "filter");
  }
  if (!mo_region_is_known(watch, id)) {
    return mo_refuse_region(watch, __func__, id);
  }
  mo_refusal refusal = mo_refusal_of(&watch->host, __func__, "filter");
  mo_result result = mo_check_filter(filter, &refusal, "");
  if (result != MO_OK) {
    return result;
  }
  watch->watched.regions[id.index].filter = *filter;
  mark_stale(watch, id.index);
  return MO_OK;
}

/* --- shifts of the scene --- */

/* The form of a region, not one of planes, after a shift of the scene's origin. */
static mo_region_form shifted_form(const mo_watched_region *region, mo_vec3 by) {
  mo_region_form form = {.type = region->type};
  if (region->type == MO_REGION_AABB) {
    const mo_aabb *box = &region->prepared.region.box;
    form.box = (mo_aabb){mo_add(box->lower, by), mo_add(box->upper, by)};
  } else if (region->type == MO_REGION_SPHERE) {
    const mo_sphere *ball = &region->prepared.region.ball;
    form.sphere = (mo_sphere){mo_add(ball->center, by), ball->radius};
  }
  return form;
}

static float shifted_offset(const mo_plane *plane, mo_vec3 by) {
  return (float)((double)plane->offset - mo_ddot(mo_widen(plane->normal), mo_widen(by)));
}

static bool region_can_shift(const mo_watched_region *region, mo_vec3 by) {
  if (region->type != MO_REGION_CONVEX) {
    mo_region_form form = shifted_form(region, by);
    return check_form(&form, NULL) == MO_OK;
  }
  for (uint32_t i = 0; i < region->prepared.region.plane_count; i++) {
    mo_plane plane = {region->planes[i].normal, shifted_offset(&region->planes[i], by)};
    if (mo_check_planes(&plane, 1, NULL, "") != MO_OK) {
      return false;
    }
  }
  return true;
}

static mo_result check_shift(const mo_listener *changes, mo_vec3 by, const mo_refusal *refusal) {
  const mo_watch *watch = (const mo_watch *)changes;
  for (uint32_t i = 0; i < watch->regions->slot_count; i++) {
    if (mo_slot_is_alive(watch->regions, i) && !watch->watched.regions[i].removed &&
        !region_can_shift(&watch->watched.regions[i], by)) {
      return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                       " takes region {index %u, generation %u} of a watch beyond "
                       "MO_MAX_COORDINATE",
                       i, mo_region_id_of(watch, i).generation);
    }
  }
  return MO_OK;
}

/* Shifts a region, and the box by which shapes find it, by a vector. Members do not change. */
static void shift_region(mo_watch *watch, uint32_t index, mo_vec3 by) {
  mo_watched_region *region = &watch->watched.regions[index];
  if (region->type == MO_REGION_CONVEX) {
    for (uint32_t i = 0; i < region->prepared.region.plane_count; i++) {
      region->planes[i].offset = shifted_offset(&region->planes[i], by);
    }
    return;
  }
  mo_region_form form = shifted_form(region, by);
  mo_plane *none;
  (void)prepare_region(watch, &form, region->prepared.precision, &region->prepared, &none);
  mo_geometry box = search_box_of(&region->prepared);
  (void)mo_scene_set_geometry(watch->regions, mo_shape_id_of(watch->regions, index), &box);
}

static void shift_regions(mo_listener *changes, mo_vec3 by) {
  mo_watch *watch = (mo_watch *)changes;
  for (uint32_t i = 0; i < watch->regions->slot_count; i++) {
    if (mo_slot_is_alive(watch->regions, i) && !watch->watched.regions[i].removed) {
      shift_region(watch, i, by);
    }
  }
  (void)mo_tree_update(watch->regions, UINT64_MAX); /* maintenance only: a failure may be ignored */
}
