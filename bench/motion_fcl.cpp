// FCL and Coal: obstacles in their manager over a dynamic AABB tree, meshes as trees of oriented
// bounding boxes with rectangle-swept spheres, hulls as their convex polytopes.
#include "fcl_coal.h"
#include "motion.h"

namespace {

struct World {
  const bench_motion_links *links;
  std::vector<std::unique_ptr<Object>> parts;
  std::vector<mo_aabb> boxes; // of links, in the configuration at hand
  std::vector<std::unique_ptr<Object>> obstacles;
  std::unique_ptr<Manager> manager;
};

Matrix axes_of(const mo_transform &pose) {
  Matrix axes;
  axes << vector_of(pose.x_axis), vector_of(pose.y_axis), vector_of(pose.z_axis);
  return axes;
}

Transform transform_of(const mo_transform &pose) {
  return make_transform(axes_of(pose), vector_of(pose.origin));
}

std::shared_ptr<Geometry> make_geometry(const bench_motion_body &body) {
  switch (body.shape) {
  case BENCH_MOTION_SPHERE:
    return std::make_shared<Sphere>(body.radius);
  case BENCH_MOTION_BOX:
    return std::make_shared<Box>(2 * vector_of(body.half));
  case BENCH_MOTION_CYLINDER:
    return std::make_shared<Cylinder>(body.radius, 2 * Real(body.half_length));
  case BENCH_MOTION_HULL:
    return make_hull(body.mesh->triangles);
  case BENCH_MOTION_MESH:
    break;
  }
  return make_model(body.mesh, 1);
}

void *create(const bench_motion_links *links) {
  World *self = new World;
  self->links = links;
  self->boxes.resize(links->count);
  for (uint32_t i = 0; i < links->first_part[links->count]; i++) {
    self->parts.emplace_back(new Object(make_geometry(links->parts[i]), Transform::Identity()));
  }
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

void load(void *opaque, const bench_motion_body *obstacles, size_t count) {
  World *self = static_cast<World *>(opaque);
  std::vector<Object *> all;
  self->manager.reset(new Manager);
  self->obstacles.clear();
  for (size_t i = 0; i < count; i++) {
    self->obstacles.emplace_back(
        new Object(make_geometry(obstacles[i]), transform_of(obstacles[i].pose)));
    self->obstacles.back()->computeAABB();
    all.push_back(self->obstacles.back().get());
  }
  self->manager->registerObjects(all);
  self->manager->setup();
}

bool collide(const Object *a, const Object *b) {
  CollisionResult result;
  return library::collide(a, b, make_request(1, false), result) > 0;
}

void place_parts(World *self, uint32_t link, const mo_transform &pose) {
  const Matrix axes = axes_of(pose);
  const Vector origin = vector_of(pose.origin);
  const Transform transform = make_transform(axes, origin);
  for (uint32_t i = self->links->first_part[link]; i < self->links->first_part[link + 1]; i++) {
    const bench_motion_body &body = self->links->parts[i];
    Object *part = self->parts[i].get();
    if (body.shape == BENCH_MOTION_SPHERE) {
      part->setTranslation(axes * vector_of(body.center) + origin);
    } else {
      part->setTransform(transform);
    }
    part->computeAABB();
  }
}

bool link_touches(World *self, uint32_t link) {
  bool found = false;
  for (uint32_t i = self->links->first_part[link]; i < self->links->first_part[link + 1] && !found;
       i++) {
    visit_overlaps(
        self->manager.get(),
        [&found](const Object *a, const Object *b) { return found = found || collide(a, b); },
        self->parts[i].get());
  }
  return found;
}

void check_links(void *opaque, const mo_transform *poses, size_t count, bool *touches) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < count * self->links->count; i++) {
    const uint32_t link = uint32_t(i % self->links->count);
    place_parts(self, link, poses[i]);
    touches[i] = link_touches(self, link);
  }
}

bool links_touch(const World *self, uint32_t a, uint32_t b) {
  const uint32_t *first = self->links->first_part;
  if (!bench_motion_boxes_touch(&self->boxes[a], &self->boxes[b])) {
    return false;
  }
  for (uint32_t i = first[a]; i < first[a + 1]; i++) {
    for (uint32_t k = first[b]; k < first[b + 1]; k++) {
      const Object *p = self->parts[i].get(), *q = self->parts[k].get();
      if (p->getAABB().overlap(q->getAABB()) && collide(p, q)) {
        return true;
      }
    }
  }
  return false;
}

bool touches_itself(const World *self) {
  for (uint32_t i = 0; i < self->links->pair_count; i++) {
    if (links_touch(self, self->links->pairs[i][0], self->links->pairs[i][1])) {
      return true;
    }
  }
  return false;
}

bool collides(World *self, const mo_transform *poses) {
  bool found = false;
  for (uint32_t link = 0; link < self->links->count; link++) {
    place_parts(self, link, poses[link]);
    self->boxes[link] = bench_motion_world_box(&self->links->bounds[link], &poses[link]);
  }
  for (uint32_t link = 0; link < self->links->count && !found; link++) {
    found = link_touches(self, link);
  }
  return found || touches_itself(self);
}

void check(void *opaque, const mo_transform *poses, size_t count, bool *answers) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    answers[i] = collides(self, &poses[i * self->links->count]);
  }
}

bool check_edge(void *opaque, const mo_transform *poses, size_t count) {
  World *self = static_cast<World *>(opaque);
  bool found = false;
  for (size_t i = 0; i < count && !found; i++) {
    found = collides(self, &poses[i * self->links->count]);
  }
  return found;
}

} // namespace

extern "C" const bench_motion_engine BENCH_FCL_COAL(bench_motion);
const bench_motion_engine BENCH_FCL_COAL(bench_motion) = {
    {BENCH_FCL_COAL_ID}, create, destroy, load, check_links, check, check_edge};
