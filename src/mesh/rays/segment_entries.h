/* Where short segments begin: a cut through the triangle octree.
 *
 * A short segment meets few of the boxes near the root, and most meet nothing at all; yet a walk
 * from the root has to make the ray ready first, and then waits at each node for the last. So a
 * mesh keeps up to sixty-four subtrees that hold all of it, with their boxes rounded outward to a
 * byte a side, and the box of a segment is compared with all of them at once. Most segments end
 * there; the others begin in the few subtrees that they touch, two or three levels down
 * (mesh/rays/segment_sweep.h).
 *
 * Results do not depend on it: a subtree that is left out has nothing for the triangle test to hit
 * (geometry/ray/ray.h); the margin is in the rounded boxes. Only meshes that do not change have a
 * cut.
 */
#ifndef MO_MESH_RAYS_SEGMENT_ENTRIES_H
#define MO_MESH_RAYS_SEGMENT_ENTRIES_H

#include "base/inline.h"
#include "math/lanes/bytes.h"
#include "mesh/mesh.h"

struct mo_segment_entries {
  mo_byte_boxes boxes;           /* in cells; where there is no subtree, empty */
  uint32_t child[MO_BYTE_BOXES]; /* the subtrees, as nodes name their children */
  uint64_t leaves;               /* a bit per subtree that is one leaf */
  /* Cells: position * scale - shift, rounded toward zero. The mesh has those from 1 to 254. */
  float scale[4], shift[4];
  float length[4]; /* of the segment along each axis, in cells, at most */
};

/* Segments that touch more subtrees had better begin at the root. */
enum { MO_SEGMENT_ENTRIES_FEW = 8 };

/* Gives a mesh whose octree is complete its segment entries, if they save enough. */
mo_result mo_mesh_make_segment_entries(mo_mesh *mesh);

void mo_mesh_destroy_segment_entries(mo_mesh *mesh);

/* Whether the entries, or their absence, are what mo_mesh_make_segment_entries makes. */
bool mo_mesh_segment_entries_are_sound(const mo_mesh *mesh);

/* The subtrees in which a ray of the fast path may hit something before max_t. Returns false if the
 * ray had better begin at the root: there are no entries, it is no short segment, or it touches
 * many. */
MO_INLINE bool mo_segment_entries_begin(const mo_segment_entries *entries, mo_f4_twice origin,
                                        mo_f4_twice direction, float max_t, uint64_t *subtrees) {
#ifdef MO_BYTES
  if (entries == NULL) {
    return false;
  }
  mo_f4_twice scale = mo_f4_twice_load(entries->scale);
  mo_f4_twice step = direction * (scale * mo_f4_twice_all(max_t));
  if (!mo_f4_every(mo_f4_le(mo_f4_abs(mo_f4_once(step)), mo_f4_load(entries->length)))) {
    return false;
  }
  *subtrees =
      mo_bytes_touch(&entries->boxes, origin * scale - mo_f4_twice_load(entries->shift), step);
  return __builtin_popcountll(*subtrees) <= MO_SEGMENT_ENTRIES_FEW;
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
