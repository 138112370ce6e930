/* Tuning constants of ray batches: which algorithm traces the rays, how many are traced together,
 * and how far ahead memory is prefetched. Answers do not depend on them. Gains are the share of
 * time saved for the rays named, measured when a constant was introduced; bench/NOTEBOOK.md lists
 * other values that were tried. Sizes of lists that follow from these constants are defined where
 * they are used. */
#ifndef MO_BATCH_POLICY_H
#define MO_BATCH_POLICY_H

#include <stddef.h>

/* --- chunks and packets --- */

enum {
  /* Rays per task. A multiple of 32, so that tasks write to different words of the bit array. */
  MO_CHUNK_RAYS = 16384,
  /* Groups of eight rays in a packet. */
  MO_PACKET_GROUPS = 8,
  /* Where at most this many rays of a packet remain (of one direction class, at a node of a mesh,
   * or at a mesh of a scene), they are traced one by one. Gain: a tenth on dragon_vrip_res2. */
  MO_MAX_RAYS_TRACED_SINGLY = 6,
  /* An image in a batch is recognized if it has this many rays per row. */
  MO_MIN_RAYS_PER_IMAGE_ROW = 16,
  MO_MAX_RAYS_PER_IMAGE_ROW = 4096,
};

/* Two consecutive groups are near each other if the range of both is at most this many times as
 * wide as the sum of their widths. If half of the groups are near the one before, the rays form
 * packets. */
static const float MO_MAX_NEAR_GROUPS_WIDTH_RATIO = 3.0f;

/* The greatest width of a tile of eight groups, in widths of one group: eight groups in a row are
 * eight times as wide, those of a tile about four times. Eight groups that are wider may be part of
 * a row of an image, which is then cut into tiles. Gain: a fifth to a third. */
static const float MO_MAX_TILE_WIDTH_IN_GROUPS = 7.5f;

/* Neighbouring rays that are farther apart than this fraction of a typical shape's width count as
 * incoherent. With this limit, images of 100,000 instances take 0.4 of the time, those of 10,000
 * instances 0.88. */
static const float MO_MAX_COHERENT_SPACING_RATIO = 0.2f;

/* In an image, the step to the next row is more than this many times a step within a row. */
static const float MO_MIN_ROW_STEP_RATIO = 5.0f;

/* --- incoherent rays through meshes --- */

/* Incoherent rays through meshes up to this size, in bytes, are traced one by one, as there is no
 * latency to hide. Through larger ones they are interleaved: closest hits gain a fifth (4 MB) to
 * two fifths (11 MB), any hits, which visit less, up to a third (11 MB). */
#define MO_MAX_SINGLE_RAY_MESH_BYTES ((size_t)3 << 20)
#define MO_MAX_SINGLE_RAY_MESH_BYTES_ANY_HIT ((size_t)8 << 20)

enum {
  MO_INTERLEAVED_RAYS = 8,      /* rays that take their steps in turn */
  MO_GROUPS_PER_RAY_BLOCK = 32, /* groups that are read and written at a time */
};

/* --- incoherent rays through scenes --- */

enum {
  /* Scenes whose octree has at most this many nodes and blocks (about 25,000 shapes) are traced by
   * ray streams: 0.5 to 0.9 of the time of single rays. With twice as many, closest hits would
   * take 1.3 times the time. */
  MO_MAX_STREAMED_SCENE_NODES = 5120,
  MO_STREAM_RAYS = 1024,         /* rays in a stream; 512 and 2,048 were equally fast */
  MO_PAIR_PREFETCH_DISTANCE = 3, /* meshes of shapes are prefetched this many pairs ahead */
  MO_PAIRS_PER_TEST = 32,        /* pairs of a ray and a shape that are tested together */
};

#endif
