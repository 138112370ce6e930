/* Pairs of triangles of two meshes: a traversal of both triangle octrees at once. This is the
 * public header of this folder.
 *
 * Two nodes are expanded together, or only the larger one, and pairs of children that may overlap
 * are visited. Boxes and triangles of both meshes are transformed to common frames: the space of
 * each mesh that has a usable inverse, or the world if neither has one. In the space of a mesh its
 * own boxes are axis-aligned, so the frames of two meshes together test the six face normals of two
 * oriented boxes (Gottschalk, Lin and Manocha 1996), whatever the maps: parallelepipeds are
 * disjoint along a face normal of one if and only if their images in its space are disjoint along
 * an axis. */
#ifndef MO_MESH_PAIR_PAIR_H
#define MO_MESH_PAIR_PAIR_H

#include "base/isa.h"
#include "geometry/body/body.h"
#include "mesh/query.h"

/* A map from a mesh's local space, relative to the centre of its bounds, to a frame; in floats. */
typedef struct mo_mesh_pair_map {
  bool is_mesh_space; /* the frame is the mesh's own space, scaled by `scale` */
  float scale;        /* scale of the frame, a power of two */
  float column[3][3]; /* columns of the linear part, scaled by `scale` */
  float origin[3];
} mo_mesh_pair_map;

/* A frame in which boxes and triangles of both meshes are compared. Coordinates are at most about
 * 1. */
typedef struct mo_mesh_pair_frame {
  mo_mesh_pair_map map[2];
  /* By axis: the query's distance, plus the tolerance of the exact test and twice the rounding
   * error of any coordinate in this frame. */
  float margin[3];
  /* If boxes have these gaps along the axes of this frame, margins subtracted, then their squared
   * distance in the world is at least the sum of squares with these weights. */
  double weight[3];
} mo_mesh_pair_frame;

/* A query for pairs of triangles that touch or are close. */
typedef struct mo_mesh_pair mo_mesh_pair;
struct mo_mesh_pair {
  const mo_mesh *mesh[2];
  const mo_affine *affine[2];
  mo_vec3 center[2];  /* centre of each mesh's bounds, local: coordinates are relative to it */
  float max_scale[2]; /* the largest scale of each transform, to compare sizes of nodes */
  /* Largest distance in the world at which the exact test may find that two triangles touch. */
  double touch_distance;
  /* The rounding error of world positions in double precision. */
  double position_rounding;
  int frame_count;
  mo_mesh_pair_frame frame[2]; /* boxes are compared in all, triangles in the first */
  mo_query_stats *stats;
  /* The exact test of pairs; mo_mesh_pair_touches is not called for pairs that surely touch. Null:
   * all pairs within the distance are reported, and some others. */
  bool (*test)(const mo_mesh_pair *query, const mo_vec3 a[3], const mo_vec3 b[3]);
  /* Both meshes are the same, in the same place: each pair of its triangles is tested and reported
   * once, the lower triangle first. */
  bool is_self;
  /* Only pairs before this one are reported; `report` may lower it. All pairs: MO_NONE, MO_NONE.
   * Not for `is_self`. */
  mo_triangle_pair end;
  /* Called once for each pair; returning false ends the query. */
  bool (*report)(uint32_t triangle_a, uint32_t triangle_b, void *context);
  void *context;
};

/* Checks two meshes and their transforms, which are members of the argument at `refusal`: `other`,
 * `transform` and `other_transform`. */
mo_result mo_mesh_pair_check(const mo_mesh *const mesh[2], const mo_transform *const transform[2],
                             const mo_refusal *refusal, mo_affine affine[2]);

/* Checks the cookie, the meshes and the transforms of an overlap def. */
mo_result mo_mesh_pair_check_def(const mo_mesh *const mesh[2], const mo_overlap_mesh_def *def,
                                 const mo_refusal *refusal, mo_affine affine[2]);

/* Prepares a query for pairs of triangles up to `distance` apart in the world, or 0 if the query
 * has an exact test. The caller sets the callbacks. */
void mo_mesh_pair_init(mo_mesh_pair *query, const mo_mesh *const mesh[2],
                       const mo_affine *const affine[2], double distance, mo_query_stats *stats);

/* Where a mesh is: its map to the world, in double precision. */
typedef struct mo_mesh_placement {
  mo_dvec3 column[3], origin;
  bool is_invertible; /* as `invertible` of mo_affine */
} mo_mesh_placement;

mo_mesh_placement mo_mesh_placement_of(const mo_affine *affine);

/* mo_mesh_pair_init for meshes that are not placed by the transforms of shapes. Such a query has no
 * exact test. */
void mo_mesh_pair_init_placed(mo_mesh_pair *query, const mo_mesh *const mesh[2],
                              const mo_mesh_placement placement[2], double distance,
                              mo_query_stats *stats);

/* The frame that is world space, scaled so that coordinates are at most about 1. */
mo_mesh_pair_frame mo_mesh_pair_world_frame(const mo_mesh_pair *query);

/* Whether a pair comes before another: by triangle of the first mesh, then of the second. */
static inline bool mo_mesh_pair_is_before(mo_triangle_pair a, mo_triangle_pair b) {
  return a.triangle != b.triangle ? a.triangle < b.triangle : a.other < b.other;
}

/* Callbacks for `report`: one sets a bool and ends the query, the other adds the pair to a bounded
 * list of mo_triangle_pair. mo_mesh_pair_before is the order of that list. */
bool mo_mesh_pair_set_found_and_stop(uint32_t triangle_a, uint32_t triangle_b, void *found);
bool mo_mesh_pair_add_to_list(uint32_t triangle_a, uint32_t triangle_b, void *list);
bool mo_mesh_pair_before(const void *a, const void *b);

/* The callback of a public function that visits pairs. mo_mesh_pair_pass_on is a `report` that
 * passes pairs on to it. */
typedef struct mo_mesh_pair_visit {
  bool (*visit)(mo_triangle_pair pair, void *context);
  void *context;
} mo_mesh_pair_visit;

bool mo_mesh_pair_pass_on(uint32_t triangle_a, uint32_t triangle_b, void *visit);

/* Runs the query. Neither mesh may be empty. */
void mo_mesh_pair_find(mo_mesh_pair *query, mo_isa isa);

/* Whether two meshes touch; false if one is empty. */
bool mo_meshes_touch(const mo_mesh *const mesh[2], const mo_affine *const affine[2], mo_isa isa,
                     mo_query_stats *stats);

/* Prepares a query for pairs of triangles of one mesh that touch, in its own space. */
void mo_mesh_pair_init_self(mo_mesh_pair *query, const mo_mesh *mesh, mo_query_stats *stats);

/* A triangle as a body in the world; `affine` is null for no transform. */
mo_body mo_mesh_pair_body(const mo_affine *affine, const mo_vec3 corners[3]);

/* The exact test: whether two triangles touch, as mo_primitive_overlap would find. */
bool mo_mesh_pair_touches(const mo_mesh_pair *query, const mo_vec3 a[3], const mo_vec3 b[3]);

/* A triangle may be referenced from several leaves, but each pair of triangles is reported once:
 * from the first two leaves, in the order of the references, where the boxes of the triangles'
 * parts overlap. This finds these leaves (node << 3 | slot), or MO_NONE if there are none: then the
 * triangles do not touch. On entry, `leaf_slot` has one leaf of each triangle. The traversal
 * reaches all such leaves, as it culls nodes with twice the margin. */
void mo_mesh_pair_first_leaves(const mo_mesh_pair *query, const uint32_t triangle[2],
                               uint32_t leaf_slot[2]);

MO_ISA_DECLARE(void, mo_mesh_pair_walk, (mo_mesh_pair * query));

#endif
