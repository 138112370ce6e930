/** \defgroup scene Scenes (motte/scene.h)
 *
 * Scenes: shapes in world space under a dynamic shape octree.
 *
 * Thread rule: any number of threads may query a scene at once (motte/query.h). A function that
 * takes a non-const mo_scene needs exclusive access to it. */
#ifndef MOTTE_SCENE_H
#define MOTTE_SCENE_H

#include <motte/geometry.h>
#include <motte/mesh.h>

/** \{ */

/// Shapes and the octree over them.
typedef struct mo_scene mo_scene;

/// Identifies a shape within one scene. A slot is reused with a new generation, so a stale id is
/// recognised. The id with all zeros is the null id; no shape ever has it.
typedef struct mo_shape_id {
  /// Index of the shape's slot; of equal answers, the one with the lower index wins.
  uint32_t index;
  uint32_t generation; ///< tells apart the shapes that use the slot one after the other; 1 or more
} mo_shape_id;

/// The maximum number of shapes in a scene.
#define MO_MAX_SHAPES 0x0fffffffu

/// How a shape takes part in pairs (motte/pairs.h). Queries ignore it, and any shape may be moved.
typedef enum mo_motion {
  MO_MOTION_DYNAMIC, ///< may move at any time
  /// Dynamic, but at rest for now. It keeps its pairs, and costs nothing while neither it nor its
  /// surroundings change. It can form the same pairs as a dynamic shape: two sleeping shapes that
  /// are added or moved to where they overlap become a pair.
  MO_MOTION_SLEEPING,
  MO_MOTION_STATIC, ///< moves rarely or never; two static shapes are never a pair
  /// Moved by the host alone, as a lift or a door: it may move at any time, and nothing moves it.
  /// It is never a pair with a static or another kinematic shape. It counts as awake.
  MO_MOTION_KINEMATIC,
} mo_motion;

/// The definition of a shape: geometry, transform, filter and user data.
typedef struct mo_shape_def {
  mo_geometry geometry;   ///< in the local frame
  mo_transform transform; ///< local to world
  uint64_t category;      ///< bits of the categories that the shape belongs to
  uint64_t mask;          ///< category bits of queries and shapes that may find it; see mo_filter
  uint64_t user_data;     ///< an arbitrary number of the host; returned with hits
  /// The rigid body that the shape belongs to: any number but 0 that the host gives to all shapes
  /// of a body, say an index plus 1 or an address. Two shapes of one body are never a pair, and
  /// contact trackers take them together (islands, sleep, merged contacts). They should have the
  /// same motion, and are moved by the host, each by its own transform. 0, the default: the shape
  /// is a body of its own. Takes 20 bytes or so for each slot of the scene as soon as a shape has
  /// one.
  uint64_t body;
  mo_motion motion; ///< how the shape takes part in pairs
  /// Margin of the stored bounds (a "fat AABB"), in world units: they are larger than the shape by
  /// this much on all sides. A move within the stored bounds costs next to nothing and leaves the
  /// shape's pairs as they are. The stored bounds are recomputed when the shape leaves them, or
  /// when they have become more than four margins too large. Queries by exact geometry do not
  /// depend on the margin; queries by boxes use the enlarged bounds (motte/query.h). Not negative,
  /// or MO_MARGIN_OF_SCENE. Volumes and half-spaces have no margin.
  float margin;
  uint32_t cookie; ///< set by mo_default_shape_def; not for the caller
} mo_shape_def;

/// The value of mo_shape_def::margin that stands for the margin of the scene's def.
#define MO_MARGIN_OF_SCENE (-1.0f)

/// How the shape octree chooses split planes and the node for each shape.
typedef enum mo_tree_policy {
  /// Up to three optional split planes per node, placed where they separate best; each shape is
  /// stored in the lowest octant that contains it (Shagam and Pfeiffer 2003).
  MO_TREE_IRREGULAR,
  /// Loose octree: a shape's centre selects the octant and its size the depth; cells are enlarged
  /// by the factor `looseness`, so they overlap (Ulrich 2000).
  MO_TREE_LOOSE,
  /// The classical octree, to compare with: split planes are in the middle of cubic cells, and each
  /// shape is stored in the lowest cell that contains it.
  MO_TREE_MIDPOINT,
} mo_tree_policy;

/// Options of the shape octree.
typedef struct mo_tree_options {
  mo_tree_policy policy; ///< how split planes and nodes for shapes are chosen
  /// A leaf splits above this many shapes, 1 to 1024; a subtree merges when it holds fewer than
  /// half as many.
  uint32_t capacity;
  uint32_t max_depth; ///< the maximum depth of the tree, 1 to MO_SCENE_MAX_DEPTH
  /// MO_TREE_IRREGULAR: a split plane is left out if more than this share of a node's shapes
  /// straddle it, 0 to 1.
  float max_straddlers;
  /// Shapes may reach out of their cell. This is the ratio of the size of the enlarged cell, which
  /// contains them, to the cell's own size. MO_TREE_LOOSE: above 1 and at most 4.
  /// MO_TREE_IRREGULAR: 1 to 4; at 1 every shape that straddles a plane stays at that plane's node,
  /// as in the paper, and every query then tests the small shapes that straddle planes near the
  /// root.
  float looseness;
  uint32_t cookie; ///< set by mo_default_tree_options; not for the caller
} mo_tree_options;

/// The largest legal value of mo_tree_options::max_depth.
#define MO_SCENE_MAX_DEPTH 32

/// Everything that mo_scene_create needs.
typedef struct mo_scene_def {
  mo_tree_options tree;          ///< options of the shape octree
  uint32_t expected_shape_count; ///< reserves memory for this many shapes; 0 for none
  float margin;    ///< margin of the shapes with MO_MARGIN_OF_SCENE, in world units; not negative
  mo_isa isa;      ///< the instruction set of queries and updates
  mo_host host;    ///< the scene's allocator, log and task hooks
  uint32_t cookie; ///< set by mo_default_scene_def; not for the caller
} mo_scene_def;

/// Input of mo_scene_update: moves, and limits. All arrays belong to the caller and are read during
/// the call only.
typedef struct mo_update_def {
  /// Ids of the shapes to move, before the tree is maintained; either all of them move or none. If
  /// an id occurs more than once, its last element counts.
  const mo_shape_id *ids;
  /// The new transforms, local to world: transforms[i] is that of ids[i].
  const mo_transform *transforms;
  /// Instead of transforms, for shapes that move without rotation: origins[i], in world space,
  /// becomes the origin of ids[i]. A quarter of the bytes, and the fastest way to move shapes.
  const mo_vec3 *origins;
  /// velocities[i] is the velocity of ids[i] in world units per second; the array may be null. The
  /// stored bounds of a shape are then enlarged to contain its whole path over the next `lookahead`
  /// seconds, provided that it does not rotate, so pairs are found before their shapes touch.
  /// Results of queries by exact geometry do not change, only their cost; queries by boxes use the
  /// enlarged bounds (motte/query.h). Bounds of volumes and half-spaces are not enlarged. The
  /// velocity and lookahead of a shape hold until its next move, with or without velocities, or
  /// until its bounds are recomputed (mo_scene_refresh_shape); contact trackers read them
  /// (mo_contact_tracker_def::max_speculative_distance). Takes 12 bytes for each slot of the scene
  /// from the first update with velocities on.
  const mo_vec3 *velocities;
  /// The time for which moves are predicted by `velocities`, in seconds; not negative.
  float lookahead;
  uint32_t count; ///< how many shapes to move; with 0 the arrays may be null
  /// Limit of the maintenance work on the tree. The work is counted as 1 for each examined node
  /// (nodes above a change are examined, after the changed nodes below them); 1 for each shape that
  /// maintenance moves to another node, or whose subtree is rebuilt; and 1 for every eight shapes
  /// of a node whose split planes are compared with newly chosen ones. Not counted are the moves
  /// themselves, and the tightening of the bounds of nodes, which every update completes. An update
  /// stops once the limit is reached, and the next one continues from there. With any limit but 0
  /// the whole tree is maintained in the end; until then queries are correct, only slower. A node
  /// is rebuilt as a whole, so an update may exceed the limit; the excess is subtracted from the
  /// limits of the following updates.
  uint64_t upkeep;
  /// Output, may be null: the index of the element that caused the error; see MO_NO_INDEX.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_update_def; not for the caller
} mo_update_def;

/// Statistics of a scene's octree: its present contents, and counters of past operations.
typedef struct mo_scene_stats {
  uint32_t shape_count;       ///< as mo_scene_shape_count
  uint32_t node_count;        ///< 8-wide inner nodes
  uint32_t leaf_count;        ///< children of nodes that are leaves
  uint32_t block_count;       ///< blocks of eight shape boxes
  uint32_t leaf_shape_count;  ///< shapes in leaves
  uint32_t inner_shape_count; ///< shapes stored at inner nodes: those that straddle planes; under
                              ///< MO_TREE_LOOSE, those whose size belongs to that level
  uint32_t unbounded_shape_count; ///< half-spaces: without bounds, outside the tree
  uint32_t plane_count;           ///< split planes in use
  uint32_t max_depth;             ///< depth of the deepest node; the root is at depth 0
  uint32_t shape_count_at_depth[MO_SCENE_MAX_DEPTH + 1]; ///< shapes at each depth
  /// Bytes of all memory that the scene has allocated.
  size_t bytes;
  size_t tree_bytes; ///< the part of `bytes` for nodes, blocks and the map from slots to blocks:
                     ///< the broad phase alone
  /// Expected number of nodes visited by a random line that hits the root's bounds.
  double expected_node_visits;
  /// Expected number of blocks visited by a random line that hits the root's bounds.
  double expected_block_visits;
  /** \name Counters since creation */
  /** \{ */
  uint64_t split_count; ///< leaves that became nodes
  uint64_t merge_count; ///< subtrees that became leaves
  /// Refused splits: a leaf stayed above capacity, as no plane would move a shape further down or
  /// the depth limit was reached.
  uint64_t refused_split_count;
  uint64_t dropped_plane_count; ///< planes left out because too many shapes straddled them
  uint64_t insert_count;        ///< shapes added
  uint64_t remove_count;        ///< shapes removed
  uint64_t graft_count;         ///< subtrees built in one go from shapes that were added together
  uint64_t stayed_move_count;   ///< moves after which the shape stayed in its node
  uint64_t reinsert_count;      ///< moves by removal and reinsertion
  /// Reinsertions of which the two level counts below are taken: one in 64.
  uint64_t traced_reinsert_count;
  /// Sum over the traced reinsertions: levels from the old node up to the lowest common ancestor of
  /// the old and the new node.
  uint64_t traced_level_up_count;
  /// Sum over the traced reinsertions: levels from the lowest common ancestor of the old and the
  /// new node down to the new node.
  uint64_t traced_level_down_count;
  /// Nodes that got new planes because the old ones no longer separated the shapes well.
  uint64_t replan_count;
  uint64_t plane_move_count;  ///< split planes of large nodes moved to the middle of their shapes
  uint64_t root_growth_count; ///< MO_TREE_LOOSE: how often the root cell doubled
  /// Rebuilds of the whole tree: always 0. Maintenance chooses new planes for one subtree at a
  /// time. Its number of shapes is at most 32 times the capacity or, below the root, what the
  /// update may spend. In a small scene this subtree may be the whole tree; that counts as a
  /// replan.
  uint64_t rebuild_count;
  /** \} */
} mo_scene_stats;

MO_BEGIN_DECLS

/// Default options: MO_TREE_IRREGULAR, capacity 16, `max_straddlers` 0.25, looseness 2.
MO_API mo_tree_options mo_default_tree_options(void);

/// Default definition: default tree, host and instruction set, no margin.
MO_API mo_scene_def mo_default_scene_def(void);

/// Makes an empty scene, owned by the caller. The def is read during the call only; its host must
/// outlive the scene. Any thread. Cost: O(expected shapes). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF (also of `tree`); MO_ERROR_INVALID_ARGUMENT (options, margin);
/// MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE (margin); MO_ERROR_TOO_MANY; MO_ERROR_OUT_OF_MEMORY;
/// MO_ERROR_UNSUPPORTED (isa).
MO_API mo_result mo_scene_create(const mo_scene_def *def, mo_scene **scene);

/// Frees the scene and releases its references to meshes, hulls and compounds. Its trackers and
/// watches (motte/pair_tracker.h, motte/watch.h) remain and must be destroyed by their owner. Null,
/// and the scene of the children of a compound, are ignored. Cost: O(slots).
MO_API void mo_scene_destroy(mo_scene *scene);

/// A dynamic def of the given type with identity transform, category 1, mask all, and geometry of
/// size one (unit sphere, box of half extents 1, ...), with the scene's margin. For a mesh, hull or
/// compound, the caller must set the object.
MO_API mo_shape_def mo_default_shape_def(mo_shape_type type);

/// Adds a shape and writes its id to `*id`. The def is read during the call only; a mesh, hull or
/// compound in it is retained until the shape is removed or gets another geometry. No query finds a
/// shape whose mask and category are both zero. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (type, motion, negative radius, extents or
/// margin, lower > upper; a half-space without a normal, or with a transform that has no inverse;
/// in a scene of children, what mo_compound_children refuses); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (also where the world bounds leave MO_MAX_COORDINATE); MO_ERROR_TOO_MANY
/// (shapes; levels of nested compounds); MO_ERROR_OUT_OF_MEMORY. Cost: O(depth), amortised.
MO_API mo_result mo_scene_add_shape(mo_scene *scene, const mo_shape_def *def, mo_shape_id *id);

/// Adds `count` shapes, all or none; ids[i] is the id of defs[i]. Errors as mo_scene_add_shape;
/// `first_bad` as in MO_NO_INDEX. The new shapes descend the tree together, partitioned by octant
/// at each node. Where they outnumber the shapes already there, both are built into one subtree;
/// where they lie beside the existing ones, they become a sibling subtree of their own. So the cost
/// of adding a tile of a level does not depend on the size of the level. Cost: O(depth) each, a
/// fraction of that of mo_scene_add_shape.
MO_API mo_result mo_scene_add_shapes(mo_scene *scene, const mo_shape_def *defs, uint32_t count,
                                     mo_shape_id *ids, size_t *first_bad);

/// Removes a shape; its id is stale from then on. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID. Cost: O(depth).
MO_API mo_result mo_scene_remove_shape(mo_scene *scene, mo_shape_id id);

/// Removes `count` shapes, all or none. If an id occurs twice, its second occurrence counts as
/// stale. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; `first_bad` as in MO_NO_INDEX. Cost:
/// O(depth) each.
MO_API mo_result mo_scene_remove_shapes(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                                        size_t *first_bad);

/// Sets a shape's transform, local to world. The shape stays in its node or is removed and
/// reinserted. Queries see the change at once. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (of a half-space: no
/// inverse); MO_ERROR_OUT_OF_MEMORY. Cost: O(1) where it stays, else O(depth).
MO_API mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id,
                                        const mo_transform *transform);

/// Moves `count` shapes, all or none: transforms[i] is for ids[i]. If an id occurs more than once,
/// its last element counts. Errors as mo_scene_set_transform; `first_bad` as in MO_NO_INDEX. Cost:
/// as mo_scene_set_transform for few shapes; many are moved together, as by mo_scene_update.
MO_API mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                         const mo_transform *transforms, uint32_t count,
                                         size_t *first_bad);

/// Gives a shape other geometry, keeping its id, transform, filter and user data; retains a mesh,
/// hull or compound in it, and releases the previous one. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (type, negative size, lower > upper; a half-space
/// without a normal, or for a shape whose transform has no inverse; in a scene of children, what
/// mo_compound_children refuses); MO_ERROR_TOO_MANY (levels of nested compounds);
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also of the world bounds); MO_ERROR_OUT_OF_MEMORY.
/// Cost: as mo_scene_set_transform.
MO_API mo_result mo_scene_set_geometry(mo_scene *scene, mo_shape_id id,
                                       const mo_geometry *geometry);

/// Tells the scene that a shape's mesh (mo_mesh_refit, mo_mesh_edit_heights) or compound
/// (mo_compound_update) has changed: updates the shape's stored bounds, and forgets its velocity
/// (mo_update_def). Until then, and after an error, the old bounds stay in use, so queries may miss
/// parts of the mesh or compound that lie outside them. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_OUT_OF_RANGE (the world bounds; the scene is unchanged and stays
/// valid. The bounds are updated by the next call that succeeds for the shape: this one once the
/// geometry is in range again, mo_scene_set_transform, mo_scene_set_geometry). Cost: as
/// mo_scene_set_transform.
MO_API mo_result mo_scene_refresh_shape(mo_scene *scene, mo_shape_id id);

/// Sets the category and mask of a shape; see mo_filter. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID. Cost: O(1).
MO_API mo_result mo_scene_set_filter(mo_scene *scene, mo_shape_id id, uint64_t category,
                                     uint64_t mask);

/// Sets the number of the rigid body that a shape belongs to (mo_shape_def::body); 0: it is a body
/// of its own. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_OUT_OF_MEMORY. Cost:
/// O(1), amortised.
MO_API mo_result mo_scene_set_body(mo_scene *scene, mo_shape_id id, uint64_t body);

/// Makes `count` shapes dynamic, static, sleeping or kinematic, all or none. This is how shapes are
/// put to sleep and woken. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (motion); `first_bad` as in MO_NO_INDEX. Cost: O(1) for each shape,
/// and O(depth) once for all shapes of the same leaf. One call for many shapes costs a tenth of as
/// many single calls.
MO_API mo_result mo_scene_set_motion(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                                     mo_motion motion, size_t *first_bad);

/// Sets the margin of a shape, in world units: not negative, or MO_MARGIN_OF_SCENE. Recomputes its
/// stored bounds with this margin, and forgets its velocity; the bounds of volumes and
/// half-spaces do not change. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_NOT_FINITE, MO_ERROR_INVALID_ARGUMENT (negative), MO_ERROR_OUT_OF_RANGE (the margin; or
/// as mo_scene_refresh_shape). Cost: as mo_scene_set_transform.
MO_API mo_result mo_scene_set_margin(mo_scene *scene, mo_shape_id id, float margin);

/// Sets the number that is returned with hits on the shape. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID. Cost: O(1).
MO_API mo_result mo_scene_set_user_data(mo_scene *scene, mo_shape_id id, uint64_t user_data);

/// An update def without moves and without a limit of maintenance work.
MO_API mo_update_def mo_default_update_def(void);

/// Moves the shapes of the def and then maintains the tree, once per frame: tightens the bounds of
/// what changed, merges subtrees that have become sparse, and chooses new split planes where the
/// old ones no longer separate. Queries are correct without maintenance, only slower. `def` may be
/// null for the default. Cost: proportional to what changed since the last call. Large batches of
/// moves run in parallel on the host's task hooks, with the same result for any number of workers.
/// Errors: MO_ERROR_NULL_ARGUMENT (`scene`, arrays of the def); MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT (transforms and origins both; lookahead negative or NaN); those of
/// mo_scene_set_transforms, also for velocities (nothing has changed); MO_ERROR_OUT_OF_MEMORY (the
/// scene stays valid and may be updated again).
MO_API mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def);

/// Frees memory that is not needed now: workspace, and capacity for more shapes than there ever
/// were. This covers the scene and its pair trackers, contact trackers and watches; their arrays of
/// events, contacts and islands become invalid. Later calls allocate again what they need. Trackers
/// also shrink by themselves: once in 64 updates they free buffers of which at most a quarter was
/// used since the last time. Where there is no memory to copy a buffer to a smaller one, that
/// buffer stays as it is. Errors: MO_ERROR_NULL_ARGUMENT. Cost: copying the memory that remains.
MO_API mo_result mo_scene_trim(mo_scene *scene);

/// Shifts the world's origin: adds `displacement`, in world units, to the origin of every transform
/// and to everything else that the scene stores in world coordinates. The point -displacement, for
/// example the player's position, becomes the new origin, so that coordinates stay small and floats
/// precise.
///
/// Queries then answer as for a scene whose transforms the caller has shifted by float addition.
/// Bounds with a margin or a velocity are shifted too, rounded outward. Pair trackers, contact
/// trackers and watches stay valid: their pairs, contacts (with the data stored per point) and
/// members remain, so the shift causes no events; regions of watches and world positions of
/// contacts are shifted too. The host must shift its own world coordinates: bodies, characters,
/// queries.
///
/// The spacing of floats grows with the distance from the origin: at 100 km, in metres, it is
/// 1/128. A shift there moves shapes relative to each other by up to that much, and a shift back
/// does not undo it. A shift by a multiple of the spacing at both places moves all shapes by
/// exactly the same amount. Where this rounding makes two shapes touch or separate, their pair
/// begins or ends when one of them changes next.
///
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (a shape, or a region
/// of a watch, would leave MO_MAX_COORDINATE); nothing has changed. Never fails for lack of memory.
/// Cost: for axis-aligned boxes that of copying the memory of the scene twice, for other shapes
/// that of an update in which all move a little; runs in parallel on the host's task hooks. It
/// costs more where the spacing of floats at the new place is larger than the shapes: the next
/// update then rebuilds parts of the tree.
MO_API mo_result mo_scene_shift_origin(mo_scene *scene, mo_vec3 displacement);

/** \name Current data of shapes
 * Each function copies data of a shape out of the scene; each setter has such a getter. Any thread
 * may call them while no thread changes the scene. Errors: MO_ERROR_NULL_ARGUMENT;
 * MO_ERROR_STALE_ID. Cost: O(1). */
/** \{ */

/// All data of a shape, as a def that may be added again; MO_MARGIN_OF_SCENE is replaced by the
/// number that it stood for. A mesh, hull or compound in the def is not retained: it is valid as
/// long as the shape uses it.
MO_API mo_result mo_scene_get_shape(const mo_scene *scene, mo_shape_id id, mo_shape_def *def);

/// The geometry of a shape, in its local frame. A mesh, hull or compound in it is not retained.
MO_API mo_result mo_scene_get_geometry(const mo_scene *scene, mo_shape_id id,
                                       mo_geometry *geometry);

/// The transform of a shape, from local to world.
MO_API mo_result mo_scene_get_transform(const mo_scene *scene, mo_shape_id id,
                                        mo_transform *transform);

/// The category and mask of a shape; see mo_filter.
MO_API mo_result mo_scene_get_filter(const mo_scene *scene, mo_shape_id id, uint64_t *category,
                                     uint64_t *mask);

/// The host's number that is returned with hits on the shape.
MO_API mo_result mo_scene_get_user_data(const mo_scene *scene, mo_shape_id id, uint64_t *user_data);

/// How a shape takes part in pairs.
MO_API mo_result mo_scene_get_motion(const mo_scene *scene, mo_shape_id id, mo_motion *motion);

/// The body of a shape; 0: it is a body of its own.
MO_API mo_result mo_scene_get_body(const mo_scene *scene, mo_shape_id id, uint64_t *body);

/// The margin of a shape in world units: its own, or that of the scene's def. The margin of a
/// volume or half-space has no effect.
MO_API mo_result mo_scene_get_margin(const mo_scene *scene, mo_shape_id id, float *margin);

/// The stored world AABB of a shape. It contains the shape, rounded outward, enlarged by its margin
/// and for its velocity (mo_update_def) if it has them. If the shape's mesh or compound has
/// changed, this is the box before the change, until mo_scene_refresh_shape. A half-space has no
/// stored box; the result is a box that contains it, with infinite sides, except that where its
/// normal is along an axis of the world its plane is one side.
MO_API mo_result mo_scene_get_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds);

/// The world AABB of a shape's geometry as it is now, rounded outward, without margin and velocity.
/// For a mesh or compound, this is the AABB of its transformed local box, which may be larger than
/// that of its triangles or children. For a half-space: as mo_scene_get_bounds. Errors: also
/// MO_ERROR_OUT_OF_RANGE (a mesh or compound that was changed reaches beyond MO_MAX_COORDINATE).
MO_API mo_result mo_scene_get_tight_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds);

/** \} */

/// True if `id` names a living shape of this scene; false for a null scene. Cost: O(1).
MO_API bool mo_scene_is_valid(const mo_scene *scene, mo_shape_id id);

/// The number of shapes in the scene; 0 for null. Cost: O(1).
MO_API uint32_t mo_scene_shape_count(const mo_scene *scene);

/// The tight world AABB around the stored AABBs of all shapes (mo_scene_get_bounds), including
/// margins and velocities, excluding half-spaces; current after every change. The result is the
/// empty box (lower = +inf, upper = -inf) for null and for a scene without other shapes. Cost: the
/// nodes at the sides of the box, O(log shapes) for evenly spread ones. Any thread, concurrently
/// with queries.
MO_API mo_aabb mo_scene_bounds(const mo_scene *scene);

/// Writes up to `capacity` ids of all shapes in ascending slot order, and their total number.
/// Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(slots).
MO_API mo_result mo_scene_get_shapes(const mo_scene *scene, mo_shape_id *ids, uint32_t capacity,
                                     uint32_t *total);

/// Writes up to `capacity` of the shapes of a body (mo_shape_def::body), those with the lowest
/// indices, ascending, and their total number. The total is 0 if no shape has this body number, and
/// for body 0. Any thread, as the functions above. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(n log n)
/// for a body of n shapes.
MO_API mo_result mo_scene_get_body_shapes(const mo_scene *scene, uint64_t body, mo_shape_id *ids,
                                          uint32_t capacity, uint32_t *total);

/// Statistics of the shape octree. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(nodes).
MO_API mo_result mo_scene_get_stats(const mo_scene *scene, mo_scene_stats *stats);

/// Checks every invariant: each shape stored exactly once where its slot says, inside its node's
/// cell, bounds nested, counts correct. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which
/// means a defect of the library; the host's log says which invariant is broken. Cost: O(shapes).
/// For tests.
MO_API mo_result mo_scene_validate(const mo_scene *scene);

MO_END_DECLS

/** \} */

#endif
