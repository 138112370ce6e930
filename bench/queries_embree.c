/* Embree: closest points by point queries, over a mesh that is in the world already. The closest
 * point of a triangle is the caller's to find, after Ericson, Real-Time Collision Detection, 5.1.5.
 */
#include <math.h>
#include <stdlib.h>

#include "embree.h"
#include "queries.h"

typedef struct world {
  RTCDevice device;
  RTCScene scene;
  bench_mesh mesh; /* positions are its own */
} world;

static void *create(const bench_query_engine *engine, const bench_target *target) {
  (void)engine;
  if (target->boxes != NULL) {
    return NULL;
  }
  world *self = allocate(1, sizeof *self);
  self->mesh = *target->mesh;
  uint32_t count = self->mesh.triangles.vertex_count;
  self->mesh.triangles.positions = allocate((size_t)count + 1, sizeof(mo_vec3));
  mo_transform transform = bench_target_transform(target);
  for (uint32_t i = 0; i < count; i++) {
    self->mesh.triangles.positions[i] =
        mo_transform_point(&transform, target->mesh->triangles.positions[i]);
  }
  self->device = bench_embree_device();
  self->scene = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->scene, RTC_BUILD_QUALITY_HIGH);
  RTCGeometry geometry = bench_embree_triangles(self->device, &self->mesh, RTC_BUILD_QUALITY_HIGH);
  rtcAttachGeometry(self->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(self->scene);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  rtcReleaseScene(self->scene);
  rtcReleaseDevice(self->device);
  free(self->mesh.triangles.positions);
  free(self);
}

static bool can(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  return question->query == BENCH_QUERY_CLOSEST;
}

static inline mo_vec3 sub(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline float dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + s b + t c */
static inline mo_vec3 at(mo_vec3 a, mo_vec3 b, float s, mo_vec3 c, float t) {
  return (mo_vec3){a.x + s * b.x + t * c.x, a.y + s * b.y + t * c.y, a.z + s * b.z + t * c.z};
}

static mo_vec3 closest_on_triangle(mo_vec3 p, const mo_vec3 corner[3]) {
  mo_vec3 a = corner[0], ab = sub(corner[1], a), ac = sub(corner[2], a), ap = sub(p, a);
  float d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) {
    return a;
  }
  mo_vec3 bp = sub(p, corner[1]);
  float d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) {
    return corner[1];
  }
  float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    return at(a, ab, d1 / (d1 - d3), ac, 0);
  }
  mo_vec3 cp = sub(p, corner[2]);
  float d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) {
    return corner[2];
  }
  float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    return at(a, ab, 0, ac, d2 / (d2 - d6));
  }
  float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    float w = (d4 - d3) / (d4 - d3 + (d5 - d6));
    return at(corner[1], sub(corner[2], corner[1]), w, ac, 0);
  }
  float scale = 1 / (va + vb + vc);
  return at(a, ab, vb * scale, ac, vc * scale);
}

static bool visit(struct RTCPointQueryFunctionArguments *arguments) {
  const bench_mesh *mesh = arguments->userPtr;
  mo_vec3 corner[3], p = {arguments->query->x, arguments->query->y, arguments->query->z};
  bench_mesh_corners(mesh, arguments->primID, corner);
  mo_vec3 apart = sub(closest_on_triangle(p, corner), p);
  float distance = sqrtf(dot(apart, apart));
  if (distance >= arguments->query->radius) {
    return false;
  }
  arguments->query->radius = distance;
  return true;
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  (void)question;
  world *self = opaque;
  unsigned control = bench_embree_flush_denormals();
  for (size_t i = 0; i < count; i++) {
    mo_vec3 p = probes[i].center;
    struct RTCPointQuery query = {.x = p.x, .y = p.y, .z = p.z, .radius = INFINITY};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(self->scene, &query, &context, visit, &self->mesh);
    answers[i] = query.radius;
  }
  bench_embree_restore_denormals(control);
}

const bench_query_engine bench_query_embree = {
    .id = {EMBREE, "Embree " RTC_VERSION_STRING},
    .distance_tolerance = 1e-6,
    .create = create,
    .destroy = destroy,
    .can = can,
    .run = run,
};
