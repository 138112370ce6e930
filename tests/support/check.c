/* What the checks share: comparing hits, and saying what differed. */
#include "support/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char why[2048];
static _Thread_local char ray_text[512];

const char *check_why(void) {
  return why;
}

bool check_failed(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  return false;
}

static bool same_float(float a, float b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return same_float(a.x, b.x) && same_float(a.y, b.y) && same_float(a.z, b.z);
}

bool check_same_hit(const mo_ray_hit *a, const mo_ray_hit *b) {
  if (!a->found || !b->found) {
    return a->found == b->found;
  }
  return a->shape.index == b->shape.index && a->shape.generation == b->shape.generation &&
         a->user_data == b->user_data && a->triangle == b->triangle &&
         a->triangle_user_data == b->triangle_user_data && same_float(a->t, b->t) &&
         same_vec3(a->point, b->point) && same_vec3(a->normal, b->normal) &&
         same_float(a->u, b->u) && same_float(a->v, b->v) && a->front == b->front;
}

const char *check_ray_text(const mo_ray_def *ray) {
  snprintf(ray_text, sizeof ray_text,
           "ray {%a, %a, %a} + t {%a, %a, %a}, t %a to %a, cull %d, ignore %u",
           (double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z,
           (double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z,
           (double)ray->min_t, (double)ray->max_t, ray->cull_back_faces, ray->ignore_triangle);
  return ray_text;
}
