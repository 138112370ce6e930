/* Segment entry set: the subtrees of the triangle octree at which the traversal of short segments
 * begins.
 *
 * A short segment touches few of the boxes near the root, and most segments hit nothing at all. Yet
 * a traversal from the root first prepares the ray, and each node visit waits for the one before.
 * So a mesh stores up to 64 disjoint subtrees that together contain all triangles, with their boxes
 * rounded outward to one byte per side, and the box of a segment is compared with all of them at
 * once. Most segments are rejected there; the others begin in the few subtrees that they touch, two
 * or three levels down (mesh/rays/segment_sweep.h).
 *
 * Results do not depend on the entry set: a skipped subtree has nothing that the triangle test
 * could hit, as the stored boxes include its margin (geometry/ray/ray.h). Only meshes that do not
 * change have an entry set. */
#ifndef MO_MESH_RAYS_SEGMENT_ENTRIES_H
#define MO_MESH_RAYS_SEGMENT_ENTRIES_H

#include "base/inline.h"
#include "math/lanes/bytes.h"
#include "mesh/mesh.h"

struct mo_segment_entry_points {
  mo_byte_boxes boxes;               /* boxes of the subtrees, in cells; empty for unused entries */
  uint32_t child[MO_BYTE_BOX_COUNT]; /* the subtrees, encoded as children of nodes */
  uint64_t leaf_subtrees;            /* a bit for each subtree that is a single leaf */
  /* Cell of a position: position * scale - shift, rounded toward zero. The mesh occupies cells 1 to
   * 254. */
  float scale[4], shift[4];
  float length[4]; /* segments that are longer than this on an axis, in cells, begin at the root */
};

/* Segments that touch more subtrees than this begin at the root, which is faster. */
enum { MO_SEGMENT_MAX_SUBTREES = 8 };

/* Makes the entry set of a mesh whose octree is complete, if the entry set saves enough visits. */
mo_result mo_mesh_make_segment_entry_points(mo_mesh *mesh);

void mo_mesh_destroy_segment_entry_points(mo_mesh *mesh);

/* For validation: whether mo_mesh_make_segment_entry_points would now make the entry set that the
 * mesh has, or none if it has none. */
bool mo_mesh_segment_entry_points_are_current(const mo_mesh *mesh);

/* Finds the subtrees in which a ray of the fast path may hit something before max_t. Returns false
 * if the ray should begin at the root: there is no entry set, the ray is no short segment, or it
 * touches many subtrees. */
MO_INLINE bool mo_segment_entry_points_find(const mo_segment_entry_points *entries, mo_f4 origin,
                                            mo_f4 direction, float max_t, uint64_t *subtrees) {
#ifdef MO_HAS_BYTE_BOXES
  if (entries == NULL) {
    return false;
  }
  mo_f4 scale = mo_f4_load(entries->scale);
  mo_f4 step = direction * (scale * mo_f4_splat(max_t));
  if (!mo_f4_every(mo_f4_le(mo_f4_abs(step), mo_f4_load(entries->length)))) {
    return false;
  }
  *subtrees = mo_byte_boxes_touching_segment(&entries->boxes,
                                             origin * scale - mo_f4_load(entries->shift), step);
  return __builtin_popcountll(*subtrees) <= MO_SEGMENT_MAX_SUBTREES;
#else
  (void)entries;
  (void)origin;
  (void)direction;
  (void)max_t;
  (void)subtrees;
  return false;
#endif
}

#endif
