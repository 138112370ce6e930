/* The bits of hulls do not depend on machine or compiler: of each kind of cloud, a hash that is the
 * same everywhere. A plain program, as Criterion is not there for every machine. */
#include <stdio.h>
#include <stdlib.h>

#include "geometry/hull/clouds.h"
#include "support/plain.h"

enum { COUNT = 2000 };

static const uint64_t expected[CLOUD_KINDS][2] = {
    {0x22b1527328f148f2, 0xc8fb041cd1e32458}, {0x9ce2705f2814ce47, 0x2a6bf16d9a332d92},
    {0xc3cd6d54944fff63, 0xc3cd6d54944fff63}, {0x1bc98c628ef5cf9b, 0x1bc98c628ef5cf9b},
    {0x254d8d129e94215d, 0x7fc6d36c4abe1e39}, {0x841f2babdb8d10fe, 0xf1a730743729639d},
    {0xb2a50c4fe6075559, 0xb2a50c4fe6075559}, {0xaad112ca1defbf89, 0x076853ff2f54357c},
    {0x40cd130c180491bd, 0x925bcc7010ff63c2}, {0xc99ad279c19f3a92, 0x1ae7fe5ba444db90},
    {0x824fffe770922708, 0x824fffe770922708}, {0xbb79203cb3982356, 0x26ab30ca3e2b6134},
};

int main(void) {
  static mo_vec3 points[COUNT];
  rng r = rng_make(73);
  int failures = 0;
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    cloud_fill((cloud_kind)kind, points, COUNT, &r);
    for (int limited = 0; limited < 2; limited++) {
      mo_hull_def def = cloud_def(points, COUNT);
      def.vertex_limit = limited ? 20 : def.vertex_limit;
      mo_hull *hull;
      need(mo_hull_create(&def, &hull), "mo_hull_create");
      uint64_t hash = cloud_hull_hash(hull);
      printf("%s%s: 0x%016llx\n", cloud_name((cloud_kind)kind), limited ? ", 20 vertices" : "",
             (unsigned long long)hash);
      failures += hash != expected[kind][limited];
      mo_hull_release(hull);
    }
  }
  return failures != 0;
}
