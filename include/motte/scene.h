/** \defgroup scene Scenes (motte/scene.h)
 *
 * Scenes: shapes in world space under a dynamic shape octree.
 *
 * Thread rule: any number of threads may query a scene at once (motte/query.h); functions that take
 * a non-const mo_scene must have it to themselves. */
#ifndef MOTTE_SCENE_H
#define MOTTE_SCENE_H

#include <motte/geometry.h>
#include <motte/mesh.h>

/** \{ */

/// Shapes and the octree over them.
typedef struct mo_scene mo_scene;

/// Names a shape of one scene. Slots are reused with a new generation, so a stale id is recognised.
/// All zero is the null id, which no shape ever has.
typedef struct mo_shape_id {
  uint32_t index;      ///< slot; lower indices win ties between equal answers
  uint32_t generation; ///< 1 or more
} mo_shape_id;

/// The most shapes that a scene may hold.
#define MO_MAX_SHAPES 0x0fffffffu

/// How a shape takes part in pairs (motte/pairs.h). It makes no difference to queries, and any
/// shape may be moved.
typedef enum mo_motion {
  MO_MOTION_DYNAMIC, ///< moves when it likes
  /// Dynamic, but at rest for now. It keeps its pairs and costs nothing while neither it nor what
  /// is near it changes. It is a partner like any other all the same: two sleeping shapes that are
  /// added where they overlap, or moved there, are a pair.
  MO_MOTION_SLEEPING,
  MO_MOTION_STATIC, ///< moves seldom if ever; two static shapes are never a pair
} mo_motion;

/// What a shape is, and where.
typedef struct mo_shape_def {
  mo_geometry geometry;   ///< in the local frame
  mo_transform transform; ///< local to world
  uint64_t category;      ///< bits of what the shape is
  uint64_t mask;          ///< bits of what it wants to be found by; see mo_filter
  uint64_t user_data;     ///< the host's; comes back with hits
  mo_motion motion;       ///< how the shape takes part in pairs
  /// World units by which the bounds that the shape is stored under are larger than the shape on
  /// all sides; a shape that moves within them costs next to nothing, and its pairs stay as they
  /// are. They are made anew when the shape leaves them or they have become more than four margins
  /// too large. Makes no difference to queries by exact geometry; those by boxes use the larger
  /// ones (motte/query.h). Not negative, or MO_MARGIN_OF_SCENE. Volumes and half-spaces have none.
  float margin;
  uint32_t cookie; ///< set by mo_default_shape_def; not for the caller
} mo_shape_def;

/// As a shape's margin: that of the scene's def.
#define MO_MARGIN_OF_SCENE (-1.0f)

/// Where the shape octree puts its planes and shapes.
typedef enum mo_tree_policy {
  /// Optional planes where they separate best, each shape in the lowest octant that contains it
  /// (Shagam and Pfeiffer 2003).
  MO_TREE_IRREGULAR,
  /// Octant by centre, depth by size; cells overlap by the factor `looseness` (Ulrich 2000).
  MO_TREE_LOOSE,
} mo_tree_policy;

/// How the shape octree is kept.
typedef struct mo_tree_options {
  mo_tree_policy policy; ///< where planes and shapes go
  /// A leaf splits above this many shapes, 1 to 1024; a subtree merges when it holds fewer than
  /// half as many.
  uint32_t capacity;
  uint32_t max_depth; ///< 1 to MO_SCENE_MAX_DEPTH
  /// Irregular: a plane that more than this share of a node's shapes straddle is left out, 0 to 1.
  float max_straddlers;
  /// How much larger than its cell what the cell's shapes may take up can be, as a ratio. Loose:
  /// above 1 and at most 4. Irregular: 1 to 4; at 1 every shape that straddles a plane stays at its
  /// node, as in the paper, and every query meets the small shapes on high planes.
  float looseness;
  uint32_t cookie; ///< set by mo_default_tree_options; not for the caller
} mo_tree_options;

/// The greatest depth that a shape octree may be given.
#define MO_SCENE_MAX_DEPTH 32

/// Everything that mo_scene_create needs.
typedef struct mo_scene_def {
  mo_tree_options tree;          ///< how the shape octree is kept
  uint32_t expected_shape_count; ///< memory for so many is reserved at creation; 0 for none
  float margin;                  ///< of shapes that have none of their own; not negative
  mo_isa isa;                    ///< the instruction set of queries and updates
  mo_host host;                  ///< memory, log and tasks of the scene
  uint32_t cookie;               ///< set by mo_default_scene_def; not for the caller
} mo_scene_def;

/// What an update is to do. All arrays are the caller's and are read during the call alone.
typedef struct mo_update_def {
  /// Shapes to move first, all or none; where an id occurs more than once the last one counts.
  const mo_shape_id *ids;
  /// transforms[i] goes to ids[i].
  const mo_transform *transforms;
  /// In place of transforms: the shapes move without turning, and origins[i], in the world, becomes
  /// that of ids[i]. A quarter of the bytes, and the quickest way to move.
  const mo_vec3 *origins;
  /// Of ids[i], in world units per second, or null. The bounds under which a shape is stored then
  /// hold it all the way through the next `lookahead` seconds, if it does not turn: pairs are found
  /// before they touch. Makes no difference to queries by exact geometry but for what they cost;
  /// those by boxes use the larger ones (motte/query.h). Volumes and half-spaces take no notice of
  /// it.
  const mo_vec3 *velocities;
  float lookahead; ///< seconds, not negative
  uint32_t count;  ///< how many shapes to move; with 0 the arrays may be null
  /// A limit to the upkeep of the tree. Counted are: 1 for each node that is examined because
  /// something below it changed, when all that changed below it has been; 1 for each shape that is
  /// moved to another node, or whose part of the tree is made anew; 1 for each eight shapes of a
  /// node whose planes are compared with fresh ones. The moves themselves are not counted, nor are
  /// the bounds above them, which every update makes tight. An update stops once the limit is
  /// reached, and the next one goes on from there: with any limit but 0 all of the tree gets its
  /// turn, and until then queries are right, only slower. A node is made anew as a whole, so an
  /// update may exceed the limit; the excess is taken from the limits of the updates after it.
  uint64_t upkeep;
  size_t *first_bad; ///< output, may be null: the element that is refused; see MO_NO_INDEX
  uint32_t cookie;   ///< set by mo_default_update_def; not for the caller
} mo_update_def;

/// What the octree of a scene is made of, and what has happened to it.
typedef struct mo_scene_stats {
  uint32_t shape_count;           ///< as mo_scene_shape_count
  uint32_t node_count;            ///< 8-wide inner nodes
  uint32_t leaf_count;            ///< children of nodes that have no children
  uint32_t block_count;           ///< blocks of eight shape boxes
  uint32_t leaf_shape_count;      ///< shapes in leaves
  uint32_t inner_shape_count;     ///< straddlers; under loose cells, shapes sized for the level
  uint32_t unbounded_shape_count; ///< half-spaces, which no box contains: beside the tree
  uint32_t plane_count;           ///< planes in use
  uint32_t max_depth;             ///< of a node; the root is at depth 0
  uint32_t shape_count_at_depth[MO_SCENE_MAX_DEPTH + 1]; ///< shapes at each depth
  size_t bytes;                                          ///< all memory the scene holds
  size_t tree_bytes;            ///< nodes, blocks and the slot map: the broad phase alone
  double expected_node_visits;  ///< by a random line that meets the root's bounds
  double expected_block_visits; ///< by a random line that meets the root's bounds
  /** \name Counters since creation */
  /** \{ */
  uint64_t split_count;           ///< leaves that became nodes
  uint64_t merge_count;           ///< subtrees that became leaves
  uint64_t refused_split_count;   ///< leaves left above capacity: no plane would take a shape down,
                                  ///< or the depth limit was reached
  uint64_t dropped_plane_count;   ///< planes left out because too many shapes straddled them
  uint64_t insert_count;          ///< shapes added
  uint64_t remove_count;          ///< shapes removed
  uint64_t graft_count;           ///< subtrees built at once of shapes that came together
  uint64_t stayed_move_count;     ///< moves after which the shape still belonged to its node
  uint64_t reinsert_count;        ///< moves by delete and reinsert
  uint64_t traced_reinsert_count; ///< one in 64, of which the levels below are counted
  /// Of traced reinserts: levels from where the shape was up to the lowest node above both places.
  uint64_t climbed_level_count;
  /// Of traced reinserts: levels from there down to where the shape went.
  uint64_t descended_level_count;
  uint64_t replan_count; ///< nodes whose planes were chosen anew because they no longer separated
  uint64_t plane_move_count;  ///< planes of large nodes moved to stay in the middle of their shapes
  uint64_t root_growth_count; ///< loose cells: times the root cell doubled
  /// Of the whole tree; stays 0. Planes are chosen anew for one subtree at a time, of at most 32
  /// times the capacity or (below the root) of what the update may spend; in a scene no larger than
  /// that, it may be all of it, and counts as a replan.
  uint64_t rebuild_count;
  /** \} */
} mo_scene_stats;

MO_BEGIN_DECLS

/// Irregular placement, capacity 16, a quarter of straddlers, looseness 2.
MO_API mo_tree_options mo_default_tree_options(void);

/// Default tree, host and instruction set, no margin.
MO_API mo_scene_def mo_default_scene_def(void);

/// Makes an empty scene, owned by the caller. The def is read during the call only; its host has to
/// outlive the scene. Any thread. Cost: O(expected shapes).
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF (also of `tree`);
/// MO_ERROR_INVALID_ARGUMENT (options, margin); MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE
/// (margin); MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY; MO_ERROR_UNSUPPORTED (isa).
MO_API mo_result mo_scene_create(const mo_scene_def *def, mo_scene **scene);

/// Frees the scene and gives back its references to meshes and hulls. Trackers and watches of it
/// (motte/pair_tracker.h, motte/watch.h) stay behind, to be destroyed by their owner. Null is
/// ignored. Cost: O(slots).
MO_API void mo_scene_destroy(mo_scene *scene);

/// A dynamic def of the given type with identity transform, category 1, mask all, and geometry of
/// size one (unit sphere, box of half extents 1, ...), with the scene's margin; a mesh or hull is
/// for the caller to set.
MO_API mo_shape_def mo_default_shape_def(mo_shape_type type);

/// Adds a shape; `*id` names it from now on. The def is read during the call only; a mesh or hull
/// in it is retained until the shape is removed or has other geometry. Nothing finds a shape whose
/// mask and category are both zero.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (type,
/// motion, negative radius, extents or margin, lower > upper; a half-space without a normal, or
/// with a transform that has no inverse); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (also where the world bounds leave MO_MAX_COORDINATE); MO_ERROR_TOO_MANY;
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(depth), amortised.
MO_API mo_result mo_scene_add_shape(mo_scene *scene, const mo_shape_def *def, mo_shape_id *id);

/// Adds `count` shapes, all or none; ids[i] names defs[i]. Errors as mo_scene_add_shape;
/// `first_bad` as in MO_NO_INDEX.
/// They are sorted down the tree together. Where they are many beside what is there they become one
/// subtree with it; where they lie beside it, one that hangs beside it: what a tile of a level
/// costs does not depend on the level. Cost: O(depth) each, a fraction of that of
/// mo_scene_add_shape.
MO_API mo_result mo_scene_add_shapes(mo_scene *scene, const mo_shape_def *defs, uint32_t count,
                                     mo_shape_id *ids, size_t *first_bad);

/// Removes a shape; its id is stale from then on. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID. Cost: O(depth).
MO_API mo_result mo_scene_remove_shape(mo_scene *scene, mo_shape_id id);

/// Removes `count` shapes, all or none. An id given twice counts as stale where it comes again.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; `first_bad` as in MO_NO_INDEX. Cost: O(depth)
/// each.
MO_API mo_result mo_scene_remove_shapes(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                                        size_t *first_bad);

/// Moves a shape: it stays in its node or is deleted and reinserted. Queries see it at once.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (of a half-space: no inverse); MO_ERROR_OUT_OF_MEMORY. Cost: O(1)
/// where it stays, else O(depth).
MO_API mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id,
                                        const mo_transform *transform);

/// Moves `count` shapes, all or none: transforms[i] goes to ids[i]. Where an id occurs more than
/// once the last one counts. Errors as mo_scene_set_transform; `first_bad` as in MO_NO_INDEX. Cost:
/// that of mo_scene_set_transform for few; many are moved together, as by mo_scene_update.
MO_API mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                         const mo_transform *transforms, uint32_t count,
                                         size_t *first_bad);

/// Gives a shape other geometry, keeping its id, transform, filter and user data; retains a mesh or
/// hull in it, and gives back the one before. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (type, negative size, lower > upper; a half-space without a normal, or
/// for a shape whose transform has no inverse); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (also of the world bounds); MO_ERROR_OUT_OF_MEMORY. Cost: as
/// mo_scene_set_transform.
MO_API mo_result mo_scene_set_geometry(mo_scene *scene, mo_shape_id id,
                                       const mo_geometry *geometry);

/// Takes notice that a shape's mesh has changed (mo_mesh_refit): stores the shape under the bounds
/// that it has now. Until then, and after an error, it keeps the bounds that it had: queries look
/// for it there, and may miss parts that have left them.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_OUT_OF_RANGE (the world bounds; the
/// scene is unchanged and stays valid. Bounds are renewed by the next call that succeeds for the
/// shape: this one when the mesh fits again, mo_scene_set_transform, mo_scene_set_geometry).
/// Cost: as mo_scene_set_transform.
MO_API mo_result mo_scene_refresh_shape(mo_scene *scene, mo_shape_id id);

/// Changes what a shape is and what it is found by. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID. Cost: O(1).
MO_API mo_result mo_scene_set_filter(mo_scene *scene, mo_shape_id id, uint64_t category,
                                     uint64_t mask);

/// Makes `count` shapes dynamic, static or sleeping, all or none: puts them to sleep, wakes them.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (motion);
/// `first_bad` as in MO_NO_INDEX. Cost: O(1) each, and O(depth) for those of a leaf together: many
/// in one call cost a tenth of as many calls.
MO_API mo_result mo_scene_set_motion(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                                     mo_motion motion, size_t *first_bad);

/// Gives a shape another margin, in world units: not negative, or MO_MARGIN_OF_SCENE. Stores it
/// under new bounds, with this margin and without those of a velocity; volumes and half-spaces are
/// stored as before. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_NOT_FINITE,
/// MO_ERROR_INVALID_ARGUMENT (negative), MO_ERROR_OUT_OF_RANGE (the margin; or as
/// mo_scene_refresh_shape). Cost: as mo_scene_set_transform.
MO_API mo_result mo_scene_set_margin(mo_scene *scene, mo_shape_id id, float margin);

/// Changes the number that hits hand back. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID.
/// Cost: O(1).
MO_API mo_result mo_scene_set_user_data(mo_scene *scene, mo_shape_id id, uint64_t user_data);

/// Moves nothing, and upkeep is not limited.
MO_API mo_update_def mo_default_update_def(void);

/// Ends a frame's changes, after moving the shapes that the def names: tightens the bounds of what
/// changed, merges what emptied, and chooses planes anew where they no longer separate. Queries are
/// correct without it, only slower. `def` may be null for the default.
/// Cost: proportional to what changed since the last call. Large batches are moved in parallel by
/// the host's task hooks, with the same result for any number of workers. Errors:
/// MO_ERROR_NULL_ARGUMENT (`scene`, arrays of the def); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (transforms and
/// origins both; lookahead negative or NaN); those of mo_scene_set_transforms, also for velocities
/// (nothing has changed); MO_ERROR_OUT_OF_MEMORY (the scene stays valid and may be updated again).
MO_API mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def);

/// Gives back memory that is not needed now: workspace, and capacity for more shapes than have been
/// there; of the scene, its pair trackers, contact trackers and watches, whose arrays of events,
/// contacts and islands end with it. What later calls need they allocate anew. Trackers also give
/// back by themselves, once in 64 updates, what was needed to a quarter at most since the last
/// time. Where there is no memory to copy what is kept, that stays as it is. Errors:
/// MO_ERROR_NULL_ARGUMENT. Cost: a copy of the memory that is kept.
MO_API mo_result mo_scene_trim(mo_scene *scene);

/// Moves the world: adds `displacement`, in world units, to the origin of every transform, and to
/// everything else that the scene stores in world coordinates. Makes the point -displacement the
/// new origin, say where the player is, so that coordinates stay small and floats fine.
///
/// Queries then answer as for a scene whose transforms the caller has shifted by float addition.
/// Bounds with a margin or a velocity move along, rounded outward. Pair trackers, contact trackers
/// and watches go on: pairs, contacts (with their points' memory) and members stay, so that no
/// event comes from the shift; regions of watches and world positions of contacts move along. What
/// the host has in world coordinates is for it to shift: bodies, characters, queries.
///
/// Floats get coarser with the distance from the origin: at 100 km in metres they are 1/128 apart,
/// so that a shift there moves shapes against each other by up to as much, and one back does not
/// undo that; one by a multiple of the spacing at both places moves all alike. Pairs that rounding
/// makes or parts begin or end when one of their shapes changes next.
///
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (a shape, or a region
/// of a watch, would leave MO_MAX_COORDINATE); nothing has changed. Never fails for want of memory.
/// Cost: for axis-aligned boxes that of copying the memory of the scene twice, for others that of
/// an update in which all move by little; in parallel by the host's task hooks. More where floats
/// at the new place are coarser than shapes: the next update then builds parts of the tree anew.
MO_API mo_result mo_scene_shift_origin(mo_scene *scene, mo_vec3 displacement);

/** \name What a shape is now
 * Each function copies out of the scene, by id; there is one for each that sets something. Any
 * thread may call them while none changes the scene. Errors: MO_ERROR_NULL_ARGUMENT;
 * MO_ERROR_STALE_ID. Cost: O(1). */
/** \{ */

/// All of a shape, as a def that may be added again; its margin is the number that
/// MO_MARGIN_OF_SCENE stood for. A mesh or hull in it is not retained: it lives as long as the
/// shape uses it.
MO_API mo_result mo_scene_get_shape(const mo_scene *scene, mo_shape_id id, mo_shape_def *def);

/// The geometry of a shape, in its local frame. A mesh or hull in it is not retained.
MO_API mo_result mo_scene_get_geometry(const mo_scene *scene, mo_shape_id id,
                                       mo_geometry *geometry);

/// Where a shape is: its transform from local to world.
MO_API mo_result mo_scene_get_transform(const mo_scene *scene, mo_shape_id id,
                                        mo_transform *transform);

/// The bits of what a shape is, and of what it wants to be found by; see mo_filter.
MO_API mo_result mo_scene_get_filter(const mo_scene *scene, mo_shape_id id, uint64_t *category,
                                     uint64_t *mask);

/// The number of the host's that comes back with hits.
MO_API mo_result mo_scene_get_user_data(const mo_scene *scene, mo_shape_id id, uint64_t *user_data);

/// How a shape takes part in pairs.
MO_API mo_result mo_scene_get_motion(const mo_scene *scene, mo_shape_id id, mo_motion *motion);

/// The margin of a shape in world units: its own, or that of the scene's def. That of a volume or
/// half-space makes no difference.
MO_API mo_result mo_scene_get_margin(const mo_scene *scene, mo_shape_id id, float *margin);

/// The world AABB under which a shape is stored: it contains the shape, rounded outward, and is
/// larger by its margin and for its velocity (mo_update_def) where it has them. Of a shape whose
/// mesh has changed it is that of the mesh before, until mo_scene_refresh_shape. A half-space is
/// stored under no box: the one that contains it has infinite sides, but for the side that its
/// plane is where its normal is along an axis of the world.
MO_API mo_result mo_scene_get_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds);

/// The world AABB of a shape's geometry as it is now, rounded outward, without margin and velocity.
/// Of a mesh: that of the image of its local box, which may be larger than that of its triangles.
/// Of a half-space: as mo_scene_get_bounds.
/// Errors: also MO_ERROR_OUT_OF_RANGE (a mesh that was changed reaches beyond MO_MAX_COORDINATE).
MO_API mo_result mo_scene_get_tight_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds);

/** \} */

/// True if `id` names a living shape of this scene; false for a null scene. Cost: O(1).
MO_API bool mo_scene_is_valid(const mo_scene *scene, mo_shape_id id);

/// How many shapes the scene holds; 0 for null. Cost: O(1).
MO_API uint32_t mo_scene_shape_count(const mo_scene *scene);

/// The tight box around all shapes' stored world AABBs (mo_scene_get_bounds), with what margins and
/// velocities add; without half-spaces; current after every change. A scene without other shapes
/// has the empty box (lower = +inf, upper = -inf), and so has null. Cost: the nodes at the sides of the box, O(log shapes) for
/// evenly spread ones. Any thread, beside queries.
MO_API mo_aabb mo_scene_bounds(const mo_scene *scene);

/// Writes up to `capacity` ids of all shapes in ascending slot order, and their total number.
/// Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(slots).
MO_API mo_result mo_scene_get_shapes(const mo_scene *scene, mo_shape_id *ids, uint32_t capacity,
                                     uint32_t *total);

/// Statistics of the shape octree. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(nodes).
MO_API mo_result mo_scene_get_stats(const mo_scene *scene, mo_scene_stats *stats);

/// Checks every invariant: each shape stored exactly once where its slot says, inside its node's
/// cell, bounds nested, counts right. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which names
/// a defect of the library; the host's log receives which. Cost: O(shapes). For tests.
MO_API mo_result mo_scene_validate(const mo_scene *scene);

MO_END_DECLS

/** \} */

#endif
