// FCL: roots of the cubic in double precision. It misses some collisions.
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include "ccd.h"

namespace {

using Kernel = fcl::detail::Intersect<double>;

bool collides(const bench_ccd_query &query) {
  fcl::Vector3<double> p[2][4];
  for (int time = 0; time < 2; time++) {
    for (int i = 0; i < 4; i++) {
      const double *v = query.vertices[time][i];
      p[time][i] = fcl::Vector3<double>(v[0], v[1], v[2]);
    }
  }
  const auto &s = p[0], &e = p[1];
  double t;
  fcl::Vector3<double> point;
  return query.of_edges
             ? Kernel::intersect_EE(s[0], s[1], s[2], s[3], e[0], e[1], e[2], e[3], &t, &point)
             : Kernel::intersect_VF(s[1], s[2], s[3], s[0], e[1], e[2], e[3], e[0], &t, &point);
}

void run(const bench_ccd_query *queries, size_t count, bool *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = collides(queries[i]);
  }
}

} // namespace

extern "C" const bench_ccd_engine bench_ccd_fcl;
const bench_ccd_engine bench_ccd_fcl = {{"fcl", BENCH_FCL_VERSION}, run, false};
