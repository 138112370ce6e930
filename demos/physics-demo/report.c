#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "physics-demo/run.h"

static const char *engine(const struct stage *stage) {
  return stage->options->collision == COLLISION_MOTTE ? "Motte" : "ODE";
}

void report_head(const struct stage *stage) {
  printf("%s: %u bodies, %u steps a second, contacts by %s, seed %" PRIu64 "\n",
         stage->options->scene->title, stage->wanted, stage->options->scene->steps_per_second,
         engine(stage), stage->options->seed);
  if (stage->options->collision == COLLISION_MOTTE && !stage->options->time_pairs) {
    printf("Contacts include finding the pairs; --time-pairs shows how much that is\n");
  }
  printf("Means over the steps since the row before; processor time in ms, of the calling thread:\n"
         "   time   awake   pairs  touch points |   kinetic     total  deepest "
         "|  update   pairs contacts  solver  sweeps\n"
         "      s                               |        kJ        kJ       mm |\n");
}

void report_row(const struct stage *stage, const struct totals *totals) {
  double n = totals->steps, kinetic, all = energy_of(stage->world, &kinetic);
  const struct step_costs *costs = &totals->costs;
  printf("%7.2f %7.0f %7.0f %6.0f %6.0f | %9.3f %9.3f %8.2f | %7.3f %7.3f %8.3f %7.3f %7.3f\n",
         stage->time, (double)totals->awake / n, (double)totals->pairs / n,
         (double)totals->touching / n, (double)totals->joints / n, 1e-3 * kinetic, 1e-3 * all,
         1e3 * (double)totals->deepest, 1e3 * costs->update / n, 1e3 * costs->pairs / n,
         1e3 * costs->contacts / n, 1e3 * costs->solver / n, 1e3 * costs->sweeps / n);
}

void report_summary(const struct stage *stage, const struct totals *totals) {
  const struct step_costs *costs = &totals->costs;
  double n = totals->steps, collision = costs->update + costs->pairs + costs->contacts;
  printf("\nAfter %.1f simulated seconds: a step took %.3f ms of collision by %s and %.3f ms of "
         "ODE's solver\n",
         stage->time, 1e3 * collision / n, engine(stage), 1e3 * costs->solver / n);
  printf("%u bodies are asleep, %u have left; fast bodies have passed through meshes %" PRIu64
         " times; deepest overlap %.1f mm\n",
         count_asleep(stage), count_outside(stage), totals->passed, 1e3 * (double)totals->deepest);
  printf("hash of all poses: %016" PRIx64 "\n", hash_of(stage->world));
}

void report_json(const struct stage *stage, const struct totals *totals, bool good) {
  const struct options *options = stage->options;
  FILE *file = fopen(options->json, "w");
  if (file == NULL) {
    fail("cannot write %s: %s", options->json, strerror(errno));
  }
  const struct step_costs *costs = &totals->costs;
  double n = totals->steps, kinetic, all = energy_of(stage->world, &kinetic);
  fprintf(file, "{\"scene\": \"%s\", \"collision\": \"%s\", \"bodies\": %u, \"steps\": %u,\n",
          options->scene->name, engine(stage), stage->wanted, totals->steps);
  fprintf(file,
          " \"ms\": {\"update\": %.6f, \"pairs\": %.6f, \"contacts\": %.6f, \"solver\": %.6f, "
          "\"sweeps\": %.6f},\n",
          1e3 * costs->update / n, 1e3 * costs->pairs / n, 1e3 * costs->contacts / n,
          1e3 * costs->solver / n, 1e3 * costs->sweeps / n);
  fprintf(file, " \"pairs\": %.1f, \"touching\": %.1f, \"points\": %.1f, \"awake\": %.1f,\n",
          (double)totals->pairs / n, (double)totals->touching / n, (double)totals->joints / n,
          (double)totals->awake / n);
  fprintf(file,
          " \"kinetic_joules\": %.3f, \"energy_joules\": %.3f, \"deepest_metres\": %.6f,\n"
          " \"asleep\": %u, \"left\": %u, \"passed\": %" PRIu64
          ", \"as_it_should\": %s, \"hash\": \"%016" PRIx64 "\"}\n",
          kinetic, all, (double)totals->deepest, count_asleep(stage), count_outside(stage),
          totals->passed, good ? "true" : "false", hash_of(stage->world));
  if (fclose(file) != 0) {
    fail("cannot write %s", options->json);
  }
}
