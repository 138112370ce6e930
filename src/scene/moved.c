/* Lanes of blocks that moved, and what follows from it. */
#include "scene/moved.h"

#include <string.h>

#include "base/tasks.h"

enum {
  WORD = MO_MOVED_GROUP * 64, /* blocks for which there is a word */
  THICKET = MO_WIDTH * MO_WIDTH,
};

static size_t words_for(uint32_t blocks) {
  return ((size_t)blocks + WORD - 1) / WORD;
}

/* The bits of groups, then the lanes, up to the end of the last group. */
size_t mo_moved_bytes(uint32_t blocks) {
  size_t groups = ((size_t)blocks + MO_MOVED_GROUP - 1) / MO_MOVED_GROUP;
  return words_for(blocks) * sizeof(uint64_t) + groups * MO_MOVED_GROUP;
}

mo_result mo_moved_reserve(mo_scene *scene, uint32_t blocks) {
  size_t size = mo_moved_bytes(blocks);
  uint64_t *memory = mo_allocate(&scene->host.allocator, size, 1);
  if (!memory) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(memory, 0, size);
  mo_deallocate(&scene->host.allocator, scene->moved.groups, mo_moved_bytes(scene->moved.blocks),
                1);
  scene->moved = (mo_moved){memory, (uint8_t *)(memory + words_for(blocks)), blocks};
  return MO_OK;
}

/* The blocks of a group of which lanes are noted; returns how many. */
static uint32_t blocks_of(const mo_scene *scene, uint32_t group, uint32_t blocks[MO_MOVED_GROUP]) {
  uint32_t count = 0, first = group * MO_MOVED_GROUP;
  for (uint32_t block = first; block < first + MO_MOVED_GROUP; block += 8) {
    uint64_t lanes;
    memcpy(&lanes, &scene->moved.lanes[block], sizeof lanes);
    for (uint32_t i = 0; lanes; i++, lanes >>= 8) {
      blocks[count] = block + i;
      count += (lanes & 0xff) != 0;
    }
  }
  return count;
}

/* Notes that the bounds above all that moved are loose. */
static void loosen(mo_scene *scene) {
  uint32_t blocks[MO_MOVED_GROUP];
  for (uint32_t word = 0; word < words_for(scene->moved.blocks); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t count = blocks_of(scene, word * 64 + (uint32_t)__builtin_ctzll(left), blocks);
      for (uint32_t i = 0; i < count; i++) {
        uint32_t owner = scene->cells[blocks[i]].owner;
        if (owner != MO_NONE) {
          uint32_t node = owner & MO_OWNER_NODE ? owner & ~MO_OWNER_NODE : owner >> 3;
          mo_prefetch(mo_scene_node_at(scene, node)->child);
        }
      }
      for (uint32_t i = 0; i < count; i++) {
        mo_mark_loose(scene, mo_owner_up(scene, scene->cells[blocks[i]].owner));
      }
    }
  }
}

/* Subtrees of which no two share a node. */
typedef struct thicket {
  mo_scene *scene;
  uint32_t count, nodes[THICKET], astray[THICKET];
} thicket;

static void tighten_one(uint32_t i, void *context) {
  static uint32_t (*const tighten[MO_ISA_COUNT])(mo_scene *, uint32_t) =
      MO_ISA_TABLE(mo_scene_tighten_below);
  thicket *t = context;
  t->astray[i] = tighten[t->scene->isa](t->scene, t->nodes[i]);
}

/* Makes most of what is loose tight, in tasks. */
static uint32_t tighten_thicket(mo_scene *scene) {
  thicket t = {.scene = scene, .count = 1, .nodes = {scene->root}};
  /* The nodes of one level give way to the loose ones of the next. */
  for (int level = 0; level < 2; level++) {
    thicket below = {.scene = scene};
    for (uint32_t i = 0; i < t.count; i++) {
      const mo_scene_node *node = mo_scene_node_at(scene, t.nodes[i]);
      for (uint32_t left = node->loose; left; left &= left - 1) {
        uint32_t child = node->child[__builtin_ctz(left)];
        if (!mo_child_is_leaf(child)) {
          below.nodes[below.count++] = child;
        }
      }
    }
    t = below;
  }
  mo_tasks_run(&scene->host, t.count, tighten_one, &t);
  uint32_t astray = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    astray += t.astray[i];
  }
  return astray;
}

uint32_t mo_moved_settle(mo_scene *scene, bool together) {
  loosen(scene);
  uint32_t astray = 0;
  if (together && scene->root_loose && mo_scene_root_is_node(scene)) {
    astray = tighten_thicket(scene);
  }
  astray += mo_tree_tighten(scene);
  memset(scene->moved.groups, 0, words_for(scene->moved.blocks) * sizeof(uint64_t));
  return astray;
}
