/* What refitting and rebuilding do to the octree of a mesh, made visible: the boxes of one level in
 * the colour of how far the last refit has moved them, and a glow where leaves have been rebuilt.
 *
 * The library tells how much it did, not where. That is found by comparing the boxes that it draws:
 * a refit moves boxes and keeps their order; a rebuild leaves all boxes outside of the rebuilt
 * parts as they are. */
#ifndef DEMO_UPKEEP_VIEW_H
#define DEMO_UPKEEP_VIEW_H

#include <motte/motte.h>

#include "common/overlay.h"

struct box_list {
  mo_aabb *boxes;
  uint32_t count;
};

struct upkeep_view {
  struct box_list level; /* the boxes shown, as of the last refit */
  float *moved;          /* by box of the level: how far that refit moved it, local */
  struct box_list
      rebuilt; /* the level as of the last rebuild, from which the next refit moves it */
  struct box_list leaves;
  float *glow; /* by leaf: 1 when it was rebuilt, less from frame to frame */
};

/* Both calls are to be made in each frame, in this order: after mo_mesh_refit, and after
 * mo_mesh_rebuild_parts where that is called. */
struct upkeep_view upkeep_view_create(const mo_mesh *mesh);
void upkeep_view_note_refit(struct upkeep_view *view, const mo_mesh *mesh);
void upkeep_view_note_rebuild(struct upkeep_view *view, const mo_mesh *mesh);
void upkeep_view_destroy(struct upkeep_view *view);

/* `pose` takes the mesh's local frame to the world, without rotating it. */
void upkeep_view_draw(const struct upkeep_view *view, const mo_transform *pose,
                      const struct overlay *overlay);

/* The colours of boxes that have stayed, and of those that have moved furthest. */
enum { UPKEEP_RAMP_LENGTH = 3 };
extern const uint32_t upkeep_ramp[UPKEEP_RAMP_LENGTH];
enum { UPKEEP_REBUILT = 0xffe23d };

#endif
