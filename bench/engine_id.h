/* What all engines of all suites begin with. Also read by the C++ of peers. */
#ifndef BENCH_ENGINE_ID_H
#define BENCH_ENGINE_ID_H

typedef struct bench_engine_id {
  const char *name;
  const char *version; /* of a peer; null for Motte itself */
} bench_engine_id;

#endif
