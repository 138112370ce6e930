/* Triangles of a mesh that touch a compound, for mo_mesh_overlap_run.
 *
 * Each child near the mesh is the region of a query by itself, which culls by its own box and
 * frame. A hash set of the triangles that were found keeps those that several children touch from
 * being reported twice. Once it is full, a triangle that is not in it counts for the child with the
 * lowest number of those that touch it. For a car of 12 children on rough ground this takes 1.1
 * times the instructions of a query for each child; a search of the compound's octree for each
 * triangle near the compound took 25 times as many. */
#include "mesh/closed.h"
#include "mesh/overlap/overlap.h"
#include "mesh/world.h"

/* The set is full at three quarters of its slots. */
enum { FOUND_SLOTS = 2048, MAX_FOUND = FOUND_SLOTS / 4 * 3 };

/* A query for the triangles of a mesh that touch a compound. */
typedef struct compound_overlap {
  const mo_mesh *mesh;
  const mo_mesh_overlap *query;
  mo_isa isa;
  uint32_t child;              /* the number of the child that is the region */
  bool goes_on;                /* no report has ended the query */
  uint32_t found_count;        /* triangles in the set */
  uint32_t found[FOUND_SLOTS]; /* the set; MO_NO_TRIANGLE in free slots */
} compound_overlap;

typedef struct triangle_test {
  const compound_overlap *c;
  const mo_body *triangle;
} triangle_test;

static bool stop_at_lower_child(mo_prepared_primitive *child, uint32_t number, void *context) {
  const triangle_test *t = context;
  return number >= t->c->child ||
         !mo_query_primitive_touches(child, t->triangle, NULL, t->c->query->stats);
}

/* Whether a child with a lower number than the region's touches a triangle. */
static bool is_touched_by_lower_child(const compound_overlap *c, uint32_t triangle) {
  const mo_mesh_overlap *q = c->query;
  const mo_prepared_primitive *own = q->region->primitive;
  const mo_body body = mo_body_of_mesh_triangle(c->mesh, triangle, q->affine);
  triangle_test test = {c, &body};
  return !mo_functions_of(own->compound)
              ->visit_near(own, &body, q->stats, stop_at_lower_child, &test);
}

/* Whether a triangle counts for this child; adds it to the set, unless that is full. */
static bool counts_for_child(compound_overlap *c, uint32_t triangle) {
  uint32_t slot = (uint32_t)mo_mix_bits(triangle) % FOUND_SLOTS;
  while (c->found[slot] != MO_NO_TRIANGLE && c->found[slot] != triangle) {
    slot = (slot + 1) % FOUND_SLOTS;
  }
  if (c->found[slot] == triangle) {
    return false;
  }
  if (c->found_count == MAX_FOUND) {
    return !is_touched_by_lower_child(c, triangle);
  }
  c->found[slot] = triangle;
  c->found_count++;
  return true;
}

static bool report_once(uint32_t triangle, void *context) {
  compound_overlap *c = context;
  const mo_mesh_overlap *q = c->query;
  if (counts_for_child(c, triangle) &&
      (q->triangle_filter == NULL ||
       mo_triangle_passes_filter(q->triangle_filter, q->shape, q->child, triangle))) {
    c->goes_on = q->report(triangle, q->context);
  }
  return c->goes_on;
}

/* Runs the query with a child as its region. */
static bool run_for_child(mo_prepared_primitive *child, uint32_t number, void *context) {
  compound_overlap *c = context;
  mo_body_cache_bounds(&child->body);
  const mo_region region = mo_region_of_primitive(child);
  mo_mesh_overlap one;
  mo_mesh_overlap_init(&one, &region, c->query->affine, c->query->stats);
  one.report = report_once;
  one.context = c;
  c->child = number;
  mo_mesh_overlap_run(c->mesh, c->isa, &one);
  return c->goes_on;
}

/* Not inlined, so that queries with other regions need no more of the stack. */
__attribute__((noinline)) static void run_for_children(const mo_mesh *mesh, mo_isa isa,
                                                       const mo_mesh_overlap *query) {
  const mo_prepared_primitive *own = query->region->primitive;
  compound_overlap c;
  c.mesh = mesh;
  c.query = query;
  c.isa = isa;
  c.goes_on = true;
  c.found_count = 0;
  memset(c.found, 0xff, sizeof c.found);
  const mo_body around = mo_body_of_aabb(mo_mesh_bounds_in_world(mesh, query->affine));
  mo_functions_of(own->compound)->visit_near(own, &around, query->stats, run_for_child, &c);
}

void mo_mesh_overlap_run(const mo_mesh *mesh, mo_isa isa, mo_mesh_overlap *query) {
  const mo_region *region = query->region;
  if (region->kind != MO_REGION_BODY || region->primitive->compound == NULL) {
    mo_mesh_overlap_visit_by_isa[isa](mesh, query);
  } else if (!mo_aabb_is_empty(mesh->bounds)) {
    run_for_children(mesh, isa, query);
  }
}
