/* motte-demo: a crowd of shapes, a cube that asks what is around it, and what the answers cost.
 *
 * The scene lives in common/crowd.c, the questions in probe.c; simulation.c runs a frame and takes
 * the processor time. Pictures are composed in gallery.c and ray-cast in common/studio.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/triangles.h"
#include "motte-demo/gallery.h"
#include "motte-demo/options.h"
#include "motte-demo/portrait.h"
#include "motte-demo/report.h"
#include "motte-demo/simulation.h"

/* The meshes that the crowd is made of. */
struct meshes {
  mo_mesh **all;
  uint32_t count;
};

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static mo_mesh *build_mesh(const char *name, struct triangles *triangles) {
  double start = processor_seconds();
  mo_mesh *mesh = triangles_to_mesh(triangles);
  double seconds = processor_seconds() - start;
  triangles_free(triangles);
  progress_clear();
  report_mesh(name, mesh, seconds);
  return mesh;
}

static mo_mesh *load_mesh(const char *path, mo_vec3 up) {
  progress_show("loading %s", path);
  struct triangles triangles;
  const char *error;
  if (!triangles_load(path, &triangles, &error)) {
    progress_clear();
    fail("cannot read the mesh %s: %s", path, error);
  }
  triangles_set_upright(&triangles, up);
  return build_mesh(file_name(path), &triangles);
}

static mo_mesh *make_knot(const char *name, uint32_t p, uint32_t q) {
  struct triangles knot = triangles_make_knot(p, q, 240, 24);
  return build_mesh(name, &knot);
}

static struct meshes get_meshes(const struct options *options) {
  enum { KNOTS = 3 };
  uint32_t count = options->mesh_count > 0 ? options->mesh_count : KNOTS;
  struct meshes meshes = {allocate(count, sizeof(mo_mesh *)), count};
  if (options->mesh_count == 0) {
    meshes.all[0] = make_knot("torus", 1, 0);
    meshes.all[1] = make_knot("trefoil knot", 2, 3);
    meshes.all[2] = make_knot("cinquefoil knot", 2, 5);
    return meshes;
  }
  const mo_vec3 y = {0.0f, 1.0f, 0.0f}; /* only the first has its portrait taken */
  for (uint32_t i = 0; i < count; i++) {
    meshes.all[i] = load_mesh(options->mesh_paths[i], i == 0 ? options->up : y);
  }
  return meshes;
}

static void release_meshes(struct meshes *meshes) {
  for (uint32_t i = 0; i < meshes->count; i++) {
    mo_mesh_release(meshes->all[i]);
  }
  free(meshes->all);
}

static struct simulation start_simulation(const struct options *options,
                                          const struct meshes *meshes) {
  struct crowd_def def = {
      .shape_count = options->shape_count,
      .moving_share = options->moving_share,
      .seed = options->seed,
      .meshes = meshes->all,
      .mesh_count = meshes->count,
      .scene = mo_default_scene_def(),
  };
  def.scene.tree.policy = options->policy;
  progress_show("placing %u shapes", options->shape_count);
  double start = processor_seconds();
  struct simulation simulation = {
      .crowd = crowd_create(&def),
      .frame_count = options->frame_count,
  };
  progress_clear();
  report_scene(simulation.crowd.scene, processor_seconds() - start);
  simulation.probe = probe_create(&simulation.crowd, options->ray_count);
  return simulation;
}

static void end_simulation(struct simulation *simulation) {
  probe_destroy(&simulation->probe);
  crowd_destroy(&simulation->crowd);
}

/* The frame in which the cube is in front of the crowd: a good one for the stills. */
static uint32_t still_frame(const struct simulation *simulation) {
  return (simulation->frame_count + 3) / 4;
}

static void take_pictures(struct gallery *gallery) {
  gallery_film_frame(gallery);
  if (gallery->simulation->frame == still_frame(gallery->simulation)) {
    gallery_shoot_octree(gallery);
    gallery_shoot_probe(gallery);
  }
}

/* Runs all frames. A row of the table stands for a tenth of them. */
static struct costs run(struct simulation *simulation, struct gallery *gallery) {
  struct costs total = {0};
  struct costs interval = {0};
  uint32_t interval_length = (simulation->frame_count + 9) / 10;
  report_table_head();
  while (simulation->frame < simulation->frame_count) {
    struct costs frame = simulation_step(simulation);
    costs_add(&total, &frame);
    costs_add(&interval, &frame);
    progress_show("frame %u of %u", simulation->frame, simulation->frame_count);
    if (gallery != NULL) {
      take_pictures(gallery);
    }
    if (interval.frames == interval_length || simulation->frame == simulation->frame_count) {
      progress_clear();
      report_table_row(simulation->frame, &interval);
      interval = (struct costs){0};
    }
  }
  return total;
}

int main(int argc, char **argv) {
  struct options options = options_parse(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0); /* rows are seen as they come, through a pipe, too */
  report_options(&options);
  struct meshes meshes = get_meshes(&options);
  struct simulation simulation = start_simulation(&options, &meshes);
  struct costs total;
  if (!options.only_measure) {
    struct gallery gallery = gallery_open(&options, &simulation);
    portrait_shoot(&options, meshes.all[0]);
    total = run(&simulation, &gallery);
    gallery_close(&gallery);
  } else {
    total = run(&simulation, NULL);
  }
  report_summary(&total, simulation.crowd.scene);
  end_simulation(&simulation);
  release_meshes(&meshes);
  options_free(&options);
  return EXIT_SUCCESS;
}
