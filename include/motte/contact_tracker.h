/** \defgroup contact_tracker Contact trackers (motte/contact_tracker.h)
 *
 * Two defaults of other headers suit queries, not physics. Set both before anything else:
 * - mo_mesh_build_options::edges of each mesh that bodies touch. Without it every triangle has
 *   contacts by itself, and what slides or rolls over a flat floor bumps into the edges inside it.
 * - mo_scene_def::margin of the scene, to MO_CONTACT_MARGIN. The default is 0: then contacts, and
 *   the data stored with them, are lost as soon as two shapes are the least bit apart, so what
 *   rests begins to touch again and again.
 *
 * A contact tracker keeps the contacts of a scene from step to step, for the solver of a physics
 * step. It reports which pairs of shapes begin and end to touch, recognizes the points that were
 * there before, and stores 16 bytes of solver data for each point, such as the impulses for warm
 * starting. A guide with code is include/docs/physics.md.
 *
 *     mo_scene_def def = mo_default_scene_def(); // once
 *     def.margin = MO_CONTACT_MARGIN;
 *     result = mo_scene_create(&def, &scene);
 *     mo_contact_tracker *tracker;
 *     result = mo_contact_tracker_create(scene, NULL, &tracker);
 *     // in each step:
 *     result = mo_scene_set_transforms(scene, ids, transforms, count, NULL);
 *     result = mo_scene_update(scene, NULL);
 *     mo_contact_events events;
 *     result = mo_contact_tracker_update(tracker, &events);
 *     // solve events.contacts, and store impulses in `memory` of their points
 *
 * Contacts are those of mo_scene_collide_pair (motte/contact.h) for each pair of the scene
 * (motte/pairs.h), except at seams. Shapes whose stored AABBs do not touch have none. Speculative
 * contacts, which begin before shapes touch, need a margin of half the speculative distance:
 * MO_CONTACT_MARGIN goes with the default, for bodies of about a metre. Stored AABBs are not
 * recomputed for each small move (mo_shape_def), so slow shapes may get speculative contacts later,
 * but never after they touch.
 *
 * An update computes the contacts of pairs in which a shape has changed; other pairs keep theirs.
 * For two convex shapes that were apart, the last separating axis is tested first; for boxes and
 * hulls, the search for the normal starts at the last one. The results do not depend on this:
 * contacts are a function of the current poses, unless a `reuse_distance` is set.
 *
 * Seams: where a floor or wall consists of several shapes side by side, points are removed that lie
 * on an edge inside the common surface (ghost contacts). Children of compounds count as shapes. The
 * rule is in include/docs/seams.md. A contact that loses all points is removed. `keep_seams` turns
 * this off.
 *
 * Contacts at rest: a contact is at rest if both shapes are asleep, or one is asleep and the other
 * static, or kinematic and not moving. Contacts at rest are not in the arrays of events, and an
 * update does not read them, so they cost nothing. They keep the memory of their points. They
 * return to the arrays with the next update after one of their shapes has woken or changed (moved,
 * also while asleep, or got another geometry, filter or motion); if that ends the touch, there is
 * an event. So the events show which sleeping shapes have lost their support, and which of them
 * something awake runs into. The host wakes shapes: mo_contact_tracker_find_sleepers lists what
 * rests with a shape, and mo_contact_tracker_wake returns its contacts in the same step.
 *
 * If the scene's origin is shifted (mo_scene_shift_origin), contacts stay valid, and the positions
 * of their points are shifted too.
 *
 * Thread rule: a function that takes a non-const tracker needs exclusive access to the tracker and
 * its scene; others may run beside queries. Work is spread over the scene's tasks, with the same
 * results for any number of workers. A scene may have several trackers.
 */
#ifndef MOTTE_CONTACT_TRACKER_H
#define MOTTE_CONTACT_TRACKER_H

#include <motte/contact.h>

/** \{ */

/// The margin of shapes (mo_scene_def::margin) for the default speculative distance of a tracker:
/// half of it, in world units. Without a margin two shapes lose their contacts, and the memory of
/// their points, as soon as their AABBs are the least bit apart.
#define MO_CONTACT_MARGIN 0.01f

/// The contacts of a scene, kept from update to update.
typedef struct mo_contact_tracker mo_contact_tracker;

typedef struct mo_modified_pair mo_modified_pair;

/// Material of a contact, for the solver.
typedef struct mo_contact_material {
  float friction;    ///< coefficient of friction; 0.5 by default
  float restitution; ///< 0: no bounce, 1: none of the speed is lost; 0 by default
  /// Velocity of the surface of `b` relative to that of `a`, in addition to the motion of the
  /// bodies, as of conveyor belts. World, units per second; zero by default.
  mo_vec3 surface_velocity;
} mo_contact_material;

/// Options of a contact tracker.
typedef struct mo_contact_tracker_def {
  float speculative_distance; ///< as in mo_collide_def; 0.02 by default
  /// Speculative contacts of fast shapes: the distance at which contacts begin grows with the speed
  /// of approach, up to this limit. A point is kept if its separation is at most
  /// `speculative_distance` plus the distance by which the shapes approach along the normal in a
  /// step, by the velocities and the `lookahead` of the update (mo_update_def) in which each shape
  /// last moved; and at most this. World units, not negative. 0 by default, as is any value up to
  /// `speculative_distance`: velocities do not matter. Contacts remain a function of the scene, of
  /// its poses and velocities.
  ///
  /// Give velocities to all shapes that move, with the length of a step as the `lookahead`. Then
  /// two shapes that overlap after a step had a contact before it, if they did not rotate, the
  /// limit was large enough, and their relative motion was that of their velocities to within
  /// `speculative_distance` (with MO_CONTACT_MARGIN as the margin); acceleration may add that much.
  ///
  /// A mesh with `edges` has contacts at a distance only where its distance is least. If none of
  /// them is kept, the shape is cast along its path, and has a contact of one point with the
  /// triangle that it touches first (of two meshes, the one with fewer triangles is cast at the
  /// other). So a shape that flies has a contact in time. One that slides along such a mesh towards
  /// a part that rises may touch that part before it has a contact. Children of compounds are cast,
  /// and met, as shapes by themselves.
  ///
  /// Rotation, by which the end of a long body may be faster than its origin, and changes by the
  /// solver are not taken into account. Use mo_scene_find_impacts (motte/continuous.h) for what
  /// must never pass through anything. A speculative contact acts along a plane, so it may slow
  /// down a body that would pass an edge closely. Cost: contacts with everything near the path of a
  /// fast shape; twice the work for shapes that slide fast over others; a cast for each fast shape
  /// above a mesh with `edges`.
  float max_speculative_distance;
  bool cull_back_faces; ///< as in mo_collide_def
  /// Keep all points at seams (include/docs/seams.md); false by default.
  bool keep_seams;
  /// How points are recognized. A point of the current update is matched with one of the previous
  /// update, in this order: with one of the same id, children and triangles; with one of the same
  /// id inside another triangle of the same shape or child, in a contact of nearly the same normal
  /// (as of a corner of a box that slides over triangles); with the closest unmatched point of the
  /// pair that has moved by at most this distance, as seen from the origin of either shape. World
  /// units, not negative; 0.01 by default.
  float match_distance;
  /// Reuses the contacts of shapes that hardly move relative to each other: as long as they have
  /// moved by at most this distance since their contacts were computed, over any number of updates,
  /// their manifolds move along with them. Each point moves with both shapes, the normal with the
  /// larger shape, and separations are computed again. The motion is measured by an upper bound of
  /// how far any point of the smaller shape has moved, as seen from the larger one.
  ///
  /// This makes most contacts cheap where bodies rest or move together. The deepest separation of
  /// two convex shapes may be off by twice this distance, in addition to what the choice of a
  /// normal leaves open (mo_collide). Contacts with a mesh are those of a pose at most this
  /// distance away. Points may be off along their face by as much. Shapes that approach each other
  /// may have their first contact only when they are closer than the speculative distance by twice
  /// this, but while they have none they count as moved from half of the speculative distance on,
  /// so that they have one before they touch. While all contacts of a shape are reused, the same
  /// points are removed at seams as before. Contacts then depend on earlier poses, but not on the
  /// number of workers. `modify` is called for reused contacts too, and gets them without its
  /// earlier changes. Contacts that are always computed: of volumes, and compounds with volumes; of
  /// shapes whose scale, shear or filter has changed, or that were refreshed or got another
  /// geometry; of shapes whose x axis is scaled by zero, or is within 0.6 degrees of their y axis.
  /// Contacts are not kept for reuse where the shapes have moved by more than half of this,
  /// relative to each other, in each of the last two updates.
  ///
  /// World units, not negative. 0 by default: nothing is reused, and contacts are a function of the
  /// current poses.
  float reuse_distance;
  /// Merges the contacts of two bodies (mo_shape_def::body) that lie in one plane to at most four
  /// points in all, as of a body made of many boxes or hulls on a floor of tiles, so that a solver
  /// has no more work than for two boxes. Shapes without a body are bodies of their own: their
  /// contacts with several triangles are merged. False by default; but the contacts of two meshes
  /// or height fields, of which each pair of triangles has some, are merged in any case, as if each
  /// were a body of its own.
  ///
  /// The plane is that of the contact with the deepest point, the first if there are several:
  /// through that point, perpendicular to its normal. Another contact of the two bodies is in the
  /// plane if it has the same material, its normal (from the same body to the other) is within two
  /// degrees, and all its points are within `speculative_distance` of the plane. If all contacts in
  /// the plane have more than four points together, four are kept that span a large area, one of
  /// the deepest among them, as in mo_collide (of more than 129 points, from among those that are
  /// farthest in 64 directions in the plane, and the deepest). The remaining contacts form further
  /// planes in the same way, up to 64 for two bodies; contacts beyond those are not merged.
  ///
  /// Contacts keep their shapes, triangles and material, and points their ids. A contact that loses
  /// all points stays without any, and touches as before (`touching`, `began`). Merging follows
  /// after `modify` and after seams. A point keeps its memory as long as it is among those that are
  /// kept. If one shape of a body changes, the contacts of the whole body are computed again, so
  /// that contacts remain a function of the poses.
  bool merge_coplanar;
  /// Shapes with one of these categories (mo_filter) are sensors: their contacts have no points.
  /// Volumes are always sensors. A placement of a compound that is a sensor has one contact, with
  /// the first child that is touched. A child with one of these categories is a sensor by itself:
  /// it has one contact with each shape or child that overlaps it. 0 by default.
  uint64_t sensor_categories;
  /// Logs why contacts are as they are, at MO_LOG_DEBUG, for each pair of which a shape has one of
  /// these categories: for each triangle of a mesh with `edges` that is near the other shape,
  /// whether its contact is kept, removed or made, and by which rule; which triangles share a
  /// contact because they lie in one plane; and which points are removed at seams, by merging, or
  /// because shapes approach too slowly. An example: "contact rule: slots 3 and 7, triangle 12:
  /// removed, hidden by a nearer triangle". Contacts do not depend on it. Lines come from the
  /// workers of the scene's tasks, those of a triangle twice where a pair is searched twice. 0 by
  /// default: nothing is logged, at no cost.
  uint64_t log_categories;
  /// Called, if not null, for each pair that passes the filters. If it returns false, the pair has
  /// no contacts, as for mo_pair_tracker_def.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  /// Called, if not null, for each pair whose contacts were computed. The host may reject contacts
  /// (one-way platforms), set the material (friction, belts) and adjust manifolds. After it, points
  /// at seams are removed, points matched and events found. Not called for pairs without points
  /// (sensors, volumes, two half-spaces), nor for unchanged ones (mo_tracked_contact::unchanged),
  /// which stay as they are until one of their shapes changes or is marked by
  /// mo_contact_tracker_refresh_shape.
  ///
  /// Called by the workers of the scene's tasks, for several pairs at once and in any order, each
  /// pair once in an update; possibly in an update that fails, and again when that is repeated. It
  /// may query the scene, and must not change scene or tracker. If what it does depends on its
  /// arguments and the scene alone, contacts do not depend on the number of workers.
  void (*modify)(mo_modified_pair *pair, void *context);
  mo_contact_material material; ///< of all contacts, before `modify`
  void *context;                ///< passed to `accept` and `modify`
  uint32_t cookie;              ///< set by mo_default_contact_tracker_def; not for the caller
} mo_contact_tracker_def;

/// Solver data of a point, kept from update to update; the library does not use it.
typedef struct mo_point_memory {
  float values[4]; ///< zeros for a new point
} mo_point_memory;

/// A contact that is kept from update to update.
typedef struct mo_tracked_contact {
  mo_contact contact; ///< where the shapes touch now; without points for sensors
  /// Solver data of each point. The host may write it until the next update.
  mo_point_memory memory[MO_MAX_MANIFOLD_POINTS];
  mo_contact_material material; ///< that of the def, or as set by `modify`
  uint64_t pair_state;          ///< mo_modified_pair::state of the pair
  /// Which children of compounds it is of: a hash of the ids on the paths to both, by which points
  /// are recognized after the numbers of children have changed. 0 if neither shape is a compound.
  uint64_t children;
  uint8_t kept; ///< bit i: point i was matched with a point of the last update, and has its memory
  /// Whether the pair touches: it has overlapped, and has not been farther apart than the
  /// speculative distance since (sensors: it overlaps). The same for all contacts of a pair.
  bool touching;
  bool began;     ///< the pair touches now, and did not at the last update
  bool unchanged; ///< neither shape has changed since the update before
  /// Rejected by `modify`: it has no points, and does not count for `touching`.
  bool rejected;
} mo_tracked_contact;

/// The contacts of a pair, for mo_contact_tracker_def::modify.
struct mo_modified_pair {
  /// Sorted by children, then by triangles. User data of shapes and of triangles are set. `modify`
  /// may change `material`; `rejected`, which is false at first; and of `contact.manifold` the
  /// normal and the points, some of which it may leave out, but it may add none. All else is
  /// read-only; `memory`, `kept`, `touching` and `began` are not set yet. Points are matched after
  /// the changes, with the points of the previous update as `modify` left them.
  mo_tracked_contact *contacts;
  uint32_t contact_count; ///< length of `contacts`, at least 1
  /// A number of the host, to read and write: the value after the last update, also if all contacts
  /// were rejected; 0 if the pair had no contacts then. Use it, for example, to note that a body is
  /// passing a one-way platform.
  uint64_t state;
};

/// The result of an update. The arrays belong to the tracker, and are valid until its next update,
/// also if that fails; null if empty.
typedef struct mo_contact_events {
  /// All contacts except those at rest, sorted by (a.index, b.index, child_a, child_b, triangle_a,
  /// triangle_b). The host may change the `memory` of points, and nothing else.
  mo_tracked_contact *contacts;
  const mo_pair *begins;  ///< pairs that touch now and did not before, sorted
  const mo_pair *ends;    ///< pairs that no longer touch, sorted; removed shapes by their old ids
  uint32_t contact_count; ///< length of `contacts`
  uint32_t begin_count;   ///< length of `begins`
  uint32_t end_count;     ///< length of `ends`
} mo_contact_events;

/// Statistics of a tracker: its contents, and counters of the last update.
typedef struct mo_contact_tracker_stats {
  uint32_t pair_count;      ///< pairs whose AABBs touch
  uint32_t contact_count;   ///< contacts of these pairs, except those at rest
  uint32_t resting_count;   ///< contacts at rest
  uint64_t update_count;    ///< calls of mo_contact_tracker_update that succeeded
  uint32_t computed_count;  ///< pairs whose contacts the last update computed
  uint32_t reused_count;    ///< pairs whose contacts the last update reused (`reuse_distance`)
  uint32_t unchanged_count; ///< contacts that were unchanged, except those at rest
  /// Computed pairs whose shapes are still apart along the separating axis of the previous update,
  /// so that no search was necessary.
  uint32_t apart_by_axis_count;
  /// Computed pairs that had no contacts before, and whose shapes are apart as boxes around them
  /// show, oriented as the shapes are; of these no axis is kept.
  uint32_t apart_by_bounds_count;
  size_t bytes; ///< all memory of the tracker, including its pairs
} mo_contact_tracker_stats;

/// "No island" among mo_islands::island_of_contact.
#define MO_NO_ISLAND UINT32_MAX

/// Islands: groups of shapes that contacts and joints connect. A solver may treat each by itself,
/// and each falls asleep as a whole. Contacts with points connect, and so do joints
/// (mo_contact_tracker_set_joints) of which one end is awake. All shapes of a body
/// (mo_shape_def::body) are in one island, whichever of them has contacts. Static and kinematic
/// shapes do not connect, and are in no island. The arrays belong to the tracker, and are valid
/// until its next update or change, or the next call that returns islands or sleepers; null if
/// empty.
typedef struct mo_islands {
  /// All shapes that are neither static nor kinematic and whose body has a contact with points or
  /// a joint, island by island. Islands are in the order of their lowest index; shapes ascend
  /// within each.
  const mo_shape_id *shapes;
  /// The shapes of island i are shapes[starts[i]] to shapes[starts[i + 1] - 1]; `island_count` + 1
  /// numbers.
  const uint32_t *starts;
  /// By island: whether the island must not fall asleep, because a kinematic shape that touches it
  /// or is joined to it has moved before the last update, or changed otherwise.
  const bool *kept_awake;
  /// For each contact of the last update its island; MO_NO_ISLAND for contacts without points and
  /// for contacts of two shapes that are static or kinematic.
  const uint32_t *island_of_contact;
  /// For each joint, in the order of mo_contact_tracker_set_joints, its island; MO_NO_ISLAND if
  /// neither shape is awake (dynamic, or kinematic and moving), if both are static or kinematic, or
  /// if one has been removed.
  const uint32_t *island_of_joint;
  uint32_t island_count; ///< how many islands there are
  uint32_t shape_count;  ///< length of `shapes`
} mo_islands;

MO_BEGIN_DECLS

/// Default definition: the defaults of the members, no sensors, no callbacks.
MO_API mo_contact_tracker_def mo_default_contact_tracker_def(void);

/// Makes a tracker for the contacts of a scene, owned by the caller and empty before its first
/// update. `def` may be null for the default, and is read during the call only. Memory comes from
/// the scene's host. Destroy the tracker before or after the scene. Two warnings may be logged: by
/// this call, if neither the scene nor one of its shapes has a margin of at least a quarter of the
/// speculative distance; and once by an update, if a mesh that was built without `edges`
/// (mo_mesh_build_options) has contacts for which they matter. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (negative distances);
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (distances beyond MO_MAX_COORDINATE);
/// MO_ERROR_OUT_OF_MEMORY. Cost: O(slots).
MO_API mo_result mo_contact_tracker_create(mo_scene *scene, const mo_contact_tracker_def *def,
                                           mo_contact_tracker **tracker);

/// Frees the tracker, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_contact_tracker_destroy(mo_contact_tracker *tracker);

/// Updates the contacts to the current state of the scene; call it right after mo_scene_update.
/// `events` may be null. Nothing is allocated in the steady state, where no more moves than before.
/// Errors: MO_ERROR_NULL_ARGUMENT (`tracker`); MO_ERROR_INVALID_ARGUMENT (its scene is gone;
/// `modify` has changed shapes or triangles of a contact, or added points); MO_ERROR_OUT_OF_MEMORY,
/// MO_ERROR_TOO_MANY (contacts are unchanged, and the update may be repeated). Cost: that of
/// mo_pair_tracker_update; of the contacts of pairs with a changed shape; of copying the other
/// contacts that are not at rest; for seams, a comparison of every two contacts of a changed shape
/// whose normals differ. Up to 128 KiB of stack in each task, and 12 KiB more for each level of
/// nesting of both compounds of a pair.
MO_API mo_result mo_contact_tracker_update(mo_contact_tracker *tracker, mo_contact_events *events);

/// Resumes a saved run: replaces the contacts that the first update of a new tracker has found by
/// saved ones, with their points' `memory`, `pair_state`, `touching` and the changes of `modify`.
/// `events` (may be null) receives the events of that update with these contacts, without begins
/// and ends. include/docs/physics.md has code.
///
/// To save a run: set the transforms of a step; then refresh all shapes that have a margin or a
/// velocity (mo_scene_refresh_shape); then update scene and tracker as always. (The stored bounds
/// decide which shapes are pairs, and depend on earlier moves. A shape that was refreshed before
/// its last move may have other bounds than in a new scene.) Then read the shapes
/// (mo_scene_get_shapes, mo_scene_get_shape), the contacts of that update, and the contacts at rest
/// of each shape (mo_contact_tracker_get_resting_contacts).
///
/// To resume it: add the shapes to an empty scene in the order of their old indices, so that the
/// new ones ascend in the same way; update the scene and a new tracker of the same def, and ignore
/// its events; then pass the saved contacts in any order, with the new ids as `a` and `b`. Children
/// of compounds must have the same numbers as when saved, so leave the same slots free. From the
/// next update on, contacts and events are those of the saved run, bit for bit, except for the ids.
/// (With a `reuse_distance` they differ by what that allows, as the first update computes all
/// contacts.)
///
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_ARGUMENT (the scene is gone; the tracker has
/// not been updated, or more than once; a contact of shapes that do not exist or are no pair of the
/// tracker, as in a scene that differs from the saved one; the same contact twice; a child or
/// triangle that the shape does not have; too many points); MO_ERROR_OUT_OF_MEMORY,
/// MO_ERROR_TOO_MANY. Nothing has changed then. Cost: O(count log count).
MO_API mo_result mo_contact_tracker_restore(mo_contact_tracker *tracker,
                                            const mo_tracked_contact *saved, uint32_t count,
                                            mo_contact_events *events);

/// Marks a shape as changed: the next update recomputes its contacts and calls `modify`. Use it if
/// `modify` would return something else now, for example because a belt has stopped. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is gone). Cost:
/// O(1).
MO_API mo_result mo_contact_tracker_refresh_shape(mo_contact_tracker *tracker, mo_shape_id id);

/// Finds the contacts of two shapes, in either order, among those of the last update: writes the
/// index of the first in mo_contact_events::contacts and their `count`, which is 0 if there are
/// none or they are at rest. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(log contacts).
MO_API mo_result mo_contact_tracker_find(const mo_contact_tracker *tracker, const mo_pair *pair,
                                         uint32_t *first, uint32_t *count);

/// Returns the contacts at rest of `count` shapes, and of the other shapes of their bodies, to the
/// arrays of events, at once instead of with the next update. `events` (may be null) receives the
/// events of the last update with these contacts added, marked as `unchanged`. Use it after waking
/// shapes (mo_scene_set_motion) because of the events of an update, so that the solver finds them
/// supported in the same step. The arrays of earlier events become invalid. Contacts of shapes that
/// are not awake at the next update come to rest again. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is gone); MO_ERROR_OUT_OF_MEMORY,
/// MO_ERROR_TOO_MANY (nothing has changed). Cost: O(contacts at rest of the shapes), and of copying
/// the contacts that are not at rest.
MO_API mo_result mo_contact_tracker_wake(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                         uint32_t count, mo_contact_events *events);

/// Copies the contacts at rest of a shape: up to `capacity` of them, in the order of
/// mo_contact_events, and their `total`. All their points are marked as kept. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is gone). Cost:
/// O(contacts of the shape at rest).
MO_API mo_result mo_contact_tracker_get_resting_contacts(const mo_contact_tracker *tracker,
                                                         mo_shape_id id,
                                                         mo_tracked_contact *contacts,
                                                         uint32_t capacity, uint32_t *total);

/// Finds the shapes to wake together with `count` shapes: those of the `count` that sleep, and all
/// sleeping shapes that are connected with one of them, directly or through others, by contacts at
/// rest with points, by joints or as shapes of one body. Each of the `count` stands for its whole
/// body. Static and kinematic shapes do not connect, except those among the `count` and of their
/// bodies. Writes up to `capacity` of the shapes, those of the lowest index, ascending, and their
/// `total`. A contact comes to rest with the first update that finds neither shape awake or
/// changed. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene
/// is gone); MO_ERROR_OUT_OF_MEMORY. Cost: O(contacts at rest of the shapes found), once O(slots).
MO_API mo_result mo_contact_tracker_find_sleepers(mo_contact_tracker *tracker,
                                                  const mo_shape_id *ids, uint32_t count,
                                                  mo_shape_id *sleepers, uint32_t capacity,
                                                  uint32_t *total);

/// Sets the joints of a simulation, replacing the previous ones: pairs of shapes, any of each body,
/// that are connected even where they do not touch. They affect mo_contact_tracker_find_islands and
/// mo_contact_tracker_find_sleepers alone; whether joined bodies collide is decided by filters and
/// `accept`. The array is copied. Joints of removed shapes are ignored. Errors:
/// MO_ERROR_NULL_ARGUMENT (`joints` where `count` is not 0); MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (the scene is gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed). Cost: O(count), a radix sort.
MO_API mo_result mo_contact_tracker_set_joints(mo_contact_tracker *tracker, const mo_pair *joints,
                                               uint32_t count);

/// Finds the islands of the contacts of the last update, except those at rest, by the current
/// motions, bodies and joints of the shapes. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_INVALID_ARGUMENT (the scene is gone, or shapes of contacts have been removed since the
/// update); MO_ERROR_OUT_OF_MEMORY. Cost: nearly O(contacts + joints + shapes of their bodies)
/// (union-find; Tarjan 1975), once O(slots).
MO_API mo_result mo_contact_tracker_find_islands(mo_contact_tracker *tracker, mo_islands *islands);

/// Statistics of the tracker. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1).
MO_API mo_result mo_contact_tracker_get_stats(const mo_contact_tracker *tracker,
                                              mo_contact_tracker_stats *stats);

/// Checks all invariants of the tracker and of its set of pairs, for tests: contacts are sorted,
/// each once, and of pairs, with up to four finite points and unit normals (not checked where
/// `modify` may have changed them); contacts at rest are in the lists of both their shapes, and
/// neither of the two shapes is awake; begins and ends agree with the contacts; the data kept for
/// the next update, joints and changes are consistent. Contacts are compared with the scene if
/// their shapes have not changed since the last update; the scene may be gone. Contacts may be of
/// triangles that mo_mesh_edit or mo_mesh_edit_heights has removed since. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT: a defect of the library, or the host has passed
/// contacts to mo_contact_tracker_restore that no update had found, or has changed more of the
/// contacts of events than it may. The log says which invariant is broken. Cost: O(slots + contacts
/// log contacts + pairs), and for each contact at rest O(contacts at rest of that of its shapes
/// that has fewer).
MO_API mo_result mo_contact_tracker_validate(const mo_contact_tracker *tracker);

MO_END_DECLS

/** \} */

#endif
