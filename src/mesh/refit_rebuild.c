/* Rebuilding the parts of a deformable mesh's octree that refitting has spoilt.
 *
 * A node is worth as much as a line that meets the mesh is expected to lose there: its chance to
 * meet the node's box, times the visits below it beyond those when that was built. Which subtrees
 * to rebuild within a number of triangles is a knapsack on a tree, and solved as one: at a price
 * per triangle the best choice of disjoint subtrees follows from the leaves up, and the price is
 * raised until the choice fits.
 *
 * What is above subtrees that are good may be bad as well: they have moved apart, and their boxes
 * overlap. So the top of the octree, as far down as nodes have become bad and the limit allows, is
 * built anew over the boxes of what hangs from it, subtrees and leaves as they are.
 *
 * Each part is built as a mesh of its own. Then the octree is laid out anew with the parts in it,
 * as it would have been by the builder: copying runs at the speed of memory, next to which building
 * is slow, and leaves no holes. Nothing changes before all memory is there. */
#include <string.h>

#include "mesh/build.h"
#include "mesh/refit.h"

/* What is considered of a node. */
typedef struct prospect {
  double gain; /* visits that a line is expected to save; 0 where the node is not to be rebuilt */
  double best; /* of gain less price, by the best choice in the subtree */
  uint32_t triangles;
  uint32_t height; /* levels of nodes in the subtree */
  bool chosen;     /* rather than any below */
  bool covered;    /* a node above is chosen */
} prospect;

/* A subtree that is built anew. */
typedef struct part {
  uint32_t node;       /* its root */
  uint32_t *triangles; /* by index in `tree` */
  mo_mesh tree;        /* only what a builder fills in */
} part;

/* The top has from so many items to so many. It is built anew if at least so much of the expected
 * visits that would be tolerated beyond those when it was built is lost in it, and is kept if so
 * much is gained. */
enum { LEAST_TOP = 64, MOST_TOP = 16384 };
#define TOP_LOSS 0.25
#define TOP_GAIN 0.1
/* But again only when there are more visits by that than after the last time, or it was looked at
 * that many calls ago. */
#define TOP_AGAIN 1.05
enum { TOP_AGE = 2 };

/* What hangs from the top: a child as nodes have it, and where (node << 3 | slot). */
typedef struct hanging {
  uint32_t child, from;
} hanging;

/* The top of the octree. */
typedef struct top {
  hanging *items;
  uint32_t item_count, item_capacity;
  uint32_t opened; /* nodes that it has so far; none where there is nothing to do about it */
  double share;    /* the half areas of their boxes */
  mo_mesh tree;    /* over the items, each as a triangle in a leaf of its own */
} top;

typedef struct rebuild {
  mo_mesh *mesh;
  prospect *prospects; /* by node */
  part *parts;         /* ascending by node */
  uint32_t part_count;
  top top;
} rebuild;

/* The octree that takes the place of the old one. */
typedef struct layout {
  const rebuild *rebuild;
  mo_mesh_node *nodes;
  mo_mesh_planes *planes;
  mo_triangle_block *blocks;
  mo_deformation deformation;
  uint32_t node_count, block_count;
  bool failed; /* out of memory */
} layout;

mo_mesh_rebuild_options mo_default_mesh_rebuild_options(void) {
  return (mo_mesh_rebuild_options){.threshold = 1.5f, .max_triangles = UINT32_MAX};
}

/* The next block of a leaf, or null after the last. */
static const mo_triangle_block *next_block(const mo_triangle_block *block) {
  return block->id[0] & MO_LANE_LAST ? NULL : block + 1;
}

static uint32_t lanes_in_use(const mo_triangle_block *block) {
  uint32_t count = 0;
  while (count < MO_WIDTH && (block->id[count] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
    count++;
  }
  return count;
}

static const mo_triangle_block *leaf_of(const mo_mesh *mesh, uint32_t child) {
  bool is_leaf = child != MO_CHILD_EMPTY && mo_child_is_leaf(child);
  return is_leaf ? &mesh->blocks[mo_child_index(child)] : NULL;
}

/* Choosing. */

static void consider(rebuild *r, const mo_mesh_rebuild_options *options, uint32_t most) {
  const mo_mesh *mesh = r->mesh;
  const mo_deformation *d = mesh->deformation;
  double whole = mo_aabb_half_area(mesh->bounds);
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    prospect *p = &r->prospects[n];
    p->triangles = 0;
    p->height = 1;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      for (const mo_triangle_block *b = leaf_of(mesh, child); b != NULL; b = next_block(b)) {
        p->triangles += lanes_in_use(b);
      }
      if (!mo_child_is_leaf(child)) {
        uint32_t height = r->prospects[child].height + 1;
        p->triangles += r->prospects[child].triangles;
        p->height = height > p->height ? height : p->height;
      }
    }
    double visits = mo_refit_visits(&d->nodes[n]), built = d->built_visits[n];
    double area = mo_aabb_half_area(mo_box4_get(&d->nodes[n].box));
    bool bad = visits > (double)options->threshold * built && p->triangles <= most;
    p->gain = bad && whole > 0.0 ? area / whole * (visits - built) : 0.0;
  }
}

/* Chooses at a price per triangle; how many triangles that takes. */
static uint32_t choose_at(rebuild *r, double price) {
  const mo_mesh *mesh = r->mesh;
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    prospect *p = &r->prospects[n];
    p->best = 0.0;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      p->best += mo_child_is_leaf(child) ? 0.0 : r->prospects[child].best;
    }
    double profit = p->gain - price * p->triangles;
    p->chosen = p->gain > 0.0 && profit > p->best;
    p->best = p->chosen ? profit : p->best;
  }
  uint32_t triangles = 0;
  r->part_count = 0;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t parent = mesh->planes[n].parent;
    const prospect *above = parent != MO_NONE ? &r->prospects[parent >> 3] : NULL;
    prospect *p = &r->prospects[n];
    p->covered = above != NULL && (above->covered || above->chosen);
    if (p->chosen && !p->covered) {
      triangles += p->triangles;
      r->part_count++;
    }
  }
  return triangles;
}

static uint32_t choose(rebuild *r, const mo_mesh_rebuild_options *options, uint32_t most) {
  /* What saves less than half of what would be tolerated, in proportion, is not worth the work:
   * else a small part that is very bad would have all of the octree rebuilt. */
  double tolerated = ((double)options->threshold - 1.0) * r->mesh->deformation->built_visits[0];
  double too_low = 0.5 * tolerated / fmax(1.0, r->mesh->triangle_count), enough = too_low;
  uint32_t triangles = choose_at(r, too_low);
  if (triangles <= most) {
    return triangles;
  }
  for (uint32_t n = 0; n < r->mesh->node_count; n++) {
    const prospect *p = &r->prospects[n];
    enough = p->gain > 0.0 ? fmax(enough, p->gain / p->triangles) : enough;
  }
  for (int i = 0; i < 20; i++) {
    double middle = 0.5 * (too_low + enough);
    if (choose_at(r, middle) <= most) {
      enough = middle;
    } else {
      too_low = middle;
    }
  }
  return choose_at(r, enough);
}

/* Building. */

static uint32_t gather(const mo_mesh *mesh, uint32_t node, uint32_t *triangles, uint32_t count) {
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    for (const mo_triangle_block *b = leaf_of(mesh, child); b != NULL; b = next_block(b)) {
      for (uint32_t lane = 0, end = lanes_in_use(b); lane < end; lane++) {
        triangles[count++] = b->id[lane] & MO_LANE_TRIANGLE;
      }
    }
    if (!mo_child_is_leaf(child)) {
      count = gather(mesh, child, triangles, count);
    }
  }
  return count;
}

static void destroy_tree(const mo_mesh *mesh, mo_mesh *tree) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_deallocate(allocator, tree->places, tree->triangle_count, sizeof *tree->places);
  mo_deallocate(allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
  mo_deallocate(allocator, tree->planes, tree->planes_capacity, sizeof *tree->planes);
  mo_deallocate(allocator, tree->blocks, tree->block_capacity, sizeof *tree->blocks);
  mo_deallocate(allocator, tree->duplicates, tree->duplicate_capacity, sizeof *tree->duplicates);
}

static void destroy_part(const mo_mesh *mesh, part *p) {
  mo_deallocate(&mesh->host.allocator, p->triangles, p->tree.triangle_count, sizeof *p->triangles);
  destroy_tree(mesh, &p->tree);
}

static mo_result build_part(const rebuild *r, part *p) {
  const mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t count = r->prospects[p->node].triangles;
  mo_mesh *tree = &p->tree;
  tree->host = mesh->host;
  tree->isa = mesh->isa;
  tree->build = mesh->build;
  tree->build.max_depth -= mesh->planes[p->node].depth;
  tree->triangle_count = tree->triangle_capacity = count;
  mo_mesh_set_bounds(tree, mo_box4_get(&mesh->deformation->nodes[p->node].box));
  p->triangles = mo_allocate(allocator, count, sizeof *p->triangles);
  tree->places = mo_allocate(allocator, count, sizeof *tree->places);
  mo_vec3 *corners = mo_allocate(allocator, 3 * (size_t)count, sizeof *corners);
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  if (p->triangles != NULL && tree->places != NULL && corners != NULL) {
    gather(mesh, p->node, p->triangles, 0);
    for (uint32_t i = 0; i < count; i++) {
      tree->places[i] = MO_NONE;
      mo_mesh_corners(mesh, p->triangles[i], &corners[3 * (size_t)i]);
    }
    result = mo_mesh_build(tree, corners);
  }
  mo_deallocate(allocator, corners, 3 * (size_t)count, sizeof *corners);
  return result;
}

/* The top. */

static double half_area_of(const mo_mesh *mesh, uint32_t node) {
  return mo_aabb_half_area(mo_box4_get(&mesh->deformation->nodes[node].box));
}

/* What is lost in a subtree, as a share of the lines that meet the mesh. */
static double loss_in(const mo_mesh *mesh, uint32_t node) {
  const mo_deformation *d = mesh->deformation;
  return half_area_of(mesh, node) * (mo_refit_visits(&d->nodes[node]) - d->built_visits[node]);
}

/* A heap of items with the one to be opened next on top: the largest node that is not built anew.
 */
static bool goes_before(const rebuild *r, uint32_t a, uint32_t b) {
  double area[2] = {-1.0, -1.0};
  for (int i = 0; i < 2; i++) {
    uint32_t child = i == 0 ? a : b;
    if (!mo_child_is_leaf(child) && !r->prospects[child].chosen) {
      area[i] = half_area_of(r->mesh, child);
    }
  }
  return area[0] > area[1] || (area[0] == area[1] && a < b);
}

static void add_item(rebuild *r, hanging added) {
  hanging *items = r->top.items;
  uint32_t i = r->top.item_count++;
  for (; i > 0 && goes_before(r, added.child, items[(i - 1) / 2].child); i = (i - 1) / 2) {
    items[i] = items[(i - 1) / 2];
  }
  items[i] = added;
}

static void drop_first(rebuild *r) {
  hanging *items = r->top.items;
  uint32_t count = --r->top.item_count, i = 0;
  hanging last = items[count];
  for (uint32_t next = 1; next < count; next = 2 * i + 1) {
    next += next + 1 < count && goes_before(r, items[next + 1].child, items[next].child);
    if (!goes_before(r, items[next].child, last.child)) {
      break;
    }
    items[i] = items[next];
    i = next;
  }
  items[i] = last;
}

/* The item in a leaf of the tree over the top. */
static uint32_t item_of(const top *t, uint32_t leaf) {
  return t->items[t->tree.blocks[mo_child_index(leaf)].id[0] & MO_LANE_TRIANGLE].child;
}

/* Levels of nodes in what hangs from the top. */
static uint32_t item_height(const rebuild *r, uint32_t item) {
  if (mo_child_is_leaf(item) || !r->prospects[item].chosen) {
    return mo_child_is_leaf(item) ? 0 : r->prospects[item].height;
  }
  uint32_t i = 0;
  while (r->parts[i].node != item) {
    i++;
  }
  return r->parts[i].tree.depth;
}

/* Opens nodes from the root down, the largest first: that is where subtrees overlap. */
static void find_top(rebuild *r) {
  top *t = &r->top;
  const mo_mesh *mesh = r->mesh;
  add_item(r, (hanging){0, MO_NONE});
  while (t->item_count > 0 && t->item_count + MO_WIDTH <= t->item_capacity) {
    uint32_t first = t->items[0].child;
    if (mo_child_is_leaf(first) || r->prospects[first].chosen) {
      return;
    }
    drop_first(r);
    t->opened++;
    t->share += half_area_of(mesh, first);
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = mesh->nodes[first].child[slot];
      if (child != MO_CHILD_EMPTY) {
        add_item(r, (hanging){child, first << 3 | slot});
      }
    }
  }
}

/* Whether each leaf has one item and no subtree would get too deep, and nodes that cost less than
 * those of old by `least`. */
static bool is_top_better(const rebuild *r, double least) {
  const mo_mesh *mesh = r->mesh, *tree = &r->top.tree;
  double share = half_area_of(mesh, 0);
  for (uint32_t n = 0; n < tree->node_count; n++) {
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = tree->nodes[n].child[slot];
      if (!mo_child_is_leaf(child)) {
        share += mo_aabb_half_area(mo_bounds8_get(&tree->nodes[n].bounds, (int)slot));
      } else if (child != MO_CHILD_EMPTY) {
        const mo_triangle_block *block = leaf_of(tree, child);
        if (next_block(block) != NULL || lanes_in_use(block) > 1 ||
            tree->planes[n].depth + 1 + item_height(r, item_of(&r->top, child)) >
                mesh->build.max_depth) {
          return false;
        }
      }
    }
  }
  return r->top.share - share > least * half_area_of(mesh, 0);
}

static mo_result build_top(rebuild *r) {
  const mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh *tree = &r->top.tree;
  uint32_t count = r->top.item_count;
  tree->host = mesh->host;
  tree->isa = mesh->isa;
  tree->build = mesh->build;
  tree->build.leaf_capacity = 1;
  tree->build.quality = MO_MESH_QUALITY_DEFAULT;
  tree->triangle_count = tree->triangle_capacity = count;
  tree->bounds = mesh->bounds;
  tree->reach = mesh->reach;
  tree->places = mo_allocate(allocator, count, sizeof *tree->places);
  mo_vec3 *corners = mo_allocate(allocator, 3 * (size_t)count, sizeof *corners);
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  if (tree->places != NULL && corners != NULL) {
    for (uint32_t i = 0; i < count; i++) {
      uint32_t from = r->top.items[i].from;
      mo_aabb box = mo_bounds8_get(&mesh->nodes[from >> 3].bounds, (int)(from & 7));
      corners[3 * i] = corners[3 * i + 2] = box.lower;
      corners[3 * i + 1] = box.upper;
      tree->places[i] = MO_NONE;
    }
    result = mo_mesh_build(tree, corners);
  }
  mo_deallocate(allocator, corners, 3 * (size_t)count, sizeof *corners);
  return result;
}

/* What is lost in the top itself, rather than in what hangs from it. */
static double loss_of_top(const rebuild *r) {
  double loss = loss_in(r->mesh, 0);
  for (uint32_t i = 0; i < r->top.item_count; i++) {
    uint32_t child = r->top.items[i].child;
    loss -= mo_child_is_leaf(child) ? 0.0 : loss_in(r->mesh, child);
  }
  return loss;
}

static double tolerated_loss(const mo_mesh *mesh, const mo_mesh_rebuild_options *options) {
  return ((double)options->threshold - 1.0) * mesh->deformation->built_visits[0];
}

/* Whether the octree is so bad that the top may be worth building. */
static bool is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options) {
  const mo_deformation *d = mesh->deformation;
  double visits = mo_refit_visits(&d->nodes[0]);
  return visits - d->built_visits[0] > tolerated_loss(mesh, options) &&
         (visits > TOP_AGAIN * d->top_visits || d->top_age >= TOP_AGE);
}

/* Finds the top and builds it, if that is worth it; it has up to `most` items. */
static mo_result try_top(rebuild *r, const mo_mesh_rebuild_options *options, uint32_t most) {
  const mo_mesh *mesh = r->mesh;
  top *t = &r->top;
  double tolerated = tolerated_loss(mesh, options);
  if (r->prospects[0].chosen || most < LEAST_TOP || !is_top_due(mesh, options)) {
    return MO_OK;
  }
  t->item_capacity = most < MOST_TOP ? most : MOST_TOP;
  t->items = mo_allocate(&mesh->host.allocator, t->item_capacity, sizeof *t->items);
  if (t->items == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  find_top(r);
  double whole = half_area_of(mesh, 0);
  mo_result result = MO_OK;
  if (t->opened < 2 || !(loss_of_top(r) > TOP_LOSS * tolerated * whole)) {
    t->opened = 0;
  } else {
    result = build_top(r);
    t->opened = result == MO_OK && is_top_better(r, TOP_GAIN * tolerated) ? t->opened : 0;
  }
  return result;
}

/* Layout. */

static uint32_t nodes_in(const mo_mesh *mesh, uint32_t node, uint32_t *blocks) {
  uint32_t nodes = 1;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    for (const mo_triangle_block *b = leaf_of(mesh, child); b != NULL; b = next_block(b)) {
      (*blocks)++;
    }
    nodes += mo_child_is_leaf(child) ? 0 : nodes_in(mesh, child, blocks);
  }
  return nodes;
}

/* Lists the vertices of a block. */
static void place_vertices(layout *l, uint32_t block, const mo_odd_vertices *vertices) {
  const mo_mesh *mesh = l->rebuild->mesh;
  l->failed |= !mo_deformation_set_vertices(&l->deformation, &mesh->host.allocator, block, vertices,
                                            mesh->vertex_count - 1);
}

static void copy_vertices(layout *l, uint32_t to, uint32_t from) {
  const mo_deformation *d = l->rebuild->mesh->deformation;
  const mo_vertex_slots *slots = &d->slots[from];
  if (slots->count == MO_SLOTS_ODD || slots->count == MO_SLOTS_LAST) {
    place_vertices(l, to, &d->odd[slots->first]);
  } else {
    l->deformation.slots[to] = *slots;
  }
}

static void place_part(layout *l, const part *p, uint32_t at, uint32_t parent, uint32_t depth) {
  const mo_mesh *mesh = l->rebuild->mesh, *tree = &p->tree;
  uint32_t first_block = l->block_count;
  uint32_t others = l->node_count - 1; /* node i of the part, but for its root, goes there + i */
  l->node_count += tree->node_count - 1;
  l->block_count += tree->block_count;
  for (uint32_t i = 0; i < tree->node_count; i++) {
    uint32_t to = i == 0 ? at : others + i;
    mo_mesh_planes *planes = &l->planes[to];
    l->nodes[to] = tree->nodes[i];
    *planes = tree->planes[i];
    planes->depth = (uint8_t)(planes->depth + depth);
    uint32_t above = planes->parent >> 3, slot_above = planes->parent & 7;
    planes->parent = i == 0 ? parent : (above == 0 ? at : others + above) << 3 | slot_above;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t *child = &l->nodes[to].child[slot];
      if (*child != MO_CHILD_EMPTY) {
        *child += mo_child_is_leaf(*child) ? first_block : others;
      }
    }
    l->deformation.built_visits[to] = 0.0; /* to be found out */
  }
  for (uint32_t b = 0; b < tree->block_count; b++) {
    mo_triangle_block *block = &l->blocks[first_block + b];
    mo_odd_vertices vertices;
    *block = tree->blocks[b];
    block->id[2] |= MO_LANE_SOME_DEGENERATE; /* as in all of a deformable mesh */
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      bool in_use = (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
      if (in_use) {
        uint32_t triangle = p->triangles[block->id[lane] & MO_LANE_TRIANGLE];
        block->id[lane] = (block->id[lane] & ~MO_LANE_TRIANGLE) | triangle;
      }
      uint32_t place = mesh->places[block->id[in_use ? lane : 0] & MO_LANE_TRIANGLE];
      for (uint32_t corner = 0; corner < 3; corner++) {
        vertices.vertex[corner][lane] = mo_deformation_vertex(mesh->deformation, place, corner);
      }
    }
    place_vertices(l, first_block + b, &vertices);
  }
}

/* Copies a leaf; the child that it is now. */
static uint32_t place_leaf(layout *l, uint32_t child) {
  const mo_mesh *mesh = l->rebuild->mesh;
  uint32_t placed = MO_CHILD_LEAF | l->block_count, from = mo_child_index(child);
  do {
    copy_vertices(l, l->block_count, from);
    l->blocks[l->block_count++] = mesh->blocks[from];
  } while (!(mesh->blocks[from++].id[0] & MO_LANE_LAST));
  return placed;
}

/* Siblings one after the other, then what is below the first of them, as the builder does. */
static void place_node(layout *l, uint32_t node, uint32_t at, uint32_t parent, uint32_t depth) {
  const mo_mesh *mesh = l->rebuild->mesh;
  const prospect *p = &l->rebuild->prospects[node];
  if (p->chosen) {
    const part *parts = l->rebuild->parts;
    uint32_t i = 0;
    while (parts[i].node != node) {
      i++;
    }
    place_part(l, &parts[i], at, parent, depth);
    return;
  }
  mo_mesh_node *copy = &l->nodes[at];
  *copy = mesh->nodes[node];
  l->planes[at] = mesh->planes[node];
  l->planes[at].parent = parent;
  l->planes[at].depth = (uint8_t)depth;
  l->deformation.built_visits[at] = mesh->deformation->built_visits[node];
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      copy->child[slot] = l->node_count++;
    } else if (child != MO_CHILD_EMPTY) {
      copy->child[slot] = place_leaf(l, child);
    }
  }
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      place_node(l, child, copy->child[slot], at << 3 | slot, depth + 1);
    }
  }
}

static uint32_t triangles_in(const rebuild *r, uint32_t child) {
  uint32_t count = mo_child_is_leaf(child) ? 0 : r->prospects[child].triangles;
  for (const mo_triangle_block *b = leaf_of(r->mesh, child); b != NULL; b = next_block(b)) {
    count += lanes_in_use(b);
  }
  return count;
}

static uint32_t log2_of(uint32_t count) {
  return count == 0 ? 0 : 31u - (uint32_t)__builtin_clz(count);
}

/* What a subtree of the top would cost if it were built anew from its triangles, by which later on
 * it is found worth that, or not: about as much, for the levels it has, as all of the octree did
 * when that was built. Returns the number of triangles. */
static uint32_t expect_visits(layout *l, uint32_t node) {
  const rebuild *r = l->rebuild;
  uint32_t triangles = 0;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = r->top.tree.nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      triangles += expect_visits(l, child);
    } else if (child != MO_CHILD_EMPTY) {
      triangles += triangles_in(r, item_of(&r->top, child));
    }
  }
  double levels = log2_of(triangles), all = log2_of(r->mesh->triangle_count);
  double built = r->mesh->deformation->built_visits[0];
  l->deformation.built_visits[node] = 1.0 + (built - 1.0) * levels / fmax(all, 1.0);
  return triangles;
}

/* The nodes of the top come first, as they lie in its tree. */
static void place_top(layout *l) {
  const top *t = &l->rebuild->top;
  l->node_count = t->tree.node_count;
  expect_visits(l, 0);
  for (uint32_t n = 0; n < t->tree.node_count; n++) {
    l->nodes[n] = t->tree.nodes[n];
    l->planes[n] = t->tree.planes[n];
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = t->tree.nodes[n].child[slot];
      if (child == MO_CHILD_EMPTY || !mo_child_is_leaf(child)) {
        continue;
      }
      uint32_t below = item_of(t, child);
      if (mo_child_is_leaf(below)) {
        l->nodes[n].child[slot] = place_leaf(l, below);
      } else {
        uint32_t at = l->nodes[n].child[slot] = l->node_count++;
        place_node(l, below, at, n << 3 | slot, t->tree.planes[n].depth + 1u);
      }
    }
  }
}

static void destroy_layout(layout *l, const mo_allocator *allocator) {
  uint32_t nodes = l->deformation.node_capacity, blocks = l->deformation.block_capacity;
  mo_deallocate(allocator, l->nodes, nodes, sizeof *l->nodes);
  mo_deallocate(allocator, l->planes, nodes, sizeof *l->planes);
  mo_deallocate(allocator, l->blocks, blocks, sizeof *l->blocks);
  mo_deformation_free(&l->deformation, allocator);
}

/* What a new node of the top would cost if the subtrees below were as they were built. */
static double visits_if_as_built(const mo_mesh *mesh, uint32_t n) {
  const mo_deformation *d = mesh->deformation;
  mo_refit_node sum = d->nodes[n];
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[n].child[slot];
    if (!mo_child_is_leaf(child)) {
      double area = mo_aabb_half_area(mo_bounds8_get(&mesh->nodes[n].bounds, (int)slot));
      sum.work -= area * (mo_refit_visits(&d->nodes[child]) - d->built_visits[child]);
    }
  }
  return mo_refit_visits(&sum);
}

/* Puts the new octree into the mesh. */
static void adopt(mo_mesh *mesh, const layout *l) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_deallocate(allocator, mesh->nodes, mesh->node_capacity, sizeof *mesh->nodes);
  mo_deallocate(allocator, mesh->planes, mesh->planes_capacity, sizeof *mesh->planes);
  mo_deallocate(allocator, mesh->blocks, mesh->block_capacity, sizeof *mesh->blocks);
  mo_deformation_free(mesh->deformation, allocator);
  mesh->nodes = l->nodes;
  mesh->planes = l->planes;
  mesh->blocks = l->blocks;
  double top_visits = mesh->deformation->top_visits;
  uint32_t top_age = mesh->deformation->top_age;
  *mesh->deformation = l->deformation;
  mesh->deformation->top_visits = top_visits;
  mesh->deformation->top_age = top_age;
  mesh->node_count = mesh->node_capacity = mesh->planes_capacity = l->node_count;
  mesh->block_count = mesh->block_capacity = l->block_count;
  mesh->depth = 0;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t depth = mesh->planes[n].depth + 1u;
    mesh->depth = depth > mesh->depth ? depth : mesh->depth;
  }
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    for (uint32_t lane = 0, end = lanes_in_use(&mesh->blocks[b]); lane < end; lane++) {
      mesh->places[mesh->blocks[b].id[lane] & MO_LANE_TRIANGLE] = b << 3 | lane;
    }
  }
  mo_refit_measure(mesh);
  uint32_t top_nodes = l->rebuild->top.opened > 0 ? l->rebuild->top.tree.node_count : 0;
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    double *built = &mesh->deformation->built_visits[n];
    if (n < top_nodes) {
      *built = fmin(*built, visits_if_as_built(mesh, n));
    } else if (*built == 0.0) {
      *built = mo_refit_visits(&mesh->deformation->nodes[n]);
    }
  }
}

static mo_result lay_out(const rebuild *r) {
  mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t nodes = mesh->node_count, blocks = mesh->block_count;
  for (uint32_t i = 0; i < r->part_count; i++) {
    uint32_t old_blocks = 0;
    nodes = nodes - nodes_in(mesh, r->parts[i].node, &old_blocks) + r->parts[i].tree.node_count;
    blocks = blocks - old_blocks + r->parts[i].tree.block_count;
  }
  if (r->top.opened > 0) {
    nodes = nodes - r->top.opened + r->top.tree.node_count;
  }
  layout l = {.rebuild = r, .node_count = 1};
  bool ok = mo_deformation_make(&l.deformation, allocator, nodes, blocks);
  l.nodes = mo_allocate(allocator, nodes, sizeof *l.nodes);
  l.planes = mo_allocate(allocator, nodes, sizeof *l.planes);
  l.blocks = mo_allocate(allocator, blocks, sizeof *l.blocks);
  if (!ok || l.nodes == NULL || l.planes == NULL || l.blocks == NULL) {
    destroy_layout(&l, allocator);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (r->top.opened > 0) {
    place_top(&l);
  } else {
    place_node(&l, 0, 0, MO_NONE, 0);
  }
  if (l.failed) {
    destroy_layout(&l, allocator);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  adopt(mesh, &l);
  return MO_OK;
}

static mo_result build_parts(rebuild *r) {
  uint32_t count = r->part_count;
  r->part_count = 0;
  r->parts = mo_allocate(&r->mesh->host.allocator, count, sizeof *r->parts);
  if (r->parts == NULL && count > 0) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_result result = MO_OK;
  for (uint32_t n = 0; n < r->mesh->node_count && r->part_count < count && result == MO_OK; n++) {
    if (r->prospects[n].chosen && !r->prospects[n].covered) {
      part *p = &r->parts[r->part_count++];
      memset(p, 0, sizeof *p);
      p->node = n;
      result = build_part(r, p);
    }
  }
  return result;
}

mo_result mo_mesh_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                                mo_mesh_rebuild_info *info) {
  if (mesh == NULL || options == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (mesh->deformation == NULL) {
    return MO_ERROR_UNSUPPORTED;
  }
  if (!(options->threshold >= 1.0f)) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t node_count = mesh->node_count;
  rebuild r = {.mesh = mesh};
  r.prospects = mo_allocate(allocator, node_count, sizeof *r.prospects);
  if (r.prospects == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  /* A quarter is for the top, unless that is fine or all of the octree may be rebuilt. */
  uint32_t most = options->max_triangles;
  bool set_aside = most < mesh->triangle_count && is_top_due(mesh, options);
  uint32_t for_parts = set_aside ? most - most / 4 : most;
  consider(&r, options, for_parts);
  uint32_t triangles = choose(&r, options, for_parts);
  uint32_t given = r.part_count;
  mo_result result = build_parts(&r);
  if (result == MO_OK) {
    result = try_top(&r, options, most - triangles);
  }
  if (result == MO_OK && (r.part_count > 0 || r.top.opened > 0)) {
    result = lay_out(&r);
  }
  if (result == MO_OK && r.top.items != NULL) {
    mesh->deformation->top_visits = mo_refit_visits(&mesh->deformation->nodes[0]);
    mesh->deformation->top_age = 0;
  } else if (result == MO_OK && mesh->deformation->top_age < TOP_AGE) {
    mesh->deformation->top_age++;
  }
  for (uint32_t i = 0; i < r.part_count; i++) {
    destroy_part(mesh, &r.parts[i]);
  }
  destroy_tree(mesh, &r.top.tree);
  mo_deallocate(allocator, r.top.items, r.top.item_capacity, sizeof *r.top.items);
  mo_deallocate(allocator, r.parts, given, sizeof *r.parts);
  mo_deallocate(allocator, r.prospects, node_count, sizeof *r.prospects);
  if (result == MO_OK && info != NULL) {
    *info = (mo_mesh_rebuild_info){r.part_count, triangles, mo_refit_info(mesh)};
  }
  return result;
}
