/* Tolerances that several files about contact bodies, normals and manifolds share. */
#ifndef MO_CONTACT_BODY_LIMITS_H
#define MO_CONTACT_BODY_LIMITS_H

/* Sine of an angle. Two edges with a smaller sine between them count as parallel: their cross
 * product is mostly rounding error, and some face normal separates the bodies as well. */
#define MO_PARALLEL_EDGES_SINE 0.005

/* Sine of an angle. Two lines with a smaller sine between them, as projected along the contact
 * normal, count as parallel: they touch along a part of their length. */
#define MO_PARALLEL_LINES_SINE 0x1p-6

/* Sine of an angle. Replaces MO_PARALLEL_EDGES_SINE where both bodies are flat: there no face
 * normal separates as well as the cross product of two nearly parallel edges. */
#define MO_FLAT_PARALLEL_EDGES_SINE 0x1p-30

/* Fraction of the summed sizes of both bodies. Bodies with a smaller gap count as touching,
 * as in mo_primitive_overlap. */
#define MO_TOUCHING_GAP 0x1p-36

/* Fraction of the summed sizes of both bodies. If the separation along some axis exceeds the
 * contact distance by more than this, the bodies have no contact, whatever the rounding errors of
 * an exact search would be. */
#define MO_CLEAR_SEPARATION 0x1p-12

/* Fraction of the half thickness of the thinner body, or of the other one if one is flat. A face
 * normal is preferred to axes whose separation is greater by up to this (mo_contact_face_bias). */
#define MO_FACE_BIAS 0x1p-6

/* Cosine between the normal of a face and that of the contact. With a smaller cosine the face is
 * nearly parallel to the contact normal, and heights over the face are meaningless. */
#define MO_STEEP_FACE_COSINE 0.17

/* Fraction of the summed sizes of both bodies. If the distance of the cores is above this, the
 * vector between their closest points is accurate enough as a normal. */
#define MO_ACCURATE_NORMAL_DISTANCE 0x1p-34

/* Fraction of the summed sizes of both bodies. If the distance of the cores is below this, the
 * vector between their closest points is used as the normal only if it separates the bodies. */
#define MO_NEARLY_TOUCHING_GAP 0x1p-20

/* Fraction of the size of a body. Corners whose heights along the contact normal differ by less
 * count as equally high: together they form a supporting edge or face. */
#define MO_SAME_HEIGHT_TOLERANCE 0x1p-13

/* Fraction of the summed sizes of both bodies. Contact points closer than this are
 * merged. */
#define MO_MERGE_DISTANCE 0x1p-17

/* Fraction of the summed sizes of both bodies. Outlines of faces are widened by this in tests
 * of whether a point lies inside an outline. */
#define MO_OUTLINE_TOLERANCE 0x1p-36

#endif
