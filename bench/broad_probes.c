#include "broad_probes.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"

/* Widths and lengths in usual edges. */
static const struct {
  bench_metric time, results;
  bench_probe_kind kind;
  double width;
} rows[BENCH_PROBE_ROWS] = {
    {{"box2", "us", BENCH_LESS_IS_BETTER},
     {"box2_results", "1/query", BENCH_NO_SENSE},
     BENCH_PROBE_BOX,
     2},
    {{"box10", "us", BENCH_LESS_IS_BETTER},
     {"box10_results", "1/query", BENCH_NO_SENSE},
     BENCH_PROBE_BOX,
     10},
    {{"ray50", "us", BENCH_LESS_IS_BETTER},
     {"ray50_results", "1/query", BENCH_NO_SENSE},
     BENCH_PROBE_CLOSEST,
     50},
    {{"ray50_all", "us", BENCH_LESS_IS_BETTER},
     {"ray50_all_results", "1/query", BENCH_NO_SENSE},
     BENCH_PROBE_ALL,
     50},
};

static float on_lattice(const bench_course *course, double x) {
  return (float)(round(x / course->lattice) * course->lattice);
}

/* Near some box; boxes with faces between the points of the lattice. */
static bench_probe make_probe(const bench_course *course, struct random_stream *random,
                              double width) {
  mo_vec3 near = course->boxes[random_below(random, course->count)].center;
  float reach = (float)(5 * course->unit);
  float half =
      (float)((round(width / 2 * course->unit / course->lattice) + 0.25) * course->lattice);
  float x = on_lattice(course, near.x + random_between(random, -reach, reach));
  float y = on_lattice(course, near.y + random_between(random, -reach, reach));
  float z = on_lattice(course, near.z + random_between(random, -reach, reach));
  bench_probe probe = {.box = {{x, y, z}, {half, half, half}}, .origin = {x, y, z}};
  probe.direction = random_direction(random);
  probe.max_t = (float)(width * course->unit);
  return probe;
}

/* Where a ray is in a box grown by a margin, in double precision. */
static bool meets(const bench_probe *probe, const bench_box *box, double margin, double *t) {
  const float o[3] = {probe->origin.x, probe->origin.y, probe->origin.z};
  const float d[3] = {probe->direction.x, probe->direction.y, probe->direction.z};
  const float c[3] = {box->center.x, box->center.y, box->center.z};
  const float h[3] = {box->half.x, box->half.y, box->half.z};
  double enter = 0, leave = probe->max_t;
  for (int axis = 0; axis < 3; axis++) {
    double a = ((double)c[axis] - h[axis] - margin - o[axis]) / d[axis];
    double b = ((double)c[axis] + h[axis] + margin - o[axis]) / d[axis];
    enter = fmax(enter, fmin(a, b));
    leave = fmin(leave, fmax(a, b));
  }
  *t = enter;
  return enter <= leave;
}

/* What a loop over all boxes says that a ray must find at least, and may find at most. */
static void judge(const bench_course *course, const bench_probe *probe, const char *name,
                  bench_probe_kind kind, bench_finding finding, const char *case_name) {
  const double margin = 1e-5 * course->world;
  uint32_t surely = 0, perhaps = 0;
  double latest = INFINITY, earliest = INFINITY;
  for (uint32_t i = 0; i < course->count; i++) {
    double t;
    if (meets(probe, &course->boxes[i], margin, &t)) {
      perhaps++;
      earliest = fmin(earliest, t);
    }
    if (meets(probe, &course->boxes[i], -margin, &t)) {
      surely++;
      latest = fmin(latest, t);
    }
  }
  if (kind == BENCH_PROBE_CLOSEST) {
    surely = surely > 0;
    perhaps = perhaps > 0;
  }
  if (finding.total < surely || finding.total > perhaps || finding.t < earliest - margin ||
      (isfinite(latest) && finding.t > latest + margin)) {
    fail("%s: %s: a ray meets %u boxes, the first at %.9g; a loop over all says %u to %u, at %.9g "
         "to %.9g",
         case_name, name, finding.total, finding.t, surely, perhaps, earliest, latest);
  }
}

/* Boxes are beyond doubt; on rays, engines that do not agree go before the judge. */
static void compare(const bench_course *course, bench_probe_kind kind, const bench_probe *probe,
                    const bench_asked *first, bench_finding a, const bench_asked *other,
                    bench_finding b, const char *case_name) {
  bool same = a.total == b.total && a.sum == b.sum;
  if (kind == BENCH_PROBE_BOX && !same) {
    fail("%s: %s finds %u boxes in a box, %s %u", case_name, first->engine->id.name, a.total,
         other->engine->id.name, b.total);
  }
  if (kind != BENCH_PROBE_BOX && !(same && (a.t == b.t || fabsf(a.t - b.t) < 1e-5f * a.t))) {
    judge(course, probe, first->engine->id.name, kind, a, case_name);
    judge(course, probe, other->engine->id.name, kind, b, case_name);
  }
}

static bool can_ask(const bench_asked *asked, int row) {
  return asked->engine->ask != NULL &&
         (rows[row].kind == BENCH_PROBE_BOX || asked->engine->knows_rays);
}

/* The first of the engines is compared with a loop over all boxes, others with it. */
static void check_sample(const bench_course *course, const bench_asked *first, int row,
                         const bench_probe *probes, const bench_finding *findings, size_t count,
                         const char *case_name) {
  for (size_t i = 0; i < count; i++) {
    if (rows[row].kind != BENCH_PROBE_BOX) {
      judge(course, &probes[i], first->engine->id.name, rows[row].kind, findings[i], case_name);
      continue;
    }
    uint32_t total = 0;
    for (uint32_t b = 0; b < course->count; b++) {
      total += bench_boxes_touch(&probes[i].box, &course->boxes[b]);
    }
    if (total != findings[i].total) {
      fail("%s: %s finds %u boxes in a box; there are %u", case_name, first->engine->id.name,
           findings[i].total, total);
    }
  }
}

static void probe_row(const bench_course *course, const bench_asked *asked, size_t asked_count,
                      size_t count, size_t repeats, int row, bench_report *report,
                      const char *case_name) {
  struct random_stream random = random_from_seed((uint64_t)row + 1);
  bench_probe *probes = allocate(count, sizeof *probes);
  bench_finding *first = allocate(count, sizeof *first), *findings = allocate(count, sizeof *first);
  double *samples = allocate(asked_count * repeats, sizeof *samples);
  for (size_t r = 0; r < repeats; r++) {
    const bench_asked *who = NULL;
    for (size_t i = 0; i < count; i++) {
      probes[i] = make_probe(course, &random, rows[row].width);
    }
    for (size_t e = 0; e < asked_count; e++) {
      if (!can_ask(&asked[e], row)) {
        continue;
      }
      bench_finding *mine = who == NULL ? first : findings;
      double start = bench_clock();
      asked[e].engine->ask(asked[e].world, rows[row].kind, probes, count, mine);
      samples[e * repeats + r] = 1e6 * (bench_clock() - start) / (double)count;
      if (who == NULL) {
        who = &asked[e];
        check_sample(course, who, row, probes, first, count < 16 ? count : 16, case_name);
      }
      for (size_t i = 0; i < count; i++) {
        compare(course, rows[row].kind, &probes[i], who, first[i], &asked[e], mine[i], case_name);
      }
    }
  }
  double results = 0;
  for (size_t i = 0; i < count; i++) {
    results += first[i].total;
  }
  for (size_t e = 0; e < asked_count; e++) {
    if (can_ask(&asked[e], row)) {
      const char *name = asked[e].engine->id.name;
      bench_report_add(report, case_name, name, &rows[row].time,
                       bench_summarise(samples + e * repeats, repeats));
      bench_report_count(report, case_name, name, &rows[row].results, results / (double)count);
    }
  }
  free(probes);
  free(first);
  free(findings);
  free(samples);
}

void bench_probe_all(const bench_course *course, const bench_asked *asked, size_t asked_count,
                     size_t count, size_t repeats, bench_report *report, const char *case_name) {
  for (int row = 0; row < BENCH_PROBE_ROWS; row++) {
    probe_row(course, asked, asked_count, count, repeats, row, report, case_name);
  }
}
