/* Where and with what a run was made. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <cjson/cJSON.h>

/* Processor, cores, memory, system, compiler, library version, instruction set, clock, date. For
 * cJSON_Delete. */
cJSON *bench_machine(void);

#endif
