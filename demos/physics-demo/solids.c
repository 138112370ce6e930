/* Volume and inertia of meshes: sums over the tetrahedra between the origin and each triangle
 * (Blow and Binstock, "How to find the inertia tensor (or other mass properties) of a 3D solid body
 * represented by a triangle mesh", 2004). */
#include "physics-demo/solids.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

/* Sets volume and covariance, around the origin; returns the centre of mass. */
static mo_vec3 integrate(struct solid *solid) {
  const struct triangles *t = &solid->triangles;
  double first[3] = {0}, second[3][3] = {{0}}, volume = 0;
  for (uint32_t i = 0; i < t->triangle_count; i++) {
    double v[3][3], sum[3] = {0};
    for (int k = 0; k < 3; k++) {
      mo_vec3 p = t->positions[t->indices[3 * i + (uint32_t)k]];
      const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
      for (int d = 0; d < 3; d++) {
        v[k][d] = at[d];
        sum[d] += at[d];
      }
    }
    double determinant = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                         v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                         v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    volume += determinant / 6;
    for (int d = 0; d < 3; d++) {
      first[d] += determinant / 24 * sum[d];
      for (int e = 0; e < 3; e++) {
        double products = sum[d] * sum[e];
        for (int k = 0; k < 3; k++) {
          products += v[k][d] * v[k][e];
        }
        second[d][e] += determinant / 120 * products;
      }
    }
  }
  solid->volume = volume;
  memcpy(solid->covariance, second, sizeof second);
  return vec3((float)(first[0] / volume), (float)(first[1] / volume), (float)(first[2] / volume));
}

/* Shifts the triangles such that their centre of mass is the origin, and measures them there. */
static void center(struct solid *solid) {
  mo_vec3 middle = integrate(solid);
  if (!(solid->volume > 0.0)) {
    fail("a mesh that is to move has to be closed, with triangles that face outward");
  }
  for (uint32_t i = 0; i < solid->triangles.vertex_count; i++) {
    solid->triangles.positions[i] = vec3_sub(solid->triangles.positions[i], middle);
  }
  integrate(solid);
}

/* Contacts are those of one surface: nothing stumbles over inner edges. */
static mo_mesh *make_mesh(const struct triangles *triangles, bool editable) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = triangles->positions;
  def.vertex_count = triangles->vertex_count;
  def.indices = triangles->indices;
  def.triangle_count = triangles->triangle_count;
  def.build.edges = true;
  def.build.editable = editable;
  def.build.builder = editable ? MO_MESH_BUILDER_SINGLE : def.build.builder;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "build the octree of a mesh");
  return mesh;
}

static struct solid *solid_of_mesh(struct triangles *triangles, bool moves, bool editable) {
  struct solid *solid = allocate(1, sizeof *solid);
  solid->triangles = *triangles;
  if (moves) {
    center(solid);
  }
  solid->geometry =
      (mo_geometry){.type = MO_SHAPE_MESH, .mesh = make_mesh(&solid->triangles, editable)};
  return solid;
}

struct solid *solid_of_body(struct triangles *triangles) {
  return solid_of_mesh(triangles, true, false);
}

struct solid *solid_of_surface(struct triangles *triangles) {
  return solid_of_mesh(triangles, false, false);
}

struct solid *solid_of_editable_surface(struct triangles *triangles) {
  return solid_of_mesh(triangles, false, true);
}

/* The faces of a hull as fans of triangles. */
static struct triangles hull_triangles(const mo_hull *hull) {
  mo_hull_info info;
  check(mo_hull_get_info(hull, &info), "measure a hull");
  struct triangles out = {
      .positions = allocate(info.vertex_count, sizeof(mo_vec3)),
      .indices = allocate((size_t)6 * info.edge_count, sizeof(uint32_t)),
      .vertex_count = info.vertex_count,
  };
  check(mo_hull_get_vertices(hull, out.positions, info.vertex_count, NULL), "read a hull");
  uint32_t *corners = allocate(info.vertex_count, sizeof *corners);
  for (uint32_t i = 0; i < info.face_count; i++) {
    mo_hull_face face;
    check(mo_hull_get_face(hull, i, &face, corners, info.vertex_count), "read a face");
    for (uint32_t k = 2; k < face.vertex_count; k++) {
      uint32_t *triangle = &out.indices[3 * out.triangle_count++];
      triangle[0] = corners[0];
      triangle[1] = corners[k - 1];
      triangle[2] = corners[k];
    }
  }
  free(corners);
  return out;
}

static mo_hull *make_hull(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  mo_hull *hull;
  check(mo_hull_create(&def, &hull), "make a hull");
  return hull;
}

struct solid *solid_of_points(const mo_vec3 *points, uint32_t count) {
  struct solid *solid = allocate(1, sizeof *solid);
  mo_hull *hull = make_hull(points, count);
  solid->triangles = hull_triangles(hull);
  mo_hull_release(hull);
  center(solid);
  hull = make_hull(solid->triangles.positions, solid->triangles.vertex_count);
  solid->geometry = (mo_geometry){.type = MO_SHAPE_HULL, .hull = hull};
  return solid;
}

void solid_destroy(struct solid *solid) {
  if (solid->geometry.type == MO_SHAPE_MESH) {
    mo_mesh_release(solid->geometry.mesh);
  } else {
    mo_hull_release(solid->geometry.hull);
  }
  if (solid->ode_mesh != NULL) {
    dGeomTriMeshDataDestroy(solid->ode_mesh);
  }
  free(solid->ode_planes);
  free(solid->ode_points);
  free(solid->ode_polygons);
  triangles_free(&solid->triangles);
  free(solid);
}

static dMass mass_of_solid(const struct solid *solid, double density) {
  double inertia[3][3];
  double trace = solid->covariance[0][0] + solid->covariance[1][1] + solid->covariance[2][2];
  for (int d = 0; d < 3; d++) {
    for (int e = 0; e < 3; e++) {
      inertia[d][e] = density * ((d == e ? trace : 0) - solid->covariance[d][e]);
    }
  }
  dMass mass;
  dMassSetParameters(&mass, density * solid->volume, 0, 0, 0, inertia[0][0], inertia[1][1],
                     inertia[2][2], inertia[0][1], inertia[0][2], inertia[1][2]);
  return mass;
}

static dMass mass_of_cone(mo_cone cone, double density) {
  double height = (double)vec3_length(vec3_sub(cone.a, cone.b)), radius = (double)cone.radius;
  double all = density * 3.14159265358979 / 3 * radius * radius * height;
  double across = all * (0.15 * radius * radius + 0.0375 * height * height);
  dMass mass;
  dMassSetParameters(&mass, all, 0, 0, 0, across, 0.3 * all * radius * radius, across, 0, 0, 0);
  return mass;
}

dMass mass_of(const mo_geometry *geometry, const struct solid *solid, float density) {
  enum { ALONG_Y = 2 };
  double d = (double)density;
  dMass mass;
  switch (geometry->type) {
  case MO_SHAPE_SPHERE:
    dMassSetSphere(&mass, d, (double)geometry->sphere.radius);
    return mass;
  case MO_SHAPE_BOX: {
    mo_vec3 half = geometry->box.half_extents;
    dMassSetBox(&mass, d, 2 * (double)half.x, 2 * (double)half.y, 2 * (double)half.z);
    return mass;
  }
  case MO_SHAPE_CAPSULE: {
    mo_capsule c = geometry->capsule;
    dMassSetCapsule(&mass, d, ALONG_Y, (double)c.radius, (double)vec3_length(vec3_sub(c.a, c.b)));
    return mass;
  }
  case MO_SHAPE_CYLINDER: {
    mo_cylinder c = geometry->cylinder;
    dMassSetCylinder(&mass, d, ALONG_Y, (double)c.radius, (double)vec3_length(vec3_sub(c.a, c.b)));
    return mass;
  }
  case MO_SHAPE_CONE:
    return mass_of_cone(geometry->cone, d);
  default:
    return mass_of_solid(solid, d);
  }
}
