/** \defgroup continuous Continuous collision (motte/continuous.h)
 *
 * Continuous collision detection: finds when shapes that move and rotate from one pose to another
 * come into touch. So fast or thin shapes do not tunnel through others in one step, and sliding
 * shapes are not stopped.
 *
 * Each of two shapes has a movement (mo_movement; mo_movement_between makes one from two poses)
 * while t goes from 0 to 1. Only their relative movement matters.
 *
 *     mo_impact_search search = mo_default_impact_search();
 *     search.movers = movers; // the shapes that move in this step, and how
 *     search.memory = memory; // workspace: an array of the same length
 *     search.count = count;
 *     result = mo_scene_find_impacts(scene, &search, impacts, NULL, NULL);
 *     // impacts[i].t, where found: put movers[i] there by mo_movement_transform
 *
 * Two meshes without a scene have their impact by mo_mesh_find_impact_mesh.
 *
 * An *impact* is the first time at which shapes come so close that they count as touching. The
 * `slop` says how close. Shapes that begin farther apart than the slop are stopped before they
 * touch, with a gap of half to three quarters of it. So they always have an impact if they come
 * within half of the slop, and never if they stay farther apart than three quarters of it; in
 * between it depends on their path. Shapes that begin closer than the slop, as they do in the step
 * after an impact, *begin in touch*: they have no first touch in that step.
 *
 * Shapes that begin in touch must not pass through each other either. For this, a convex shape has
 * a *core*: the same shape, scaled about its centre by `core`. Of two convex shapes the core of the
 * smaller one is used (the one whose world AABB at t = 0 has the lesser sum of extents; of equal
 * ones the first); of a convex shape and a triangle, that of the convex shape. Then:
 *
 * - Shapes that begin apart have an impact where they count as touching, but only if the core comes
 *   close too, by t = 1: always if it comes within a quarter of the slop, and never if it stays
 *   farther away than half of the slop. So a shape that grazes another one, slides over the edges
 *   between triangles of a floor, or ends with a slight overlap, is not stopped, and a wall behind
 *   is still found.
 * - Shapes that begin in touch, or overlap, have an impact where the core is about to touch. So a
 *   shape that rests, rolls or slides is not stopped, and no shape penetrates its support deeper
 *   than to its core, however long it is pressed on.
 *
 * A step narrows the gap of the core at most to half, and not below a *least gap*: a quarter of the
 * slop, or of the thickness of the shape around its core along the normal, if that is less. Where
 * the gap is no more than that already, a movement that would narrow it has its impact at t = 0:
 * the shape stays where it is, until it moves away or along, or contacts (motte/contact.h) push it
 * out. Losses by rounding are allowed for, down to half of the least gap. This needs a slop and a
 * thickness of at least some 2^-16 of the coordinates, as those are floats.
 *
 * If the core overlaps, or its gap is less than rounding, as where the host has placed shapes so
 * that they overlap, a core of half the size takes the place of the core, then one of a quarter and
 * an eighth, and then the centre. So the shape may get in deeper, but its centre does not pass. If
 * even the centre is in the other shape (or in the plane of a triangle, on it), there is no impact:
 * contacts must push the shapes apart.
 *
 * With `core` = 1 every touch counts. A triangle has no core. So two triangles (of two meshes, or
 * primitives) that begin apart have an impact wherever they touch, and shapes without thickness
 * that begin with their planes in touch may pass through each other.
 *
 * *Sensors* stop nothing and are stopped by nothing. A fast shape may be on one side of a thin
 * sensor in one step and on the other side in the next. A contact tracker (motte/contact_tracker.h)
 * tests only the poses at the end of steps, and has no event for that. mo_scene_find_crossings
 * finds each sensor that was touched along the path. To get exactly one begin and one end for each
 * touch, even where shapes stop so close to a sensor that rounding decides, keep two sets of pairs
 * from step to step: `touching` and `inside`. In each step, with the crossings of the movements
 * made in it:
 *
 *     touching = touching + begins - ends; // those of mo_contact_events, where one is a sensor
 *     now = touching + crossings of which `left` is not set;
 *     begun = now + all crossings - inside;
 *     ended = inside + all crossings - now;
 *     inside = now;
 *
 * A pair in both `begun` and `ended` has passed through in this step. For each pair begins and ends
 * alternate, one of each for every touch, if there is more than a step between touches.
 *
 * No state is kept between calls. The functions allocate nothing. Any number of threads may call at
 * once, as long as the scene does not change. */
#ifndef MOTTE_CONTINUOUS_H
#define MOTTE_CONTINUOUS_H

#include <motte/movement.h>
#include <motte/pairs.h>
#include <motte/query.h>

/** \{ */

/// Which impacts are found.
typedef struct mo_impact_def {
  /// The distance below which shapes begin in touch; others are stopped at half to three quarters
  /// of it. World units, not negative, at most MO_MAX_COORDINATE; 0.005 by default, which suits
  /// metres. It is raised to at least 2^-20 of the extents of the smaller shape and 2^-39 of the
  /// coordinates.
  float slop;
  float core;      ///< size of the core relative to the shape: 0 (its centre) to 1; 0.5 by default
  uint32_t cookie; ///< set by mo_default_impact_def; not for the caller
} mo_impact_def;

/// An impact: when and where the first shape comes into touch with the second.
typedef struct mo_impact {
  bool found; ///< false: there is no impact, and nothing below is set
  /// True: the shapes began in touch, and at t the core is about to touch. False: at t the shapes
  /// themselves are about to touch.
  bool began_in_touch;
  mo_shape_id other;           ///< the second shape; null where it is in no scene
  uint32_t child;              ///< which child of the first shape, if that is a compound; else 0
  uint32_t other_child;        ///< which child of the second shape, if that is a compound; else 0
  uint64_t user_data;          ///< of the second shape or child
  uint32_t triangle;           ///< triangle of the first shape; MO_NO_TRIANGLE: not a mesh
  uint32_t other_triangle;     ///< triangle of the second shape; MO_NO_TRIANGLE: not a mesh
  uint32_t triangle_user_data; ///< of the triangle of the first shape; 0 if it is not a mesh
  uint32_t other_triangle_user_data; ///< of the triangle of the second shape; 0 if it is not a mesh
  float t;                           ///< time, 0 to 1, rounded down: never later than the impact
  /// World, at t: halfway between the two shapes where they are closest. If they began in touch:
  /// halfway between the core and the other shape.
  mo_vec3 point;
  mo_vec3 normal;   ///< unit, world, from the first shape to the second
  float separation; ///< gap of the shapes along the normal, at t; negative: they overlap
  /// Supporting features at t: that of the first shape along the normal, and that of the second
  /// shape (`other_feature`) against it; as in mo_cast_hit.
  mo_feature feature;
  uint32_t feature_index;       ///< index of the vertex, edge or face of the first shape
  mo_feature other_feature;     ///< supporting feature of the second shape
  uint32_t other_feature_index; ///< index of the vertex, edge or face of the second shape
} mo_impact;

/// Another mesh, and how both meshes move.
typedef struct mo_impact_mesh_def {
  const mo_mesh *other;         ///< may be the same mesh; must not change during the call
  mo_transform transform;       ///< of the mesh that the function is called with, at t = 0
  mo_transform other_transform; ///< of `other`, at t = 0
  mo_movement movement;         ///< of the mesh from there; none by default
  mo_movement other_movement;   ///< of `other`; none by default
  mo_impact_def impact;         ///< slop; `core` makes no difference, as triangles have none
  bool cull_back_faces;         ///< as in mo_impact_search
  uint32_t cookie;              ///< set by mo_default_impact_mesh_def; not for the caller
} mo_impact_mesh_def;

/// Which shapes can stop a mover.
typedef enum mo_impact_partners {
  MO_IMPACT_WITH_ALL,   ///< impacts with all shapes
  MO_IMPACT_WITH_STILL, ///< impacts with shapes that are not movers
  MO_IMPACT_WITH_NONE,  ///< none: the mover is only an obstacle for others
} mo_impact_partners;

/// A shape of a scene that moves.
typedef struct mo_mover {
  mo_shape_id shape;           ///< shape of any kind; volumes and other sensors have no impacts
  mo_movement movement;        ///< its movement in this step, from its pose in the scene
  mo_impact_partners partners; ///< which shapes stop the mover; does not affect crossings
  /// A shape with which the mover has no impacts and no crossings. None: the null id, or the id of
  /// a removed shape.
  mo_shape_id ignore;
} mo_mover;

/// Workspace of a search, for one mover.
typedef struct mo_mover_memory {
  uint64_t words[8]; ///< need not be initialised
} mo_mover_memory;

/// The movers of a step, and which of their impacts are found.
typedef struct mo_impact_search {
  /// All shapes that move in the step, each once. Other shapes of the scene stand still.
  const mo_mover *movers;
  /// `count` elements of workspace, one for each mover; overwritten during the call
  mo_mover_memory *memory;
  uint32_t count;    ///< how many movers; with 0 the arrays may be null
  mo_impact_def def; ///< slop and core; crossings do not use it
  /// Shapes with any of these categories (mo_filter) are sensors, as in mo_contact_tracker_def:
  /// they have no impacts. Volumes are always sensors. 0 by default.
  uint64_t sensor_categories;
  /// Triangles of meshes are one-sided: an impact counts only if the other shape touches the front,
  /// to which the normal by the right-hand rule from the winding points (mirrored transforms are
  /// taken into account). Degenerate triangles always count. Sensors are crossed from either side.
  bool cull_back_faces;
  /// If not null: called for pairs that pass the filters. It returns false if the pair has no
  /// impact or crossing. It may be called several times for a pair, and from several threads at
  /// once.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  void *context;   ///< passed to `accept`
  uint32_t cookie; ///< set by mo_default_impact_search; not for the caller
} mo_impact_search;

/// A pair, of which one or both are sensors, that touches along its path. The times are those of
/// the first and the last touch, even if the pair separates in between (as a shape that passes
/// through a closed mesh, which is only its surface, or one that rotates).
typedef struct mo_crossing {
  mo_pair pair; ///< the shape with the lower index first
  float enter;  ///< time of first touch: 0 to 1, rounded down; 0 if they touch at the start
  float leave;  ///< time of last touch: `enter` to 1, rounded up; 1 if they touch at the end
  bool entered; ///< the shapes do not touch at the start, t = 0
  bool left;    ///< the shapes do not touch at the end, t = 1
} mo_crossing;

MO_BEGIN_DECLS

/// A slop of 0.005, a core of 0.5.
MO_API mo_impact_def mo_default_impact_def(void);

/// Finds the impact of two moving primitives (world). In `impact` no shapes and triangles are set.
/// A null movement means that the primitive stands still. A volume is its world box, which rotates
/// with it.
///
/// The method is conservative advancement (Mirtich 1996), with steps proportional to the square
/// root of the distance where shapes rotate. So t is never later than the impact, and never after
/// the first touch, whatever the speeds and however thin the primitives.
///
/// The number of steps is bounded. After 512 of them, as where a very large shape glides along
/// another one at little more than the slop, a gap of the slop plus 1/512 of the path counts as an
/// impact, where the path is the longest that a point of one primitive may make relative to the
/// other. Each further step covers at least 1/512 of the time. A half-space that rotates about an
/// axis perpendicular to its normal has an impact with another half-space at once.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also for a null hull); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if a rotation leads beyond MO_MAX_COORDINATE);
/// MO_ERROR_INVALID_ARGUMENT (a negative slop; a core that is not from 0 to 1; an angle beyond 2 pi
/// or without an axis; what mo_primitive_cast_ray says of primitives). Cost: some 3 to 10 distance
/// computations, of 0.3 to 25 µs each, if there is an impact; up to some 200 if the primitives
/// rotate and pass close by; never more than 2,064; no memory. Any number of threads may call at
/// once.
MO_API mo_result mo_find_impact(const mo_primitive *a, const mo_movement *movement_a,
                                const mo_primitive *b, const mo_movement *movement_b,
                                const mo_impact_def *def, mo_impact *impact);

/// A def without another mesh, which the caller has to set, with both meshes at the origin and at
/// rest, and with the default impact def.
MO_API mo_impact_mesh_def mo_default_impact_mesh_def(void);

/// Finds the impact of two meshes that may both move and rotate, under any affine transforms: the
/// same as mo_scene_find_impacts would find for shapes of them, of which the mesh has the lower
/// index and is the mover. So it is the least of mo_find_impact over all pairs of their triangles,
/// bit for bit; at the same t the one with the lowest triangle of the mesh, then of the other one.
/// In `impact` no shape is set. Pairs of triangles that intersect at t = 0 have no impact.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also the `other` of the def); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if a transform or a rotation takes a mesh, or a
/// corner of its box, beyond MO_MAX_COORDINATE); MO_ERROR_INVALID_ARGUMENT (what mo_find_impact
/// says of movements and of the impact def). Method: a sweep cuts the movement into parts, which
/// are halved where many pairs of triangles are close; each takes one or two traversals of both
/// octrees, as those of mo_mesh_test_overlap_mesh, of which most end early. If there are many close
/// pairs, each triangle of the mesh that comes near `other` takes a traversal of the octree of
/// `other` along its path. Cost: the sweep takes at most 1,024 traversals, and mo_find_impact for
/// at most as many pairs as both meshes have triangles, mostly few: those that come within the slop
/// and about 1/300 of the path of the fastest point before the impact, or touch from the start. If
/// that is not enough, as for meshes that slide or rotate close to each other, mo_find_impact is
/// called for each pair of which the paths come close, once. `pair_count` and `distance_count` in
/// `stats` say how many. So it is cheaper where a step moves meshes by no more than some of their
/// triangles. 64 KiB of stack; no memory. Any number of threads may call at once.
MO_API mo_result mo_mesh_find_impact_mesh(const mo_mesh *mesh, const mo_impact_mesh_def *def,
                                          mo_impact *impact, mo_query_stats *stats);

/// No movers, the default def, no sensors but volumes, both sides of triangles, no callback.
MO_API mo_impact_search mo_default_impact_search(void);

/// Finds the first impact of each mover. impacts[i] is that of movers[i], which is its first shape;
/// the array has `count` elements. If two movers collide, both have that impact, if both search for
/// it. Each impact is found as if no other shape were stopped. For what happens after the first
/// impact of either shape, the host must search again, with the others placed where they were
/// stopped.
///
/// Which shapes collide is as for pairs (motte/pairs.h): each filter must accept the other shape;
/// two shapes that are static or kinematic do not collide, nor do two of one body. Sensors are
/// never hit. A mesh is the set of its triangles, two-sided unless `cull_back_faces` is set, each
/// tested on its own. The impact is the earliest of mo_find_impact over all shapes and triangles,
/// bit for bit, with the shape of the lower index as the first of the two primitives. Of impacts at
/// the same t the one with the lower shape is taken, then that with the lower child of the mover,
/// the lower child of the other, the lower triangle of the mover, the lower triangle of the other.
/// A compound is its children, which move with it; two of them must also pass the filter of each
/// other, and a child may be a sensor by itself. Meshes may move and rotate, and collide with
/// other meshes, as all pairs of their triangles. Triangles have no cores, so a mesh that slides
/// over another one is stopped where any new triangles touch. For a shape made of convex parts,
/// move the parts instead.
///
/// Work is spread over the scene's tasks; the answers do not depend on the number of workers. With
/// `stats` (may be null) the work is counted, and done by the calling thread alone.
///
/// Errors, with impacts as they were: MO_ERROR_NULL_ARGUMENT (also the arrays, where `count` is not
/// 0); MO_ERROR_UNINITIALIZED_DEF; for movers: MO_ERROR_STALE_ID, MO_ERROR_NOT_FINITE,
/// MO_ERROR_OUT_OF_RANGE, MO_ERROR_INVALID_ARGUMENT (an angle beyond 2 pi or without an axis; no
/// such partners; a shape twice); for the def, the same as of mo_find_impact;
/// MO_ERROR_INVALID_ARGUMENT where `count` is more than the scene has shapes (then no mover is
/// read). `*first_bad` (may be null) is then the index of the refused mover, the lowest if there
/// are several (for a shape that is given twice, the second), else MO_NO_INDEX.
///
/// Cost: O(count log count). For each mover one traversal of the octree along its path, nearer
/// nodes first, as for a cast; one traversal of the octree of each mesh near that path; and some 5
/// to 30 distance computations for each shape and triangle that the core's path meets. What the
/// core stays clear of costs much less: a triangle whose plane is farther from the core than it
/// moves, some 0.1 µs; other shapes, one distance computation. Two meshes cost what
/// mo_mesh_find_impact_mesh says. However shapes move and rotate, a mover and another shape are
/// tested once, a mesh as each of its triangles. Of two meshes each pair of triangles is tested at
/// most once, after a sweep that tests at most as many pairs as both meshes have triangles
/// together. A test takes no more distance computations than mo_find_impact. `pair_count` and
/// `distance_count` in `stats` say how many there were. Up to 64 KiB of stack in each task.
MO_API mo_result mo_scene_find_impacts(const mo_scene *scene, const mo_impact_search *search,
                                       mo_impact *impacts, size_t *first_bad,
                                       mo_query_stats *stats);

/// Finds all sensors that movers cross, and all shapes that movers which are sensors cross: each
/// pair once, also a pair of two movers; sorted by pair. Writes up to `capacity` crossings, the
/// first in that order, and their `total` (which stops at UINT32_MAX). The scene must be as before
/// the step, and the movements must be those that were made: for a mover that was stopped at t, its
/// displacement and angle multiplied by t. The times of a pair refer to its own movements: t = 1 is
/// where these end.
///
/// Which shapes are tested is as in mo_scene_find_impacts. Shapes touch where mo_find_impact with a
/// slop of 0 and a core of 1 would stop them, and at the start if they are as close as that or
/// overlap: within 2^-20 of the extents of the smaller shape or 2^-39 of the coordinates. So no
/// touch is missed, whatever the speeds and however thin the sensor. A volume is the world box that
/// it has at the start, which rotates with it. A mesh is only its surface: a shape inside a closed
/// mesh does not touch it. Glides of more than 512 steps may count as touches, as in
/// mo_find_impact.
///
/// Work is spread over the scene's tasks; the answers do not depend on the number of workers.
/// Errors, with nothing written: those of mo_scene_find_impacts, with `*first_bad` (may be null) as
/// there; MO_ERROR_NULL_ARGUMENT (`total`; `crossings` where `capacity` is not 0). Cost: that of
/// mo_scene_find_impacts with a core of 1, but twice that for each shape and triangle touched, and
/// a mesh is searched along the whole path; O(log capacity) for each crossing, to keep them sorted.
MO_API mo_result mo_scene_find_crossings(const mo_scene *scene, const mo_impact_search *search,
                                         mo_crossing *crossings, uint32_t capacity, uint32_t *total,
                                         size_t *first_bad);

MO_END_DECLS

/** \} */

#endif
