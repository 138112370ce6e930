/* Pages in Markdown, with the tables of GitHub. */
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "report.h"

static void put(bench_document *document, const char *text) {
  for (; *text != '\0'; text++) {
    fputs(*text == '|' ? "\\" : "", document->file);
    fputc(*text, document->file);
  }
}

static void begin(bench_document *document, const char *title) {
  fprintf(document->file, "# %s\n", title);
}

static void end(bench_document *document) {
  (void)document;
}

static void heading(bench_document *document, int level, const char *text) {
  fprintf(document->file, "\n%.*s %s\n", level, "######", text);
}

static void paragraph(bench_document *document, const char *text) {
  fprintf(document->file, "\n%s\n", text);
}

static void code(bench_document *document, const char *text) {
  fprintf(document->file, "\n    %s\n", text);
}

static void begin_table(bench_document *document, const char *const *headings, size_t count,
                        size_t labels) {
  fputs("\n|", document->file);
  for (size_t i = 0; i < count; i++) {
    fputc(' ', document->file);
    put(document, headings[i]);
    fputs(" |", document->file);
  }
  fputs("\n|", document->file);
  for (size_t i = 0; i < count; i++) {
    fputs(i < labels ? "---|" : "---:|", document->file);
  }
  fputc('\n', document->file);
}

/* What leads is bold. */
static void row(bench_document *document, const bench_cell *cells, size_t count) {
  fputc('|', document->file);
  for (size_t i = 0; i < count; i++) {
    const char *mark = cells[i].tone == BENCH_LEADS ? "**" : "";
    fprintf(document->file, " %s", mark);
    put(document, cells[i].text);
    fprintf(document->file, "%s |", mark);
  }
  fputc('\n', document->file);
}

static void end_table(bench_document *document) {
  (void)document;
}

/* In a file of its own, where an element of HTML needs its namespace, and a paper to be drawn on.
 */
static void picture(bench_document *document, const char *svg, const char *name,
                    const char *caption) {
  char *path = bench_format("%s/%s.svg", document->folder, name);
  FILE *file = bench_report_open(path);
  const char *rest = strstr(svg, "<svg");
  if (file != NULL && rest != NULL) {
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"background:#fff\"%s",
            rest + 4);
  }
  bench_report_close(file, path);
  fprintf(document->file, "\n![%s](%s)\n\n%s\n", name, path, caption);
  free(path);
}

const bench_format_writer bench_markdown = {
    .begin = begin,
    .end = end,
    .heading = heading,
    .paragraph = paragraph,
    .code = code,
    .begin_table = begin_table,
    .row = row,
    .end_table = end_table,
    .picture = picture,
};
