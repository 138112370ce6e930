/* What motte-demo prints. All times are processor time. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "motte-demo/costs.h"
#include "motte-demo/options.h"

void report_options(const struct options *options);
/* `seconds` is what building the octree, or filling the scene, has taken. */
void report_mesh(const char *name, const mo_mesh *mesh, double seconds);
void report_scene(const mo_scene *scene, double seconds);

/* The table: a head, one row per interval of frames, and the whole run at the end. */
void report_table_head(void);
void report_table_row(uint32_t last_frame, const struct costs *costs);
void report_summary(const struct costs *costs, const mo_scene *scene);

#endif
