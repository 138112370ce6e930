/* The SAH builders: build the binary tree over the references top down, by split planes.
 *
 * A split assigns whole references to sides by their centres, or (split builder at high quality)
 * splits straddling references in two where that is cheaper. A segment is a range of the array of
 * references. Splitting continues until each segment fits in a block; collapse.c then decides what
 * becomes a node and what a leaf. A split that separates nothing is not made, however many
 * references there are.
 *
 * Parallelism: large segments are binned and partitioned in pieces by all workers; each small
 * segment is split recursively to the end by one worker. The resulting tree does not depend on the
 * tasks. */
#include <string.h>

#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

/* References [begin, begin + count) of the array of references; duplicates may extend the range up
 * to `limit`. */
typedef struct reference_segment {
  uint32_t begin, count;
  uint32_t limit; /* end of the part of the array that the segment's duplicates may use */
} reference_segment;

enum {
  /* From this depth on, segments are halved by count, so that the recursion ends for every mesh. */
  MAX_SAH_DEPTH = 56,
  /* References per task, when a large segment is processed by all workers. */
  REFERENCES_PER_PIECE = 4096,
  /* One worker splits a segment to the end if it has at most this many references, or 1 /
   * TARGET_TASK_COUNT of all. */
  SMALL_SEGMENT_REFERENCES = 8192,
  TARGET_TASK_COUNT = 64,
  /* Segments with fewer references, which only degenerate meshes have near the root, get no
   * task. */
  MIN_TASK_REFERENCES = 1024,
};

/* Spatial splits are tried if the boxes of the two sides of a split by centres overlap by more than
 * this share of the root's area. A smaller value (Stich et al. 2009 have 1e-5) takes much longer to
 * build and hardly saves visits. */
#define SPATIAL_SPLIT_MIN_OVERLAP_SHARE 1e-3f

/* References whose boxes have more than this share of the root's half area are not split
 * (spatial.c). Effect on a game map with a sky box: rays that begin inside visit 0.9 times as many
 * nodes and blocks, rays from outside 1.1 times. */
#define MAX_SPLIT_BOX_AREA_SHARE 0.1f

/* At high quality, segments that fit in a block are split too if their box has more than this share
 * of the root's half area, as a large triangle would enlarge the leaf of several small ones. */
#define LARGE_BLOCK_AREA_SHARE 1e-2f

typedef struct plane_builder {
  mo_tree_builder tree;
  uint32_t bin_count;
  /* The number of references that fit in a block: segments with at most so many are split only if
   * their half area exceeds large_area. */
  uint32_t block_capacity;
  float large_area;  /* half area above which a segment that fits in a block is split, too */
  float min_overlap; /* half area of the sides' overlap above which spatial splits are tried */
} plane_builder;

/* The state of one worker. */
typedef struct worker {
  const plane_builder *builder;
  mo_binary_arena arena;
  mo_bins bins[2];
} worker;

/* The number of bins for a segment: fewer if it has few references. */
static uint32_t bin_count_for(const plane_builder *b, uint32_t count) {
  return count <= 4 * b->bin_count ? b->bin_count / 2 : b->bin_count;
}

static mo_binary_node *add_binary_node(worker *w, reference_segment s,
                                       const mo_sah_extent *extent) {
  return mo_binary_arena_allocate(&w->arena, extent->box, s.begin, s.count,
                                  w->builder->tree.length_scale);
}

/* Divides the capacity for duplicates between the sides of a split segment, in proportion to their
 * counts. */
static void divide_free_capacity(mo_sah_item *items, reference_segment whole, uint32_t left_count,
                                 reference_segment *left, reference_segment *right) {
  uint32_t right_count = whole.count - left_count;
  uint64_t spare = whole.limit - (whole.begin + whole.count);
  uint32_t left_spare = (uint32_t)(spare * left_count / whole.count);
  uint32_t middle = whole.begin + left_count + left_spare;
  if (left_spare > 0) {
    memmove(&items[middle], &items[whole.begin + left_count], right_count * sizeof *items);
  }
  *left = (reference_segment){whole.begin, left_count, middle};
  *right = (reference_segment){middle, right_count, whole.limit};
}

/* Splits a segment in two; returns false if no split separates references, or none pays off. */
static bool split_segment(worker *w, reference_segment s, const mo_sah_extent *extent,
                          uint32_t depth, reference_segment *left, reference_segment *right) {
  const plane_builder *b = w->builder;
  mo_sah_item *items = &b->tree.items[s.begin];
  uint32_t left_count = s.count / 2;
  if (depth < MAX_SAH_DEPTH) {
    mo_bin_grid grid = mo_bin_grid_over(extent, bin_count_for(b, s.count));
    mo_bins_fill(w->bins, &grid, items, s.count);
    mo_split split = mo_bins_best_split(w->bins, &grid, b->tree.length_scale);
    uint32_t spare = s.limit - (s.begin + s.count);
    mo_spatial_split spatial = {.axis = MO_SAH_NO_AXIS, .cost = INFINITY};
    if (spare > 0 &&
        (split.axis == MO_SAH_NO_AXIS ||
         mo_bins_overlap_area(w->bins, &grid, &split, b->tree.length_scale) > b->min_overlap)) {
      spatial =
          mo_find_spatial_split(&b->tree, items, s.count, &extent->box, grid.bin_count, spare);
    }
    float min = spatial.cost < split.cost ? spatial.cost : split.cost;
    if (s.count <= b->block_capacity &&
        !(min < mo_sah_half_area(extent->box, b->tree.length_scale))) {
      return false; /* one block is cheaper than two */
    }
    if (spatial.cost < split.cost) {
      left_count = mo_apply_spatial_split(&b->tree, items, &s.count, spare, &spatial);
    } else if (split.axis != MO_SAH_NO_AXIS) {
      left_count = split.left_count;
      mo_split_in_place(&split, &grid, items, s.count, &b->tree.scratch[s.begin]);
    } else {
      return false;
    }
  }
  if (left_count == 0 || left_count == s.count) {
    return false;
  }
  divide_free_capacity(b->tree.items, s, left_count, left, right);
  return true;
}

/* Splits a segment recursively to the end; null when out of memory. */
static mo_binary_node *split_recursively(worker *w, reference_segment s, uint32_t depth) {
  mo_sah_extent extent = mo_sah_extent_empty();
  mo_sah_extent_add(&extent, &w->builder->tree.items[s.begin], s.count);
  mo_binary_node *result = add_binary_node(w, s, &extent);
  reference_segment side[2];
  bool divisible = result != NULL && (s.count > w->builder->block_capacity ||
                                      (s.count > 1 && result->half_area > w->builder->large_area));
  if (divisible && split_segment(w, s, &extent, depth, &side[0], &side[1])) {
    for (int i = 0; i < 2; i++) {
      mo_binary_node *part = split_recursively(w, side[i], depth + 1);
      if (part == NULL) {
        return NULL;
      }
      result->side[i] = part;
      part->parent = result;
    }
    mo_binary_update(result);
  }
  return result;
}

/* Parallel splitting: all workers split a large segment piece by piece. The small segments that
 * result are listed until no large one is left; then each of them is split to the end by a task. */

/* A segment, and the parent that its subtree is linked to; the parent is null for the root. */
typedef struct listed_segment {
  reference_segment segment;
  uint32_t depth;
  mo_binary_node *parent;
  uint32_t side;          /* which of the parent's two children the subtree becomes */
  mo_binary_arena arena;  /* for small segments: the nodes that the task allocates */
  mo_binary_node *result; /* null if the task ran out of memory */
} listed_segment;

/* A piece of a large segment that is being split. */
typedef struct segment_piece {
  mo_sah_extent extent;
  mo_bins bins;
  uint32_t left_begin; /* where its references of the left side begin in the segment */
} segment_piece;

typedef struct parallel_splitter {
  plane_builder *builder;
  worker *worker;      /* splits what needs no task */
  uint32_t small_size; /* the largest number of references of a small segment */
  MO_LIST(listed_segment, small);
  /* Of the large segment that is being split: */
  reference_segment segment;
  segment_piece *pieces;
  mo_bin_grid grid;
  mo_split split;
} parallel_splitter;

static uint32_t piece_count(uint32_t count) {
  return (count + REFERENCES_PER_PIECE - 1) / REFERENCES_PER_PIECE;
}

static uint32_t piece_size(uint32_t piece, uint32_t count) {
  uint32_t rest = count - piece * REFERENCES_PER_PIECE;
  return rest < REFERENCES_PER_PIECE ? rest : REFERENCES_PER_PIECE;
}

static mo_sah_item *items_of_piece(const parallel_splitter *l, uint32_t piece) {
  return &l->builder->tree.items[l->segment.begin + piece * REFERENCES_PER_PIECE];
}

static void measure_extent_of_piece(uint32_t piece, void *context) {
  const parallel_splitter *l = context;
  l->pieces[piece].extent = mo_sah_extent_empty();
  mo_sah_extent_add(&l->pieces[piece].extent, items_of_piece(l, piece),
                    piece_size(piece, l->segment.count));
}

static void bin_piece(uint32_t piece, void *context) {
  const parallel_splitter *l = context;
  mo_bins bins[2];
  mo_bins_fill(bins, &l->grid, items_of_piece(l, piece), piece_size(piece, l->segment.count));
  memcpy(&l->pieces[piece].bins, &bins[0], sizeof bins[0]);
}

static void split_piece(uint32_t piece, void *context) {
  const parallel_splitter *l = context;
  mo_sah_item *to = &l->builder->tree.scratch[l->segment.begin];
  uint32_t left = l->pieces[piece].left_begin;
  uint32_t right = l->split.left_count + (piece * REFERENCES_PER_PIECE - left);
  mo_split_into_arrays(&l->split, &l->grid, items_of_piece(l, piece),
                       piece_size(piece, l->segment.count), &to[left], &to[right]);
}

static void copy_piece(uint32_t piece, void *context) {
  const parallel_splitter *l = context;
  mo_sah_item *items = items_of_piece(l, piece);
  memcpy(items, &l->builder->tree.scratch[items - l->builder->tree.items],
         piece_size(piece, l->segment.count) * sizeof *items);
}

static mo_sah_extent measure_extent(parallel_splitter *l) {
  uint32_t pieces = piece_count(l->segment.count);
  mo_tasks_run(&l->builder->tree.builder->mesh->host, pieces, measure_extent_of_piece, l);
  mo_sah_extent extent = mo_sah_extent_empty();
  for (uint32_t i = 0; i < pieces; i++) {
    mo_sah_extent_merge(&extent, &l->pieces[i].extent);
  }
  return extent;
}

/* Splits a large segment in parallel pieces, without spatial splits. */
static bool split_in_pieces(parallel_splitter *l, const mo_sah_extent *extent,
                            reference_segment *left, reference_segment *right) {
  const mo_host *host = &l->builder->tree.builder->mesh->host;
  mo_bins *bins = l->worker->bins;
  uint32_t pieces = piece_count(l->segment.count), before = 0;
  l->grid = mo_bin_grid_over(extent, bin_count_for(l->builder, l->segment.count));
  mo_tasks_run(host, pieces, bin_piece, l);
  mo_bins_clear(bins, l->grid.bin_count);
  for (uint32_t i = 0; i < pieces; i++) {
    mo_bins_merge(bins, &l->pieces[i].bins, l->grid.bin_count);
  }
  l->split = mo_bins_best_split(bins, &l->grid, l->builder->tree.length_scale);
  if (l->split.axis == MO_SAH_NO_AXIS) {
    return false;
  }
  for (uint32_t i = 0; i < pieces; i++) {
    l->pieces[i].left_begin = before;
    before += mo_bins_left_count(&l->pieces[i].bins, &l->split);
  }
  mo_tasks_run(host, pieces, split_piece, l);
  mo_tasks_run(host, pieces, copy_piece, l);
  divide_free_capacity(l->builder->tree.items, l->segment, l->split.left_count, left, right);
  return true;
}

static void link_binary_node(plane_builder *b, const listed_segment *item, mo_binary_node *binary) {
  binary->parent = item->parent;
  if (item->parent == NULL) {
    b->tree.root = binary;
  } else {
    item->parent->side[item->side] = binary;
  }
}

/* Splits a large segment, down to small ones, which are listed, or split to the end at once if they
 * are very small. Returns false when out of memory. */
static bool split_large(parallel_splitter *l, const listed_segment *item) {
  plane_builder *b = l->builder;
  l->segment = item->segment;
  mo_sah_extent extent = measure_extent(l);
  mo_binary_node *result = add_binary_node(l->worker, item->segment, &extent);
  if (result == NULL) {
    return false;
  }
  link_binary_node(b, item, result);
  reference_segment side[2];
  /* Spatial splits are made by one worker. */
  bool is_split =
      b->tree.may_have_duplicates || item->depth >= MAX_SAH_DEPTH
          ? split_segment(l->worker, item->segment, &extent, item->depth, &side[0], &side[1])
          : split_in_pieces(l, &extent, &side[0], &side[1]);
  bool ok = true;
  for (uint32_t i = 0; i < 2 && is_split && ok; i++) {
    const listed_segment part = {
        .segment = side[i], .depth = item->depth + 1, .parent = result, .side = i};
    if (part.segment.count < MIN_TASK_REFERENCES) {
      mo_binary_node *whole = split_recursively(l->worker, part.segment, part.depth);
      ok = whole != NULL;
      if (ok) {
        link_binary_node(b, &part, whole);
      }
    } else if (part.segment.count > l->small_size) {
      ok = split_large(l, &part);
    } else {
      ok = mo_list_add(&b->tree.builder->mesh->host.allocator, &l->list, sizeof part, &part) ==
           MO_OK;
    }
  }
  return ok;
}

static void split_small(uint32_t index, void *context) {
  const parallel_splitter *l = context;
  listed_segment *item = &l->small[index];
  worker w = {.builder = l->builder,
              .arena = {.allocator = &l->builder->tree.builder->mesh->host.allocator}};
  item->result = split_recursively(&w, item->segment, item->depth);
  item->arena = w.arena;
}

/* Sets the counts and heights of the binary nodes made from large segments, bottom-up. */
static void sum_up_counts(mo_binary_node *binary, uint32_t small_size) {
  if (binary->count <= small_size || binary->side[0] == NULL) {
    return;
  }
  sum_up_counts(binary->side[0], small_size);
  sum_up_counts(binary->side[1], small_size);
  mo_binary_update(binary);
}

static bool split_large_segments(plane_builder *b, worker *w, reference_segment all) {
  const mo_host *host = &b->tree.builder->mesh->host;
  uint32_t share = all.count / TARGET_TASK_COUNT, pieces = piece_count(all.limit);
  parallel_splitter l = {.builder = b,
                         .worker = w,
                         .small_size =
                             share > SMALL_SEGMENT_REFERENCES ? share : SMALL_SEGMENT_REFERENCES,
                         .pieces = mo_allocate(&host->allocator, pieces, sizeof *l.pieces)};
  bool ok = l.pieces != NULL && split_large(&l, &(listed_segment){.segment = all});
  if (ok) {
    mo_tasks_run(host, l.count, split_small, &l);
  }
  for (uint32_t i = 0; i < l.count; i++) {
    mo_binary_arena_join(&w->arena, &l.small[i].arena);
    ok = ok && l.small[i].result != NULL;
    if (ok) {
      link_binary_node(b, &l.small[i], l.small[i].result);
    }
  }
  if (ok) {
    sum_up_counts(b->tree.root, l.small_size);
  }
  mo_list_trim(&host->allocator, &l.list, sizeof *l.small, 0);
  mo_deallocate(&host->allocator, l.pieces, pieces, sizeof *l.pieces);
  return ok;
}

static void make_items(uint32_t piece, void *context) {
  plane_builder *b = context;
  uint32_t first = piece * REFERENCES_PER_PIECE,
           count = piece_size(piece, b->tree.builder->mesh->triangle_count);
  uint32_t degenerate = 0;
  for (uint32_t i = first; i < first + count; i++) {
    b->tree.items[i] =
        mo_sah_item_of_triangle(b->tree.builder, i, b->tree.length_scale, &degenerate);
  }
  atomic_fetch_add_explicit(&b->tree.degenerate_count, degenerate, memory_order_relaxed);
}

static const struct {
  uint32_t bin_count;
  /* Parameters of mo_reinsert_subtrees; areas are relative to the root's. */
  uint32_t pass_count;
  float min_area, min_gain;
} quality_parameters[] = {
    [MO_MESH_QUALITY_FAST] = {0, 1, 3e-3f, 0.0f}, /* no planes: built by morton.c */
    [MO_MESH_QUALITY_DEFAULT] = {16, 3, 1e-3f, 1e-3f},
    [MO_MESH_QUALITY_HIGH] = {32, 4, 0.0f, 1e-6f},
};

/* Builds the binary tree top down. Returns false when out of memory. */
static bool split_top_down(plane_builder *b, worker *w, mo_mesh_quality quality) {
  mo_mesh *mesh = b->tree.builder->mesh;
  float root_area =
      (float)(mo_aabb_half_area(mesh->bounds) * b->tree.length_scale * b->tree.length_scale);
  reference_segment all = {0, mesh->triangle_count, b->tree.capacity};
  b->bin_count = quality_parameters[quality].bin_count;
  b->large_area = quality == MO_MESH_QUALITY_HIGH ? LARGE_BLOCK_AREA_SHARE * root_area : INFINITY;
  b->min_overlap = SPATIAL_SPLIT_MIN_OVERLAP_SHARE * root_area;
  b->tree.max_split_area = MAX_SPLIT_BOX_AREA_SHARE * root_area;
  mo_tasks_run(&mesh->host, piece_count(mesh->triangle_count), make_items, b);
  if (all.count > SMALL_SEGMENT_REFERENCES) {
    return split_large_segments(b, w, all);
  }
  b->tree.root = split_recursively(w, all, 0);
  return b->tree.root != NULL;
}

void mo_build_by_sah(mo_builder *builder) {
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
               .items = mo_allocate(allocator, (size_t)capacity, sizeof(mo_sah_item)),
               .capacity = (uint32_t)capacity,
               .length_scale = mo_sah_length_scale(mesh->bounds),
               .may_have_duplicates = split},
      .block_capacity =
          mesh->build.leaf_capacity < MO_LANE_COUNT ? mesh->build.leaf_capacity : MO_LANE_COUNT,
  };
  worker w = {.builder = &b, .arena = {.allocator = allocator}};
  bool ok = b.tree.items != NULL;
  atomic_init(&b.tree.degenerate_count, 0);
  if (ok && quality == MO_MESH_QUALITY_FAST) {
    ok = mo_build_along_morton_curve(&b.tree, b.block_capacity, &w.arena);
  } else if (ok) {
    b.tree.scratch = mo_allocate(allocator, (size_t)capacity, sizeof(mo_sah_item));
    ok = b.tree.scratch != NULL && split_top_down(&b, &w, quality);
    mo_deallocate(allocator, b.tree.scratch, b.tree.capacity, sizeof(mo_sah_item));
  }
  ok = ok && mo_reinsert_subtrees(
                 &b.tree, quality_parameters[quality].min_area * b.tree.root->half_area,
                 quality_parameters[quality].pass_count, quality_parameters[quality].min_gain);
  if (ok) {
    mesh->degenerate_count = atomic_load(&b.tree.degenerate_count);
    mo_collapse_binary_tree(&b.tree);
    if (split && builder->result == MO_OK) {
      builder->result = mo_fill_reference_tables(mesh);
    }
  } else {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
  }
  mo_binary_arena_free(&w.arena);
  mo_deallocate(allocator, b.tree.items, b.tree.capacity, sizeof(mo_sah_item));
}
