/* Refusals of motte/hull.h. */
#include "refusals.h"

static size_t first_bad;

static const mo_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static mo_hull_def good_def(const mo_vec3 *positions) {
  mo_hull_def def = mo_default_hull_def();
  def.positions = positions;
  def.position_count = 4;
  def.host = refusal_mesh_def().host;
  def.first_bad = &first_bad;
  return def;
}

static void refuse_creation(void) {
  mo_hull *made;
  mo_vec3 positions[4];
  mo_hull_def def = good_def(corners);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "hull is null", mo_hull_create, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_hull_create, &def, &made);
#define BAD_HULL(at, code, told, change)                                                           \
  do {                                                                                             \
    memcpy(positions, corners, sizeof corners);                                                    \
    def = good_def(positions);                                                                     \
    change;                                                                                        \
    REFUSED_AT(at, code, told, mo_hull_create, &def, &made);                                       \
  } while (0)
  BAD_HULL(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.positions is null", def.positions = NULL);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.host.allocator.allocate is null",
           def.host.allocator.allocate = NULL);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.position_stride is 11, below 12",
           def.position_stride = 11);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.vertex_limit is 3, below 4",
           def.vertex_limit = 3);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.position_count is 0",
           def.position_count = 0);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.positions are all on a line",
           def.position_count = 2);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.positions are all equal",
           def.position_count = 1);
  BAD_HULL(MO_NO_INDEX, MO_ERROR_TOO_MANY,
           "def.position_count is 268435456, above MO_MAX_HULL_POINTS",
           def.position_count = MO_MAX_HULL_POINTS + 1);
  BAD_HULL(2, MO_ERROR_NOT_FINITE, "def.positions[2].y is NaN", positions[2].y = NAN);
  BAD_HULL(3, MO_ERROR_OUT_OF_RANGE,
           "def.positions[3].x is -2.00000003e+30, beyond MO_MAX_COORDINATE",
           positions[3].x = -2e30f);
}

static void refuse_reading(const mo_hull *hull) {
  mo_hull_info info;
  mo_hull_face face;
  uint32_t total;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_get_info, NULL, &info);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "info is null", mo_hull_get_info, hull, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_get_vertices, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "vertices is null", mo_hull_get_vertices, hull, NULL, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_get_face, NULL, 0, &face, NULL, 0);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "face is null", mo_hull_get_face, hull, 0, NULL, NULL, 0);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "vertices is null", mo_hull_get_face, hull, 0, &face, NULL, 1);
  REFUSED(MO_ERROR_INVALID_INDEX, "index is 4, but there are 4", mo_hull_get_face, hull, 4, &face,
          NULL, 0);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_get_edges, NULL, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "edges is null", mo_hull_get_edges, hull, NULL, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_get_neighbors, NULL, 0, NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "neighbors is null", mo_hull_get_neighbors, hull, 0, NULL, 1,
          &total);
  REFUSED(MO_ERROR_INVALID_INDEX, "vertex is 4, but there are 4", mo_hull_get_neighbors, hull, 4,
          NULL, 0, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_hull_validate, NULL);
}

void refuse_hulls(const refusal_world *w) {
  (void)w;
  mo_hull_def def = good_def(corners);
  mo_hull *hull;
  if (mo_hull_create(&def, &hull) == MO_OK) {
    refuse_creation();
    refuse_reading(hull);
    mo_hull_release(hull);
  }
}
