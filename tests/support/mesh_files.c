/* Finding and reading real meshes. */
#define _XOPEN_SOURCE 700

#include "support/mesh_files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef TEST_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

bool mesh_file_read(const char *path, test_mesh *mesh) {
  *mesh = (test_mesh){0};
  const struct aiScene *scene =
      aiImportFile(path, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices);
  if (scene == NULL) {
    return false;
  }
  const char *slash = strrchr(path, '/');
  snprintf(mesh->name, sizeof mesh->name, "%.90s", slash != NULL ? slash + 1 : path);
  for (unsigned i = 0; i < scene->mNumMeshes; i++) {
    const struct aiMesh *part = scene->mMeshes[i];
    uint32_t base = mesh->vertex_count;
    for (unsigned j = 0; j < part->mNumVertices; j++) {
      const struct aiVector3D *v = &part->mVertices[j];
      test_mesh_add_vertex(mesh, v->x, v->y, v->z);
    }
    for (unsigned j = 0; j < part->mNumFaces; j++) {
      const struct aiFace *face = &part->mFaces[j];
      if (face->mNumIndices == 3) {
        test_mesh_add_triangle(mesh, base + face->mIndices[0], base + face->mIndices[1],
                               base + face->mIndices[2]);
      }
    }
  }
  aiReleaseImport(scene);
  if (mesh->triangle_count == 0) {
    test_mesh_free(mesh);
    return false;
  }
  return true;
}

#else

bool mesh_file_read(const char *path, test_mesh *mesh) {
  (void)path;
  *mesh = (test_mesh){0};
  return false;
}

#endif

typedef struct found_file {
  char *path;
  off_t size;
} found_file;

/* nftw hands no context to its callback. */
static _Thread_local found_file *found;
static _Thread_local uint32_t found_count;

static bool is_mesh(const char *path) {
  static const char *const endings[] = {".obj", ".off", ".ply", ".stl", ".ac", ".acc"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++) {
    if (strcasecmp(dot, endings[i]) == 0) {
      return true;
    }
  }
  return false;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)place;
  if (type == FTW_F && is_mesh(path)) {
    found = realloc(found, (found_count + 1) * sizeof *found);
    found[found_count++] = (found_file){strdup(path), status->st_size};
  }
  return 0;
}

static int compare(const void *left, const void *right) {
  const found_file *a = left, *b = right;
  if (a->size != b->size) {
    return a->size < b->size ? -1 : 1;
  }
  return strcmp(a->path, b->path);
}

uint32_t mesh_files_find(char **paths, uint32_t capacity) {
  const char *named = getenv("MOTTE_TEST_MESHES");
  char *folders = strdup(named != NULL ? named : TEST_MESH_FOLDERS);
  found = NULL;
  found_count = 0;
  char *rest = NULL;
  for (char *folder = strtok_r(folders, ":", &rest); folder != NULL;
       folder = strtok_r(NULL, ":", &rest)) {
    nftw(folder, visit, 16, FTW_PHYS);
  }
  free(folders);
  if (found_count == 0) {
    fprintf(stderr, "no mesh files below %s: only generated meshes are tested\n",
            named != NULL ? named : TEST_MESH_FOLDERS);
    return 0;
  }
  qsort(found, found_count, sizeof *found, compare);
  uint32_t count = found_count < capacity ? found_count : capacity;
  for (uint32_t i = 0; i < found_count; i++) {
    if (i < count) {
      paths[i] = found[i].path;
    } else {
      free(found[i].path);
    }
  }
  free(found);
  return count;
}
