#include "broad_probes.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"

enum { SAMPLE = 16 };

/* Widths and lengths in usual edges. */
static const struct {
  bench_metric time, results;
  bench_probe_kind kind;
  double width;
} rows[BENCH_PROBE_ROWS] = {
    {{"box2", "us", BENCH_LESS_IS_BETTER},
     {"box2_results", "1/query", BENCH_NEITHER_IS_BETTER},
     BENCH_PROBE_BOX,
     2},
    {{"box10", "us", BENCH_LESS_IS_BETTER},
     {"box10_results", "1/query", BENCH_NEITHER_IS_BETTER},
     BENCH_PROBE_BOX,
     10},
    {{"ray50", "us", BENCH_LESS_IS_BETTER},
     {"ray50_results", "1/query", BENCH_NEITHER_IS_BETTER},
     BENCH_PROBE_CLOSEST,
     50},
    {{"ray50_all", "us", BENCH_LESS_IS_BETTER},
     {"ray50_all_results", "1/query", BENCH_NEITHER_IS_BETTER},
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

static const bench_broad_engine *engine_of(const bench_contender *contender) {
  return (const bench_broad_engine *)contender->engine;
}

/* What a loop over all boxes says that a ray must find at least, and may find at most. */
static void judge(bench_run *run, bench_contender *contender, const bench_course *course,
                  const bench_probe *probe, int row, bench_finding finding) {
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
  if (rows[row].kind == BENCH_PROBE_CLOSEST) {
    surely = surely > 0;
    perhaps = perhaps > 0;
  }
  if (finding.total < surely || finding.total > perhaps || finding.t < earliest - margin ||
      (isfinite(latest) && finding.t > latest + margin)) {
    bench_refuse(run, contender,
                 "%s: a ray meets %u boxes, the first at %.9g; a loop over all says %u to %u, at "
                 "%.9g to %.9g",
                 rows[row].time.name, finding.total, finding.t, surely, perhaps, earliest, latest);
  }
}

/* The queries of a row, and the answers of the first contender. */
typedef struct questions {
  const bench_course *course;
  int row;
  size_t count;
  bench_probe *probes;
  bench_contender *first;
  bench_finding *expected, *findings;
} questions;

/* Boxes are beyond doubt; on rays, engines that do not agree go before the judge. */
static void compare(bench_run *run, bench_contender *contender, const questions *q) {
  bool is_box = rows[q->row].kind == BENCH_PROBE_BOX;
  for (size_t i = 0; i < q->count; i++) {
    bench_finding a = q->expected[i], b = q->findings[i];
    bool same = a.total == b.total && a.sum == b.sum;
    if (is_box && !same) {
      bench_refuse(run, contender, "%u boxes in a box, %s finds %u", b.total,
                   q->first->engine->name, a.total);
    }
    if (!is_box && !(same && (a.t == b.t || fabsf(a.t - b.t) < 1e-5f * a.t))) {
      judge(run, q->first, q->course, &q->probes[i], q->row, a);
      judge(run, contender, q->course, &q->probes[i], q->row, b);
    }
  }
}

static bool can_ask(const bench_contender *contender, int row) {
  return bench_is_active(contender) && engine_of(contender)->query != NULL &&
         (rows[row].kind == BENCH_PROBE_BOX || engine_of(contender)->knows_rays);
}

/* The first of the engines is compared with a loop over all boxes, others with it. */
static void check_sample(bench_run *run, const questions *q) {
  for (size_t i = 0; i < q->count && i < SAMPLE; i++) {
    const bench_finding *finding = &q->expected[i];
    if (rows[q->row].kind != BENCH_PROBE_BOX) {
      judge(run, q->first, q->course, &q->probes[i], q->row, *finding);
      continue;
    }
    uint32_t total = 0;
    for (uint32_t b = 0; b < q->course->count; b++) {
      total += bench_boxes_touch(&q->probes[i].box, &q->course->boxes[b]);
    }
    if (total != finding->total) {
      bench_refuse(run, q->first, "%u boxes in a box; there are %u", finding->total, total);
    }
  }
}

static void query(bench_run *run, bench_contender *contender, questions *q) {
  uint32_t workers = engine_of(contender)->workers;
  double start = bench_clock_of(workers);
  engine_of(contender)->query(contender->world, rows[q->row].kind, q->probes, q->count,
                              q->findings);
  bench_sample(run, contender, &rows[q->row].time,
               1e6 * (bench_clock_of(workers) - start) / (double)q->count);
  if (q->first != NULL) {
    compare(run, contender, q);
    return;
  }
  bench_finding *swapped = q->expected;
  q->first = contender;
  q->expected = q->findings;
  q->findings = swapped;
  check_sample(run, q);
}

static void probe_row(bench_run *run, questions *q) {
  struct random_stream random = random_from_seed((uint64_t)q->row + 1);
  for (uint32_t r = 0; r < run->repeats && !bench_interrupted(); r++) {
    q->first = NULL;
    for (size_t i = 0; i < q->count; i++) {
      q->probes[i] = make_probe(q->course, &random, rows[q->row].width);
    }
    for (size_t c = 0; c < run->count; c++) {
      bench_contender *contender = &run->contenders[(c + r) % run->count];
      if (can_ask(contender, q->row)) {
        query(run, contender, q);
      }
    }
  }
  double results = 0;
  for (size_t i = 0; i < q->count; i++) {
    results += q->expected[i].total;
  }
  for (size_t c = 0; c < run->count; c++) {
    if (can_ask(&run->contenders[c], q->row)) {
      bench_count(run, &run->contenders[c], &rows[q->row].results, results / (double)q->count);
    }
  }
}

void bench_probe_all(bench_run *run, const bench_course *course, size_t count) {
  questions q = {
      .course = course,
      .count = count,
      .probes = allocate(count, sizeof *q.probes),
      .expected = allocate(count, sizeof *q.expected),
      .findings = allocate(count, sizeof *q.findings),
  };
  for (q.row = 0; q.row < BENCH_PROBE_ROWS; q.row++) {
    probe_row(run, &q);
  }
  free(q.probes);
  free(q.expected);
  free(q.findings);
}
