/* Joints: pairs of shapes whose bodies are connected otherwise than by contacts, as set by the
 * host. Joints are stored in the order of the host, and also sorted by slot, to find the joints of
 * a shape. */
#include <string.h>

#include "base/key_sort.h"
#include "contact/tracker/tracker.h"

void mo_joint_list_destroy(const mo_allocator *allocator, mo_joint_list *m) {
  mo_deallocate(allocator, m->joints, m->capacity, sizeof *m->joints);
  mo_deallocate(allocator, m->island, m->capacity, sizeof *m->island);
  mo_deallocate(allocator, m->keys_by_shape, m->capacity, 2 * sizeof *m->keys_by_shape);
  *m = (mo_joint_list){.joints = NULL};
}

size_t mo_joint_list_bytes(const mo_joint_list *m) {
  return m->capacity * (sizeof *m->joints + sizeof *m->island + 2 * sizeof *m->keys_by_shape);
}

static bool allocate_joints(const mo_allocator *allocator, mo_joint_list *m, uint32_t capacity) {
  *m = (mo_joint_list){.capacity = capacity};
  m->joints = mo_allocate(allocator, capacity, sizeof *m->joints);
  m->island = mo_allocate(allocator, capacity, sizeof *m->island);
  m->keys_by_shape = mo_allocate(allocator, capacity, 2 * sizeof *m->keys_by_shape);
  if (m->joints == NULL || m->island == NULL || m->keys_by_shape == NULL) {
    mo_joint_list_destroy(allocator, m);
    return false;
  }
  return true;
}

/* Copies the joints, and sorts `keys_by_shape`, which has a key for each shape of each joint.
 * `sorting` is workspace with capacity for as many keys. */
static void copy_joints_and_sort_keys(mo_joint_list *m, const mo_pair *joints, uint32_t count,
                                      uint64_t *sorting) {
  m->count = count;
  memcpy(m->joints, joints, count * sizeof *joints);
  for (uint32_t i = 0; i < count; i++) {
    m->keys_by_shape[2 * i] = (uint64_t)joints[i].a.index << 32 | 2 * i;
    m->keys_by_shape[2 * i + 1] = (uint64_t)joints[i].b.index << 32 | (2 * i + 1);
  }
  mo_keys_sort(m->keys_by_shape, sorting, 2 * count);
}

static mo_result check_joints(const mo_contact_tracker *tracker, const mo_pair *joints,
                              uint32_t count) {
  const char *function = "mo_contact_tracker_set_joints";
  const mo_scene *scene = tracker->log.scene;
  mo_refusal refusal = mo_refusal_of(&tracker->host, function, "tracker");
  if (scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  refusal.name = "joints";
  if (count > MO_MAX_ITEMS / 2) {
    return MO_ERROR_TOO_MANY;
  }
  for (uint32_t i = 0; i < count; i++) {
    const bool knows_a = mo_shape_is_known(scene, joints[i].a);
    if (!knows_a || !mo_shape_is_known(scene, joints[i].b)) {
      const mo_shape_id id = knows_a ? joints[i].b : joints[i].a;
      refusal.index = i;
      mo_refusal member = mo_refusal_in(&refusal, knows_a ? ".b" : ".a", MO_NO_INDEX);
      return mo_refuse_id(&member, id.index, id.generation);
    }
  }
  return MO_OK;
}

mo_result mo_contact_tracker_set_joints(mo_contact_tracker *tracker, const mo_pair *joints,
                                        uint32_t count) {
  if (tracker == NULL || (joints == NULL && count > 0)) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "joints");
  }
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_result result = check_joints(tracker, joints, count);
  if (result != MO_OK) {
    return result;
  }
  mo_joint_list made = {.joints = NULL};
  uint64_t *sorting = mo_allocate(allocator, count, 2 * sizeof *sorting);
  if (count > 0 && (sorting == NULL || !allocate_joints(allocator, &made, count))) {
    mo_deallocate(allocator, sorting, count, 2 * sizeof *sorting);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (count > 0) {
    copy_joints_and_sort_keys(&made, joints, count, sorting);
  }
  mo_deallocate(allocator, sorting, count, 2 * sizeof *sorting);
  mo_joint_list_destroy(allocator, &tracker->joints);
  tracker->joints = made;
  return MO_OK;
}

uint32_t mo_joint_lower_bound(const mo_joint_list *m, uint32_t slot) {
  uint32_t lower = 0, upper = 2 * m->count;
  while (lower < upper) {
    uint32_t middle = lower + (upper - lower) / 2;
    if (m->keys_by_shape[middle] >> 32 < slot) {
      lower = middle + 1;
    } else {
      upper = middle;
    }
  }
  return lower;
}
