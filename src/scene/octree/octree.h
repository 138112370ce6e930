/* Includes the headers of the shape octree for the rest of the scene: the functions of the tree,
 * and the marks of moved shapes. */
#ifndef MO_SCENE_OCTREE_OCTREE_H
#define MO_SCENE_OCTREE_OCTREE_H

#include "scene/octree/moved.h"
#include "scene/octree/tree.h"

#endif
