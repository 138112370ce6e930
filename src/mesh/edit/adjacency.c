/* Edges and sheets of editable meshes: afterwards they are as if found anew for all triangles.
 *
 * A hash table has all edges by the positions of their ends, so that an edit finds the neighbours
 * of the triangles that it changes. Which triangles are connected changes only there. So the sheets
 * are updated by a search of the surface from these triangles. If it connects all of them that are
 * of one sheet, the sheet is still one, and new triangles get its number. In other cases, when
 * sheets are split or merged, or where the search would take too long, all sheets are found anew.
 * (That numbers of sheets may then not be those of their lowest triangles, changes no answer.) */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "mesh/build/edges.h"
#include "mesh/edit/edit.h"

/* A triangle in a search of the surface. */
typedef struct mo_sheet_visit {
  uint32_t triangle; /* MO_NONE: the entry is empty */
  uint32_t sheet;    /* once visited: the sheet that it is on, as in mo_mesh::sheets */
  /* Once visited: another entry that is connected with it, or itself (a tree of union-find). */
  uint32_t parent;
  bool is_seed; /* the triangle or one of its edges has changed */
  bool is_new;  /* the triangle has no valid sheet yet */
  bool is_visited;
} mo_sheet_visit;

/* A search visits at most this many triangles per triangle of the edit, or MIN_VISITS. */
enum { VISITS_PER_TRIANGLE = 32, MIN_VISITS = 2048 };

/* If an edit changes at least 1 / this of the triangles of the mesh, all sheets are found anew. */
enum { WHOLE_SEARCH_DIVISOR = 4 };

static uint32_t power_of_two_from(uint64_t min) {
  uint64_t size = 16;
  while (size < min && size < (UINT64_C(1) << 31)) {
    size *= 2;
  }
  return (uint32_t)size;
}

bool mo_edit_changed_edges_begin(mo_edit_changed_edges *s, const mo_mesh *mesh,
                                 uint32_t triangles) {
  const uint64_t capacity = mesh->build.edges ? 6 * (uint64_t)triangles : 0;
  *s = (mo_edit_changed_edges){.triangle_count = triangles, .capacity = (uint32_t)capacity};
  if (capacity <= UINT32_MAX) {
    s->hashes = mo_allocate(&mesh->host.allocator, 2 * (size_t)capacity, sizeof *s->hashes);
  }
  return s->hashes != NULL || capacity == 0;
}

void mo_edit_changed_edges_end(mo_edit_changed_edges *s, const mo_mesh *mesh) {
  mo_deallocate(&mesh->host.allocator, s->hashes, 2 * (size_t)s->capacity, sizeof *s->hashes);
}

/* --- the table of edges --- */

static mo_edge_link *link_of(const mo_mesh *mesh, uint32_t edge) {
  return &mesh->editing->links[edge / 3].edge[edge % 3];
}

static uint32_t *bucket_of(const mo_mesh *mesh, uint32_t hash) {
  return &mesh->editing->buckets[hash & (mesh->editing->bucket_count - 1)];
}

/* Puts an edge first into the chain of its hash. */
static void add_edge_to_chain(mo_mesh *mesh, uint32_t edge) {
  mo_edge_link *link = link_of(mesh, edge);
  uint32_t *bucket = bucket_of(mesh, link->hash);
  if (*bucket != MO_NONE) {
    link_of(mesh, *bucket)->previous = edge;
  }
  link->next = *bucket;
  link->previous = MO_NONE;
  *bucket = edge;
}

static void remove_edge_from_chain(mo_mesh *mesh, uint32_t edge) {
  const mo_edge_link *link = link_of(mesh, edge);
  if (link->next != MO_NONE) {
    link_of(mesh, link->next)->previous = link->previous;
  }
  if (link->previous != MO_NONE) {
    link_of(mesh, link->previous)->next = link->next;
  } else {
    *bucket_of(mesh, link->hash) = link->next;
  }
}

bool mo_edit_resize_buckets(mo_mesh *mesh, uint32_t triangles) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  const uint32_t count = power_of_two_from(triangles + (uint64_t)triangles / 2);
  if (count <= e->bucket_count) {
    return true;
  }
  uint32_t *old = e->buckets;
  const uint32_t old_count = e->bucket_count;
  uint32_t *buckets = mo_allocate(allocator, count, sizeof *buckets);
  if (buckets == NULL) {
    return false;
  }
  memset(buckets, 0xff, count * sizeof *buckets);
  e->buckets = buckets;
  e->bucket_count = count;
  for (uint32_t i = 0; i < old_count; i++) {
    for (uint32_t edge = old[i], next; edge != MO_NONE; edge = next) {
      next = link_of(mesh, edge)->next;
      add_edge_to_chain(mesh, edge);
    }
  }
  mo_deallocate(allocator, old, old_count, sizeof *old);
  return true;
}

/* Notes that edges with a hash change; `changed_edges` is null when a mesh is made editable. */
static void add_changed_edge(mo_edit_changed_edges *changed_edges, uint32_t hash) {
  if (changed_edges != NULL) {
    MO_ASSERT(changed_edges->count < changed_edges->capacity);
    changed_edges->hashes[changed_edges->count++] = hash;
  }
}

void mo_edit_add_edges(mo_mesh *mesh, mo_edit_changed_edges *changed_edges, uint32_t triangle) {
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  for (uint32_t i = 0; i < 3; i++) {
    mo_edge_link *link = link_of(mesh, 3 * triangle + i);
    link->hash = mo_edge_hash(corners[i], corners[(i + 1) % 3]);
    add_edge_to_chain(mesh, 3 * triangle + i);
    add_changed_edge(changed_edges, link->hash);
  }
}

void mo_edit_remove_edges(mo_mesh *mesh, mo_edit_changed_edges *changed_edges, uint32_t triangle) {
  for (uint32_t i = 0; i < 3; i++) {
    remove_edge_from_chain(mesh, 3 * triangle + i);
    add_changed_edge(changed_edges, link_of(mesh, 3 * triangle + i)->hash);
  }
}

/* All edges with a hash; if they are more than MO_MAX_EDGES_WITH_ONE_HASH, only the first, and
 * `count` is larger. */
typedef struct edge_group {
  mo_edge_corners edges[MO_MAX_EDGES_WITH_ONE_HASH];
  uint32_t count;
} edge_group;

static void load_group(const mo_mesh *mesh, uint32_t hash, edge_group *group) {
  group->count = 0;
  for (uint32_t edge = *bucket_of(mesh, hash);
       edge != MO_NONE && group->count <= MO_MAX_EDGES_WITH_ONE_HASH;) {
    const mo_edge_link *link = link_of(mesh, edge);
    if (link->hash == hash) {
      if (group->count < MO_MAX_EDGES_WITH_ONE_HASH) {
        mo_vec3 c[3];
        mo_mesh_corners(mesh, edge / 3, c);
        group->edges[group->count] =
            (mo_edge_corners){c[edge % 3], c[(edge + 1) % 3], c[(edge + 2) % 3], edge};
      }
      group->count++;
    }
    edge = link->next;
  }
}

static void set_edge(mo_mesh *mesh, uint32_t edge, uint32_t kind) {
  uint8_t *edges = &mesh->edges[edge / 3];
  const uint32_t shift = 2 * (edge % 3);
  *edges = (uint8_t)((*edges & ~(3u << shift)) | kind << shift);
}

/* Classifies all edges with a hash. */
static void classify_hash(mo_mesh *mesh, uint32_t hash) {
  edge_group group;
  load_group(mesh, hash, &group);
  if (group.count <= MO_MAX_EDGES_WITH_ONE_HASH) {
    for (uint32_t i = 0; i < group.count; i++) {
      uint32_t neighbor;
      set_edge(mesh, group.edges[i].number,
               mo_classify_edge(group.edges, group.count, i, &neighbor));
    }
    return;
  }
  for (uint32_t edge = *bucket_of(mesh, hash); edge != MO_NONE;) {
    const mo_edge_link *link = link_of(mesh, edge);
    if (link->hash == hash) {
      set_edge(mesh, edge, MO_MESH_EDGE_OPEN);
    }
    edge = link->next;
  }
}

/* The only other edge with the ends of an edge, or MO_NONE. `*same_way`: whether both run the same
 * way. */
static uint32_t find_neighbor(const mo_mesh *mesh, uint32_t edge, bool *same_way) {
  edge_group group;
  load_group(mesh, link_of(mesh, edge)->hash, &group);
  if (group.count > MO_MAX_EDGES_WITH_ONE_HASH) {
    return MO_NONE;
  }
  uint32_t own = 0, other;
  while (group.edges[own].number != edge) {
    own++;
  }
  (void)mo_classify_edge(group.edges, group.count, own, &other);
  if (other == MO_NONE) {
    return MO_NONE;
  }
  *same_way = mo_is_same(group.edges[own].a, group.edges[other].a);
  return group.edges[other].number;
}

/* --- sheets --- */

/* Finds the sheets of all triangles anew, in the order of mo_mesh_find_edges. */
static void find_all_sheets(mo_mesh *mesh) {
  mesh->has_one_sided_sheet = false;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mesh->sheets[i] = i << 1;
  }
  for (uint32_t edge = 0; edge < 3 * mesh->triangle_count; edge++) {
    bool same_way;
    if (!mo_mesh_has_triangle(mesh, edge / 3)) {
      continue;
    }
    const uint32_t other = find_neighbor(mesh, edge, &same_way);
    if (other != MO_NONE && other > edge) {
      mesh->has_one_sided_sheet |= !mo_sheets_unite(mesh->sheets, edge / 3, other / 3, same_way);
    }
  }
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mesh->sheets[i] = mo_sheets_find(mesh->sheets, i);
  }
}

/* A search of the surface from the triangles that an edit has changed, and their neighbours. It is
 * a breadth-first search from all of these that have a sheet, so that searches from the same sheet
 * soon join. */
typedef struct sheet_search {
  mo_mesh *mesh;
  const mo_edit_changed_edges *changed_edges;
  mo_sheet_visit *visits; /* a hash table; `table_size` is a power of two */
  uint32_t *queue;        /* `max_entries` entries of the table */
  uint32_t table_size, max_entries;
  uint32_t entry_count;
  uint32_t queued_count, processed_count;
  uint32_t seeds_left;  /* seeds that have not been processed */
  uint32_t part_count;  /* parts of the surface that are not known to be connected */
  uint32_t sheet_count; /* different sheets of seeds */
} sheet_search;

/* The index of the entry of a triangle, which is added if there is none. MO_NONE if there are too
 * many. */
static uint32_t entry_of(sheet_search *s, uint32_t triangle) {
  const uint32_t mask = s->table_size - 1;
  uint32_t at = (triangle * 0x9e3779b9u >> 8) & mask;
  while (s->visits[at].triangle != triangle) {
    if (s->visits[at].triangle == MO_NONE) {
      if (s->entry_count == s->max_entries) {
        return MO_NONE;
      }
      s->entry_count++;
      s->visits[at] = (mo_sheet_visit){.triangle = triangle, .parent = at};
      break;
    }
    at = (at + 1) & mask;
  }
  return at;
}

static bool add_seed(sheet_search *s, uint32_t triangle, bool is_new) {
  const uint32_t at = entry_of(s, triangle);
  if (at == MO_NONE) {
    return false;
  }
  mo_sheet_visit *entry = &s->visits[at];
  s->seeds_left += !entry->is_seed;
  entry->is_seed = true;
  entry->is_new |= is_new;
  return true;
}

/* Makes all triangles at edges with a hash seeds. */
static bool add_seeds_with_hash(sheet_search *s, uint32_t hash) {
  bool ok = true;
  for (uint32_t edge = *bucket_of(s->mesh, hash); edge != MO_NONE && ok;
       edge = link_of(s->mesh, edge)->next) {
    ok = link_of(s->mesh, edge)->hash != hash || add_seed(s, edge / 3, false);
  }
  return ok;
}

/* Makes the changed triangles, and those at an edge with the hash of a changed one, seeds. */
static bool add_seeds(sheet_search *s, const mo_edit_item *changed, uint32_t count) {
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    ok = changed[i].is_removed || add_seed(s, changed[i].triangle, true);
  }
  for (uint32_t i = 0; i < s->changed_edges->count && ok; i++) {
    ok = add_seeds_with_hash(s, (uint32_t)s->changed_edges->hashes[i]);
  }
  return ok;
}

static void visit(sheet_search *s, uint32_t at, uint32_t parent, uint32_t sheet) {
  mo_sheet_visit *entry = &s->visits[at];
  entry->is_visited = true;
  entry->sheet = sheet;
  entry->parent = parent;
  s->queue[s->queued_count++] = at;
}

/* More different sheets than this are found anew. */
enum { MAX_SEARCHED_SHEETS = 64 };

/* Begins the search at the seeds that have a sheet. False if these have too many different ones. */
static bool begin_at_seeds(sheet_search *s) {
  uint32_t sheets[MAX_SEARCHED_SHEETS];
  for (uint32_t at = 0; at < s->table_size; at++) {
    const mo_sheet_visit *entry = &s->visits[at];
    if (entry->triangle == MO_NONE || entry->is_new) {
      continue;
    }
    const uint32_t stored = s->mesh->sheets[entry->triangle];
    uint32_t i = 0;
    while (i < s->sheet_count && sheets[i] != stored >> 1) {
      i++;
    }
    if (i == MAX_SEARCHED_SHEETS) {
      return false;
    }
    sheets[i] = stored >> 1;
    s->sheet_count += i == s->sheet_count;
    s->part_count++;
    visit(s, at, at, stored);
  }
  return true;
}

static uint32_t find_connected_part(const sheet_search *s, uint32_t at) {
  mo_sheet_visit *visits = s->visits;
  while (visits[at].parent != at) {
    visits[at].parent = visits[visits[at].parent].parent;
    at = visits[at].parent;
  }
  return at;
}

/* Visits a neighbour of an entry. `sheet` is the sheet that it must have, as in mo_mesh::sheets:
 * its number and which side of the triangle is the front. Returns false if it has another. */
static bool visit_neighbor_on_sheet(sheet_search *s, uint32_t from, uint32_t to, uint32_t sheet) {
  const mo_sheet_visit *entry = &s->visits[to];
  if (!entry->is_visited) {
    visit(s, to, from, sheet);
    return entry->is_new || s->mesh->sheets[entry->triangle] == sheet;
  }
  const uint32_t a = find_connected_part(s, from), b = find_connected_part(s, to);
  if (a != b) {
    s->visits[b].parent = a;
    s->part_count--;
  }
  return entry->sheet == sheet;
}

/* Visits the neighbours of an entry. */
static bool visit_neighbors_of_entry(sheet_search *s, uint32_t at) {
  const mo_sheet_visit *entry = &s->visits[at];
  s->seeds_left -= entry->is_seed;
  for (uint32_t i = 0; i < 3; i++) {
    bool same_way;
    const uint32_t other = find_neighbor(s->mesh, 3 * entry->triangle + i, &same_way);
    if (other != MO_NONE) {
      const uint32_t to = entry_of(s, other / 3);
      if (to == MO_NONE || !visit_neighbor_on_sheet(s, at, to, entry->sheet ^ (uint32_t)same_way)) {
        return false;
      }
    }
  }
  return true;
}

/* Searches around the changed triangles, and gives new triangles the sheets found. False if that is
 * not possible; then no sheet has changed. */
static bool search_sheets(sheet_search *s, const mo_edit_item *changed, uint32_t count) {
  memset(s->visits, 0xff, s->table_size * sizeof *s->visits);
  bool ok = add_seeds(s, changed, count) && begin_at_seeds(s);
  while (ok && s->processed_count < s->queued_count &&
         (s->seeds_left > 0 || s->part_count > s->sheet_count)) {
    ok = visit_neighbors_of_entry(s, s->queue[s->processed_count++]);
  }
  if (!ok || s->seeds_left > 0 || s->part_count > s->sheet_count) {
    return false;
  }
  for (uint32_t i = 0; i < s->queued_count; i++) {
    const mo_sheet_visit *entry = &s->visits[s->queue[i]];
    if (entry->is_new) {
      s->mesh->sheets[entry->triangle] = entry->sheet;
    }
  }
  return true;
}

/* Updates the sheets by searching around the changed triangles. False if that is not possible. */
static bool update_sheets(mo_mesh *mesh, const mo_edit_changed_edges *changed_edges,
                          const mo_edit_item *changed) {
  const uint32_t count = changed_edges->triangle_count, live = mesh->editing->live_count;
  const uint64_t visits = (uint64_t)count * VISITS_PER_TRIANGLE,
                 wanted = visits > MIN_VISITS ? visits : MIN_VISITS;
  const mo_allocator *allocator = &mesh->host.allocator;
  sheet_search s = {.mesh = mesh, .changed_edges = changed_edges};
  if (mesh->has_one_sided_sheet || count >= live / WHOLE_SEARCH_DIVISOR) {
    return false;
  }
  s.max_entries = (uint32_t)(wanted < live ? wanted : live);
  s.table_size = power_of_two_from(2 * (uint64_t)s.max_entries);
  s.visits = mo_allocate(allocator, s.table_size, sizeof *s.visits);
  s.queue = mo_allocate(allocator, s.max_entries, sizeof *s.queue);
  const bool ok = s.visits != NULL && s.queue != NULL && search_sheets(&s, changed, count);
  mo_deallocate(allocator, s.visits, s.table_size, sizeof *s.visits);
  mo_deallocate(allocator, s.queue, s.max_entries, sizeof *s.queue);
  return ok;
}

/* Sorts the hashes of the changed edges, and keeps each once. */
static void sort_changed_edges(mo_edit_changed_edges *changed_edges) {
  uint64_t *hashes = changed_edges->hashes;
  uint32_t kept = 0;
  mo_keys_sort(hashes, hashes + changed_edges->capacity, changed_edges->count);
  for (uint32_t i = 0; i < changed_edges->count; i++) {
    if (kept == 0 || hashes[kept - 1] != hashes[i]) {
      hashes[kept++] = hashes[i];
    }
  }
  changed_edges->count = kept;
}

void mo_edit_update_surface(mo_mesh *mesh, mo_edit_changed_edges *changed_edges,
                            const mo_edit_item *changed) {
  if (changed_edges->triangle_count == 0) {
    return;
  }
  sort_changed_edges(changed_edges);
  for (uint32_t i = 0; i < changed_edges->count; i++) {
    classify_hash(mesh, (uint32_t)changed_edges->hashes[i]);
  }
  if (!update_sheets(mesh, changed_edges, changed)) {
    find_all_sheets(mesh);
  }
}
