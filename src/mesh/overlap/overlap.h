/* Overlap of one mesh with a region, for queries on meshes and scenes. This is the public header of
 * this folder.
 *
 * Culling takes place in the mesh's own space. If `world_map` is set, the transform has no usable
 * inverse; node boxes and corners are then transformed to the world, and culling takes place
 * there. */
#ifndef MO_MESH_OVERLAP_OVERLAP_H
#define MO_MESH_OVERLAP_OVERLAP_H

#include "base/isa.h"
#include "geometry/body/body.h"
#include "mesh/culling/sides.h"
#include "mesh/primitive.h"
#include "mesh/query.h"

typedef enum mo_region_kind {
  MO_REGION_BOX,
  MO_REGION_BALL,
  MO_REGION_PLANES,
  /* A primitive: culled by its box, or by the plane of a half-space. If it is a mesh, a triangle
   * touches the region if it touches a triangle of that mesh. */
  MO_REGION_BODY,
} mo_region_kind;

/* The region of an overlap query: in world space, or in local space for a mesh that is not in a
 * scene. */
typedef struct mo_region {
  mo_region_kind kind;
  mo_aabb box; /* for a body, its bounds; infinite for a half-space */
  mo_sphere ball;
  const mo_plane *planes;
  uint32_t plane_count;
  const mo_prepared_primitive *primitive; /* for MO_REGION_BODY */
} mo_region;

/* A frame in which the region is approximately a box, perhaps with rounded edges: the world, the
 * mesh's own space, a convex shape's own space, or a frame with the height above a plane as an
 * axis. A triangle does not overlap the region if the box of its transformed corners does not touch
 * `outer`, or if its squared distance from the box given by `center` and `half`, or that of its
 * box, is more than `max_distance2`. A triangle surely overlaps the region if a transformed point
 * of it lies in `inner` and its squared distance from the box around `center` is at most
 * `inner_distance2`. */
typedef struct mo_region_frame {
  mo_transform map;      /* from the mesh's own space to this frame, in floats */
  bool is_mesh_space;    /* the frame is the mesh's own space: `map` is not used */
  mo_aabb outer, inner;  /* boxes for certain misses (outside) and certain overlaps (inside) */
  mo_vec3 center, half;  /* of the box to which distances are measured */
  bool distance_decides; /* `outer` culls nothing that `max_distance2` does not */
  float max_distance2;   /* INFINITY: only `outer` is used for culling */
  float inner_distance2; /* negative: no triangle surely overlaps */
} mo_region_frame;

/* Planes around a cone or hull, which fills little of its frame's box. They are made once some
 * exact tests have found no overlap, and then cull triangles too. */
typedef struct mo_overlap_planes {
  const mo_mesh *mesh;
  uint32_t negative_test_count; /* number of exact tests that found no overlap */
  bool have_planes;             /* `planes` is set */
  mo_culling_box culling_box;   /* map from the mesh to the frame of the planes */
  mo_bounding_planes planes;
} mo_overlap_planes;

typedef struct mo_mesh_overlap {
  const mo_region *region;
  const mo_affine *affine;    /* the shape's transform; null if the mesh is not in a scene */
  const mo_affine *world_map; /* equal to `affine` if the culling space is the world, else null */
  bool has_box;               /* whether nodes and triangles are culled by `box` */
  /* Whether boxes of nodes, and triangles, are culled in `frame`, which is tighter: a box in the
   * mesh's space is large if the region is rotated. */
  bool frame_culls_nodes, has_frame;
  mo_aabb box; /* around the region in the culling space, with a margin for rounding */
  float slack[MO_MAX_PLANES]; /* upper bound of the rounding error of each plane's values */
  mo_region_frame frame;
  mo_query_stats *stats;                 /* not null */
  const mo_overlap_def *triangle_filter; /* which triangles count; null for all */
  mo_shape_id shape;                     /* the shape that `triangle_filter` is given */
  uint32_t child;                        /* the child of `shape` that `triangle_filter` is given */
  /* Called once for each overlapping triangle that counts; returning false ends the query. */
  bool (*report)(uint32_t triangle, void *context);
  void *context;
  struct mo_overlap_planes
      *overlap_planes; /* planes around a cone or hull, set by the kernel; else null */
} mo_mesh_overlap;

/* A callback for `report`: sets the bool at `found`, and ends the query. */
bool mo_set_found_and_stop(uint32_t triangle, void *found);

/* Sets the members that say what is searched; the caller sets `report` and, if needed, others after
 * it. The kernels set those that say how it is culled. */
void mo_mesh_overlap_init(mo_mesh_overlap *query, const mo_region *region, const mo_affine *affine,
                          mo_query_stats *stats);

/* Prepares the culling of a query on a mesh, for the kernels: sets `world_map`, `has_box` and the
 * members between them and `stats`. */
MO_ISA_DECLARE(void, mo_mesh_overlap_prepare, (const mo_mesh *mesh, mo_mesh_overlap *query));

/* The region of a primitive, to which the region keeps a pointer. */
static inline mo_region mo_region_of_primitive(const mo_prepared_primitive *primitive) {
  return (mo_region){.kind = MO_REGION_BODY,
                     .box = mo_body_loose_bounds(&primitive->body),
                     .primitive = primitive};
}

/* The AABB of a region that is not MO_REGION_PLANES, without a margin for rounding. */
mo_aabb mo_region_bounds(const mo_region *region);

/* Checks the def of a public overlap query, and prepares the primitive if the region is one. For
 * queries about triangles, a point is no legal region. */
mo_result mo_overlap_def_check(const mo_overlap_def *def, const mo_refusal *refusal,
                               bool is_for_triangles, mo_prepared_primitive *primitive);

/* The region of a checked def that is not a point. */
mo_region mo_overlap_def_region(const mo_overlap_def *def, const mo_prepared_primitive *primitive);

/* Returns the def if it excludes some triangles; else null. */
static inline const mo_overlap_def *mo_overlap_def_triangle_filter(const mo_overlap_def *def) {
  return def->ignore_triangle != MO_NO_TRIANGLE || def->accept_triangle != NULL ? def : NULL;
}

/* Whether a triangle counts by the rules of a def; `shape` is the null id if the mesh is not in a
 * scene. */
static inline bool mo_triangle_passes_filter(const mo_overlap_def *def, mo_shape_id shape,
                                             uint32_t child, uint32_t triangle) {
  if (triangle == def->ignore_triangle && child == def->ignore_triangle_child &&
      (shape.generation == 0 || (shape.index == def->ignore_triangle_shape.index &&
                                 shape.generation == def->ignore_triangle_shape.generation))) {
    return false;
  }
  return def->accept_triangle == NULL ||
         def->accept_triangle((mo_triangle_ref){shape, triangle, child}, def->accept_context);
}

/* Makes a triangle as callers receive it, but without its shape; `affine` is null if the mesh is
 * not in a scene. */
mo_triangle mo_triangle_of(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine);

/* Whether a primitive touches a body. `map` is the transform of the body if it is a solid, and
 * saves time where the primitive is a mesh; it may be null. */
bool mo_query_primitive_touches(const mo_prepared_primitive *primitive, const mo_body *body,
                                const mo_affine *map, mo_query_stats *stats);

/* Whether the region is a body for which mo_overlap_planes are of use. */
bool mo_mesh_overlap_wants_planes(const mo_mesh_overlap *query);

/* The exact test of whether one triangle overlaps the query's region. */
bool mo_mesh_overlap_triangle(const mo_mesh_overlap *query, const mo_vec3 corners[3]);

/* Whether the ray from a point along +x crosses a triangle. By the half-open rule on z, and as the
 * side of each edge is computed with exact symmetry, every edge belongs to exactly one of its two
 * triangles. */
bool mo_triangle_crosses_x_ray(const mo_vec3 corners[3], mo_vec3 point);

/* Runs a query whose region is no compound. */
MO_ISA_DECLARE(void, mo_mesh_overlap_visit, (const mo_mesh *mesh, mo_mesh_overlap *query));

/* Whether a point is inside the surface: the ray along +x crosses an odd number of triangles. The
 * point is in world space if `world_map` is not null, else local. */
MO_ISA_DECLARE(bool, mo_mesh_surrounds_point,
               (const mo_mesh *mesh, mo_vec3 point, const mo_affine *world_map,
                mo_query_stats *stats));

/* Runs a query for triangles; if its region is a compound, for each child. */
void mo_mesh_overlap_run(const mo_mesh *mesh, mo_isa isa, mo_mesh_overlap *query);

/* Margin for the rounding of the exact tests (geometry/triangle/triangle.h,
 * geometry/overlap/overlap.h): along each axis, relative to the coordinates on that axis. */
#define MO_REGION_MARGIN 0x1p-20f

/* Additional margin for tests of distances (a ball, a clearance): along each axis, relative to the
 * coordinates on all axes. Such tests err by at most 1e-11 of the sum of these. The margin matters
 * if a triangle is millions of times longer along one axis than along another, or lies at 0 on one
 * axis. */
#define MO_DISTANCE_MARGIN 0x1p-34f

/* An upper bound of the rounding error of a plane's values over boxes with coordinates up to
 * `reach`. */
float mo_plane_rounding_bound(const mo_plane *plane, mo_vec3 reach);

/* Enlarges a box by both margins, given its own coordinates and those of triangles, up to
 * `reach`. */
mo_aabb mo_region_grow(mo_aabb box, mo_vec3 reach);

/* The squared distance within which boxes may touch a ball, with a margin for rounding; INFINITY if
 * squares of gaps might overflow. */
float mo_region_ball_max_distance2(const mo_sphere *ball, mo_vec3 reach);

#endif
