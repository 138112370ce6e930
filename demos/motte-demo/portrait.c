#include "motte-demo/portrait.h"

#include <stdio.h>

#include "common/check.h"
#include "common/vector.h"
#include "motte-demo/overlay.h"
#include "motte-demo/render.h"
#include "motte-demo/report.h"

/* The length of the mesh's longest side in the studio. */
static const float portrait_size = 10.0f;

/* Centres the mesh above the origin of the floor. */
static mo_transform placed_on_floor(const mo_mesh *mesh) {
  mo_aabb bounds = mo_mesh_bounds(mesh);
  mo_vec3 size = aabb_size(bounds);
  float scale = portrait_size / fmaxf(size.x, fmaxf(size.y, size.z));
  mo_vec3 foot = aabb_center(bounds);
  foot.y = bounds.lower.y;
  mo_transform transform = mo_transform_identity();
  transform.x_axis.x = transform.y_axis.y = transform.z_axis.z = scale;
  transform.origin = vec3_scale(-scale, foot);
  return transform;
}

static mo_scene *scene_of_one(mo_mesh *mesh, const mo_transform *transform, mo_aabb *bounds) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  check(mo_scene_create(&def, &scene), "create a scene");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = mesh;
  shape.transform = *transform;
  mo_shape_id id;
  check(mo_scene_add_shape(scene, &shape, &id), "add a shape to the scene");
  check(mo_scene_update(scene, NULL), "update the scene");
  check(mo_scene_get_bounds(scene, id, bounds), "look at a shape");
  return scene;
}

/* Each level of the tree down to `deepest`, with weaker lines the deeper it is. */
static void draw_triangle_octree(const mo_mesh *mesh, const mo_transform *transform,
                                 const struct overlay *overlay, uint32_t deepest) {
  mo_debug_def def = mo_default_debug_def();
  def.transform = *transform;
  for (uint32_t depth = 0; depth <= deepest; depth++) {
    float weight = 1.0f / (1.0f + (float)depth);
    struct tree_drawing drawing = {
        .overlay = *overlay,
        .pen = {.width = 1.0f + weight, .strength = 0.35f + 0.5f * weight, .hidden = 0.03f},
    };
    mo_line_sink sink = overlay_tree_sink(&drawing);
    def.min_depth = depth;
    def.max_depth = depth;
    check(mo_mesh_draw(mesh, &def, &sink), "draw the triangle octree");
  }
}

void portrait_shoot(const struct options *options, mo_mesh *mesh) {
  mo_aabb bounds;
  mo_transform transform = placed_on_floor(mesh);
  mo_scene *scene = scene_of_one(mesh, &transform, &bounds);
  const mo_vec3 colors[] = {light_of_color(0xe9dfd2)};
  struct studio studio = {
      .scene = scene,
      .visible = UINT64_MAX,
      .colors = colors,
      .glass = studio_no_glass(),
      .radius = portrait_size,
  };
  float aspect = (float)options->width / (float)options->height;
  struct camera camera =
      camera_look_at_box(aabb_grow(bounds, 0.5f), vec3(-0.6f, 0.35f, 0.8f), 0.6f, aspect);
  struct picture picture = picture_create(options->width, options->height);
  struct render_def def = {&studio, camera, options->samples, options->threads, "mesh.png"};
  render(&def, &picture);
  struct overlay overlay = {&picture, &camera};
  draw_triangle_octree(mesh, &transform, &overlay, 3);
  picture_write_png(&picture, options->output, "mesh.png");
  picture_destroy(&picture);
  mo_scene_destroy(scene);
}
