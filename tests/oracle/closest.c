/* What queries for closest points, and for the first contacts of moving balls, must answer. */
#include "geometry/cast/half_space.h"
#include "geometry/solid/solids.h"
#include "geometry/triangle/triangle.h"
#include "oracle/oracle.h"

static void relative_corners(const oracle_shape *shape, const oracle_triangle *triangle,
                             mo_vec3 point, mo_dvec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner = mo_affine_point_to_world(&shape->affine, triangle->corners[i]);
    corners[i] = mo_dsub(corner, mo_widen(point));
  }
}

/* A geometry that is no mesh, by itself. */
static mo_primitive primitive_of(const oracle_shape *shape) {
  return mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
}

static double box_distance(mo_aabb box, mo_vec3 p) {
  mo_dvec3 below = mo_dsub(mo_widen(box.lower), mo_widen(p));
  mo_dvec3 above = mo_dsub(mo_widen(p), mo_widen(box.upper));
  double x = fmax(fmax(below.x, above.x), 0), y = fmax(fmax(below.y, above.y), 0);
  double z = fmax(fmax(below.z, above.z), 0);
  return sqrt(x * x + y * y + z * z);
}

static void closest_in_mesh(const oracle_mesh *mesh, const oracle_shape *shape, mo_vec3 point,
                            oracle_closest *best) {
  const mo_dvec3 here = {0, 0, 0};
  for (uint32_t i = 0; i < mesh->count; i++) {
    mo_dvec3 corners[3];
    relative_corners(shape, &mesh->triangles[i], point, corners);
    mo_dvec3 offset = mo_triangle_closest_point(corners, here);
    float distance = (float)sqrt(mo_ddot(offset, offset));
    if (distance < best->distance || (distance == best->distance && best->shape == NULL)) {
      *best = (oracle_closest){shape, i, distance, mo_dadd(mo_widen(point), offset), {0, 0, 0}};
      mo_triangle_closest_weights(corners, here, best->weights);
    }
  }
}

/* A shape in whose space a mesh lies as it is. */
static oracle_shape untransformed(void) {
  oracle_shape shape = {.def = mo_default_shape_def(MO_SHAPE_MESH)};
  oracle_expect(mo_affine_init(&shape.affine, &shape.def.transform), "mo_affine_init");
  return shape;
}

uint32_t oracle_mesh_closest(const oracle_mesh *oracle, mo_vec3 point, float max_distance,
                             float *distance) {
  oracle_shape shape = untransformed();
  oracle_closest best = {.triangle = MO_NO_TRIANGLE, .distance = max_distance};
  closest_in_mesh(oracle, &shape, point, &best);
  *distance = best.distance;
  return best.triangle;
}

static void closest_in_solid(const oracle_shape *shape, mo_vec3 point, oracle_closest *best) {
  mo_primitive primitive = primitive_of(shape);
  mo_primitive_distance found;
  oracle_expect(mo_primitive_closest_point(&primitive, point, INFINITY, &found),
                "mo_primitive_closest_point");
  bool endless = shape->def.geometry.type == MO_SHAPE_HALF_SPACE;
  double min = endless ? 0 : box_distance(shape->own, point);
  float distance = found.distance > 0 ? (float)fmax(found.distance, min) : 0;
  if (distance < best->distance || (distance == best->distance && best->shape == NULL)) {
    *best = (oracle_closest){
        shape, MO_NO_TRIANGLE, distance, mo_widen(distance > 0 ? found.point_a : point), {0, 0, 0}};
  }
}

static bool counts(const oracle_shape *shape, const mo_filter *filter, bool hit_volumes) {
  return oracle_filter_passes(filter, shape) &&
         (hit_volumes || shape->def.geometry.type != MO_SHAPE_VOLUME);
}

oracle_closest oracle_scene_closest(const oracle_scene *oracle, const mo_closest_def *def) {
  oracle_closest best = {.triangle = MO_NO_TRIANGLE, .distance = def->max_distance};
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (!counts(shape, &def->filter, def->hit_volumes)) {
      continue;
    }
    if (shape->def.geometry.type == MO_SHAPE_MESH) {
      closest_in_mesh(&oracle->meshes[shape->mesh], shape, def->point, &best);
    } else {
      closest_in_solid(shape, def->point, &best);
    }
  }
  return best;
}

static bool is_earlier(const oracle_cast *a, const oracle_cast *best) {
  if (a->t != best->t) {
    return a->t < best->t;
  }
  return best->shape == NULL || a->distance < best->distance;
}

static void cast_at_mesh(const oracle_mesh *mesh, const oracle_shape *shape,
                         const mo_sphere_cast_def *def, oracle_cast *best) {
  for (uint32_t i = 0; i < mesh->count; i++) {
    mo_dvec3 corners[3];
    relative_corners(shape, &mesh->triangles[i], def->sphere.center, corners);
    oracle_cast found = {.shape = shape, .triangle = i};
    found.t =
        (float)mo_cast_sphere_triangle(corners, def->sphere.radius, mo_widen(def->displacement));
    if (found.t == 0) {
      mo_dvec3 to = mo_triangle_closest_point(corners, mo_dvec(0, 0, 0));
      found.distance = (float)sqrt(mo_ddot(to, to));
    }
    if (is_earlier(&found, best)) {
      *best = found;
    }
  }
}

uint32_t oracle_mesh_cast(const oracle_mesh *oracle, mo_sphere ball, mo_vec3 displacement,
                          float *t) {
  oracle_shape shape = untransformed();
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  def.sphere = ball;
  def.displacement = displacement;
  oracle_cast best = {.triangle = MO_NO_TRIANGLE, .t = 1};
  cast_at_mesh(oracle, &shape, &def, &best);
  *t = best.t;
  return best.triangle;
}

static void cast_at_solid(const oracle_shape *shape, const mo_sphere_cast_def *def,
                          oracle_cast *best) {
  const mo_moving_ball ball = {def->sphere.center, def->sphere.radius, def->displacement};
  mo_half_space_body half_space;
  mo_solid solid;
  const mo_body body = oracle_half_space(shape, &half_space) ? mo_body_of_half_space(&half_space)
                       : mo_geometry_read_solid(&shape->def.geometry, &solid)
                           ? mo_body_of_solid(&solid, &shape->def.transform)
                           : mo_body_of_aabb(shape->own);
  const mo_convex_contact contact = mo_cast_sphere_body(&body, &ball, 1.5);
  oracle_cast found = {shape, MO_NO_TRIANGLE, (float)contact.t, 0};
  found.distance = found.t == 0 ? (float)contact.distance : 0;
  if (is_earlier(&found, best)) {
    *best = found;
  }
}

oracle_cast oracle_scene_cast(const oracle_scene *oracle, const mo_sphere_cast_def *def) {
  oracle_cast best = {.triangle = MO_NO_TRIANGLE, .t = 1};
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (!counts(shape, &def->options.filter, def->options.hit_volumes)) {
      continue;
    }
    if (shape->def.geometry.type == MO_SHAPE_MESH) {
      cast_at_mesh(&oracle->meshes[shape->mesh], shape, def, &best);
    } else {
      cast_at_solid(shape, def, &best);
    }
  }
  return best;
}
