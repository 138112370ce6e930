/* Rebuilding the parts of a deformable mesh's octree that refitting has spoilt.
 *
 * A node is worth as much as a line that meets the mesh is expected to lose there: its chance to
 * meet the node's box, times the visits below it beyond those when that was built. Which subtrees
 * to rebuild within a number of triangles is a knapsack on a tree, and solved as one: at a price
 * per triangle the best choice of disjoint subtrees follows from the leaves up, and the price is
 * raised until the choice fits.
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
  bool chosen;  /* rather than any below */
  bool covered; /* a node above is chosen */
} prospect;

/* A subtree that is built anew. */
typedef struct part {
  uint32_t node;       /* its root */
  uint32_t *triangles; /* by index in `tree` */
  mo_mesh tree;        /* only what a builder fills in */
} part;

typedef struct rebuild {
  mo_mesh *mesh;
  prospect *prospects; /* by node */
  part *parts;         /* ascending by node */
  uint32_t part_count;
} rebuild;

/* The octree that takes the place of the old one. */
typedef struct layout {
  const rebuild *rebuild;
  mo_mesh_node *nodes;
  mo_mesh_planes *planes;
  mo_triangle_block *blocks;
  mo_deformation deformation;
  uint32_t node_count, block_count, next_part;
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

static void consider(rebuild *r, const mo_mesh_rebuild_options *options) {
  const mo_mesh *mesh = r->mesh;
  const mo_deformation *d = mesh->deformation;
  double whole = mo_aabb_half_area(mesh->bounds);
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    prospect *p = &r->prospects[n];
    p->triangles = 0;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      for (const mo_triangle_block *b = leaf_of(mesh, child); b != NULL; b = next_block(b)) {
        p->triangles += lanes_in_use(b);
      }
      p->triangles += mo_child_is_leaf(child) ? 0 : r->prospects[child].triangles;
    }
    double visits = mo_refit_visits(&d->nodes[n]), built = d->built_visits[n];
    double area = mo_aabb_half_area(mo_box4_get(&d->nodes[n].box));
    bool bad =
        visits > (double)options->threshold * built && p->triangles <= options->max_triangles;
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

static uint32_t choose(rebuild *r, const mo_mesh_rebuild_options *options) {
  /* What saves less than half of what would be tolerated, in proportion, is not worth the work:
   * else a small part that is very bad would have all of the octree rebuilt. */
  double tolerated = ((double)options->threshold - 1.0) * r->mesh->deformation->built_visits[0];
  double too_low = 0.5 * tolerated / fmax(1.0, r->mesh->triangle_count), enough = too_low;
  uint32_t triangles = choose_at(r, too_low);
  if (triangles <= options->max_triangles) {
    return triangles;
  }
  for (uint32_t n = 0; n < r->mesh->node_count; n++) {
    const prospect *p = &r->prospects[n];
    enough = p->gain > 0.0 ? fmax(enough, p->gain / p->triangles) : enough;
  }
  for (int i = 0; i < 20; i++) {
    double middle = 0.5 * (too_low + enough);
    if (choose_at(r, middle) <= options->max_triangles) {
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

static void destroy_part(const mo_mesh *mesh, part *p) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh *tree = &p->tree;
  mo_deallocate(allocator, p->triangles, tree->triangle_count, sizeof *p->triangles);
  mo_deallocate(allocator, tree->places, tree->triangle_count, sizeof *tree->places);
  mo_deallocate(allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
  mo_deallocate(allocator, tree->planes, tree->planes_capacity, sizeof *tree->planes);
  mo_deallocate(allocator, tree->blocks, tree->block_capacity, sizeof *tree->blocks);
  mo_deallocate(allocator, tree->duplicates, tree->duplicate_capacity, sizeof *tree->duplicates);
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

static void place_part(layout *l, const part *p, uint32_t at, uint32_t parent) {
  const mo_mesh *mesh = l->rebuild->mesh, *tree = &p->tree;
  uint32_t first_block = l->block_count;
  uint32_t others = l->node_count - 1; /* node i of the part, but for its root, goes there + i */
  uint8_t depth = mesh->planes[p->node].depth;
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
    mo_block_vertices *vertices = &l->deformation.vertices[first_block + b];
    *block = tree->blocks[b];
    block->id[2] |= MO_LANE_SOME_DEGENERATE; /* as in all of a deformable mesh */
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      bool in_use = (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
      if (in_use) {
        uint32_t triangle = p->triangles[block->id[lane] & MO_LANE_TRIANGLE];
        block->id[lane] = (block->id[lane] & ~MO_LANE_TRIANGLE) | triangle;
      }
      uint32_t place = mesh->places[block->id[in_use ? lane : 0] & MO_LANE_TRIANGLE];
      for (int corner = 0; corner < 3; corner++) {
        vertices->vertex[corner][lane] =
            mesh->deformation->vertices[place >> 3].vertex[corner][place & 7];
      }
    }
  }
}

/* Siblings one after the other, then what is below the first of them, as the builder does. */
static void place_node(layout *l, uint32_t node, uint32_t at, uint32_t parent) {
  const mo_mesh *mesh = l->rebuild->mesh;
  const prospect *p = &l->rebuild->prospects[node];
  if (p->chosen) {
    const part *parts = l->rebuild->parts;
    uint32_t i = 0;
    while (parts[i].node != node) {
      i++;
    }
    place_part(l, &parts[i], at, parent);
    return;
  }
  mo_mesh_node *copy = &l->nodes[at];
  *copy = mesh->nodes[node];
  l->planes[at] = mesh->planes[node];
  l->planes[at].parent = parent;
  l->deformation.built_visits[at] = mesh->deformation->built_visits[node];
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      copy->child[slot] = l->node_count++;
    } else if (child != MO_CHILD_EMPTY) {
      copy->child[slot] = MO_CHILD_LEAF | l->block_count;
      uint32_t from = mo_child_index(child);
      do {
        l->deformation.vertices[l->block_count] = mesh->deformation->vertices[from];
        l->blocks[l->block_count++] = mesh->blocks[from];
      } while (!(mesh->blocks[from++].id[0] & MO_LANE_LAST));
    }
  }
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      place_node(l, child, copy->child[slot], at << 3 | slot);
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
  *mesh->deformation = l->deformation;
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
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (mesh->deformation->built_visits[n] == 0.0) {
      mesh->deformation->built_visits[n] = mo_refit_visits(&mesh->deformation->nodes[n]);
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
  layout l = {.rebuild = r, .node_count = 1};
  bool ok = mo_deformation_make(&l.deformation, allocator, nodes, blocks);
  l.nodes = mo_allocate(allocator, nodes, sizeof *l.nodes);
  l.planes = mo_allocate(allocator, nodes, sizeof *l.planes);
  l.blocks = mo_allocate(allocator, blocks, sizeof *l.blocks);
  if (!ok || l.nodes == NULL || l.planes == NULL || l.blocks == NULL) {
    destroy_layout(&l, allocator);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  place_node(&l, 0, 0, MO_NONE);
  adopt(mesh, &l);
  return MO_OK;
}

static mo_result rebuild_chosen(rebuild *r) {
  const mo_allocator *allocator = &r->mesh->host.allocator;
  uint32_t count = r->part_count;
  r->parts = mo_allocate(allocator, count, sizeof *r->parts);
  if (r->parts == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(r->parts, 0, count * sizeof *r->parts);
  mo_result result = MO_OK;
  uint32_t made = 0;
  for (uint32_t n = 0; n < r->mesh->node_count && result == MO_OK; n++) {
    if (r->prospects[n].chosen && !r->prospects[n].covered) {
      r->parts[made].node = n;
      result = build_part(r, &r->parts[made++]);
    }
  }
  if (result == MO_OK) {
    result = lay_out(r);
  }
  for (uint32_t i = 0; i < made; i++) {
    destroy_part(r->mesh, &r->parts[i]);
  }
  mo_deallocate(allocator, r->parts, count, sizeof *r->parts);
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
  consider(&r, options);
  uint32_t triangles = choose(&r, options);
  mo_result result = r.part_count > 0 ? rebuild_chosen(&r) : MO_OK;
  mo_deallocate(allocator, r.prospects, node_count, sizeof *r.prospects);
  if (result == MO_OK && info != NULL) {
    *info = (mo_mesh_rebuild_info){r.part_count, triangles, mo_refit_info(mesh)};
  }
  return result;
}
