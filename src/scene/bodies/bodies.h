/* Bodies: the shapes of a scene that belong to one rigid body (mo_shape_def::body).
 *
 * The shapes of a body form a ring, and a hash table leads from the number of a body to one of its
 * shapes. So shapes join and leave a body in O(1), and the shapes of a body are found without those
 * of others. The arrays are allocated with the first shape that belongs to a body: scenes without
 * bodies spend no memory on them. */
#ifndef MO_SCENE_BODIES_BODIES_H
#define MO_SCENE_BODIES_BODIES_H

#include "scene/scene.h"

/* The number of the body that a living shape belongs to; 0: it is a body of its own. */
static inline uint64_t mo_slot_rigid_body(const mo_scene *scene, uint32_t slot) {
  return scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY ? scene->bodies.numbers[slot] : 0;
}

/* Whether two living shapes of a scene belong to one body. */
static inline bool mo_slots_share_rigid_body(const mo_scene *scene, uint32_t a, uint32_t b) {
  return (scene->traits[a] & scene->traits[b] & MO_TRAIT_HAS_RIGID_BODY) != 0 &&
         scene->bodies.numbers[a] == scene->bodies.numbers[b];
}

/* The shape after this one in the ring of its body; the shape itself if no other shape belongs to
 * the body. */
static inline uint32_t mo_slot_next_of_rigid_body(const mo_scene *scene, uint32_t slot) {
  return scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY ? scene->bodies.links[slot].next : slot;
}

/* A representative of a shape's body: one shape of the body, the same for all its shapes until the
 * body changes. A shape that is a body of its own represents itself. */
uint32_t mo_rigid_body_representative(const mo_scene *scene, uint32_t slot);

/* The slot of one shape of the body with a given number; MO_NONE if there is none. */
uint32_t mo_rigid_body_find(const mo_scene *scene, uint64_t number);

/* Reserves memory so that shapes can join up to `extra` more bodies. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_rigid_bodies_reserve(mo_scene *scene, uint32_t extra);

/* Adds a living shape that is in no body to a body; 0: to none. Memory must have been reserved. */
void mo_rigid_body_join(mo_scene *scene, uint32_t slot, uint64_t number);

/* Removes a living shape from its body, if it has one. Adds MO_CHANGE_RIGID_BODY to the change log
 * for one of the remaining shapes. */
void mo_rigid_body_leave(mo_scene *scene, uint32_t slot);

/* Reallocates the arrays by slot, if there are any, for `capacity` slots, at least as many as were
 * ever used. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_rigid_bodies_resize(mo_scene *scene, uint32_t capacity);

/* Frees all memory if no shape belongs to a body. */
void mo_rigid_bodies_trim(mo_scene *scene);
void mo_rigid_bodies_destroy(mo_scene *scene);

static inline size_t mo_rigid_bodies_bytes(const mo_scene *scene) {
  const mo_rigid_bodies *b = &scene->bodies;
  return b->slot_capacity * (sizeof *b->numbers + sizeof *b->links) +
         b->table_size * sizeof *b->table;
}

/* Whether rings and hash table agree with the body numbers of the shapes; else logs what is
 * broken. */
bool mo_rigid_bodies_are_valid(const mo_scene *scene);

#endif
