/* Triangles of a mesh that touch a compound, for mo_mesh_overlap_run.
 *
 * The children near the mesh are listed once. Each is then the region of a query by itself, which
 * culls by its own box and frame. A hash set of the triangles that were found keeps those that
 * several children touch from being reported twice. Once it is full, a triangle that is not in it
 * is tested against the children before the current one whose boxes it meets. For a car of 12
 * children on rough ground this takes 1.1 times the instructions of a query for each child; a
 * search of the compound's octree for each triangle near the compound took 25 times as many. */
#include "base/assert.h"
#include "base/bounded.h"
#include "mesh/closed.h"
#include "mesh/overlap/overlap.h"

/* If more children are near the mesh, they are listed in several parts. */
enum { MAX_LISTED_CHILDREN = 256 };

/* The set is full at three quarters of its slots. */
enum { FOUND_SLOTS = 2048, MAX_FOUND = FOUND_SLOTS / 4 * 3 };

typedef struct listed_child {
  mo_aabb box; /* with a margin for rounding */
  double size; /* of the box: the sum of its extents */
  uint32_t number;
} listed_child;

/* The order of children in which they are divided among lists. */
static bool lower_child_before(const void *a, const void *b) {
  return ((const listed_child *)a)->number < ((const listed_child *)b)->number;
}

/* The order of children in a list: the larger first, as it finds the most triangles, mostly. */
static bool larger_child_before(const void *a, const void *b) {
  const listed_child *x = a, *y = b;
  return x->size != y->size ? x->size > y->size : x->number < y->number;
}

/* A query for the triangles of a mesh that touch a compound. */
typedef struct compound_overlap {
  const mo_mesh *mesh;
  const mo_mesh_overlap *query;
  mo_aabb bounds;              /* of the mesh, in the space of the region */
  uint32_t begin;              /* children with lower numbers were in lists before this one */
  uint32_t current;            /* the index of the child that is the region */
  bool goes_on;                /* no report has ended the query */
  bool has_all_found;          /* all triangles that were found are in the set */
  uint32_t found_count;        /* triangles in the set */
  uint32_t found[FOUND_SLOTS]; /* the set; MO_NO_TRIANGLE in free slots */
  mo_bounded_list list;        /* in `children` */
  listed_child children[MAX_LISTED_CHILDREN];
} compound_overlap;

static bool list_child(mo_prepared_primitive *child, uint32_t number, void *context) {
  compound_overlap *c = context;
  if (number >= c->begin) {
    const mo_aabb box =
        mo_region_grow(mo_body_loose_bounds(&child->body), mo_aabb_max_coordinates(c->bounds));
    const double size = mo_sum_of_components(mo_sub(box.upper, box.lower));
    const listed_child listed = {box, size, number};
    mo_bounded_offer(&c->list, &listed, sizeof listed, lower_child_before);
  }
  return true;
}

/* Lists the children near the mesh from the number `begin` on, the lowest if there are too many. */
static void list_children(compound_overlap *c) {
  const mo_prepared_primitive *own = c->query->region->primitive;
  const mo_body body = mo_body_of_aabb(c->bounds);
  c->list = mo_bounded_make(c->children, MAX_LISTED_CHILDREN);
  mo_functions_of(own->compound)->visit_near(own, &body, c->query->stats, list_child, c);
  mo_bounded_sort(&c->list, sizeof *c->children, larger_child_before);
}

/* Prepares a listed child. */
static void prepare_child(const compound_overlap *c, uint32_t index, mo_prepared_primitive *child) {
  const mo_prepared_primitive *own = c->query->region->primitive;
  uint32_t number = c->children[index].number;
  const bool exists = mo_find_child_of(own->compound, &own->affine, true, &number, child);
  MO_ASSERT(exists && number == c->children[index].number);
  (void)exists;
}

/* --- triangles that several children touch --- */

/* Whether a triangle is in the set of those that were found; adds it, unless the set is full. */
static bool is_in_set(compound_overlap *c, uint32_t triangle) {
  uint32_t slot = (uint32_t)mo_mix_bits(triangle) % FOUND_SLOTS;
  while (c->found[slot] != MO_NO_TRIANGLE && c->found[slot] != triangle) {
    slot = (slot + 1) % FOUND_SLOTS;
  }
  const bool is_in = c->found[slot] == triangle;
  if (!is_in && c->found_count < MAX_FOUND) {
    c->found[slot] = triangle;
    c->found_count++;
  } else if (!is_in) {
    c->has_all_found = false;
  }
  return is_in;
}

typedef struct triangle_test {
  const compound_overlap *c;
  const mo_body *triangle;
} triangle_test;

static bool stop_at_child_of_earlier_list(mo_prepared_primitive *child, uint32_t number,
                                          void *context) {
  const triangle_test *t = context;
  return number >= t->c->begin ||
         !mo_query_primitive_touches(child, t->triangle, NULL, t->c->query->stats);
}

/* Whether a child that was the region before the current one touches a triangle. */
static bool is_touched_before(const compound_overlap *c, uint32_t triangle) {
  const mo_mesh_overlap *q = c->query;
  const mo_prepared_primitive *own = q->region->primitive;
  mo_vec3 corners[3];
  mo_dvec3 wide[3];
  mo_mesh_corners(c->mesh, triangle, corners);
  for (int i = 0; i < 3; i++) {
    wide[i] =
        q->affine != NULL ? mo_affine_point_to_world(q->affine, corners[i]) : mo_widen(corners[i]);
  }
  const mo_body body = mo_body_of_triangle(wide);
  bool touches = false;
  for (uint32_t i = 0; i < c->current && !touches; i++) {
    if (mo_aabb_overlap(c->children[i].box, body.bounds)) {
      mo_prepared_primitive child;
      prepare_child(c, i, &child);
      touches = mo_query_primitive_touches(&child, &body, NULL, q->stats);
    }
  }
  if (!touches && c->begin > 0) {
    triangle_test test = {c, &body};
    touches = !mo_functions_of(own->compound)
                   ->visit_near(own, &body, q->stats, stop_at_child_of_earlier_list, &test);
  }
  return touches;
}

static bool report_once(uint32_t triangle, void *context) {
  compound_overlap *c = context;
  const mo_mesh_overlap *q = c->query;
  const bool may_be_missing = !c->has_all_found && (c->current > 0 || c->begin > 0);
  if (is_in_set(c, triangle) || (may_be_missing && is_touched_before(c, triangle))) {
    return true;
  }
  if (q->triangle_filter != NULL &&
      !mo_triangle_passes_filter(q->triangle_filter, q->shape, q->child, triangle)) {
    return true;
  }
  c->goes_on = q->report(triangle, q->context);
  return c->goes_on;
}

/* --- the queries --- */

/* Runs the query with the current child as its region. */
static void run_for_child(compound_overlap *c, mo_isa isa) {
  const mo_mesh_overlap *q = c->query;
  mo_prepared_primitive child;
  prepare_child(c, c->current, &child);
  mo_body_cache_bounds(&child.body);
  const mo_region region = mo_region_of_primitive(&child);
  mo_mesh_overlap one;
  mo_mesh_overlap_init(&one, &region, q->affine, q->stats);
  one.report = report_once;
  one.context = c;
  mo_mesh_overlap_run(c->mesh, isa, &one);
}

/* Runs the query for each child near the mesh. Not inlined, so that queries with other regions need
 * no more of the stack. */
__attribute__((noinline)) static void run_for_children(const mo_mesh *mesh, mo_isa isa,
                                                       const mo_mesh_overlap *query) {
  compound_overlap c;
  c.mesh = mesh;
  c.query = query;
  c.bounds =
      query->affine != NULL ? mo_affine_aabb_to_world(query->affine, mesh->bounds) : mesh->bounds;
  c.begin = c.found_count = 0;
  c.goes_on = c.has_all_found = true;
  do {
    uint32_t end = c.begin;
    list_children(&c);
    if (c.begin == 0 && c.list.count > 0) {
      memset(c.found, 0xff, sizeof c.found);
    }
    for (c.current = 0; c.goes_on && c.current < c.list.count; c.current++) {
      run_for_child(&c, isa);
      const uint32_t number = c.children[c.current].number;
      end = number < end ? end : number + 1;
    }
    c.begin = end;
  } while (c.goes_on && c.list.total > c.list.count);
}

void mo_mesh_overlap_run(const mo_mesh *mesh, mo_isa isa, mo_mesh_overlap *query) {
  const mo_region *region = query->region;
  if (region->kind != MO_REGION_BODY || region->primitive->compound == NULL) {
    mo_mesh_overlap_visit_by_isa[isa](mesh, query);
  } else if (!mo_aabb_is_empty(mesh->bounds)) {
    run_for_children(mesh, isa, query);
  }
}
