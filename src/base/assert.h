/* Assertions check what the code relies on, in test builds. They are off in release builds, where
 * they cost nothing, and never take the place of an error code: no argument of a host can make one
 * fail. The validate functions check whole structures. Assertions check single values, in
 * constant time or no longer than the work around them takes. */
#ifndef MO_BASE_ASSERT_H
#define MO_BASE_ASSERT_H

/* Prints a failed expression with its file and line to standard error, and aborts. */
__attribute__((cold)) _Noreturn void mo_assert_failed(const char *expression, const char *file,
                                                      int line);

/* `condition` must have no side effects: without assertions it is compiled, but not evaluated. */
#if MO_ASSERTIONS
#define MO_ASSERT(condition)                                                                       \
  ((condition) ? (void)0 : mo_assert_failed(#condition, __FILE__, __LINE__))
#else
#define MO_ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif
