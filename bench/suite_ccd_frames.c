/* Two frames of a simulation: which vertices come near which faces while they move from one to the
 * other, which edges near which, and which of these collide.
 *
 * The data is that of Belgrod, Wang, Ferguson, Zhao, Attene, Panozzo and Schneider, "Time of Impact
 * Dataset for Continuous Collision Detection and a Scalable Conservative Algorithm" (2023): frames,
 * and pairs that a broad phase must find. What an engine lists is compared with that list, with a
 * loop over all faces or edges for some vertices or edges, and with the other engines. Where the
 * data also says which of the pairs collide, the engines' answers are compared with that. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/random.h"
#include "frames.h"
#include "suite.h"

static const bench_metric build_time = {"build", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric pairs_time = {"pairs", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric narrow_time = {"narrow", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric impacts_time = {"impacts", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric pair_count = {"pair_count", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric impact_count = {"impact_count", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric unexplained = {"unexplained", "", BENCH_LESS_IS_BETTER};
static const bench_metric collision_count = {"collisions", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric false_negatives = {"false_negatives", "", BENCH_LESS_IS_BETTER};
static const bench_metric false_positives = {"false_positives", "", BENCH_LESS_IS_BETTER};

struct settings {
  uint32_t checked;
};

struct outcome {
  bench_frame_pairs pairs;
  size_t touching, found; /* pairs whose boxes touch, and known pairs among them */
  uint32_t *partners_of;  /* how many faces each vertex touches by its box, or edges each edge */
  bool *collides;
  size_t missed, extra; /* collisions of known pairs */
  void *mesh;           /* of an engine that finds impacts of faces; else null */
  bench_frame_pairs impacts;
};

struct state {
  bench_frames frames;
  bench_ccd_query *queries; /* of the known pairs */
};

static const bench_frame_engine *engine_of(const bench_contender *contender) {
  return (const bench_frame_engine *)contender->engine;
}

/* Which of the known pairs collide, where the data has the answers. Only times of an engine that
 * misses none are compared. */
static void measure_narrow(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  const size_t count = state->frames.known.count;
  if (!state->frames.has_answers || count == 0 || engine_of(contender)->narrow == NULL) {
    return;
  }
  double begin = bench_clock();
  engine_of(contender)->narrow->run(state->queries, count, outcome->collides);
  double end = bench_clock();
  bench_ccd_judge(state->queries, count, outcome->collides, &outcome->missed, &outcome->extra);
  if (outcome->missed == 0) {
    bench_sample(run, contender, &narrow_time, 1e6 * (end - begin) / (double)count);
  }
}

/* Impacts of faces are the same for the lists of vertices and of edges, so only the former take
 * time in each round. */
static void measure_impacts(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  if (outcome->mesh == NULL || (state->frames.of_edges && outcome->impacts.count > 0)) {
    return;
  }
  outcome->impacts.count = 0;
  double begin = bench_clock();
  engine_of(contender)->impacts->find(outcome->mesh, &state->frames, &outcome->impacts);
  double end = bench_clock();
  if (!state->frames.of_edges) {
    bench_sample(run, contender, &impacts_time, 1e3 * (end - begin));
  }
}

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const bench_frame_engine *engine = engine_of(contender);
  struct outcome *outcome = contender->data;
  double begin = bench_clock();
  void *world = engine->create(&state->frames);
  double built = bench_clock();
  outcome->pairs.count = 0;
  engine->find(world, &outcome->pairs);
  double found = bench_clock();
  engine->destroy(world);
  bench_sample(run, contender, &build_time, 1e3 * (built - begin));
  bench_sample(run, contender, &pairs_time, 1e3 * (found - built));
  measure_narrow(run, contender);
  measure_impacts(run, contender);
}

/* In double precision, in which it is exact but for boxes of very different sizes; engines may list
 * pairs that are a rounding apart. */
static bool touch(const bench_frames *frames, uint32_t a, uint32_t b) {
  const bench_box *p = &frames->boxes[0][a], *q = &frames->boxes[1][b];
  return fabs((double)p->center.x - q->center.x) <= (double)p->half.x + q->half.x &&
         fabs((double)p->center.y - q->center.y) <= (double)p->half.y + q->half.y &&
         fabs((double)p->center.z - q->center.z) <= (double)p->half.z + q->half.z;
}

/* Where a pair is in the list of those that must be found; its length: it is not there. */
static size_t find_known(const bench_frame_pairs *known, bench_frame_pair pair) {
  size_t low = 0, high = known->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    bench_frame_pair k = known->item[middle];
    if (k.a < pair.a || (k.a == pair.a && k.b < pair.b)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool equal = low < known->count && known->item[low].a == pair.a && known->item[low].b == pair.b;
  return equal ? low : known->count;
}

/* Counts, of the pairs that an engine lists, those whose boxes touch. */
static void count_pairs(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_frames *frames = &state->frames;
  struct outcome *outcome = contender->data;
  bool *seen = allocate(frames->known.count + 1, sizeof *seen);
  memset(outcome->partners_of, 0, frames->box_counts[0] * sizeof *outcome->partners_of);
  outcome->touching = outcome->found = 0;
  for (size_t i = 0; i < outcome->pairs.count; i++) {
    bench_frame_pair pair = outcome->pairs.item[i];
    if (touch(frames, pair.a, pair.b)) {
      size_t k = find_known(&frames->known, pair);
      outcome->partners_of[pair.a]++;
      if (frames->of_edges) {
        outcome->partners_of[pair.b]++;
      }
      outcome->touching++;
      outcome->found += k < frames->known.count && !seen[k];
      seen[k] = true;
    }
  }
  free(seen);
}

/* Refuses an engine that does not find as many faces near a vertex, or edges near an edge, as a
 * loop over all of them. */
static void check_one(bench_run *run, bench_contender *contender, uint32_t a) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  uint32_t count = 0;
  const bench_frames *frames = &state->frames;
  for (uint32_t b = 0; b < frames->box_counts[1]; b++) {
    count += !(frames->of_edges && a == b) && touch(frames, a, b);
  }
  if (count != outcome->partners_of[a]) {
    bench_refuse(run, contender, "it finds %u of the %u %s %u", outcome->partners_of[a], count,
                 frames->of_edges ? "edges near edge" : "faces near vertex", a);
  }
}

static void check_answers(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  const struct outcome *outcome = contender->data;
  const bench_frame_pairs *known = &state->frames.known;
  struct random_stream random = random_from_seed(run->seed);
  for (uint32_t i = 0; i < settings->checked; i++) {
    check_one(run, contender, random_below(&random, state->frames.box_counts[0]));
  }
  if (outcome->found < known->count) {
    bench_refuse(run, contender, "it misses %zu of %zu pairs that must be found",
                 known->count - outcome->found, known->count);
  }
  const bench_ccd_engine *narrow = engine_of(contender)->narrow;
  if (narrow != NULL && narrow->finds_all && outcome->missed > 0) {
    bench_refuse(run, contender, "it misses %zu collisions", outcome->missed);
  }
  if (outcome->mesh != NULL && state->frames.has_answers) {
    const size_t count = bench_frames_count_unexplained(&state->frames, &outcome->impacts);
    if (count > 0) {
      bench_refuse(run, contender, "faces of %zu collisions have no impact", count);
    }
  }
}

/* Where an engine differs from the first one, a loop says which one is wrong. */
static void compare(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data, *first = run->contenders[0].data;
  for (uint32_t i = 0; i < state->frames.box_counts[0]; i++) {
    if (outcome->partners_of[i] != first->partners_of[i]) {
      check_one(run, contender, i);
      check_one(run, &run->contenders[0], i);
      return;
    }
  }
}

static void check_round(bench_run *run, uint32_t round) {
  if (round == 0) {
    bench_check_each(run, count_pairs);
    bench_check_each(run, check_answers);
    bench_check_each(run, compare);
  }
}

static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  size_t known = state->frames.known.count, collisions = 0;
  bench_count(run, contender, &pair_count, (double)outcome->touching);
  if (outcome->mesh != NULL) {
    bench_count(run, contender, &impact_count, (double)outcome->impacts.count);
    bench_count(run, contender, &unexplained,
                (double)bench_frames_count_unexplained(&state->frames, &outcome->impacts));
  }
  if (!state->frames.has_answers) {
    return;
  }
  for (size_t i = 0; i < known; i++) {
    collisions += state->queries[i].collides;
  }
  bench_count(run, contender, &collision_count, (double)collisions);
  if (engine_of(contender)->narrow != NULL) {
    bench_count(run, contender, &false_negatives, (double)outcome->missed);
    bench_count(run, contender, &false_positives, (double)outcome->extra);
  }
}

static void run_frames(void *context, const char *scene, uint32_t number, bool of_edges) {
  bench_run *run = context;
  struct state *state = run->data;
  bench_frames *frames = &state->frames;
  char *folder = bench_format("%s/%s", run->folder, scene);
  bench_frames_read(folder, number, of_edges, frames);
  free(folder);
  const bench_frame_pairs *known = &frames->known;
  state->queries = allocate(known->count + 1, sizeof *state->queries);
  for (size_t i = 0; i < known->count; i++) {
    state->queries[i] = bench_frames_query(frames, known->item[i]);
  }
  for (size_t i = 0; i < run->count; i++) {
    const bench_impact_engine *impacts = engine_of(&run->contenders[i])->impacts;
    *(struct outcome *)run->contenders[i].data =
        (struct outcome){.partners_of = allocate(frames->box_counts[0], sizeof(uint32_t)),
                         .collides = allocate(known->count + 1, 1),
                         .mesh = impacts != NULL ? impacts->create(frames) : NULL};
  }
  bench_begin(run, bench_format("%s/%sframe %u", scene, of_edges ? "edges of " : "", number));
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure, .check = check_round});
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    struct outcome *outcome = run->contenders[i].data;
    free(outcome->partners_of);
    free(outcome->collides);
    free(outcome->pairs.item);
    free(outcome->impacts.item);
    if (outcome->mesh != NULL) {
      engine_of(&run->contenders[i])->impacts->destroy(outcome->mesh);
    }
  }
  free(state->queries);
  bench_frames_free(frames);
}

typedef void visit_frames(void *context, const char *scene, uint32_t number, bool of_edges);

/* Each list of pairs of vertices and faces, or of edges, is a case. Returns how many there are. */
static size_t each_of_scene(const char *data, const char *scene, visit_frames *visit,
                            void *context) {
  char *folder = bench_format("%s/%s/boxes", data, scene);
  struct dirent **entries = NULL;
  int entry_count = scandir(folder, &entries, NULL, alphasort);
  size_t cases = 0;
  for (int i = 0; i < entry_count; i++) {
    char *end;
    unsigned long number = strtoul(entries[i]->d_name, &end, 10);
    bool of_edges = strcmp(end, "ee.json") == 0;
    if (end != entries[i]->d_name && (of_edges || strcmp(end, "vf.json") == 0) &&
        !bench_interrupted()) {
      visit(context, scene, (uint32_t)number, of_edges);
      cases++;
    }
    free(entries[i]);
  }
  free(entries);
  free(folder);
  return cases;
}

static size_t each_case(const char *data, visit_frames *visit, void *context) {
  struct dirent **entries = NULL;
  int entry_count = scandir(data, &entries, NULL, alphasort);
  size_t cases = 0;
  for (int i = 0; i < entry_count; i++) {
    if (entries[i]->d_name[0] != '.' && !bench_interrupted()) {
      cases += each_of_scene(data, entries[i]->d_name, visit, context);
    }
    free(entries[i]);
  }
  free(entries);
  return cases;
}

static void read_frames(void *context, const char *scene, uint32_t number, bool of_edges) {
  char *folder = bench_format("%s/%s", (const char *)context, scene);
  bench_frames frames;
  bench_frames_read(folder, number, of_edges, &frames);
  bench_frames_free(&frames);
  free(folder);
}

static void check_data(const char *folder, const void *settings) {
  (void)settings;
  if (each_case(folder, read_frames, (void *)folder) == 0 && !bench_interrupted()) {
    fail("%s has no SCENE/boxes/*vf.json or *ee.json", folder);
  }
}

static void run_all(bench_run *run) {
  struct state state = {.queries = NULL};
  run->data = &state;
  each_case(run->folder, run_frames, run);
}

static const bench_option options[] = {
    {"checked", "N", "vertices or edges whose pairs a loop over all checks", BENCH_COUNT,
     .offset = offsetof(struct settings, checked), .initial = "200", .quick = "50", .min = 0,
     .max = 1e6},
    {0},
};

const bench_suite bench_suite_ccd_frames = {
    .name = "ccd-frames",
    .summary = "vertices and faces, and edges, that come near each other between two frames",
    .purpose = "Finds which vertices come near which faces, and which edges near which, between "
               "two frames of a simulation, and which of them collide (Belgrod and others 2023).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_frame_motte[0].id,
    .engine_size = sizeof(bench_frame_engine),
    .chosen_engines = "motte",
    .needs_first = true,
    .peers = bench_frame_peers,
    .contender_size = sizeof(struct outcome),
    .repeats = "3",
    .data = "ccd-unc-frames",
    .check_data = check_data,
    .headlines = "pairs,build",
    .run = run_all,
};
