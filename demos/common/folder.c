#include "common/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/check.h"

static void make_one(const char *path) {
  struct stat status;
  if (mkdir(path, 0777) == 0) {
    return;
  }
  int error = errno;
  if (error == EEXIST && stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return;
    }
    error = ENOTDIR;
  }
  fail("cannot make the folder %s: %s", path, strerror(error));
}

void folder_make(const char *path) {
  char *part = folder_join(path, "");
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    make_one(part);
    *slash = '/';
  }
  free(part);
}

char *folder_join(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = allocate(size, 1);
  snprintf(path, size, "%s/%s", folder, name);
  return path;
}
