/* Which shapes are in the way of a shape that is to be placed. */
#include <math.h>

#include "geometry/distance/distance.h"
#include "geometry/solid/solids.h"
#include "oracle/oracle.h"

/* A shape with what is compared. */
typedef struct body {
  mo_shape_def def;
  mo_affine affine;
  mo_aabb bounds;
  mo_body body; /* not of a mesh */
  const oracle_triangle *triangles;
  uint32_t count;
} body;

/* `own` receives the triangles of a mesh that no shape of the scene has. */
static void make_body(body *b, const oracle_scene *oracle, const mo_shape_def *def, mo_aabb bounds,
                      oracle_mesh *own) {
  *b = (body){.def = *def, .bounds = bounds};
  oracle_expect(mo_affine_init(&b->affine, &def->transform), "a legal transform");
  const mo_geometry *g = &def->geometry;
  mo_half_space_body half_space;
  switch (g->type) {
    MO_CASES_OF_SOLIDS {
      mo_solid solid = mo_solid_read(mo_solid_kind_of(g->type), g);
      b->body = mo_body_of_solid(&solid, &def->transform);
      break;
    }
  case MO_SHAPE_VOLUME:
    b->body = mo_body_of_aabb(bounds);
    break;
  case MO_SHAPE_HALF_SPACE:
    oracle_expect(mo_half_space_make(&half_space, &g->half_space, &def->transform, NULL),
                  "a half-space");
    b->body = mo_body_of_half_space(&half_space);
    break;
  case MO_SHAPE_COMPOUND: /* the tests of compounds use flat scenes */
    break;
  case MO_SHAPE_MESH:
    for (uint32_t i = 0; i < oracle->mesh_count; i++) {
      if (oracle->meshes[i].mesh == g->mesh) {
        b->triangles = oracle->meshes[i].triangles;
        b->count = oracle->meshes[i].count;
        return;
      }
    }
    oracle_mesh_read(own, g->mesh);
    b->triangles = own->triangles;
    b->count = own->count;
    break;
  }
}

static void corners_of(const body *b, uint32_t triangle, mo_dvec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_affine_point_to_world(&b->affine, b->triangles[triangle].corners[i]);
  }
}

static double distance_of(mo_aabb a, mo_aabb b) {
  double x = fmax(fmax((double)b.lower.x - a.upper.x, (double)a.lower.x - b.upper.x), 0);
  double y = fmax(fmax((double)b.lower.y - a.upper.y, (double)a.lower.y - b.upper.y), 0);
  double z = fmax(fmax((double)b.lower.z - a.upper.z, (double)a.lower.z - b.upper.z), 0);
  return x * x + y * y + z * z;
}

static bool mesh_near(const body *mesh, const body *other, double clearance) {
  mo_dvec3 p[3], q[3];
  for (uint32_t i = 0; i < mesh->count; i++) {
    corners_of(mesh, i, p);
    if (other->def.geometry.type != MO_SHAPE_MESH) {
      const mo_body triangle = mo_body_of_triangle(p);
      if (mo_bodies_within(&other->body, &triangle, clearance)) {
        return true;
      }
      continue;
    }
    for (uint32_t j = 0; j < other->count; j++) {
      corners_of(other, j, q);
      const mo_body triangles[2] = {mo_body_of_triangle(p), mo_body_of_triangle(q)};
      if (mo_bodies_within(&triangles[0], &triangles[1], clearance)) {
        return true;
      }
    }
  }
  return false;
}

/* Of two bodies one of which is a half-space, which is itself. */
static bool is_by_bounds(const body *a, const body *b, double clearance) {
  const bool first = a->body.kind == MO_BODY_HALF_SPACE;
  if (first && b->body.kind == MO_BODY_HALF_SPACE) {
    return mo_half_space_within(&a->body, &b->body, clearance);
  }
  return mo_half_space_min_box_height(first ? &a->body.half_space : &b->body.half_space,
                                      first ? b->bounds : a->bounds) <= clearance;
}

static bool in_the_way(const body *a, const body *b, const mo_fit_def *def) {
  double clearance = def->clearance, distance2 = distance_of(a->bounds, b->bounds);
  bool endless = mo_either_is_half_space(&a->body, &b->body);
  if (b->def.geometry.type == MO_SHAPE_VOLUME && !def->hit_volumes) {
    return false;
  }
  if (!(a->def.category & b->def.mask) || !(b->def.category & a->def.mask)) {
    return false;
  }
  if (def->precision == MO_PRECISION_BOUNDS && endless) {
    return is_by_bounds(a, b, clearance);
  }
  if (def->precision == MO_PRECISION_BOUNDS) {
    return distance2 <= clearance * clearance;
  }
  if (!endless && oracle_far_apart(a->bounds, b->bounds) &&
      distance2 > 1.0001 * clearance * clearance) {
    return false;
  }
  if (a->def.geometry.type == MO_SHAPE_MESH) {
    return mesh_near(a, b, clearance);
  }
  if (b->def.geometry.type == MO_SHAPE_MESH) {
    return mesh_near(b, a, clearance);
  }
  return mo_bodies_within(&a->body, &b->body, clearance);
}

void oracle_scene_obstacles(const oracle_scene *oracle, const mo_shape_def *def, mo_aabb bounds,
                            const mo_fit_def *fit, oracle_list *shapes) {
  oracle_mesh own = {0}, none = {0};
  body placed, other;
  make_body(&placed, oracle, def, bounds, &own);
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    make_body(&other, oracle, &shape->def, shape->bounds, &none);
    if (oracle_filter_passes(&fit->filter, shape) && in_the_way(&placed, &other, fit)) {
      *(mo_shape_id *)oracle_list_add(shapes, sizeof(mo_shape_id)) = shape->id;
    }
  }
  oracle_mesh_free(&own);
}
