/* Finds which side of a sheet (a connected part of a surface) a body is on: the side that the sheet
 * shows to the body's centre at its point closest to the centre. Where this point lies on an edge
 * or vertex, the triangle there that faces the centre most directly decides, as the plane of
 * another triangle may pass between the sheet and the centre. Where the sheet ends at this point,
 * and the centre is beside the sheet rather than over it, the body is on neither side.
 *
 * If the body is a mesh, the centre of its box says little: that of a link of a chain may lie
 * inside the next link. So points spread over the mesh decide in its place, by the sum of their
 * distances from the sheet, negative behind it: the mesh is on the side where most of it is.
 *
 * Mostly the centre is on the same side of the planes of all triangles near the body, which then
 * decides without a search. Where it is not, single triangles are tested for being visible: the
 * centre sees a triangle if no other one touches the line of sight to the middle of the triangle's
 * part near the body. Then the sheet does not pass between the two, so the body is on the side of
 * this triangle's plane that the centre is on, even if another storey of the sheet is closer and
 * shows its other side. */
#include "contact/surface/sheet.h"

#include "base/assert.h"
#include "contact/body/body.h"
#include "geometry/triangle/triangle.h"

/* Points are equally close if their squared distances differ by less than this fraction. */
static const double same_distance_tolerance = 0x1p-28;
/* Sine of the angle between a sheet, at a closest point on its border, and the direction from there
 * to the centre. With a smaller sine, the centre is beside the sheet, not over it. */
static const double min_border_elevation_sine = 0.5;

void mo_surface_visit(const mo_surface *surface, const mo_region *region,
                      bool (*report)(uint32_t triangle, void *context), void *context) {
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, surface->mesh, region, surface->affine, surface->stats);
  overlap.report = report;
  overlap.context = context;
  mo_mesh_overlap_kernels_for(surface->isa, surface->mesh)->overlap(surface->mesh, &overlap);
}

void mo_surface_corners(const mo_surface *surface, uint32_t triangle, mo_dvec3 reference,
                        mo_dvec3 corner[3]) {
  mo_vec3 local[3];
  mo_mesh_corners(surface->mesh, triangle, local);
  const mo_dvec3 origin = mo_dsub(mo_widen(surface->affine->to_world.origin), reference);
  for (int i = 0; i < 3; i++) {
    corner[i] = mo_dadd(origin, mo_map_columns(surface->column, mo_widen(local[i])));
  }
}

mo_dvec3 mo_surface_front_normal(const mo_surface *surface, const mo_dvec3 corner[3],
                                 double *error_bound) {
  const mo_dvec3 e = mo_dsub(corner[1], corner[0]), g = mo_dsub(corner[2], corner[0]),
                 normal = mo_dcross(e, g);
  const double length = mo_dlength(normal), sides = mo_dlength(e) * mo_dlength(g);
  *error_bound = 0x1p-48 * sides / length;
  if (!(length > 0x1p-40 * mo_dlength(e) * mo_dlength(g))) {
    return (mo_dvec3){0.0, 0.0, 0.0};
  }
  /* a mirroring transform reverses the winding */
  return mo_dscale(surface->mirrors ? -1.0 : 1.0, mo_dunit(normal));
}

/* The search for the closest point of a sheet. */
typedef struct sheet_search {
  uint32_t sheet; /* the number of the sheet (mo_mesh::sheets) */
  /* the distance, in triangle indices, from `wanted_triangle` to the next triangle of this sheet:
   * the searches whose sheet is needed last are dropped first */
  uint32_t indices_until_next_use;
  uint32_t triangle;     /* the closest triangle; of several, the one that faces the centre most */
  bool at_border;        /* whether the sheet ends at the closest point */
  double distance2;      /* squared distance of that triangle from the centre */
  double facing_measure; /* how directly `triangle` faces the centre; negative: its back does */
} sheet_search;

/* The searches for the closest points of several sheets. Contacts are computed in the order of
 * triangles, so the sheets of the next triangles are needed next. */
typedef struct sheet_searches {
  const mo_surface *surface;
  mo_dvec3 center;
  uint32_t wanted_triangle; /* the triangle whose sheet is needed now */
  int count;
  bool overflowed; /* there were too many sheets, so that some searches missed triangles */
  sheet_search sheets[MO_MAX_KNOWN_SHEETS]; /* ascending by `sheet` */
} sheet_searches;

/* Whether the point of a triangle closest to the origin lies on an open edge (of one triangle). */
static bool is_closest_at_border(const mo_mesh *mesh, uint32_t triangle, const mo_dvec3 corner[3],
                                 double distance2) {
  for (int i = 0; i < 3; i++) {
    if (mo_edge_at(mesh, triangle, i) == MO_MESH_EDGE_OPEN) {
      const mo_dvec3 edge[3] = {corner[i], corner[(i + 1) % 3], corner[i]};
      const mo_dvec3 to = mo_triangle_closest_point(edge, mo_dvec(0.0, 0.0, 0.0));
      if (mo_ddot(to, to) <= distance2 * (1.0 + same_distance_tolerance)) {
        return true;
      }
    }
  }
  return false;
}

/* The index of a sheet in the array `sheets`, or if it is not there, where it would be inserted.
 */
static int index_of_sheet(const sheet_searches *s, uint32_t sheet) {
  int low = 0, high = s->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->sheets[middle].sheet < sheet) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void drop_sheet_with_latest_use(sheet_searches *s) {
  int last = 0;
  for (int i = 1; i < s->count; i++) {
    last = s->sheets[i].indices_until_next_use > s->sheets[last].indices_until_next_use ? i : last;
  }
  s->count--;
  for (int i = last; i < s->count; i++) {
    s->sheets[i] = s->sheets[i + 1];
  }
}

static uint32_t max_next_use(const sheet_searches *s) {
  uint32_t max = 0;
  for (int i = 0; i < s->count; i++) {
    max = s->sheets[i].indices_until_next_use > max ? s->sheets[i].indices_until_next_use : max;
  }
  return max;
}

/* Finds or adds the search for the sheet of a triangle. Returns null if the array is full of
 * searches for sheets that are needed sooner. */
static sheet_search *add_sheet(sheet_searches *s, uint32_t triangle) {
  const uint32_t sheet = mo_mesh_oriented_sheet(s->surface->mesh, triangle) >> 1,
                 indices_until_next_use = triangle - s->wanted_triangle;
  int i = index_of_sheet(s, sheet);
  if (i < s->count && s->sheets[i].sheet == sheet) {
    s->sheets[i].indices_until_next_use =
        indices_until_next_use < s->sheets[i].indices_until_next_use
            ? indices_until_next_use
            : s->sheets[i].indices_until_next_use;
    return &s->sheets[i];
  }
  if (s->count == MO_MAX_KNOWN_SHEETS) {
    s->overflowed = true;
    if (indices_until_next_use > max_next_use(s)) {
      return NULL;
    }
    drop_sheet_with_latest_use(s);
    i = index_of_sheet(s, sheet);
  }
  for (int k = s->count++; k > i; k--) {
    s->sheets[k] = s->sheets[k - 1];
  }
  s->sheets[i] = (sheet_search){.sheet = sheet,
                                .indices_until_next_use = indices_until_next_use,
                                .triangle = UINT32_MAX,
                                .distance2 = INFINITY};
  return &s->sheets[i];
}

/* The search for the sheet of a triangle; null if there is none. */
static sheet_search *find_sheet(sheet_searches *s, uint32_t triangle) {
  const uint32_t sheet = mo_mesh_oriented_sheet(s->surface->mesh, triangle) >> 1;
  const int i = index_of_sheet(s, sheet);
  return i < s->count && s->sheets[i].sheet == sheet ? &s->sheets[i] : NULL;
}

/* The smallest magnitude of three numbers if all are positive or all are negative; else 0. */
static double min_magnitude_if_same_sign(double a, double b, double c) {
  const double below = a > b   ? (a > c ? a : c)
                       : b > c ? b
                               : c,
               above = a < b   ? (a < c ? a : c)
                       : b < c ? b
                               : c;
  return below < 0.0 ? below : above > 0.0 ? above : 0.0;
}

/* Finds the corners of a triangle relative to the centre, and the vector from the centre to its
 * closest point. Returns false if the squared distance of the box around the corners, which is
 * never larger than that of the triangle, is above the limit. (The closest point lies in that
 * box, and the sums are monotone.) */
static bool find_closest(const sheet_searches *s, uint32_t triangle, double limit2,
                         mo_dvec3 corner[3], mo_dvec3 *to) {
  mo_surface_corners(s->surface, triangle, s->center, corner);
  const mo_dvec3 gap = {min_magnitude_if_same_sign(corner[0].x, corner[1].x, corner[2].x),
                        min_magnitude_if_same_sign(corner[0].y, corner[1].y, corner[2].y),
                        min_magnitude_if_same_sign(corner[0].z, corner[1].z, corner[2].z)};
  if (mo_ddot(gap, gap) > limit2) {
    return false;
  }
  *to = mo_triangle_closest_point(corner, mo_dvec(0.0, 0.0, 0.0));
  return true;
}

static void update_distance(const sheet_searches *s, sheet_search *c, uint32_t triangle) {
  mo_dvec3 corner[3], to;
  if (find_closest(s, triangle, c->distance2, corner, &to)) {
    c->distance2 = fmin(c->distance2, mo_ddot(to, to));
  }
}

static bool add_sheet_of_triangle(uint32_t triangle, void *context) {
  sheet_searches *s = context;
  sheet_search *c = add_sheet(s, triangle);
  if (c != NULL && !s->overflowed) {
    update_distance(s, c, triangle);
  }
  return true;
}

static bool update_distance_of_known_sheet(uint32_t triangle, void *context) {
  sheet_searches *s = context;
  sheet_search *c = find_sheet(s, triangle);
  if (c != NULL) {
    update_distance(s, c, triangle);
  }
  return true;
}

/* A callback for each triangle: keeps it if it is at the smallest distance of its sheet and faces
 * the centre more directly than the triangle kept so far. */
static bool keep_most_facing_triangle(uint32_t triangle, void *context) {
  sheet_searches *s = context;
  sheet_search *c = find_sheet(s, triangle);
  if (c == NULL) {
    return true;
  }
  const double limit2 = c->distance2 * (1.0 + same_distance_tolerance);
  mo_dvec3 corner[3], to;
  if (find_closest(s, triangle, limit2, corner, &to) && mo_ddot(to, to) <= limit2) {
    double error_bound;
    const double facing = -mo_ddot(mo_surface_front_normal(s->surface, corner, &error_bound), to) *
                          (mo_mesh_oriented_sheet(s->surface->mesh, triangle) & 1 ? -1.0 : 1.0);
    if (fabs(facing) > fabs(c->facing_measure) ||
        (fabs(facing) == fabs(c->facing_measure) && triangle < c->triangle)) {
      c->facing_measure = facing;
      c->triangle = triangle;
    }
    c->at_border =
        c->at_border || is_closest_at_border(s->surface->mesh, triangle, corner, c->distance2);
  }
  return true;
}

/* Whether the sheet ends at its closest point, and the centre is beside the sheet, not over it. */
static bool is_beside_sheet(const sheet_search *c) {
  return c->at_border && fabs(c->facing_measure) < min_border_elevation_sine * sqrt(c->distance2);
}

/* Which side of a sheet counts as the body's where its centre lies in the sheet: 1 (front) or -1
 * (back), the side of the closest triangle's front. So it does not depend on which triangle of the
 * sheet decides what its front is. */
static double side_within_sheet(const sheet_searches *s, const sheet_search *c) {
  const uint32_t triangle = c->triangle != UINT32_MAX ? c->triangle : s->wanted_triangle;
  return mo_mesh_oriented_sheet(s->surface->mesh, triangle) & 1 ? -1.0 : 1.0;
}

/* Calls `take` for each triangle that touches the region. */
static void for_each_triangle(const mo_sheet_sides *sides,
                              bool (*take)(uint32_t triangle, void *context), sheet_searches *s) {
  if (sides->triangles == NULL) {
    mo_surface_visit(s->surface, &sides->region, take, s);
    return;
  }
  for (uint32_t i = 0; i < sides->triangle_count; i++) {
    take(sides->triangles[i], s);
  }
}

static bool has_open_edge(const mo_mesh *mesh, uint32_t triangle) {
  bool open = false;
  for (int i = 0; i < 3; i++) {
    open = open || mo_edge_at(mesh, triangle, i) == MO_MESH_EDGE_OPEN;
  }
  return open;
}

/* Finds on which sides of the planes of up to four triangles the centre is, relative to the fronts
 * of their sheets: 1 (front), -1 (back), or 0 if rounding errors decide. */
static void find_plane_sides(const mo_surface *surface, mo_dvec3 center, const uint32_t *triangles,
                             uint32_t count, double side[4]) {
  static uint32_t (*const find[MO_ISA_COUNT])(const mo_surface *, const uint32_t[4], mo_dvec3) =
      MO_ISA_TABLE(mo_triangles_sides);
  uint32_t four[4];
  for (uint32_t k = 0; k < 4; k++) {
    four[k] = triangles[k < count ? k : 0];
  }
  const uint32_t sides = find[surface->isa](surface, four, center);
  for (uint32_t k = 0; k < 4; k++) {
    const bool reversed = surface->mirrors != (mo_mesh_oriented_sheet(surface->mesh, four[k]) & 1);
    const double front = reversed ? -1.0 : 1.0;
    side[k] = sides >> k & 1 ? front : sides >> (4 + k) & 1 ? -front : 0.0;
  }
}

/* Finds the sides of sheets by the planes of all triangles near the body. Returns false if the
 * centre is on different sides of planes of one sheet, or if a sheet ends near the body. */
static bool find_sides_by_planes(const mo_sheet_sides *sides, sheet_searches *s) {
  bool decided = sides->triangles != NULL;
  double side[4];
  for (uint32_t i = 0; i < sides->triangle_count && decided; i++) {
    const uint32_t triangle = sides->triangles[i];
    if (i % 4 == 0) {
      find_plane_sides(s->surface, s->center, &sides->triangles[i], sides->triangle_count - i,
                       side);
    }
    sheet_search *c = add_sheet(s, triangle);
    decided = c != NULL && !s->overflowed && side[i % 4] != 0.0 &&
              side[i % 4] * c->facing_measure >= 0.0 && !has_open_edge(s->surface->mesh, triangle);
    if (decided) {
      c->facing_measure = side[i % 4];
    }
  }
  return decided && find_sheet(s, s->wanted_triangle) != NULL;
}

/* Finds the sides of sheets by the points closest to the centre. */
static void find_sides_by_distances(const mo_sheet_sides *sides, sheet_searches *s) {
  s->count = 0;
  s->overflowed = false;
  add_sheet(s, s->wanted_triangle); /* even if no triangle of that sheet touches the region */
  for_each_triangle(sides, add_sheet_of_triangle, s);
  if (s->overflowed) {
    for_each_triangle(sides, update_distance_of_known_sheet, s);
  }
  for_each_triangle(sides, keep_most_facing_triangle, s);
}

/* Finds the sides of sheets by the points closest to the centre, or to all points of the body.
 * Their distances from a sheet are summed, negative behind it. */
static void find_sides_by_points(const mo_sheet_sides *sides, sheet_searches *s, double *side) {
  const mo_sheet_points one = {.count = 1, .weight = {1.0}, .position = {sides->center}};
  const mo_sheet_points *points = sides->points != NULL ? sides->points : &one;
  double sum[MO_MAX_KNOWN_SHEETS] = {0.0};
  bool is_over[MO_MAX_KNOWN_SHEETS] = {false};
  for (uint32_t i = 0; i < points->count; i++) {
    s->center = points->position[i];
    find_sides_by_distances(sides, s);
    for (int k = 0; k < s->count; k++) {
      const sheet_search *c = &s->sheets[k];
      if (!is_beside_sheet(c)) {
        is_over[k] = true;
        sum[k] += copysign(points->weight[i] * sqrt(c->distance2), c->facing_measure);
      }
    }
  }
  for (int k = 0; k < s->count; k++) {
    side[k] = !is_over[k]     ? 0.0
              : sum[k] == 0.0 ? side_within_sheet(s, &s->sheets[k])
                              : copysign(1.0, sum[k]);
  }
}

/* Finds on which side of a triangle's sheet the body is, and also the sides of as many other sheets
 * as there is capacity for. */
static void find_sides(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle) {
  sheet_searches s;
  double side[MO_MAX_KNOWN_SHEETS];
  s.surface = surface;
  s.center = sides->center;
  s.wanted_triangle = triangle;
  s.count = 0;
  s.overflowed = false;
  sides->planes_agree = find_sides_by_planes(sides, &s);
  if (!sides->planes_agree) {
    find_sides_by_points(sides, &s, side);
  }
  sides->count = s.count;
  for (int i = 0; i < s.count; i++) {
    sides->sheet[i] = s.sheets[i].sheet;
    sides->side[i] = (int8_t)(sides->planes_agree ? s.sheets[i].facing_measure : side[i]);
  }
}

/* The index of a sheet whose side is known; `count` if it is not. */
static int index_of_known_sheet(const mo_sheet_sides *sides, uint32_t sheet) {
  int low = 0, high = sides->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sides->sheet[middle] < sheet) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < sides->count && sides->sheet[low] == sheet ? low : sides->count;
}

/* Whether a triangle touches the segment from the centre to a point. Returns true also if rounding
 * errors leave this open. Corners and point are relative to the centre. */
static bool touches_line_of_sight(const mo_dvec3 corner[3], mo_dvec3 point) {
  const mo_dvec3 e = mo_dsub(corner[1], corner[0]), g = mo_dsub(corner[2], corner[0]),
                 normal = mo_dcross(e, g);
  const double from = -mo_ddot(normal, corner[0]), to = from + mo_ddot(normal, point);
  const double error_bound = MO_SIGNED_VOLUME_ERROR * mo_sum_of_magnitudes(e) *
                             mo_sum_of_magnitudes(g) *
                             (mo_sum_of_magnitudes(corner[0]) + mo_sum_of_magnitudes(point));
  if ((from > error_bound && to > error_bound) || (from < -error_bound && to < -error_bound)) {
    return false;
  }
  bool left = false, right = false; /* whether the line surely passes some edge on this side */
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 a = corner[i], b = corner[(i + 1) % 3];
    const double volume = mo_ddot(point, mo_dcross(a, b));
    const double error = MO_SIGNED_VOLUME_ERROR * mo_sum_of_magnitudes(point) *
                         mo_sum_of_magnitudes(a) * mo_sum_of_magnitudes(b);
    left = left || volume > error;
    right = right || volume < -error;
  }
  return !(left && right);
}

/* A line of sight from the centre to a point of a triangle. */
typedef struct line_of_sight {
  const mo_surface *surface;
  mo_dvec3 center;
  uint32_t triangle;
  mo_dvec3 point; /* relative to the centre */
  bool is_blocked;
} line_of_sight;

static bool block_line_of_sight(uint32_t triangle, void *context) {
  line_of_sight *s = context;
  mo_dvec3 corner[3];
  mo_surface_corners(s->surface, triangle, s->center, corner);
  s->is_blocked = triangle != s->triangle && touches_line_of_sight(corner, s->point);
  return !s->is_blocked;
}

static mo_region region_around(const line_of_sight *s) {
  const mo_dvec3 from = s->center, to = mo_dadd(from, s->point);
  return (mo_region){
      .kind = MO_REGION_BOX,
      .box = mo_aabb_around(
          mo_dvec(mo_dmin(from.x, to.x), mo_dmin(from.y, to.y), mo_dmin(from.z, to.z)),
          mo_dvec(mo_dmax(from.x, to.x), mo_dmax(from.y, to.y), mo_dmax(from.z, to.z)))};
}

/* Whether the centre of the body sees a point of a triangle. The point is relative to the
 * centre. */
static bool center_sees_point(const mo_sheet_sides *sides, const mo_surface *surface,
                              uint32_t triangle, mo_dvec3 point) {
  line_of_sight s = {
      .surface = surface, .center = sides->center, .triangle = triangle, .point = point};
  if (sides->triangles == NULL) {
    const mo_region region = region_around(&s);
    mo_surface_visit(surface, &region, block_line_of_sight, &s);
  }
  for (uint32_t i = 0; i < sides->triangle_count && !s.is_blocked; i++) {
    block_line_of_sight(sides->triangles[i], &s);
  }
  return !s.is_blocked;
}

/* Returns the side of a triangle that the body is on: `side`, the side of the whole sheet; or the
 * opposite side if the centre sees the triangle from there. */
static double visible_side(const mo_sheet_sides *sides, const mo_surface *surface,
                           uint32_t triangle, double side) {
  double of_plane[4];
  find_plane_sides(surface, sides->center, &triangle, 1, of_plane);
  if (of_plane[0] != -side) {
    return side;
  }
  mo_dvec3 corner[3], middle;
  mo_surface_corners(surface, triangle, sides->center, corner);
  const mo_dvec3 lower = mo_dsub(mo_widen(sides->region.box.lower), sides->center),
                 upper = mo_dsub(mo_widen(sides->region.box.upper), sides->center);
  return mo_triangle_find_clipped_middle(corner, lower, upper, &middle) &&
                 center_sees_point(sides, surface, triangle, middle)
             ? -side
             : side;
}

double mo_sheet_find_side_of_body(mo_sheet_sides *sides, const mo_surface *surface,
                                  uint32_t triangle) {
  const uint32_t own = mo_mesh_oriented_sheet(surface->mesh, triangle);
  int i = index_of_known_sheet(sides, own >> 1);
  if (i == sides->count) {
    find_sides(sides, surface, triangle);
    i = index_of_known_sheet(sides, own >> 1);
  }
  double side = (double)sides->side[i];
  if (side != 0.0 && !sides->planes_agree && sides->uses_visible_sides) {
    side = visible_side(sides, surface, triangle, side);
  }
  return own & 1 ? -side : side;
}
