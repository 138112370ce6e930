/* What decides in manifolds, in one place. */
#ifndef MO_CONTACT_BODY_LIMITS_H
#define MO_CONTACT_BODY_LIMITS_H

/* Edges with a smaller sine between them are parallel: their cross product is mostly rounding, and
 * faces separate them as well. */
#define MO_PARALLEL_EDGES 0.005

/* Of the size of both: gaps below this are none, as for mo_primitive_overlap. */
#define MO_TOUCHING_GAP 0x1p-36

/* Of the size of both: bodies that are farther apart along an axis than contacts reach, by this
 * and more, have none, whatever the rounding in looking for them. */
#define MO_CLEARLY_APART 0x1p-12

/* Of the thickness of the thinner one: how much is given up for a face's normal. */
#define MO_FACE_BIAS 0x1p-6

/* Where the cosine of a face's normal and that of a contact is smaller, heights over the face are
 * not meaningful. */
#define MO_STEEP_FACE 0.17

/* Of the size of both: a distance of cores above this has a good normal. */
#define MO_WELL_DEFINED 0x1p-34

/* Of the size of a body: heights closer than this are one, and what supports is an edge or a face.
 */
#define MO_SAME_HEIGHT 0x1p-13

/* Of the size of both: points closer than this are one, and outlines are wider by that. */
#define MO_SAME_PLACE 0x1p-17
#define MO_ON_OUTLINE 0x1p-36

#endif
