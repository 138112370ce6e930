/* The search for all pairs once more, with boxes grown: for those within a distance. */
#define MO_PAIR_NEAR 1

#include "scene/pairs/search_kernel.c"
