// Bullet: a collision world with one height field, which refers to the caller's samples, with its
// accelerator: the lowest and highest sample of 16 x 16 cells. Rays use it, casts and contacts do
// not. A change writes the samples and makes the accelerator anew, as there is no other way.
#include "bullet_world.h"

#include <cmath>

extern "C" {
#include "timing.h"
}
#include "heights.h"

std::shared_ptr<btHeightfieldTerrainShape> bullet_heights(const bench_terrain *terrain) {
  const int side = int(terrain->side);
  auto field = std::make_shared<btHeightfieldTerrainShape>(
      side, side, terrain->heights, btScalar(0), BENCH_HEIGHT_LEVELS * BENCH_HEIGHT_UNIT, 1, false);
  field->buildAccelerator();
  return field;
}

btTransform bullet_heights_transform(const bench_terrain *terrain) {
  const btScalar half = btScalar(0.5) * btScalar(terrain->side - 1);
  return btTransform(btQuaternion::getIdentity(),
                     btVector3(half, BENCH_HEIGHT_LEVELS * BENCH_HEIGHT_UNIT / 2, half));
}

namespace {

struct World : bench_bullet::CollisionWorld {
  bench_terrain *terrain; // a copy: changes are written to it
  std::shared_ptr<btHeightfieldTerrainShape> field;
  btCollisionObject object;

  ~World() {
    world.removeCollisionObject(&object);
    field.reset();
    bench_terrain_free(terrain);
  }
};

void *create(const bench_height_engine *, const bench_terrain *terrain, double *seconds) {
  World *w = new World;
  w->terrain = bench_terrain_copy(terrain);
  double start = bench_clock();
  w->field = bullet_heights(w->terrain);
  *seconds = bench_clock() - start;
  w->object.setCollisionShape(w->field.get());
  w->object.setWorldTransform(bullet_heights_transform(terrain));
  w->world.addCollisionObject(&w->object);
  return w;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

// Two floats for each group of 16 x 16 cells.
size_t bytes(void *opaque) {
  const size_t side = static_cast<const World *>(opaque)->terrain->side, groups = (side + 14) / 16;
  return side * side * sizeof(float) + groups * groups * sizeof(btHeightfieldTerrainShape::Range) +
         sizeof(btHeightfieldTerrainShape);
}

void cast_rays(void *opaque, const bench_ray *rays, size_t count, float *t) {
  const World *w = static_cast<const World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    const mo_vec3 o = rays[i].origin, d = rays[i].direction;
    const btVector3 from(o.x, o.y, o.z), to = from + rays[i].max_t * btVector3(d.x, d.y, d.z);
    btCollisionWorld::ClosestRayResultCallback closest(from, to);
    w->world.rayTest(from, to, closest);
    t[i] = closest.hasHit() ? closest.m_closestHitFraction * rays[i].max_t : INFINITY;
  }
}

void edit_region(void *opaque, const bench_height_edit *region, const bench_terrain *) {
  World *w = static_cast<World *>(opaque);
  bench_terrain_edit(w->terrain->heights, w->terrain->side, region);
  w->field->buildAccelerator();
}

} // namespace

extern "C" {
extern const bench_query_engine bench_query_bullet;
extern const bench_step_engine bench_step_bullet;
extern const bench_height_engine bench_height_bullet;
}

namespace {

bench_height_engine engine() {
  bench_height_engine self = {};
  self.id = {"bullet", BENCH_BULLET_VERSION};
  self.slack = 1e-3;
  self.tolerated = 1e-3;
  self.queries = &bench_query_bullet;
  self.steps = &bench_step_bullet;
  self.misses = 0.04;
  self.create = create;
  self.destroy = destroy;
  self.bytes = bytes;
  self.cast_rays = cast_rays;
  self.edit = edit_region;
  return self;
}

} // namespace

const bench_height_engine bench_height_bullet = engine();
