/* The shape octree, for the rest of the scene: the tree's own functions, and the notes of what has
 * moved in it. */
#ifndef MO_SCENE_OCTREE_OCTREE_H
#define MO_SCENE_OCTREE_OCTREE_H

#include "scene/octree/moved.h"
#include "scene/octree/tree.h"

#endif
