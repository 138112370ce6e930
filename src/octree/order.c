/* Slot orders for nested planes. */
#include "octree/order.h"

void mo_nested_order(const uint8_t axis[8], uint32_t order[4]) {
  for (uint32_t signs = 0; signs < 4; signs++) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
      uint32_t k = 1;
      for (int level = 2; level >= 0; level--) {
        uint32_t side = i >> level & 1;
        uint32_t flip = axis[k] < 3 ? signs >> axis[k] & 1 : 0;
        k = 2 * k + (side ^ flip);
      }
      word |= (k - 8) << (4 * i);
    }
    order[signs] = word;
  }
}
