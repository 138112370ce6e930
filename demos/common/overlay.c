#include "common/overlay.h"

#include "common/check.h"
#include "common/vector.h"

/* A line's ends in the picture. */
struct stroke {
  struct projection from, to;
};

static void blend_pixel(struct picture *picture, int x, int y, float coverage, float depth,
                        const struct pen *pen) {
  const float tolerance = 1.0005f; /* lines that lie on a surface are seen */
  size_t pixel = (size_t)y * picture->width + (size_t)x;
  bool hidden = depth > tolerance * picture->depth[pixel];
  float share = coverage * pen->strength * (hidden ? pen->hidden : 1.0f);
  picture->light[pixel] = vec3_mix(picture->light[pixel], pen->light, share);
}

static float clamp01(float x) {
  return fminf(fmaxf(x, 0.0f), 1.0f);
}

/* Blends the stroke over one pixel: covered as far as its centre is from the stroke's middle. */
static void stroke_pixel(struct picture *picture, const struct stroke *stroke, int x, int y,
                         const struct pen *pen) {
  float along_x = stroke->to.x - stroke->from.x;
  float along_y = stroke->to.y - stroke->from.y;
  float to_x = (float)x + 0.5f - stroke->from.x;
  float to_y = (float)y + 0.5f - stroke->from.y;
  float squared_length = along_x * along_x + along_y * along_y;
  float share =
      squared_length > 0.0f ? clamp01((to_x * along_x + to_y * along_y) / squared_length) : 0.0f;
  float distance = hypotf(to_x - share * along_x, to_y - share * along_y);
  float coverage = clamp01(0.5f * pen->width + 0.5f - distance);
  if (coverage > 0.0f) {
    /* Along a line on the picture, not the depth but its inverse grows evenly. */
    float inverse_depth = (1.0f - share) / stroke->from.depth + share / stroke->to.depth;
    blend_pixel(picture, x, y, coverage, 1.0f / inverse_depth, pen);
  }
}

static int clamp_pixel(float x, uint32_t size) {
  return (int)fminf(fmaxf(x, 0.0f), (float)size);
}

/* Goes along the axis on which the stroke is longer, and at each step across its width. */
static void draw_stroke(struct picture *picture, const struct stroke *stroke,
                        const struct pen *pen) {
  float along_x = stroke->to.x - stroke->from.x;
  float along_y = stroke->to.y - stroke->from.y;
  bool steep = fabsf(along_y) > fabsf(along_x);
  float start = steep ? stroke->from.y : stroke->from.x;
  float middle = steep ? stroke->from.x : stroke->from.y;
  float run = steep ? along_y : along_x;
  float slope = run != 0.0f ? (steep ? along_x : along_y) / run : 0.0f;
  float reach = (0.5f * pen->width + 1.0f) * 1.5f; /* across a diagonal, too */
  uint32_t size = steep ? picture->height : picture->width;
  uint32_t size_across = steep ? picture->width : picture->height;
  int first = clamp_pixel(fminf(start, start + run) - reach, size);
  int last = clamp_pixel(fmaxf(start, start + run) + reach + 1.0f, size);
  for (int step = first; step < last; step++) {
    float across = middle + slope * ((float)step + 0.5f - start);
    int lowest = clamp_pixel(across - reach, size_across);
    int highest = clamp_pixel(across + reach + 1.0f, size_across);
    for (int i = lowest; i < highest; i++) {
      stroke_pixel(picture, stroke, steep ? i : step, steep ? step : i, pen);
    }
  }
}

/* Moves `behind` along the line to `ahead` until it lies at depth `near`. */
static mo_vec3 cut_at(float near, mo_vec3 behind, float behind_depth, mo_vec3 ahead,
                      float ahead_depth) {
  return vec3_mix(behind, ahead, (near - behind_depth) / (ahead_depth - behind_depth));
}

void overlay_line(const struct overlay *overlay, mo_vec3 from, mo_vec3 to, const struct pen *pen) {
  const float near = 0.05f;
  float from_depth = camera_depth(overlay->camera, from);
  float to_depth = camera_depth(overlay->camera, to);
  if (from_depth < near && to_depth < near) {
    return;
  }
  if (from_depth < near) {
    from = cut_at(near, from, from_depth, to, to_depth);
  } else if (to_depth < near) {
    to = cut_at(near, to, to_depth, from, from_depth);
  }
  struct picture *picture = overlay->picture;
  struct stroke stroke = {
      camera_project(overlay->camera, from, picture->width, picture->height),
      camera_project(overlay->camera, to, picture->width, picture->height),
  };
  draw_stroke(picture, &stroke, pen);
}

void overlay_box(const struct overlay *overlay, mo_aabb box, const struct pen *pen) {
  for (unsigned corner = 0; corner < 8; corner++) {
    for (unsigned axis = 1; axis < 8; axis <<= 1) {
      if (!(corner & axis)) {
        overlay_line(overlay, aabb_corner(box, corner), aabb_corner(box, corner | axis), pen);
      }
    }
  }
}

void overlay_dot(const struct overlay *overlay, mo_vec3 center, const struct pen *pen) {
  overlay_line(overlay, center, center, pen);
}

const uint32_t tree_ramp[TREE_RAMP_LENGTH] = {0x3366ff, 0x22c7e5, 0x5fd35f, 0xffd23f, 0xff3b30};

static void draw_tree_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  struct tree_drawing *drawing = context;
  drawing->color = rgba >> 8;
  drawing->pen.light = light_of_color(drawing->color);
  overlay_line(&drawing->overlay, from, to, &drawing->pen);
}

mo_line_sink overlay_tree_sink(struct tree_drawing *drawing) {
  return (mo_line_sink){draw_tree_line, drawing};
}

void overlay_leaves(const struct overlay *overlay, const mo_scene *scene, const struct pen *pen) {
  struct tree_drawing drawing = {.overlay = *overlay, .pen = *pen};
  mo_line_sink sink = overlay_tree_sink(&drawing);
  mo_debug_def def = mo_default_debug_def();
  def.boxes = MO_DEBUG_BOXES_CELLS;
  def.color = MO_DEBUG_COLOR_OCCUPANCY;
  def.leaves_only = true;
  check(mo_scene_draw(scene, &def, &sink), "draw the shape octree");
}
