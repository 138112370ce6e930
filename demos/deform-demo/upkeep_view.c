#include "deform-demo/upkeep_view.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

const uint32_t upkeep_ramp[UPKEEP_RAMP_LENGTH] = {0x2f6bff, 0xa64ad9, 0xff3b30};

enum { LEVEL_SHOWN = 3, BOX_CORNERS = 8 };

/* Tight boxes of one level or of all leaves, in the local frame. */
static struct box_list list_boxes(const mo_mesh *mesh, const mo_debug_def *def) {
  mo_debug_buffers buffers = {0};
  check(mo_mesh_draw_buffers(mesh, def, &buffers), "count the boxes of the octree");
  buffers.vertex_capacity = buffers.vertex_total;
  buffers.index_capacity = buffers.index_total;
  buffers.vertices = allocate(buffers.vertex_capacity, sizeof *buffers.vertices);
  buffers.indices = allocate(buffers.index_capacity, sizeof *buffers.indices);
  check(mo_mesh_draw_buffers(mesh, def, &buffers), "list the boxes of the octree");
  struct box_list list = {.count = buffers.vertex_total / BOX_CORNERS};
  list.boxes = allocate(list.count, sizeof(mo_aabb));
  for (uint32_t i = 0; i < list.count; i++) {
    const mo_debug_vertex *box = &buffers.vertices[BOX_CORNERS * i];
    list.boxes[i] = (mo_aabb){box[0].position, box[0].position};
    for (uint32_t corner = 1; corner < BOX_CORNERS; corner++) {
      list.boxes[i] = aabb_with_point(list.boxes[i], box[corner].position);
    }
  }
  free(buffers.vertices);
  free(buffers.indices);
  return list;
}

static struct box_list list_level(const mo_mesh *mesh) {
  mo_debug_def def = mo_default_debug_def();
  def.min_depth = def.max_depth = LEVEL_SHOWN;
  return list_boxes(mesh, &def);
}

static struct box_list list_leaves(const mo_mesh *mesh) {
  mo_debug_def def = mo_default_debug_def();
  def.leaves_only = true;
  return list_boxes(mesh, &def);
}

static void replace(struct box_list *list, struct box_list by) {
  free(list->boxes);
  *list = by;
}

struct upkeep_view upkeep_view_create(const mo_mesh *mesh) {
  struct upkeep_view view = {
      .level = list_level(mesh),
      .rebuilt = list_level(mesh),
      .leaves = list_leaves(mesh),
  };
  view.moved = allocate(view.level.count, sizeof(float));
  view.glow = allocate(view.leaves.count, sizeof(float));
  return view;
}

void upkeep_view_destroy(struct upkeep_view *view) {
  free(view->level.boxes);
  free(view->moved);
  free(view->rebuilt.boxes);
  free(view->leaves.boxes);
  free(view->glow);
}

/* How far the corners of a box have moved. */
static float distance_moved(mo_aabb before, mo_aabb after) {
  return fmaxf(vec3_length(vec3_sub(after.lower, before.lower)),
               vec3_length(vec3_sub(after.upper, before.upper)));
}

void upkeep_view_note_refit(struct upkeep_view *view, const mo_mesh *mesh) {
  const float fading = 0.9f;
  replace(&view->level, list_level(mesh));
  free(view->moved);
  view->moved = allocate(view->level.count, sizeof(float));
  for (uint32_t i = 0; i < view->level.count; i++) {
    view->moved[i] = distance_moved(view->rebuilt.boxes[i], view->level.boxes[i]);
  }
  replace(&view->leaves, list_leaves(mesh));
  for (uint32_t i = 0; i < view->leaves.count; i++) {
    view->glow[i] *= fading;
  }
}

struct glowing_box {
  mo_aabb box;
  float glow;
};

static int compare_boxes(const void *a, const void *b) {
  return memcmp(a, b, sizeof(mo_aabb)); /* the first member of a glowing box */
}

static struct glowing_box *sort_leaves(const struct upkeep_view *view) {
  struct glowing_box *sorted = allocate(view->leaves.count, sizeof *sorted);
  for (uint32_t i = 0; i < view->leaves.count; i++) {
    sorted[i] = (struct glowing_box){view->leaves.boxes[i], view->glow[i]};
  }
  qsort(sorted, view->leaves.count, sizeof *sorted, compare_boxes);
  return sorted;
}

/* Leaves that were there before keep their glow; the others are new. */
void upkeep_view_note_rebuild(struct upkeep_view *view, const mo_mesh *mesh) {
  struct glowing_box *known = sort_leaves(view);
  struct box_list leaves = list_leaves(mesh);
  float *glow = allocate(leaves.count, sizeof(float));
  for (uint32_t i = 0; i < leaves.count; i++) {
    const struct glowing_box *found =
        bsearch(&leaves.boxes[i], known, view->leaves.count, sizeof *known, compare_boxes);
    glow[i] = found != NULL ? found->glow : 1.0f;
  }
  free(known);
  free(view->glow);
  view->glow = glow;
  replace(&view->leaves, leaves);
  replace(&view->rebuilt, list_level(mesh));
}

static float longest_move(const struct upkeep_view *view) {
  float longest = 0.0f;
  for (uint32_t i = 0; i < view->level.count; i++) {
    longest = fmaxf(longest, view->moved[i]);
  }
  return longest;
}

/* `share` is 0 to 1. */
static mo_vec3 light_on_ramp(float share) {
  float place = share * (UPKEEP_RAMP_LENGTH - 1);
  uint32_t stop = (uint32_t)fminf(place, UPKEEP_RAMP_LENGTH - 2);
  return vec3_mix(light_of_color(upkeep_ramp[stop]), light_of_color(upkeep_ramp[stop + 1]),
                  place - (float)stop);
}

/* Boxes stay boxes: a pose does not rotate. */
static mo_aabb posed_box(const mo_transform *pose, mo_aabb box) {
  mo_vec3 corner = mo_transform_point(pose, box.lower);
  return aabb_with_point((mo_aabb){corner, corner}, mo_transform_point(pose, box.upper));
}

static void draw_refitted(const struct upkeep_view *view, const mo_transform *pose,
                          const struct overlay *overlay) {
  struct pen pen = {.width = 1.0f, .strength = 0.55f, .hidden = 0.15f};
  float longest = longest_move(view);
  for (uint32_t i = 0; i < view->level.count; i++) {
    pen.light = light_on_ramp(longest > 0.0f ? view->moved[i] / longest : 0.0f);
    overlay_box(overlay, posed_box(pose, view->level.boxes[i]), &pen);
  }
}

static void draw_rebuilt(const struct upkeep_view *view, const mo_transform *pose,
                         const struct overlay *overlay) {
  struct pen pen = {
      .light = light_of_color(UPKEEP_REBUILT),
      .width = 0.006f * (float)overlay->picture->width,
      .hidden = 0.6f,
  };
  for (uint32_t i = 0; i < view->leaves.count; i++) {
    if (view->glow[i] > 0.05f) {
      pen.strength = 0.6f * view->glow[i];
      overlay_dot(overlay, aabb_center(posed_box(pose, view->leaves.boxes[i])), &pen);
    }
  }
}

void upkeep_view_draw(const struct upkeep_view *view, const mo_transform *pose,
                      const struct overlay *overlay) {
  draw_rebuilt(view, pose, overlay);
  draw_refitted(view, pose, overlay);
}
