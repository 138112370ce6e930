/* Calls that are refused, as rows: the call, the code that the headers document, and what the
 * host's log is told. For refusals.c and the files of rows by subject. */
#ifndef TEST_API_REFUSALS_H
#define TEST_API_REFUSALS_H

#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <string.h>

enum { REFUSAL_SHAPES = 5 };

/* What calls are made on. No row may change any of it. */
typedef struct refusal_world {
  mo_scene *scene, *other;
  mo_mesh *mesh, *fixed, *top_down; /* deformable; not; for insertion */
  mo_mesh *field;                   /* a height field of 3 x 2 samples */
  mo_pair_tracker *tracker, *orphan_tracker;
  mo_watch *watch, *orphan_watch; /* orphans: their scene is gone */
  mo_shape_id ids[REFUSAL_SHAPES], stale;
  mo_region_id region, stale_region;
} refusal_world;

/* A mesh def of two triangles, and a scene def, whose log is listened to. */
mo_mesh_def refusal_mesh_def(void);
mo_scene_def refusal_scene_def(void);

/* Judges a refused call: its code, the one line "function: told" in the log (none where `told` is
 * null, as no host is known), and that nothing has changed. */
void refusal_judge(const char *function, mo_result result, mo_result expected, const char *told,
                   const char *place);

#define REFUSAL_TEXT(x) #x
#define REFUSAL_LINE(x) REFUSAL_TEXT(x)
#define REFUSED(expected, told, function, ...)                                                     \
  refusal_judge(#function, function(__VA_ARGS__), expected, told,                                  \
                __FILE__ ":" REFUSAL_LINE(__LINE__))

/* The same for calls that name the first bad element of an array. */
#define REFUSED_AT(at, expected, told, function, ...)                                              \
  do {                                                                                             \
    first_bad = 77;                                                                                \
    REFUSED(expected, told, function, __VA_ARGS__);                                                \
    refusal_expect_index(first_bad, at, __FILE__ ":" REFUSAL_LINE(__LINE__));                      \
  } while (0)
void refusal_expect_index(size_t found, size_t expected, const char *place);

void refuse_scenes(const refusal_world *w);
void refuse_meshes(const refusal_world *w);
void refuse_height_fields(const refusal_world *w);
void refuse_swept_meshes(void);
void refuse_hulls(const refusal_world *w);
void refuse_values(const refusal_world *w); /* without scene or mesh: base, math, geometry, debug */
void refuse_rays(const refusal_world *w);
void refuse_regions(const refusal_world *w);
void refuse_overlaps(const refusal_world *w);
void refuse_distances(const refusal_world *w);
void refuse_pairs(const refusal_world *w);
void refuse_contact_trackers(const refusal_world *w);
void refuse_impacts(const refusal_world *w);
void refuse_compounds(const refusal_world *w);
void refuse_watches(const refusal_world *w);
void refuse_characters(const refusal_world *w);

#endif
