/* The folder that a program writes its pictures to. */
#ifndef DEMO_FOLDER_H
#define DEMO_FOLDER_H

/* Makes the folder and those it lies in, where they are missing; fails (see check.h) if that is not
 * possible. */
void folder_make(const char *path);

/* "<folder>/<name>", to be freed. */
char *folder_join(const char *folder, const char *name);

#endif
