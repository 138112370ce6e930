/** \defgroup contact_tracker Contact trackers (motte/contact_tracker.h)
 *
 * Two defaults of other headers suit queries, not physics. Set both before anything else:
 * - mo_mesh_build_options::edges of each mesh that bodies touch. Without it every triangle has
 *   contacts by itself, and what slides or rolls over a flat floor bumps into the edges inside it.
 * - mo_scene_def::margin of the scene, to MO_CONTACT_MARGIN. The default is 0: then contacts, and
 *   what the host keeps with them, are lost as soon as two shapes are the least bit apart, so what
 *   rests begins to touch again and again.
 *
 * A contact tracker keeps the contacts of a scene from step to step: what a solver of physics reads
 * after each mo_scene_update. It knows which pairs of shapes begin and end to touch, which points
 * were there before, and keeps 16 bytes of the host's for each point, say the impulses that the
 * next step starts with.
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
 *     // solve events.contacts, and leave impulses in `memory` of their points
 *
 * Contacts are those that mo_scene_collide_pair (motte/contact.h) finds for each pair of the scene
 * (motte/pairs.h), except at seams (see below). Shapes whose stored AABBs do not touch have none.
 * For speculative contacts, which begin before shapes touch, give shapes a margin of half the
 * speculative distance: for bodies of about a metre MO_CONTACT_MARGIN as mo_scene_def::margin goes
 * with the defaults. As stored AABBs are not renewed for each small move (mo_shape_def), slow
 * shapes may get speculative contacts later; none comes after the shapes touch.
 *
 * Pairs of which no shape has changed keep their contacts; only the others are computed. For two
 * convex shapes that were apart, the last separating axis is kept and tested first: mostly it still
 * separates them. For boxes and hulls, the last normal tells where the search for the next one
 * starts. Contacts are a function of where shapes are, not of earlier updates, unless a
 * `reuse_distance` allows contacts of shapes that move little to be carried along.
 *
 * Seams. Where a floor or wall is made of several shapes side by side, a shape that slides or rolls
 * from one to the next would collide with the edge of the next one (a ghost contact), although that
 * edge lies inside the surface that they form together. Such points are removed. Take a shape, its
 * contact with a second one, and its contact along a face of a third, which carries it. A point of
 * the first contact is removed if all of this holds:
 * - some point of the first contact is near the stored AABB of another shape than the second one;
 * - it lies on the face of the third shape, or below;
 * - its normal leans over that face;
 * - it is not along a face of the second shape (to within 1.1 degrees, for rounded shapes a
 *   milliradian), unless that is a side: more than 45 degrees from the face of the third;
 * - where the normal leans to, the surface goes on: there the third shape, or another one that the
 *   shape may collide with, has a face in the same plane. If that holds for some point of the first
 *   contact, it may be a face of the second shape for others;
 * - the second shape does not rise above the face there, as a wall or a step does. Slopes of up to
 *   1 in 10 do not count as rising. For rounded shapes, which have one normal at a point, only what
 *   rises from the point itself counts;
 * - where the shape and the second one overlap at the point, moving the shape out of the third, as
 *   deep as it is in that, also moves it out of the second; and the second reaches up to the plane
 *   of the face near the point. If the second shape is static or kinematic, it may also be a lower
 *   step with a parallel face; if not, the overlap is at most 1/16 of the extents below.
 *
 * So no two shapes lose what keeps them apart. Of two contacts that are not sideways of each other,
 * never both are removed. After a shape has been moved out of the third one along its face, it
 * overlaps the second one, if that is convex, by no more than the tolerance, or by a quarter of the
 * greater of both depths where the point's normal leaned by more than 45 degrees.
 *
 * "On the face" and the tolerance mean within 1/1024 of the shortest extent of the shape's bounds,
 * or of the longest extent of the second shape's bounds if that is less, plus the rounding of
 * coordinates. A contact that loses all points is removed. Seams are examined when the shape, which
 * is not static, has changed; if only one of its partners has, all points of their contact stay
 * until the shape moves. Sensors, and contacts that `modify` rejects, hide nothing.
 *
 * Contacts of two shapes of which none is dynamic (mo_motion) are at rest: both are asleep, or one
 * is asleep and the other static, or kinematic and not moving. They are not in the arrays of
 * events, and an update does not read them, however many there are. They keep what the host wrote
 * into their points. They return to the arrays with the next update after one of their shapes has
 * woken or changed (moved, even if it stays asleep, or got another geometry, filter or motion). If
 * that ends the touch, there is an event. So the events show what loses its support and what
 * something awake runs into. Waking shapes is up to the host: mo_contact_tracker_find_sleepers says
 * what else rests with a shape, and mo_contact_tracker_wake returns its contacts in the same step.
 *
 * If the scene's origin is shifted (mo_scene_shift_origin), contacts stay, and the positions of
 * their points move along at once.
 *
 * Work is spread over the scene's tasks; the results do not depend on the number of workers. As far
 * as threads are concerned, a tracker is part of its scene: functions that take a non-const tracker
 * need exclusive access to both, others may run beside queries. A scene may have several trackers.
 */
#ifndef MOTTE_CONTACT_TRACKER_H
#define MOTTE_CONTACT_TRACKER_H

#include <motte/contact.h>

/** \{ */

/// The margin of shapes (mo_scene_def::margin) that goes with the default speculative distance of a
/// tracker: half of it. Without a margin two shapes lose their contacts, and the memory of these,
/// as soon as their AABBs are the least bit apart.
#define MO_CONTACT_MARGIN 0.01f

/// The contacts of a scene, kept from update to update.
typedef struct mo_contact_tracker mo_contact_tracker;

typedef struct mo_modified_pair mo_modified_pair;

/// What a solver is to use for a contact; the library does not read it.
typedef struct mo_contact_material {
  float friction;    ///< coefficient of friction; 0.5 by default
  float restitution; ///< 0: no bounce, 1: none of the speed is lost; 0 by default
  /// How the surface of `b` moves relative to that of `a`, besides the motion of the bodies: belts
  /// that convey. World, units per second; zero by default.
  mo_vec3 surface_velocity;
} mo_contact_material;

/// Which contacts a tracker keeps.
typedef struct mo_contact_tracker_def {
  float speculative_distance; ///< as in mo_collide_def; 0.02 by default
  /// For bodies that move far in a step: contacts begin as far away as the shapes approach each
  /// other in it, so that there is one before they overlap. A point is kept if its separation is at
  /// most `speculative_distance` plus how far the shapes approach along the normal, by the
  /// velocities and the `lookahead` of the update (mo_update_def) in which each shape last moved;
  /// and at most this. World units, not negative. 0 by default, as anything up to
  /// `speculative_distance`: velocities do not matter. Contacts remain a function of the scene:
  /// poses and velocities.
  ///
  /// Give velocities to all shapes that move, with the length of a step as the `lookahead`. Then
  /// two shapes that overlap after a step, without having rotated in it, had a contact before it,
  /// provided that this limit allows it and that they have moved relative to each other as their
  /// velocities said, give or take `speculative_distance` (with MO_CONTACT_MARGIN as the margin):
  /// so much may acceleration add. A mesh with `edges` has contacts at a distance only where its
  /// distance is least. If none of them is kept, the shape is cast along its way instead, and has a
  /// contact of one point with the triangle that it will touch first. So a shape that flies has a
  /// contact in time, but one that slides along such a mesh towards a part that rises may touch
  /// that part first, as may one of two meshes with `edges`.
  ///
  /// Not covered are rotation, by which the end of a long body may be faster than its origin, and
  /// what a solver does to bodies afterwards. Use mo_scene_find_impacts (motte/continuous.h) for
  /// what must never pass through anything. A speculative contact acts along a plane: a body that
  /// would pass an edge closely may be slowed down by it. Cost: contacts with all that is near the
  /// way of a fast shape; for those that slide fast over others twice the work; a cast for each
  /// fast shape above a mesh with `edges`.
  float max_speculative_distance;
  bool cull_back_faces; ///< as in mo_collide_def
  bool keep_seams;      ///< keep all points at seams (see above); false by default
  /// A point is matched with one of the update before that has the same id and the same triangles;
  /// else with one of the same id that was inside another triangle, in a contact with nearly the
  /// same normal (so a corner of a box that slides over triangles stays the same point); else with
  /// the closest unmatched point of the same pair that has moved by at most this distance, as seen
  /// from the origin of either shape. World units, not negative; 0.01 by default.
  float match_distance;
  /// How far two shapes may move before their contacts are worked out again. Until then their
  /// manifolds are carried along: the place of a point on each shape moves with that shape, the
  /// normal with the larger shape, and separations are measured anew. What counts as motion is an
  /// upper bound of how far any point of the smaller shape has moved, as seen from the larger one,
  /// since the contacts were worked out, over any number of updates.
  ///
  /// Where bodies rest or move together this makes most contacts cheap. In return, the deepest
  /// separation of two convex shapes may be off by twice this distance, besides what the choice of
  /// a normal leaves open (mo_collide). Contacts with a mesh are those that were right no farther
  /// away than this distance. Points may be off along their face by as much. Shapes that approach
  /// each other may have their first contact when they are closer than the speculative distance by
  /// twice this. Contacts then depend on the poses of earlier updates, though not on the number of
  /// workers. `modify` is called for carried contacts as for others, with what it changed undone.
  /// Worked out in any case: spheres and boxes against each other, which costs no more; volumes;
  /// shapes whose scale or shear has changed, and those that were refreshed or got another
  /// geometry.
  ///
  /// World units, not negative. 0 by default: nothing is carried along, and contacts are a function
  /// of the poses.
  float reuse_distance;
  /// Merges the contacts of two bodies (mo_shape_def::body) that lie in one plane, as of a body
  /// made of many boxes or hulls on a floor of tiles, to at most four points in all, so that a
  /// solver has no more work than for two boxes. Shapes without a body are bodies of their own: of
  /// these, contacts with several triangles are merged. False by default.
  ///
  /// Of all contacts of two bodies, the one with the deepest point, the first of several, gives the
  /// plane: through that point, perpendicular to its normal. Another contact is in it if it has the
  /// same material, if its normal (from the same body to the other) is within two degrees of that
  /// one, and if all its points are within `speculative_distance` of the plane. If all contacts in
  /// the plane have more than four points together, four are kept that span a large area, one of
  /// the deepest among them, by the rule of mo_collide (of more than 129 points, from among those
  /// that are farthest in 64 directions in the plane, and the deepest). The others form planes in
  /// the same way, up to 64 for two bodies; contacts beyond those stay as they are.
  ///
  /// Contacts remain with their shapes, triangles and material, and points with their ids. A
  /// contact that loses all points remains without any, and touches as before (`touching`,
  /// `began`). Points are merged after `modify` has been called and seams have been removed. A
  /// point keeps its memory as long as it is among those that are kept. If one shape of a body
  /// changes, the contacts of the whole body are worked out again, so that contacts remain a
  /// function of the poses.
  bool merge_coplanar;
  /// Shapes with one of these categories (mo_filter) are sensors: their contacts have no points.
  /// Volumes are always sensors. 0 by default.
  uint64_t sensor_categories;
  /// For whoever looks for the cause of a wrong normal. Of each pair of which a shape has one of
  /// these categories, the log of the scene's host is told, at MO_LOG_DEBUG, which rules make and
  /// remove the contacts that an update works out: for each triangle of a mesh with `edges` that is
  /// near the other shape, whether its contact is kept, removed or made, and why; which triangles
  /// have one contact as they lie in one plane; and which points are removed at seams, by merging,
  /// or as shapes approach too slowly. "contact rule: slots 3 and 7, triangle 12: removed, hidden
  /// by a nearer triangle" is such a line. Contacts do not depend on it. Lines come from the
  /// workers of the scene's tasks, those of a triangle twice where a pair is searched twice. 0 by
  /// default: nothing is told, and no time is spent.
  uint64_t log_categories;
  /// Called, if not null, for each pair that the filters let pass; false keeps it out, as for
  /// mo_pair_tracker_def.
  bool (*accept)(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b, void *context);
  /// Called, if not null, for each pair whose contacts have been computed. The host may reject
  /// contacts (one-way platforms), set what the solver is to use (materials, belts) and adjust
  /// manifolds. Points at seams are removed, points matched and events found after that. Not called
  /// for contacts without points (sensors, volumes, two half-spaces), nor for reused ones
  /// (mo_tracked_contact::reused): these stay as they were left until one of their shapes changes
  /// or is named by mo_contact_tracker_refresh_shape.
  ///
  /// Called from the workers of the scene's tasks, for several pairs at once and in any order, each
  /// pair once in an update; in one that fails maybe, and again when that is repeated. It may query
  /// the scene, and must change neither scene nor tracker. As long as what it does depends on its
  /// arguments and the scene alone, the contacts do not depend on the number of workers.
  void (*modify)(mo_modified_pair *pair, void *context);
  mo_contact_material material; ///< of all contacts, before `modify`
  void *context;                ///< passed to `accept` and `modify`
  uint32_t cookie;              ///< set by mo_default_contact_tracker_def; not for the caller
} mo_contact_tracker_def;

/// What a host keeps with a point from update to update; the library does not read it.
typedef struct mo_point_memory {
  float values[4]; ///< zeros for a new point
} mo_point_memory;

/// A contact that is kept from update to update.
typedef struct mo_tracked_contact {
  mo_contact contact; ///< where the shapes touch now; no points where one is a sensor
  /// Of each point: the host's, which may write it until the next update.
  mo_point_memory memory[MO_MAX_MANIFOLD_POINTS];
  mo_contact_material material; ///< that of the def, or what `modify` made of it
  uint64_t pair_state;          ///< mo_modified_pair::state of the pair
  uint8_t kept; ///< bit i: point i was there before, and has the memory that it had then
  /// Whether the pair touches: it has overlapped, and since then has not been farther apart than
  /// the speculative distance (sensors: it overlaps). The same for all contacts of a pair.
  bool touching;
  bool began;  ///< touching, and was not before
  bool reused; ///< as before, as neither shape has changed
  /// By `modify`: it has no points, and does not count for whether the pair touches.
  bool rejected;
} mo_tracked_contact;

/// The contacts of a pair, as mo_contact_tracker_def::modify gets them.
struct mo_modified_pair {
  /// Sorted by triangles. User data of shapes and of triangles are set. To be changed are
  /// `material`; `rejected`, which is false at first; and of `contact.manifold` the normal and the
  /// points, of which some may be left out, but none added. All else is only to be read; `memory`,
  /// `kept`, `touching` and `began` are not known yet. Points that were there before are recognized
  /// after the changes, with what the changes were before.
  mo_tracked_contact *contacts;
  uint32_t contact_count; ///< length of `contacts`, at least 1
  /// The host's, to be read and written: what was left here at the last update, also if all
  /// contacts were rejected; 0 if the pair had no contacts then. Say whether a body began to pass a
  /// one-way platform.
  uint64_t state;
};

/// What an update found. The arrays belong to the tracker, and last until its next update, also
/// where that fails; null where there is nothing.
typedef struct mo_contact_events {
  /// All contacts but those at rest, sorted by (a.index, b.index, triangle_a, triangle_b). Only the
  /// `memory` of points is for the host to change.
  mo_tracked_contact *contacts;
  const mo_pair *begins;  ///< pairs that touch now and did not before, sorted
  const mo_pair *ends;    ///< pairs that touched before; of removed shapes the ids they had
  uint32_t contact_count; ///< length of `contacts`
  uint32_t begin_count;   ///< length of `begins`
  uint32_t end_count;     ///< length of `ends`
} mo_contact_events;

/// What a tracker holds and has done.
typedef struct mo_contact_tracker_stats {
  uint32_t pair_count;       ///< pairs whose AABBs touch
  uint32_t contact_count;    ///< contacts of these, but for those at rest
  uint32_t resting_count;    ///< contacts at rest
  uint64_t update_count;     ///< calls of mo_contact_tracker_update that succeeded
  uint32_t worked_out_count; ///< pairs whose contacts the last update worked out
  uint32_t carried_count;    ///< pairs whose contacts it carried along (`reuse_distance`)
  uint32_t reused_count;     ///< contacts that it kept as they were; those at rest not counted
  /// Of the pairs worked out, those that were apart along an axis of the update before, and so took
  /// no search.
  uint32_t apart_by_axis_count;
  size_t bytes; ///< all memory held, that of the pairs included
} mo_contact_tracker_stats;

/// "No island" among mo_islands::island_of_contact.
#define MO_NO_ISLAND UINT32_MAX

/// Groups of shapes that contacts and joints connect: what a solver may treat by itself, and what
/// falls asleep together. Contacts with points connect, and so do joints
/// (mo_contact_tracker_set_joints) of which one end is awake. All shapes of a body
/// (mo_shape_def::body) are in one island, whichever of them has contacts. Static and kinematic
/// shapes do not connect, and are in no island. The arrays belong to the tracker, and last until
/// its next update or change, or the next call that returns islands or sleepers; null where there
/// is nothing.
typedef struct mo_islands {
  /// All shapes that are neither static nor kinematic and whose body has a contact with points or
  /// a joint, island by island; islands in the order of their lowest index, shapes ascending in
  /// each.
  const mo_shape_id *shapes;
  /// The shapes of island i are those from starts[i] to starts[i + 1] - 1; `island_count` + 1
  /// numbers.
  const uint32_t *starts;
  /// By island: a kinematic shape that has contacts with it or is joined to it has moved before
  /// the last update, or changed otherwise, so it must not fall asleep.
  const bool *kept_awake;
  /// For each contact of the last update its island; MO_NO_ISLAND for those without points and
  /// those of two shapes that are static or kinematic.
  const uint32_t *island_of_contact;
  /// For each joint, in the order in which they were set, its island; MO_NO_ISLAND for those
  /// between shapes of which none is awake (dynamic, or kinematic and moving), between two that are
  /// static or kinematic, and of shapes that have been removed.
  const uint32_t *island_of_joint;
  uint32_t island_count; ///< how many islands there are
  uint32_t shape_count;  ///< length of `shapes`
} mo_islands;

MO_BEGIN_DECLS

/// The distances and the material that the members say, no sensors, no callbacks.
MO_API mo_contact_tracker_def mo_default_contact_tracker_def(void);

/// A tracker for the contacts of a scene, empty before its first update. `def` may be null for the
/// default. Memory comes from the scene's host. Destroy it before or after the scene. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (negative
/// distances); MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (distances beyond MO_MAX_COORDINATE);
/// MO_ERROR_OUT_OF_MEMORY. The log is told, as a warning, where neither the scene nor one of its
/// shapes has a margin of at least a quarter of the speculative distance; and once by an update,
/// where a mesh that was built without `edges` (mo_mesh_build_options) has contacts for which they
/// matter. Cost: O(slots).
MO_API mo_result mo_contact_tracker_create(mo_scene *scene, const mo_contact_tracker_def *def,
                                           mo_contact_tracker **tracker);

/// Frees the tracker, before or after its scene. Null is ignored. Cost: O(slots).
MO_API void mo_contact_tracker_destroy(mo_contact_tracker *tracker);

/// Brings the contacts in line with the scene as it is now, best right after mo_scene_update.
/// `events` may be null. Where nothing more moves than before, nothing is allocated. Errors:
/// MO_ERROR_NULL_ARGUMENT (`tracker`); MO_ERROR_INVALID_ARGUMENT (its scene is gone; `modify` has
/// changed which contact it is, or added points); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY (the
/// contacts have not changed; may be repeated).
/// Cost: that of mo_pair_tracker_update, of the contacts of pairs with a changed shape, and of
/// copying the others that are not at rest; for seams a comparison of every two contacts of a
/// changed shape whose normals differ; up to 128 KiB of stack in each task.
MO_API mo_result mo_contact_tracker_update(mo_contact_tracker *tracker, mo_contact_events *events);

/// Makes the contacts of a run that was saved those of a new tracker, with all that is known of
/// them, so that the run can go on: their points' `memory`, `pair_state`, whether they touch, what
/// `modify` made of them. They take the place of those that its first update has found. `events`,
/// which may be null, becomes that of the update with these contacts, and neither begins nor ends.
///
/// To save a run, first set the transforms of a step; after that, refresh all shapes that have a
/// margin or a velocity (mo_scene_refresh_shape); then update scene and tracker as always. The
/// bounds under which shapes are stored decide what is a pair, and depend on how shapes came where
/// they are: a shape that was refreshed before its last move may stay under bounds that a new scene
/// would not give it. Then read the shapes (mo_scene_get_shapes, mo_scene_get_shape) and the
/// contacts: those of that update and, for each shape, those at rest
/// (mo_contact_tracker_get_resting).
///
/// To resume it, add the shapes to an empty scene in the order of their old indices, so that the
/// new ones ascend in the same way; update the scene and a new tracker of the same def, whose
/// events are to be ignored; and give it the saved contacts in any order, with the new ids as `a`
/// and `b`. From its next update on, contacts and events are those of the run that was saved, bit
/// for bit, but for the ids. (With a `reuse_distance` they differ by what that allows, as the first
/// update works all contacts out.)
///
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_ARGUMENT (the scene is gone; the tracker has
/// not been updated, or more than once; a contact of shapes that are not there or are no pair of
/// the tracker, as of a scene that is not as it was; the same contact twice; a triangle that the
/// shape does not have; too many points); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. Nothing has
/// changed then. Cost: O(count log count).
MO_API mo_result mo_contact_tracker_restore(mo_contact_tracker *tracker,
                                            const mo_tracked_contact *saved, uint32_t count,
                                            mo_contact_events *events);

/// Has the next update work out the contacts of a shape as if it had moved: where `modify` would
/// say something else now, as of a belt that has stopped. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is gone). Cost: O(1).
MO_API mo_result mo_contact_tracker_refresh_shape(mo_contact_tracker *tracker, mo_shape_id id);

/// The contacts of two shapes as of the last update, if they are not at rest: the place of the
/// first in the array of mo_contact_events and their `count`, which is 0 where there are none; in
/// any order of shapes. Null pointers are an error: MO_ERROR_NULL_ARGUMENT. Cost: O(log contacts).
MO_API mo_result mo_contact_tracker_find(const mo_contact_tracker *tracker, const mo_pair *pair,
                                         uint32_t *first, uint32_t *count);

/// Brings the contacts at rest of `count` shapes, and of the other shapes of their bodies, back at
/// once, not with the next update: `events`, which may be null, becomes that of the last update
/// with these among the contacts, as reused ones. For hosts that wake shapes (mo_scene_set_motion)
/// because of what an update has found, and whose solver is to find them supported in the same
/// step. The arrays of events before last no longer. Contacts of shapes that are not awake at the
/// next update come to rest again. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (the scene is gone); MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY
/// (nothing has changed). Cost: O(contacts at rest of the shapes), and of copying the contacts that
/// are not at rest.
MO_API mo_result mo_contact_tracker_wake(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                         uint32_t count, mo_contact_events *events);

/// The contacts at rest of a shape: writes up to `capacity` of them, the first in the order of
/// mo_contact_events, and their `total`. They are copies, in which all points are marked as kept.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is
/// gone). Cost: O(contacts of the shape at rest).
MO_API mo_result mo_contact_tracker_get_resting(const mo_contact_tracker *tracker, mo_shape_id id,
                                                mo_tracked_contact *contacts, uint32_t capacity,
                                                uint32_t *total);

/// What is to be woken together: those of `count` shapes that sleep, and all sleeping shapes that
/// contacts at rest with points, joints, and bodies connect with one of the `count`, step by step.
/// Each of the `count` stands for its whole body. Static and kinematic shapes do not connect, but
/// for those among the `count` and of their bodies. Writes up to `capacity` of them, those of the
/// lowest index, ascending, and their `total`. Contacts are at rest from the first update on after
/// which both shapes do not change. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (the scene is gone); MO_ERROR_OUT_OF_MEMORY. Cost: O(contacts at rest
/// of the shapes found), once O(slots).
MO_API mo_result mo_contact_tracker_find_sleepers(mo_contact_tracker *tracker,
                                                  const mo_shape_id *ids, uint32_t count,
                                                  mo_shape_id *sleepers, uint32_t capacity,
                                                  uint32_t *total);

/// Sets the joints of a simulation, in place of those set before: pairs of shapes, any of each
/// body, that are connected even where they do not touch. They matter for
/// mo_contact_tracker_find_islands and mo_contact_tracker_find_sleepers alone; whether two joined
/// bodies collide is up to filters and `accept`. A copy is kept. Joints of shapes that are removed
/// are ignored from then on. Errors: MO_ERROR_NULL_ARGUMENT (`joints` where `count` is not 0);
/// MO_ERROR_STALE_ID; MO_ERROR_INVALID_ARGUMENT (the scene is gone); MO_ERROR_OUT_OF_MEMORY,
/// MO_ERROR_TOO_MANY (nothing has changed). Cost: O(count), a radix sort.
MO_API mo_result mo_contact_tracker_set_joints(mo_contact_tracker *tracker, const mo_pair *joints,
                                               uint32_t count);

/// Finds the islands of the contacts of the last update, without those at rest, for the motions,
/// bodies and joints of shapes as they are now. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_INVALID_ARGUMENT (the scene is gone, or shapes of contacts have been removed since the
/// update); MO_ERROR_OUT_OF_MEMORY. Cost: O(contacts + joints + shapes of their bodies), nearly
/// (union-find; Tarjan 1975), once O(slots).
MO_API mo_result mo_contact_tracker_find_islands(mo_contact_tracker *tracker, mo_islands *islands);

/// Statistics of the tracker. Errors: MO_ERROR_NULL_ARGUMENT. Cost: O(1).
MO_API mo_result mo_contact_tracker_get_stats(const mo_contact_tracker *tracker,
                                              mo_contact_tracker_stats *stats);

/// Checks every invariant of the tracker and of its set of pairs: contacts in order, each once, of
/// pairs, with up to four finite points and unit normals (not where `modify` may have changed
/// them); contacts at rest in the lists of both their shapes, of which none is awake; begins and
/// ends as the contacts say; what is kept for the next update; joints and changes. Contacts are
/// compared with the scene where their shapes have not changed since the last update; the scene may
/// be gone. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_CORRUPT, which means a defect of the library,
/// or that the host has given mo_contact_tracker_restore what no update had found, or has changed
/// more of the contacts of events than it may; the host's log says which invariant is broken. Cost:
/// O(slots + contacts log contacts + pairs), and for each contact at rest O(contacts at rest of
/// that of its shapes that has fewer). For tests.
MO_API mo_result mo_contact_tracker_validate(const mo_contact_tracker *tracker);

MO_END_DECLS

/** \} */

#endif
