/* Argument errors of public calls, with a message in the host's log: "mo_scene_add_shapes:
 * defs[17].margin is -2, which is negative".
 *
 * A check takes a `const mo_refusal *`, which names the function and the argument for the message,
 * and returns a result code. With null nothing is logged: fast calls check without messages first,
 * and repeat the check with a refusal if something is wrong. So a call that succeeds only pays for
 * comparisons. */
#ifndef MO_BASE_REFUSE_H
#define MO_BASE_REFUSE_H

#include <motte/base.h>

#define MO_COLD __attribute__((cold, noinline))

/* The value that default functions write to the member `cookie` of a def; unlikely by accident. */
#define MO_COOKIE 0x4d6f7474u

/* A place in the arguments of a call, for messages about an error there: an argument, or a member
 * or element of an outer place. */
typedef struct mo_refusal {
  const struct mo_refusal *outer; /* the place that contains this one; null for an argument */
  const mo_host *host;            /* logs the message; null: no log; only if `outer` is null */
  const char *function;           /* name of the public function; only if `outer` is null */
  const char *name;               /* of the argument or member, such as "defs" or ".transform" */
  size_t index; /* of the array element; MO_NO_INDEX: the argument or member itself */
} mo_refusal;

static inline mo_refusal mo_refusal_of(const mo_host *host, const char *function,
                                       const char *argument) {
  return (mo_refusal){NULL, host, function, argument, MO_NO_INDEX};
}

/* Makes a mo_refusal for a member of the place `outer`, or for an element of that member; `outer`
 * may be null. */
static inline mo_refusal mo_refusal_in(const mo_refusal *outer, const char *member, size_t index) {
  return (mo_refusal){outer, NULL, NULL, member, index};
}

/* Logs the function, the place and the formatted text, at the info level; returns `result`. */
MO_COLD __attribute__((format(printf, 3, 4))) mo_result
mo_refuse(const mo_refusal *refusal, mo_result result, const char *format, ...);

/* As mo_refuse, for a number: logs the name of the member, its value, and `fault`, a text that says
 * what is wrong, or null. */
MO_COLD mo_result mo_refuse_number(const mo_refusal *refusal, mo_result result, const char *member,
                                   double value, const char *fault);

/* Reports a number that is not finite, negative, or above `max`, with the result code for the first
 * of these faults. Returns MO_OK for other numbers. */
MO_COLD mo_result mo_refuse_size(const mo_refusal *refusal, const char *member, float value,
                                 float max);

/* Reports a null argument: MO_ERROR_NULL_ARGUMENT. `host` may be null. */
MO_COLD mo_result mo_refuse_null(const mo_host *host, const char *function, const char *argument);

/* The name of the first argument that must not be null of a call that lists results: "total", or
 * that of the list, `name`. Null: none is missing. */
static inline const char *mo_missing_of_list(const void *list, uint32_t capacity, const char *name,
                                             const uint32_t *total) {
  return total == NULL ? "total" : capacity > 0 && list == NULL ? name : NULL;
}

/* Reports that a def was not made by its default function, whose name is `maker`:
 * MO_ERROR_UNINITIALIZED_DEF. */
MO_COLD mo_result mo_refuse_def(const mo_refusal *refusal, const char *member, const char *maker);

static inline mo_result mo_check_cookie(uint32_t cookie, const mo_refusal *refusal,
                                        const char *member, const char *maker) {
  return cookie == MO_COOKIE ? MO_OK : mo_refuse_def(refusal, member, maker);
}

/* Checks a value of an enumeration: MO_ERROR_INVALID_ARGUMENT above the largest value, `last`. */
static inline mo_result mo_check_enum_value(unsigned choice, unsigned last,
                                            const mo_refusal *refusal, const char *member) {
  return choice <= last ? MO_OK
                        : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member,
                                           (double)choice, "which is no such choice");
}

/* Writes the index of the invalid element, if the caller wants it. */
static inline void mo_set_first_bad(size_t *first_bad, size_t index) {
  if (first_bad != NULL) {
    *first_bad = index;
  }
}

/* Reports a stale shape id: MO_ERROR_STALE_ID. */
MO_COLD mo_result mo_refuse_id(const mo_refusal *refusal, uint32_t index, uint32_t generation);

/* Reports an error that mo_isa_resolve returned. */
MO_COLD mo_result mo_refuse_isa(const mo_refusal *refusal, mo_result result, mo_isa isa);

#endif
