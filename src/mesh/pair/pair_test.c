/* Queries for pairs of triangles: their preparation, and the exact tests. */
#include "mesh/pair/pair.h"

#include "geometry/distance/distance.h"
#include "geometry/solid/solids.h"
#include "mesh/format/read.h"

/* Terms of the margins, relative to coordinates. In this order: twice the rounding error of
 * transformed points in floats; the tolerance of the exact test; the rounding error of world points
 * in double precision. */
static const double image_rounding = 0x1p-20, touch_tolerance = 0x1p-34, world_rounding = 0x1p-46;

/* A mesh under its transform, for making frames. */
typedef struct placed_mesh {
  mo_dvec3 column[3];
  mo_dvec3 center, half; /* centre and half extents of the local bounds */
  mo_dvec3 middle;       /* the centre in the world */
  double size;           /* size of the bounds in the world */
  double max_term_sum; /* upper bound of the sum of magnitudes of the terms of a world coordinate */
} placed_mesh;

mo_mesh_placement mo_mesh_placement_of(const mo_affine *affine) {
  const mo_transform identity = mo_transform_identity(),
                     *map = affine != NULL ? &affine->to_world : &identity;
  return (mo_mesh_placement){
      .column = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
      .origin = mo_widen(map->origin),
      .is_invertible = affine == NULL || affine->invertible};
}

static placed_mesh place_mesh(const mo_mesh *mesh, const mo_mesh_placement *at, mo_vec3 center) {
  const mo_dvec3 lower = mo_widen(mesh->bounds.lower), upper = mo_widen(mesh->bounds.upper);
  placed_mesh p = {.column = {at->column[0], at->column[1], at->column[2]},
                   .center = mo_widen(center)};
  p.half = mo_dvec(fmax(upper.x - p.center.x, p.center.x - lower.x),
                   fmax(upper.y - p.center.y, p.center.y - lower.y),
                   fmax(upper.z - p.center.z, p.center.z - lower.z));
  p.middle = mo_dadd(at->origin, mo_map_columns(p.column, p.center));
  const mo_dvec3 lengths =
      mo_dvec(mo_sum_of_magnitudes(p.column[0]), mo_sum_of_magnitudes(p.column[1]),
              mo_sum_of_magnitudes(p.column[2]));
  p.size = mo_ddot(lengths, p.half);
  p.max_term_sum = mo_sum_of_magnitudes(at->origin) + mo_ddot(lengths, mo_widen(mesh->reach));
  return p;
}

static double rounding_of(const placed_mesh mesh[2]) {
  return world_rounding * (mesh[0].max_term_sum + mesh[1].max_term_sum);
}

static double touching_distance(const placed_mesh mesh[2]) {
  return touch_tolerance * (mesh[0].size + mesh[1].size) + rounding_of(mesh);
}

/* The rows of the inverse of a linear map with these columns. */
static void invert_columns(const mo_dvec3 column[3], mo_dvec3 row[3]) {
  const double volume = mo_ddot(column[0], mo_dcross(column[1], column[2]));
  for (int k = 0; k < 3; k++) {
    row[k] = mo_dscale(1.0 / volume, mo_dcross(column[(k + 1) % 3], column[(k + 2) % 3]));
  }
}

/* Computes the weights of squared gaps along rows (mo_mesh_pair_frame.weight). A vector v across
 * gaps has (n . v)^2 >= gap^2 for each row n. Over unit rows these squares add up to at most v^2
 * times the largest eigenvalue of the rows' Gram matrix. That eigenvalue is at most the largest row
 * sum of magnitudes (Gershgorin): 1 for orthogonal rows. */
static void compute_gap_weights(const mo_dvec3 row[3], double scale, double weight[3]) {
  double square[3], max = 1.0;
  for (int k = 0; k < 3; k++) {
    square[k] = mo_ddot(row[k], row[k]);
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    max = fmax(max, 1.0 + fabs(mo_ddot(row[k], row[i])) / sqrt(square[k] * square[i]) +
                        fabs(mo_ddot(row[k], row[j])) / sqrt(square[k] * square[j]));
  }
  for (int k = 0; k < 3; k++) {
    weight[k] = (1.0 - 0x1p-40) / (max * square[k] * scale * scale);
  }
}

/* Makes a frame, given the rows of the map from the world to it, and the point of the world that is
 * its origin. `own` is the index of the mesh whose space the frame is; 2 if it is neither's. */
static void make_frame(mo_mesh_pair_frame *frame, const placed_mesh mesh[2], const mo_dvec3 row[3],
                       mo_dvec3 origin, int own, double reach) {
  const double slack = touching_distance(mesh);
  double entry[2][3][3], start[2][3], margin[3], max = 0.0;
  for (int k = 0; k < 3; k++) {
    double max_term_sum = 0.0;
    for (int s = 0; s < 2; s++) {
      const double half[3] = {mesh[s].half.x, mesh[s].half.y, mesh[s].half.z};
      start[s][k] = mo_ddot(row[k], mo_dsub(mesh[s].middle, origin));
      max_term_sum += fabs(start[s][k]);
      for (int i = 0; i < 3; i++) {
        entry[s][k][i] = s == own ? (i == k ? 1.0 : 0.0) : mo_ddot(row[k], mesh[s].column[i]);
        max_term_sum += fabs(entry[s][k][i]) * half[i];
      }
    }
    margin[k] = image_rounding * max_term_sum + mo_dlength(row[k]) * reach +
                mo_sum_of_magnitudes(row[k]) * slack;
    max = fmax(max, max_term_sum + margin[k]);
  }
  const double scale = ldexp(1.0, max > 0x1p-120 && max < 0x1p120 ? -ilogb(max) : 0);
  /* Entries of a map may be subnormal floats, with absolute rounding errors. These are multiplied
   * by coordinates. */
  const double underflow =
      0x1p-149 * (mo_sum_of_magnitudes(mesh[0].half) + mo_sum_of_magnitudes(mesh[1].half)) +
      0x1p-100;
  bool fits = scale * max < 4.0;
  for (int k = 0; k < 3; k++) {
    for (int s = 0; s < 2; s++) {
      mo_mesh_pair_map *map = &frame->map[s];
      map->is_mesh_space = s == own;
      map->scale = (float)scale;
      map->origin[k] = (float)(scale * start[s][k]);
      for (int i = 0; i < 3; i++) {
        map->column[i][k] = (float)(scale * entry[s][k][i]);
        fits = fits && fabs(scale * entry[s][k][i]) < 0x1p120;
      }
    }
  }
  compute_gap_weights(row, scale, frame->weight);
  /* Beyond the range of floats the margin is infinite, so that nothing is culled. */
  for (int k = 0; k < 3; k++) {
    frame->margin[k] = fits ? (float)((scale * margin[k] + underflow) * (1.0 + 0x1p-20)) : INFINITY;
  }
}

static mo_mesh_pair_frame world_frame(const placed_mesh placed[2], double distance) {
  static const mo_dvec3 row[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  mo_mesh_pair_frame frame;
  make_frame(&frame, placed, row, placed[0].middle, 2, distance);
  return frame;
}

void mo_mesh_pair_init_placed(mo_mesh_pair *query, const mo_mesh *const mesh[2],
                              const mo_mesh_placement placement[2], double distance,
                              mo_query_stats *stats) {
  placed_mesh placed[2];
  *query = (mo_mesh_pair){.stats = stats, .end = {MO_NONE, MO_NONE}};
  for (int s = 0; s < 2; s++) {
    query->mesh[s] = mesh[s];
    query->center[s] = mo_aabb_middle(mesh[s]->bounds);
    placed[s] = place_mesh(mesh[s], &placement[s], query->center[s]);
    const mo_dvec3 *column = placed[s].column;
    query->max_scale[s] =
        (float)fmax(fmax(mo_dlength(column[0]), mo_dlength(column[1])), mo_dlength(column[2]));
  }
  query->touch_distance = touching_distance(placed);
  query->position_rounding = rounding_of(placed);
  mo_dvec3 row[3];
  for (int s = 0; s < 2; s++) {
    if (placement[s].is_invertible) {
      invert_columns(placed[s].column, row);
      make_frame(&query->frame[query->frame_count++], placed, row, placed[s].middle, s, distance);
    }
  }
  if (query->frame_count == 0) {
    query->frame[query->frame_count++] = world_frame(placed, distance);
  }
}

void mo_mesh_pair_init(mo_mesh_pair *query, const mo_mesh *const mesh[2],
                       const mo_affine *const affine[2], double distance, mo_query_stats *stats) {
  const mo_mesh_placement placement[2] = {mo_mesh_placement_of(affine[0]),
                                          mo_mesh_placement_of(affine[1])};
  mo_mesh_pair_init_placed(query, mesh, placement, distance, stats);
  query->affine[0] = affine[0];
  query->affine[1] = affine[1];
}

void mo_mesh_pair_init_self(mo_mesh_pair *query, const mo_mesh *mesh, mo_query_stats *stats) {
  mo_mesh_pair_init(query, (const mo_mesh *[2]){mesh, mesh}, (const mo_affine *[2]){NULL, NULL},
                    0.0, stats);
  query->frame_count = 1; /* both meshes are the same, and so are their frames */
  query->is_self = true;
}

mo_mesh_pair_frame mo_mesh_pair_world_frame(const mo_mesh_pair *query) {
  placed_mesh placed[2];
  for (int s = 0; s < 2; s++) {
    const mo_mesh_placement placement = mo_mesh_placement_of(query->affine[s]);
    placed[s] = place_mesh(query->mesh[s], &placement, query->center[s]);
  }
  return world_frame(placed, 0.0);
}

void mo_mesh_pair_find(mo_mesh_pair *query, mo_isa isa) {
  mo_mesh_pair_walk_by_isa[isa](query);
}

mo_body mo_mesh_pair_body(const mo_affine *affine, const mo_vec3 corners[3]) {
  mo_dvec3 world[3];
  for (int i = 0; i < 3; i++) {
    world[i] = affine != NULL ? mo_affine_point_to_world(affine, corners[i]) : mo_widen(corners[i]);
  }
  return mo_body_of_triangle(world);
}

bool mo_mesh_pair_touches(const mo_mesh_pair *query, const mo_vec3 a[3], const mo_vec3 b[3]) {
  const mo_body first = mo_mesh_pair_body(query->affine[0], a),
                second = mo_mesh_pair_body(query->affine[1], b);
  return mo_bodies_within(&first, &second, 0.0);
}

/* The box around the part of a triangle in a leaf. In compact meshes it is clipped to the boxes of
 * all nodes above it too: each is rounded outward on another grid. */
static mo_aabb part_box(const mo_mesh *mesh, const mo_duplicate *reference, mo_aabb whole) {
  mo_aabb box =
      mo_aabb_intersection(mo_mesh_child_box(mesh, reference->node, reference->slot), whole);
  uint32_t parent =
      mesh->format == MO_MESH_COMPACT ? mo_mesh_parent(mesh, reference->node) : MO_NONE;
  for (; parent != MO_NONE; parent = mo_mesh_parent(mesh, parent >> 3)) {
    box = mo_aabb_intersection(box, mo_mesh_child_box(mesh, parent >> 3, parent & 7));
  }
  return box;
}

/* Whether two boxes meet in all frames, in double precision. */
static bool boxes_overlap_in_all_frames(const mo_mesh_pair *query, const mo_aabb box[2]) {
  for (int f = 0; f < query->frame_count; f++) {
    const mo_mesh_pair_frame *frame = &query->frame[f];
    for (int k = 0; k < 3; k++) {
      double middle[2], reach = (double)frame->margin[k];
      for (int s = 0; s < 2; s++) {
        const mo_mesh_pair_map *map = &frame->map[s];
        middle[s] = (double)map->origin[k];
        for (int i = 0; i < 3; i++) {
          const double lower = (double)mo_get(box[s].lower, i),
                       upper = (double)mo_get(box[s].upper, i);
          const double m = (double)map->column[i][k];
          middle[s] += m * (0.5 * (lower + upper) - (double)mo_get(query->center[s], i));
          reach += fabs(m) * (0.5 * (upper - lower));
        }
      }
      if (fabs(middle[0] - middle[1]) > reach) {
        return false;
      }
    }
  }
  return true;
}

/* All references to a triangle: its entries in the table of duplicates, or if it has none, `only`.
 * Returns how many there are. */
static uint32_t find_references(const mo_mesh *mesh, const mo_duplicate *only,
                                const mo_duplicate **references) {
  const uint32_t first = mo_mesh_first_duplicate(mesh, only->triangle);
  uint32_t end = first;
  while (end < mesh->duplicate_count && mesh->duplicates[end].triangle == only->triangle) {
    end++;
  }
  *references = end > first ? &mesh->duplicates[first] : only;
  return end > first ? end - first : 1;
}

void mo_mesh_pair_first_leaves(const mo_mesh_pair *query, const uint32_t triangle[2],
                               uint32_t leaf_slot[2]) {
  const mo_mesh *const *mesh = query->mesh;
  mo_duplicate only[2];
  const mo_duplicate *references[2];
  uint32_t count[2];
  mo_aabb whole[2];
  for (int s = 0; s < 2; s++) {
    mo_vec3 corners[3];
    mo_mesh_corners(mesh[s], triangle[s], corners);
    whole[s] = mo_aabb_of_corners(corners);
    only[s] = (mo_duplicate){triangle[s], leaf_slot[s] >> 3, leaf_slot[s] & 7};
    count[s] = find_references(mesh[s], &only[s], &references[s]);
  }
  leaf_slot[0] = leaf_slot[1] = MO_NONE;
  for (uint32_t i = 0; i < count[0]; i++) {
    const mo_duplicate *a = &references[0][i];
    mo_aabb box[2] = {part_box(mesh[0], a, whole[0]), whole[1]};
    if (!boxes_overlap_in_all_frames(query, box)) {
      continue;
    }
    for (uint32_t k = 0; k < count[1]; k++) {
      const mo_duplicate *b = &references[1][k];
      box[1] = part_box(mesh[1], b, whole[1]);
      if (boxes_overlap_in_all_frames(query, box)) {
        leaf_slot[0] = a->node << 3 | a->slot;
        leaf_slot[1] = b->node << 3 | b->slot;
        return;
      }
    }
  }
}
