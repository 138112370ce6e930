/* Contacts at seams of separate shapes: trackers leave out what is none of the surface that the
 * partners of a body have in common, and nothing else. */
#include "contact/pair/seam.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "contact/floors.h"
#include "contact/tracking.h"
#include "math/vector.h"
#include "support/counting_allocator.h"
#include "support/rng.h"
#include "support/task_order.h"

/* --- balls on blocks, against distances --- */

enum { SIDE = 6, BLOCKS = SIDE * SIDE };

/* Blocks of 1 by 1 metre, side by side, with tops at some of three heights. */
typedef struct blocks {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id ids[BLOCKS], body;
  mo_aabb boxes[BLOCKS];
} blocks;

static void make_static(mo_scene *scene, mo_shape_id id) {
  cr_assert_eq(mo_scene_set_motion(scene, &id, 1, MO_MOTION_STATIC, NULL), MO_OK);
}

static blocks blocks_create(rng *r, mo_geometry body) {
  blocks b = {.scene = NULL};
  mo_host host = mo_default_host();
  b.scene = scene_with(&host);
  for (int i = 0; i < BLOCKS; i++) {
    float x = (float)(i % SIDE), z = (float)(i / SIDE), top = 0.25f * (float)rng_below(r, 3);
    b.boxes[i] = (mo_aabb){{x, -1, z}, {x + 1, top, z + 1}};
    float half = 0.5f * (top + 1);
    b.ids[i] = add(b.scene, box_of(0.5f, half, 0.5f), x + 0.5f, top - half, z + 0.5f);
    make_static(b.scene, b.ids[i]);
  }
  b.body = add(b.scene, body, 0, 0, 0);
  cr_assert_eq(mo_scene_set_margin(b.scene, b.body, 0.02f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(b.scene, NULL, &b.tracker), MO_OK);
  return b;
}

static void blocks_destroy(blocks *b) {
  mo_contact_tracker_destroy(b->tracker);
  mo_scene_destroy(b->scene);
}

static mo_dvec3 closest(mo_aabb box, mo_dvec3 to) {
  return mo_dvec(fmin(fmax(to.x, (double)box.lower.x), (double)box.upper.x),
                 fmin(fmax(to.y, (double)box.lower.y), (double)box.upper.y),
                 fmin(fmax(to.z, (double)box.lower.z), (double)box.upper.z));
}

static double distance_to(mo_aabb box, mo_dvec3 from) {
  return mo_dlength(mo_dsub(from, closest(box, from)));
}

/* What there is to find of a ball and a block. */
typedef enum answer { ABSENT, PRESENT, EITHER } answer;

/* A ball touches a block where no other block, which carries it by a face, has both the closest
 * point of the block and a point that is closer to places some way out along the normal. */
static answer expected(const blocks *b, int block, mo_dvec3 center, double radius) {
  mo_dvec3 place = closest(b->boxes[block], center), way = mo_dsub(center, place);
  double distance = mo_dlength(way), separation = distance - radius;
  if (fabs(separation - 0.02) < 1e-4) {
    return EITHER;
  }
  if (separation > 0.02) {
    return ABSENT;
  }
  /* Places this close to a block are on it: 1/1024 of the ball's extent, and some rounding. */
  double tolerance = 2.2 * radius / 1024;
  bool on_face = (way.x == 0) + (way.y == 0) + (way.z == 0) == 2;
  mo_dvec3 out = mo_dadd(place, mo_dscale(0.01 / distance, way));
  answer found = PRESENT;
  for (int i = 0; i < BLOCKS && !on_face; i++) {
    mo_dvec3 other = mo_dsub(center, closest(b->boxes[i], center));
    double gap = mo_dlength(other) - radius;
    double straight = fmax(fabs(other.x), fmax(fabs(other.y), fabs(other.z))) / mo_dlength(other);
    double beside = distance_to(b->boxes[i], place);
    if (i == block || straight < 0.9989 || beside > tolerance || gap > 0.0201) {
      continue;
    }
    double cosine = mo_ddot(way, other) / (distance * mo_dlength(other));
    double closer = 0.01 - distance_to(b->boxes[i], out);
    bool doubt = beside > 0 || straight < 1 || gap > 0.0199 || cosine > 0.999 || closer < 1e-6;
    found = !doubt ? ABSENT : found == PRESENT && (closer > 0 || beside > 0) ? EITHER : found;
  }
  return found;
}

Test(contact_seams, balls_touch_the_union_of_blocks) {
  rng r = rng_make(rng_seed("contact_seams/balls", 961));
  uint64_t present = 0, hidden = 0;
  for (uint64_t level = rng_few_rounds(10, 400); level-- > 0;) {
    float radius = rng_float(&r, 0.1f, 0.6f);
    blocks b = blocks_create(&r, sphere_of(mo_vec(0, 0, 0), radius));
    for (int k = 0; k < 200; k++) {
      float y = 0.25f * (float)rng_below(&r, 3) + radius + rng_float(&r, -0.005f, 0.02f);
      mo_vec3 at = {rng_float(&r, 0.5f, SIDE - 0.5f), y, rng_float(&r, 0.5f, SIDE - 0.5f)};
      move(b.scene, b.body, at.x, at.y, at.z);
      mo_contact_events events = update(b.tracker);
      uint32_t next = 0;
      bool inside = false;
      for (int i = 0; i < BLOCKS; i++) {
        inside = inside || distance_to(b.boxes[i], mo_widen(at)) < 1e-3;
      }
      for (int i = 0; i < BLOCKS; i++) {
        bool found =
            next < events.contact_count && same_id(events.contacts[next].contact.a, b.ids[i]);
        next += found;
        answer wanted = inside ? EITHER : expected(&b, i, mo_widen(at), (double)radius);
        cr_assert(wanted == EITHER || found == (wanted == PRESENT),
                  "ball of %g at %g %g %g, block %d: %d", (double)radius, (double)at.x,
                  (double)at.y, (double)at.z, i, found);
        present += found;
        hidden += !found && distance_to(b.boxes[i], mo_widen(at)) < (double)radius + 0.0199;
      }
      cr_assert_eq(next, events.contact_count);
    }
    blocks_destroy(&b);
  }
  printf("%u contacts, %u hidden\n", (unsigned)present, (unsigned)hidden);
  cr_assert(present > 100 && hidden > 20);
}

/* --- shapes of all kinds, against each pair of contacts --- */

enum { BODIES = 60, TILES = 25, MAX = 4000 };

static mo_geometry any_geometry(rng *r) {
  switch (rng_below(r, 6)) {
  case 0:
    return sphere_of(mo_vec(0, 0, 0), rng_float(r, 0.2f, 0.6f));
  case 1:
    return capsule_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.4f));
  case 2:
    return cylinder_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f));
  case 3:
    return hull_of(rng_chance(r, 0.5) ? TEST_HULL_CUBE : TEST_HULL_STONE);
  default:
    return box_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f));
  }
}

/* A square of 2 by 2 metres. */
static mo_mesh *tile_mesh(bool edges) {
  test_mesh mesh = {0};
  const mo_vec3 corner[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
  test_mesh_add_corners(&mesh, corner[0], corner[1], corner[2]);
  test_mesh_add_corners(&mesh, corner[0], corner[2], corner[3]);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = edges;
  mo_mesh *made;
  cr_assert_eq(mo_mesh_create(&def, &made), MO_OK);
  test_mesh_free(&mesh);
  return made;
}

/* Five by five tiles, which begin at x = `far`, and how many bodies are on them. */
typedef struct tiles {
  float far, size, max_tilt;
  int bodies;
} tiles;

/* On the floor of tiles or a step above it, upright or nearly so or not at all. */
static mo_transform any_place(rng *r, const tiles *floor) {
  const float width = 5 * floor->size, step = floor->max_tilt > 0 ? 0.1f : 0.5f;
  mo_vec3 at = {floor->far + rng_float(r, 0, width), step * (float)rng_below(r, 4),
                rng_float(r, 0, width)};
  mo_quat turn = rng_chance(r, 0.5) ? turned(mo_vec(0, 1, 0), (double)rng_float(r, 0, 6))
                                    : turned(rng_direction(r), (double)rng_float(r, 0, 6));
  return mo_transform_make(at, turn, mo_vec(1, 1, 1));
}

/* The slots of the shapes whose AABBs touch that of one; how many. */
static uint32_t list_partners(const mo_scene *scene, mo_shape_id shape, uint32_t *slots) {
  static mo_pair pairs[1 << 16];
  uint32_t pair_count, count = 0;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, pairs, 1 << 16, &pair_count), MO_OK);
  cr_assert_leq(pair_count, 1 << 16);
  for (uint32_t i = 0; i < pair_count; i++) {
    bool is_a = same_id(pairs[i].a, shape);
    if (is_a || same_id(pairs[i].b, shape)) {
      slots[count++] = is_a ? pairs[i].b.index : pairs[i].a.index;
    }
  }
  return count;
}

static uint32_t hidden_of(const mo_scene *scene, const mo_contact_events *all, uint32_t index,
                          bool second, const bool *changed) {
  const mo_contact *c = &all->contacts[index].contact;
  const mo_shape_id shape = second ? c->b : c->a, other = second ? c->a : c->b;
  if (!changed[shape.index]) {
    return 0;
  }
  static uint32_t partners[1 << 12];
  mo_seam_body body = mo_seam_body_of(scene, shape.index, NULL);
  body.partner_count = list_partners(scene, shape, partners);
  body.partners = partners;
  for (uint32_t i = 0; i < all->contact_count; i++) {
    const mo_contact *d = &all->contacts[i].contact;
    for (uint32_t k = 0; k < d->manifold.point_count; k++) {
      if (same_id(d->a, shape) || same_id(d->b, shape)) {
        body.max_depth = fmaxf(body.max_depth, -d->manifold.points[k].separation);
      }
    }
  }
  if (c->manifold.point_count == 0) {
    return 0;
  }
  mo_seam_contact own = {.side = mo_contact_side_of(c, second), .contact = c};
  mo_seam_contact_measure(&own);
  if (!mo_seam_is_near_others(&body, &own)) {
    return 0;
  }
  uint32_t hidden = 0;
  for (uint32_t i = 0; i < all->contact_count; i++) {
    const mo_contact *d = &all->contacts[i].contact;
    bool is_a = same_id(d->a, shape), is_b = same_id(d->b, shape);
    if ((is_a || is_b) && !same_id(is_a ? d->b : d->a, other) && d->manifold.point_count > 0) {
      mo_seam_contact supporter = {.side = mo_contact_side_of(d, is_b), .contact = d};
      mo_seam_contact_measure(&supporter);
      hidden |= mo_seam_find_hidden_points(&body, &own, &supporter);
    }
  }
  return hidden;
}

static mo_contact without(mo_contact contact, uint32_t hidden) {
  mo_manifold *m = &contact.manifold;
  uint32_t count = 0;
  m->touching = m->touching && hidden == 0;
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (!(hidden >> i & 1)) {
      m->points[count++] = m->points[i];
      m->touching = m->touching || m->points[i].separation <= 0;
    }
  }
  m->point_count = count;
  return contact;
}

/* One tracker keeps all contacts, the other is to leave out what any two of them show. */
static uint32_t compare_trackers(rng *r, const tiles *floor) {
  uint32_t hidden_count = 0;
  mo_host host = mo_default_host();
  host.tasks = tasks_backwards(3);
  mo_scene *scene = scene_with(&host);
  mo_shape_id ids[BODIES];
  static bool changed[TILES + BODIES];
  mo_mesh *meshes[2] = {tile_mesh(false), tile_mesh(true)};
  for (int i = 0; i < TILES; i++) {
    const float size = floor->size, half = size / 2 * (i % 3 == 0 ? 1.001f : 1);
    const float x = floor->far + size * (float)(i % 5), z = size * (float)(i / 5);
    mo_geometry mesh = {.type = MO_SHAPE_MESH, .mesh = meshes[i % 2]};
    bool is_box = i % 4 < 2;
    const mo_shape_id tile =
        add(scene, is_box ? box_of(half, 1, size / 2) : mesh, x, is_box ? -1 : 0, z);
    if (floor->max_tilt > 0) {
      const float angle = rng_float(r, 0, floor->max_tilt);
      const mo_quat turn = turned(rng_direction(r), (double)angle);
      const mo_vec3 scale = mo_vec(is_box ? 1 : size / 2, 1, is_box ? 1 : size / 2);
      const mo_transform map = mo_transform_make(mo_vec(x, is_box ? -1 : 0, z), turn, scale);
      cr_assert_eq(mo_scene_set_transform(scene, tile, &map), MO_OK);
    }
    make_static(scene, tile);
  }
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
  for (int i = 0; i < floor->bodies; i++) {
    const bool is_plate = floor->max_tilt > 0 && i % 2 == 0;
    ids[i] = add(scene, is_plate ? box_of(1, 0.1f, 0.8f) : any_geometry(r), 0, 0, 0);
    cr_assert_eq(mo_scene_set_margin(scene, ids[i], 0.01f), MO_OK);
  }
  mo_contact_tracker *raw = tracker_create(scene), *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  for (int frame = 0; frame < 6; frame++) {
    for (int i = 0; i < floor->bodies; i++) {
      changed[ids[i].index] = frame == 0 || rng_chance(r, 0.4);
      mo_transform place = any_place(r, floor);
      if (changed[ids[i].index]) {
        cr_assert_eq(mo_scene_set_transform(scene, ids[i], &place), MO_OK);
      }
    }
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_events all = update(raw), some = update(tracker);
    uint32_t next = 0;
    for (uint32_t i = 0; i < all.contact_count; i++) {
      const mo_tracked_contact *c = &all.contacts[i];
      if (c->unchanged) {
        bool same = next < some.contact_count &&
                    same_id(some.contacts[next].contact.a, c->contact.a) &&
                    same_id(some.contacts[next].contact.b, c->contact.b);
        next += same;
        continue;
      }
      uint32_t hidden =
          hidden_of(scene, &all, i, false, changed) | hidden_of(scene, &all, i, true, changed);
      hidden_count += hidden != 0;
      const mo_contact left = without(c->contact, hidden);
      if (hidden == 0 || left.manifold.point_count > 0) {
        cr_assert(next < some.contact_count);
        cr_assert(same_contact(&some.contacts[next].contact, &left));
        next++;
      }
    }
    cr_assert_eq(next, some.contact_count);
  }
  mo_contact_tracker_destroy(raw);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return hidden_count;
}

Test(contact_seams, as_every_two_contacts_say) {
  rng r = rng_make(rng_seed("contact_seams/all", 962));
  uint32_t hidden_count = 0;
  for (uint64_t round = rng_few_rounds(4, 60); round-- > 0;) {
    hidden_count += compare_trackers(&r, &(tiles){round % 4 == 3 ? 1e5f : 0, 2, 0, BODIES});
  }
  printf("%u contacts hidden\n", hidden_count);
  cr_assert_gt(hidden_count, 20);
}

/* Plates lie on many small tiles, of which each is tilted a little: of contacts with nearly the
 * same normal, some hide others. */
Test(contact_seams, as_every_two_contacts_say_on_tilted_tiles) {
  rng r = rng_make(rng_seed("contact_seams/tilted", 963));
  uint32_t hidden_count = 0;
  for (uint64_t round = rng_few_rounds(4, 60); round-- > 0;) {
    hidden_count += compare_trackers(&r, &(tiles){0, 0.5f, 0.06f, 16});
  }
  printf("%u contacts hidden\n", hidden_count);
  cr_assert_gt(hidden_count, 20);
}

/* --- single cases --- */

/* A scene with a floor of two boxes that meet at x = 0, and a body. */
typedef struct floor_case {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id left, right, body;
} floor_case;

static floor_case floor_create(mo_geometry body, const mo_contact_tracker_def *def) {
  mo_host host = mo_default_host();
  floor_case f = {.scene = scene_with(&host)};
  f.left = add(f.scene, box_of(2, 1, 2), -2, -1, 0);
  f.right = add(f.scene, box_of(2, 1, 2), 2, -1, 0);
  f.body = add(f.scene, body, 0, 0, 0);
  make_static(f.scene, f.left);
  make_static(f.scene, f.right);
  cr_assert_eq(mo_scene_set_margin(f.scene, f.body, 0.02f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(f.scene, def, &f.tracker), MO_OK);
  return f;
}

static mo_contact_events floor_at(const floor_case *f, mo_vec3 at, mo_quat turn) {
  mo_transform place = mo_transform_make(at, turn, mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(f->scene, f->body, &place), MO_OK);
  cr_assert_eq(mo_scene_update(f->scene, NULL), MO_OK);
  return update(f->tracker);
}

static void floor_destroy(floor_case *f) {
  mo_contact_tracker_destroy(f->tracker);
  mo_scene_destroy(f->scene);
}

static const mo_quat upright = {0, 0, 0, 1};

/* The contact with a shape, which must be the first of its pair; null if there is none. */
static const mo_manifold *with(const mo_contact_events *events, mo_shape_id id) {
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    if (same_id(c->a, id) || same_id(c->b, id)) {
      return &c->manifold;
    }
  }
  return NULL;
}

/* Sunk in by 10 mm, 2 mm over the seam, the shortest way out of the second box is back. So it is
 * where three boxes meet, and on to the plane of a half-space. */
Test(contact_seams, sunk_box_crosses) {
  for (int kind = 0; kind < 3; kind++) {
    floor_case f = floor_create(box_of(0.5f, 0.5f, 0.5f), NULL);
    if (kind > 0) {
      cr_assert_eq(mo_scene_remove_shape(f.scene, kind == 1 ? f.left : f.right), MO_OK);
    }
    if (kind == 1) {
      make_static(f.scene, add(f.scene, box_of(2, 1, 1), -2, -1, 1.1f));
      make_static(f.scene, add(f.scene, box_of(2, 1, 1), -2, -1, -0.9f));
    } else if (kind == 2) {
      const mo_half_space plane = {{0, 1, 0}, 0};
      mo_geometry ground = {.type = MO_SHAPE_HALF_SPACE, .half_space = plane};
      make_static(f.scene, add(f.scene, ground, 0, 0, 0));
    }
    for (float x = -0.54f; x < 0.54f; x += 0.002f) {
      mo_contact_events events = floor_at(&f, mo_vec(x, 0.49f, 0), upright);
      cr_assert(events.contact_count >= 1);
      for (uint32_t i = 0; i < events.contact_count; i++) {
        const mo_manifold *m = &events.contacts[i].contact.manifold;
        cr_assert(fabsf(m->normal.y) == 1, "kind %d at %g: %g %g %g", kind, (double)x,
                  (double)m->normal.x, (double)m->normal.y, (double)m->normal.z);
      }
    }
    floor_destroy(&f);
  }
}

/* What stands on the floor is met by all that meets it, also if it is only its lowest part. */
Test(contact_seams, walls_steps_and_posts_stay) {
  const struct {
    mo_geometry thing;
    mo_vec3 place;
    mo_quat turn;
  } cases[] = {
      {box_of(0.1f, 1, 1), {0.6f, 1, 0}, {0, 0, 0, 1}},         /* a wall */
      {box_of(0.1f, 0.01f, 1), {0.6f, 0.01f, 0}, {0, 0, 0, 1}}, /* a step of 2 cm */
      {box_of(0.1f, 1, 1), {0.6f, 0.9f, 0}, {0, 0, 0, 1}},      /* a wall that begins below */
      {box_of(0.1f, 1, 0.1f), {0.641f, 1, 0}, {0, 0.38268343f, 0, 0.92387953f}}, /* a post */
      {sphere_of(mo_vec(0, 0, 0), 0.01f), {0.505f, 0.01f, 0}, {0, 0, 0, 1}},     /* a marble */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floor_case f = floor_create(box_of(0.5f, 0.5f, 0.5f), NULL);
    mo_shape_id thing = add(f.scene, cases[i].thing, 0, 0, 0);
    mo_transform place = mo_transform_make(cases[i].place, cases[i].turn, mo_vec(1, 1, 1));
    cr_assert_eq(mo_scene_set_transform(f.scene, thing, &place), MO_OK);
    mo_contact_events events = floor_at(&f, mo_vec(0, 0.5f, 0), upright);
    const mo_manifold *m = with(&events, thing);
    cr_assert(with(&events, f.left) != NULL && with(&events, f.right) != NULL);
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_contact *c = &events.contacts[k].contact;
      m = same_id(c->a, f.body) && same_id(c->b, thing) ? &c->manifold : NULL;
    }
    cr_assert(m != NULL && m->point_count > 0 && fabsf(m->normal.x) > 0.7f, "case %zu", i);
    floor_destroy(&f);
  }
}

/* A box that leans away from a wall touches it only where the floor is, with an edge. */
Test(contact_seams, an_edge_in_a_corner_meets_the_wall) {
  floor_case f = floor_create(box_of(0.5f, 0.5f, 0.5f), NULL);
  mo_shape_id wall = add(f.scene, box_of(0.1f, 1, 1), 1.1f, 1, 0);
  double angle = 0.3, half = 0.5 * (cos(angle) + sin(angle));
  /* Its lowest edge is at x = 1, y = 0. */
  mo_vec3 at = {(float)(1 - 0.5 * (cos(angle) - sin(angle))), (float)half, 0};
  mo_contact_events events = floor_at(&f, at, turned(mo_vec(0, 0, 1), -angle));
  bool found = false;
  for (uint32_t k = 0; k < events.contact_count; k++) {
    const mo_contact *c = &events.contacts[k].contact;
    found = found || (same_id(c->b, wall) && fabsf(c->manifold.normal.x) > 0.9f);
  }
  cr_assert(found);
  floor_destroy(&f);
}

/* A block that leans away and touches the floor with its lowest edge still is in the way of a box,
 * although both meet only there. */
Test(contact_seams, a_leaning_block_stays) {
  for (double angle = 0.15; angle < 1.3; angle += 0.05) {
    floor_case f = floor_create(box_of(0.5f, 0.5f, 0.5f), NULL);
    /* From x = 0, y = 0 on, rising by 90 degrees less `angle`. */
    mo_geometry block = box_of(0.3f, 0.6f, 1);
    block.box.center = mo_vec(0.3f, 0.6f, 0);
    mo_shape_id id = add(f.scene, block, 0, 0, 0);
    mo_transform lean =
        mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 0, 1), -angle), mo_vec(1, 1, 1));
    cr_assert_eq(mo_scene_set_transform(f.scene, id, &lean), MO_OK);
    for (float x = -0.515f; x < -0.48f; x += 0.005f) {
      mo_contact_events events = floor_at(&f, mo_vec(x, 0.5f, 0), upright);
      const mo_contact *last = &events.contacts[events.contact_count - 1].contact;
      cr_assert(same_id(last->a, f.body) && same_id(last->b, id), "%g rad, at %g", angle,
                (double)x);
    }
    floor_destroy(&f);
  }
}

/* On a ramp, and at its foot, a ball touches floor and ramp by their faces alone. */
Test(contact_seams, no_edge_at_the_foot_of_a_ramp) {
  floor_case f = floor_create(sphere_of(mo_vec(0, 0, 0), 0.5f), NULL);
  const double slope = 0.2;
  mo_transform place =
      mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 0, 1), slope), mo_vec(1, 1, 1));
  mo_geometry ramp = box_of(2, 1, 2);
  ramp.box.center = mo_vec(2, -1, 0);
  mo_shape_id up = add(f.scene, ramp, 0, 0, 0);
  make_static(f.scene, up);
  cr_assert_eq(mo_scene_set_transform(f.scene, up, &place), MO_OK);
  uint32_t faces = 0;
  for (float x = -0.3f; x < 0.05f; x += 0.01f) {
    mo_contact_events events = floor_at(&f, mo_vec(x, 0.5f, 0), upright);
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_contact *c = &events.contacts[k].contact;
      if (same_id(c->b, up)) {
        cr_assert_float_eq(c->manifold.normal.x, sin(slope), 1e-5, "at %g", (double)x);
        faces++;
      }
    }
  }
  cr_assert_gt(faces, 5);
  floor_destroy(&f);
}

/* What is no floor for the body hides nothing: sensors, and what `modify` lets it pass. */
static void reject_left(mo_modified_pair *pair, void *context) {
  const mo_shape_id *left = context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    pair->contacts[i].rejected = same_id(pair->contacts[i].contact.a, *left);
  }
}

Test(contact_seams, only_what_carries_hides) {
  mo_shape_id left = {0, 1};
  mo_contact_tracker_def defs[4];
  for (int i = 0; i < 4; i++) {
    defs[i] = mo_default_contact_tracker_def();
  }
  defs[1].sensor_categories = 2;
  defs[2].modify = reject_left;
  defs[2].context = &left;
  defs[3].keep_seams = true;
  for (int i = 0; i < 4; i++) {
    floor_case f = floor_create(sphere_of(mo_vec(0, 0, 0), 0.5f), &defs[i]);
    left = f.left;
    cr_assert_eq(mo_scene_set_filter(f.scene, f.left, i == 1 ? 2 : 1, UINT64_MAX), MO_OK);
    mo_contact_events events = floor_at(&f, mo_vec(-0.05f, 0.5f, 0), upright);
    bool leans = false;
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_contact *c = &events.contacts[k].contact;
      leans = leans || (same_id(c->a, f.right) && same_id(c->b, f.body));
    }
    cr_assert_eq(leans, i > 0, "def %d", i);
    floor_destroy(&f);
  }
}

/* A pair whose contacts are all hidden does not touch, and touches again where they are not. */
Test(contact_seams, events) {
  floor_case f = floor_create(sphere_of(mo_vec(0, 0, 0), 0.5f), NULL);
  mo_contact_events events = floor_at(&f, mo_vec(0.02f, 0.499f, 0), upright);
  cr_assert_eq(events.begin_count, 1);
  events = floor_at(&f, mo_vec(-0.02f, 0.499f, 0), upright);
  cr_assert(events.begin_count == 1 && same_id(events.begins[0].a, f.left));
  cr_assert(events.end_count == 1 && same_id(events.ends[0].a, f.right));
  events = floor_at(&f, mo_vec(-0.02f, 0.499f, 0.1f), upright);
  cr_assert(events.begin_count == 0 && events.end_count == 0);
  events = floor_at(&f, mo_vec(0.02f, 0.499f, 0.1f), upright);
  cr_assert(events.begin_count == 1 && same_id(events.begins[0].a, f.right));
  floor_destroy(&f);
}

/* A box that moves a little has sunk in, and reaches 2 mm over the edge of the right half of a
 * floor. Its contact there is hidden while the left half supports it, and shown as soon as that is
 * gone: removed, far away, or beside the box; also where its contact with the right half is reused.
 */
Test(contact_seams, what_loses_its_supporter_feels_the_edge) {
  for (int i = 0; i < 12; i++) {
    const int way = i % 3;
    const float step = i / 3 & 1 ? 1e-3f : 1e-5f;
    mo_contact_tracker_def def = mo_default_contact_tracker_def();
    def.reuse_distance = i < 6 ? 0 : 0.01f;
    floor_case f = floor_create(box_of(0.5f, 0.5f, 0.5f), &def);
    mo_contact_events events;
    for (int frame = 0; frame < 4; frame++) {
      events = floor_at(&f, mo_vec(-0.498f, 0.49f, 1.2f + step * (float)frame), upright);
      cr_assert(with(&events, f.left) != NULL && with(&events, f.right) == NULL);
    }
    const mo_vec3 to = way == 1 ? mo_vec(-20, -1, 0) : mo_vec(-3.2f, -1, 0);
    const mo_transform place =
        mo_transform_make(to, turned(mo_vec(0, 1, 0), way == 1 ? 0 : 0.785398), mo_vec(1, 1, 1));
    cr_assert_eq(way == 0 ? mo_scene_remove_shape(f.scene, f.left)
                          : mo_scene_set_transform(f.scene, f.left, &place),
                 MO_OK);
    events = floor_at(&f, mo_vec(-0.498f, 0.49f, 1.2f + step * 4), upright);
    cr_assert(events.contact_count == 1 && with(&events, f.right) != NULL, "case %d: %u contacts",
              i, events.contact_count);
    floor_destroy(&f);
  }
}

/* Out of memory at each allocation of an update: nothing has changed, and the next one succeeds. */
Test(contact_seams, memory) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  const mo_host host = counting_allocator_host(&counter);
  mo_scene *scene = scene_with(&host);
  mo_shape_id ids[300];
  for (int i = 0; i < 300; i++) {
    ids[i] = add(scene, box_of(0.5f, 0.5f, 0.5f), (float)(i % 10), 0.99f * (float)(i / 100),
                 (float)(i / 10 % 10));
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  mo_contact_events events;
  for (size_t nth = 1; result != MO_OK; nth++) {
    counting_allocator_fail_at(&counter, nth, false);
    result = mo_contact_tracker_update(tracker, &events);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
  }
  counting_allocator_fail_at(&counter, 0, false);
  mo_contact_tracker *fresh;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &fresh), MO_OK);
  mo_contact_events wanted = update(fresh);
  cr_assert_eq(wanted.contact_count, events.contact_count);
  for (uint32_t i = 0; i < wanted.contact_count; i++) {
    cr_assert(same_contact(&wanted.contacts[i].contact, &events.contacts[i].contact));
  }
  for (int frame = 0; frame < 6; frame++) {
    for (int i = 0; i < 300; i++) {
      mo_transform place = mo_transform_identity();
      place.origin = mo_vec((float)(i % 10) - 0.001f * (float)(frame % 2), 0.99f * (float)(i / 100),
                            (float)(i / 10 % 10));
      cr_assert_eq(mo_scene_set_transform(scene, ids[i], &place), MO_OK);
    }
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    size_t before = counter.calls;
    update(tracker);
    cr_assert(frame < 2 || counter.calls == before);
  }
  mo_contact_tracker_destroy(fresh);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* An upright capsule and a ball with their axis exactly over the border of two tiles, near the
 * corner of four: the tile under the border carries, though what touches is its edge. */
Test(contact_seams, on_the_border_of_tiles) {
  mo_host host = mo_default_host();
  for (int kind = 0; kind < 2; kind++) {
    mo_scene *scene = scene_with(&host);
    for (int i = 0; i < 4; i++) {
      make_static(scene, add(scene, box_of(0.5f, 0.5f, 0.5f), i % 2 ? 0.5f : -0.5f, -0.5f,
                             i / 2 ? 0.5f : -0.5f));
    }
    const mo_geometry capsule = {.type = MO_SHAPE_CAPSULE,
                                 .capsule = {{0, -0.5f, 0}, {0, 0.5f, 0}, 0.25f}},
                      ball = sphere_of(mo_vec(0, -0.5f, 0), 0.25f);
    const mo_shape_id body = add(scene, kind == 0 ? capsule : ball, 0, 0, 0);
    cr_assert_eq(mo_scene_set_margin(scene, body, 0.02f), MO_OK);
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
    for (int k = 0; k < 8; k++) {
      mo_transform map = mo_transform_identity();
      map.origin = mo_vec(0.01f * (float)(k + 1), 0.7421875f, 0);
      cr_assert_eq(mo_scene_set_transform(scene, body, &map), MO_OK);
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      mo_contact_events events;
      cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
      uint32_t touching = 0;
      for (uint32_t i = 0; i < events.contact_count; i++) {
        const mo_manifold *m = &events.contacts[i].contact.manifold;
        touching += m->touching;
        cr_assert(!m->touching || fabsf(m->normal.y) >= 0.99999f, "kind %d, step %d: %g %g %g",
                  kind, k, (double)m->normal.x, (double)m->normal.y, (double)m->normal.z);
      }
      cr_assert(touching > 0);
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}

/* Hundreds of balls on the seam of two boxes: each touches its own side of the floor alone,
 * whichever place it has among all. */
Test(contact_seams, each_of_many_bodies_is_examined) {
  enum { BALLS = 300 };
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  make_static(scene, add(scene, box_of(2, 1, BALLS), -2, -1, 0));
  make_static(scene, add(scene, box_of(2, 1, BALLS), 2, -1, 0));
  for (int i = 0; i < BALLS; i++) {
    const float side = i % 3 == 0 ? -0.02f : 0.03f;
    const mo_shape_id ball =
        add(scene, sphere_of(mo_vec(0, 0, 0), 0.25f), side, 0.249f, 0.75f * (float)(i - BALLS / 2));
    cr_assert_eq(mo_scene_set_margin(scene, ball, 0.02f), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  mo_contact_events events = update(tracker);
  for (uint32_t i = 0; i < events.contact_count; i++) {
    const mo_contact *c = &events.contacts[i].contact;
    cr_assert(fabsf(c->manifold.normal.y) > 0.9999f, "ball %u: %g %g %g", c->b.index,
              (double)c->manifold.normal.x, (double)c->manifold.normal.y,
              (double)c->manifold.normal.z);
  }
  cr_assert_eq(events.contact_count, BALLS);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* A gap between two boxes, and what fills it: another box closes the floor, a sensor or a volume
 * leaves the edge beyond the gap to be felt. */
Test(contact_seams, what_only_senses_closes_no_gap) {
  enum { SENSOR = 2 };
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = SENSOR;
  for (int kind = 0; kind < 4; kind++) {
    floor_case f = floor_create(sphere_of(mo_vec(0, 0, 0), 0.5f), &def);
    move(f.scene, f.right, 2.02f, -1, 0);
    const mo_geometry volume = {.type = MO_SHAPE_VOLUME,
                                .volume = {{-0.01f, -1, -2}, {0.01f, 1, 2}}};
    if (kind > 0) {
      const mo_shape_id filler =
          add(f.scene, kind == 3 ? volume : box_of(0.01f, 1, 2), 0.01f, -1, 0);
      make_static(f.scene, filler);
      cr_assert_eq(mo_scene_set_filter(f.scene, filler, kind == 2 ? SENSOR : 1, UINT64_MAX), MO_OK);
    }
    mo_contact_events events = floor_at(&f, mo_vec(-0.01f, 0.5f, 0), upright);
    const mo_manifold *left = with(&events, f.left), *right = with(&events, f.right);
    cr_assert(left != NULL && left->normal.y == 1);
    cr_assert_eq(right != NULL, kind != 1, "kind %d", kind);
    cr_assert(right == NULL || right->normal.x < -0.01f);
    floor_destroy(&f);
  }
}

/* A box slides against a step of 4 thousandths of its size, at the origin and far away: what is on
 * the floor ends at 1 thousandth, and the rounding of coordinates adds no more than another one. */
Test(contact_seams, low_steps_stay) {
  for (int kind = 0; kind < 4; kind++) {
    const float far = kind % 2 == 0 ? 0 : 4096, height = 0.00390625f;
    mo_host host = mo_default_host();
    mo_scene *scene = scene_with(&host);
    const mo_geometry ground = box_of(2, 1, 2), step = box_of(1, 0.5f * height, 1);
    const mo_shape_id floor = add(scene, ground, far, -1, far),
                      thing = add(scene, step, far + 1.5f, 0.5f * height, far),
                      body = add(scene, box_of(0.5f, 0.5f, 0.5f), far, 0.5f, far);
    cr_assert_eq(mo_scene_set_margin(scene, body, 0.02f), MO_OK);
    make_static(scene, floor);
    make_static(scene, thing);
    if (kind >= 2) { /* rotated by a right angle */
      const mo_transform turn = mo_transform_make(
          mo_vec(far, 0.5f, far), turned(mo_vec(0, 1, 0), 1.5707963267948966), mo_vec(1, 1, 1));
      cr_assert_eq(mo_scene_set_transform(scene, body, &turn), MO_OK);
    }
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
    mo_contact_events events = update(tracker);
    const mo_manifold *m = with(&events, thing);
    cr_assert(m != NULL && fabsf(m->normal.x) > 0.99f, "kind %d", kind);
    m = with(&events, floor);
    cr_assert(m != NULL && fabsf(m->normal.y) > 0.99f, "kind %d", kind);
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}
