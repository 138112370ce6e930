/* A watchdog of counted work: on any scene, the statistics of each query stay below a stated
 * multiple of what there is - nodes, blocks, shapes, triangles, and pairs of them. libFuzzer's
 * -timeout stops what counts nothing and goes on for ever. */
#include "fuzz/model.h"
#include "math/vector.h"

enum {
  MAX_CALLS = 24,
  /* How often a query may visit all that there is. Most descend once; signed distances also cast a
   * ray; lists that are visited in order begin again for each batch of four, sixteen, 64. */
  DESCENTS = 2,
  DESCENTS_OF_CONTACTS = 5, /* to gather, for a cast, and for the sides of up to 256 sheets */
  DESCENTS_OF_VISITS = 16,
  DESCENTS_OF_SEPARATION = 33, /* casts, as motte/separation.h says */
  /* Casts and rays, as motte/character.h says. A step is two slides of twelve rounds, and a slide
   * may try one in each of its rounds. */
  DESCENTS_OF_CHARACTER = 900,
  DISTANCES_OF_IMPACT = 2064 /* for each pair, as motte/continuous.h says */
};

/* How much of everything a scene has, over all of its shapes. */
typedef struct census {
  uint64_t nodes, blocks, shapes, mesh_nodes, mesh_blocks, triangles;
} census;

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static census take_census(const fuzz_model *m) {
  mo_scene_stats stats;
  expect(mo_scene_get_stats(m->scene, &stats), "get statistics");
  census c = {stats.node_count, stats.block_count, stats.shape_count, 0, 0, 0};
  for (uint32_t i = 0; i < m->count; i++) {
    if (m->defs[i].geometry.type == MO_SHAPE_MESH) {
      mo_mesh_stats mesh;
      expect(mo_mesh_get_stats(m->defs[i].geometry.mesh, &mesh), "get statistics");
      c.mesh_nodes += mesh.node_count;
      c.mesh_blocks += mesh.block_count;
      c.triangles += mesh.reference_count;
    }
  }
  return c;
}

/* One for the root, which is read where there is none. */
static void check(const char *query, const mo_query_stats *s, const census *c, uint64_t times) {
  FUZZ_CHECK(s->scene_node_count <= times * (c->nodes + 1), "%s: %llu of %llu nodes", query,
             (unsigned long long)s->scene_node_count, (unsigned long long)c->nodes);
  FUZZ_CHECK(s->scene_block_count <= times * c->blocks, "%s: %llu of %llu blocks", query,
             (unsigned long long)s->scene_block_count, (unsigned long long)c->blocks);
  FUZZ_CHECK(s->shape_count <= times * c->shapes, "%s: %llu of %llu shapes", query,
             (unsigned long long)s->shape_count, (unsigned long long)c->shapes);
  FUZZ_CHECK(s->mesh_node_count <= times * (c->mesh_nodes + c->shapes), "%s: %llu of %llu nodes",
             query, (unsigned long long)s->mesh_node_count, (unsigned long long)c->mesh_nodes);
  FUZZ_CHECK(s->mesh_block_count <= times * c->mesh_blocks, "%s: %llu of %llu blocks", query,
             (unsigned long long)s->mesh_block_count, (unsigned long long)c->mesh_blocks);
  FUZZ_CHECK(s->triangle_count <= times * c->triangles, "%s: %llu of %llu triangles", query,
             (unsigned long long)s->triangle_count, (unsigned long long)c->triangles);
  FUZZ_CHECK(s->distance_count <= times * (c->shapes + c->triangles), "%s: %llu distances of %llu",
             query, (unsigned long long)s->distance_count,
             (unsigned long long)(c->shapes + c->triangles));
}

/* --- queries, of which any may be refused --- */

static void cast_ray(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_ray_def ray = mo_default_ray_def();
  mo_ray_hit hit;
  ray.origin = fuzz_vec3(b);
  ray.direction = fuzz_vec3(b);
  mo_scene_cast_ray(m->scene, &ray, &hit, s);
}

static void cast_shape(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  mo_cast_hit hit;
  def.primitive = fuzz_primitive(b);
  def.displacement = fuzz_vec3(b);
  if (fuzz_chance(b, 128)) {
    def.angle = (float)(int8_t)fuzz_byte(b) / 32;
    def.axis = fuzz_vec3(b);
    def.pivot = fuzz_vec3(b);
  }
  mo_scene_cast_shape(m->scene, &def, &hit, s);
}

static void find_overlaps(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_overlap_def def = mo_overlap_primitive_def(fuzz_primitive(b));
  mo_triangle_ref found;
  uint32_t total;
  mo_scene_overlap_triangles(m->scene, &def, &found, 1, &total, s);
}

static void find_closest(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_distance_def def = mo_default_distance_def();
  mo_closest_hit hit;
  def.primitive = fuzz_primitive(b);
  mo_scene_find_closest(m->scene, &def, &hit, s);
}

static void find_signed(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_closest_def def = mo_default_closest_def();
  mo_closest_hit hit;
  def.point = fuzz_vec3(b);
  mo_scene_signed_distance(m->scene, &def, &hit, s);
}

static void collide(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  mo_contact contact;
  uint32_t total;
  def.primitive = fuzz_primitive(b);
  mo_scene_collide_shape(m->scene, &def, &contact, 1, &total, s);
}

static bool go_on(const mo_closest_hit *hit, void *context) {
  (void)hit;
  (void)context;
  return true;
}

static void visit_closest(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_distance_def def = mo_default_distance_def();
  def.primitive = fuzz_primitive(b);
  mo_scene_visit_closest(m->scene, &def, go_on, NULL, s);
}

static void separate(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  mo_separation separation;
  def.primitive = fuzz_primitive(b);
  mo_scene_find_separation(m->scene, &def, &separation, s);
}

static void move_character(const fuzz_model *m, fuzz_bytes *b, mo_query_stats *s) {
  mo_character_def def = mo_default_character_def();
  mo_character_move_result moved;
  def.primitive = fuzz_primitive(b);
  def.displacement = fuzz_vec3(b);
  mo_character_move(m->scene, &def, &moved, s);
}

/* --- impacts: two bodies are tested once; two meshes as all pairs of their triangles, after a
 * sweep that may have tested as many pairs as both have triangles --- */

static uint64_t bodies_of(const mo_shape_def *def) {
  return def->geometry.type == MO_SHAPE_MESH ? mo_mesh_triangle_count(def->geometry.mesh) : 1;
}

static void find_impacts(const fuzz_model *m, fuzz_bytes *b) {
  mo_mover movers[8];
  mo_mover_memory memory[8];
  mo_impact impacts[8];
  mo_query_stats s = {0};
  mo_impact_search search = mo_default_impact_search();
  uint64_t pairs = 0;
  memset(movers, 0, sizeof movers);
  search.count = m->count < 8 ? m->count : 8;
  for (uint32_t i = 0; i < search.count; i++) {
    movers[i].shape = m->ids[i];
    movers[i].movement.displacement = fuzz_vec3(b);
    movers[i].movement.angle = (float)(int8_t)fuzz_byte(b) / 32;
    movers[i].movement.axis = (mo_vec3){1, fuzz_eighths(b), 0};
    for (uint32_t k = 0; k < m->count; k++) {
      const uint64_t own = bodies_of(&m->defs[i]), others = bodies_of(&m->defs[k]);
      pairs += i != k ? own * others + (own > 1 && others > 1 ? own + others : 0) : 0;
    }
  }
  search.movers = movers;
  search.memory = memory;
  if (mo_scene_find_impacts(m->scene, &search, impacts, NULL, &s) == MO_OK) {
    FUZZ_CHECK(s.pair_count <= pairs, "%llu pairs of %llu", (unsigned long long)s.pair_count,
               (unsigned long long)pairs);
    FUZZ_CHECK(s.distance_count <= DISTANCES_OF_IMPACT * s.pair_count, "%llu distances, %llu pairs",
               (unsigned long long)s.distance_count, (unsigned long long)s.pair_count);
  }
}

static void query(const fuzz_model *m, fuzz_bytes *b) {
  static const struct {
    const char *name;
    void (*make)(const fuzz_model *, fuzz_bytes *, mo_query_stats *);
    uint64_t times;
  } queries[] = {
      {"ray", cast_ray, DESCENTS},
      {"cast", cast_shape, DESCENTS},
      {"overlap", find_overlaps, DESCENTS},
      {"closest", find_closest, DESCENTS},
      {"signed distance", find_signed, DESCENTS},
      {"contacts", collide, DESCENTS_OF_CONTACTS},
      {"visit closest", visit_closest, DESCENTS_OF_VISITS},
      {"separation", separate, DESCENTS_OF_SEPARATION},
      {"character", move_character, DESCENTS_OF_CHARACTER},
  };
  enum { QUERIES = sizeof queries / sizeof *queries };
  census c = take_census(m);
  mo_query_stats stats = {0};
  uint32_t which = fuzz_below(b, QUERIES + 2);
  if (which >= QUERIES) {
    find_impacts(m, b);
    return;
  }
  queries[which].make(m, b, &stats);
  check(queries[which].name, &stats, &c, queries[which].times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  fuzz_model m;
  fuzz_model_create(&m, &b);
  for (int i = 0; i < MAX_CALLS && fuzz_has_more(&b); i++) {
    if (fuzz_chance(&b, 128)) {
      query(&m, &b);
    } else {
      fuzz_model_change(&m, &b);
    }
  }
  fuzz_model_destroy(&m);
  return 0;
}
