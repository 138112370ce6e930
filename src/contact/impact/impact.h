/* Inside continuous collision: shapes on their ways, and the first impact of one of them. */
#ifndef MO_CONTACT_IMPACT_IMPACT_H
#define MO_CONTACT_IMPACT_IMPACT_H

#include <motte/continuous.h>
#include <stdatomic.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "geometry/cast/half_space.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/turning.h"
#include "mesh/near/near.h"
#include "query/visit.h"

/* MO_ERROR_UNINITIALIZED_DEF, MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
 * MO_ERROR_INVALID_ARGUMENT. */
mo_result mo_impact_def_check(const mo_impact_def *def, const mo_refusal *refusal);

/* An impact, of shapes and triangles that are not set. `t` is rounded down. */
mo_impact mo_impact_of(const mo_time_of_impact *found, float t);

static inline mo_impact_rules mo_impact_rules_of(const mo_impact_def *def) {
  return (mo_impact_rules){(double)def->slop, (double)def->core};
}

/* A shape of a scene that moves, or stands still. Refers to itself, and must not move in memory. */
typedef struct mo_impact_shape {
  uint32_t slot;
  const mo_mesh *mesh; /* null: none */
  const mo_affine *affine;
  mo_impact_body body; /* of a mesh: a box around it; of a half-space, that of the scene */
  mo_convex convex;
} mo_impact_shape;

/* False, with MO_OK, where there is nothing to have impacts: a mesh without triangles. The
 * movement, which may be null, is checked. Null rules: only for its way, without a core. */
bool mo_impact_shape_make(mo_impact_shape *made, const mo_scene *scene, uint32_t slot,
                          const mo_movement *movement, const mo_impact_rules *rules,
                          const mo_refusal *refusal, mo_result *result);

/* What crossings are written to, in tasks. */
typedef struct mo_crossing_list {
  mo_bounded kept;
  atomic_flag busy;
} mo_crossing_list;

/* The search for the first impact of a mover, or for all of its crossings. */
typedef struct mo_impact_finder {
  const mo_scene *scene;
  const mo_impact_search *search;
  mo_impact_rules rules;
  const mo_impact_shape *mover;
  mo_shape_id ignore;
  const uint64_t *slots; /* of all movers: slot << 32 | index, ascending */
  mo_query_stats *stats;
  mo_crossing_list *crossings; /* null: it is an impact that is looked for */
  mo_time_of_touch touch;      /* of the shape that is being met */
  /* The best impact so far; `t` and `limit` stay 1 where it is crossings that are looked for. */
  float t;                                  /* at first 1, rounded down as that of mo_impact */
  double limit;                             /* of exact times that are as good */
  uint32_t other, triangle, other_triangle; /* `other` is MO_NONE until there is one */
  mo_time_of_impact found;                  /* from the mover to the other */
  mo_path_axis path[3];                     /* of the mover, among all shapes */
  bool by_plane; /* the mover is a half-space: culled by `plane`, not by the path */
  mo_plane_path plane;
} mo_impact_finder;

/* Looks for impacts of the mover with another shape, or for when they touch. */
void mo_impact_meet(mo_impact_finder *finder, const mo_impact_shape *other);

/* For the visit of the scene: meets a shape that is not among the movers. */
void mo_impact_meet_still(uint32_t slot, double key, void *finder);
MO_ISA_DECLARE(void, mo_impact_visit_shapes, (mo_impact_finder * finder));

/* The triangles of a mesh that something may have impacts with, nearer ones first. */
typedef struct mo_impact_triangles {
  mo_impact_finder *finder;
  const mo_impact_shape *mesh;
  const mo_impact_body *other;       /* what they meet; of another mesh a box around it */
  const mo_impact_shape *other_mesh; /* not null: whose triangles they meet */
  bool is_mover;                     /* the mesh is, or part of, the mover */
  bool is_first;                     /* it has the lower index */
  uint32_t partner, other_triangle;  /* the shape that is not the mover; the triangle `other` is */
  const mo_affine *bake;             /* of the culling space */
  mo_path_axis path[3];
  bool by_plane; /* the other is a half-space: culled by `plane`, not by the path */
  mo_plane_path plane;
  mo_path_axis core_path[3]; /* where the core has to come to the triangle by t = 1 */
  bool has_core_path;
} mo_impact_triangles;

void mo_impact_test_triangle(const mo_vec3 corners[3], uint32_t triangle, void *triangles);
MO_ISA_DECLARE(void, mo_impact_visit_triangles, (mo_impact_triangles * triangles));

/* The boxes around the ways of all movers, as a tree: sorted along a curve, groups of eight at each
 * level under one box of the next. In the caller's memory. */
typedef struct mo_impact_ways {
  mo_aabb *boxes;  /* by mover; then those of the upper levels */
  mo_aabb *sorted; /* the lowest level; before that, keys */
  uint64_t *slots; /* slot << 32 | mover, ascending */
  uint32_t *order; /* the mover of each sorted box */
  uint32_t count;
} mo_impact_ways;

mo_impact_ways mo_impact_ways_in(mo_mover_memory *memory, uint32_t count);

/* Sorts and builds, where boxes and slots are set. */
void mo_impact_ways_build(mo_impact_ways *ways);

/* Reports all movers whose boxes touch a box. */
void mo_impact_ways_visit(const mo_impact_ways *ways, const mo_aabb *box,
                          void (*report)(uint32_t mover, void *context), void *context);

/* Whether a slot is that of a mover. */
bool mo_impact_is_mover(const uint64_t *slots, uint32_t count, uint32_t slot);

#endif
