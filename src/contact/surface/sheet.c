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
 * Mostly the centre is on the same side of the planes of all triangles that may have contacts,
 * which then decides without a search. Where it is not, single triangles are tested for being
 * visible: the centre sees a triangle if no other one touches the line of sight to the middle of
 * the triangle's part near the body. Then the sheet does not pass between the two, so the body is
 * on the side of this triangle's plane that the centre is on, even if another storey of the sheet
 * is closer and shows its other side. */
#include "contact/surface/sheet.h"

#include <float.h>

#include "base/assert.h"
#include "contact/body/body.h"
#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

/* Points are equally close if their squared distances differ by less than this fraction. */
static const double same_distance_tolerance = 0x1p-28;
/* Sine of the angle between a sheet, at a closest point on its border, and the direction from there
 * to the centre. With a smaller sine, the centre is beside the sheet, not over it. */
static const double min_border_elevation_sine = 0.5;

void mo_surface_visit(const mo_surface *surface, const mo_region *region,
                      bool (*report)(uint32_t triangle, void *context), void *context) {
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, region, surface->affine, surface->stats);
  overlap.report = report;
  overlap.context = context;
  mo_mesh_overlap_run(surface->mesh, surface->isa, &overlap);
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

/* The point of a sheet that is closest to a point of the body. */
typedef struct sheet_search {
  uint32_t sheet; /* the number of the sheet (mo_mesh::sheets) */
  /* the distance, in triangle indices, from `wanted_triangle` to the next triangle of this sheet:
   * contacts are computed in the order of triangles, so the sheets that are needed last are dropped
   * first */
  uint32_t indices_until_next_use;
  uint32_t triangle;     /* the closest triangle; of several, the one that faces the point most */
  double distance2;      /* its squared distance from the point */
  double facing_measure; /* how directly `triangle` faces the point; negative: its back does */
  bool at_border;        /* whether the sheet ends at the closest point */
  bool is_over;          /* some point of the body so far was over the sheet, not beside it */
  /* The weighted distance of the point, or in the end the sum of those of all such points; negative
   * behind the sheet. */
  double sum;
} sheet_search;

/* The searches for a sheet that is wanted, and, where all triangles near the body are visited, for
 * others. */
typedef struct sheet_searches {
  const mo_surface *surface;
  mo_dvec3 point;
  uint32_t wanted_triangle, wanted_sheet;
  double wanted_distance2; /* squared distance of the wanted sheet */
  bool adds_sheets;        /* a triangle of a sheet without a search begins one */
  bool overflowed;         /* there were too many sheets, so that some searches missed triangles */
  int count;
  sheet_search sheets[MO_MAX_KNOWN_SHEETS]; /* ascending by `sheet` */
} sheet_searches;

/* Whether the point of a triangle closest to the origin lies on an open edge (of one triangle). */
static bool is_closest_at_border(const mo_mesh *mesh, uint32_t triangle, const mo_dvec3 corner[3],
                                 double distance2) {
  for (int i = 0; i < 3; i++) {
    if (mo_edge_is_open(mesh, triangle, i)) {
      const mo_dvec3 edge[3] = {corner[i], corner[(i + 1) % 3], corner[i]};
      const mo_dvec3 to = mo_triangle_closest_point(edge, mo_dvec(0.0, 0.0, 0.0));
      if (mo_ddot(to, to) <= distance2 * (1.0 + same_distance_tolerance)) {
        return true;
      }
    }
  }
  return false;
}

static uint32_t sheet_of(const mo_mesh *mesh, uint32_t triangle) {
  return mo_mesh_oriented_sheet(mesh, triangle) >> 1;
}

/* The index of a sheet among `count` structs of `size` bytes, ascending by their first member, the
 * number of a sheet; or if it is not there, where it would be inserted. */
static int index_of_sheet(const void *structs, size_t size, int count, uint32_t sheet) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    const uint32_t *at = (const void *)((const char *)structs + (size_t)middle * size);
    if (*at < sheet) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The search for the sheet of a triangle; null if there is none. */
static sheet_search *find_search(sheet_searches *s, uint32_t triangle) {
  const uint32_t sheet = sheet_of(s->surface->mesh, triangle);
  const int i = index_of_sheet(s->sheets, sizeof *s->sheets, s->count, sheet);
  return i < s->count && s->sheets[i].sheet == sheet ? &s->sheets[i] : NULL;
}

static int search_with_latest_use(const sheet_searches *s) {
  int last = 0;
  for (int i = 1; i < s->count; i++) {
    last = s->sheets[i].indices_until_next_use > s->sheets[last].indices_until_next_use ? i : last;
  }
  return last;
}

/* Begins the search for the sheet of a triangle. Returns null if the array is full of searches for
 * sheets that are needed sooner. */
static sheet_search *add_search(sheet_searches *s, uint32_t triangle, uint32_t next_use) {
  if (s->count == MO_MAX_KNOWN_SHEETS) {
    const int last = search_with_latest_use(s);
    s->overflowed = true;
    if (next_use > s->sheets[last].indices_until_next_use) {
      return NULL;
    }
    s->count--;
    for (int k = last; k < s->count; k++) {
      s->sheets[k] = s->sheets[k + 1];
    }
  }
  const uint32_t sheet = sheet_of(s->surface->mesh, triangle);
  const int i = index_of_sheet(s->sheets, sizeof *s->sheets, s->count, sheet);
  for (int k = s->count++; k > i; k--) {
    s->sheets[k] = s->sheets[k - 1];
  }
  s->sheets[i] = (sheet_search){.sheet = sheet,
                                .indices_until_next_use = next_use,
                                .triangle = UINT32_MAX,
                                .distance2 = INFINITY};
  return &s->sheets[i];
}

/* Lowers the distance of the sheet of a triangle. Returns the triangle's squared distance; INFINITY
 * if its sheet is not searched for. */
static double lower_distance(sheet_searches *s, uint32_t triangle) {
  mo_dvec3 corner[3];
  sheet_search *c = find_search(s, triangle);
  const uint32_t next_use = triangle - s->wanted_triangle;
  if (c == NULL) {
    c = s->adds_sheets ? add_search(s, triangle, next_use) : NULL;
  }
  if (c == NULL) {
    return INFINITY;
  }
  c->indices_until_next_use =
      next_use < c->indices_until_next_use ? next_use : c->indices_until_next_use;
  mo_surface_corners(s->surface, triangle, s->point, corner);
  const mo_dvec3 to = mo_triangle_closest_point(corner, mo_dvec(0.0, 0.0, 0.0));
  const double distance2 = mo_ddot(to, to);
  c->distance2 = fmin(c->distance2, distance2);
  s->wanted_distance2 = c->sheet == s->wanted_sheet ? c->distance2 : s->wanted_distance2;
  return distance2;
}

static bool update_distance(uint32_t triangle, void *context) {
  lower_distance(context, triangle);
  return true;
}

/* A callback for each triangle: keeps it if it is at the distance of its sheet and faces the point
 * more directly than the triangle kept so far. */
static bool keep_most_facing(uint32_t triangle, void *context) {
  sheet_searches *s = context;
  sheet_search *c = find_search(s, triangle);
  if (c == NULL) {
    return true;
  }
  const double limit2 = c->distance2 * (1.0 + same_distance_tolerance);
  mo_dvec3 corner[3];
  mo_surface_corners(s->surface, triangle, s->point, corner);
  const mo_dvec3 to = mo_triangle_closest_point(corner, mo_dvec(0.0, 0.0, 0.0));
  if (mo_ddot(to, to) > limit2) {
    return true;
  }
  double error_bound;
  const mo_mesh *mesh = s->surface->mesh;
  const double facing = -mo_ddot(mo_surface_front_normal(s->surface, corner, &error_bound), to) *
                        (mo_mesh_oriented_sheet(mesh, triangle) & 1 ? -1.0 : 1.0);
  if (fabs(facing) > fabs(c->facing_measure) ||
      (fabs(facing) == fabs(c->facing_measure) && triangle < c->triangle)) {
    c->facing_measure = facing;
    c->triangle = triangle;
  }
  c->at_border = c->at_border || is_closest_at_border(mesh, triangle, corner, c->distance2);
  return true;
}

/* Boxes beyond this squared distance are not visited: it exceeds that of the sheet by more than
 * same_distance_tolerance, and what rounding may take off the distance of a triangle. */
static double visit_limit2_of(const sheet_searches *s) {
  return fmin(s->wanted_distance2 * (1.0 + 0x1p-20) + 0x1p-1000, DBL_MAX);
}

enum {
  MAX_CANDIDATES = 16,
  /* A sheet is tested for being small once a search for it has visited this many triangles of
   * other sheets. */
  MANY_OTHERS = 32,
};

/* The triangles of the wanted sheet, if it has at most MAX_CANDIDATES. A search of the mesh for
 * such a sheet would visit all triangles of other sheets that are closer to the point. */
typedef struct small_sheet {
  const mo_surface *surface;
  uint32_t sheet, count, triangles[MAX_CANDIDATES];
  bool is_tested, is_small; /* whether it has been tested for being small, and is so */
} small_sheet;

static bool list_if_of_sheet(uint32_t triangle, void *context) {
  small_sheet *s = context;
  if (sheet_of(s->surface->mesh, triangle) == s->sheet) {
    s->is_small = s->count < MAX_CANDIDATES;
    if (s->is_small) {
      s->triangles[s->count++] = triangle;
    }
  }
  return s->is_small;
}

/* A box around triangles, grown by more than rounding errors. */
static mo_aabb box_around(const mo_surface *surface, const uint32_t *triangles, uint32_t count) {
  mo_aabb box = mo_aabb_empty();
  for (uint32_t i = 0; i < count; i++) {
    mo_dvec3 c[3];
    mo_surface_corners(surface, triangles[i], mo_dvec(0.0, 0.0, 0.0), c);
    for (int k = 0; k < 3; k++) {
      box = mo_aabb_union(box, mo_aabb_around(c[k], c[k]));
    }
  }
  return mo_aabb_grown(box, 0x1p-20 * mo_sum_of_components(mo_aabb_max_coordinates(box)));
}

/* Lists the sheet of a triangle, if it is small. Triangles that share an edge with one in a box
 * touch the box; so the box is that around all triangles of the sheet once no other of them touches
 * it. */
static void list_small_sheet(small_sheet *s, const mo_surface *surface, uint32_t triangle) {
  s->surface = surface;
  s->sheet = sheet_of(surface->mesh, triangle);
  s->is_tested = s->is_small = true;
  s->count = 1;
  s->triangles[0] = triangle;
  uint32_t count;
  do {
    const mo_region region = {.kind = MO_REGION_BOX,
                              .box = box_around(surface, s->triangles, s->count)};
    count = s->count;
    s->count = 0;
    mo_surface_visit(surface, &region, list_if_of_sheet, s);
  } while (s->is_small && s->count > count);
}

/* A search for the point of the wanted sheet that is closest to a point. */
typedef struct mesh_search {
  sheet_searches *sheets;
  small_sheet *small;
  uint32_t other_count; /* visited triangles of other sheets */
  /* The triangles that may be at the distance of the sheet; if there are more than MAX_CANDIDATES,
   * only the first are stored. */
  uint32_t candidate_count, candidates[MAX_CANDIDATES];
} mesh_search;

static void add_candidate(mesh_search *s, uint32_t triangle) {
  const double before = s->sheets->wanted_distance2,
               distance2 = lower_distance(s->sheets, triangle);
  if (distance2 * (1.0 + same_distance_tolerance) < before) {
    s->candidate_count = 0;
  }
  if (distance2 <= before * (1.0 + same_distance_tolerance) && distance2 < INFINITY) {
    if (s->candidate_count < MAX_CANDIDATES) {
      s->candidates[s->candidate_count] = triangle;
    }
    s->candidate_count++;
  }
}

static void visit_candidate(const mo_vec3 corners[3], uint32_t triangle, mo_mesh_closest *query) {
  mesh_search *s = query->context;
  const mo_surface *surface = s->sheets->surface;
  (void)corners;
  if (sheet_of(surface->mesh, triangle) == s->sheets->wanted_sheet) {
    add_candidate(s, triangle);
    query->limit = visit_limit2_of(s->sheets);
  } else if (++s->other_count == MANY_OTHERS && !s->small->is_tested) {
    list_small_sheet(s->small, surface, s->sheets->wanted_triangle);
    query->limit = s->small->is_small ? -1.0 : query->limit; /* ends the search */
  }
}

static void keep_visited_if_most_facing(const mo_vec3 corners[3], uint32_t triangle,
                                        mo_mesh_closest *query) {
  const mesh_search *s = query->context;
  (void)corners;
  keep_most_facing(triangle, s->sheets);
}

/* Finds the point of the wanted sheet that is closest to a point: by a search of the mesh, unless
 * the sheet is small, or turns out to be. */
static void search_mesh(sheet_searches *sheets, small_sheet *small) {
  const mo_surface *surface = sheets->surface;
  mesh_search s = {.sheets = sheets, .small = small};
  mo_mesh_closest query;
  if (!small->is_small) {
    mo_mesh_closest_init(&query, surface->mesh, sheets->point, surface->affine, INFINITY);
    add_candidate(&s, sheets->wanted_triangle);
    query.context = &s;
    query.test = visit_candidate;
    query.limit = visit_limit2_of(sheets);
    mo_mesh_closest_find(&query, surface->isa, surface->mesh, surface->stats);
  }
  if (small->is_small) {
    s.candidate_count = 0;
    for (uint32_t i = 0; i < small->count; i++) {
      add_candidate(&s, small->triangles[i]);
    }
  }
  if (s.candidate_count > MAX_CANDIDATES) {
    query.test = keep_visited_if_most_facing;
    mo_mesh_closest_find(&query, surface->isa, surface->mesh, surface->stats);
  }
  for (uint32_t i = 0; i < s.candidate_count && s.candidate_count <= MAX_CANDIDATES; i++) {
    keep_most_facing(s.candidates[i], sheets);
  }
}

/* A list of the triangles in a region; `count` may exceed its capacity. */
typedef struct region_list {
  uint32_t *triangles, count;
} region_list;

static bool add_to_region_list(uint32_t triangle, void *context) {
  region_list *list = context;
  if (list->count < MO_MAX_LISTED_TRIANGLES) {
    list->triangles[list->count] = triangle;
  }
  list->count++;
  return true;
}

/* Lists all triangles in the region, if those that may have contacts are listed. */
static void list_region(mo_sheet_sides *sides, const mo_surface *surface) {
  if (sides->triangles == NULL || sides->lists_region) {
    return;
  }
  region_list list = {sides->triangles, 0};
  mo_surface_visit(surface, &sides->region, add_to_region_list, &list);
  const bool fits = list.count <= MO_MAX_LISTED_TRIANGLES;
  mo_sheet_sides_set_triangles(sides, fits ? list.triangles : NULL, fits ? list.count : 0, fits);
}

static void for_each_triangle(sheet_searches *s, const mo_sheet_sides *sides,
                              bool (*take)(uint32_t triangle, void *context)) {
  if (sides->triangles == NULL) {
    mo_surface_visit(s->surface, &sides->region, take, s);
    return;
  }
  for (uint32_t i = 0; i < sides->triangle_count; i++) {
    take(sides->triangles[i], s);
  }
}

/* Finds the points of sheets that are closest to a point, among the triangles near the body. */
static void search_near_body(sheet_searches *s, const mo_sheet_sides *sides) {
  for_each_triangle(s, sides, update_distance);
  s->adds_sheets = false;
  if (s->overflowed) {
    for_each_triangle(s, sides, update_distance);
  }
  for_each_triangle(s, sides, keep_most_facing);
}

static bool is_beside_sheet(const sheet_search *c) {
  return c->at_border && fabs(c->facing_measure) < min_border_elevation_sine * sqrt(c->distance2);
}

/* Finds the points closest to a point of the body, of the sheet of a triangle and of others. */
static void search_from_point(sheet_searches *s, const mo_sheet_sides *sides, uint32_t triangle,
                              small_sheet *small, mo_dvec3 point, double weight) {
  s->point = point;
  s->wanted_distance2 = INFINITY;
  for (int i = 0; i < s->count; i++) {
    sheet_search *c = &s->sheets[i];
    *c = (sheet_search){.sheet = c->sheet,
                        .indices_until_next_use = c->indices_until_next_use,
                        .triangle = UINT32_MAX,
                        .distance2 = INFINITY,
                        .is_over = c->is_over};
  }
  update_distance(triangle, s); /* even if it is not near the body */
  if (sides->points != NULL) {
    s->adds_sheets = false;
    search_mesh(s, small);
  } else {
    search_near_body(s, sides);
  }
  for (int i = 0; i < s->count; i++) {
    sheet_search *c = &s->sheets[i];
    if (!is_beside_sheet(c)) {
      c->is_over = true;
      c->sum = copysign(weight * sqrt(c->distance2), c->facing_measure);
    }
  }
}

/* The side of a sheet once all points are done. Within the sheet it is the front of its closest
 * triangle: so it does not depend on which triangle of the sheet decides what its front is. */
static double side_of(const sheet_search *c, const mo_mesh *mesh, uint32_t triangle) {
  const uint32_t closest = c->triangle != UINT32_MAX ? c->triangle : triangle;
  return !c->is_over     ? 0.0
         : c->sum == 0.0 ? (mo_mesh_oriented_sheet(mesh, closest) & 1 ? -1.0 : 1.0)
                         : copysign(1.0, c->sum);
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

/* Finds the side of a sheet by the planes of its listed triangles. Returns 0 if the centre is on
 * different sides of planes, if the sheet ends there, or if the triangles are not known. */
static double find_side_by_planes(const mo_sheet_sides *sides, const mo_surface *surface,
                                  uint32_t sheet) {
  double side[4], found = 0.0;
  for (uint32_t i = 0; i < sides->triangle_count; i++) {
    const uint32_t triangle = sides->triangles[i];
    if (i % 4 == 0) {
      find_plane_sides(surface, sides->center, &sides->triangles[i], sides->triangle_count - i,
                       side);
    }
    if (sheet_of(surface->mesh, triangle) == sheet) {
      if (side[i % 4] == 0.0 || side[i % 4] * found < 0.0 ||
          mo_has_open_edge(surface->mesh, triangle)) {
        return 0.0;
      }
      found = side[i % 4];
    }
  }
  return found;
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

/* Whether the centre of the body sees a point of a triangle. The point is relative to the
 * centre. */
static bool center_sees_point(const mo_sheet_sides *sides, const mo_surface *surface,
                              uint32_t triangle, mo_dvec3 point) {
  line_of_sight s = {
      .surface = surface, .center = sides->center, .triangle = triangle, .point = point};
  if (sides->triangles == NULL) {
    const mo_dvec3 from = s.center, to = mo_dadd(from, point);
    const mo_region region = {.kind = MO_REGION_BOX,
                              .box = mo_aabb_around(mo_dvec_min(from, to), mo_dvec_max(from, to))};
    mo_surface_visit(surface, &region, block_line_of_sight, &s);
  }
  for (uint32_t i = 0; i < sides->triangle_count && !s.is_blocked; i++) {
    block_line_of_sight(sides->triangles[i], &s);
  }
  return !s.is_blocked;
}

/* Returns the side of a triangle that the body is on: `side`, the side of the whole sheet; or the
 * opposite side if the centre sees the triangle from there. */
static double visible_side(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle,
                           double side) {
  double of_plane[4];
  find_plane_sides(surface, sides->center, &triangle, 1, of_plane);
  if (of_plane[0] != -side) {
    return side;
  }
  mo_dvec3 corner[3], middle;
  list_region(sides, surface);
  mo_surface_corners(surface, triangle, sides->center, corner);
  const mo_dvec3 lower = mo_dsub(mo_widen(sides->region.box.lower), sides->center),
                 upper = mo_dsub(mo_widen(sides->region.box.upper), sides->center);
  return mo_triangle_find_clipped_middle(corner, lower, upper, &middle) &&
                 center_sees_point(sides, surface, triangle, middle)
             ? -side
             : side;
}

static void add_known(mo_sheet_sides *sides, mo_sheet_side side) {
  const int i = index_of_sheet(sides->known, sizeof side, sides->count, side.sheet);
  if (i < sides->count && sides->known[i].sheet == side.sheet) {
    return;
  }
  for (int k = sides->count++; k > i; k--) {
    sides->known[k] = sides->known[k - 1];
  }
  sides->known[i] = side;
}

/* The distances of points of the body from a sheet, times their weights. */
typedef struct point_distances {
  uint32_t count;
  bool is_known[MO_MAX_SHEET_POINTS];
  double known[MO_MAX_SHEET_POINTS]; /* negative behind the sheet; 0 beside it, or if not known */
  double bound[MO_MAX_SHEET_POINTS]; /* upper bounds of the magnitudes */
} point_distances;

/* The next point to search from: the one that may be farthest from the sheet, weighted. MO_NONE if
 * the others can no longer change the sign of the sum. */
static uint32_t find_next_point(const point_distances *d) {
  double sum = 0.0, rest = 0.0, all = 0.0;
  uint32_t next = MO_NONE;
  for (uint32_t i = 0; i < d->count; i++) {
    sum += d->known[i];
    all += d->bound[i];
    rest += d->is_known[i] ? 0.0 : d->bound[i];
    if (!d->is_known[i] && (next == MO_NONE || d->bound[i] > d->bound[next])) {
      next = i;
    }
  }
  return fabs(sum) > rest + 0x1p-30 * all ? MO_NONE : next;
}

/* Searches from points of the body until the sign of the sum of their distances is known. None is
 * farther from the sheet than from a corner of the triangle. */
static void search_from_points(sheet_searches *s, const mo_sheet_sides *sides, uint32_t triangle) {
  const mo_sheet_points *points = sides->points;
  small_sheet small = {.is_tested = false};
  point_distances d = {.count = points->count};
  mo_dvec3 corner[3];
  uint32_t closest_to_last = UINT32_MAX;
  mo_surface_corners(s->surface, triangle, mo_dvec(0.0, 0.0, 0.0), corner);
  for (uint32_t i = 0; i < points->count; i++) {
    d.bound[i] = points->weight[i] * mo_dlength(mo_dsub(points->position[i], corner[0]));
  }
  for (uint32_t i = find_next_point(&d); i != MO_NONE; i = find_next_point(&d)) {
    search_from_point(s, sides, triangle, &small, points->position[i], points->weight[i]);
    MO_ASSERT(s->count == 1);
    d.is_known[i] = true;
    d.known[i] = s->sheets[0].sum;
    closest_to_last = i == points->count - 1 ? s->sheets[0].triangle : closest_to_last;
  }
  s->sheets[0].triangle = closest_to_last; /* decides if the sum is 0, whatever the order above */
  s->sheets[0].sum = 0.0;
  for (uint32_t i = 0; i < points->count; i++) {
    s->sheets[0].sum += d.known[i];
  }
}

/* Finds the side of a triangle's sheet, and maybe of others, by their points closest to those of
 * the body, or to its centre: the distances are summed, negative behind a sheet. */
__attribute__((noinline)) static void
add_sides_by_points(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle) {
  sheet_searches s;
  list_region(sides, surface);
  s.surface = surface;
  s.wanted_triangle = triangle;
  s.wanted_sheet = sheet_of(surface->mesh, triangle);
  s.adds_sheets = true; /* the wanted one; search_near_body adds others */
  s.overflowed = false;
  s.count = 0;
  if (sides->points != NULL) {
    search_from_points(&s, sides, triangle);
  } else {
    search_from_point(&s, sides, triangle, NULL, sides->center, 1.0);
  }
  sides->count = sides->count + s.count > MO_MAX_KNOWN_SHEETS ? 0 : sides->count;
  for (int i = 0; i < s.count; i++) {
    const sheet_search *c = &s.sheets[i];
    add_known(sides, (mo_sheet_side){c->sheet, (int8_t)side_of(c, surface->mesh, triangle), false});
  }
}

static void add_side(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle) {
  const uint32_t sheet = sheet_of(surface->mesh, triangle);
  const double side = find_side_by_planes(sides, surface, sheet);
  if (side == 0.0) {
    add_sides_by_points(sides, surface, triangle);
  } else {
    sides->count = sides->count == MO_MAX_KNOWN_SHEETS ? 0 : sides->count;
    add_known(sides, (mo_sheet_side){sheet, (int8_t)side, true});
  }
}

double mo_sheet_find_side_of_body(mo_sheet_sides *sides, const mo_surface *surface,
                                  uint32_t triangle) {
  const uint32_t own = mo_mesh_oriented_sheet(surface->mesh, triangle);
  int i = index_of_sheet(sides->known, sizeof *sides->known, sides->count, own >> 1);
  if (i == sides->count || sides->known[i].sheet != own >> 1) {
    add_side(sides, surface, triangle);
    i = index_of_sheet(sides->known, sizeof *sides->known, sides->count, own >> 1);
  }
  double side = (double)sides->known[i].side;
  if (side != 0.0 && !sides->known[i].planes_agree && sides->uses_visible_sides) {
    side = visible_side(sides, surface, triangle, side);
  }
  return own & 1 ? -side : side;
}
