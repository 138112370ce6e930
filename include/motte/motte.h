/** \file
 * Motte: exact collision queries, contacts and continuous collision for scenes that move. Includes
 * all public headers but motte/cglm.h. */
#ifndef MOTTE_MOTTE_H
#define MOTTE_MOTTE_H

#include <motte/base.h>
#include <motte/batch.h>
#include <motte/cast.h>
#include <motte/character.h>
#include <motte/compound.h>
#include <motte/contact.h>
#include <motte/contact_tracker.h>
#include <motte/continuous.h>
#include <motte/debug.h>
#include <motte/distance.h>
#include <motte/geometry.h>
#include <motte/height_field.h>
#include <motte/hull.h>
#include <motte/mass.h>
#include <motte/math.h>
#include <motte/mesh.h>
#include <motte/movement.h>
#include <motte/near.h>
#include <motte/overlap.h>
#include <motte/pair_tracker.h>
#include <motte/pairs.h>
#include <motte/query.h>
#include <motte/query_batch.h>
#include <motte/scene.h>
#include <motte/separation.h>
#include <motte/swept.h>
#include <motte/watch.h>

#endif
