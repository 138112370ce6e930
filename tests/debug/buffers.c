/* Drawing into a vertex and an index buffer: the same edges as the lines, within the capacities. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "debug/subjects.h"
#include "support/rng.h"

static subject subjects[SUBJECTS];
static int subject_count;

static void setup(void) {
  subject_count = subjects_make(subjects);
}

static void teardown(void) {
  subjects_free(subjects, subject_count);
}

TestSuite(buffers, .init = setup, .fini = teardown);

typedef struct buffers {
  mo_debug_vertex *vertices;
  uint32_t *indices;
  uint32_t vertex_count, index_count;
} buffers;

static buffers draw_all(const subject *s, const mo_debug_def *def) {
  buffers b = {0};
  mo_debug_buffers all = {0};
  cr_assert_eq(subject_draw_buffers(s, def, &all), MO_OK);
  b.vertex_count = all.vertex_total;
  b.index_count = all.index_total;
  b.vertices = calloc(b.vertex_count + 1u, sizeof *b.vertices);
  b.indices = calloc(b.index_count + 1u, sizeof *b.indices);
  cr_assert(b.vertices && b.indices != NULL);
  all = (mo_debug_buffers){b.vertices, b.vertex_count, b.indices, b.index_count, 0, 0};
  cr_assert_eq(subject_draw_buffers(s, def, &all), MO_OK);
  cr_assert_eq(all.vertex_total, b.vertex_count);
  cr_assert_eq(all.index_total, b.index_count);
  return b;
}

static void free_buffers(buffers *b) {
  free(b->vertices);
  free(b->indices);
}

static bool same_point(mo_vec3 a, mo_vec3 b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static bool has_edge(const drawn_line *box, mo_debug_vertex a, mo_debug_vertex b) {
  for (int i = 0; i < 12; i++) {
    bool forth = same_point(box[i].from, a.position) && same_point(box[i].to, b.position);
    bool back = same_point(box[i].from, b.position) && same_point(box[i].to, a.position);
    if ((forth || back) && box[i].rgba == a.rgba && box[i].rgba == b.rgba) {
      return true;
    }
  }
  return false;
}

/* The strip draws edges of the box only, and passes over twelve different pairs of vertices. */
static uint32_t check_strip(const buffers *b, uint32_t start, const drawn_line *box) {
  bool seen[8][8] = {{false}};
  uint32_t edges = 0;
  uint32_t at = start;
  uint32_t first_vertex = start < b->index_count ? b->indices[start] : 0;
  for (; at + 1 < b->index_count && b->indices[at + 1] != MO_DEBUG_RESTART; at++) {
    uint32_t from = b->indices[at], to = b->indices[at + 1];
    cr_assert(from < b->vertex_count && to < b->vertex_count);
    cr_assert(from - first_vertex < 8 && to - first_vertex < 8);
    cr_assert(has_edge(box, b->vertices[from], b->vertices[to]));
    uint32_t low = (from < to ? from : to) - first_vertex;
    uint32_t high = (from < to ? to : from) - first_vertex;
    edges += !seen[low][high];
    seen[low][high] = true;
  }
  cr_assert_eq(edges, 12, "%u edges", edges);
  cr_assert(at + 1 < b->index_count && b->indices[at + 1] == MO_DEBUG_RESTART);
  return at + 2;
}

Test(buffers, equal_the_lines) {
  for (int i = 0; i < subject_count; i++) {
    for (int order = 0; order < 2; order++) {
      mo_debug_def def = mo_default_debug_def();
      def.order = (mo_debug_order)order;
      drawing lines = subject_draw(&subjects[i], &def);
      buffers b = draw_all(&subjects[i], &def);
      uint32_t boxes = lines.count / 12;
      cr_assert_eq(b.vertex_count, 8 * boxes, "%s", subjects[i].name);
      cr_assert_leq(b.index_count, 18 * boxes, "%s", subjects[i].name);
      uint32_t at = 0;
      for (uint32_t box = 0; box < boxes; box++) {
        at = check_strip(&b, at, &lines.lines[12 * box]);
      }
      cr_assert_eq(at, b.index_count, "%s: indices left over", subjects[i].name);
      free_buffers(&b);
      drawing_free(&lines);
    }
  }
}

/* What is written under a capacity is the beginning of the whole, in whole boxes, and no more. */
static void check_capacity(const subject *s, const mo_debug_def *def, const buffers *all,
                           uint32_t vertex_capacity, uint32_t index_capacity) {
  uint32_t boxes = all->vertex_count / 8;
  uint32_t indices_per_box = boxes > 0 ? all->index_count / boxes : 1;
  uint32_t fit = vertex_capacity / 8;
  fit = index_capacity / indices_per_box < fit ? index_capacity / indices_per_box : fit;
  fit = boxes < fit ? boxes : fit;
  mo_debug_vertex *vertices = malloc((vertex_capacity + 1u) * sizeof *vertices);
  uint32_t *indices = malloc((index_capacity + 1u) * sizeof *indices);
  cr_assert(vertices && indices != NULL);
  memset(vertices, 0xa5, (vertex_capacity + 1u) * sizeof *vertices);
  memset(indices, 0xa5, (index_capacity + 1u) * sizeof *indices);
  mo_debug_buffers drawn = {vertices, vertex_capacity, indices, index_capacity, 0, 0};
  cr_assert_eq(subject_draw_buffers(s, def, &drawn), MO_OK);
  cr_assert_eq(drawn.vertex_total, all->vertex_count, "%s", s->name);
  cr_assert_eq(drawn.index_total, all->index_count, "%s", s->name);
  cr_assert(memcmp(vertices, all->vertices, 8 * (size_t)fit * sizeof *vertices) == 0);
  cr_assert(memcmp(indices, all->indices, indices_per_box * (size_t)fit * sizeof *indices) == 0);
  for (uint32_t i = 8 * fit; i <= vertex_capacity; i++) {
    cr_assert_eq(vertices[i].rgba, 0xa5a5a5a5, "%s: vertex %u of %u", s->name, i, vertex_capacity);
  }
  for (uint32_t i = indices_per_box * fit; i <= index_capacity; i++) {
    cr_assert_eq(indices[i], 0xa5a5a5a5, "%s: index %u of %u", s->name, i, index_capacity);
  }
  free(vertices);
  free(indices);
}

Test(buffers, keep_to_their_capacities) {
  rng r = rng_make(rng_seed("buffers", 3));
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    buffers all = draw_all(&subjects[i], &def);
    for (uint32_t vertices = 0; vertices < 20; vertices++) {
      check_capacity(&subjects[i], &def, &all, vertices, all.index_count);
    }
    for (uint32_t indices = 0; indices < 40; indices++) {
      check_capacity(&subjects[i], &def, &all, all.vertex_count, indices);
    }
    for (int k = 0; k < 20; k++) {
      check_capacity(&subjects[i], &def, &all, rng_below(&r, all.vertex_count + 10),
                     rng_below(&r, all.index_count + 20));
    }
    free_buffers(&all);
  }
}
