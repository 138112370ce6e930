/* Pairs of shapes whose boxes touch, for the other parts: the search for them, sets of them, and
 * trackers, which keep them from update to update. */
#ifndef MO_SCENE_PAIRS_PAIRS_H
#define MO_SCENE_PAIRS_PAIRS_H

#include "scene/pairs/search.h"
#include "scene/pairs/set.h"
#include "scene/pairs/tracker.h"

#endif
