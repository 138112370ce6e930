/* What is true of a configuration, with proof. */
#ifndef BENCH_MOTION_REFEREE_H
#define BENCH_MOTION_REFEREE_H

#include "motion_files.h"

typedef enum bench_motion_verdict {
  BENCH_MOTION_APART,
  BENCH_MOTION_CLOSE, /* the distance is within rounding: either answer is right */
  BENCH_MOTION_TOUCH,
} bench_motion_verdict;

/* Whether two bodies touch. */
bench_motion_verdict bench_motion_judge_bodies(const bench_motion_body *a,
                                               const mo_transform *pose_a,
                                               const bench_motion_body *b,
                                               const mo_transform *pose_b);

/* Whether a link touches an obstacle. Every part, or triangle of it, is taken with every obstacle.
 */
bench_motion_verdict bench_motion_judge_link(const bench_motion_links *links, uint32_t link,
                                             const mo_transform *pose,
                                             const bench_motion_bodies *obstacles);

/* Whether any link touches an obstacle, or the links of a pair touch. */
bench_motion_verdict bench_motion_judge(const bench_motion_links *links, const mo_transform *poses,
                                        const bench_motion_bodies *obstacles);

#endif
