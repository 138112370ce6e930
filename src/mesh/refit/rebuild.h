/* Internals of mo_mesh_rebuild_parts: choosing subtrees, building them, and the new memory
 * layout. */
#ifndef MO_MESH_REFIT_REBUILD_H
#define MO_MESH_REFIT_REBUILD_H

#include "mesh/build/part.h"
#include "mesh/refit/refit.h"

/* A node whose subtree may be rebuilt, and the expected gain of that. */
typedef struct mo_rebuild_candidate {
  double gain;        /* expected visits that a line saves; 0 if the node is not to be rebuilt */
  double best_profit; /* gain minus price of the best choice of nodes to rebuild in the subtree */
  uint32_t triangle_count;
  uint32_t height; /* number of levels of nodes in the subtree */
  bool chosen;     /* this node is rebuilt, rather than any node below it */
  bool covered;    /* an ancestor is chosen, so this node is rebuilt with it */
} mo_rebuild_candidate;

/* A subtree that is rebuilt. */
typedef struct mo_chosen_subtree {
  uint32_t node; /* index of its root in the mesh */
  mo_rebuilt_part part;
} mo_chosen_subtree;

typedef struct mo_rebuild {
  mo_mesh *mesh;
  mo_rebuild_candidate *candidates; /* one per node of the mesh */
  mo_chosen_subtree *subtrees;      /* those that are rebuilt, ascending by node */
  uint32_t subtree_count;
  /* The top of the octree, which is rebuilt over existing subtrees, unless it replaces no nodes. */
  mo_subtree_top top;
  mo_rebuilt_part rebuilt_top;
} mo_rebuild;

/* The chosen subtree whose root is a node; null if the node is not chosen. */
const mo_rebuilt_part *mo_rebuilt_part_of(const mo_rebuild *r, uint32_t node);

/* Whether the octree has degraded so far that rebuilding its top may be worthwhile. */
bool mo_rebuild_is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options);

/* Chooses the top and builds it, if that is worthwhile; it has up to `max` items. */
mo_result mo_rebuild_top_if_better(mo_rebuild *r, const mo_mesh_rebuild_options *options,
                                   uint32_t max);

/* Sets top_age to 0 if the top was examined in this call, else increments it. */
void mo_rebuild_update_top_age(const mo_rebuild *r);

/* Copies the octree to new arrays, with the rebuilt parts in place of the old ones. */
mo_result mo_rebuild_copy_octree(const mo_rebuild *r);

#endif
