/* ODE's own collision, to compare with: its sweep and prune, and its colliders. It knows no cones:
 * they are hulls with 24 sides. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/clock.h"
#include "common/vector.h"
#include "physics-demo/collision.h"

dSpaceID ode_space_create(void) {
  return dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY);
}

static dGeomID create_convex(dSpaceID space, struct solid *solid) {
  if (solid->ode_planes == NULL) {
    mo_hull *hull = solid->geometry.hull;
    mo_hull_info info;
    check(mo_hull_get_info(hull, &info), "measure a hull");
    uint32_t vertices = info.vertex_count, corner_count = 2 * info.edge_count;
    solid->ode_planes = allocate(4 * (size_t)info.face_count, sizeof(dReal));
    solid->ode_points = allocate(3 * (size_t)vertices, sizeof(dReal));
    solid->ode_polygons = allocate(info.face_count + corner_count, sizeof(unsigned));
    solid->face_count = info.face_count;
    solid->point_count = vertices;
    unsigned *polygon = solid->ode_polygons;
    for (uint32_t i = 0; i < info.face_count; i++) {
      mo_hull_face face; /* its normal leads inward */
      check(mo_hull_get_face(hull, i, &face, polygon + 1, vertices), "read a face");
      const mo_plane p = face.plane;
      const float plane[4] = {-p.normal.x, -p.normal.y, -p.normal.z, p.offset};
      for (uint32_t k = 0; k < 4; k++) {
        solid->ode_planes[4 * i + k] = (dReal)plane[k];
      }
      *polygon = face.vertex_count;
      polygon += 1 + face.vertex_count;
    }
    for (uint32_t i = 0; i < vertices; i++) {
      mo_vec3 p = solid->triangles.positions[i];
      const float point[3] = {p.x, p.y, p.z};
      for (uint32_t k = 0; k < 3; k++) {
        solid->ode_points[3 * i + k] = (dReal)point[k];
      }
    }
  }
  return dCreateConvex(space, solid->ode_planes, solid->face_count, solid->ode_points,
                       solid->point_count, solid->ode_polygons);
}

static dGeomID create_mesh(dSpaceID space, struct solid *solid) {
  if (solid->ode_mesh == NULL) {
    const struct triangles *t = &solid->triangles;
    solid->ode_mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(solid->ode_mesh, t->positions, sizeof *t->positions,
                                (int)t->vertex_count, t->indices, (int)(3 * t->triangle_count),
                                3 * sizeof *t->indices);
    /* Its colliders for hulls need them. */
    dGeomTriMeshDataPreprocess2(solid->ode_mesh, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
  }
  return dCreateTriMesh(space, solid->ode_mesh, NULL, NULL, NULL);
}

static dGeomID create_cone(struct world *world, mo_cone cone) {
  enum { SIDES = 24 };
  mo_vec3 points[SIDES + 1];
  for (int i = 0; i < SIDES; i++) {
    float angle = 6.2831853f * (float)i / SIDES;
    mo_vec3 out = vec3(cone.radius * cosf(angle), 0.0f, cone.radius * sinf(angle));
    points[i] = vec3_add(cone.b, out);
  }
  points[SIDES] = cone.a;
  return create_convex(world->space, world_keep(world, solid_of_points(points, SIDES + 1)));
}

static dGeomID create_geom(struct world *world, const struct body *body) {
  const mo_geometry *g = &body->geometry;
  dSpaceID space = world->space;
  mo_vec3 half = g->box.half_extents;
  switch (g->type) {
  case MO_SHAPE_SPHERE:
    return dCreateSphere(space, (dReal)g->sphere.radius);
  case MO_SHAPE_BOX:
    return dCreateBox(space, 2 * (dReal)half.x, 2 * (dReal)half.y, 2 * (dReal)half.z);
  case MO_SHAPE_CAPSULE:
    return dCreateCapsule(space, (dReal)g->capsule.radius,
                          (dReal)vec3_length(vec3_sub(g->capsule.a, g->capsule.b)));
  case MO_SHAPE_CYLINDER:
    return dCreateCylinder(space, (dReal)g->cylinder.radius,
                           (dReal)vec3_length(vec3_sub(g->cylinder.a, g->cylinder.b)));
  case MO_SHAPE_CONE:
    return create_cone(world, g->cone);
  case MO_SHAPE_HULL:
    return create_convex(space, body->solid);
  default:
    return create_mesh(space, body->solid);
  }
}

/* Capsules and cylinders lie along z in ODE. */
static void turn_to_y(const struct body *body, dGeomID geom) {
  if (body->geometry.type == MO_SHAPE_CAPSULE || body->geometry.type == MO_SHAPE_CYLINDER) {
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 1, 0, 0, -1.57079632679);
    dGeomSetOffsetRotation(geom, turn);
  }
}

dGeomID ode_geom_create(struct world *world, const struct body *body, uint32_t index) {
  dGeomID geom = create_geom(world, body);
  dGeomSetData(geom, (void *)(uintptr_t)index);
  if (body->ode != NULL) {
    dGeomSetBody(geom, body->ode);
    turn_to_y(body, geom);
    return geom;
  }
  const mo_transform *t = &body->transform;
  const dMatrix3 rotation = {
      (dReal)t->x_axis.x, (dReal)t->y_axis.x, (dReal)t->z_axis.x, 0,
      (dReal)t->x_axis.y, (dReal)t->y_axis.y, (dReal)t->z_axis.y, 0,
      (dReal)t->x_axis.z, (dReal)t->y_axis.z, (dReal)t->z_axis.z, 0,
  };
  dGeomSetRotation(geom, rotation);
  dGeomSetPosition(geom, (dReal)t->origin.x, (dReal)t->origin.y, (dReal)t->origin.z);
  return geom;
}

struct pair_list {
  const struct world *world;
  dGeomID (*pairs)[2];
  uint32_t count, capacity;
};

static uint64_t index_of(dGeomID geom) {
  return (uint64_t)(uintptr_t)dGeomGetData(geom);
}

static void add_pair(void *context, dGeomID a, dGeomID b) {
  struct pair_list *list = context;
  dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
  bool awake =
      (first != NULL && dBodyIsEnabled(first)) || (second != NULL && dBodyIsEnabled(second));
  if (!awake || world_are_linked(list->world, index_of(a), index_of(b))) {
    return;
  }
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 1024;
    list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
    if (list->pairs == NULL) {
      fail("cannot allocate %u pairs", list->capacity);
    }
  }
  list->pairs[list->count][0] = a;
  list->pairs[list->count++][1] = b;
}

static void collide_pair(struct world *world, dGeomID a, dGeomID b, struct step_costs *costs) {
  enum { MAX_OF_ODE = 16 };
  dContactGeom found[MAX_OF_ODE];
  struct touch points[MAX_OF_ODE];
  double start = processor_seconds();
  int count = dCollide(a, b, MAX_OF_ODE, found, sizeof *found);
  costs->contacts += processor_seconds() - start;
  for (int i = 0; i < count; i++) { /* its normals lead into the first body */
    const dReal *p = found[i].pos, *n = found[i].normal;
    points[i].position = vec3((float)p[0], (float)p[1], (float)p[2]);
    points[i].normal = vec3(-(float)n[0], -(float)n[1], -(float)n[2]);
    points[i].separation = -(float)found[i].depth;
  }
  const uint64_t bodies[2] = {index_of(a), index_of(b)};
  join_bodies(world, bodies, points, (uint32_t)count, costs);
}

void collide_by_ode(struct world *world, struct step_costs *costs) {
  static struct pair_list list; /* its memory is kept from step to step */
  list.world = world;
  list.count = 0;
  double start = processor_seconds();
  dSpaceCollide(world->space, &list, add_pair);
  costs->pairs = processor_seconds() - start;
  costs->pair_count = list.count;
  for (uint32_t i = 0; i < list.count; i++) {
    collide_pair(world, list.pairs[i][0], list.pairs[i][1], costs);
  }
  world_update_shapes(world); /* for the pictures */
}
