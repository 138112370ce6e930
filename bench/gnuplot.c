#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "text.h"

extern char **environ;

/* Runs gnuplot with one argument, without the user's own settings; what it prints goes to a file.
 * Returns its exit code; -1 if there is none. */
static int run_gnuplot(const char *argument, const char *output) {
  char *const arguments[] = {(char *)"gnuplot", (char *)"-d", (char *)argument, NULL};
  posix_spawn_file_actions_t actions;
  pid_t process;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY, 0);
  if (posix_spawnp(&process, "gnuplot", &actions, NULL, arguments, environ) == 0) {
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    status = status == 127 ? -1 : status;
  }
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

bool bench_have_gnuplot(void) {
  static enum { UNKNOWN, ABSENT, PRESENT } state;
  if (state == UNKNOWN) {
    state = run_gnuplot("--version", "/dev/null") == 0 ? PRESENT : ABSENT;
    if (state == ABSENT) {
      bench_progress("gnuplot was not found: the page has tables, and no plots");
    }
  }
  return state == PRESENT;
}

/* The path of a new file, for free(); null if it cannot be made. */
static char *make_file(const char *suffix) {
  const char *folder = getenv("TMPDIR");
  char *path = bench_format("%s/motte-bench-XXXXXX%s", folder != NULL ? folder : "/tmp", suffix);
  int file = mkstemps(path, (int)strlen(suffix));
  if (file < 0) {
    bench_progress("cannot write %s: %s", path, strerror(errno));
    free(path);
    return NULL;
  }
  close(file);
  return path;
}

/* Replaces each occurrence; frees the text. */
static char *replace(char *text, const char *from, const char *to) {
  char *out = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&out, &size);
  if (file == NULL) {
    fail("cannot allocate a plot");
  }
  const char *rest = text;
  for (const char *found; (found = strstr(rest, from)) != NULL; rest = found + strlen(from)) {
    fprintf(file, "%.*s%s", (int)(found - rest), rest, to);
  }
  fputs(rest, file);
  fclose(file);
  free(text);
  return out;
}

/* Where the element that begins at `text` ends, if it is a group of nothing or the title that
 * gnuplot gives each series, its number; null: it is neither. */
static const char *end_of_idle(const char *text) {
  static const char group[] = "<g fill", title[] = "<title>gnuplot_plot";
  bool is_title = strncmp(text, title, sizeof title - 1) == 0;
  if (!is_title && strncmp(text, group, sizeof group - 1) != 0) {
    return NULL;
  }
  const char *close = is_title ? "</title>" : "</g>";
  const char *content = is_title ? strstr(text, close) : strchr(text, '>');
  if (content == NULL) {
    return NULL;
  }
  content += is_title ? 0 : 1 + strspn(content + 1, " \n");
  return strncmp(content, close, strlen(close)) == 0 ? content + strlen(close) : NULL;
}

/* Leaves out what draws nothing, a quarter of what gnuplot writes. */
static char *drop_idle(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0';) {
    const char *end = *from == '<' ? end_of_idle(from) : NULL;
    if (end != NULL) {
      from = end + (*end == '\n');
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
  return text;
}

/* For a page of HTML: without what comes before the element, without namespaces, which HTML knows,
 * and with ids of its own. */
static char *embed(const char *file, const char *name) {
  const char *start = strstr(file, "<svg");
  if (start == NULL) {
    return NULL;
  }
  char *svg = replace(bench_format("%s", start), "xmlns=\"http://www.w3.org/2000/svg\"", "");
  svg = replace(svg, "xmlns:xlink=\"http://www.w3.org/1999/xlink\"", "role=\"img\"");
  svg = replace(svg, "xlink:href", "href");
  static const char *const ids[] = {"'gp",      "#gp",       "\"gnuplot_", "'textbox'",
                                    "#textbox", "'greybox'", "#greybox"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char *own = bench_format("%c%s-%s", ids[i][0], name, ids[i] + 1);
    svg = replace(svg, ids[i], own);
    free(own);
  }
  return drop_idle(svg);
}

static bool write_script(const char *path, const char *script, int width, int height) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    return false;
  }
  fprintf(file, "set terminal svg size %d,%d noenhanced font 'system-ui,sans-serif,13'\n%s", width,
          height, script);
  bool written = ferror(file) == 0;
  return fclose(file) == 0 && written;
}

static void remove_file(char *path) {
  if (path != NULL) {
    unlink(path);
    free(path);
  }
}

char *bench_draw(const char *script, const char *name, int width, int height) {
  if (!bench_have_gnuplot()) {
    return NULL;
  }
  char *script_path = make_file(".gp"), *svg_path = make_file(".svg");
  bool drawn_well = script_path != NULL && svg_path != NULL &&
                    write_script(script_path, script, width, height) &&
                    run_gnuplot(script_path, svg_path) == 0;
  char *drawn = drawn_well ? bench_read_text(svg_path) : NULL;
  char *svg = drawn != NULL ? embed(drawn, name) : NULL;
  free(drawn);
  if (svg == NULL) {
    bench_progress("gnuplot has failed to draw %s", name);
  }
  remove_file(script_path);
  remove_file(svg_path);
  return svg;
}
