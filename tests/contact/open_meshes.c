/* Contacts of meshes with a border: sheets that stand on a box, over whose top their border has a
 * contact wherever they lean to (but for one in 500, where it runs along a diagonal of the top);
 * and open bowls, of which any two that cross touch. */
#include "contact/contacts.h"
#include "contact/flat_meshes.h"
#include "support/rng.h"

enum { MAX_CONTACTS = 1024 };
static mo_contact contacts[MAX_CONTACTS];

/* A sheet upright in the plane y = 0, with its lower border from (-1, 0, 0) to (1, 0, 0). */
static mo_mesh *sheet(int columns, int rows) {
  test_mesh mesh = {0};
  for (int i = 0; i < columns * rows; i++) {
    mo_vec3 c[4];
    for (int k = 0; k < 4; k++) {
      c[k] = mo_vec(2 * (float)(i % columns + (k == 1 || k == 2)) / (float)columns - 1, 0,
                    (float)(i / columns + k / 2) / (float)rows);
    }
    test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    test_mesh_add_corners(&mesh, c[0], c[2], c[3]);
  }
  return build(&mesh);
}

/* In how many poses no contact leads down on to the box, or none is as far from it as the border.
 */
typedef struct tally {
  uint64_t none, wrong;
} tally;

/* The lower border is `gap` above the top of the box, and the sheet leans by up to 60 degrees. */
static tally lean_sheets(rng *r, mo_mesh *const mesh[2], float half, float gap, uint64_t rounds) {
  tally t = {0, 0};
  for (uint64_t round = 0; round < rounds; round++) {
    const float x = rng_float(r, -0.1f, 0.1f), y = rng_float(r, -0.1f, 0.1f),
                lean = rng_float(r, -1, 1), turn = rng_float(r, -3, 3);
    const mo_transform place[2] = {
        mo_transform_make(mo_vec(x, y, gap), turned(mo_vec(1, 0, 0), (double)lean),
                          mo_vec(1, 1, 1)),
        mo_transform_make(mo_vec(0, 0, -half), turned(mo_vec(0, 0, 1), (double)turn),
                          mo_vec(1, 1, 1))};
    const uint32_t count = contacts_of_meshes(mesh, place, contacts, MAX_CONTACTS);
    uint32_t down = 0;
    float min = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
      const mo_manifold *m = &contacts[i].manifold;
      if (m->normal.z < -0.999f) {
        down++;
        min = fminf(min, min_separation(m));
      }
    }
    t.none += down == 0;
    t.wrong += down != 0 && fabsf(min - gap) > 1e-5f;
  }
  return t;
}

Test(open_meshes, borders_of_sheets_touch_the_top_of_a_box) {
  const float half = 0.4f, gaps[] = {0.01f, -0.0003f, -0.002f, -0.02f};
  rng r = rng_make(rng_seed("leaning sheets", 3250));
  mo_mesh *sheets[] = {sheet(1, 1), sheet(4, 2)};
  for (int i = 0; i < 2; i++) {
    test_mesh box = crate(mo_vec(half, half, half), 1 + i);
    mo_mesh *mesh[2] = {sheets[i], build(&box)};
    for (int k = 0; k < 4; k++) {
      const uint64_t rounds = rng_rounds(100, 10000);
      const tally t = lean_sheets(&r, mesh, half, gaps[k], rounds);
      cr_expect(
          t.none <= 1 + rounds / 500 && t.wrong == 0,
          "sheet %d, gap %g: %llu poses without a contact along the top, %llu with a wrong one", i,
          (double)gaps[k], (unsigned long long)t.none, (unsigned long long)t.wrong);
    }
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
  }
}

/* Half of a sphere of radius 0.5, open at the top; on request with triangles that are segments. */
static mo_mesh *bowl(int rings, int sectors, bool with_segments) {
  const float pi = 3.14159265f;
  test_mesh mesh = {0};
  for (int i = 0; i < rings * sectors; i++) {
    mo_vec3 c[4];
    for (int k = 0; k < 4; k++) {
      const float down = 0.5f * pi * (float)(i / sectors + k / 2) / (float)rings,
                  around = 2 * pi * (float)((i + (k == 1 || k == 2)) % sectors) / (float)sectors;
      c[k] = mo_vec(0.5f * cosf(down) * cosf(around), 0.5f * cosf(down) * sinf(around),
                    -0.5f * sinf(down));
    }
    test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    if (i / sectors + 1 < rings) {
      test_mesh_add_corners(&mesh, c[0], c[2], c[3]);
    }
    if (with_segments) {
      test_mesh_add_corners(&mesh, c[0], c[2], c[0]);
    }
  }
  return build(&mesh);
}

static bool cross(mo_mesh *const mesh[2], const mo_transform place[2]) {
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  def.other = mesh[1];
  def.transform = place[0];
  def.other_transform = place[1];
  bool overlap;
  cr_assert_eq(mo_mesh_test_overlap_mesh(mesh[0], &def, &overlap, NULL), MO_OK);
  return overlap;
}

static bool have_touching_contact(mo_mesh *const mesh[2], const mo_transform place[2]) {
  bool touches = false;
  const uint32_t count = contacts_of_meshes(mesh, place, contacts, MAX_CONTACTS);
  for (uint32_t i = 0; i < count; i++) {
    touches = touches || contacts[i].manifold.touching;
  }
  return touches;
}

/* A contact at a distance once stood for a touching one, as both have the same normal and the point
 * of the one is on the triangle of the other. */
Test(open_meshes, deeper_contact_is_not_left_out) {
  mo_mesh *const mesh[2] = {bowl(10, 24, false), bowl(5, 12, false)};
  const mo_transform place[2] = {{{0.356209964f, 0.668183386f, 0.653181016f},
                                  {0.315985262f, 0.571712196f, -0.757164776f},
                                  {-0.879356444f, 0.476105213f, -0.00748652453f},
                                  {0, 0, 0}},
                                 {{-0.0919240564f, -0.953227937f, -0.28793481f},
                                  {-0.645198047f, -0.163232654f, 0.746374309f},
                                  {-0.75846523f, 0.254384726f, -0.600015759f},
                                  {-0.154150397f, 0.642104805f, -0.507641077f}}};
  cr_assert(cross(mesh, place) && have_touching_contact(mesh, place));
  mo_mesh_release(mesh[0]);
  mo_mesh_release(mesh[1]);
}

Test(open_meshes, bowls_that_cross_touch) {
  rng r = rng_make(rng_seed("crossing bowls", 3251));
  uint64_t lost = 0;
  mo_mesh *bowls[] = {bowl(5, 12, false), bowl(10, 24, false), bowl(6, 12, true)};
  for (uint64_t round = 0, rounds = rng_rounds(400, 100000); round < rounds; round++) {
    mo_mesh *const mesh[2] = {bowls[round % 3], bowls[round / 3 % 3]};
    mo_transform place[2];
    for (int i = 0; i < 2; i++) {
      place[i] = mo_transform_make(mo_vec(0, 0, 0), rng_rotation(&r), mo_vec(1, 1, 1));
    }
    const mo_vec3 direction = rng_direction(&r);
    float low = 0, high = 2; /* apart at `high`, and just crossing at `low` if they cross at all */
    for (int i = 0; i < 12; i++) {
      const float middle = 0.5f * (low + high);
      place[1].origin = mo_scale(middle, direction);
      *(cross(mesh, place) ? &low : &high) = middle;
    }
    place[1].origin = mo_scale(low - rng_float(&r, 0, 0.02f), direction);
    if (!cross(mesh, place)) {
      continue;
    }
    lost += !have_touching_contact(mesh, place);
  }
  cr_expect(lost == 0, "%llu of the bowls that cross have no touching contact",
            (unsigned long long)lost);
  for (int i = 0; i < 3; i++) {
    mo_mesh_release(bowls[i]);
  }
}
