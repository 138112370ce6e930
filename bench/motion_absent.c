/* In place of the suite of motion planning, where this was built without the libraries that read
 * robots and scenes. */
#include "motion.h"
#include "suite.h"

static const bench_option options[] = {{0}};

const bench_suite bench_suite_motion_planning = {
    .name = "motion-planning",
    .summary = "not in this build, which lacks Expat or libyaml",
    .options = options,
    .settings_size = 1,
    .engines = &bench_motion_motte[0].id,
    .engine_size = sizeof(bench_motion_engine),
    .peers = bench_motion_peers,
    .lacks = "Expat or libyaml (Debian: libexpat1-dev libyaml-dev)",
};
