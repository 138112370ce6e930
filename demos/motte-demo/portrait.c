#include "motte-demo/portrait.h"

#include "common/check.h"
#include "common/legend.h"
#include "common/overlay.h"
#include "common/render.h"
#include "common/vector.h"

/* The length of the mesh's longest side in the studio. */
static const float portrait_size = 10.0f;

/* The octree is drawn from its root down to this depth. */
enum { DEEPEST = 3 };

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

/* Draws each level of the tree with weaker lines the deeper it is, and a legend in the colours that
 * the library gives to the levels. */
static void draw_triangle_octree(const mo_mesh *mesh, const mo_transform *transform,
                                 const struct overlay *overlay) {
  static const char *const texts[DEEPEST + 1] = {
      "depth 0: the root",
      "depth 1",
      "depth 2",
      "depth 3",
  };
  mo_debug_def def = mo_default_debug_def();
  def.transform = *transform;
  struct legend_row rows[DEEPEST + 1];
  for (uint32_t depth = 0; depth <= DEEPEST; depth++) {
    float weight = 1.0f / (1.0f + (float)depth);
    struct tree_drawing drawing = {
        .overlay = *overlay,
        .pen = {.width = 1.0f + weight, .strength = 0.35f + 0.5f * weight, .hidden = 0.03f},
    };
    mo_line_sink sink = overlay_tree_sink(&drawing);
    def.min_depth = depth;
    def.max_depth = depth;
    check(mo_mesh_draw(mesh, &def, &sink), "draw the triangle octree");
    rows[depth] = (struct legend_row){LEGEND_BOX, drawing.color, texts[depth], NULL, 0};
  }
  const struct legend legend = {.title = "Triangle octree", .rows = rows, .row_count = DEEPEST + 1};
  legend_draw(&legend, overlay->picture);
}

void portrait_shoot(const struct options *options, mo_mesh *mesh) {
  mo_aabb bounds;
  mo_transform transform = studio_pose(mo_mesh_bounds(mesh), portrait_size);
  mo_scene *scene = scene_of_one(mesh, &transform, &bounds);
  const mo_vec3 colors[] = {light_of_color(0xe9dfd2)};
  struct studio studio = {
      .scene = scene,
      .visible = UINT64_MAX,
      .colors = colors,
      .glass = studio_no_glass(),
      .radius = portrait_size,
  };
  float aspect = (float)options->pictures.width / (float)options->pictures.height;
  struct camera camera =
      camera_look_at_box(aabb_grow(bounds, 0.5f), vec3(0.6f, 0.35f, 0.8f), 0.6f, aspect);
  struct picture picture = picture_create(options->pictures.width, options->pictures.height);
  struct render_def def = {&studio, camera, options->pictures.samples, options->pictures.threads,
                           "mesh.png"};
  render(&def, &picture);
  struct overlay overlay = {&picture, &camera};
  draw_triangle_octree(mesh, &transform, &overlay);
  picture_write_png(&picture, options->pictures.output, "mesh.png");
  picture_destroy(&picture);
  mo_scene_destroy(scene);
}
