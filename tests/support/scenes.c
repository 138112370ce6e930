/* Random scenes; see scenes.h. */
#include "support/scenes.h"

#include <math.h>
#include <stdlib.h>

#include "support/steady.h"

const char *test_scene_kind_name(test_scene_kind kind) {
  static const char *const names[] = {"plain",   "crowded", "flat",   "far",
                                      "extreme", "equal",   "uneven", "cylinders",
                                      "rounded", "cones",   "hulls",  "half-spaces"};
  return names[kind];
}

static void make_meshes(test_scene *scene, rng *r) {
  static const struct {
    test_mesh_kind kind;
    uint32_t size;
  } palette[TEST_SCENE_MESHES] = {
      {TEST_MESH_SPHERE, 80},  {TEST_MESH_BOX, 48},        {TEST_MESH_TERRAIN, 128},
      {TEST_MESH_SOUP, 60},    {TEST_MESH_TORUS, 150},     {TEST_MESH_ONE, 1},
      {TEST_MESH_ZERO, 0},     {TEST_MESH_DEGENERATE, 20}, {TEST_MESH_SLIVERS, 40},
      {TEST_MESH_LATTICE, 48}, {TEST_MESH_DUPLICATED, 60}, {TEST_MESH_IRREGULAR, 100},
  };
  counting_allocator_init(&scene->mesh_counter);
  for (int i = 0; i < TEST_SCENE_MESHES; i++) {
    test_mesh mesh = test_mesh_make(palette[i].kind, palette[i].size, r);
    mo_mesh_def def = test_mesh_def(&mesh);
    uint32_t *data = malloc((mesh.triangle_count + 1) * sizeof *data);
    for (uint32_t j = 0; j < mesh.triangle_count; j++) {
      data[j] = 3 * j + 1;
    }
    def.triangle_user_data = data;
    def.build.leaf_capacity = 2;
    def.build.duplicate_budget = 2;
    def.build.compact = i % 3 == 1;
    def.host = counting_allocator_host(&scene->mesh_counter);
    oracle_expect(mo_mesh_create(&def, &scene->meshes[i]), mesh.name);
    free(data);
    test_mesh_free(&mesh);
  }
}

static void make_hulls(test_scene *scene) {
  mo_host host = counting_allocator_host(&scene->mesh_counter);
  for (int i = 0; i < TEST_HULL_KINDS; i++) {
    scene->hulls[i] = test_hull_make((test_hull_kind)i, &host);
  }
}

/* What an axis of the world is multiplied by: to exactly 0 now and then. */
static float zero_or(float scale, rng *r) {
  return rng_below(r, 6) == 0 ? 0 : scale;
}

static void scale_world(mo_transform *t, mo_vec3 scale, rng *r) {
  scale.x = zero_or(scale.x, r);
  scale.y = zero_or(scale.y, r);
  scale.z = zero_or(scale.z, r);
  mo_vec3 *columns[4] = {&t->x_axis, &t->y_axis, &t->z_axis, &t->origin};
  for (int i = 0; i < 4; i++) {
    columns[i]->x *= scale.x;
    columns[i]->y *= scale.y;
    columns[i]->z *= scale.z;
  }
}

/* Three scales at least 1e7 apart, of which two may be the same. */
static mo_vec3 uneven_scale(rng *r) {
  static const float scales[] = {1e-8f, 1, 1e7f, 1e15f};
  uint32_t first = rng_below(r, 4), second = (first + 1 + rng_below(r, 3)) % 4;
  float s[3] = {scales[first], scales[second], scales[rng_below(r, 4)]};
  uint32_t turn = rng_below(r, 3);
  return (mo_vec3){s[turn], s[(turn + 1) % 3], s[(turn + 2) % 3]};
}

mo_transform test_scene_transform(const test_scene *scene, rng *r) {
  static const rng_transform_kind common[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                              RNG_SHEAR, RNG_MIRROR,        RNG_FLAT,
                                              RNG_LINE,  RNG_POINT,         RNG_SLIVER};
  static const rng_transform_kind flat[] = {RNG_FLAT, RNG_LINE, RNG_POINT, RNG_SLIVER, RNG_SHEAR};
  rng_transform_kind kind = common[rng_below(r, scene->kind == TEST_SCENE_HALF_SPACES ? 5 : 9)];
  if (scene->kind == TEST_SCENE_FLAT) {
    kind = flat[rng_below(r, 5)];
  } else if (scene->kind == TEST_SCENE_FAR && rng_below(r, 3) == 0) {
    kind = RNG_FAR;
  } else if (scene->kind == TEST_SCENE_EXTREME && rng_below(r, 3) == 0) {
    kind = rng_below(r, 4) ? RNG_TINY : RNG_HUGE;
  }
  mo_transform t = rng_transform(r, kind, scene->spread);
  if (scene->kind == TEST_SCENE_EQUAL) {
    t.origin = (mo_vec3){(float)rng_below(r, 3), 0, 0};
    if (rng_below(r, 2)) {
      t.x_axis = (mo_vec3){1, 0, 0};
      t.y_axis = (mo_vec3){0, 1, 0};
      t.z_axis = (mo_vec3){0, 0, 1};
    }
  }
  /* Mirror any kind, also those that cannot be inverted. */
  if (rng_below(r, 4) == 0) {
    t.y_axis = (mo_vec3){-t.y_axis.x, -t.y_axis.y, -t.y_axis.z};
  }
  if (scene->kind == TEST_SCENE_UNEVEN) {
    scale_world(&t, scene->scale, r);
  }
  return t;
}

/* Some as thin as a needle or as flat as a coin. */
static mo_cone random_cone(mo_vec3 apex, float size, rng *r) {
  mo_cone cone = {apex, {apex.x, apex.y - 0.5f, apex.z}, size};
  if (rng_below(r, 4)) {
    mo_vec3 axis = rng_direction(r);
    float height = rng_below(r, 6) ? rng_float(r, 0.1f, 2) : 1e-5f;
    cone.b = mo_add(apex, mo_scale(height, axis));
  }
  if (rng_below(r, 6) == 0) {
    cone.radius *= 1e-6f;
  }
  return cone;
}

/* Every third along an axis; normals of any length. */
static mo_half_space random_half_space(rng *r) {
  mo_half_space half_space = {{0, 1, 0}, rng_float(r, -1, 1)};
  if (rng_below(r, 3)) {
    mo_vec3 normal = rng_direction(r);
    half_space.normal = mo_scale(rng_float(r, 0.01f, 10), normal);
  }
  return half_space;
}

/* Turns a half-space away from the middle of the scene more often than not, so that there is
 * something outside. */
static void turn_away(mo_shape_def *def, rng *r) {
  mo_half_space_body h;
  const mo_dvec3 middle = {0, 0, 0};
  bool turns = rng_below(r, 5) != 0;
  oracle_expect(mo_half_space_make(&h, &def->geometry.half_space, &def->transform, NULL),
                "a half-space");
  if (turns && mo_half_space_height(&h, middle) < 0) {
    mo_half_space *g = &def->geometry.half_space;
    *g = (mo_half_space){mo_scale(-1, g->normal), -g->offset};
  }
}

mo_geometry test_scene_geometry(const test_scene *scene, rng *r) {
  mo_geometry g = {.type = (mo_shape_type)rng_below(r, 5)};
  if (rng_below(r, 3) == 0) {
    g.type = MO_SHAPE_MESH;
  }
  bool rounded = scene->kind == TEST_SCENE_ROUNDED;
  if ((rounded || scene->kind == TEST_SCENE_CYLINDERS) && rng_below(r, 3) == 0) {
    g.type = MO_SHAPE_CYLINDER;
  }
  if (scene->kind == TEST_SCENE_CONES && rng_below(r, 3) == 0) {
    g.type = MO_SHAPE_CONE;
  }
  if (scene->kind == TEST_SCENE_HULLS && rng_below(r, 3) == 0) {
    g.type = MO_SHAPE_HULL;
  }
  if (scene->kind == TEST_SCENE_HALF_SPACES && rng_below(r, 12) == 0) {
    g.type = MO_SHAPE_HALF_SPACE;
  }
  mo_vec3 c = rng_below(r, 2) ? (mo_vec3){0, 0, 0} : rng_vec3(r, -1, 1);
  float size = rng_below(r, 8) ? rng_float(r, 0.1f, 1) : 0;
  switch (g.type) {
  case MO_SHAPE_MESH:
    g.mesh = scene->meshes[rng_below(r, TEST_SCENE_MESHES)];
    break;
  case MO_SHAPE_SPHERE:
    g.sphere = (mo_sphere){c, size};
    break;
  case MO_SHAPE_BOX:
    g.box.center = c;
    g.box.half_extents.x = size;
    g.box.half_extents.y = rng_float(r, 0, 1);
    g.box.half_extents.z = rng_below(r, 8) ? 0.5f : 0;
    break;
  case MO_SHAPE_CAPSULE:
    g.capsule.a = c;
    g.capsule.b = rng_below(r, 8) ? rng_vec3(r, -1, 1) : c;
    g.capsule.radius = size;
    break;
  case MO_SHAPE_CYLINDER:
    g.cylinder = (mo_cylinder){c, {c.x, c.y + 0.5f, c.z}, size};
    if (rng_below(r, 4)) {
      mo_vec3 axis = rng_direction(r);
      g.cylinder.b = mo_add(c, mo_scale(rng_float(r, 0.1f, 2), axis));
    }
    break;
  case MO_SHAPE_CONE:
    g.cone = random_cone(c, size, r);
    if (rng_below(r, 3) == 0) {
      g.rounding = rng_below(r, 8) ? rng_float(r, 0, 0.7f) : 1e-6f;
    }
    break;
  case MO_SHAPE_HULL:
    g.hull = scene->hulls[rng_below(r, TEST_HULL_KINDS)];
    if (rng_below(r, 3) == 0) {
      g.rounding = rng_below(r, 8) ? rng_float(r, 0, 0.7f) : 1e-6f;
    }
    break;
  case MO_SHAPE_VOLUME:
    g.volume = (mo_aabb){c, {c.x + size, c.y + rng_float(r, 0, 1), c.z + size}};
    break;
  case MO_SHAPE_HALF_SPACE:
    g.half_space = random_half_space(r);
    break;
  case MO_SHAPE_COMPOUND: /* scenes of children are made by the tests of compounds */
    break;
  }
  if (rounded && g.type != MO_SHAPE_MESH && g.type != MO_SHAPE_VOLUME && rng_below(r, 4)) {
    g.rounding = rng_below(r, 8) ? rng_float(r, 0, 0.7f) : 1e-6f;
  }
  return g;
}

void test_scene_add(test_scene *scene, rng *r) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.geometry = test_scene_geometry(scene, r);
  def.transform = test_scene_transform(scene, r);
  if (def.geometry.type == MO_SHAPE_HALF_SPACE) {
    turn_away(&def, r);
  }
  def.category = 1ull << rng_below(r, 4);
  def.mask = rng_below(r, 2) ? UINT64_MAX : rng_below(r, 16);
  def.user_data = rng_u64(r);
  if (scene->count == scene->capacity) {
    scene->capacity = scene->capacity ? 2 * scene->capacity : 64;
    scene->ids = oracle_need(realloc(scene->ids, scene->capacity * sizeof *scene->ids));
  }
  oracle_expect(scene_family_add(&scene->family, &def, &scene->ids[scene->count++]), "adding");
}

void test_scene_remove(test_scene *scene, uint32_t which) {
  oracle_expect(scene_family_remove(&scene->family, scene->ids[which]), "removing");
  scene->ids[which] = scene->ids[--scene->count];
}

void test_scene_make(test_scene *scene, test_scene_kind kind, uint32_t shapes, rng *r) {
  *scene = (test_scene){.kind = kind, .scale = {1, 1, 1}};
  if (kind == TEST_SCENE_UNEVEN) {
    scene->scale = uneven_scale(r);
  }
  scene->spread = kind == TEST_SCENE_CROWDED ? 1 : 3 * steady_cube_root((float)shapes);
  make_meshes(scene, r);
  if (kind == TEST_SCENE_HULLS) {
    make_hulls(scene);
  }
  scene_family_create(&scene->family);
  for (uint32_t i = 0; i < shapes; i++) {
    test_scene_add(scene, r);
  }
  if (rng_below(r, 2)) {
    scene_family_update(&scene->family);
  }
  oracle_scene_read(&scene->oracle, scene->family.scenes[0]);
}

bool test_scene_free(test_scene *scene) {
  oracle_scene_free(&scene->oracle);
  bool clean = scene_family_free(&scene->family);
  for (int i = 0; i < TEST_SCENE_MESHES; i++) {
    mo_mesh_release(scene->meshes[i]);
  }
  for (int i = 0; i < TEST_HULL_KINDS; i++) {
    mo_hull_release(scene->hulls[i]);
  }
  free(scene->ids);
  return clean && counting_allocator_is_clean(&scene->mesh_counter);
}

sample_target test_scene_target(const test_scene *scene, rng *r) {
  float s = scene->spread;
  mo_vec3 max = {s * scene->scale.x, s * scene->scale.y, s * scene->scale.z};
  sample_target target = {.bounds = {{-max.x, -max.y, -max.z}, max}};
  const oracle_scene *oracle = &scene->oracle;
  for (int i = 0; i < 3; i++) {
    target.corners[i] = rng_point_in(r, target.bounds);
  }
  if (oracle->shape_count == 0) {
    return target;
  }
  const oracle_shape *shape = &oracle->shapes[rng_below(r, oracle->shape_count)];
  if (mo_aabb_is_empty(shape->bounds)) {
    return target;
  }
  mo_half_space_body half_space;
  if (oracle_half_space(shape, &half_space)) {
    for (int i = 0; i < 3; i++) { /* down to its plane */
      mo_dvec3 at = mo_widen(target.corners[i]);
      double height = mo_half_space_height(&half_space, at);
      target.corners[i] = mo_narrow(mo_dsub(at, mo_dscale(height, half_space.normal)));
    }
    return target;
  }
  if (rng_below(r, 2)) {
    target.bounds = shape->bounds;
  }
  for (int i = 0; i < 3; i++) {
    target.corners[i] = rng_point_in(r, shape->bounds);
  }
  if (shape->def.geometry.type == MO_SHAPE_MESH && oracle->meshes[shape->mesh].count > 0) {
    const oracle_mesh *mesh = &oracle->meshes[shape->mesh];
    const oracle_triangle *triangle = &mesh->triangles[rng_below(r, mesh->count)];
    for (int i = 0; i < 3; i++) {
      target.corners[i] = mo_affine_point_to_world_float(&shape->affine, triangle->corners[i]);
    }
  }
  return target;
}

static bool accept_some(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  (void)context;
  return user_data % 3 != 0;
}

mo_filter test_scene_filter(const test_scene *scene, rng *r) {
  mo_filter filter = mo_default_filter();
  switch (rng_below(r, 5)) {
  case 0:
    filter.mask = rng_below(r, 16);
    break;
  case 1:
    filter.category = 1ull << rng_below(r, 4);
    break;
  case 2:
    if (scene->count > 0) {
      filter.ignore = scene->ids[rng_below(r, scene->count)];
    }
    break;
  case 3:
    filter.accept = accept_some;
    break;
  default:
    break;
  }
  return filter;
}

mo_scene *test_scene_empty(void) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene = NULL;
  oracle_expect(mo_scene_create(&def, &scene), "mo_scene_create");
  return scene;
}

mo_scene *test_scene_of_balls(uint32_t side) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  for (uint32_t i = 0; i < side * side; i++) {
    mo_shape_id id;
    def.transform.origin = (mo_vec3){(float)(3 * (i % side)), (float)(3 * (i / side)), 0};
    oracle_expect(mo_scene_add_shape(scene, &def, &id), "mo_scene_add_shape");
  }
  return scene;
}

mo_primitive test_scene_primitive(const test_scene *scene, rng *r) {
  sample_target target = test_scene_target(scene, r);
  mo_transform transform = test_scene_transform(scene, r);
  transform.origin = sample_point(r, &target);
  mo_geometry geometry = test_scene_geometry(scene, r);
  if (geometry.type != MO_SHAPE_MESH) {
    return mo_primitive_of_geometry(&geometry, &transform);
  }
  mo_vec3 a = sample_point(r, &target), b = sample_point(r, &target);
  switch (rng_below(r, 3)) {
  case 0:
    return mo_primitive_of_point(a);
  case 1:
    return mo_primitive_of_segment(a, b);
  default:
    return mo_primitive_of_triangle(a, b, target.corners[0]);
  }
}
