/* Overlap of one mesh with a region, as queries on meshes and scenes use it: the header of this
 * folder for others.
 *
 * Culling takes place in the mesh's own space; or, where `bake` is set, in the world: then the
 * transform has no fit inverse, and node boxes and corners are taken to the world instead. */
#ifndef MO_MESH_OVERLAP_OVERLAP_H
#define MO_MESH_OVERLAP_OVERLAP_H

#include "base/isa.h"
#include "geometry/convex/prepared.h"
#include "mesh/query.h"

typedef enum mo_region_kind {
  MO_REGION_BOX,
  MO_REGION_BALL,
  MO_REGION_PLANES,
  MO_REGION_BODY, /* culled by its box, or by the plane of a half-space */
} mo_region_kind;

/* The region of an overlap query; world, or local for a mesh alone. */
typedef struct mo_region {
  mo_region_kind kind;
  mo_aabb box; /* of a body, around it; infinite of a half-space */
  mo_sphere ball;
  const mo_plane *planes;
  uint32_t plane_count;
  const mo_prepared_primitive *primitive; /* of a body */
} mo_region;

/* A frame in which the region is a box, but for its edges: the world, or a convex shape's own
 * space, or one with the height above a plane. A triangle whose image has a box that does not touch
 * `outer` does not overlap the region. One with a corner whose image lies in `inner`, and not
 * farther than the root of `inner2` from the box that reaches `half` around `center`, does. */
typedef struct mo_region_frame {
  mo_transform map; /* from the mesh's own space, in floats */
  mo_aabb outer, inner;
  mo_vec3 center, half;
  float inner2; /* negative: of no triangle this is sure */
} mo_region_frame;

typedef struct mo_mesh_overlap {
  const mo_region *region;
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  const mo_affine *bake;   /* == affine where the culling space is the world */
  /* Culling, in the culling space, with a margin for rounding. */
  mo_aabb box; /* all of space for planes */
  mo_vec3 center;
  float distance2; /* INFINITY where the box alone culls */
  float slack[MO_MAX_PLANES];
  mo_region_frame frame;
  /* Whether boxes and triangles are also told from the region in the frame: where it is not the
   * culling space, in which the box around the region is larger under a rotation. */
  bool has_frame;
  mo_query_stats *stats;        /* not null */
  const mo_overlap_def *counts; /* which triangles count; null for all */
  mo_shape_id shape;            /* for `counts` */
  /* Called for each triangle that counts, once; false stops. */
  bool (*report)(uint32_t triangle, void *context);
  void *context;
} mo_mesh_overlap;

void mo_mesh_overlap_init(mo_mesh_overlap *query, const mo_mesh *mesh, const mo_region *region,
                          const mo_affine *affine, mo_query_stats *stats);

/* Of a box or ball; `map` leads from the mesh's space to the world (null: they are the same), and
 * `outer` is around the region, grown for the rounding of that. */
void mo_region_frame_in_world(mo_region_frame *frame, const mo_region *region,
                              const mo_transform *map, mo_aabb outer);

/* Of a convex shape, its own space; `margin` is what its bounds have to be grown by in the world.
 * False where it has no such space, or coordinates there leave the range of float. */
bool mo_region_frame_of_shape(mo_region_frame *frame, const mo_prepared_primitive *primitive,
                              const mo_transform *map, mo_vec3 margin);

/* Of a half-space, a frame with its height on the first axis; mesh coordinates are up to `reach`.
 */
void mo_region_frame_of_half_space(mo_region_frame *frame, const mo_half_space_body *half_space,
                                   const mo_affine *affine, mo_vec3 reach);

/* The region of a primitive, which has to last as long. */
static inline mo_region mo_region_of_primitive(const mo_prepared_primitive *primitive) {
  return (mo_region){
      .kind = MO_REGION_BODY, .box = mo_prepared_bounds(primitive), .primitive = primitive};
}

/* Per axis, the largest sum of magnitudes that the image of a point within `reach` is made of: what
 * its rounding goes with. */
mo_vec3 mo_transform_terms(const mo_transform *map, mo_vec3 reach);

/* The def of a public overlap query: checks it, and makes the primitive ready if the region is one.
 */
mo_result mo_overlap_def_check(const mo_overlap_def *def, const mo_refusal *refusal,
                               mo_prepared_primitive *primitive);

/* The same for triangles, which no point overlaps. */
mo_result mo_overlap_def_check_triangles(const mo_overlap_def *def, const mo_refusal *refusal,
                                         mo_prepared_primitive *primitive);

/* The region of a def that was checked; not for points. */
mo_region mo_overlap_def_region(const mo_overlap_def *def, const mo_prepared_primitive *primitive);

/* The def where some triangles do not count by it; else null. */
static inline const mo_overlap_def *mo_overlap_def_counts(const mo_overlap_def *def) {
  return def->ignore_triangle != MO_NO_TRIANGLE || def->accept_triangle != NULL ? def : NULL;
}

/* Whether a triangle counts; `shape` is null on a mesh alone. */
static inline bool mo_triangle_counts(const mo_overlap_def *def, mo_shape_id shape,
                                      uint32_t triangle) {
  if (triangle == def->ignore_triangle &&
      (shape.generation == 0 || (shape.index == def->ignore_triangle_shape.index &&
                                 shape.generation == def->ignore_triangle_shape.generation))) {
    return false;
  }
  return def->accept_triangle == NULL || def->accept_triangle(shape, triangle, def->accept_context);
}

/* A triangle for callers, but for the shape; `affine` is null on a mesh alone. */
mo_triangle mo_triangle_of(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine);

/* Whether one triangle overlaps the query's region: what decides. */
bool mo_mesh_overlap_triangle(const mo_mesh_overlap *query, const mo_vec3 corners[3]);

/* Whether the ray from a point along +x crosses a triangle. The half-open rule on z and the exact
 * symmetry of each edge's side make every edge belong to one of two triangles. */
bool mo_triangle_crosses_x_ray(const mo_vec3 corners[3], mo_vec3 point);

typedef struct mo_mesh_overlap_kernels {
  void (*overlap)(const mo_mesh *mesh, mo_mesh_overlap *query);
  /* The point local, or world where `bake` is not null. */
  bool (*contains)(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                   mo_query_stats *stats);
} mo_mesh_overlap_kernels;

MO_ISA_DECLARE(const mo_mesh_overlap_kernels, mo_mesh_overlap_kernels, [MO_MESH_FORMATS]);

/* For one mesh. */
const mo_mesh_overlap_kernels *mo_mesh_overlap_kernels_for(mo_isa isa, const mo_mesh *mesh);

/* A margin for the rounding of tests that decide (geometry/triangle/triangle.h,
 * geometry/convex/convex.h), per unit of the coordinates of an axis: along that axis. */
#define MO_REGION_MARGIN 0x1p-20f

/* Tests of distances (a ball, a clearance) also allow for a share of the coordinates of all axes
 * along each axis, at most 1e-11 of their sum. It matters where a triangle is millions of times
 * longer along one axis than along another, or lies at 0 on one axis. */
#define MO_DISTANCE_MARGIN 0x1p-34f

/* The rounding of a plane's values over boxes with coordinates up to `reach`. */
float mo_plane_slack(const mo_plane *plane, mo_vec3 reach);

/* A box grown by both margins for its own coordinates and others up to `reach`. */
mo_aabb mo_region_grow(mo_aabb box, mo_vec3 reach);

/* The squared distance for culling by a ball itself, with the same margin, where squares of all
 * gaps stay finite; else INFINITY. */
float mo_region_distance2(const mo_sphere *ball, mo_vec3 reach);

#endif
