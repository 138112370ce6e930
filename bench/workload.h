/* Bodies in motion, the same for every engine: the workloads of broad-phase measurements.
 *
 * Positions lie on a lattice and sizes between its points, so that every coordinate is exact in
 * single precision and no two faces ever touch: whether two boxes overlap is beyond doubt. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "common/random.h"
#include "text.h"

/* A cube, or a mesh that fits in one. */
typedef struct bench_body {
  mo_vec3 center;
  float half; /* of the edge */
  mo_quat rotation;
} bench_body;

typedef enum bench_motion {
  BENCH_WALK,     /* a random step of at most a tenth of an edge */
  BENCH_FLY,      /* straight on, reflected at the walls; some get a new velocity each frame; as
                     fast as Broadmark's */
  BENCH_DART,     /* the same, by an edge each frame in the mean */
  BENCH_EXPLODE,  /* out of a ball, each with a velocity of its own, and back the same way */
  BENCH_TELEPORT, /* to anywhere */
  BENCH_REPLACE,  /* removed, and added again anywhere */
  BENCH_STREAM,   /* removed, and added again in that half of the world that is theirs */
} bench_motion;

static inline bool bench_replaces(bench_motion motion) {
  return motion == BENCH_REPLACE || motion == BENCH_STREAM;
}

typedef struct bench_recipe {
  const char *name;
  const char *letter; /* a short name */
  const char *summary;
  bench_motion motion;
  double share;   /* of the bodies, that move in a frame */
  double density; /* unit cubes per unit of volume; 0.1 makes 0.4 overlapping pairs per cube */
  bool sizes;     /* edges from 0.1 to 100, log-uniform, instead of 1 */
  bool clusters;  /* groups of a thousand, with 2.9 pairs per cube, instead of evenly */
} bench_recipe;

/* Distance of the lattice's points. Half edges are whole multiples of it and a quarter more. */
extern const double bench_lattice;

extern const bench_recipe bench_recipes[];
extern const size_t bench_recipe_count;

/* Names, then letters of all workloads; null past the last. */
const char *bench_recipe_name(unsigned index);

/* A workload by its name or letter, which is one of these. */
const bench_recipe *bench_find_recipe(const char *name);

/* Whether a list names a workload, by name or letter. */
bool bench_list_has_recipe(const char *list, const bench_recipe *recipe);

/* Workload "walk" with this share of the bodies; its name, "walk-10" for a tenth, is for free(). */
bench_recipe bench_recipe_of_share(double share);

/* A line per workload, for --help. For free(). */
char *bench_describe_recipes(void);

typedef struct bench_workload {
  bench_recipe recipe;
  bool rotates; /* bodies that walk also turn */
  double world; /* edge of the cube around the origin that holds all centres */
  bench_body *bodies;
  mo_vec3 *homes;      /* clusters: the middle of each body's */
  mo_vec3 *velocities; /* bodies that fly or explode: per frame */
  mo_vec3 *starts;     /* exploding bodies: where they come from */
  uint32_t frame;      /* steps so far */
  uint32_t count;
  uint32_t *movers; /* those that the last step moved */
  uint32_t mover_count;
  uint32_t turn; /* where the next step begins, if it takes other bodies each time */
  struct random_stream random;
} bench_workload;

/* For bench_workload_destroy. */
bench_workload *bench_workload_create(const bench_recipe *recipe, uint32_t count, bool rotates,
                                      uint64_t seed);
void bench_workload_destroy(bench_workload *workload);

/* The next frame. */
void bench_workload_step(bench_workload *workload);

/* A box of about the given width, and a place for it near some body, on the lattice. */
mo_aabb bench_workload_box(bench_workload *workload, float width);

#endif
