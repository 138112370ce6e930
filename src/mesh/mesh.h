/* The internal data of a mesh: its triangles, and the triangle octree over them.
 *
 * A node is split by up to seven nested planes (octree/order.h), so the front-to-back order of its
 * slots along a ray depends only on the signs of the ray's direction, and is stored in the node as
 * one permutation for each combination of signs. */
#ifndef MO_MESH_MESH_H
#define MO_MESH_MESH_H

#include <motte/mesh.h>
#include <stdatomic.h>

#include "base/assert.h"
#include "geometry/ray/init.h"
#include "geometry/triangle/degenerate.h"
#include "math/check.h"
#include "math/dop.h"
#include "octree/order.h"

typedef struct mo_mesh_node {
  mo_bounds8 bounds;
  uint32_t child[MO_LANE_COUNT];
  /* By sign mask (bit a is set if the ray's direction is negative on axis a), for masks below 4:
   * the slots in front-to-back order as eight nibbles, the first visited in the lowest. The
   * opposite direction uses the reverse: mo_mesh_slot_order. */
  uint32_t order[4];
  uint32_t any_hit_order; /* slot order for any-hit rays: greatest expected hits per cost first */
  uint32_t unused[3];
} mo_mesh_node;

/* The slots of a node in front-to-back order for a sign mask. */
static inline uint32_t mo_mesh_slot_order(const uint32_t order[4], uint32_t signs) {
  if (signs < 4) {
    return order[signs];
  }
  uint32_t bytes = __builtin_bswap32(order[7 - signs]);
  return (bytes & 0x0f0f0f0fu) << 4 | (bytes >> 4 & 0x0f0f0f0fu);
}

/* The split planes of a node, and its place in the tree. Stored in a separate array, as most
 * queries do not read them. */
typedef struct mo_mesh_planes {
  mo_nested_planes nested;
  uint8_t depth;   /* the root is at 0 */
  uint32_t parent; /* node index << 3 | slot; MO_NONE for the root */
} mo_mesh_planes;

_Static_assert(MO_MESH_MAX_DEPTH < 256, "a depth takes a byte");

/* Eight triangles in structure-of-arrays form: a row for each corner and axis. Lanes without a
 * triangle repeat lane 0 with the id MO_LANE_EMPTY. A leaf is a run of consecutive blocks that ends
 * with a block marked as last. */
typedef struct mo_triangle_block {
  /* The first member, as the first cache line of a block is needed in any case. Arrays of blocks
   * are aligned to cache lines; uncompressed blocks in a compact mesh only for vector loads. */
  alignas(32) uint32_t id[MO_LANE_COUNT];
  float corner[3][3][MO_LANE_COUNT]; /* [corner][axis][lane] */
} mo_triangle_block;

#define MO_LANE_TRIANGLE 0x3fffffffu        /* mask of the triangle's index */
#define MO_LANE_EMPTY 0x3fffffffu           /* as an index: no triangle */
#define MO_LANE_DUPLICATED 0x40000000u      /* the triangle is referenced from other leaves too */
#define MO_LANE_LAST_BLOCK 0x80000000u      /* in lane 0: the last block of the leaf */
#define MO_LANE_SOME_DUPLICATED 0x80000000u /* in lane 1: some lane of the block is duplicated */
/* In lane 2: some triangle of the block is degenerate, or (in deformable meshes) may be, so hits in
 * the block are examined again. A triangle counts as degenerate by its corners in the mesh,
 * whatever the transform of the shape. Under a singular transform, however, rays are tested in the
 * world, and the corners rounded there decide. */
#define MO_LANE_SOME_DEGENERATE 0x80000000u

/* Returns those of `lanes` whose triangles are not degenerate, as rays hit no others. `corner` has
 * the corners of the block, or their world positions. Only called after a hit, which is
 * rare. */
static inline uint32_t mo_nondegenerate_lanes(const mo_triangle_block *block,
                                              const float (*corner)[3][8], uint32_t lanes) {
  bool in_world = corner != block->corner;
  if (__builtin_expect(in_world || (block->id[2] & MO_LANE_SOME_DEGENERATE), 0)) {
    lanes &= ~mo_degenerate_lanes(corner, lanes);
  }
  return lanes;
}

static inline mo_vec3 mo_block_corner(const mo_triangle_block *block, int i, uint32_t lane) {
  return mo_vec(block->corner[i][0][lane], block->corner[i][1][lane], block->corner[i][2][lane]);
}

/* The corners of the triangle in a lane. */
static inline void mo_block_triangle(const mo_triangle_block *block, uint32_t lane,
                                     mo_vec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_block_corner(block, i, lane);
  }
}

/* One of several references to a triangle: the slot of the leaf that contains it. */
typedef struct mo_duplicate {
  uint32_t triangle;
  uint32_t node;
  uint32_t slot;
} mo_duplicate;

typedef struct mo_deformation mo_deformation;
typedef struct mo_mesh_editing mo_mesh_editing;
typedef struct mo_segment_entry_points mo_segment_entry_points;
struct mo_mesh_ray_kernels;

/* The memory format of the octree. */
typedef enum mo_mesh_format {
  MO_MESH_FULL,    /* exact boxes and corners: what builders make, and what can be changed */
  MO_MESH_COMPACT, /* quantised boxes and shared vertices (mesh/format/compact.h) */
  MO_MESH_HEIGHT,  /* a height field: everything is computed from samples (mesh/format/height.h) */
  MO_MESH_FORMAT_COUNT,
} mo_mesh_format;

/* Where a triangle is stored: block << 3 | lane; in compact meshes unit << 3 | lane. */
typedef uint32_t mo_triangle_place;

typedef struct mo_compact_node mo_compact_node;
typedef struct mo_compact_unit mo_compact_unit;
typedef struct mo_height_field mo_height_field;

struct mo_mesh {
  atomic_uint references; /* reference count */
  mo_host host;
  mo_isa isa;
  mo_mesh_build_options build;
  mo_mesh_format format;
  const struct mo_mesh_ray_kernels *rays; /* ray kernels for the instruction set and the format */

  /* By triangle: the place of one of its references, from which its corners are read; MO_NONE if an
   * edit has removed it. Read by mo_mesh_triangle_place. */
  mo_triangle_place *triangle_places;
  uint32_t *user_data; /* one per triangle, or null; read by mo_mesh_user_data */
  uint8_t *edges;      /* by triangle, two bits per edge: see mo_edge_at; null if not built */
  /* By triangle: number of its sheet << 1 | whether it faces the other way than the sheet's front;
   * null if `edges` is. A sheet is a part connected by edges of exactly two triangles. Its
   * number and its front are those of its lowest triangle, unless the mesh was edited. Read by
   * mo_mesh_oriented_sheet. */
  uint32_t *sheets;
  uint32_t edges_capacity, sheets_capacity;
  /* 1 if all sheets are closed and their fronts are outside, -1 if their backs are, 0 if that is
   * not known, as of meshes that can be edited. Read by mo_mesh_outer_side. */
  int8_t outer_side;
  bool has_one_sided_sheet; /* the triangles of some sheet cannot agree on a front, as in a Moebius
                               strip; false if not known */
  uint32_t triangle_count, triangle_capacity; /* edited meshes: removed triangles are counted too */
  uint32_t vertex_count;
  uint32_t degenerate_count; /* degenerate triangles when built; not updated by refitting */

  mo_aabb bounds;
  mo_vec3 reach; /* the largest magnitude of a coordinate per axis; zero for an empty mesh */
  mo_ray_fast_limits ray_limits; /* computed from reach */
  mo_mesh_node *nodes; /* node 0 is the root; in a mesh without triangles it has no children */
  mo_mesh_planes *planes;
  uint32_t node_count, node_capacity, planes_capacity;
  mo_triangle_block *blocks;
  uint32_t block_count, block_capacity;

  mo_compact_node *compact_nodes; /* array of node_count nodes; null in the full format */
  mo_compact_unit *units;         /* blocks of a compact mesh, in units of 32 bytes */
  uint32_t unit_count;

  mo_height_field *height; /* null unless the format is MO_MESH_HEIGHT */

  mo_segment_entry_points *segment_entry_points; /* entry set (segment_entries.h), or null */

  /* The references of triangles that have several, sorted by (triangle, node, slot); see
   * mesh/rays/leaf.h. */
  mo_duplicate *duplicates;
  uint32_t duplicate_count, duplicate_capacity;

  /* Top-down meshes: leaves are runs of 2^i blocks, so that they can grow. Freed runs are in free
   * lists by size, linked through the first id of their first block. */
  uint32_t free_block_runs[32];

  mo_deformation *deformation; /* null unless the mesh is deformable; see mesh/refit/refit.h */
  mo_mesh_editing *editing;    /* null unless the mesh is editable; see mesh/edit/edit.h */

  uint32_t depth; /* depth of the deepest leaf */
  double build_seconds;

  mo_dop dop; /* bounding polytope of all triangles; empty if the mesh may change */
};

/* The host that receives log messages; null if there is no mesh. */
static inline const mo_host *mo_mesh_host(const mo_mesh *mesh) {
  return mesh != NULL ? &mesh->host : NULL;
}

/* Of height fields (mesh/format/height.c): as the functions of the same names below. */
uint32_t mo_height_node_index(const mo_height_field *field, uint32_t node);
mo_triangle_place mo_height_triangle_place(const mo_height_field *field, uint32_t triangle);
void mo_height_corners_at(const mo_height_field *field, mo_triangle_place place,
                          mo_vec3 corners[3]);
uint32_t mo_height_material_of(const mo_height_field *field, uint32_t triangle);
mo_mesh_edge mo_height_edge_at(const mo_height_field *field, uint32_t triangle, int edge);
bool mo_height_edge_is_open(const mo_height_field *field, uint32_t triangle, int edge);
bool mo_height_has_open_edge(const mo_height_field *field, uint32_t triangle);
uint32_t mo_height_sheet_of(const mo_height_field *field, uint32_t triangle);
bool mo_height_has_triangle(const mo_height_field *field, uint32_t triangle);

/* The user data of a triangle; 0 if the mesh has none. */
static inline uint32_t mo_mesh_user_data(const mo_mesh *mesh, uint32_t triangle) {
  if (mesh->user_data != NULL) {
    return mesh->user_data[triangle];
  }
  return mesh->height != NULL ? mo_height_material_of(mesh->height, triangle) : 0;
}

/* The index of a node in arrays with one element per node. */
static inline uint32_t mo_mesh_node_index(const mo_mesh *mesh, uint32_t node) {
  return mesh->height == NULL ? node : mo_height_node_index(mesh->height, node);
}

/* Whether a triangle exists. Those of holes in height fields, and those that edits have removed, do
 * not. */
static inline bool mo_mesh_has_triangle(const mo_mesh *mesh, uint32_t triangle) {
  return triangle < mesh->triangle_count &&
         (mesh->height == NULL ? mesh->triangle_places[triangle] != MO_NONE
                               : mo_height_has_triangle(mesh->height, triangle));
}

/* Why a triangle whose number is below the count does not exist, for the log. */
static inline const char *mo_mesh_missing_reason(const mo_mesh *mesh) {
  return mesh->height != NULL ? "is in a hole" : "has been removed";
}

/* Whether the mesh knows how its triangles are connected (mo_edge_at), so that contacts treat them
 * as one surface. */
static inline bool mo_mesh_is_surface(const mo_mesh *mesh) {
  return mesh->edges != NULL || mesh->height != NULL;
}

/* The sheet of a triangle, and whether it faces the other way; see mo_mesh::sheets. */
static inline uint32_t mo_mesh_oriented_sheet(const mo_mesh *mesh, uint32_t triangle) {
  MO_ASSERT(mo_mesh_is_surface(mesh) && triangle < mesh->triangle_count);
  return mesh->sheets != NULL ? mesh->sheets[triangle] : mo_height_sheet_of(mesh->height, triangle);
}

/* 1: the outside of a closed mesh is in front of a triangle by its winding, -1: behind it, 0: not
 * known. */
static inline int mo_mesh_outer_side(const mo_mesh *mesh, uint32_t triangle) {
  return mesh->outer_side == 0                               ? 0
         : (mo_mesh_oriented_sheet(mesh, triangle) & 1) != 0 ? -mesh->outer_side
                                                             : mesh->outer_side;
}

/* Checks the numbers and pointers of a def, which `refusal` names for the log; not the positions
 * and indices. `*isa` receives the instruction set. */
mo_result mo_mesh_check_def(const mo_mesh_def *def, const mo_refusal *refusal, mo_isa *isa);

/* A mesh without triangles, with one reference; null if out of memory. */
mo_mesh *mo_mesh_allocate(const mo_host *host, mo_isa isa, const mo_mesh_build_options *build);

/* Reserves capacity for the places and user data of `count` more triangles. On failure nothing
 * changes. */
mo_result mo_mesh_reserve_triangles(mo_mesh *mesh, uint32_t count, bool with_user_data);

/* Sets the bounds, and the reach and ray limits that are computed from them. */
static inline void mo_mesh_set_bounds(mo_mesh *mesh, mo_aabb bounds) {
  mesh->bounds = bounds;
  bool empty = mo_aabb_is_empty(bounds);
  mesh->reach = empty ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_max_coordinates(bounds);
  mesh->ray_limits =
      mo_ray_fast_limits_for(mo_max(mo_max(mesh->reach.x, mesh->reach.y), mesh->reach.z), 1.0f);
}

/* Computes the bounding polytope (k-DOP) of a mesh that has been built. */
void mo_mesh_make_dop(mo_mesh *mesh);

/* The support of all triangles of a mesh, which is not empty: a mo_dop_support. */
double mo_mesh_support(const void *mesh, mo_dvec3 middle, mo_dvec3 direction);

/* The world AABB of a mesh under a transform, rounded outward; the mesh must have triangles.
 * Coordinates beyond the range of float are not finite in the result. */
static inline mo_aabb mo_mesh_image_bounds(const mo_mesh *mesh, const mo_affine *affine) {
  return mo_aabb_is_empty(mesh->dop.box) ? mo_affine_aabb_to_world(affine, mesh->bounds)
                                         : mo_dop_to_world(&mesh->dop, affine);
}

/* Capacity of traversal stacks: per level at most seven siblings of the current node are
 * pending. */
enum { MO_MESH_STACK_CAPACITY = 7 * MO_MESH_MAX_DEPTH + 8 };

/* As mo_mesh_corners_at, for compact meshes (mesh/format/compact.c). */
void mo_compact_corners_at(const mo_mesh *mesh, mo_triangle_place place, mo_vec3 corners[3]);

/* The corners of the triangle at a place. */
static inline void mo_mesh_corners_at(const mo_mesh *mesh, mo_triangle_place place,
                                      mo_vec3 corners[3]) {
  switch (mesh->format) {
  case MO_MESH_FULL:
    MO_ASSERT(place >> 3 < mesh->block_count);
    mo_block_triangle(&mesh->blocks[place >> 3], place & 7, corners);
    return;
  case MO_MESH_COMPACT:
    mo_compact_corners_at(mesh, place, corners);
    return;
  case MO_MESH_HEIGHT:
    mo_height_corners_at(mesh->height, place, corners);
    return;
  case MO_MESH_FORMAT_COUNT:
    break;
  }
  __builtin_unreachable();
}

/* The place of one of the references of a triangle: block << 3 | lane. */
static inline mo_triangle_place mo_mesh_triangle_place(const mo_mesh *mesh, uint32_t triangle) {
  MO_ASSERT(triangle < mesh->triangle_count);
  return mesh->height == NULL ? mesh->triangle_places[triangle]
                              : mo_height_triangle_place(mesh->height, triangle);
}

static inline void mo_mesh_corners(const mo_mesh *mesh, uint32_t triangle, mo_vec3 corners[3]) {
  mo_mesh_corners_at(mesh, mo_mesh_triangle_place(mesh, triangle), corners);
}

/* For loops over all triangles: reads the corners of the first one from index `*triangle` on, which
 * becomes its index; false if there is none. */
static inline bool mo_mesh_find_triangle(const mo_mesh *mesh, uint32_t *triangle,
                                         mo_vec3 corners[3]) {
  while (*triangle < mesh->triangle_count && !mo_mesh_has_triangle(mesh, *triangle)) {
    ++*triangle;
  }
  if (*triangle < mesh->triangle_count) {
    mo_mesh_corners(mesh, *triangle, corners);
  }
  return *triangle < mesh->triangle_count;
}

/* How the surface continues across edge 0, 1 or 2 of a triangle of a mesh that is a surface. The
 * lower bit says that the edge is a ridge as seen from the front, the upper bit that it is a ridge
 * as seen from behind. */
static inline mo_mesh_edge mo_edge_at(const mo_mesh *mesh, uint32_t triangle, int edge) {
  MO_ASSERT(mo_mesh_is_surface(mesh) && triangle < mesh->triangle_count && edge >= 0 && edge < 3);
  return mesh->edges != NULL ? (mo_mesh_edge)(mesh->edges[triangle] >> 2 * edge & 3)
                             : mo_height_edge_at(mesh->height, triangle, edge);
}

/* Whether mo_edge_at is MO_MESH_EDGE_OPEN, which height fields find much faster. */
static inline bool mo_edge_is_open(const mo_mesh *mesh, uint32_t triangle, int edge) {
  return mesh->edges != NULL ? mo_edge_at(mesh, triangle, edge) == MO_MESH_EDGE_OPEN
                             : mo_height_edge_is_open(mesh->height, triangle, edge);
}

static inline bool mo_has_open_edge(const mo_mesh *mesh, uint32_t triangle) {
  if (mesh->edges == NULL) {
    return mo_height_has_open_edge(mesh->height, triangle);
  }
  bool open = false;
  for (int i = 0; i < 3; i++) {
    open = open || mo_edge_is_open(mesh, triangle, i);
  }
  return open;
}

/* The index of a triangle's first entry in the table of duplicates, or where it would be
 * inserted. */
static inline uint32_t mo_mesh_first_duplicate(const mo_mesh *mesh, uint32_t triangle) {
  uint32_t lower = 0, upper = mesh->duplicate_count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    if (mesh->duplicates[middle].triangle < triangle) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower;
}

/* The vertex index of corner i; corners are numbered through all triangles, three per triangle. */
static inline uint32_t mo_vertex_index_at(const mo_mesh_def *def, size_t i) {
  switch (def->index_type) {
  case MO_INDEX_U16:
    return ((const uint16_t *)def->indices)[i];
  case MO_INDEX_U32:
    return ((const uint32_t *)def->indices)[i];
  case MO_INDEX_NONE:
    break;
  }
  return (uint32_t)i;
}

#endif
