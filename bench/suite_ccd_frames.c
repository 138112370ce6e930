/* Two frames of a simulation: which vertices come near which faces while they move from one to the
 * other, and which of these collide.
 *
 * The data is that of Belgrod, Wang, Ferguson, Zhao, Attene, Panozzo and Schneider, "Time of Impact
 * Dataset for Continuous Collision Detection and a Scalable Conservative Algorithm" (2023): frames,
 * and pairs that a broad phase must find. What an engine lists is compared with that list, with a
 * loop over all faces for some vertices, and with the other engines. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/random.h"
#include "frames.h"
#include "suite.h"

static const bench_metric build_time = {"build", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric pairs_time = {"pairs", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric narrow_time = {"narrow", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric pair_count = {"pair_count", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric recall = {"recall", "%", BENCH_NEITHER_IS_BETTER};
static const bench_metric collision_count = {"collisions", "", BENCH_NEITHER_IS_BETTER};

struct settings {
  uint32_t checked;
};

struct outcome {
  bench_frame_pairs pairs;
  size_t touching, found;
  bool *collides;
};

struct state {
  bench_frames frames;
  bench_ccd_query *queries; /* of the known pairs */
};

static const bench_frame_engine *engine_of(const bench_contender *contender) {
  return (const bench_frame_engine *)contender->engine;
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
  engine->narrow->run(state->queries, state->frames.known.count, outcome->collides);
  double end = bench_clock();
  engine->destroy(world);
  bench_sample(run, contender, &build_time, 1e3 * (built - begin));
  bench_sample(run, contender, &pairs_time, 1e3 * (found - built));
  if (state->frames.known.count > 0) {
    bench_sample(run, contender, &narrow_time,
                 1e6 * (end - found) / (double)state->frames.known.count);
  }
}

static bool touch(const bench_frames *frames, uint32_t vertex, uint32_t face) {
  return bench_boxes_touch(&frames->vertex_boxes[vertex], &frames->face_boxes[face]);
}

/* Where a pair is in the list of those that must be found; its length: it is not there. */
static size_t find_known(const bench_frame_pairs *known, bench_frame_pair pair) {
  size_t low = 0, high = known->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    bench_frame_pair k = known->item[middle];
    if (k.vertex < pair.vertex || (k.vertex == pair.vertex && k.face < pair.face)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool equal = low < known->count && known->item[low].vertex == pair.vertex &&
               known->item[low].face == pair.face;
  return equal ? low : known->count;
}

/* How many faces each vertex touches by its box, of those that an engine lists; and how many of the
 * pairs that must be found are among them. */
static uint32_t *take_stock(const bench_frames *frames, struct outcome *outcome) {
  uint32_t *faces_of = allocate(frames->vertex_count, sizeof *faces_of);
  bool *seen = allocate(frames->known.count + 1, sizeof *seen);
  outcome->touching = outcome->found = 0;
  for (size_t i = 0; i < outcome->pairs.count; i++) {
    bench_frame_pair pair = outcome->pairs.item[i];
    if (touch(frames, pair.vertex, pair.face)) {
      size_t k = find_known(&frames->known, pair);
      faces_of[pair.vertex]++;
      outcome->touching++;
      outcome->found += k < frames->known.count && !seen[k];
      seen[k] = true;
    }
  }
  free(seen);
  return faces_of;
}

static void check_answers(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  const bench_frames *frames = &state->frames;
  struct outcome *outcome = contender->data;
  struct random_stream random = random_from_seed(run->seed);
  uint32_t *faces_of = take_stock(frames, outcome);
  for (uint32_t i = 0; i < settings->checked; i++) {
    uint32_t vertex = random_below(&random, frames->vertex_count), count = 0;
    for (uint32_t face = 0; face < frames->face_count; face++) {
      count += touch(frames, vertex, face);
    }
    if (count != faces_of[vertex]) {
      bench_refuse(run, contender, "it finds %u of the %u faces near vertex %u", faces_of[vertex],
                   count, vertex);
    }
  }
  free(faces_of);
  const struct outcome *first = run->contenders[0].data;
  if (outcome->found < frames->known.count) {
    bench_refuse(run, contender, "it misses %zu of %zu pairs that must be found",
                 frames->known.count - outcome->found, frames->known.count);
  } else if (outcome->touching != first->touching) {
    bench_refuse(run, contender, "it finds %zu pairs, and %s %zu", outcome->touching,
                 run->contenders[0].engine->name, first->touching);
  }
}

static void check_round(bench_run *run, uint32_t round) {
  if (round == 0) {
    bench_check_each(run, check_answers);
  }
}

static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  size_t known = state->frames.known.count, collisions = 0;
  for (size_t i = 0; i < known; i++) {
    collisions += outcome->collides[i];
  }
  bench_count(run, contender, &pair_count, (double)outcome->touching);
  bench_count(run, contender, &recall,
              known > 0 ? 100.0 * (double)outcome->found / (double)known : 100);
  bench_count(run, contender, &collision_count, (double)collisions);
}

static void run_frames(bench_run *run, const char *scene, uint32_t number) {
  struct state *state = run->data;
  char *folder = bench_format("%s/%s", run->folder, scene);
  bench_frames_read(folder, number, &state->frames);
  free(folder);
  const bench_frame_pairs *known = &state->frames.known;
  state->queries = allocate(known->count + 1, sizeof *state->queries);
  for (size_t i = 0; i < known->count; i++) {
    state->queries[i] = bench_frames_query(&state->frames, known->item[i]);
  }
  for (size_t i = 0; i < run->count; i++) {
    *(struct outcome *)run->contenders[i].data =
        (struct outcome){.collides = allocate(known->count + 1, 1)};
  }
  bench_begin(run, bench_format("%s/frame %u", scene, number));
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure, .check = check_round});
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    struct outcome *outcome = run->contenders[i].data;
    free(outcome->collides);
    free(outcome->pairs.item);
  }
  free(state->queries);
  bench_frames_free(&state->frames);
}

/* Each list of pairs of vertices and faces is a case. */
static void run_scene(bench_run *run, const char *scene) {
  char *folder = bench_format("%s/%s/boxes", run->folder, scene);
  struct dirent **entries = NULL;
  int entry_count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < entry_count; i++) {
    char *end;
    unsigned long number = strtoul(entries[i]->d_name, &end, 10);
    if (end != entries[i]->d_name && strcmp(end, "vf.json") == 0 && !bench_interrupted()) {
      run_frames(run, scene, (uint32_t)number);
    }
    free(entries[i]);
  }
  free(entries);
  free(folder);
}

static void run_all(bench_run *run) {
  struct state state = {.queries = NULL};
  struct dirent **entries = NULL;
  int entry_count = scandir(run->folder, &entries, NULL, alphasort);
  run->data = &state;
  for (int i = 0; i < entry_count; i++) {
    if (entries[i]->d_name[0] != '.' && !bench_interrupted()) {
      run_scene(run, entries[i]->d_name);
    }
    free(entries[i]);
  }
  free(entries);
}

static const bench_option options[] = {
    {"checked", "N", "vertices whose faces a loop over all of them checks", BENCH_COUNT,
     .offset = offsetof(struct settings, checked), .initial = "200", .quick = "50", .min = 0,
     .max = 1e6},
    {0},
};

const bench_suite bench_suite_ccd_frames = {
    .name = "ccd-frames",
    .summary = "vertices and faces that come near each other between two frames",
    .purpose = "Finds which vertices come near which faces between two frames of a simulation, and "
               "which of them collide (Belgrod and others 2023).",
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
    .headlines = "pairs,build",
    .run = run_all,
};
