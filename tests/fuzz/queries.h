/* Queries on a model's scene against brute force. */
#ifndef TEST_FUZZ_QUERIES_H
#define TEST_FUZZ_QUERIES_H

#include "fuzz/model.h"

/* Decodes a query, makes it and compares the answer with a loop over all shapes and triangles. */
void fuzz_query(const fuzz_model *m, fuzz_bytes *b);

/* Decodes a batch of rays or of other queries; its answers are those of the queries by themselves.
 */
void fuzz_query_batch(const fuzz_model *m, fuzz_bytes *b);

#endif
