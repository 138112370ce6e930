/** \defgroup compound Compounds (motte/compound.h)
 *
 * Compounds: groups of shapes that are placed as one shape, any number of times.
 *
 * A compound owns a scene of children (mo_compound_children). A shape of MO_SHAPE_COMPOUND in a
 * scene is a placement of the compound under the shape's transform. It takes one record, however
 * many children the compound has. Children are added, removed, moved, filtered and read by the
 * functions of motte/scene.h. A child may be a shape of any type but MO_SHAPE_HALF_SPACE, also a
 * placement of another compound, to a depth of MO_MAX_COMPOUND_DEPTH.
 *
 * Queries by exact geometry answer, bit for bit, as if each child that is no compound were a shape
 * of the scene, whose transform is mo_transform_compose of the placement's and the child's,
 * outermost first, rounded once for each level. Its hits name the placement as the shape, and the
 * number of the child; at equal distances the lower (shape, child, triangle) wins. A child is found
 * if the placement, each compound on its path and the child pass the filter by category and mask;
 * `ignore` and `accept` of a filter apply to the placement alone. User data in hits are those of
 * the child. `accept_triangle` gets the placement, the child and the triangle. A child whose
 * composed transform or box leaves MO_MAX_COORDINATE is not found. Queries need up to 6 KiB more
 * stack for each level of nesting; for contacts see motte/contact.h.
 *
 * A compound may also be the shape of a query, of motte/overlap.h, motte/distance.h, motte/cast.h
 * or motte/separation.h, of mo_scene_collide_shape, or that for which mo_scene_shape_fits looks for
 * room. Then each child that is no compound is the shape of such a query by itself, under its
 * composed transform, bit for bit: the query finds the union of what they find, or the closest,
 * deepest or first of it, and names the child in `own_child` (in contacts, `child_a`). The
 * children's own filters count only for mo_scene_shape_fits. Volumes among the children count in
 * overlaps, and in other queries if `hit_volumes` is set. A child whose composed transform or box
 * leaves MO_MAX_COORDINATE does not count.
 *
 * Queries by boxes (motte/query.h) use the stored box of the placement, as they use that of a mesh.
 * Motion, margin and body of children make no difference outside the compound's own scene, except
 * that margins enlarge the box of the placement.
 *
 * Thread rule: as of a mesh. Any number of threads may query scenes with placements at once; a
 * change of the children needs exclusive access to all of them until mo_compound_update has
 * returned. */
#ifndef MOTTE_COMPOUND_H
#define MOTTE_COMPOUND_H

#include <motte/scene.h>

/** \{ */

/// How deep compounds may be nested: a compound without compounds among its children has depth 1.
#define MO_MAX_COMPOUND_DEPTH 8

/// A group of shapes, with a reference count.
typedef struct mo_compound mo_compound;

MO_BEGIN_DECLS

/// Makes a compound without children, with one reference, owned by the caller. The def is that of
/// the scene of its children; its host must outlive the compound. The instruction set of queries is
/// that of the scene they are made on. Any thread. Errors: MO_ERROR_NULL_ARGUMENT; a def that
/// mo_scene_create refuses is refused with its error.
MO_API mo_result mo_compound_create(const mo_scene_def *def, mo_compound **compound);

/// Adds a reference, which mo_compound_release gives back. Any thread. Null is ignored.
MO_API void mo_compound_retain(mo_compound *compound);

/// Gives back a reference; the last one frees the compound with its children. Any thread. Null is
/// ignored.
MO_API void mo_compound_release(mo_compound *compound);

/// The scene of the children, in the local frame of the compound; null for null. It belongs to the
/// compound: mo_scene_destroy ignores it. All functions of scenes may be called, also queries. Two
/// kinds of shapes cannot be added, nor become the geometry of a child: half-spaces, and compounds
/// that contain this one, at any depth (both MO_ERROR_INVALID_ARGUMENT). A compound whose nested
/// ones would be deeper than MO_MAX_COMPOUND_DEPTH in this one is refused with MO_ERROR_TOO_MANY;
/// whether this one is then too deep in others, their mo_compound_update checks. After changes of
/// children call mo_compound_update. Cost: O(1); adding a placement searches the nested compounds,
/// each about once per depth at which it occurs.
MO_API mo_scene *mo_compound_children(const mo_compound *compound);

/// Brings the compound up to date with its children: numbers them, and computes bounds. Call it
/// after the children have changed, and after mo_compound_update of a nested compound, whose
/// placement must be refreshed first (mo_scene_refresh_shape); then refresh the placements of this
/// compound. Between a change and this call queries on placements are safe, but may miss children.
/// Scenes use the old bounds of placements until they are refreshed. Errors:
/// MO_ERROR_NULL_ARGUMENT; MO_ERROR_TOO_MANY (depth above MO_MAX_COMPOUND_DEPTH, or 2^32 - 1
/// children); then nothing has changed; MO_ERROR_OUT_OF_MEMORY. Cost: O(children) of this compound,
/// those of nested ones not counted. Allocates only where compounds are nested and there are more
/// children than before. Children are numbered slot by slot: if a nested compound gets or loses
/// children, the numbers behind it change. Contact trackers recognize children whose numbers have
/// changed, and keep the points on them.
MO_API mo_result mo_compound_update(mo_compound *compound);

/// The box of the children in the local frame, as of the last update; empty without children, and
/// for null.
MO_API mo_aabb mo_compound_bounds(const mo_compound *compound);

/// The depth of nesting, as of the last update: 1 without nested compounds. 0 for null.
MO_API uint32_t mo_compound_depth(const mo_compound *compound);

/// The path to a child, by the number in a hit (`child` of mo_ray_hit and others): ids[0] is the
/// shape in mo_compound_children of this compound, ids[1] that in the nested compound that ids[0]
/// places, and so on; `*depth` is how many there are, at most MO_MAX_COMPOUND_DEPTH, which must be
/// the length of `ids`. Where no compounds are nested, the number is the index of the shape.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_INDEX (no child has this number). Cost: O(log
/// children) per level.
MO_API mo_result mo_compound_find_path(const mo_compound *compound, uint32_t child,
                                       mo_shape_id *ids, uint32_t *depth);

/// A child of a placement as a shape of the scene: its def with the composed transform, local to
/// world, and its own geometry, filter, user data, motion, margin and body. A reference in the
/// geometry is not retained. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_STALE_ID;
/// MO_ERROR_INVALID_ARGUMENT (the shape is no compound); MO_ERROR_INVALID_INDEX (no child has this
/// number). A child beyond MO_MAX_COORDINATE, which queries do not find, is written too; its def
/// cannot be added. Cost: as mo_compound_find_path.
MO_API mo_result mo_scene_get_child(const mo_scene *scene, mo_shape_id id, uint32_t child,
                                    mo_shape_def *def);

MO_END_DECLS

/** \} */

#endif
