/* Messages to the host's log about argument errors of public calls. */
#include "base/refuse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

/* A message under construction; truncated if it is too long. */
typedef struct message_text {
  char text[MO_LOG_LINE_SIZE];
  size_t length;
} message_text;

static void append_arguments(message_text *l, const char *format, va_list arguments) {
  int length = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
  size_t added = length > 0 ? (size_t)length : 0, space = sizeof l->text - 1 - l->length;
  l->length += added < space ? added : space;
}

__attribute__((format(printf, 2, 3))) static void append_format(message_text *l, const char *format,
                                                                ...) {
  va_list arguments;
  va_start(arguments, format);
  append_arguments(l, format, arguments);
  va_end(arguments);
}

static const mo_refusal *outermost_refusal(const mo_refusal *refusal) {
  while (refusal != NULL && refusal->outer != NULL) {
    refusal = refusal->outer;
  }
  return refusal;
}

/* Appends the path of a place in the arguments: "defs[17].transform". */
static void append_path(message_text *l, const mo_refusal *refusal) {
  if (refusal->outer != NULL) {
    append_path(l, refusal->outer);
  }
  append_format(l, "%s", refusal->name);
  if (refusal->index != MO_NO_INDEX) {
    append_format(l, "[%zu]", refusal->index);
  }
}

mo_result mo_refuse(const mo_refusal *refusal, mo_result result, const char *format, ...) {
  const mo_refusal *argument = outermost_refusal(refusal);
  if (argument == NULL || argument->host == NULL || argument->host->log == NULL) {
    return result;
  }
  message_text l = {.length = 0};
  append_format(&l, "%s: ", argument->function);
  append_path(&l, refusal);
  va_list arguments;
  va_start(arguments, format);
  append_arguments(&l, format, arguments);
  va_end(arguments);
  argument->host->log(MO_LOG_INFO, l.text, argument->host->log_context);
  return result;
}

mo_result mo_refuse_number(const mo_refusal *refusal, mo_result result, const char *member,
                           double value, const char *fault) {
  char number[32];
  if (isnan(value)) {
    snprintf(number, sizeof number, "NaN");
  } else if (isinf(value)) {
    snprintf(number, sizeof number, value > 0.0 ? "infinite" : "minus infinity");
  } else {
    snprintf(number, sizeof number, "%.9g", value);
  }
  return mo_refuse(refusal, result, "%s is %s%s%s", member, number, fault != NULL ? ", " : "",
                   fault != NULL ? fault : "");
}

mo_result mo_refuse_size(const mo_refusal *refusal, const char *member, float value, float max) {
  if (!isfinite(value)) {
    return mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, member, value, NULL);
  }
  if (value < 0.0f) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member, value, "which is negative");
  }
  if (value > max) {
    return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE, "%s is %.9g, which is above %g", member,
                     (double)value, (double)max);
  }
  return MO_OK;
}

mo_result mo_refuse_null(const mo_host *host, const char *function, const char *argument) {
  mo_refusal refusal = mo_refusal_of(host, function, argument);
  return mo_refuse(&refusal, MO_ERROR_NULL_ARGUMENT, " is null");
}

mo_result mo_refuse_def(const mo_refusal *refusal, const char *member, const char *maker) {
  return mo_refuse(refusal, MO_ERROR_UNINITIALIZED_DEF, "%s was not made by %s", member, maker);
}

mo_result mo_refuse_id(const mo_refusal *refusal, uint32_t index, uint32_t generation) {
  return mo_refuse(refusal, MO_ERROR_STALE_ID, " = {index %u, generation %u} is stale", index,
                   generation);
}

mo_result mo_refuse_isa(const mo_refusal *refusal, mo_result result, mo_isa isa) {
  if (isa == MO_ISA_AUTO) {
    return mo_refuse(refusal, result,
                     ".isa: MOTTE_ISA names no instruction set that this machine and build have");
  }
  return mo_refuse(refusal, result, ".isa = %d (%s) is not what this machine and build have",
                   (int)isa, mo_isa_name(isa));
}
