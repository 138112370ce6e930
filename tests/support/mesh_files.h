/* Real meshes: read with assimp where the build has it, found where the build says they are. */
#ifndef TEST_MESH_FILES_H
#define TEST_MESH_FILES_H

#include "support/meshes.h"

/* Reads a mesh file: every triangle of every part. False with `mesh` empty where the file does not
 * exist or cannot be read, or the build has no assimp. */
bool mesh_file_read(const char *path, test_mesh *mesh);

/* The paths of the mesh files that can be found, ascending by size of file: below the folders that
 * the environment variable MOTTE_TEST_MESHES names (colons between), else below ../shared/scenes
 * beside the source tree and below meshes/ in the build folder, where the demo's run script unpacks
 * some. Returns their number; says so on stderr if there are none. At most `capacity` are written;
 * each is to be freed. */
uint32_t mesh_files_find(char **paths, uint32_t capacity);

#endif
