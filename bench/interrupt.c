#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
  static const char message[] = "\ninterrupted: the measurement at hand is finished, then the "
                                "results follow; once more ends at once\n";
  (void)signal_number;
  interrupted = 1;
  ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  (void)written; /* nothing can be done about it here */
}

void bench_catch_interrupts(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool bench_interrupted(void) {
  return interrupted != 0;
}
