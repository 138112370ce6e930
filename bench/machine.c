#include "machine.h"

#include <motte/base.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* What follows `key` and `separators` on the first line of a file that starts with `key`. */
static void read_field(const char *path, const char *key, const char *separators, char *value,
                       size_t size) {
  FILE *file = fopen(path, "r");
  char line[512];
  snprintf(value, size, "unknown");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) == 0) {
      char *start = line + length;
      start += strspn(start, separators);
      start[strcspn(start, "\"\n")] = '\0';
      snprintf(value, size, "%s", start);
      break;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
}

cJSON *bench_machine(void) {
  cJSON *machine = cJSON_CreateObject();
  char text[512];
  read_field("/proc/cpuinfo", "model name", " \t:", text, sizeof text);
  cJSON_AddStringToObject(machine, "cpu", text);
  cJSON_AddNumberToObject(machine, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
  cJSON_AddNumberToObject(machine, "memory_bytes",
                          (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
  read_field("/etc/os-release", "PRETTY_NAME", "=\"", text, sizeof text);
  cJSON_AddStringToObject(machine, "os", text);
  struct utsname system;
  if (uname(&system) == 0) {
    snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
    cJSON_AddStringToObject(machine, "kernel", text);
  }
  cJSON_AddStringToObject(machine, "compiler", COMPILER);
  cJSON_AddStringToObject(
      machine, "motte",
      TEXT(MO_VERSION_MAJOR) "." TEXT(MO_VERSION_MINOR) "." TEXT(MO_VERSION_PATCH));
  cJSON_AddStringToObject(machine, "commit", BENCH_COMMIT);
  cJSON_AddStringToObject(machine, "build", BENCH_BUILD);
  mo_isa isa;
  if (mo_isa_resolve(MO_ISA_AUTO, &isa) == MO_OK) {
    cJSON_AddStringToObject(machine, "isa", mo_isa_name(isa));
  }
  cJSON_AddStringToObject(machine, "clock",
                          "process CPU time; wall time of engines with several workers");
  time_t now = time(NULL);
  struct tm date;
  if (gmtime_r(&now, &date) != NULL && strftime(text, sizeof text, "%Y-%m-%d", &date) > 0) {
    cJSON_AddStringToObject(machine, "date", text);
  }
  return machine;
}
