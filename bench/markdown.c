/* Pages in Markdown, with the tables of GitHub. In a folder each suite has a file of its own, as
 * GitHub shows no more than 500 KB of one. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "report.h"

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A text in a line. What Markdown gives a meaning to gets a backslash; an underscore has none
 * within a word. */
static void put(bench_document *document, const char *text) {
  char before = ' ';
  for (; *text != '\0'; before = *text++) {
    bool is_mark = *text == '_' ? !is_word(before) || !is_word(text[1])
                                : strchr("\\|`*[]<>&~$", *text) != NULL;
    fputs(is_mark ? "\\" : "", document->file);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, document->file);
  }
}

static void begin(bench_document *document, const char *title) {
  fputs("# ", document->file);
  put(document, title);
  fputc('\n', document->file);
}

static void end(bench_document *document) {
  (void)document;
}

static void heading(bench_document *document, int level, const char *text) {
  fprintf(document->file, "\n%.*s ", level, "######");
  put(document, text);
  fputc('\n', document->file);
}

static void suite(bench_document *document, const char *name) {
  if (document->folder == NULL) {
    heading(document, 2, name);
    return;
  }
  char *id = bench_identifier(name);
  bench_report_close(document->file, document->path);
  free(document->path);
  document->path = bench_format("%s/%s.md", document->folder, id);
  document->file = bench_report_open(document->path);
  free(id);
  if (document->file == NULL) {
    bench_report_close(NULL, document->path); /* fails */
  }
  begin(document, name);
  fputs("\n[All suites](README.md)\n", document->file);
}

static void paragraph(bench_document *document, const char *text) {
  fputc('\n', document->file);
  put(document, text);
  fputc('\n', document->file);
}

/* Each line is indented: none ends the code. */
static void code(bench_document *document, const char *text) {
  fputs("\n    ", document->file);
  for (; *text != '\0'; text++) {
    fputc((unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text, document->file);
    fputs(*text == '\n' ? "    " : "", document->file);
  }
  fputc('\n', document->file);
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
static void row(bench_document *document, const bench_cell *cells, size_t count, const char *id) {
  fputc('|', document->file);
  for (size_t i = 0; i < count; i++) {
    const char *mark = cells[i].tone == BENCH_LEADS ? "**" : "";
    fputc(' ', document->file);
    if (i == 0 && id != NULL) {
      fprintf(document->file, "<a id=\"%s\"></a>", id);
    }
    fprintf(document->file, "%s%s", mark, cells[i].link != NULL ? "[" : "");
    put(document, cells[i].text);
    if (cells[i].link != NULL) {
      fprintf(document->file, document->folder != NULL ? "](%s.md)" : "](#%s)", cells[i].link);
    }
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
  fprintf(document->file, "\n![%s](%s.svg)\n", name, name);
  paragraph(document, caption);
  free(path);
}

const bench_format_writer bench_markdown = {
    .begin = begin,
    .end = end,
    .suite = suite,
    .heading = heading,
    .paragraph = paragraph,
    .code = code,
    .begin_table = begin_table,
    .row = row,
    .end_table = end_table,
    .picture = picture,
};
