/* What is drawn in these tests: trees of both kinds, and what a drawing of them gave. */
#ifndef TEST_DEBUG_SUBJECTS_H
#define TEST_DEBUG_SUBJECTS_H

#include <motte/debug.h>

/* A scene or a mesh; the other is null. */
typedef struct subject {
  char name[128];
  mo_scene *scene;
  mo_mesh *mesh;
  uint32_t nodes, leaves; /* by its statistics */
  uint32_t empty_nodes;   /* inner ones of a top-down mesh, with no triangle below */
} subject;

enum { SUBJECTS = 16 };

/* Scenes under every policy, of many shapes, few and none, and meshes by every builder, of many
 * triangles, one and none. Returns how many there are. */
int subjects_make(subject all[SUBJECTS]);
void subjects_free(subject *all, int count);

typedef struct drawn_line {
  mo_vec3 from, to;
  uint32_t rgba;
} drawn_line;

typedef struct drawing {
  drawn_line *lines;
  uint32_t count, capacity;
} drawing;

/* All lines of a drawing that must succeed. */
drawing subject_draw(const subject *s, const mo_debug_def *def);
void drawing_free(drawing *d);

/* The box that twelve consecutive lines outline. */
mo_aabb drawing_box(const drawing *d, uint32_t box);

mo_result subject_draw_buffers(const subject *s, const mo_debug_def *def,
                               mo_debug_buffers *buffers);

#endif
