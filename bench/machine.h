/* Where and with what a run was made. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <cjson/cJSON.h>

/* Processor, cores, memory, system, compiler, version and commit of the library, build
 * options, instruction set, clock, date. For
 * cJSON_Delete. */
cJSON *bench_machine(void);

#endif
