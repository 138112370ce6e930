/** \defgroup continuous Continuous collision (motte/continuous.h)
 *
 * When shapes that move and turn from one pose to another come into touch: so that what is fast or
 * thin does not pass through in one step, and what slides is not stopped.
 *
 * Each of two shapes has a movement (mo_movement; mo_movement_between makes one of two poses) while
 * t goes from 0 to 1. What counts is how they move relative to each other.
 *
 *     mo_impact_search search = mo_default_impact_search();
 *     search.movers = movers; // the shapes that move in this step, and how
 *     search.memory = memory; // as long
 *     search.count = count;
 *     result = mo_scene_find_impacts(scene, &search, impacts, NULL, NULL);
 *     // impacts[i].t, where found: put movers[i] there by mo_movement_transform
 *
 * An *impact* is the first time at which shapes come within the `slop`: they are stopped before
 * they touch, with half of the slop to three quarters of it left between them. Then they begin the
 * next step closer than the slop, which is called to *begin in touch*, and no first touch is to
 * come.
 *
 * What has to be prevented is that one passes through the other. For this, a convex shape has a
 * *core*: the same shape, scaled about its centre by `core`. Of two convex shapes the core of the
 * smaller one counts (whose world AABB at t = 0 has the lesser sum of extents; of equal ones that
 * of the first), of a convex shape and a triangle that of the convex shape. Then:
 *
 * - Shapes that are apart have an impact where they come within the slop, but only if the core
 *   comes within the slop too, by t = 1. So what grazes another shape, slides over the edges
 *   between triangles of a floor, or ends with a slight overlap, is not stopped; and the wall
 *   behind is found.
 * - Shapes that begin in touch, or overlap, have an impact where the core is about to touch.
 *   So what rests, rolls or slides is not stopped; and nothing gets farther into what it stands on
 *   than its core. Cores that overlap the other shape at t = 0 have no impact: the way out is for
 *   contacts (motte/contact.h) to find.
 *
 * With `core` = 1 every touch counts. A triangle has no core, so that two triangles (of two meshes,
 * or primitives) that are apart have an impact wherever they touch, and shapes without thickness
 * that begin with their planes in touch may pass.
 *
 * *Sensors* stop nothing and are stopped by nothing. What is fast may be on one side of a thin one
 * in one step and on the other in the next, and a contact tracker (motte/contact_tracker.h), which
 * sees only where shapes are, has no event for it. mo_scene_find_crossings finds each sensor that
 * was touched on the way. To see exactly one begin and one end of each, also where shapes stop so
 * close to a sensor that rounding decides, keep two sets of pairs from step to step: `touching`
 * and `inside`. In each step, with the crossings of the movements that were made in it:
 *
 *     touching = touching + begins - ends; // those of mo_contact_events, where one is a sensor
 *     now = touching + crossings of which `left` is not set;
 *     begun = now + all crossings - inside;
 *     ended = inside + all crossings - now;
 *     inside = now;
 *
 * So a pair among `begun` and `ended` has passed through in this step. Each pair begins and ends
 * in turn, as many times as it touches with a time between that is longer than a step.
 *
 * Nothing is kept from call to call. The functions allocate nothing, and any number of threads may
 * call at once, on a scene that does not change. */
#ifndef MOTTE_CONTINUOUS_H
#define MOTTE_CONTINUOUS_H

#include <motte/movement.h>
#include <motte/pairs.h>
#include <motte/query.h>

/** \{ */

/// Which impacts count.
typedef struct mo_impact_def {
  /// World units, not negative, at most MO_MAX_COORDINATE; 0.005 by default, which suits metres. At
  /// least 2^-20 of the extents of the smaller shape and 2^-39 of the coordinates are taken.
  float slop;
  float core; ///< size of the core, as a share of the shape: 0 (its centre) to 1; 0.5 by default
  uint32_t cookie; ///< set by mo_default_impact_def; not for the caller
} mo_impact_def;

/// When and where a shape, the first, comes into touch with another one, the second.
typedef struct mo_impact {
  bool found; ///< false: there is no impact, and nothing below is set
  /// They began in touch: at t the core is about to touch. Else they are about to touch themselves.
  bool began_in_touch;
  mo_shape_id other;                 ///< the second shape; null where it is in no scene
  uint64_t user_data;                ///< of the second shape
  uint32_t triangle;                 ///< of the first shape; MO_NO_TRIANGLE if it is no mesh
  uint32_t other_triangle;           ///< of the second shape; MO_NO_TRIANGLE if it is no mesh
  uint32_t triangle_user_data;       ///< of the triangle of the first shape; 0 if it is no mesh
  uint32_t other_triangle_user_data; ///< of the triangle of the second shape; 0 if it is no mesh
  float t;                           ///< from 0 to 1, rounded down: never later than the impact
  /// World, at t; halfway between the two, where they are closest (where they began in touch, the
  /// core and the other).
  mo_vec3 point;
  mo_vec3 normal;   ///< unit, world, from the first shape to the second
  float separation; ///< at t, along the normal, of the shapes; negative: they overlap
  /// The part of the first shape, as it stands at t, that reaches farthest along the normal, and
  /// that of the second shape that reaches farthest against it: as of mo_cast_hit.
  mo_feature feature;
  uint32_t feature_index;       ///< of the vertex, edge or face
  mo_feature other_feature;     ///< of the second shape
  uint32_t other_feature_index; ///< of the vertex, edge or face
} mo_impact;

/// What impacts of a mover are looked for.
typedef enum mo_impact_partners {
  MO_IMPACT_WITH_ALL,   ///< those with all shapes
  MO_IMPACT_WITH_STILL, ///< those with shapes that are not among the movers
  MO_IMPACT_WITH_NONE,  ///< none: it is in the way of others
} mo_impact_partners;

/// A shape of a scene that moves.
typedef struct mo_mover {
  mo_shape_id shape;           ///< of any kind; a volume, or other sensor, has no impacts
  mo_movement movement;        ///< from where the shape is in the scene
  mo_impact_partners partners; ///< what it is stopped by; of crossings all count
  /// A shape that it has no impact with, nor crosses; the null id, or one that is gone, for none.
  mo_shape_id ignore;
} mo_mover;

/// Memory that a search needs for a mover, of no meaning to the caller.
typedef struct mo_mover_memory {
  uint64_t words[8]; ///< need not be set
} mo_mover_memory;

/// The movers of a step, and which impacts of theirs count.
typedef struct mo_impact_search {
  /// All that moves in the step, each shape once. Other shapes of the scene stand still.
  const mo_mover *movers;
  mo_mover_memory *memory; ///< one for each mover; written during the call
  uint32_t count;          ///< how many movers; with 0 the arrays may be null
  mo_impact_def def;       ///< slop and core; crossings do not go by them
  /// Shapes of which a category (mo_filter) is among these are sensors, as in
  /// mo_contact_tracker_def: they have no impacts. Volumes are sensors in any case. 0 by default.
  uint64_t sensor_categories;
  /// Triangles of meshes count only where the other shape touches their front: where the normal by
  /// the right-hand rule from their winding, mirrored transforms taken into account, leads to it.
  /// Degenerate triangles count. Sensors are crossed from either side.
  bool cull_back_faces;
  /// Called, if not null, for pairs that the filters let pass; false: they have no impact, or
  /// crossing. Maybe more than once for a pair, from several threads at once.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_impact_search; not for the caller
} mo_impact_search;

/// A pair, of which one or both are sensors, that touches on the way: from the first time to the
/// last, whether or not it parts in between (as what passes through a mesh, which is its surface,
/// or turns).
typedef struct mo_crossing {
  mo_pair pair; ///< the shape with the lower index first
  float enter;  ///< when they first touch: 0 to 1, rounded down; 0 if they touch at the start
  float leave;  ///< when they last touch: `enter` to 1, rounded up; 1 if they touch at the end
  bool entered; ///< they do not touch at the start, t = 0
  bool left;    ///< they do not touch at the end, t = 1
} mo_crossing;

MO_BEGIN_DECLS

/// A slop of 0.005, a core of half the size.
MO_API mo_impact_def mo_default_impact_def(void);

/// The impact of two primitives that move; `impact` has no shapes and no triangles. Null movements
/// stand still. A volume is its world box, which turns with it. By conservative advancement
/// (Mirtich 1996), with steps that go by the square root of the distance where shapes turn: t is
/// never later than the impact, whatever the speeds and however thin the primitives, and never
/// after their first touch. After 4,096 steps, as where a shape glides along another one at just
/// more than the slop, they count as having come to an impact; then they are farther apart. A
/// half-space that turns about an axis across its normal meets another half-space at once.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also of a hull); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also of what turns beyond MO_MAX_COORDINATE);
/// MO_ERROR_INVALID_ARGUMENT (a negative slop; a core that is not from 0 to 1; an angle beyond 2 pi
/// or without an axis; what mo_primitive_cast_ray says of primitives). Cost: some 3 to 10
/// distances, of 0.3 to 25 µs, where they meet; up to some 200 where they turn and pass close by;
/// no memory; any number of threads.
MO_API mo_result mo_find_impact(const mo_primitive *a, const mo_movement *movement_a,
                                const mo_primitive *b, const mo_movement *movement_b,
                                const mo_impact_def *def, mo_impact *impact);

/// No movers, the default def, no sensors but volumes, both sides of triangles, no callback.
MO_API mo_impact_search mo_default_impact_search(void);

/// The first impact of each mover: impacts[i] is that of movers[i], which is the first shape of it.
/// Both movers of two that meet have that impact, if both look for it. Each is found as if nothing
/// else were stopped: of what happens later than the first impact of either shape, a host has to
/// ask again, with the others where they were stopped.
///
/// Which shapes meet is as of pairs (motte/pairs.h): the filter of each has to let the other pass,
/// and two static shapes do not meet. Sensors are never hit. Meshes count as their triangles, of
/// either side, each by itself: the impact is the least of mo_find_impact over all shapes and
/// triangles, bit for bit, with the shape of the lower index as the first of the two primitives. Of
/// impacts at the same t the one with the lower shape is taken, then with the lower triangle of the
/// mover, then of the other. Meshes may move and turn, and meet others: two meshes as all pairs of
/// their triangles, which have no cores; so a mesh that slides over another one is stopped where
/// any new triangles touch. For a shape made of convex parts, move those.
///
/// Work is spread over the scene's tasks; the answers do not depend on the number of workers. With
/// `stats` (may be null) the work is counted, and done by the calling thread alone. Errors, with
/// impacts as they were: MO_ERROR_NULL_ARGUMENT (also the arrays, where `count` is not 0);
/// MO_ERROR_UNINITIALIZED_DEF; those of movers: MO_ERROR_STALE_ID, MO_ERROR_NOT_FINITE,
/// MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT (an angle beyond 2 pi or without an axis; no
/// such partners; a shape twice); of the def, the same as of mo_find_impact. `*first_bad` (may be
/// null) is then the index of the mover that is refused, the lowest if there are several (of a
/// shape twice, the second), else MO_NO_INDEX. Cost: O(count log count); for each mover a descent
/// along its path, nearer nodes first, as of a cast, and some 5 to 30 distances for each shape and
/// triangle that the core's path meets; of a mesh that turns, sixteen descents of its octree for
/// each shape near its path. What a core stays clear of costs much less: a triangle whose plane is
/// farther from the core than it moves, some 0.1 µs; other shapes, one distance. Up to 64 KiB of
/// stack in each task.
MO_API mo_result mo_scene_find_impacts(const mo_scene *scene, const mo_impact_search *search,
                                       mo_impact *impacts, size_t *first_bad,
                                       mo_query_stats *stats);

/// All sensors that movers cross, and all shapes that cross movers that are sensors: each pair
/// once, also of two movers; sorted by pair. Writes up to `capacity` crossings, the first in that
/// order, and their `total` (which stops at UINT32_MAX). The scene is as before the step, and the
/// movements are those made: of a mover that was stopped at t, displacement and angle times t. The
/// times of a pair then go by its own movements: t = 1 is where they end.
///
/// Which shapes meet is as of mo_scene_find_impacts. Shapes touch where mo_find_impact with a slop
/// of 0 and a core of 1 would stop them, and at the start where they are as close as that or
/// overlap: within 2^-20 of the extents of the smaller shape or 2^-39 of the coordinates. So no
/// touch is missed, whatever the speeds and however thin the sensor. A volume is the world box
/// that it has at the start, which turns with it. A mesh is its surface: what lies within a closed
/// one does not touch it. A glide of more than 4,096 steps, as there, counts as a touch.
///
/// Work is spread over the scene's tasks; the answers do not depend on the number of workers.
/// Errors, with nothing written: those of mo_scene_find_impacts, with `*first_bad` (may be null) as
/// there; MO_ERROR_NULL_ARGUMENT (`total`; `crossings` where `capacity` is not 0). Cost: as there
/// with a core of 1, twice for each shape and triangle that is touched; a mesh is searched to the
/// end of the way; to keep them sorted, O(log capacity) for each crossing.
MO_API mo_result mo_scene_find_crossings(const mo_scene *scene, const mo_impact_search *search,
                                         mo_crossing *crossings, uint32_t capacity, uint32_t *total,
                                         size_t *first_bad);

MO_END_DECLS

/** \} */

#endif
