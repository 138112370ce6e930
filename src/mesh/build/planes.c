/* The SAH builders: build the binary tree over the references top down, by split planes.
 *
 * A split assigns whole references to sides by their centres, or (split builder at high quality)
 * splits straddling references in two where that is cheaper. Splitting continues until a segment
 * fits in a block; collapse.c then decides what becomes a node and what a leaf. A split that
 * separates nothing is not made, however many references there are.
 *
 * Parallelism: large segments are binned and partitioned in pieces by all workers; each small
 * segment is split recursively to the end by one worker. The resulting tree does not depend on the
 * tasks. */
#include <stdatomic.h>
#include <string.h>

#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

/* References [begin, begin + count) of the working array; duplicates may extend it up to
 * `limit`. */
typedef struct segment {
  uint32_t begin, count, limit;
} segment;

enum {
  /* From this depth on segments are halved by count, so that the recursion ends for every mesh. */
  REASONABLE_DEPTH = 56,
  /* References per task, in a large segment. */
  PIECE = 4096,
  /* One worker splits a segment to the end if it has at most this many references, or 1 / TASKS of
   * all. */
  SMALL_SEGMENT = 8192,
  TASKS = 64,
  /* Smaller segments, which only degenerate meshes have near the root, get no task. */
  MIN_TASK = 1024,
};

/* Spatial splits are tried if the overlap of both sides' boxes of a split by centres exceeds this
 * share of the root's area. A smaller value (the paper has 1e-5) takes much longer to build and
 * hardly saves visits. */
#define MIN_SHARED 1e-3f

/* References whose boxes have more than this share of the root's half area are not split
 * (spatial.c). On a game map with a sky box, rays that begin inside then visit 0.9 times the nodes
 * and blocks, rays from outside 1.1 times. */
#define MAX_SPLIT_AREA 0.1f

/* At high quality, segments that fit in a block are split too if they have more than this share of
 * the root's half area: one large triangle among small ones would make one large leaf of all of
 * them. */
#define LARGE_BLOCK 1e-2f

typedef struct plane_builder {
  mo_tree_builder tree;
  uint32_t bins;
  uint32_t block;   /* segments of up to this many references are split only if they are large */
  float large;      /* half area */
  float min_shared; /* overlap of the sides (half area) from which spatial splits are tried */
} plane_builder;

/* The state of one worker. */
typedef struct worker {
  const plane_builder *b;
  mo_cut_arena arena;
  mo_bins bins[2];
} worker;

/* Segments of few references need fewer bins. */
static uint32_t bins_for(const plane_builder *b, uint32_t count) {
  return count <= 4 * b->bins ? b->bins / 2 : b->bins;
}

static mo_cut *add_cut(worker *w, segment s, const mo_extent *extent) {
  mo_cut *cut = mo_cut_arena_take(&w->arena);
  if (cut != NULL) {
    cut->box = extent->box;
    cut->side[0] = cut->side[1] = NULL;
    cut->parent = NULL;
    cut->first = s.begin;
    cut->count = s.count;
    cut->height = 0;
    cut->half_area = mo_sah_half_area(extent->box, w->b->tree.unit);
  }
  return cut;
}

/* Divides the capacity for duplicates between the sides of a split segment, in proportion to their
 * counts. */
static void divide_space(mo_item *items, segment whole, uint32_t left_count, segment *left,
                         segment *right) {
  uint32_t right_count = whole.count - left_count;
  uint64_t spare = whole.limit - (whole.begin + whole.count);
  uint32_t left_spare = (uint32_t)(spare * left_count / whole.count);
  uint32_t middle = whole.begin + left_count + left_spare;
  if (left_spare > 0) {
    memmove(&items[middle], &items[whole.begin + left_count], right_count * sizeof *items);
  }
  *left = (segment){whole.begin, left_count, middle};
  *right = (segment){middle, right_count, whole.limit};
}

/* Splits a segment; returns false if no split separates it or pays off. */
static bool cut(worker *w, segment s, const mo_extent *extent, uint32_t depth, segment *left,
                segment *right) {
  const plane_builder *b = w->b;
  mo_item *items = &b->tree.items[s.begin];
  uint32_t left_count = s.count / 2;
  if (depth < REASONABLE_DEPTH) {
    mo_grid grid = mo_grid_over(extent, bins_for(b, s.count));
    mo_bins_fill(w->bins, &grid, items, s.count);
    mo_split split = mo_bins_best(w->bins, &grid, b->tree.unit);
    uint32_t spare = s.limit - (s.begin + s.count);
    mo_spatial_split spatial = {.axis = MO_SAH_NONE, .cost = INFINITY};
    if (spare > 0 && (split.axis == MO_SAH_NONE ||
                      mo_bins_shared(w->bins, &grid, &split, b->tree.unit) > b->min_shared)) {
      spatial = mo_find_spatial_split(&b->tree, items, s.count, &extent->box, grid.bins, spare);
    }
    float min = spatial.cost < split.cost ? spatial.cost : split.cost;
    if (s.count <= b->block && !(min < mo_sah_half_area(extent->box, b->tree.unit))) {
      return false; /* one block is cheaper than two */
    }
    if (spatial.cost < split.cost) {
      left_count = mo_apply_spatial_split(&b->tree, items, &s.count, spare, &spatial);
    } else if (split.axis != MO_SAH_NONE) {
      left_count = split.left_count;
      mo_split_in_place(&split, &grid, items, s.count, &b->tree.scratch[s.begin]);
    } else {
      return false;
    }
  }
  if (left_count == 0 || left_count == s.count) {
    return false;
  }
  divide_space(b->tree.items, s, left_count, left, right);
  return true;
}

/* Splits a segment recursively to the end; null when out of memory. */
static mo_cut *cut_all(worker *w, segment s, uint32_t depth) {
  mo_extent extent = mo_extent_empty();
  mo_extent_add(&extent, &w->b->tree.items[s.begin], s.count);
  mo_cut *result = add_cut(w, s, &extent);
  segment side[2];
  bool divisible =
      result != NULL && (s.count > w->b->block || (s.count > 1 && result->half_area > w->b->large));
  if (divisible && cut(w, s, &extent, depth, &side[0], &side[1])) {
    for (int i = 0; i < 2; i++) {
      mo_cut *part = cut_all(w, side[i], depth + 1);
      if (part == NULL) {
        return NULL;
      }
      result->side[i] = part;
      part->parent = result;
    }
    result->count = result->side[0]->count + result->side[1]->count;
    mo_cut_update_height(result);
  }
  return result;
}

/* Parallel splitting: all workers split a large segment piece by piece. The small segments that
 * result are queued until no large one is left; then each of them is split to the end by a task. */

/* A queued segment, and the parent that its result is linked to; the parent is null for the
 * root. */
typedef struct waiting {
  segment s;
  uint32_t depth;
  mo_cut *parent;
  uint32_t side;
  mo_cut_arena arena; /* for small segments: the nodes that the task allocates */
  mo_cut *result;     /* null if it ran out of memory */
} waiting;

typedef MO_LIST(waiting, items) waiting_list;

static bool wait_in(waiting_list *list, const mo_allocator *allocator, waiting item) {
  return mo_list_add(allocator, &list->list, sizeof item, &item) == MO_OK;
}

typedef struct large_cut {
  const plane_builder *b;
  segment s;
  mo_extent *extents; /* by piece, like the following arrays */
  mo_bins *bins;
  uint32_t *left; /* position in the segment of the piece's left items */
  mo_grid grid;
  mo_split split;
} large_cut;

static uint32_t pieces_of(uint32_t count) {
  return (count + PIECE - 1) / PIECE;
}

static uint32_t piece_size(uint32_t piece, uint32_t count) {
  uint32_t rest = count - piece * PIECE;
  return rest < PIECE ? rest : PIECE;
}

static void measure_piece(uint32_t piece, void *context) {
  large_cut *l = context;
  l->extents[piece] = mo_extent_empty();
  mo_extent_add(&l->extents[piece], &l->b->tree.items[l->s.begin + piece * PIECE],
                piece_size(piece, l->s.count));
}

static void bin_piece(uint32_t piece, void *context) {
  large_cut *l = context;
  mo_bins bins[2];
  mo_bins_fill(bins, &l->grid, &l->b->tree.items[l->s.begin + piece * PIECE],
               piece_size(piece, l->s.count));
  memcpy(&l->bins[piece], &bins[0], sizeof bins[0]);
}

static void split_piece(uint32_t piece, void *context) {
  const large_cut *l = context;
  const mo_item *items = &l->b->tree.items[l->s.begin + piece * PIECE];
  mo_item *to = &l->b->tree.scratch[l->s.begin];
  uint32_t left = l->left[piece];
  uint32_t right = l->split.left_count + (piece * PIECE - left);
  mo_split_apart(&l->split, &l->grid, items, piece_size(piece, l->s.count), &to[left], &to[right]);
}

static void copy_piece(uint32_t piece, void *context) {
  const large_cut *l = context;
  uint32_t first = l->s.begin + piece * PIECE;
  memcpy(&l->b->tree.items[first], &l->b->tree.scratch[first],
         piece_size(piece, l->s.count) * sizeof(mo_item));
}

static mo_extent measure_in_pieces(large_cut *l) {
  uint32_t pieces = pieces_of(l->s.count);
  mo_tasks_run(&l->b->tree.builder->mesh->host, pieces, measure_piece, l);
  mo_extent extent = mo_extent_empty();
  for (uint32_t i = 0; i < pieces; i++) {
    mo_extent_merge(&extent, &l->extents[i]);
  }
  return extent;
}

/* `cut` in parallel pieces, without spatial splits. */
static bool cut_in_pieces(large_cut *l, mo_bins *bins, const mo_extent *extent, segment *left,
                          segment *right) {
  const mo_host *host = &l->b->tree.builder->mesh->host;
  uint32_t pieces = pieces_of(l->s.count);
  l->grid = mo_grid_over(extent, bins_for(l->b, l->s.count));
  mo_tasks_run(host, pieces, bin_piece, l);
  mo_bins_clear(bins, l->grid.bins);
  for (uint32_t i = 0; i < pieces; i++) {
    mo_bins_merge(bins, &l->bins[i], l->grid.bins);
  }
  l->split = mo_bins_best(bins, &l->grid, l->b->tree.unit);
  if (l->split.axis == MO_SAH_NONE) {
    return false;
  }
  uint32_t before = 0;
  for (uint32_t i = 0; i < pieces; i++) {
    l->left[i] = before;
    before += mo_bins_left(&l->bins[i], &l->split);
  }
  mo_tasks_run(host, pieces, split_piece, l);
  mo_tasks_run(host, pieces, copy_piece, l);
  divide_space(l->b->tree.items, l->s, l->split.left_count, left, right);
  return true;
}

static void link_cut(plane_builder *b, const waiting *item, mo_cut *cut) {
  cut->parent = item->parent;
  if (item->parent == NULL) {
    b->tree.root = cut;
  } else {
    item->parent->side[item->side] = cut;
  }
}

/* Queues of segments: large ones are split in parallel pieces, small ones by one worker each. */
typedef struct waiting_segments {
  waiting_list large, small;
  uint32_t small_size; /* the largest number of references of a small segment */
} waiting_segments;

/* Splits one large segment; its two sides are queued, or split to the end at once if they are very
 * small. */
static bool cut_large(plane_builder *b, worker *w, large_cut *l, waiting item,
                      waiting_segments *next) {
  const mo_allocator *allocator = &b->tree.builder->mesh->host.allocator;
  l->s = item.s;
  mo_extent extent = measure_in_pieces(l);
  mo_cut *result = add_cut(w, item.s, &extent);
  if (result == NULL) {
    return false;
  }
  link_cut(b, &item, result);
  segment side[2];
  /* Spatial splits are made by one worker. */
  bool is_cut = b->tree.split || item.depth >= REASONABLE_DEPTH
                    ? cut(w, item.s, &extent, item.depth, &side[0], &side[1])
                    : cut_in_pieces(l, w->bins, &extent, &side[0], &side[1]);
  bool ok = true;
  for (uint32_t i = 0; i < 2 && is_cut && ok; i++) {
    waiting part = {.s = side[i], .depth = item.depth + 1, .parent = result, .side = i};
    if (part.s.count < MIN_TASK) {
      mo_cut *whole = cut_all(w, part.s, part.depth);
      ok = whole != NULL;
      if (ok) {
        link_cut(b, &part, whole);
      }
    } else {
      ok = wait_in(part.s.count > next->small_size ? &next->large : &next->small, allocator, part);
    }
  }
  return ok;
}

typedef struct small_cuts {
  const plane_builder *b;
  waiting_list *list;
} small_cuts;

static void cut_small(uint32_t index, void *context) {
  const small_cuts *small = context;
  waiting *item = &small->list->items[index];
  worker w = {.b = small->b, .arena = {.allocator = &small->b->tree.builder->mesh->host.allocator}};
  item->result = cut_all(&w, item->s, item->depth);
  item->arena = w.arena;
}

/* Sets the counts and heights of the nodes that were split in pieces, from the nodes below them. */
static void sum_up(mo_cut *cut, uint32_t small_size) {
  if (cut->count <= small_size || cut->side[0] == NULL) {
    return;
  }
  sum_up(cut->side[0], small_size);
  sum_up(cut->side[1], small_size);
  cut->count = cut->side[0]->count + cut->side[1]->count;
  mo_cut_update_height(cut);
}

static bool cut_large_segments(plane_builder *b, worker *w, segment all) {
  const mo_host *host = &b->tree.builder->mesh->host;
  const mo_allocator *allocator = &host->allocator;
  uint32_t small_size = all.count / TASKS > SMALL_SEGMENT ? all.count / TASKS : SMALL_SEGMENT;
  uint32_t pieces = pieces_of(all.limit);
  large_cut l = {.b = b,
                 .extents = mo_allocate(allocator, pieces, sizeof *l.extents),
                 .bins = mo_allocate(allocator, pieces, sizeof *l.bins),
                 .left = mo_allocate(allocator, pieces, sizeof *l.left)};
  waiting_segments next = {.small_size = small_size};
  waiting_list *large = &next.large;
  small_cuts small = {.b = b, .list = &next.small};
  bool ok = l.extents != NULL && l.bins != NULL && l.left != NULL &&
            wait_in(large, allocator, (waiting){.s = all});
  while (ok && large->count > 0) {
    waiting item = large->items[--large->count];
    ok = cut_large(b, w, &l, item, &next);
  }
  if (ok) {
    mo_tasks_run(host, small.list->count, cut_small, &small);
  }
  for (uint32_t i = 0; i < small.list->count; i++) {
    waiting *item = &small.list->items[i];
    mo_cut_arena_join(&w->arena, &item->arena);
    ok = ok && item->result != NULL;
    if (ok) {
      link_cut(b, item, item->result);
    }
  }
  if (ok) {
    sum_up(b->tree.root, small_size);
  }
  mo_list_trim(allocator, &large->list, sizeof *large->items, 0);
  mo_list_trim(allocator, &small.list->list, sizeof *small.list->items, 0);
  mo_deallocate(allocator, l.extents, pieces, sizeof *l.extents);
  mo_deallocate(allocator, l.bins, pieces, sizeof *l.bins);
  mo_deallocate(allocator, l.left, pieces, sizeof *l.left);
  return ok;
}

/* The making of references, with a count over all of them. */
typedef struct preparation {
  plane_builder *b;
  atomic_uint degenerate;
} preparation;

static void make_items(uint32_t piece, void *context) {
  preparation *p = context;
  const mo_builder *builder = p->b->tree.builder;
  uint32_t first = piece * PIECE, count = piece_size(piece, builder->mesh->triangle_count);
  uint32_t degenerate = 0;
  for (uint32_t i = first; i < first + count; i++) {
    p->b->tree.items[i] = mo_item_of_triangle(builder, i, p->b->tree.unit, &degenerate);
  }
  atomic_fetch_add_explicit(&p->degenerate, degenerate, memory_order_relaxed);
}

static const struct {
  uint32_t bins;
  /* Parameters of mo_reinsert; areas are relative to the root's. */
  uint32_t passes;
  float min, min_gain;
} qualities[] = {
    [MO_MESH_QUALITY_FAST] = {0, 1, 3e-3f, 0.0f}, /* no planes: morton.c */
    [MO_MESH_QUALITY_DEFAULT] = {16, 3, 1e-3f, 1e-3f},
    [MO_MESH_QUALITY_HIGH] = {32, 4, 0.0f, 1e-6f},
};

/* Builds the binary tree top down. Returns false when out of memory. */
static bool cut_top_down(plane_builder *b, worker *w, mo_mesh_quality quality) {
  mo_mesh *mesh = b->tree.builder->mesh;
  float root_area = (float)(mo_aabb_half_area(mesh->bounds) * b->tree.unit * b->tree.unit);
  segment all = {0, mesh->triangle_count, b->tree.capacity};
  b->bins = qualities[quality].bins;
  b->large = quality == MO_MESH_QUALITY_HIGH ? LARGE_BLOCK * root_area : INFINITY;
  b->min_shared = MIN_SHARED * root_area;
  b->tree.whole = MAX_SPLIT_AREA * root_area;
  preparation p = {.b = b};
  atomic_init(&p.degenerate, 0);
  mo_tasks_run(&mesh->host, pieces_of(mesh->triangle_count), make_items, &p);
  mesh->degenerate_count = atomic_load(&p.degenerate);
  if (all.count > SMALL_SEGMENT) {
    return cut_large_segments(b, w, all);
  }
  b->tree.root = cut_all(w, all, 0);
  return b->tree.root != NULL;
}

void mo_build_by_planes(mo_builder *builder) {
  mo_mesh *mesh = builder->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh_quality quality = mesh->build.quality;
  bool split = mesh->build.builder == MO_MESH_BUILDER_SPLIT && quality == MO_MESH_QUALITY_HIGH;
  double budget = split ? (double)mesh->build.duplicate_budget * mesh->triangle_count : 0.0;
  uint64_t capacity = mesh->triangle_count + (uint64_t)budget;
  if (capacity > MO_MAX_TRIANGLES) {
    capacity = MO_MAX_TRIANGLES;
  }
  plane_builder b = {
      .tree = {.builder = builder,
               .items = mo_allocate(allocator, (size_t)capacity, sizeof(mo_item)),
               .capacity = (uint32_t)capacity,
               .unit = mo_sah_unit(mesh->bounds),
               .split = split},
      .block = mesh->build.leaf_capacity < MO_WIDTH ? mesh->build.leaf_capacity : MO_WIDTH,
  };
  worker w = {.b = &b, .arena = {.allocator = allocator}};
  bool ok = b.tree.items != NULL;
  if (ok && quality == MO_MESH_QUALITY_FAST) {
    ok = mo_build_along_curve(&b.tree, b.block, &w.arena);
  } else if (ok) {
    b.tree.scratch = mo_allocate(allocator, (size_t)capacity, sizeof(mo_item));
    ok = b.tree.scratch != NULL && cut_top_down(&b, &w, quality);
    mo_deallocate(allocator, b.tree.scratch, b.tree.capacity, sizeof(mo_item));
  }
  ok = ok && mo_reinsert(&b.tree, qualities[quality].min * b.tree.root->half_area,
                         qualities[quality].passes, qualities[quality].min_gain);
  if (ok) {
    mo_collapse(&b.tree);
    if (split) {
      mo_builder_list_references(builder);
    }
  } else {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
  }
  mo_cut_arena_free(&w.arena);
  mo_deallocate(allocator, b.tree.items, b.tree.capacity, sizeof(mo_item));
}
