/* Internals of continuous collision: moving shapes, and the search for the first impact of one of
 * them. */
#ifndef MO_CONTACT_IMPACT_IMPACT_H
#define MO_CONTACT_IMPACT_IMPACT_H

#include <motte/continuous.h>
#include <stdatomic.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "contact/arithmetic.h"
#include "geometry/cast/half_space.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/rotating.h"
#include "mesh/culling/swept.h"
#include "mesh/world.h"
#include "query/compound.h"
#include "query/visit.h"

/* Checks a definition. Errors: MO_ERROR_UNINITIALIZED_DEF, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT. */
mo_result mo_impact_def_check(const mo_impact_def *def, const mo_refusal *refusal);

/* Converts a time of impact to the public struct, without shapes. `t`: the time, rounded down to a
 * float. */
mo_impact mo_impact_of(const mo_time_of_impact *found, float t, uint32_t triangle,
                       uint32_t other_triangle);

static inline mo_impact mo_impact_of_none(void) {
  return (mo_impact){.triangle = MO_NO_TRIANGLE, .other_triangle = MO_NO_TRIANGLE};
}

static inline mo_impact_rules mo_impact_rules_of(const mo_impact_def *def) {
  return (mo_impact_rules){(double)def->slop, (double)def->core};
}

/* The kinds of mo_impact_shape. To add a kind, begin here: the compiler then names each switch that
 * has no case for the new kind. */
typedef enum mo_impact_kind {
  MO_IMPACT_OF_BODY,
  MO_IMPACT_OF_MESH,
  MO_IMPACT_OF_COMPOUND
} mo_impact_kind;

/* A shape of a scene, or a child of it, with its movement; stationary if `movement` is null. */
typedef struct mo_impact_shape {
  mo_impact_kind kind;
  uint32_t slot;
  const mo_placed_child *child; /* null: the shape itself */
  const mo_mesh *mesh;          /* set only for MO_IMPACT_OF_MESH */
  const mo_affine *affine;
  const mo_movement *movement; /* null: stationary */
  mo_impact_body body;         /* for a mesh or compound: a box around it */
} mo_impact_shape;

/* Makes a shape, or a child of it if `child` is not null; the shape refers to child and movement.
 * `movement` is checked; null: the shape stands still. If `rules` is null, the shape is made
 * without a core, for the bounds of its path only. Returns false on an error, which `result`
 * receives, and for a mesh without triangles or a compound without children, which has no impacts
 * (`result` is MO_OK then). */
bool mo_impact_shape_make(mo_impact_shape *made, const mo_scene *scene, uint32_t slot,
                          const mo_placed_child *child, const mo_movement *movement,
                          const mo_impact_rules *rules, const mo_refusal *refusal,
                          mo_result *result);

/* The box around a body's path, grown so that it touches the grown box of every body that may have
 * an impact with it. */
mo_aabb mo_impact_swept_box(const mo_impact_rules *rules, const mo_moving_body *moving);

/* The output list of crossings, shared by tasks: `locked` is a spin lock. */
typedef struct mo_crossing_list {
  mo_bounded_list crossings;
  atomic_flag locked;
} mo_crossing_list;

/* The state of a search: for the first impact of a mover, or for all its crossings. */
typedef struct mo_impact_finder {
  const mo_scene *scene;
  const mo_impact_search *search;
  mo_isa isa;
  mo_impact_rules rules;
  const mo_impact_shape *mover;
  mo_shape_id ignore; /* the shape that the mover ignores; may be null */
  const uint64_t
      *sorted_mover_keys; /* keys of all movers: slot << 32 | index of the mover, ascending */
  mo_query_stats *stats;
  mo_crossing_list *crossings;  /* the crossings found; null: the search is for an impact */
  mo_time_of_touch touch_times; /* first and last touch with the shape being tested */
  uint32_t
      tested_child_numbers[2]; /* numbers of the children being tested: the mover's, the other's */
  /* The best impact so far. In a search for crossings `t` and `limit` stay 1. */
  float t; /* the time of that impact, rounded down like mo_impact.t; 1 at first */
  /* exact times above this are later than `t`, even when rounded down */
  double limit;
  uint32_t other;              /* slot of the shape hit, or MO_NONE */
  uint32_t child, other_child; /* numbers of children; 0 for shapes without */
  uint32_t triangle, other_triangle;
  /* the best impact as computed, with normal and features from the mover to the other shape */
  mo_time_of_impact found;
  mo_path_axis path[3]; /* path of the mover's box, by which shapes of the scene are culled */
  bool culls_by_plane;  /* the mover is a half-space: cull by `plane`, not by `path` */
  mo_plane_path plane;
} mo_impact_finder;

/* Whether filters and the kinds of two shapes, of which one is a child, allow an impact or crossing
 * of the mover with the other one. */
bool mo_impact_children_may_touch(const mo_impact_finder *finder, const mo_impact_shape *other);

/* Tests two meshes, of which one is the mover. */
void mo_impact_test_meshes(mo_impact_finder *finder, const mo_impact_shape *other);

/* Tests the mover against another shape: finds their impact, or for crossings the times of their
 * first and last touch. */
void mo_impact_test_shape(mo_impact_finder *finder, const mo_impact_shape *other);

/* Callback of mo_impact_visit_shapes for each shape near the mover's path: tests the mover against
 * the shape, unless that is a mover too. */
void mo_impact_test_still_shape(uint32_t slot, double key, void *finder);
MO_ISA_DECLARE(void, mo_impact_visit_shapes, (mo_impact_finder * finder));

/* How many equal slices the time of a step is cut into, for culling with shapes that rotate
 * (contact/impact/slices.c). */
enum { MO_TIME_SLICES = 16 };

/* Maps a point p of the other body, given at t = 0, to where it is in the middle of a slice, in the
 * space in which the mesh is culled: base + column * (p - pivot). */
typedef struct mo_slice_motion {
  mo_dvec3 base, column[3];
} mo_slice_motion;

/* The motion of a body relative to a mesh, in slices. */
typedef struct mo_sliced_motion {
  const mo_impact_shape *mesh;
  const mo_moving_body *other;
  mo_dvec3 pivot; /* centre of rotation of `other` at t = 0; its middle if it does not rotate */
  mo_slice_motion motion[MO_TIME_SLICES];
  double linear_speed; /* speed of the pivot's translation relative to that of the mesh, world */
  double max_pivot_axis_distance; /* greatest distance of the pivot from the rotation axis of the
                                     mesh */
  double margin;                  /* the greatest distance of two bodies at an impact */
  mo_cull_frame frame; /* space for culling; its error bounds cover `other` at all times */
} mo_sliced_motion;

void mo_sliced_motion_init(mo_sliced_motion *slices, const mo_impact_rules *rules,
                           const mo_impact_shape *mesh, const mo_moving_body *other);

/* For each slice of time, a box that contains everything a body may hit during the slice; and the
 * union of these boxes. Both are in the space in which the mesh is culled. */
typedef struct mo_slice_boxes {
  mo_aabb slice_box[MO_TIME_SLICES], union_of_slices;
} mo_slice_boxes;

/* Makes the boxes for the other body, or for a triangle of it if it is a mesh. */
void mo_slice_boxes_make(const mo_sliced_motion *slices, const mo_moving_body *body,
                         mo_slice_boxes *boxes);

/* The mover and another mesh. */
typedef struct mo_impact_mesh_pair mo_impact_mesh_pair;

/* A visit of the triangles of a mesh that a body may have impacts with, nearer ones first. */
typedef struct mo_impact_triangles {
  mo_impact_finder *finder;
  const mo_impact_shape *mesh, *partner; /* one of the two is the mover */
  /* the body that the triangles are tested against; for another mesh a box around it */
  const mo_impact_body *other;
  mo_swept_culling culling; /* by the path of `other`, relative to the mesh */
  bool culls_by_plane;      /* `other` is a half-space: cull by `plane` instead */
  mo_plane_path plane;
  /* by the path of the core of `other`; only triangles that it reaches by t = 1 are tested */
  mo_swept_culling core_culling;
  bool culls_by_core;
  /* not null if the mesh rotates: then culling is by `boxes`, made for this motion, instead */
  const mo_sliced_motion *slices;
  mo_slice_boxes boxes;
  /* not null if both are meshes: `other` is a triangle of the mover, or if `mesh` is the mover, all
   * of the other mesh */
  mo_impact_mesh_pair *pair;
} mo_impact_triangles;

void mo_impact_test_triangle(const mo_vec3 corners[3], uint32_t triangle, void *triangles);
MO_ISA_DECLARE(void, mo_impact_visit_triangles, (mo_impact_triangles * triangles));

/* A bounding volume hierarchy over the swept boxes of all movers: sorted along a Morton curve, with
 * groups of eight boxes under one box of the next level. Stored in the caller's memory. */
typedef struct mo_swept_tree {
  mo_aabb *boxes; /* before the build: swept boxes by mover; then the boxes of the upper levels */
  mo_aabb *boxes_in_morton_order; /* the swept boxes in Morton order; during the build first the
                                     sort keys */
  uint64_t *sorted_mover_keys; /* keys of all movers: slot << 32 | index of the mover, ascending */
  uint32_t *mover_of_box;      /* index of the mover of each sorted box */
  uint32_t count;
} mo_swept_tree;

/* Lays out a tree for `count` movers in memory of the caller: `memory` has one element for each
 * mover, and must live as long as the tree. */
mo_swept_tree mo_swept_tree_layout(mo_mover_memory *memory, uint32_t count);

/* Sorts the swept boxes and builds the hierarchy. `boxes` and `sorted_mover_keys` must be set. */
void mo_swept_tree_build(mo_swept_tree *tree);

/* Calls `report` for each mover whose swept box touches `box`. */
void mo_swept_tree_visit(const mo_swept_tree *tree, const mo_aabb *box,
                         void (*report)(uint32_t mover, void *context), void *context);

/* Whether a slot belongs to a mover. `slots`: mo_swept_tree::sorted_mover_keys. */
bool mo_impact_is_mover(const uint64_t *slots, uint32_t count, uint32_t slot);

#endif
