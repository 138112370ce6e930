/* Quickhull: adds points to a hull; see build.h. */
#include "base/assert.h"
#include "geometry/hull/build.h"
#include "geometry/triangle/degenerate.h"
#include "geometry/triangle/triangle.h"

/* Pending triangles with at most this many points above them go to a stack, which improves cache
 * locality: 1.5 times the speed if most points are vertices. Other triangles go to a queue: with
 * points on two arcs, a stack would make fans of long triangles, 12 times the work. */
enum { MAX_OUTSIDE_POINTS_FOR_STACK = 32 };

static bool push(mo_hull_builder *b, mo_hull_list *list, uint32_t item) {
  if (mo_list_reserve(b->allocator, &list->list, sizeof item, 1) != MO_OK) {
    b->out_of_memory = true;
    return false;
  }
  list->items[list->count++] = item;
  return true;
}

bool mo_hull_builder_begin(mo_hull_builder *b, uint32_t count) {
  b->point_count = count;
  b->points = mo_allocate(b->allocator, (size_t)count + 1, sizeof *b->points);
  b->next = mo_allocate(b->allocator, (size_t)count + 1, sizeof *b->next);
  b->fan_triangle = mo_allocate(b->allocator, (size_t)count + 1, sizeof *b->fan_triangle);
  b->last_mark = 2;
  return b->points != NULL && b->next != NULL && b->fan_triangle != NULL;
}

void mo_hull_builder_end(mo_hull_builder *b) {
  const mo_allocator *allocator = b->allocator;
  size_t capacity = (size_t)b->point_count + (b->flat ? 0 : 1);
  mo_deallocate(allocator, b->points, capacity, sizeof *b->points);
  mo_deallocate(allocator, b->next, capacity, sizeof *b->next);
  mo_deallocate(allocator, b->fan_triangle, capacity, sizeof *b->fan_triangle);
  mo_deallocate(allocator, b->triangles, b->triangle_capacity, sizeof *b->triangles);
  mo_list_trim(allocator, &b->heap.list, sizeof *b->heap.items, 0);
  mo_hull_list *const lists[] = {&b->free_slots,    &b->visible,         &b->horizon,
                                 &b->new_triangles, &b->orphaned_points, &b->pending_queue,
                                 &b->pending_stack};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    mo_list_trim(allocator, &lists[i]->list, sizeof *lists[i]->items, 0);
  }
}

/* Returns a free triangle slot, or MO_NONE when out of memory. */
static uint32_t allocate_triangle(mo_hull_builder *b) {
  if (b->free_slots.count > 0) {
    return b->free_slots.items[--b->free_slots.count];
  }
  if (!mo_array_reserve(b->allocator, &b->triangles, sizeof *b->triangles, b->triangle_count,
                        &b->triangle_capacity, 1)) {
    b->out_of_memory = true;
    return MO_NONE;
  }
  return b->triangle_count++;
}

/* Adds a triangle. Its twins are not set, and no points are assigned to it. */
static uint32_t add_triangle(mo_hull_builder *b, uint32_t p, uint32_t q, uint32_t r) {
  uint32_t index = allocate_triangle(b);
  if (index == MO_NONE) {
    return MO_NONE;
  }
  mo_hull_triangle *t = &b->triangles[index];
  mo_vec3 origin = b->points[p];
  mo_dvec3 u = mo_coordinate_differences(b->points[q], origin),
           v = mo_coordinate_differences(b->points[r], origin);
  mo_dvec3 magnitude = mo_cross_term_magnitudes(u, v);
  t->normal = mo_dcross(u, v);
  t->origin = mo_widen(origin);
  t->error = MO_ORIENTATION_ERROR * mo_ddot(magnitude, b->extent);
  t->height = -INFINITY;
  t->vertex[0] = p;
  t->vertex[1] = q;
  t->vertex[2] = r;
  t->outside = t->farthest = MO_NONE;
  t->outside_count = 0;
  t->mark = 1;
  return index;
}

static void link_twins(mo_hull_builder *b, uint32_t half_edge, uint32_t twin) {
  b->triangles[half_edge / 3].twin[half_edge % 3] = twin;
  b->triangles[twin / 3].twin[twin % 3] = half_edge;
}

static void add_outside_point(mo_hull_builder *b, mo_hull_triangle *t, uint32_t point,
                              double height) {
  MO_ASSERT(t->mark != MO_HULL_REMOVED && point < b->point_count);
  b->next[point] = t->outside;
  t->outside = point;
  t->outside_count++;
  if (height > t->height) {
    t->height = height;
    t->farthest = point;
  }
}

/* Assigns a point to one of the given triangles: one that the point is strictly above, if there is
 * any. Triangles for which double precision decides are tried first. */
static void assign_point(mo_hull_builder *b, uint32_t point, const uint32_t *triangles,
                         uint32_t count) {
  mo_vec3 p = b->points[point];
  bool uncertain = false;
  for (uint32_t i = 0; i < count; i++) {
    mo_hull_triangle *t = &b->triangles[triangles[i]];
    double height = mo_triangle_height(t, p);
    if (height > t->error) {
      add_outside_point(b, t, point, height);
      return;
    }
    uncertain |= height >= -t->error;
  }
  for (uint32_t i = 0; uncertain && i < count; i++) {
    mo_hull_triangle *t = &b->triangles[triangles[i]];
    double height = mo_triangle_height(t, p);
    if (height >= -t->error && mo_triangle_side(b, t, point) > 0.0) {
      add_outside_point(b, t, point, height);
      return;
    }
  }
}

double mo_hull_point_distance(const mo_hull_builder *b, const mo_hull_triangle *t, uint32_t point) {
  mo_dvec3 corners[3];
  uint32_t apex = b->flat ? b->point_count - 1 : MO_NONE;
  for (int i = 0; i < 3; i++) {
    /* Of a triangle with the apex as a corner, only the edge in the plane of the points counts. */
    uint32_t vertex = t->vertex[i] == apex ? t->vertex[(i + 1) % 3] : t->vertex[i];
    corners[i] = mo_widen(b->points[vertex]);
  }
  mo_dvec3 p = mo_widen(b->points[point]);
  mo_dvec3 offset = mo_dsub(p, mo_triangle_closest_point(corners, p));
  return mo_dlength(offset);
}

/* The distance of a triangle's farthest point from the triangle: the key by which the next point is
 * chosen. */
static double farthest_distance(const mo_hull_builder *b, const mo_hull_triangle *t) {
  return mo_hull_point_distance(b, t, t->farthest);
}

/* The order of candidates: larger distance first, then lower point index. */
static bool candidate_before(const mo_hull_candidate *a, const mo_hull_candidate *b) {
  return a->distance != b->distance ? a->distance > b->distance : a->point < b->point;
}

static bool push_candidate(mo_hull_builder *b, uint32_t triangle) {
  if (mo_list_reserve(b->allocator, &b->heap.list, sizeof *b->heap.items, 1) != MO_OK) {
    b->out_of_memory = true;
    return false;
  }
  const mo_hull_triangle *t = &b->triangles[triangle];
  mo_hull_candidate candidate = {farthest_distance(b, t), t->farthest, triangle};
  uint32_t at = b->heap.count++;
  while (at > 0 && candidate_before(&candidate, &b->heap.items[(at - 1) / 2])) {
    b->heap.items[at] = b->heap.items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  b->heap.items[at] = candidate;
  return true;
}

static mo_hull_candidate pop_candidate(mo_hull_builder *b) {
  MO_ASSERT(b->heap.count > 0);
  mo_hull_candidate top = b->heap.items[0], last = b->heap.items[--b->heap.count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child + 1 < b->heap.count &&
        candidate_before(&b->heap.items[child + 1], &b->heap.items[child])) {
      child++;
    }
    if (child >= b->heap.count || !candidate_before(&b->heap.items[child], &last)) {
      b->heap.items[at] = last;
      return top;
    }
    b->heap.items[at] = b->heap.items[child];
    at = child;
  }
}

/* Adds a triangle to the pending ones if there are points above it. */
static bool push_pending(mo_hull_builder *b, uint32_t triangle) {
  if (b->triangles[triangle].outside == MO_NONE) {
    return true;
  }
  if (b->takes_farthest_point_first) {
    return push_candidate(b, triangle);
  }
  bool is_short = b->triangles[triangle].outside_count <= MAX_OUTSIDE_POINTS_FOR_STACK;
  return push(b, is_short ? &b->pending_stack : &b->pending_queue, triangle);
}

/* The next triangle whose farthest point is to be added, or MO_NONE. Triangles' slots are reused,
 * so pending entries may be stale and are checked. */
static uint32_t pop_pending(mo_hull_builder *b) {
  while (b->takes_farthest_point_first && b->heap.count > 0) {
    mo_hull_candidate candidate = pop_candidate(b);
    const mo_hull_triangle *t = &b->triangles[candidate.triangle];
    if (t->outside != MO_NONE && t->farthest == candidate.point &&
        farthest_distance(b, t) == candidate.distance) {
      return candidate.triangle;
    }
  }
  while (b->pending_stack.count > 0) {
    uint32_t triangle = b->pending_stack.items[--b->pending_stack.count];
    if (b->triangles[triangle].outside != MO_NONE) {
      return triangle;
    }
  }
  while (b->pending_queue_begin < b->pending_queue.count) {
    uint32_t triangle = b->pending_queue.items[b->pending_queue_begin++];
    if (b->triangles[triangle].outside != MO_NONE) {
      return triangle;
    }
  }
  return MO_NONE;
}

bool mo_hull_find_visible(mo_hull_builder *b, uint32_t first, uint32_t point) {
  b->last_mark += 2;
  const uint32_t hidden = b->last_mark, seen = b->last_mark + 1;
  b->visible.count = b->horizon.count = 0;
  b->triangles[first].mark = seen;
  if (!push(b, &b->visible, first)) {
    return false;
  }
  for (uint32_t i = 0; i < b->visible.count; i++) {
    uint32_t triangle = b->visible.items[i];
    for (uint32_t side = 0; side < 3; side++) {
      uint32_t neighbor = b->triangles[triangle].twin[side] / 3;
      mo_hull_triangle *t = &b->triangles[neighbor];
      if (t->mark != hidden && t->mark != seen) {
        bool is_seen = mo_triangle_side(b, t, point) > 0.0;
        t->mark = is_seen ? seen : hidden;
        if (is_seen && !push(b, &b->visible, neighbor)) {
          return false;
        }
      }
      if (t->mark == hidden && !push(b, &b->horizon, 3 * triangle + side)) {
        return false;
      }
    }
  }
  return true;
}

/* Collects the points above the visible triangles, except `point`, which is being added. The
 * triangles are then marked as removed, but stay readable. */
static bool gather_orphaned_points(mo_hull_builder *b, uint32_t point) {
  b->orphaned_points.count = 0;
  for (uint32_t i = 0; i < b->visible.count; i++) {
    mo_hull_triangle *t = &b->triangles[b->visible.items[i]];
    for (uint32_t p = t->outside; p != MO_NONE; p = b->next[p]) {
      if (p != point && !push(b, &b->orphaned_points, p)) {
        return false;
      }
    }
    t->outside = MO_NONE;
    t->mark = MO_HULL_REMOVED;
  }
  return true;
}

/* Makes the new triangles: one from each edge of the horizon to the new point. */
static bool add_fan(mo_hull_builder *b, uint32_t point) {
  b->new_triangles.count = 0;
  for (uint32_t i = 0; i < b->horizon.count; i++) {
    uint32_t edge = b->horizon.items[i];
    uint32_t from = mo_half_edge_origin(b, edge);
    uint32_t triangle =
        add_triangle(b, from, mo_half_edge_origin(b, mo_half_edge_next(edge)), point);
    if (triangle == MO_NONE || !push(b, &b->new_triangles, triangle)) {
      return false;
    }
    link_twins(b, 3 * triangle, mo_half_edge_twin(b, edge));
    b->fan_triangle[from] = triangle;
  }
  MO_ASSERT(b->new_triangles.count >= 3);
  for (uint32_t i = 0; i < b->new_triangles.count; i++) {
    uint32_t triangle = b->new_triangles.items[i];
    MO_ASSERT(b->triangles[b->fan_triangle[b->triangles[triangle].vertex[1]]].vertex[0] ==
              b->triangles[triangle].vertex[1]);
    link_twins(b, 3 * triangle + 1, 3 * b->fan_triangle[b->triangles[triangle].vertex[1]] + 2);
  }
  return true;
}

static bool add_farthest_point(mo_hull_builder *b, uint32_t triangle) {
  uint32_t point = b->triangles[triangle].farthest;
  if (!mo_hull_find_visible(b, triangle, point) || !gather_orphaned_points(b, point) ||
      !add_fan(b, point)) {
    return false;
  }
  for (uint32_t i = 0; i < b->visible.count; i++) {
    if (!push(b, &b->free_slots, b->visible.items[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < b->orphaned_points.count; i++) {
    assign_point(b, b->orphaned_points.items[i], b->new_triangles.items, b->new_triangles.count);
  }
  for (uint32_t i = 0; i < b->new_triangles.count; i++) {
    if (!push_pending(b, b->new_triangles.items[i])) {
      return false;
    }
  }
  b->vertex_count++;
  return true;
}

bool mo_hull_add_outside_points(mo_hull_builder *b, uint32_t limit) {
  while (b->vertex_count < limit) {
    uint32_t triangle = pop_pending(b);
    if (triangle == MO_NONE) {
      break;
    }
    if (!add_farthest_point(b, triangle)) {
      return false;
    }
  }
  return !b->out_of_memory;
}

/* Indices of the points with the smallest and the largest coordinate on an axis; of equal ones, the
 * first. */
static void find_extremes(const mo_hull_builder *b, int axis, uint32_t extremes[2]) {
  extremes[0] = extremes[1] = 0;
  for (uint32_t i = 1; i < b->point_count; i++) {
    float x = mo_get(b->points[i], axis);
    extremes[0] = x < mo_get(b->points[extremes[0]], axis) ? i : extremes[0];
    extremes[1] = x > mo_get(b->points[extremes[1]], axis) ? i : extremes[1];
  }
}

/* Sets `extent`, and the first two corners: the extreme points on the axis of the largest extent.
 */
static void find_longest_axis(mo_hull_builder *b, uint32_t corner[4]) {
  double extent[3];
  int longest = 0;
  for (int axis = 0; axis < 3; axis++) {
    uint32_t extremes[2];
    find_extremes(b, axis, extremes);
    extent[axis] =
        (double)mo_get(b->points[extremes[1]], axis) - (double)mo_get(b->points[extremes[0]], axis);
    if (axis == 0 || extent[axis] > extent[longest]) {
      longest = axis;
      corner[0] = extremes[0];
      corner[1] = extremes[1];
    }
  }
  b->extent = mo_dvec(extent[0], extent[1], extent[2]);
}

static bool is_on_line(const mo_hull_builder *b, const uint32_t corner[4], uint32_t point) {
  const mo_vec3 corners[3] = {b->points[corner[0]], b->points[corner[1]], b->points[point]};
  return mo_triangle_is_degenerate(corners);
}

/* Sets the third corner to a point far from the line through the first two; false if all points are
 * on that line. */
static bool find_third_corner(const mo_hull_builder *b, uint32_t corner[4]) {
  mo_dvec3 line = mo_coordinate_differences(b->points[corner[1]], b->points[corner[0]]);
  double max = -1.0;
  for (uint32_t i = 0; i < b->point_count; i++) {
    mo_dvec3 n = mo_dcross(line, mo_coordinate_differences(b->points[i], b->points[corner[0]]));
    double length2 = mo_ddot(n, n);
    if (length2 > max) {
      max = length2;
      corner[2] = i;
    }
  }
  for (uint32_t i = 0; i < b->point_count && is_on_line(b, corner, corner[2]); i++) {
    corner[2] = i;
  }
  return !is_on_line(b, corner, corner[2]);
}

/* A point far from the plane of a triangle, or MO_NONE if all points are in the plane. */
static uint32_t find_fourth_corner(const mo_hull_builder *b, const mo_hull_triangle *t) {
  double max = -1.0;
  uint32_t fourth = MO_NONE;
  for (uint32_t i = 0; i < b->point_count; i++) {
    double height = fabs(mo_triangle_height(t, b->points[i]));
    if (height > max) {
      max = height;
      fourth = i;
    }
  }
  for (uint32_t i = 0; max <= t->error && i < b->point_count; i++) {
    if (mo_triangle_side(b, t, i) != 0.0) {
      return i;
    }
  }
  return max > t->error ? fourth : MO_NONE;
}

/* Adds a point off the plane of a triangle: one of its corners, moved along the axis that is the
 * most nearly normal to it. */
static uint32_t add_apex(mo_hull_builder *b, const mo_vec3 corners[3]) {
  mo_dvec3 n = mo_orientation_normal(corners[0], corners[1], corners[2]);
  double reach = mo_dmax_magnitude(b->extent);
  mo_vec3 apex = corners[0];
  const int axis = mo_largest_of_three(fabs(n.x), fabs(n.y), fabs(n.z));
  float *moved = &apex.x + axis;
  double *extent = &b->extent.x + axis;
  float start = *moved;
  *moved = (float)((double)start + reach);
  *moved = *moved == start ? nextafterf(start, INFINITY) : *moved;
  *extent += (double)*moved - (double)start;
  b->flat = true;
  b->points[b->point_count] = apex;
  return b->point_count++;
}

/* Whether the fourth corner is above the plane of the first three. mo_triangle_side is not used:
 * the error bound of a triangle that was made before the apex is not valid for the apex. */
static bool fourth_corner_is_above(const mo_hull_builder *b, const uint32_t corner[4]) {
  const mo_vec3 corners[4] = {b->points[corner[0]], b->points[corner[1]], b->points[corner[2]],
                              b->points[corner[3]]};
  return mo_orientation(corners, 1.0) > 0.0;
}

mo_hull_span mo_hull_begin_simplex(mo_hull_builder *b) {
  uint32_t corner[4] = {0, 0, 0, 0};
  find_longest_axis(b, corner);
  if (corner[0] == corner[1]) {
    return MO_HULL_SPAN_POINT;
  }
  if (!find_third_corner(b, corner)) {
    return MO_HULL_SPAN_LINE;
  }
  uint32_t base = add_triangle(b, corner[0], corner[1], corner[2]);
  if (base == MO_NONE) {
    return MO_HULL_SPAN_SPACE;
  }
  corner[3] = find_fourth_corner(b, &b->triangles[base]);
  if (corner[3] == MO_NONE) {
    const mo_vec3 corners[3] = {b->points[corner[0]], b->points[corner[1]], b->points[corner[2]]};
    corner[3] = add_apex(b, corners);
  }
  if (fourth_corner_is_above(b, corner)) {
    uint32_t swapped = corner[0];
    corner[0] = corner[1];
    corner[1] = swapped;
  }
  /* Makes the base triangle again: its orientation and the extent may have changed. */
  b->triangle_count = 0;
  static const int corners_of[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const uint32_t twins[6][2] = {{0, 5}, {1, 8}, {2, 11}, {3, 10}, {4, 6}, {7, 9}};
  uint32_t triangles[4];
  for (int i = 0; i < 4; i++) {
    const int *c = corners_of[i];
    triangles[i] = add_triangle(b, corner[c[0]], corner[c[1]], corner[c[2]]);
    if (triangles[i] == MO_NONE) {
      return MO_HULL_SPAN_SPACE;
    }
  }
  for (int i = 0; i < 6; i++) {
    link_twins(b, twins[i][0], twins[i][1]);
  }
  for (uint32_t i = 0; i < b->point_count; i++) {
    assign_point(b, i, triangles, 4);
  }
  b->vertex_count = 4;
  for (uint32_t i = 0; i < 4; i++) {
    if (!push_pending(b, triangles[i])) {
      break;
    }
  }
  return b->flat ? MO_HULL_SPAN_PLANE : MO_HULL_SPAN_SPACE;
}
