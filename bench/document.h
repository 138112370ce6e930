/* A page with headings, texts, tables and pictures, in a format that its writer knows: HTML or
 * Markdown. What the page says is in page.c, for both. */
#ifndef BENCH_DOCUMENT_H
#define BENCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a cell says of Motte beside its peers. */
typedef enum bench_tone { BENCH_PLAIN, BENCH_LEADS, BENCH_TRAILS } bench_tone;

typedef struct bench_cell {
  const char *text;
  bench_tone tone;
  const char *link; /* to a suite of this name; null: none */
} bench_cell;

typedef struct bench_document bench_document;

/* Texts are in UTF-8 and have no markup: writers escape what their format gives a meaning to. Ids
 * and links are what bench_identifier makes. */
typedef struct bench_format_writer {
  void (*begin)(bench_document *document, const char *title);
  void (*end)(bench_document *document);
  /* What a suite has comes after it, until the next one. */
  void (*suite)(bench_document *document, const char *name);
  void (*heading)(bench_document *document, int level, const char *text);
  void (*paragraph)(bench_document *document, const char *text);
  void (*code)(bench_document *document, const char *text);
  /* The first `labels` columns hold names, the others numbers. */
  void (*begin_table)(bench_document *document, const char *const *headings, size_t count,
                      size_t labels);
  /* The id is what links lead to; null: none do. */
  void (*row)(bench_document *document, const bench_cell *cells, size_t count, const char *id);
  void (*end_table)(bench_document *document);
  /* SVG as an element of HTML. The name is that of a file, without an ending. */
  void (*picture)(bench_document *document, const char *svg, const char *name, const char *caption);
} bench_format_writer;

struct bench_document {
  const bench_format_writer *writer;
  FILE *file;
  char *path; /* of the file */
  bool has_pictures;
  const char *folder; /* for formats of several files; null: all is in one */
  size_t labels;      /* of the table at hand */
};

extern const bench_format_writer bench_markdown, bench_html;

#endif
