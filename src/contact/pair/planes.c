/* Groups the triangles near a body by their planes, and finds the sides of a block that are below
 * the top on which the body rests (see planes.h). Planes are found once for a batch of triangles;
 * the planes above each of them, and whether the body lies over it, when they are first needed. */
#include "contact/pair/planes.h"

#include "geometry/triangle/triangle.h"

/* Fraction of the size of the body: a point whose height over a plane is below this is in the
 * plane. Twice `same_plane` of surface.c. */
static const double in_plane = 0x1p-9;

static bool is_same_plane(const mo_surface *s, double size, const mo_near_plane *p,
                          const mo_near_plane *q) {
  return mo_surface_same_plane(&p->side, &q->side, size) && p->user_data == q->user_data &&
         (p->side.in_front == q->side.in_front || !s->search->cull_back_faces);
}

static uint8_t find_plane(mo_near_planes *near, const mo_surface *s, uint32_t triangle) {
  const uint32_t *user_data = s->mesh->mesh->user_data;
  mo_contact_body body;
  mo_surface_make_triangle(s, triangle, &body);
  const mo_near_plane own = {.side = mo_surface_side_of(s, &body),
                             .user_data = user_data != NULL ? user_data[triangle] : 0};
  if (mo_dlength(own.side.face) == 0.0) {
    return MO_NO_PLANE;
  }
  int i = 0;
  while (i < near->plane_count && !is_same_plane(s, near->size, &near->planes[i], &own)) {
    i++;
  }
  if (i == near->plane_count && i < MO_NEAR_PLANES) {
    near->planes[near->plane_count++] = own;
  }
  if (i < MO_NEAR_PLANES) {
    near->planes[i].count++;
  }
  return (uint8_t)i;
}

void mo_near_planes_find(mo_near_planes *near, const mo_surface *s) {
  near->plane_count = 0;
  for (uint32_t i = 0; i < near->count; i++) {
    near->plane_of[i] = find_plane(near, s, near->triangles[i]);
  }
}

static double height_over(const mo_surface *s, const mo_near_plane *plane, mo_dvec3 place) {
  return plane->side.height + mo_ddot(plane->side.face, mo_dsub(place, s->center));
}

/* An edge of a triangle, and its third corner. */
typedef struct edge_view {
  mo_dvec3 ends[2], middle, third;
} edge_view;

static edge_view view_edge(const mo_dvec3 corner[3], int edge) {
  const mo_dvec3 a = corner[edge], b = corner[(edge + 1) % 3];
  return (edge_view){{a, b}, mo_dscale(0.5, mo_dadd(a, b)), corner[(edge + 2) % 3]};
}

/* Whether a triangle is a neighbour at an edge, and its plane lies between the third corner and the
 * body's centre, the corner being off that plane by more than a degree. */
static bool is_above_edge(const mo_near_planes *near, const mo_surface *s, const edge_view *e,
                          uint32_t triangle) {
  mo_contact_body own;
  mo_surface_make_triangle(s, triangle, &own);
  const mo_dvec3 closest = mo_triangle_closest_point(own.corner, e->middle);
  if (!(mo_dlength(mo_dsub(closest, e->middle)) <= mo_surface_same_place * near->size)) {
    return false;
  }
  const mo_dvec3 normal = mo_dcross(mo_dsub(own.corner[1], own.corner[0]),
                                    mo_dsub(own.corner[2], own.corner[0])),
                 to_third = mo_dsub(e->third, e->middle);
  const double third = mo_ddot(normal, to_third);
  return mo_ddot(normal, mo_dsub(s->center, e->middle)) * third < 0.0 &&
         fabs(third) > mo_surface_slight_lean * mo_dlength(normal) * mo_dlength(to_third);
}

/* The planes of the neighbours that are above a triangle at one of its edges. */
static uint64_t planes_above_edge(const mo_near_planes *near, const mo_surface *s,
                                  const edge_view *e) {
  const double level = in_plane * near->size;
  uint64_t may = 0, above = 0;
  for (int i = 0; i < near->plane_count; i++) {
    const mo_near_plane *plane = &near->planes[i];
    const bool ends_there = fabs(height_over(s, plane, e->ends[0])) <= level &&
                            fabs(height_over(s, plane, e->ends[1])) <= level;
    may |= ends_there && height_over(s, plane, e->third) < level ? (uint64_t)1 << i : 0;
  }
  for (uint32_t i = 0; i < near->count && (may & ~above) != 0; i++) {
    const uint64_t bit = near->plane_of[i] == MO_NO_PLANE ? 0 : (uint64_t)1 << near->plane_of[i];
    if ((may & ~above & bit) != 0 && is_above_edge(near, s, e, near->triangles[i])) {
      above |= bit;
    }
  }
  return above;
}

/* The planes that a triangle ends at, from below, where the surface rises. */
static uint64_t planes_above_triangle(const mo_near_planes *near, const mo_surface *s,
                                      uint32_t triangle) {
  uint64_t above = 0;
  if (mo_surface_is_amid_flat(s, triangle)) {
    return above;
  }
  mo_contact_body body;
  mo_surface_make_triangle(s, triangle, &body);
  const bool in_front = mo_surface_side_of(s, &body).in_front;
  for (int i = 0; i < 3; i++) {
    if (mo_edge_at(s->mesh->mesh, triangle, i) != MO_MESH_EDGE_FLAT &&
        mo_surface_hides_edge(s, triangle, i, in_front)) {
      const edge_view e = view_edge(body.corner, i);
      above |= planes_above_edge(near, s, &e);
    }
  }
  return above;
}

/* The index of a triangle among those near the body, or `count`. */
static uint32_t index_of(const mo_near_planes *near, uint32_t triangle) {
  uint32_t first = 0, end = near->count;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    if (near->triangles[middle] < triangle) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first < near->count && near->triangles[first] == triangle ? first : near->count;
}

/* The planes near the body; near the whole mesh that it is a triangle of, found when first needed.
 */
static mo_near_planes *near_of(const mo_surface *s) {
  mo_whole_body *whole = s->whole;
  if (whole == NULL) {
    return s->near;
  }
  if (!whole->has_planes) {
    /* Relative to the mesh's centre, so that rounding is the same whichever triangle is first. */
    mo_surface from_center = *s;
    from_center.reference = whole->center;
    from_center.center = (mo_dvec3){0.0, 0.0, 0.0};
    s->near->size = whole->size;
    s->near->count =
        mo_surface_collect(s, &whole->region, 0, s->near->triangles, MO_NEAR_TRIANGLES);
    mo_near_planes_find(s->near, &from_center);
    whole->has_planes = true;
  }
  return s->near;
}

/* The plane of a triangle, with what it ends at; null if it is not known. */
static mo_near_plane *plane_of(const mo_surface *s, mo_near_planes *near, uint32_t triangle) {
  const uint32_t index = index_of(near, triangle);
  if (index == near->count || near->plane_of[index] == MO_NO_PLANE) {
    return NULL;
  }
  mo_near_plane *plane = &near->planes[near->plane_of[index]];
  if (!plane->knows_above) {
    plane->knows_above = true;
    for (uint32_t i = 0; i < near->count; i++) {
      if (near->plane_of[i] != MO_NO_PLANE &&
          mo_surface_same_plane(&near->planes[near->plane_of[i]].side, &plane->side, near->size)) {
        plane->above |= planes_above_triangle(near, s, near->triangles[i]);
      }
    }
  }
  return plane;
}

bool mo_surface_plane_ends(const mo_surface *s, uint32_t triangle) {
  const mo_near_plane *plane = plane_of(s, near_of(s), triangle);
  return plane != NULL && plane->above != 0;
}

/* Whether a convex body lies over a triangle of a plane. */
static bool is_under_body(const mo_surface *s, mo_near_planes *near, int number) {
  mo_near_plane *plane = &near->planes[number];
  if (!plane->knows_under_body) {
    plane->knows_under_body = true;
    for (uint32_t i = 0; i < near->count && !plane->is_under_body; i++) {
      if (near->plane_of[i] == number) {
        mo_contact_body own;
        mo_surface_make_triangle(s, near->triangles[i], &own);
        plane->is_under_body = mo_surface_contact_along(s, &own, plane->side.face).point_count > 0;
      }
    }
  }
  return plane->is_under_body;
}

/* Whether a mesh, given by its box in its own space, is nowhere below a plane by more than the
 * greatest separation. */
static bool lies_above(const mo_surface *s, const mo_near_planes *near,
                       const mo_near_plane *plane) {
  const mo_collider *c = s->whole->mesh;
  const mo_vec3 lower = c->mesh->bounds.lower, upper = c->mesh->bounds.upper;
  double lowest = INFINITY;
  for (int i = 0; i < 8; i++) {
    const mo_vec3 corner = {i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y,
                            i & 4 ? upper.z : lower.z};
    const mo_dvec3 place = mo_dsub(mo_affine_point_to_world(c->affine, corner), s->reference);
    lowest = fmin(lowest, height_over(s, plane, place));
  }
  return lowest >= -s->search->most - in_plane * near->size;
}

bool mo_surface_is_below_top(const mo_surface *s, uint32_t triangle, const mo_dvec3 corner[3],
                             bool anywhere) {
  mo_near_planes *near = near_of(s);
  const mo_near_plane *plane = plane_of(s, near, triangle);
  for (int i = 0; plane != NULL && i < near->plane_count; i++) {
    const mo_near_plane *top = &near->planes[i];
    double height = plane->above >> i & 1 ? -INFINITY : INFINITY;
    for (int k = 0; k < 3; k++) {
      height = fmax(height, height_over(s, top, corner[k]));
    }
    if (height <= in_plane * near->size &&
        (anywhere || (s->whole != NULL ? lies_above(s, near, top) : is_under_body(s, near, i)))) {
      return true;
    }
  }
  return false;
}
