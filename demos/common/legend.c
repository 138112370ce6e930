/* Cairo lays out and draws the legend on a transparent sheet, which is then blended over the
 * picture. Lengths are in units of the size of the text ("em"). */
#include "common/legend.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

static const double row_height = 1.55;
static const double mark_width = 2.6;
static const double gap = 0.7; /* between a mark and its text */
static const double padding = 0.8;
static const double margin = 0.9; /* from the panel to the sides of the picture */

/* Small pictures are shown at their size, large ones smaller: text grows less than the picture. */
static double text_size(const struct picture *picture) {
  return fmax(6.0 + 0.0195 * picture->height, 7.0);
}

static void set_color(cairo_t *sheet, uint32_t rgb, double alpha) {
  cairo_set_source_rgba(sheet, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
                        (rgb & 0xff) / 255.0, alpha);
}

static void set_font(cairo_t *sheet, bool bold) {
  cairo_select_font_face(sheet, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(sheet, 1.0);
}

static double width_of(cairo_t *sheet, const char *text, bool bold) {
  cairo_text_extents_t extents;
  set_font(sheet, bold);
  cairo_text_extents(sheet, text, &extents);
  return extents.x_advance;
}

static double panel_width(cairo_t *sheet, const struct legend *legend) {
  double widest = width_of(sheet, legend->title, true);
  for (uint32_t i = 0; i < legend->row_count; i++) {
    widest = fmax(widest, mark_width + gap + width_of(sheet, legend->rows[i].text, false));
  }
  return widest + 2.0 * padding;
}

static void draw_panel(cairo_t *sheet, double width, double height) {
  const double radius = 0.4, quarter = 1.5707963;
  cairo_new_path(sheet);
  cairo_arc(sheet, width - radius, radius, radius, -quarter, 0.0);
  cairo_arc(sheet, width - radius, height - radius, radius, 0.0, quarter);
  cairo_arc(sheet, radius, height - radius, radius, quarter, 2.0 * quarter);
  cairo_arc(sheet, radius, radius, radius, 2.0 * quarter, 3.0 * quarter);
  cairo_close_path(sheet);
  set_color(sheet, 0x0b0f17, 0.85);
  cairo_fill(sheet);
}

static void fill_ramp(cairo_t *sheet, const struct legend_row *row) {
  cairo_pattern_t *ramp = cairo_pattern_create_linear(0.0, 0.0, mark_width, 0.0);
  for (uint32_t i = 0; i < row->ramp_length; i++) {
    uint32_t rgb = row->ramp[i];
    cairo_pattern_add_color_stop_rgb(ramp, (double)i / (row->ramp_length - 1),
                                     (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
                                     (rgb & 0xff) / 255.0);
  }
  cairo_rectangle(sheet, 0.0, -0.3, mark_width, 0.6);
  cairo_set_source(sheet, ramp);
  cairo_fill(sheet);
  cairo_pattern_destroy(ramp);
}

static void fill_glow(cairo_t *sheet, uint32_t rgb) {
  for (double radius = 0.5; radius > 0.1; radius -= 0.1) {
    cairo_new_path(sheet);
    cairo_arc(sheet, 0.5 * mark_width, 0.0, radius, 0.0, 6.2831853);
    set_color(sheet, rgb, 0.45);
    cairo_fill(sheet);
  }
}

/* Around the origin's height, from x = 0 to mark_width. */
static void draw_mark(cairo_t *sheet, const struct legend_row *row) {
  set_color(sheet, row->color, 1.0);
  cairo_set_line_width(sheet, 0.14);
  switch (row->mark) {
  case LEGEND_SURFACE:
    cairo_rectangle(sheet, 0.0, -0.4, mark_width, 0.8);
    cairo_fill(sheet);
    break;
  case LEGEND_LINE:
    cairo_move_to(sheet, 0.0, 0.0);
    cairo_line_to(sheet, mark_width, 0.0);
    cairo_stroke(sheet);
    break;
  case LEGEND_GLOW:
    fill_glow(sheet, row->color);
    break;
  case LEGEND_BOX:
    cairo_rectangle(sheet, 0.07, -0.4, mark_width - 0.14, 0.8);
    cairo_stroke(sheet);
    break;
  case LEGEND_RAMP:
    fill_ramp(sheet, row);
    break;
  }
}

/* `y` is the middle of the row. */
static void draw_text(cairo_t *sheet, const char *text, bool bold, double x, double y) {
  const double half_height_of_letters = 0.36;
  set_font(sheet, bold);
  set_color(sheet, 0xf2f4f8, 1.0);
  cairo_move_to(sheet, x, y + half_height_of_letters);
  cairo_show_text(sheet, text);
}

static void draw_legend(cairo_t *sheet, const struct legend *legend,
                        const struct picture *picture) {
  double em = text_size(picture);
  cairo_scale(sheet, em, em);
  double width = panel_width(sheet, legend);
  double height = (legend->row_count + 1) * row_height + padding;
  cairo_translate(sheet, legend->at_right ? picture->width / em - margin - width : margin,
                  legend->at_bottom ? picture->height / em - margin - height : margin);
  draw_panel(sheet, width, height);
  double y = 0.5 * (padding + row_height);
  draw_text(sheet, legend->title, true, padding, y);
  for (uint32_t i = 0; i < legend->row_count; i++) {
    y += row_height;
    cairo_save(sheet);
    cairo_translate(sheet, padding, y);
    draw_mark(sheet, &legend->rows[i]);
    cairo_restore(sheet);
    draw_text(sheet, legend->rows[i].text, false, padding + mark_width + gap, y);
  }
}

/* Cairo's pixels are 0xAARRGGBB; their colours are already multiplied by alpha. */
static void blend_pixel(mo_vec3 *light, uint32_t argb) {
  uint32_t alpha = argb >> 24;
  if (alpha > 0) {
    uint32_t rgb = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      rgb |= (255 * (argb >> shift & 0xff) + alpha / 2) / alpha << shift;
    }
    *light = vec3_mix(*light, light_of_color(rgb), (float)alpha / 255.0f);
  }
}

static void blend_sheet(cairo_surface_t *surface, struct picture *picture) {
  cairo_surface_flush(surface);
  const unsigned char *rows = cairo_image_surface_get_data(surface);
  size_t stride = (size_t)cairo_image_surface_get_stride(surface);
  for (size_t y = 0; y < picture->height; y++) {
    for (size_t x = 0; x < picture->width; x++) {
      uint32_t argb;
      memcpy(&argb, rows + y * stride + x * sizeof argb, sizeof argb);
      blend_pixel(&picture->light[y * picture->width + x], argb);
    }
  }
}

void legend_draw(const struct legend *legend, struct picture *picture) {
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)picture->width, (int)picture->height);
  cairo_t *sheet = cairo_create(surface);
  draw_legend(sheet, legend, picture);
  if (cairo_status(sheet) != CAIRO_STATUS_SUCCESS) {
    fail("cannot draw the legend: %s", cairo_status_to_string(cairo_status(sheet)));
  }
  blend_sheet(surface, picture);
  cairo_destroy(sheet);
  cairo_surface_destroy(surface);
}
