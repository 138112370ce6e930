/* Telling the host's log why a public call is refused: "mo_scene_add_shapes: defs[17].margin is -2,
 * which is negative".
 *
 * A check takes a `const mo_refusal *` that says where in the arguments of which call it is, and
 * returns a code. Null stands for "tell nobody": calls that must be quick check in silence first,
 * and repeat the check with a refusal once they know that something is wrong. So a call that
 * succeeds pays for comparisons alone. */
#ifndef MO_BASE_REFUSE_H
#define MO_BASE_REFUSE_H

#include <motte/base.h>

#define MO_COLD __attribute__((cold, noinline))

/* What the default functions put into `cookie`. Nothing that a caller has by accident. */
#define MO_COOKIE 0x4d6f7474u

/* A place in the arguments of a call: an argument, or a member of an outer place. */
typedef struct mo_refusal {
  const struct mo_refusal *outer; /* null for an argument */
  const mo_host *host;            /* of an argument: whose log is told; null for nobody */
  const char *function;           /* of an argument: the public function */
  const char *name;               /* "defs", or ".transform" */
  size_t index;                   /* of an element, or MO_NO_INDEX for the whole */
} mo_refusal;

static inline mo_refusal mo_refusal_of(const mo_host *host, const char *function,
                                       const char *argument) {
  return (mo_refusal){NULL, host, function, argument, MO_NO_INDEX};
}

/* A member of a place, which may be null, or an element of it. */
static inline mo_refusal mo_refusal_in(const mo_refusal *outer, const char *member, size_t index) {
  return (mo_refusal){outer, NULL, NULL, member, index};
}

/* Tells the log, at its info level, "function: place" and what follows; returns `result`. */
MO_COLD __attribute__((format(printf, 3, 4))) mo_result
mo_refuse(const mo_refusal *refusal, mo_result result, const char *format, ...);

/* As mo_refuse, about a number: "place" "member" is "value", and what is wrong with it, or nothing
 * more where that is null. */
MO_COLD mo_result mo_refuse_number(const mo_refusal *refusal, mo_result result, const char *member,
                                   double value, const char *fault);

/* A number that is not finite, negative, or above a limit; whichever comes first. MO_OK for others.
 */
MO_COLD mo_result mo_refuse_size(const mo_refusal *refusal, const char *member, float value,
                                 float most);

/* MO_ERROR_NULL_ARGUMENT. `host` may be null. */
MO_COLD mo_result mo_refuse_null(const mo_host *host, const char *function, const char *argument);

/* MO_ERROR_UNINITIALIZED_DEF: the def at a place was not made by the default function. */
MO_COLD mo_result mo_refuse_def(const mo_refusal *refusal, const char *member, const char *maker);

static inline mo_result mo_check_cookie(uint32_t cookie, const mo_refusal *refusal,
                                        const char *member, const char *maker) {
  return cookie == MO_COOKIE ? MO_OK : mo_refuse_def(refusal, member, maker);
}

/* An enumeration that goes up to `last`: MO_ERROR_INVALID_ARGUMENT. */
static inline mo_result mo_check_choice(unsigned choice, unsigned last, const mo_refusal *refusal,
                                        const char *member) {
  return choice <= last ? MO_OK
                        : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member,
                                           (double)choice, "which is no such choice");
}

/* Writes which element was refused, where the caller gave a place for it. */
static inline void mo_note_bad(size_t *first_bad, size_t index) {
  if (first_bad != NULL) {
    *first_bad = index;
  }
}

/* MO_ERROR_STALE_ID. */
MO_COLD mo_result mo_refuse_id(const mo_refusal *refusal, uint32_t index, uint32_t generation);

/* What mo_isa_resolve returned. */
MO_COLD mo_result mo_refuse_isa(const mo_refusal *refusal, mo_result result, mo_isa isa);

#endif
