/* The builders by surface area, from references to a binary tree: top down, by planes.
 *
 * A cut assigns whole references by their centres, or (split builder at high quality) cuts
 * straddling references in two where that is cheaper. It goes on until a segment fits in a block;
 * what then becomes a node, and what a leaf, is decided by build_collapse.c. A cut that separates
 * nothing is refused, however many references there are.
 *
 * Parallel: large segments are binned and partitioned in pieces by all workers; what is smaller is
 * cut to the end by one worker each. The tree is the same whoever does what. */
#include <string.h>

#include "base/tasks.h"
#include "mesh/build_tree.h"

/* References [begin, begin + count) of the working array; duplicates may use it up to `limit`. */
typedef struct segment {
  uint32_t begin, count, limit;
} segment;

enum {
  /* Below this depth segments are halved wherever that is, so that no mesh cuts without end. */
  REASONABLE_DEPTH = 56,
  /* References that a task takes on at a time. */
  PIECE = 8192,
  /* Segments up to so many are cut to the end by one worker, in any case. */
  SMALL_SEGMENT = 4096,
  LARGE_SEGMENTS = 256, /* that wait to be cut */
};

/* Cutting references is tried where the two sides of a cut by centres share this much of the root's
 * area. A smaller value (the paper has 1e-5) builds much longer and saves hardly a visit. */
#define LEAST_SHARED 1e-3f

typedef struct plane_builder {
  mo_tree_builder tree;
  uint32_t bins;
  uint32_t block;     /* segments of up to so many are not cut */
  float least_shared; /* half area that sides must share before cutting references is tried */
} plane_builder;

/* What one worker needs. */
typedef struct worker {
  const plane_builder *b;
  mo_cut_arena arena;
  mo_bins bins[2];
} worker;

/* Cells of few references have few places to cut. */
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

/* Gives both sides of a cut segment room for duplicates in proportion to what they hold. */
static void share_room(mo_item *items, segment whole, uint32_t left_count, segment *left,
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

/* Cuts a segment; false if nothing separates it. */
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
    if (spare > 0 &&
        (split.axis == MO_SAH_NONE ||
         mo_bins_shared(w->bins, &grid, &split, b->tree.unit) > b->least_shared)) {
      spatial = mo_find_spatial_split(&b->tree, items, s.count, &extent->box, grid.bins, spare);
    }
    if (spatial.cost < split.cost) {
      left_count = mo_apply_spatial_split(&b->tree, items, &s.count, spare, &spatial);
    } else if (split.axis != MO_SAH_NONE) {
      mo_item *scratch = &b->tree.scratch[s.begin];
      left_count = split.left_count;
      mo_split_items(&split, &grid, items, s.count, items, scratch);
      memcpy(&items[left_count], scratch, (s.count - left_count) * sizeof *items);
    } else {
      return false;
    }
  }
  if (left_count == 0 || left_count == s.count) {
    return false;
  }
  share_room(b->tree.items, s, left_count, left, right);
  return true;
}

/* Cuts a segment to the end; null when out of memory. */
static mo_cut *cut_all(worker *w, segment s, uint32_t depth) {
  mo_extent extent = mo_extent_empty();
  mo_extent_add(&extent, &w->b->tree.items[s.begin], s.count);
  mo_cut *result = add_cut(w, s, &extent);
  segment side[2];
  if (result != NULL && s.count > w->b->block &&
      cut(w, s, &extent, depth, &side[0], &side[1])) {
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

/* References as given, and what is known of all of them. */
typedef struct preparation {
  plane_builder *b;
  double area_unit;
} preparation;

static void make_items(uint32_t piece, void *context) {
  const preparation *p = context;
  const mo_builder *builder = p->b->tree.builder;
  uint32_t begin = piece * PIECE, end = builder->mesh->triangle_count;
  end = end - begin > PIECE ? begin + PIECE : end;
  for (uint32_t i = begin; i < end; i++) {
    const mo_vec3 *c = &builder->corners[3 * (size_t)i];
    mo_dvec3 n = mo_dcross(mo_dsub(mo_widen(c[1]), mo_widen(c[0])),
                           mo_dsub(mo_widen(c[2]), mo_widen(c[0])));
    float area = (float)(0.5 * sqrt(mo_ddot(n, n)) * p->area_unit);
    p->b->tree.items[i] = mo_item_make(mo_builder_triangle_bounds(builder, i), i, area);
  }
}

static uint32_t pieces_of(uint32_t count) {
  return (count + PIECE - 1) / PIECE;
}

static const struct {
  uint32_t bins;
  /* Of reinsertion: see mo_reinsert; areas in those of the root. */
  uint32_t passes;
  float least, least_gain;
} qualities[] = {
    [MO_MESH_QUALITY_FAST] = {8, 0, 0.0f, 0.0f},
    [MO_MESH_QUALITY_DEFAULT] = {16, 2, 1e-3f, 0.1f},
    [MO_MESH_QUALITY_HIGH] = {32, 4, 0.0f, 0.02f},
};

void mo_build_by_planes(mo_builder *builder) {
  mo_mesh *mesh = builder->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh_quality quality = mesh->build.quality;
  bool split =
      mesh->build.builder == MO_MESH_BUILDER_SPLIT && quality == MO_MESH_QUALITY_HIGH;
  double budget = split ? (double)mesh->build.duplicate_budget * mesh->triangle_count : 0.0;
  uint64_t capacity = mesh->triangle_count + (uint64_t)budget;
  if (capacity > MO_MAX_TRIANGLES) {
    capacity = MO_MAX_TRIANGLES;
  }
  float unit = mo_sah_unit(mesh->bounds);
  float root_area = (float)(mo_aabb_half_area(mesh->bounds) * unit * unit);
  plane_builder b = {
      .tree = {.builder = builder,
               .items = mo_allocate(allocator, (size_t)capacity, sizeof(mo_item)),
               .scratch = mo_allocate(allocator, (size_t)capacity, sizeof(mo_item)),
               .capacity = (uint32_t)capacity,
               .unit = unit,
               .split = split},
      .bins = qualities[quality].bins,
      .block = mesh->build.leaf_capacity < MO_WIDTH ? mesh->build.leaf_capacity : MO_WIDTH,
      .least_shared = LEAST_SHARED * root_area,
  };
  worker w = {.b = &b, .arena = {.allocator = allocator}};
  if (b.tree.items != NULL && b.tree.scratch != NULL) {
    preparation p = {&b, (double)unit * unit};
    mo_tasks_run(&mesh->host, pieces_of(mesh->triangle_count), make_items, &p);
    b.tree.root = cut_all(&w, (segment){0, mesh->triangle_count, (uint32_t)capacity}, 0);
  }
  if (b.tree.root != NULL) {
    if (qualities[quality].passes > 0) {
      mo_reinsert(&b.tree, qualities[quality].least * root_area, qualities[quality].passes,
                  qualities[quality].least_gain);
    }
    mo_collapse(&b.tree);
    if (split) {
      mo_builder_list_references(builder);
    }
  } else {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
  }
  mo_cut_arena_free(&w.arena);
  mo_deallocate(allocator, b.tree.items, b.tree.capacity, sizeof(mo_item));
  mo_deallocate(allocator, b.tree.scratch, b.tree.capacity, sizeof(mo_item));
}
