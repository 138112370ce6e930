/* The ray kernels for some mesh formats. This is a template: trace_kernel.c includes it with
 * FORMAT(mesh) defined as the format of a mesh and NAMED(name) as the name of a function for such
 * meshes.
 *
 * Rare or long work is in functions marked noinline, so that functions that mostly return early
 * need few registers and little stack. */

static __attribute__((noinline)) void
NAMED(closest_with_options)(const mo_mesh *mesh, const mo_mesh_ray *in,
                            const mo_mesh_ray_options *options, mo_mesh_hit *best) {
  trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_CLOSEST, options->world_map,
                options->stats != NULL, best);
}

static __attribute__((noinline)) bool NAMED(any_with_options)(const mo_mesh *mesh,
                                                              const mo_mesh_ray *in,
                                                              const mo_mesh_ray_options *options,
                                                              mo_mesh_hit *best) {
  return trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_ANY, options->world_map,
                       options->stats != NULL, best);
}

static void NAMED(closest)(const mo_mesh *mesh, const mo_mesh_ray *in,
                           const mo_mesh_ray_options *options, mo_mesh_hit *best) {
  if (is_local_without_stats(options)) {
    trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_CLOSEST, NULL, false, best);
  } else {
    NAMED(closest_with_options)(mesh, in, options, best);
  }
}

static bool NAMED(any)(const mo_mesh *mesh, const mo_mesh_ray *in,
                       const mo_mesh_ray_options *options, mo_mesh_hit *best) {
  return is_local_without_stats(options)
             ? trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_ANY, NULL, false, best)
             : NAMED(any_with_options)(mesh, in, options, best);
}

static void NAMED(all)(const mo_mesh *mesh, const mo_mesh_ray *in,
                       const mo_mesh_ray_options *options, mo_mesh_hit *best) {
  trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_ALL, options->world_map,
                options->stats != NULL, best);
}

static void NAMED(first)(const mo_mesh *mesh, const mo_mesh_ray *in,
                         const mo_mesh_ray_options *options, mo_mesh_hit *best) {
  trace_general(mesh, FORMAT(mesh), in, options, MO_GOAL_FIRST, options->world_map,
                options->stats != NULL, best);
}

static __attribute__((noinline)) mo_result NAMED(cast_from_root)(const mo_mesh *mesh,
                                                                 const mo_ray_def *def, mo_f4 o,
                                                                 mo_f4 d, mo_ray_hit *hit) {
  mo_mesh_ray in;
  mo_ray ray;
  mo_mesh_hit best;
  prepare_fast_ray(mesh, def, o, d, &in, &ray);
  mo_mesh_hit_init(&best, def->max_t);
  trace_from_root(mesh, FORMAT(mesh), &in, &ray, MO_GOAL_CLOSEST, &best);
  mo_mesh_ray_public_hit(mesh, def, &best, hit);
  return MO_OK;
}

static __attribute__((noinline)) bool
NAMED(test_from_root)(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d, bool *hit) {
  mo_mesh_ray in;
  mo_ray ray;
  mo_mesh_hit best;
  prepare_fast_ray(mesh, def, o, d, &in, &ray);
  mo_mesh_hit_init(&best, def->max_t);
  *hit = trace_from_root(mesh, FORMAT(mesh), &in, &ray, MO_GOAL_ANY, &best);
  return true;
}

static __attribute__((noinline)) mo_result NAMED(cast_from_subtrees)(const mo_mesh *mesh,
                                                                     const mo_ray_def *def, mo_f4 o,
                                                                     mo_f4 d, uint64_t subtrees,
                                                                     mo_ray_hit *hit) {
  mo_mesh_ray in;
  mo_ray ray;
  mo_mesh_hit best;
  const mo_ray_trace trace = {mesh, &in, NULL, &ray, &best, NULL, NULL, true};
  prepare_fast_ray(mesh, def, o, d, &in, &ray);
  mo_mesh_hit_init(&best, def->max_t);
  bool any;
  if (!trace_from_subtrees(&trace, FORMAT(mesh), MO_GOAL_CLOSEST, subtrees, &any)) {
    return NAMED(cast_from_root)(mesh, def, o, d, hit);
  }
  mo_mesh_ray_public_hit(mesh, def, &best, hit);
  return MO_OK;
}

static __attribute__((noinline)) bool NAMED(test_from_subtrees)(const mo_mesh *mesh,
                                                                const mo_ray_def *def, mo_f4 o,
                                                                mo_f4 d, uint64_t subtrees,
                                                                bool *hit) {
  mo_mesh_ray in;
  mo_ray ray;
  mo_mesh_hit best;
  const mo_ray_trace trace = {mesh, &in, NULL, &ray, &best, NULL, NULL, true};
  prepare_fast_ray(mesh, def, o, d, &in, &ray);
  mo_mesh_hit_init(&best, def->max_t);
  return trace_from_subtrees(&trace, FORMAT(mesh), MO_GOAL_ANY, subtrees, hit) ||
         NAMED(test_from_root)(mesh, def, o, d, hit);
}

/* Casts a ray. Most short segments touch no subtree of the entry set, and end here without being
 * prepared. */
static mo_result NAMED(cast)(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_f4 o = mo_f4_from(&def->origin, 0.0f), d = mo_f4_from(&def->direction, 0.0f);
  if (!fits_fast_path(mesh, def, o, d)) {
    return mo_mesh_cast_general_ray(mesh, def, hit, NULL);
  }
  uint64_t subtrees;
  if (!mo_segment_entry_points_find(mesh->segment_entry_points, o, d, def->max_t, &subtrees)) {
    return NAMED(cast_from_root)(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return NAMED(cast_from_subtrees)(mesh, def, o, d, subtrees, hit);
  }
  *hit = (mo_ray_hit){.triangle = MO_NO_TRIANGLE};
  return MO_OK;
}

static bool NAMED(test)(const mo_mesh *mesh, const mo_ray_def *def, bool *hit) {
  mo_f4 o = mo_f4_from(&def->origin, 0.0f), d = mo_f4_from(&def->direction, 0.0f);
  if (!fits_fast_path(mesh, def, o, d)) {
    return false;
  }
  uint64_t subtrees;
  if (!mo_segment_entry_points_find(mesh->segment_entry_points, o, d, def->max_t, &subtrees)) {
    return NAMED(test_from_root)(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return NAMED(test_from_subtrees)(mesh, def, o, d, subtrees, hit);
  }
  *hit = false;
  return true;
}

static bool NAMED(find)(const mo_mesh *mesh, const mo_ray_def *def, mo_mesh_hit *best) {
  mo_f4 o = mo_f4_from(&def->origin, 0.0f), d = mo_f4_from(&def->direction, 0.0f);
  if (!fits_fast_path(mesh, def, o, d)) {
    return false;
  }
  mo_mesh_ray in;
  mo_ray ray;
  const mo_ray_trace trace = {mesh, &in, NULL, &ray, best, NULL, NULL, true};
  uint64_t subtrees;
  mo_mesh_hit_init(best, def->max_t);
  bool is_short_segment =
           mo_segment_entry_points_find(mesh->segment_entry_points, o, d, def->max_t, &subtrees),
       any;
  if (is_short_segment && subtrees == 0) {
    return true;
  }
  prepare_fast_ray(mesh, def, o, d, &in, &ray);
  if (!is_short_segment ||
      !trace_from_subtrees(&trace, FORMAT(mesh), MO_GOAL_CLOSEST, subtrees, &any)) {
    traverse_octree(&trace, FORMAT(mesh), MO_GOAL_CLOSEST, false);
  }
  return true;
}

static __attribute__((noinline)) mo_local_ray_result
NAMED(closest_local_segment)(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o, mo_f4 d,
                             uint64_t subtrees, const mo_world_ray *world, mo_mesh_hit *best) {
  return trace_in_shape(mesh, FORMAT(mesh), affine, o, d, &subtrees, world, MO_GOAL_CLOSEST, best);
}

static mo_local_ray_result NAMED(closest_local)(const mo_mesh *mesh, const mo_affine *affine,
                                                const mo_world_ray *world, mo_mesh_hit *best) {
  return trace_local(mesh, FORMAT(mesh), affine, world, MO_GOAL_CLOSEST,
                     NAMED(closest_local_segment), best);
}

static __attribute__((noinline)) mo_local_ray_result
NAMED(any_local_segment)(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o, mo_f4 d,
                         uint64_t subtrees, const mo_world_ray *world, mo_mesh_hit *best) {
  return trace_in_shape(mesh, FORMAT(mesh), affine, o, d, &subtrees, world, MO_GOAL_ANY, best);
}

static mo_local_ray_result NAMED(any_local)(const mo_mesh *mesh, const mo_affine *affine,
                                            const mo_world_ray *world, mo_mesh_hit *best) {
  return trace_local(mesh, FORMAT(mesh), affine, world, MO_GOAL_ANY, NAMED(any_local_segment),
                     best);
}
