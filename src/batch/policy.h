/* Tuning constants of ray batches: which algorithm traces the rays, how many are traced together,
 * and how far ahead memory is prefetched. Answers do not depend on them. Gains are fractions of the
 * time of the rays named, measured when the constant was introduced; bench/NOTEBOOK.md lists other
 * values that were tried. Sizes of lists that follow from these constants are defined where they
 * are used. */
#ifndef MO_BATCH_POLICY_H
#define MO_BATCH_POLICY_H

#include <stddef.h>

/* --- chunks and packets --- */

enum {
  /* Rays per task. A multiple of 32, so that tasks write to different words of the bit array. */
  MO_CHUNK_RAYS = 16384,
  /* Groups of eight rays in a packet. */
  MO_PACKET_GROUPS = 8,
  /* Groups that are sorted together before they are split into packets, if the caller's order does
   * not make good packets. */
  MO_SORTED_GROUPS = 128,
  /* Up to this many rays are traced one by one where they are of one kind, hit a node of a mesh, or
   * hit a mesh in a scene. Gain: a tenth on dragon_vrip_res2. */
  MO_PACKET_ALONE_MAX = 6,
  /* Least and greatest row length (pitch, in rays) at which an image is recognized in a batch. */
  MO_PITCH_MIN = 16,
  MO_PITCH_MAX = 4096,
};

/* The greatest width of a packet of eight groups, in widths of one group. Eight groups in a row are
 * eight times as wide; those of a tile about four times. */
static const float MO_PACKET_WIDTH_MAX = 7.5f;

/* Neighbouring rays that are farther apart than this fraction of a typical shape's width count as
 * incoherent. Images of 100,000 instances take 0.4 of the time with this, of 10,000 0.88. */
static const float MO_PACKET_SPACING_MAX = 0.2f;

/* The cost of a packet in a scene before it reaches leaves, in units of one leaf visit. Gain: two
 * fifths where coherent groups come in any order. */
static const float MO_PACKET_OVERHEAD = 32.0f;

/* In an image, the step to the next row is more than this many times a step within a row. */
static const float MO_ROW_STEP = 5.0f;

/* --- cache sizes, in bytes of trees --- */

/* Nodes, blocks and records of larger scenes are prefetched by wavefronts. */
#define MO_PREFETCH_MIN ((size_t)1 << 20)

/* Incoherent rays through meshes up to this size are traced one by one, as there is no latency to
 * hide. Larger ones gain a fifth (4 MB) to two fifths (11 MB) by interleaving. */
#define MO_MESH_SINGLE_BYTES ((size_t)3 << 20)

/* --- incoherent rays through meshes --- */

enum {
  MO_MESH_RUNNERS = 8,       /* rays that are interleaved */
  MO_MESH_BLOCK_GROUPS = 32, /* groups that are read and written at a time */
};

/* --- incoherent rays through scenes --- */

enum {
  MO_SCENE_BLOCK_GROUPS = 256, /* groups that are read and written at a time */
  /* Groups in a queue. MO_SCENE_RUNNERS of 16, 48 or 64 was no better. */
  MO_QUEUE_GROUPS = 64,
  MO_SCENE_RUNNERS = 32, /* rays traced at a time in a wavefront */
  MO_SCENE_WAVE = 4,     /* nodes that each ray visits per stage; 3, 6 and 8 were no better */
  MO_SCENE_WAITING = 40, /* a ray with more nodes on its stack visits one per stage */
  MO_SCENE_CANDIDATES = 24,
  /* prefetch distance for nodes and blocks, in list entries; 3 and 12 were worse */
  MO_SCENE_AHEAD = 6,
  MO_PAIRS_AHEAD = 3,  /* prefetch distance for shapes and their meshes */
  MO_QUEUE_PAIRS = 32, /* pairs of a ray and a shape that are tested together */
};

/* Ray streams (scene_stream_kernel.c) trace octrees with up to this many nodes and blocks: 0.5 to
 * 0.8 of the time. 512 and 2,048 were equally fast. */
enum { MO_STREAM_RAYS = 2 * 8 * MO_QUEUE_GROUPS };

#endif
