/* Includes the headers that other parts use: the search for pairs of shapes whose boxes touch, sets
 * of pairs, and pair trackers. */
#ifndef MO_SCENE_PAIRS_PAIRS_H
#define MO_SCENE_PAIRS_PAIRS_H

#include "scene/pairs/search.h"
#include "scene/pairs/set.h"
#include "scene/pairs/tracker.h"

#endif
