/* Constants that steer batches of rays: which route rays take, how many are traced together, and
 * how far ahead memory is prefetched. Answers do not depend on them. Worths are shares of the time
 * of the rays named, as measured when the constant came in; bench/NOTEBOOK.md has what was tried
 * besides. Lists whose size follows from these stand where they are used. */
#ifndef MO_BATCH_POLICY_H
#define MO_BATCH_POLICY_H

#include <stddef.h>

/* --- chunks and packets --- */

enum {
  /* Rays of a task. A multiple of 32, so that tasks share no word of the bits. */
  MO_CHUNK_RAYS = 16384,
  /* Groups of eight rays in a packet. */
  MO_PACKET_GROUPS = 8,
  /* Groups that are sorted into packets together, where the caller's order does not suit. */
  MO_SORTED_GROUPS = 128,
  /* Packets of fewer rays of one kind are not made: the rays go one by one. */
  MO_PACKET_RAYS_LEAST = 4,
  /* A node that no more rays of a packet meet is left to these, one by one; rays in as many groups
   * are taken to be more, without being counted: any hit 3 to 5 %, closest 1 to 2 %. */
  MO_PACKET_ALONE_MOST = 6,
  MO_PACKET_ALONE_GROUPS = 6,
  /* A mesh in a scene that no more rays of a packet meet is entered by each alone. */
  MO_SCENE_PACKET_ALONE_MOST = 5,
  /* Rays between rows of a picture by which it is recognized. */
  MO_PITCH_LEAST = 16,
  MO_PITCH_MOST = 4096,
};

/* How wide a packet of eight groups may be, in widths of one: groups in a row make one eight times
 * as wide, those of a tile one about four times as wide. */
static const float MO_PACKET_WIDTH_MOST = 7.5f;

/* Rays farther from each other than this share of a shape's width are incoherent: pictures of
 * 100,000 instances take 0.4 of the time, of 10,000 0.88. */
static const float MO_PACKET_SPACING_MOST = 0.2f;

/* What a packet costs before it gets to leaves, in visits of leaves. */
static const float MO_PACKET_OVERHEAD = 32.0f;

/* A step to the next row of a picture is more than so many times a step within a row. */
static const float MO_ROW_STEP = 5.0f;

/* --- what fits a cache, in bytes of trees --- */

/* Nodes and leaves of larger trees are prefetched: 4 to 6 % on the bunny. */
#define MO_PREFETCH_LEAST ((size_t)1 << 20)

/* Incoherent rays through meshes up to the first size go one by one, as there is no latency to
 * hide; up to the second they do if they take few steps, as most of these are near the root: 2 to
 * 10 %, short any hits 25 %. */
#define MO_MESH_SINGLE_BYTES ((size_t)3 << 20)
#define MO_MESH_SINGLE_SHORT_BYTES ((size_t)8 << 20)
enum { MO_SHORT_STEPS = 5 }; /* steps of a ray, in the mean */

/* Incoherent rays through larger scenes are sorted by where they begin: 8 % at 100,000 instances.
 */
#define MO_SCENE_SORTED_LEAST ((size_t)4 << 20)

/* --- incoherent rays through meshes --- */

enum {
  MO_MESH_RUNNERS = 8,       /* rays that take turns */
  MO_MESH_BLOCK_GROUPS = 32, /* groups that are read and written together */
};

/* --- incoherent rays through scenes --- */

enum {
  MO_SCENE_BLOCK_GROUPS = 256, /* groups that are read, sorted and written together */
  /* Groups of a queue. Wavefronts, with 16, 48 or 64 rays at a time: level or worse. */
  MO_QUEUE_GROUPS = 64,
  MO_SCENE_RUNNERS = 32, /* rays of a wavefront */
  MO_SCENE_WAVE = 4,     /* nodes of each that are taken together; 3, 6, 8: level or worse */
  MO_SCENE_WAITING = 40, /* a ray with more nodes on its stack takes them one by one */
  MO_SCENE_CANDIDATES = 24,
  MO_SCENE_AHEAD = 6, /* entries of a list by which nodes and blocks are prefetched; 3, 12: worse */
  MO_PAIRS_AHEAD = 3, /* the same of shapes and their meshes */
  MO_QUEUE_PAIRS = 32,  /* pairs of a ray and a shape that are tested together */
  MO_SMALL_MESH = 1024, /* nodes; in larger meshes rays go by themselves, the nearest child first */
};

/* Rays go node by node through octrees of as many nodes and blocks as a stream has rays, if there
 * is a ray for every three of them: 0.6 to 0.8 of the time. The first few show how many shapes they
 * meet. If these are more than MO_STREAM_SHAPES for each, rays for closest hits go by wavefronts,
 * which begin with the nearest: 0.88 of the time. */
enum {
  MO_STREAM_RAYS = 2 * 8 * MO_QUEUE_GROUPS, /* 512, 2,048: level */
  MO_STREAM_SPARSEST = 3,
  MO_STREAM_FIRST = 256,
  MO_STREAM_SHAPES = 4,
};

#endif
