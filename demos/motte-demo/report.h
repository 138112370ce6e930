/* What motte-demo prints. Results go to stdout; progress goes to stderr, if that is a terminal. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "motte-demo/costs.h"
#include "motte-demo/options.h"

void report_options(const struct options *options);
void report_mesh(const char *name, const mo_mesh *mesh);
void report_scene(const mo_scene *scene, double seconds);

/* The table: a head, one row per interval of frames, and the whole run at the end. */
void report_table_head(void);
void report_table_row(uint32_t last_frame, const struct costs *costs);
void report_summary(const struct costs *costs, const mo_scene *scene);

/* A line that is overwritten by the next one; clear it before other output. */
__attribute__((format(printf, 1, 2))) void report_progress(const char *format, ...);
void report_clear_progress(void);

#endif
