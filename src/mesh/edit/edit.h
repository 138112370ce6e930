/* Edits of meshes: triangles are added, removed and replaced, and vertices move.
 *
 * Only editable meshes store what this needs: which vertices triangles have and the reverse, the
 * leaf of each block, and per node how many triangles are below it and how many have changed.
 *
 * An edit first inserts the new forms of all triangles into the octree, next to the old ones, which
 * may fail; then it removes the old forms, which cannot fail. So an edit that runs out of memory
 * takes out what it has inserted, and has changed nothing (edit.c).
 *
 * A triangle is inserted by descending to the slot where it costs least (tree.c). Parts in which
 * many triangles have changed are rebuilt afterwards by the builder of the mesh: a part of few
 * triangles whole, of a larger one often only the top (maintain.c). So each part is nearly as good
 * as when built, at a cost in proportion to the changes. If memory for that runs out, the part
 * stays as it is until a later edit touches it. */
#ifndef MO_MESH_EDIT_EDIT_H
#define MO_MESH_EDIT_EDIT_H

#include "mesh/build/build.h"

/* Data of a node that only editable meshes have. */
typedef struct mo_edit_node {
  uint32_t count;                     /* triangles below it */
  uint32_t changes_since_top_rebuild; /* triangles inserted and removed in its subtree since the
                       last rebuild of its top or of all of it */
  uint32_t
      changes_since_whole_rebuild; /* triangles inserted and removed in its subtree since the last
                rebuild of all of it; a lower bound if a rebuild above it has dropped the count */
  uint8_t height;                  /* levels of nodes in its subtree, itself included */
  bool touched;                    /* changed by the current edit */
} mo_edit_node;

/* Data of a block that only editable meshes have. `length` and `capacity` are known of the first
 * block of a leaf: a long leaf has spare blocks, so adding a triangle takes constant time on
 * average. */
typedef struct mo_edit_block {
  uint32_t leaf;     /* its leaf, node << 3 | slot; MO_NONE if it is free or spare */
  uint32_t length;   /* blocks with triangles */
  uint32_t capacity; /* blocks, with the spare ones that follow */
  bool changed;      /* the leaf has been changed by the current edit */
} mo_edit_block;

/* An edge in a chain of edges whose hashes share a bucket. */
typedef struct mo_edge_link {
  uint32_t hash;
  uint32_t next;     /* number of the next edge, three per triangle; MO_NONE for the last */
  uint32_t previous; /* number of the previous edge; MO_NONE for the first */
} mo_edge_link;

/* Free runs of blocks are in lists by length; longer ones are split. */
enum { MO_MAX_FREE_RUN = 32 };

/* Runs of at most this many blocks have no spare blocks; longer ones grow by half. */
enum { MO_MAX_EXACT_RUN = 4 };

/* By triangle: three vertices, or of a removed triangle, first the next one that is free; and for
 * each corner, the next and the previous corner of the same vertex (three corners per triangle), or
 * MO_NONE. */
typedef struct mo_edit_triangle {
  uint32_t vertex[3];
  uint32_t next_corner[3], previous_corner[3];
  uint32_t item; /* its number among the items of the current edit, or MO_NONE */
} mo_edit_triangle;

typedef struct mo_edit_links {
  mo_edge_link edge[3];
} mo_edit_links;

typedef struct mo_edit_vertex {
  mo_vec3 position;
  uint32_t first_corner; /* a corner of a triangle that uses it, or MO_NONE */
} mo_edit_vertex;

/* A triangle that an edit changes. */
typedef struct mo_edit_item {
  uint32_t triangle; /* MO_NONE: a triangle to be added */
  uint32_t vertex[3];
  mo_triangle_place place; /* where its new version is stored, once inserted */
  bool is_removed;
} mo_edit_item;

struct mo_mesh_editing {
  mo_edit_item *items; /* the triangles that the current edit changes */
  mo_edit_triangle *triangles;
  mo_edit_links *links; /* by triangle; null without edges */
  uint32_t *buckets;    /* first edges of chains, by the lowest bits of hashes; a power of two */
  mo_edit_vertex *vertices;
  mo_edit_node *nodes;   /* by node */
  mo_edit_block *blocks; /* by block */
  uint32_t triangle_capacity, link_capacity, bucket_count, vertex_capacity, node_capacity,
      block_capacity;
  uint32_t live_count;    /* triangles that exist */
  uint32_t free_triangle; /* the triangle removed last, head of a free list; or MO_NONE */
  uint32_t free_node;     /* head of the list of free nodes, linked by `count`; or MO_NONE */
  uint32_t free_node_count;
  uint32_t free_runs[MO_MAX_FREE_RUN +
                     1]; /* by length: first run of a list, linked by the first id, or MO_NONE */
  uint32_t free_block_count; /* blocks without triangles: in free runs, or spare */
};

/* --- edit.c --- */

/* Makes a newly built mesh editable. Error: MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_mesh_make_editable(mo_mesh *mesh, const mo_mesh_def *def);

void mo_editing_destroy(mo_mesh *mesh);
size_t mo_editing_bytes(const mo_mesh *mesh);

/* The free capacity of the arrays of a new editable mesh beyond `count` items. */
static inline uint32_t mo_edit_spare_capacity(uint32_t count) {
  return count / 8;
}

/* The number of triangles that exist. */
static inline uint32_t mo_editing_live_triangle_count(const mo_mesh *mesh) {
  return mesh->editing != NULL ? mesh->editing->live_count : mesh->triangle_count;
}

/* The number of nodes that are not in the octree. */
static inline uint32_t mo_editing_free_node_count(const mo_mesh *mesh) {
  return mesh->editing != NULL ? mesh->editing->free_node_count : 0;
}

/* Finds a broken invariant of an editable mesh: what it is, and where. Null if there is none
 * (check.c). */
const char *mo_editing_find_corruption(const mo_mesh *mesh, uint32_t *where);

/* --- storage.c: nodes, runs of blocks, and the arrays by triangle and vertex --- */

/* Reserve memory, so that the next allocations cannot fail. On failure nothing changes but
 * capacities. */
bool mo_edit_reserve_nodes(mo_mesh *mesh, uint32_t count);
bool mo_edit_reserve_blocks(mo_mesh *mesh, uint32_t count);
bool mo_edit_reserve_triangles(mo_mesh *mesh, uint32_t triangles, uint32_t vertices);

/* An uninitialised node; a run of `length` blocks, with memory for `capacity`, for a leaf. */
uint32_t mo_edit_allocate_node(mo_mesh *mesh);
uint32_t mo_edit_allocate_run(mo_mesh *mesh, uint32_t length, uint32_t capacity);
void mo_edit_free_node(mo_mesh *mesh, uint32_t node);
void mo_edit_free_run(mo_mesh *mesh, uint32_t first);

/* Adds a spare block to the leaf that begins with a block; takes the last one from it. */
void mo_edit_extend_run(mo_mesh *mesh, uint32_t first);
void mo_edit_shorten_run(mo_mesh *mesh, uint32_t first);

/* mo_edit_free_memory frees the arrays by node and block; mo_edit_clear_memory begins without any,
 * and without free nodes and blocks. */
void mo_edit_free_memory(const mo_mesh *mesh);
void mo_edit_clear_memory(mo_mesh_editing *editing);

/* --- tree.c --- */

/* During an edit, the id of a lane with an inserted form of a triangle is its item in the edit with
 * this flag, as editable meshes have no duplicates. */
#define MO_LANE_PENDING MO_LANE_DUPLICATED

/* Inserts a triangle as a lane with an id. `*place` receives its place. False if
 * out of memory; then the octree is unchanged. */
bool mo_edit_insert(mo_mesh *mesh, uint32_t id, const mo_vec3 corners[3], mo_triangle_place *place);

/* Removes a lane. Another one may move to its place. Nodes without children, or with one, are
 * removed too. Boxes stay as they are until mo_edit_tighten. */
void mo_edit_remove(mo_mesh *mesh, mo_triangle_place place);

/* Makes the boxes above all leaves that the edit has changed tight. */
void mo_edit_tighten(mo_mesh *mesh);

/* Changes the id of a lane. */
void mo_edit_set_id(mo_mesh *mesh, mo_triangle_place place, uint32_t id);

/* The number of blocks of a leaf of an editable mesh. */
static inline uint32_t mo_edit_leaf_block_count(const mo_mesh *mesh, uint32_t first) {
  return mesh->editing->blocks[first].length;
}

/* Stores a child in a slot of a node, and the slot in the child. */
void mo_edit_attach(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t child);

/* Sets count, changes and height of a node from its children. */
void mo_edit_count_node(mo_mesh *mesh, uint32_t node);

/* Sets the heights of a node and of all above it. */
void mo_edit_update_heights(mo_mesh *mesh, uint32_t node);

/* --- maintain.c --- */

/* Rebuilds what the edit has made bad; no part of more than `max` triangles whole. */
void mo_edit_maintain(mo_mesh *mesh, uint32_t max);

/* --- adjacency.c: edges and sheets --- */

/* The edges that an edit changes. */
typedef struct mo_edit_changed_edges {
  uint32_t triangle_count; /* triangles of the edit */
  uint64_t *hashes;        /* of the edges; and as much memory to sort them */
  uint32_t count, capacity;
} mo_edit_changed_edges;

/* Begins an edit of some triangles. False if out of memory. */
bool mo_edit_changed_edges_begin(mo_edit_changed_edges *changed_edges, const mo_mesh *mesh,
                                 uint32_t triangles);
void mo_edit_changed_edges_end(mo_edit_changed_edges *changed_edges, const mo_mesh *mesh);

/* Take the edges of a triangle out of the table of edges, or put them in, by its present
 * corners. */
void mo_edit_remove_edges(mo_mesh *mesh, mo_edit_changed_edges *changed_edges, uint32_t triangle);
void mo_edit_add_edges(mo_mesh *mesh, mo_edit_changed_edges *changed_edges, uint32_t triangle);

/* Makes the table of edges large enough for a number of triangles. False if out of memory; then
 * nothing has changed. */
bool mo_edit_resize_buckets(mo_mesh *mesh, uint32_t triangles);

/* After the edges of all changed triangles have been linked: classifies all edges with their
 * hashes, and updates the sheets. `changed` has the items of the edit; those that have been removed
 * are skipped. */
void mo_edit_update_surface(mo_mesh *mesh, mo_edit_changed_edges *changed_edges,
                            const mo_edit_item *changed);

#endif
