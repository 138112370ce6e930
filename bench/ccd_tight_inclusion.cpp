// Tight-Inclusion: interval root finding that misses no collision, with the settings of its
// authors' comparison: no minimal distance, tolerance 1e-6, at most a million boxes of intervals.
// What is closer than the tolerance, or not decided by then, counts as a collision.
#include <tight_inclusion/ccd.hpp>

#include "ccd.h"

namespace {

using ticcd::Vector3;

bool collides(const bench_ccd_query &query) {
  const double tolerance = 1e-6;
  const long max_boxes = 1000000;
  Vector3 v[2][4];
  for (int time = 0; time < 2; time++) {
    for (int i = 0; i < 4; i++) {
      const double *p = query.vertices[time][i];
      v[time][i] = Vector3(p[0], p[1], p[2]);
    }
  }
  const Vector3 *s = v[0], *e = v[1];
  const ticcd::Array3 rounding = ticcd::Array3::Constant(-1); // to be found from the query
  const auto test = query.of_edges ? ticcd::edgeEdgeCCD : ticcd::vertexFaceCCD;
  double time, reached;
  return test(s[0], s[1], s[2], s[3], e[0], e[1], e[2], e[3], rounding, 0, time, tolerance, 1,
              max_boxes, reached, ticcd::DEFAULT_NO_ZERO_TOI,
              ticcd::CCDRootFindingMethod::BREADTH_FIRST_SEARCH);
}

void run(const bench_ccd_query *queries, size_t count, bool *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = collides(queries[i]);
  }
}

} // namespace

extern "C" const bench_ccd_engine bench_ccd_tight_inclusion;
const bench_ccd_engine bench_ccd_tight_inclusion = {
    {"tight-inclusion", "Tight-Inclusion " TIGHT_INCLUSION_VER}, run, true};
