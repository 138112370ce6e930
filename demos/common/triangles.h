/* Triangles from a file, or made here for when there is no file. */
#ifndef DEMO_TRIANGLES_H
#define DEMO_TRIANGLES_H

#include <motte/mesh.h>

struct triangles {
  mo_vec3 *positions;
  uint32_t *indices; /* three per triangle */
  uint32_t vertex_count, triangle_count;
};

/* Reads a mesh of any format that assimp knows (OFF, OBJ, PLY, STL, glTF, ...), all its parts in
 * one, placed as the file places them. On failure returns false and points `*error` to the reason,
 * which stays valid until the next call. */
bool triangles_load(const char *path, struct triangles *out, const char **error);

/* A tube around a (p, q) torus knot; (1, 0) is a plain torus. Closed, about two units across. */
struct triangles triangles_make_knot(uint32_t p, uint32_t q, uint32_t segments, uint32_t sides);

/* Rotates the vertices so that `up`, of length one, becomes the direction of y. */
void triangles_set_upright(struct triangles *triangles, mo_vec3 up);

void triangles_free(struct triangles *triangles);

/* A Motte mesh with default options; fails (see check.h) if it cannot be made. */
mo_mesh *triangles_to_mesh(const struct triangles *triangles);

#endif
