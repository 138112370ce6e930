#include <math.h>

#include "common/vector.h"
#include "physics-demo/collision.h"

/* Contacts of two bodies that become joints. */
enum { MAX_JOINTS = 8 };

/* What a point has going for it: how deep it is, and how far from those that are chosen. */
static float worth(const struct touch *points, uint32_t chosen, const struct touch *point) {
  float nearest = chosen > 0 ? INFINITY : 0.0f;
  for (uint32_t i = 0; i < chosen; i++) {
    mo_vec3 apart = vec3_sub(points[i].position, point->position);
    nearest = fminf(nearest, vec3_dot(apart, apart));
  }
  float depth = fmaxf(0.0f, SPECULATIVE_DISTANCE - point->separation);
  return chosen > 0 ? nearest + 4.0f * depth * depth : depth;
}

static void choose_first(struct touch *points, uint32_t count, uint32_t wanted) {
  for (uint32_t chosen = 0; chosen < wanted; chosen++) {
    uint32_t best = chosen;
    for (uint32_t i = chosen + 1; i < count; i++) {
      if (worth(points, chosen, &points[i]) > worth(points, chosen, &points[best])) {
        best = i;
      }
    }
    struct touch swapped = points[chosen];
    points[chosen] = points[best];
    points[best] = swapped;
  }
}

static void set_point(dContact *contact, const struct touch *point, double step) {
  mo_vec3 p = point->position, n = point->normal;
  const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
  const double along[3] = {(double)n.x, (double)n.y, (double)n.z};
  for (int d = 0; d < 3; d++) {
    contact->geom.pos[d] = at[d];
    contact->geom.normal[d] = along[d];
  }
  contact->geom.depth = fmax(0.0, -(double)point->separation);
  contact->surface.mode &= ~dContactMotionN;
  if (point->separation > 0.0f) { /* what is apart may close the gap within the step */
    contact->surface.mode |= dContactMotionN;
    contact->surface.motionN = -(double)point->separation / step;
  }
}

/* The root of the product is a choice: no rule is exact. */
static double combine_friction(float a, float b) {
  return sqrt((double)a * (double)b);
}

void join_bodies(struct world *world, const uint64_t bodies[2], struct touch *points,
                 uint32_t count, struct step_costs *costs) {
  const struct body *a = &world->bodies[bodies[0]], *b = &world->bodies[bodies[1]];
  bool awake = (a->ode != NULL && !a->asleep) || (b->ode != NULL && !b->asleep);
  if (count > MAX_JOINTS) {
    choose_first(points, count, MAX_JOINTS);
    count = MAX_JOINTS;
  }
  costs->touching_count += count > 0;
  dContact contact = {.surface = {.mode = dContactApprox1}};
  contact.surface.mu = combine_friction(a->friction, b->friction);
  if (a->bounce > 0.0f || b->bounce > 0.0f) {
    contact.surface.mode |= dContactBounce;
    contact.surface.bounce = (double)fmaxf(a->bounce, b->bounce);
    contact.surface.bounce_vel = 0.5;
  }
  for (uint32_t i = 0; i < count; i++) {
    costs->deepest = fmaxf(costs->deepest, -points[i].separation);
    if (awake) { /* ODE's normal leads into the first body */
      set_point(&contact, &points[i], world->step);
      dJointAttach(dJointCreateContact(world->ode, world->contacts, &contact), b->ode, a->ode);
      costs->joint_count++;
    }
  }
}
