/* Writes the barycentric weights and the normals of eight hits to the caller's arrays. Compiled
 * once per instruction set.
 *
 * Normals are computed for eight hits at once, in double precision. The operations and their order
 * are those of mo_mesh_ray_complete_hit and mo_affine_normal_to_world, so each result has the same
 * bits as that of a single ray. */
#include "base/inline.h"
#include "batch/scene.h"
#include "math/lanes/lanes.h"
#include "mesh/query.h"

/* Eight vectors, by axis and lane. */
typedef struct vectors8 {
  alignas(MO_ALIGNMENT) double lane[3][8];
} vectors8;

/* The normals of eight triangles: cross products of two edges, not of unit length. */
static inline void triangle_normals8(const mo_corners8 *corners, vectors8 *normal) {
  for (int i = 0; i < 8; i += 4) {
    mo_d4 a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
      mo_d4 from = __builtin_convertvector(mo_f4_load(&corners->lane[0][axis][i]), mo_d4);
      a[axis] = __builtin_convertvector(mo_f4_load(&corners->lane[1][axis][i]), mo_d4) - from;
      b[axis] = __builtin_convertvector(mo_f4_load(&corners->lane[2][axis][i]), mo_d4) - from;
    }
    for (int axis = 0; axis < 3; axis++) {
      int y = (axis + 1) % 3, z = (axis + 2) % 3;
      mo_d4 n = a[y] * b[z] - a[z] * b[y];
      memcpy(&normal->lane[axis][i], &n, sizeof n);
    }
  }
}

/* Transforms local normals to the world, by the inverse transpose of the linear part. */
static inline void normals_to_world8(const mo_affine *affine, vectors8 *normal) {
  for (int i = 0; i < 8; i += 4) {
    mo_d4 n[3];
    memcpy(&n[0], &normal->lane[0][i], sizeof n[0]);
    memcpy(&n[1], &normal->lane[1][i], sizeof n[1]);
    memcpy(&n[2], &normal->lane[2][i], sizeof n[2]);
    for (int axis = 0; axis < 3; axis++) {
      const double x = affine->inverse[axis][0], y = affine->inverse[axis][1],
                   z = affine->inverse[axis][2];
      mo_d4 image =
          (mo_d4){x, x, x, x} * n[0] + (mo_d4){y, y, y, y} * n[1] + (mo_d4){z, z, z, z} * n[2];
      memcpy(&normal->lane[axis][i], &image, sizeof image);
    }
  }
}

/* Normalizes eight normals. Where the square of a length overflows or underflows, the normal is
 * computed separately if the lane has a hit (its bit is set in `lanes`), else set to zero. */
static inline void normalize8(const vectors8 *normal, uint32_t lanes, float unit[3][8]) {
  alignas(MO_ALIGNMENT) double square[8];
  for (int i = 0; i < 8; i += 4) {
    mo_d4 n[3];
    memcpy(&n[0], &normal->lane[0][i], sizeof n[0]);
    memcpy(&n[1], &normal->lane[1][i], sizeof n[1]);
    memcpy(&n[2], &normal->lane[2][i], sizeof n[2]);
    mo_d4 length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    memcpy(&square[i], &length, sizeof length);
    mo_d4_sqrt(&length);
    const mo_d4 scale = (mo_d4){1.0, 1.0, 1.0, 1.0} / length;
    for (int axis = 0; axis < 3; axis++) {
      mo_f4 rounded = __builtin_convertvector(scale * n[axis], mo_f4);
      memcpy(&unit[axis][i], &rounded, sizeof rounded);
    }
  }
  for (uint32_t lane = 0; lane < 8; lane++) {
    if (!(square[lane] > 0x1p-900 && square[lane] < 0x1p900)) {
      mo_vec3 n = mo_vec(0.0f, 0.0f, 0.0f);
      if (lanes >> lane & 1) {
        n = mo_normalize_any_length(
            mo_dvec(normal->lane[0][lane], normal->lane[1][lane], normal->lane[2][lane]));
      }
      unit[0][lane] = n.x;
      unit[1][lane] = n.y;
      unit[2][lane] = n.z;
    }
  }
}

/* Computes the unit normals of hits on one mesh: in the world if `affine` is its map to the world,
 * in the mesh's own space if it is null. */
static void find_normals(const mo_mesh *mesh, const mo_affine *affine, const mo_answers8 *answers,
                         float unit[3][8]) {
  mo_corners8 own;
  vectors8 normal;
  const mo_corners8 *corners = answers->corners;
  if (corners == NULL) {
    mo_read_corners8(mesh, answers->triangle, answers->found, &own);
    corners = &own;
  }
  triangle_normals8(corners, &normal);
  if (affine != NULL) {
    normals_to_world8(affine, &normal);
  }
  normalize8(&normal, answers->found, unit);
}

/* Computes the normals of hits on different shapes, one hit at a time, and reads the rays again. */
static __attribute__((noinline)) void find_normals_singly(const mo_batch *batch, size_t first,
                                                          uint32_t count,
                                                          const mo_answers8 *answers,
                                                          float unit[3][8]) {
  mo_rays8 rays;
  mo_batch_read8(batch, first, count, &rays);
  memset(unit, 0, 3 * sizeof unit[0]);
  for (uint32_t hits = answers->found; hits != 0; hits &= hits - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(hits);
    mo_ray_hit hit;
    mo_batch_complete_hit(batch, &rays, lane, answers, &hit);
    unit[0][lane] = hit.normal.x;
    unit[1][lane] = hit.normal.y;
    unit[2][lane] = hit.normal.z;
  }
}

/* Stores the numbers of a lane one at a time. A copy as one block would first be assembled in
 * memory and then loaded as a whole: a store-to-load forwarding stall. */
MO_INLINE void write_lane(char *to, uint32_t rows, float row[][8], uint32_t lane) {
  for (uint32_t i = 0; i < rows; i++) {
    memcpy(to + i * sizeof(float), &row[i][lane], sizeof(float));
  }
}

/* Writes rows of eight numbers as columns: element first + i of the output receives lane i of all
 * rows. */
MO_INLINE void write_rows(const mo_output *output, size_t first, uint32_t count, uint32_t rows,
                          float row[][8]) {
  size_t stride = output->stride != 0 ? output->stride : rows * sizeof(float);
  char *to = (char *)output->data + first * stride;
  if (count == 8) {
    for (uint32_t lane = 0; lane < 8; lane++, to += stride) {
      write_lane(to, rows, row, lane);
    }
  } else {
    for (uint32_t lane = 0; lane < count; lane++, to += stride) {
      write_lane(to, rows, row, lane);
    }
  }
}

/* The shape if all hits are on one shape and were found in its local space; else null. */
static inline const mo_shape *common_shape(const mo_batch *batch, const mo_answers8 *answers) {
  uint32_t slot = answers->shape[__builtin_ctz(answers->found)];
  const mo_shape *shape = &((const mo_scene *)batch->subject)->shapes[slot];
  uint32_t alike = answers->found_in_mesh_space & mo_u8_equal(answers->shape, UINT32_MAX, slot);
  return (answers->found & ~alike) == 0 ? shape : NULL;
}

static inline void write_normals(const mo_batch *batch, size_t first, uint32_t count,
                                 const mo_answers8 *answers) {
  alignas(MO_ALIGNMENT) float unit[3][8];
  const mo_output *output = &batch->output->normal;
  const mo_shape *shape;
  if (answers->found == 0) {
    memset(unit, 0, sizeof unit);
  } else if (batch->mesh != NULL) {
    find_normals(batch->mesh, NULL, answers, unit);
  } else if ((shape = common_shape(batch, answers)) != NULL) {
    find_normals(shape->geometry.mesh, &shape->affine, answers, unit);
  } else {
    find_normals_singly(batch, first, count, answers, unit);
  }
  write_rows(output, first, count, 3, unit);
}

static inline void write_weights(const mo_output *output, size_t first, uint32_t count,
                                 const mo_answers8 *answers) {
  alignas(MO_ALIGNMENT) float rows[2][8];
  mo_m8 found = mo_m8_from_bits(answers->found);
  mo_f8_store(rows[0], mo_f8_select(found, mo_f8_load(answers->u), mo_f8_splat(0.0f)));
  mo_f8_store(rows[1], mo_f8_select(found, mo_f8_load(answers->v), mo_f8_splat(0.0f)));
  write_rows(output, first, count, 2, rows);
}

void MO_ISA_FN(mo_batch_write_weights_and_normals)(const mo_batch *batch, size_t first,
                                                   uint32_t count, const mo_answers8 *answers) {
  if (batch->output->weights.data != NULL) {
    write_weights(&batch->output->weights, first, count, answers);
  }
  if (batch->output->normal.data != NULL) {
    write_normals(batch, first, count, answers);
  }
}
