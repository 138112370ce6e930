/* What queries must answer: loops over all shapes and all their triangles, with the primitive tests
 * of the library (but an own one of what is degenerate) and nothing of its trees. Shapes and
 * triangles are read through the public API.
 *
 * oracle_mesh and oracle_scene are copies of what the library holds at the time of reading. */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include <motte/cast.h>
#include <motte/distance.h>
#include <motte/near.h>
#include <motte/overlap.h>

#include "geometry/body/body.h"
#include "math/affine.h"

typedef struct oracle_triangle {
  mo_vec3 corners[3];
  uint32_t user_data;
} oracle_triangle;

typedef struct oracle_mesh {
  const mo_mesh *mesh;
  oracle_triangle *triangles;
  mo_aabb *boxes; /* of the triangles, for a coarse test before the exact one */
  float *rows[6]; /* the same in rows: lower x, y, z, upper x, y, z */
  float reach;    /* the largest coordinate, in magnitude */
  uint32_t count;
} oracle_mesh;

typedef struct oracle_shape {
  mo_shape_id id;
  mo_shape_def def;
  mo_affine affine;
  mo_aabb bounds; /* as stored */
  mo_aabb own;    /* without what margins and velocities add */
  uint32_t mesh;  /* index of the oracle_mesh */
} oracle_shape;

typedef struct oracle_scene {
  oracle_shape *shapes; /* ascending by index */
  uint32_t shape_count, shape_capacity;
  oracle_mesh *meshes;
  uint32_t mesh_count;
} oracle_scene;

/* A growing list of answers. `size` bytes each. */
typedef struct oracle_list {
  void *items;
  uint32_t count, capacity;
} oracle_list;

void *oracle_list_add(oracle_list *list, size_t size);
void oracle_list_free(oracle_list *list);

void oracle_mesh_read(oracle_mesh *oracle, const mo_mesh *mesh);
void oracle_mesh_free(oracle_mesh *oracle);

/* Reads the shapes again. Meshes that were read before are kept, so they must be alive still. */
void oracle_scene_read(oracle_scene *oracle, const mo_scene *scene);
void oracle_scene_free(oracle_scene *oracle);

/* Ends the program where a test is out of memory, or a call that must succeed does not. */
void *oracle_need(void *memory);
void oracle_expect(mo_result result, const char *what);

/* Whether two boxes are apart by more than the rounding of any test: a coarse test before the exact
 * one, with far larger margins than those of the trees. */
bool oracle_far_apart(mo_aabb a, mo_aabb b);

/* How many triangles oracle_line_near tests together. */
enum { ORACLE_TOGETHER = 64 };

/* A line, prepared for a coarse test of triangles. `weights` are those of mo_ray_init: where they
 * differ much, so do the errors along the axes, and every triangle passes. */
typedef struct oracle_line {
  double origin[3], inverse[3], margin;
  bool all; /* every triangle passes */
} oracle_line;

oracle_line oracle_line_make(const oracle_mesh *mesh, mo_vec3 origin, mo_vec3 direction,
                             mo_vec3 weights);

/* Which of the triangles from `first` on come near the line, a byte each, up to ORACLE_TOGETHER. A
 * loop as over all triangles, with a test that is twenty times coarser than any rounding. */
void oracle_line_near(const oracle_mesh *mesh, const oracle_line *line, uint32_t first,
                      unsigned char near[ORACLE_TOGETHER]);

/* A normal of unit length, rounded once; zero stays zero. */
mo_vec3 oracle_unit(mo_dvec3 n);

/* The half-space that a shape is, in the world; false for any other shape. Where others are their
 * stored boxes, half-spaces are themselves. */
bool oracle_half_space(const oracle_shape *shape, mo_half_space_body *made);

bool oracle_filter_passes(const mo_filter *filter, const oracle_shape *shape);

/* All hits (mo_ray_hit), sorted by (t, shape, triangle). */
void oracle_mesh_rays(const oracle_mesh *oracle, const mo_ray_def *ray, oracle_list *hits);
void oracle_scene_rays(const oracle_scene *oracle, const mo_ray_def *ray, oracle_list *hits);

/* Triangles (uint32_t), ascending. */
void oracle_mesh_aabb(const oracle_mesh *oracle, const mo_aabb *box, oracle_list *triangles);
void oracle_mesh_sphere(const oracle_mesh *oracle, const mo_sphere *sphere, oracle_list *triangles);
void oracle_mesh_planes(const oracle_mesh *oracle, const mo_plane *planes, uint32_t plane_count,
                        oracle_list *triangles);

/* The box around the triangles. */
mo_aabb oracle_mesh_bounds(const oracle_mesh *oracle);

/* Whether a point lies in the mesh's box and a ray along +x crosses an odd number of triangles. */
bool oracle_mesh_contains(const oracle_mesh *oracle, mo_vec3 point);

/* Shapes (mo_shape_id), ascending by index. */
void oracle_scene_aabb(const oracle_scene *oracle, const mo_aabb *box, const mo_overlap_def *def,
                       oracle_list *shapes);
void oracle_scene_sphere(const oracle_scene *oracle, const mo_sphere *sphere,
                         const mo_overlap_def *def, oracle_list *shapes);
void oracle_scene_point(const oracle_scene *oracle, mo_vec3 point, const mo_overlap_def *def,
                        oracle_list *shapes);

/* Triangles (mo_triangle_ref), ascending by (shape index, triangle). */
void oracle_scene_aabb_triangles(const oracle_scene *oracle, const mo_aabb *box,
                                 const mo_overlap_def *def, oracle_list *triangles);
void oracle_scene_sphere_triangles(const oracle_scene *oracle, const mo_sphere *sphere,
                                   const mo_overlap_def *def, oracle_list *triangles);

/* The closest triangle of a mesh, in its own space: the least distance, rounded to float, then the
 * lowest index; MO_NO_TRIANGLE where none is within the limit. */
uint32_t oracle_mesh_closest(const oracle_mesh *oracle, mo_vec3 point, float max_distance,
                             float *distance);

/* The triangle that a moving ball touches first: the least t, rounded to float; at 0 the least
 * distance; then the lowest index. */
uint32_t oracle_mesh_cast(const oracle_mesh *oracle, mo_sphere ball, mo_vec3 displacement,
                          float *t);

/* The closest point of a scene; `shape` is null where there is none within the limit. */
typedef struct oracle_closest {
  const oracle_shape *shape;
  uint32_t triangle;
  float distance;
  mo_dvec3 point;
  double weights[3]; /* of the triangle's corners */
} oracle_closest;

oracle_closest oracle_scene_closest(const oracle_scene *oracle, const mo_closest_def *def);

/* The first contact of a moving ball; `shape` is null where there is none. */
typedef struct oracle_cast {
  const oracle_shape *shape;
  uint32_t triangle;
  float t;
  float distance; /* of the centre from what is touched, where t is 0; else 0 */
} oracle_cast;

oracle_cast oracle_scene_cast(const oracle_scene *oracle, const mo_sphere_cast_def *def);

/* A contact of what moves with a solid, a box or a triangle. */
typedef struct oracle_contact {
  const oracle_shape *shape;
  uint32_t triangle;
  float t;
  float distance; /* at t = 0, by which contacts are compared; else 0 */
} oracle_contact;

/* The order in which a cast prefers contacts. */
bool oracle_contact_is_before(const oracle_contact *a, const oracle_contact *b);

/* All contacts (oracle_contact) of a ball or of a body, the other def being null, as lists of casts
 * have them: sorted by (t, shape, triangle). */
void oracle_scene_contacts(const oracle_scene *oracle, const mo_sphere_cast_def *ball,
                           const mo_shape_cast_def *body, oracle_list *contacts);

/* Shapes (mo_shape_id) in the way of one that would be stored under `bounds`, ascending by
 * index. */
void oracle_scene_obstacles(const oracle_scene *oracle, const mo_shape_def *def, mo_aabb bounds,
                            const mo_fit_def *fit, oracle_list *shapes);

/* Shapes (mo_cull_result), ascending by index. */
void oracle_scene_planes(const oracle_scene *oracle, const mo_plane *planes, uint32_t plane_count,
                         const mo_filter *filter, oracle_list *shapes);

#endif
