/* What casts must list: the contacts of what moves with every solid and every triangle. */
#include <stdlib.h>

#include "geometry/cast/bounds.h"
#include "geometry/cast/half_space.h"
#include "geometry/cast/rotating.h"
#include "geometry/triangle/triangle.h"
#include "mesh/cast/cast.h"
#include "oracle/oracle.h"
#include "query/solid.h"

/* A cast under way: what is common to both kinds, and one of the two defs. */
typedef struct cast {
  const mo_sphere_cast_def *ball;
  const mo_shape_cast_def *body;
  const mo_cast_options *options;
  mo_vec3 displacement;
  const oracle_scene *oracle;
  const oracle_shape *shape; /* whose turn it is */
  oracle_list *contacts;
} cast;

static bool counts(const cast *c, uint32_t triangle, float t) {
  const mo_cast_options *options = c->options;
  mo_shape_id id = c->shape->id;
  if (triangle == options->ignore_triangle && id.index == options->ignore_triangle_shape.index &&
      id.generation == options->ignore_triangle_shape.generation) {
    return false;
  }
  const mo_mesh *mesh = c->oracle->meshes[c->shape->mesh].mesh;
  mo_dvec3 normal = mo_widen(mo_mesh_world_normal(mesh, triangle, &c->shape->affine));
  if (options->cull_back_faces && mo_ddot(normal, mo_widen(c->displacement)) > 0) {
    return false;
  }
  return options->accept_triangle == NULL ||
         options->accept_triangle((mo_triangle_ref){id, triangle, 0}, t, options->accept_context);
}

static void add(const cast *c, uint32_t triangle, double exact_t, double distance) {
  float t = (float)exact_t;
  if (t <= 1 && (triangle == MO_NO_TRIANGLE || counts(c, triangle, t))) {
    oracle_contact *contact = oracle_list_add(c->contacts, sizeof *contact);
    *contact = (oracle_contact){c->shape, triangle, t, t == 0 ? (float)distance : 0};
  }
}

static void meet_triangle(const cast *c, uint32_t index, const mo_vec3 corners[3]) {
  const oracle_shape *shape = c->shape;
  if (c->ball != NULL) {
    mo_dvec3 relative[3];
    for (int i = 0; i < 3; i++) {
      relative[i] = mo_dsub(mo_affine_point_to_world(&shape->affine, corners[i]),
                            mo_widen(c->ball->sphere.center));
    }
    mo_dvec3 to = mo_triangle_closest_point(relative, mo_dvec(0, 0, 0));
    add(c, index,
        mo_cast_sphere_triangle(relative, c->ball->sphere.radius, mo_widen(c->displacement)),
        sqrt(mo_ddot(to, to)));
    return;
  }
  mo_primitive triangle = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
  triangle.transform = shape->def.transform;
  const mo_movement movement = {c->displacement, c->body->pivot, c->body->axis, c->body->angle};
  mo_primitive_contact met;
  mo_result result =
      mo_primitive_cast_turning(&triangle, &c->body->primitive, &movement, false, &met);
  if (result == MO_OK && met.found) { /* others lie beyond the range of coordinates */
    add(c, index, met.t, -met.depth);
  }
}

static void meet_solid(const cast *c) {
  const oracle_shape *shape = c->shape;
  mo_half_space_body half_space;
  bool endless = oracle_half_space(shape, &half_space);
  const bool is_mesh = shape->def.geometry.type == MO_SHAPE_MESH; /* only by its bounds */
  const mo_body still =
      endless   ? mo_body_of_half_space(&half_space)
      : is_mesh ? mo_body_of_aabb(shape->bounds)
                : mo_geometry_body(&shape->def.geometry, &shape->def.transform, shape->own);
  if (c->ball != NULL) {
    const mo_moving_ball ball = {c->ball->sphere.center, c->ball->sphere.radius, c->displacement};
    mo_convex_contact met = mo_cast_sphere_body(&still, &ball, 1.5);
    add(c, MO_NO_TRIANGLE, met.t, met.distance);
    return;
  }
  mo_prepared_primitive primitive;
  oracle_expect(mo_primitive_prepare(&primitive, &c->body->primitive, NULL), "a primitive");
  const mo_movement movement = {c->displacement, c->body->pivot, c->body->axis, c->body->angle};
  mo_moving_body moving;
  oracle_expect(mo_moving_body_make(&moving, &primitive.body, &movement, NULL), "a motion");
  bool by_bounds = c->body->precision == MO_PRECISION_BOUNDS;
  mo_convex_contact met = !by_bounds ? mo_cast_convex(&still, &moving, 1.5)
                          : endless  ? mo_cast_bounds_at_half_space(&half_space, &moving)
                                     : mo_cast_bounds(shape->bounds, &moving);
  add(c, MO_NO_TRIANGLE, met.t, met.distance);
}

static int by_time(const void *a, const void *b) {
  const oracle_contact *x = a, *y = b;
  if (x->t != y->t) {
    return x->t < y->t ? -1 : 1;
  }
  if (x->shape != y->shape) {
    return x->shape->id.index < y->shape->id.index ? -1 : 1;
  }
  return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

/* Of the contacts with one mesh, from `first` on, leaves the one that its cast is to find. */
static void keep_first(oracle_list *contacts, uint32_t first) {
  oracle_contact *list = contacts->items;
  for (uint32_t i = first + 1; i < contacts->count; i++) {
    if (oracle_contact_is_before(&list[i], &list[first])) {
      list[first] = list[i];
    }
  }
  contacts->count = contacts->count > first ? first + 1 : first;
}

bool oracle_contact_is_before(const oracle_contact *a, const oracle_contact *b) {
  return a->t != b->t                 ? a->t < b->t
         : a->distance != b->distance ? a->distance < b->distance
         : a->shape != b->shape       ? a->shape->id.index < b->shape->id.index
                                      : a->triangle < b->triangle;
}

void oracle_scene_contacts(const oracle_scene *oracle, const mo_sphere_cast_def *ball,
                           const mo_shape_cast_def *body, oracle_list *contacts) {
  cast c = {ball,
            body,
            ball != NULL ? &ball->options : &body->options,
            ball != NULL ? ball->displacement : body->displacement,
            oracle,
            NULL,
            contacts};
  bool by_bounds = ball == NULL && body->precision == MO_PRECISION_BOUNDS;
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    c.shape = &oracle->shapes[i];
    mo_shape_type type = c.shape->def.geometry.type;
    if (!oracle_filter_passes(&c.options->filter, c.shape) ||
        (type == MO_SHAPE_VOLUME && !c.options->hit_volumes)) {
      continue;
    }
    if (type != MO_SHAPE_MESH || by_bounds) {
      meet_solid(&c);
      continue;
    }
    const oracle_mesh *mesh = &oracle->meshes[c.shape->mesh];
    uint32_t first = contacts->count;
    for (uint32_t k = 0; k < mesh->count; k++) {
      meet_triangle(&c, k, mesh->triangles[k].corners);
    }
    if (!c.options->every_triangle) {
      keep_first(contacts, first);
    }
  }
  if (contacts->count > 0) {
    qsort(contacts->items, contacts->count, sizeof(oracle_contact), by_time);
  }
}
