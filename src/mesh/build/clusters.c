/* Clusters of references that lie together, for quick building: sorted along a Morton curve and cut
 * where the curve turns into another cell (Lauterbach et al., "Fast BVH Construction on GPUs",
 * 2009). Cuts by surface area are then made among clusters in place of references, a fifth as many
 * (in the spirit of Pantaleoni and Luebke, "HLBVH", 2010). */
#include <string.h>

#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

enum {
  AXIS_BITS = 11, /* per axis of the curve: a digit of the sort, which has three */
  DIGITS = 1 << AXIS_BITS,
  INDEX_BITS = 64 - 3 * AXIS_BITS,
  PIECE = 16384, /* references that a task takes on at a time */
};

_Static_assert(MO_MAX_TRIANGLES < 1ull << INDEX_BITS, "an index fits below the code");

typedef struct clustering {
  mo_tree_builder *tree;
  uint32_t count;
  uint64_t *from, *to; /* code and index */
  uint32_t *starts;    /* by piece and digit */
  uint32_t shift;      /* to the digit of this pass */
  mo_f4 origin, scale; /* twice the centres to cells */
  mo_item *clusters;   /* those of a piece where its references are, at first */
  uint32_t *counts;    /* by piece */
} clustering;

static uint32_t piece_end(const clustering *c, uint32_t piece) {
  uint32_t rest = c->count - piece * PIECE;
  return piece * PIECE + (rest < PIECE ? rest : PIECE);
}

/* Two zeros between the bits. */
static uint64_t spread(uint32_t x) {
  uint64_t v = x;
  v = (v | v << 16) & 0x0000ff0000ffull;
  v = (v | v << 8) & 0x00f00f00f00full;
  v = (v | v << 4) & 0x0c30c30c30c3ull;
  return (v | v << 2) & 0x249249249249ull;
}

static void make_keys(uint32_t piece, void *context) {
  const clustering *c = context;
  for (uint32_t i = piece * PIECE; i < piece_end(c, piece); i++) {
    const mo_item *item = &c->tree->items[i];
    const mo_i4 axes = {-1, -1, -1, 0};
    mo_f4 centre = (mo_f4)((mo_i4)(item->lower + item->upper) & axes);
    mo_i4 cell = mo_f4_truncate((centre - c->origin) * c->scale);
    uint64_t code =
        spread((uint32_t)cell[0]) << 2 | spread((uint32_t)cell[1]) << 1 | spread((uint32_t)cell[2]);
    c->from[i] = code << INDEX_BITS | i;
  }
}

static void count_digits(uint32_t piece, void *context) {
  const clustering *c = context;
  uint32_t *counts = &c->starts[(size_t)piece * DIGITS];
  memset(counts, 0, DIGITS * sizeof *counts);
  for (uint32_t i = piece * PIECE; i < piece_end(c, piece); i++) {
    counts[c->from[i] >> c->shift & (DIGITS - 1)]++;
  }
}

static void place_keys(uint32_t piece, void *context) {
  const clustering *c = context;
  uint32_t *starts = &c->starts[(size_t)piece * DIGITS];
  for (uint32_t i = piece * PIECE; i < piece_end(c, piece); i++) {
    c->to[starts[c->from[i] >> c->shift & (DIGITS - 1)]++] = c->from[i];
  }
}

static void sort_keys(clustering *c, uint32_t pieces) {
  const mo_host *host = &c->tree->builder->mesh->host;
  for (int pass = 0; pass < 3; pass++) {
    c->shift = (uint32_t)(INDEX_BITS + pass * AXIS_BITS);
    mo_tasks_run(host, pieces, count_digits, c);
    uint32_t start = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
      for (uint32_t piece = 0; piece < pieces; piece++) {
        uint32_t *place = &c->starts[(size_t)piece * DIGITS + digit];
        uint32_t count = *place;
        *place = start;
        start += count;
      }
    }
    mo_tasks_run(host, pieces, place_keys, c);
    uint64_t *sorted = c->to;
    c->to = c->from;
    c->from = sorted;
  }
}

static void add_cluster(clustering *c, uint32_t piece, uint32_t first, uint32_t count) {
  const mo_item *items = &c->tree->scratch[first];
  mo_box4v box = items[0];
  for (uint32_t i = 1; i < count; i++) {
    box = mo_box4v_union(box, items[i]);
  }
  c->clusters[piece * PIECE + c->counts[piece]++] =
      mo_item_make(mo_box4v_get(&box), first, (float)count);
}

/* Takes references that are neighbours on the curve apart until they fit in a block. */
static void cut_curve(clustering *c, uint32_t piece, uint32_t first, uint32_t count) {
  if (count <= MO_WIDTH) {
    add_cluster(c, piece, first, count);
    return;
  }
  uint64_t differing = (c->from[first] ^ c->from[first + count - 1]) >> INDEX_BITS;
  uint32_t left = count / 2;
  if (differing != 0) {
    uint64_t bit = 1ull << (63 - __builtin_clzll(differing)) << INDEX_BITS;
    uint32_t low = 0, high = count - 1; /* the bit is clear in the first, set in the last */
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (c->from[first + middle] & bit) {
        high = middle;
      } else {
        low = middle;
      }
    }
    left = high;
  }
  cut_curve(c, piece, first, left);
  cut_curve(c, piece, first + left, count - left);
}

static void sort_items(uint32_t piece, void *context) {
  const clustering *c = context;
  for (uint32_t i = piece * PIECE; i < piece_end(c, piece); i++) {
    c->tree->scratch[i] = c->tree->items[c->from[i] & ((1ull << INDEX_BITS) - 1)];
  }
}

static void make_clusters(uint32_t piece, void *context) {
  clustering *c = context;
  c->counts[piece] = 0;
  cut_curve(c, piece, piece * PIECE, piece_end(c, piece) - piece * PIECE);
}

static uint32_t cluster(clustering *c, uint32_t pieces) {
  const mo_mesh *mesh = c->tree->builder->mesh;
  float largest = 0.0f;
  const float lower[3] = {mesh->bounds.lower.x, mesh->bounds.lower.y, mesh->bounds.lower.z};
  for (int axis = 0; axis < 3; axis++) {
    largest = mo_max(largest, mo_get(mesh->bounds.upper, axis) - lower[axis]);
  }
  float scale = (float)DIGITS * 0.499f / largest;
  scale = largest > 0.0f && isfinite(scale) ? scale : 0.0f;
  c->origin = (mo_f4){2.0f * lower[0], 2.0f * lower[1], 2.0f * lower[2], 0.0f};
  c->scale = mo_f4_all(scale);
  mo_tasks_run(&mesh->host, pieces, make_keys, c);
  sort_keys(c, pieces);
  mo_tasks_run(&mesh->host, pieces, sort_items, c);
  c->clusters = c->tree->items; /* all have been copied */
  mo_tasks_run(&mesh->host, pieces, make_clusters, c);
  uint32_t count = 0;
  for (uint32_t piece = 0; piece < pieces; piece++) {
    memmove(&c->clusters[count], &c->clusters[piece * PIECE],
            c->counts[piece] * sizeof *c->clusters);
    count += c->counts[piece];
  }
  return count;
}

uint32_t mo_cluster_items(mo_tree_builder *tree) {
  const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
  uint32_t count = tree->builder->mesh->triangle_count, pieces = (count + PIECE - 1) / PIECE;
  clustering c = {
      .tree = tree,
      .count = count,
      .from = mo_allocate(allocator, count, sizeof *c.from),
      .to = mo_allocate(allocator, count, sizeof *c.to),
      .starts = mo_allocate(allocator, (size_t)pieces * DIGITS, sizeof *c.starts),
      .counts = mo_allocate(allocator, pieces, sizeof *c.counts),
  };
  uint32_t clusters = 0;
  if (c.from != NULL && c.to != NULL && c.starts != NULL && c.counts != NULL) {
    clusters = cluster(&c, pieces);
  }
  mo_deallocate(allocator, c.from, count, sizeof *c.from);
  mo_deallocate(allocator, c.to, count, sizeof *c.to);
  mo_deallocate(allocator, c.starts, (size_t)pieces * DIGITS, sizeof *c.starts);
  mo_deallocate(allocator, c.counts, pieces, sizeof *c.counts);
  return clusters;
}
