/* For kernels: computes, eight at a time, the heights of a polytope's vertices along a direction,
 * and the heights of points over its faces. */
#ifndef MO_CONTACT_NORMAL_POLYTOPE_LANES_H
#define MO_CONTACT_NORMAL_POLYTOPE_LANES_H

#include "contact/normal/polytope.h"
#include "math/lanes/lanes.h"

/* Fraction of the summed sizes of both bodies. An axis is culled only if its bound is below the
 * best separation by more than this, as vertices may lie slightly off the planes of their faces. */
#define MO_AXIS_CULLING_SLACK 0x1p-14

/* Fraction of the distance between the centres of both bodies: the error of heights by rounding to
 * single precision. */
#define MO_HEIGHT_ROUNDING_ERROR 0x1p-20

enum {
  MO_MAX_CULLING_POINTS = 4, /* how many vertices of the other body cull faces and edges */
  MO_VERTEX_GROUPS = MO_HULL_TABLE_MAX_VERTICES / 8, /* groups of eight vertices */
  MO_FACE_GROUPS = MO_HULL_TABLE_MAX_FACES / 8,      /* groups of eight faces */
};

/* Heights of all vertices along a direction, up to a common factor and offset.
 * `max_difference_error`: the greatest error of the difference of two heights. */
typedef struct mo_vertex_heights {
  mo_f8 group[MO_VERTEX_GROUPS];
  uint32_t group_count;
  float max_difference_error;
} mo_vertex_heights;

static inline void mo_find_vertex_heights(const mo_contact_polytope *p, mo_dvec3 n,
                                          mo_vertex_heights *h) {
  const uint32_t capacity = p->corner_capacity;
  const float *x = p->has_own_corners ? p->own_corners : p->body->hull->coordinates;
  const float *y = x + capacity, *z = y + capacity;
  const mo_dvec3 along = mo_dot_columns(p->corner_frame, n);
  const double largest = mo_dmax(fabs(along.x), mo_dmax(fabs(along.y), fabs(along.z)));
  const mo_vec3 d = mo_narrow(mo_dscale(largest > 0.0 ? 1.0 / largest : 0.0, along));
  const mo_f8 dx = mo_f8_splat(d.x), dy = mo_f8_splat(d.y), dz = mo_f8_splat(d.z);
  h->group_count = capacity / 8;
  h->max_difference_error = 0x1p-20f * ((fabsf(d.x) + 0x1p-120f) * p->max_coordinates.x +
                                        (fabsf(d.y) + 0x1p-120f) * p->max_coordinates.y +
                                        (fabsf(d.z) + 0x1p-120f) * p->max_coordinates.z) +
                            0x1p-140f;
  uint32_t i = 0;
  do { /* not `for`: the compiler must see that there is a group */
    const mo_f8 xy =
        mo_f8_add(mo_f8_mul(dx, mo_f8_load(x + 8 * i)), mo_f8_mul(dy, mo_f8_load(y + 8 * i)));
    h->group[i] = mo_f8_add(xy, mo_f8_mul(dz, mo_f8_load(z + 8 * i)));
  } while (++i < h->group_count);
}

static inline float mo_max_vertex_height(const mo_vertex_heights *h) {
  mo_f8 max = h->group[0];
  for (uint32_t i = 1; i < h->group_count; i++) {
    max = mo_f8_max(max, h->group[i]);
  }
  return mo_f8_reduce_max(max);
}

/* Returns a bit for each vertex that is not lower than `min`. */
static inline uint64_t mo_vertices_above(const mo_vertex_heights *h, float min) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < h->group_count; i++) {
    found |= (uint64_t)mo_m8_bits(mo_f8_le(mo_f8_splat(min), h->group[i])) << 8 * i;
  }
  return found;
}

/* Heights of some points of the other body (culling points) over the faces, in groups of eight
 * faces; `min` is the height of the lowest culling point over each face. Units are those of the
 * single-precision planes. */
typedef struct mo_face_heights {
  mo_f8 height[MO_MAX_CULLING_POINTS][MO_FACE_GROUPS], min[MO_FACE_GROUPS];
  uint32_t group_count;
} mo_face_heights;

static inline void mo_find_face_heights(const mo_contact_polytope *p, const mo_dvec3 *culling_point,
                                        int count, mo_face_heights *h) {
  const uint32_t capacity = p->plane_capacity;
  const float *x = p->has_own_planes ? p->own_planes : p->body->hull->planes;
  const float *y = x + capacity, *z = y + capacity, *height = z + capacity;
  mo_f8 w[MO_MAX_CULLING_POINTS][3];
  for (int k = 0; k < count; k++) {
    const mo_vec3 at =
        mo_narrow(mo_dot_columns(p->plane_frame, mo_dsub(culling_point[k], p->plane_center)));
    w[k][0] = mo_f8_splat(at.x);
    w[k][1] = mo_f8_splat(at.y);
    w[k][2] = mo_f8_splat(at.z);
  }
  h->group_count = capacity / 8;
  for (uint32_t i = 0; i < h->group_count; i++) {
    const mo_f8 nx = mo_f8_load(x + 8 * i), ny = mo_f8_load(y + 8 * i), nz = mo_f8_load(z + 8 * i);
    const mo_f8 base = mo_f8_load(height + 8 * i);
    for (int k = 0; k < count; k++) {
      const mo_f8 xy = mo_f8_add(mo_f8_mul(nx, w[k][0]), mo_f8_mul(ny, w[k][1]));
      h->height[k][i] = mo_f8_sub(mo_f8_add(xy, mo_f8_mul(nz, w[k][2])), base);
      h->min[i] = k == 0 ? h->height[k][i] : mo_f8_min(h->min[i], h->height[k][i]);
    }
  }
}

/* Returns a bit for each face whose `height` is at least `min`. */
static inline uint64_t mo_faces_above(const mo_f8 *height, uint32_t groups, double min) {
  const mo_f8 limit = mo_f8_splat((float)min);
  uint64_t found = 0;
  for (uint32_t i = 0; i < groups; i++) {
    found |= (uint64_t)mo_m8_bits(mo_f8_le(limit, height[i])) << 8 * i;
  }
  return found;
}

static inline uint64_t mo_axis_face_mask(const mo_contact_polytope *p) {
  return p->axis_face_count < 64 ? ((uint64_t)1 << p->axis_face_count) - 1 : UINT64_MAX;
}

/* Lists the edges in a set, in ascending order. Returns their number. */
static inline uint32_t mo_list_edges(const mo_contact_polytope *p, const mo_hull_edge_set *set,
                                     uint8_t to[MO_HULL_TABLE_MAX_EDGES]) {
  uint32_t count = 0;
  for (uint32_t word = 0; 64 * word < p->edge_count; word++) {
    uint64_t bits = set->bits[word];
    if (p->edge_count - 64 * word < 64) {
      bits &= ((uint64_t)1 << (p->edge_count - 64 * word)) - 1;
    }
    for (; bits != 0; bits &= bits - 1) {
      to[count++] = (uint8_t)(64 * word + (uint32_t)__builtin_ctzll(bits));
    }
  }
  return count;
}

/* Removes from a set the edges that belong to none of the faces whose bits are set in `faces`. */
static inline void mo_keep_edges_of_faces(mo_hull_edge_set *set, const mo_contact_polytope *p,
                                          uint64_t faces) {
  mo_hull_edge_set some = {{0, 0}};
  faces &= p->face_count < 64 ? ((uint64_t)1 << p->face_count) - 1 : UINT64_MAX;
  for (; faces != 0; faces &= faces - 1) {
    const mo_hull_edge_set *beside = &p->face_edges[__builtin_ctzll(faces)];
    some.bits[0] |= beside->bits[0];
    some.bits[1] |= beside->bits[1];
  }
  set->bits[0] &= some.bits[0];
  set->bits[1] &= some.bits[1];
}

#endif
