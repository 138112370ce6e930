/* physics-demo: rigid bodies whose motion ODE solves, and whose contacts Motte finds.
 *
 *   physics-demo                      5,000 bodies are poured into a bowl
 *   physics-demo --scene tower        another scene
 *   physics-demo --collision ode      the same with ODE's own collision
 *   physics-demo --output FOLDER      writes an animation and a picture
 *
 * Bodies are in world.c; what Motte finds becomes contact joints of ODE in collision_motte.c and
 * joints.c. run.c does a step, each scene_*.c sets a scene. The program fails where a scene does
 * not end as it should: a tower has to stand, a pile to come to rest. */
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/progress.h"
#include "physics-demo/film.h"
#include "physics-demo/run.h"

static struct totals run(struct stage *stage, struct film *film) {
  const struct options *options = stage->options;
  uint32_t seconds = options->seconds ? options->seconds : options->scene->seconds;
  uint32_t steps = seconds * options->scene->steps_per_second;
  uint32_t every = options->every ? options->every : (steps + 9) / 10;
  struct totals all = {0}, interval = {0};
  report_head(stage);
  for (uint32_t i = 1; i <= steps; i++) {
    struct step_costs costs = step(stage);
    totals_add(&all, &costs);
    totals_add(&interval, &costs);
    progress_show("step %u of %u", i, steps);
    if (film != NULL) {
      film_follow(film);
    }
    if (i % every == 0 || i == steps) {
      progress_clear();
      report_row(stage, &interval);
      interval = (struct totals){0};
    }
  }
  return all;
}

static bool simulate(const struct options *options, mo_tasks tasks) {
  struct world_def def = {
      .collision = options->collision,
      .step = 1.0 / options->scene->steps_per_second,
      .iterations = options->scene->iterations,
      .never_sleeps = options->scene->never_sleeps,
      .settles = options->scene->settles,
      .time_pairs = options->time_pairs,
      .reuse_distance = options->reuse_distance,
      .tasks = tasks,
  };
  struct stage stage = {
      .world = world_create(&def),
      .options = options,
      .random = random_from_seed(options->seed),
      .wanted = options->bodies ? options->bodies : options->scene->bodies,
      .scale = 1.0f,
  };
  options->scene->build(&stage);
  struct totals totals;
  if (options->pictures.output != NULL) {
    struct film film = film_open(&stage);
    totals = run(&stage, &film);
    film_close(&film);
  } else {
    totals = run(&stage, NULL);
  }
  report_summary(&stage, &totals);
  bool good = options->scene->judge(&stage);
  if (options->json != NULL) {
    report_json(&stage, &totals, good);
  }
  world_destroy(stage.world);
  return good;
}

int main(int argc, char **argv) {
  struct options options = options_parse(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0); /* rows are seen as they come, through a pipe, too */
  dInitODE();
  mo_task_pool *pool;
  check(mo_task_pool_create(NULL, options.workers, &pool), "start threads");
  bool good = simulate(&options, mo_task_pool_tasks(pool));
  mo_task_pool_destroy(pool);
  dCloseODE();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
