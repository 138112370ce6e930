/* Comparing the library's answers with the oracle's, bit for bit. Each check returns whether all
 * agree; if not, check_why says what differed, with the question in hexadecimal floats. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include "oracle/oracle.h"

/* What the last failed check of this thread found. */
const char *check_why(void);

/* Sets check_why; returns false. */
__attribute__((format(printf, 1, 2))) bool check_failed(const char *format, ...);

/* Whether two hits are equal in every field. */
bool check_same_hit(const mo_ray_hit *a, const mo_ray_hit *b);

/* Text of a ray in hexadecimal floats, in a buffer of this thread. */
const char *check_ray_text(const mo_ray_def *ray);

typedef enum check_effort {
  CHECK_QUICK, /* the closest hit and any, not counted, by the fast traversal */
  CHECK_FAST,  /* also counted, and all hits, the first ones and one after another */
  CHECK_FULL,  /* also every traversal, with and without mailbox, and buffers too small */
} check_effort;

/* The same ray against several meshes of the same triangles. */
bool check_mesh_ray(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                    const mo_ray_def *ray, check_effort effort);

/* Triangles touched by a region: a box, a ball or planes. */
bool check_mesh_aabb(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                     const mo_aabb *box);
bool check_mesh_sphere(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                       const mo_sphere *sphere);
bool check_mesh_planes(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                       const mo_plane *planes, uint32_t plane_count);
bool check_mesh_point(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                      mo_vec3 point);

/* The same question to several scenes that hold the same shapes under the same ids. */
bool check_scene_ray(const mo_scene *const *scenes, uint32_t scene_count,
                     const oracle_scene *oracle, const mo_ray_def *ray, check_effort effort);
bool check_scene_aabb(const mo_scene *const *scenes, uint32_t scene_count,
                      const oracle_scene *oracle, const mo_aabb *box, const mo_overlap_def *def);
bool check_scene_sphere(const mo_scene *const *scenes, uint32_t scene_count,
                        const oracle_scene *oracle, const mo_sphere *sphere,
                        const mo_overlap_def *def);
bool check_scene_point(const mo_scene *const *scenes, uint32_t scene_count,
                       const oracle_scene *oracle, mo_vec3 point, const mo_overlap_def *def);
bool check_scene_planes(const mo_scene *const *scenes, uint32_t scene_count,
                        const oracle_scene *oracle, const mo_plane *planes, uint32_t plane_count,
                        const mo_filter *filter);
bool check_scene_cells(const mo_scene *const *scenes, uint32_t scene_count,
                       const oracle_scene *oracle, const mo_aabb *box, const mo_filter *filter);
bool check_scene_closest(const mo_scene *const *scenes, uint32_t scene_count,
                         const oracle_scene *oracle, const mo_closest_def *def);
bool check_scene_cast(const mo_scene *const *scenes, uint32_t scene_count,
                      const oracle_scene *oracle, const mo_sphere_cast_def *def);

#endif
