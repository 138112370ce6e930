/* The same content in every form the library offers: meshes by every builder, scenes by every
 * placement policy, each with every instruction set. All must answer alike. */
#ifndef TEST_FAMILIES_H
#define TEST_FAMILIES_H

#include <motte/query.h>

#include "support/counting_allocator.h"
#include "support/meshes.h"

enum { MESH_FAMILY_MAX = 20, SCENE_FAMILY_MAX = 8 };

typedef struct mesh_family {
  mo_mesh *meshes[MESH_FAMILY_MAX];
  const char *names[MESH_FAMILY_MAX];
  uint32_t count;
  counting_allocator counter;
} mesh_family;

/* A log hook that prints warnings. */
void family_print_log(mo_log_level level, const char *message, void *context);

/* Whether this machine and build offer an instruction set. */
bool family_has_isa(mo_isa isa);

/* The nth of the instruction sets that this machine and build offer, scalar first, and around
 * again; so that families use all of them, and are the same elsewhere but for that. */
mo_isa family_isa(uint32_t n);

/* How many these are. */
uint32_t family_isa_count(void);

/* Whether the environment says, by MOTTE_FEW_FORMS=1, that families have few forms: where all of
 * them have been compared by another run, and the machine is slow. */
bool family_has_few_forms(void);

/* `small`: the default options only, once per instruction set. Ends the program on failure. Each
 * mesh is validated. The family must not move. */
void mesh_family_build(mesh_family *family, const test_mesh *mesh, bool small);

/* Releases all; false if any byte is outstanding. */
bool mesh_family_free(mesh_family *family);

typedef struct scene_family {
  mo_scene *scenes[SCENE_FAMILY_MAX];
  const char *names[SCENE_FAMILY_MAX];
  uint32_t count;
  counting_allocator counter;
} scene_family;

/* Empty scenes; the family must not move. */
void scene_family_create(scene_family *family);

/* Destroys all; false if any byte is outstanding. */
bool scene_family_free(scene_family *family);

/* The same change to every scene; ends the program if they do not all return the same. The ids are
 * the same in all. */
mo_result scene_family_add(scene_family *family, const mo_shape_def *def, mo_shape_id *id);
mo_result scene_family_remove(scene_family *family, mo_shape_id id);
mo_result scene_family_move(scene_family *family, mo_shape_id id, const mo_transform *transform);
mo_result scene_family_reshape(scene_family *family, mo_shape_id id, const mo_geometry *geometry);

/* Updates all. */
void scene_family_update(scene_family *family);

/* Validates all; the name of the first that is corrupt, or null. */
const char *scene_family_validate(const scene_family *family);

#endif
