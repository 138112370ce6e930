/* Moves a reusable contact with its shapes: the points on each shape with that shape, and the
 * normal with the reference frame. In doubles, one lane for each coordinate. Compiled once per
 * instruction set. */
#include <math.h>

#include "base/assert.h"
#include "contact/manifold/reusable_contact.h"
#include "math/four.h"

/* The axes of a frame. The last lanes are those of what follows in memory. */
typedef struct frame_axes {
  mo_d4 x, y, z;
} frame_axes;

static inline frame_axes axes_of(const mo_shape_frame *frame) {
  return (frame_axes){mo_f4_widen(mo_f4_load(&frame->axes[0].x)),
                      mo_f4_widen(mo_f4_load(&frame->axes[1].x)),
                      mo_f4_widen(mo_f4_load(&frame->axes[2].x))};
}

static inline mo_d4 rotate(const frame_axes *axes, const mo_vec3 *v) {
  return axes->x * (double)v->x + axes->y * (double)v->y + axes->z * (double)v->z;
}

static inline mo_vec3 narrow(mo_d4 v) {
  return mo_f4_to_vec3(mo_d4_narrow(v));
}

uint8_t MO_ISA_FN(mo_reusable_contact_move)(const mo_reusable_contact *reusable,
                                            const mo_reusable_point *points,
                                            const mo_pair_poses *now, uint32_t reference,
                                            double max, mo_manifold *m) {
  const frame_axes a = axes_of(now->frames[0]), b = axes_of(now->frames[1]);
  const mo_d4 n = rotate(reference == 0 ? &a : &b, &reusable->normal);
  const mo_dvec3 normal = mo_dunit(mo_dvec(n[0], n[1], n[2]));
  MO_ASSERT(reusable->point_count <= MO_MAX_MANIFOLD_POINTS && mo_is_unit(normal));
  const mo_d4 origin = mo_d4_of_vector(now->origin), between = mo_d4_of_vector(now->offset);
  m->normal = mo_narrow(normal);
  m->touching = false;
  m->point_count = 0;
  uint32_t near_points = 0;
  for (uint32_t i = 0; i < reusable->point_count; i++) {
    const mo_d4 on_a = rotate(&a, &points[i].on_a), on_b = rotate(&b, &points[i].on_b);
    const mo_d4 offset = between + on_b - on_a, middle = on_a + offset * 0.5;
    mo_manifold_point *p = &m->points[m->point_count];
    p->position = narrow(origin + middle);
    p->anchor_a = narrow(middle);
    p->anchor_b = narrow(middle - between);
    p->separation = (float)(mo_ddot(mo_dvec(offset[0], offset[1], offset[2]), normal) +
                            (double)points[i].separation_correction);
    p->id = points[i].id;
    m->touching = m->touching || p->separation <= 0.0f;
    const uint32_t is_near = (double)p->separation <= max;
    m->point_count += is_near;
    near_points |= is_near << i;
  }
  return (uint8_t)near_points;
}
