/* Cuts a search for all pairs into jobs for tasks. A job is a pair of subtrees. The job with the
 * most shapes is replaced by the pairs of the children of its two nodes, until there are enough
 * jobs. The new jobs take the place of the old one, so that the order of the jobs, and with it the
 * order of the found pairs, stays nearly the same when other jobs are split.
 *
 * This does not use the visitor of two octrees, as nodes are split in the order of their number of
 * shapes, and only a few levels of the trees are visited. */
#include <string.h>

#include "base/assert.h"
#include "pairs/search/search.h"
#include "scene/octree/octree.h"

typedef struct job_splitter {
  const mo_scene *scene[2];
  mo_pair_job *jobs;
  uint32_t count;
} job_splitter;

/* The number of shapes of a job; 0 if the job cannot be split, as one side is a leaf. */
static uint32_t shapes_of_job(const job_splitter *c, const mo_pair_job *job) {
  if (mo_child_is_leaf(job->child[0]) || mo_child_is_leaf(job->child[1])) {
    return 0;
  }
  return mo_scene_node_at(c->scene[0], job->child[0])->count +
         mo_scene_node_at(c->scene[1], job->child[1])->count + 1;
}

static void add_job(job_splitter *c, uint32_t a, uint32_t b, mo_aabb box_a, mo_aabb box_b) {
  if (a != MO_CHILD_EMPTY && b != MO_CHILD_EMPTY && mo_aabb_overlap(box_a, box_b)) {
    MO_ASSERT(c->count < MO_MAX_PAIR_JOBS);
    c->jobs[c->count++] = (mo_pair_job){{a, b}, {box_a, box_b}};
  }
}

/* How many parts a node is split into: its children, and as one leaf the shapes that it stores
 * itself. */
enum { PARTS_PER_NODE = MO_LANE_COUNT + 1 };

static void list_parts_of_node(const mo_scene *scene, uint32_t index, uint32_t *parts,
                               mo_aabb *boxes) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    parts[i] = node->child[i];
    boxes[i] = mo_bounds8_get(&node->bounds, i);
  }
  parts[MO_LANE_COUNT] = node->items == MO_NONE ? MO_CHILD_EMPTY : MO_CHILD_LEAF | node->items;
  boxes[MO_LANE_COUNT] = mo_block_list_bounds(scene, node->items);
}

/* Replaces job `which` by the pairs of the parts of its two nodes. */
static void split_job(job_splitter *c, uint32_t which) {
  mo_pair_job job = c->jobs[which], after[MO_MAX_PAIR_JOBS];
  uint32_t after_count = c->count - which - 1;
  memcpy(after, c->jobs + which + 1, after_count * sizeof *after);
  c->count = which;
  bool self = c->scene[0] == c->scene[1] && job.child[0] == job.child[1];
  uint32_t parts[2][PARTS_PER_NODE];
  mo_aabb boxes[2][PARTS_PER_NODE];
  for (int side = 0; side < 2; side++) {
    list_parts_of_node(c->scene[side], job.child[side], parts[side], boxes[side]);
  }
  for (int i = 0; i < PARTS_PER_NODE; i++) {
    for (int j = self ? i : 0; j < PARTS_PER_NODE; j++) {
      add_job(c, parts[0][i], parts[1][j], boxes[0][i], boxes[1][j]);
    }
  }
  memcpy(c->jobs + c->count, after, after_count * sizeof *after);
  c->count += after_count;
}

uint32_t mo_pair_split_jobs(const mo_scene *a, const mo_scene *b,
                            mo_pair_job jobs[MO_MAX_PAIR_JOBS]) {
  job_splitter c = {{a, b}, jobs, 1};
  jobs[0] = mo_pair_job_of_whole_scenes(a, b);
  while (c.count <= MO_MAX_PAIR_JOBS - PARTS_PER_NODE * PARTS_PER_NODE) {
    uint32_t heaviest = 0, max = 0;
    for (uint32_t i = 0; i < c.count; i++) {
      uint32_t w = shapes_of_job(&c, &jobs[i]);
      heaviest = w > max ? i : heaviest;
      max = w > max ? w : max;
    }
    if (max == 0) {
      break;
    }
    split_job(&c, heaviest);
  }
  return c.count;
}
