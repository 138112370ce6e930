/* Pages in HTML: one file without scripts, fonts or links to elsewhere, for light and dark screens,
 * wide and narrow ones. It is also well-formed XML, so that a test can read it. */
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "text.h"

static const char head[] =
    "<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n";

/* Plots are drawn for a light page; on a dark one their lightness is reversed, not their hues. */
static const char style[] =
    "<style>\n"
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#59636e;--line:#d8dee4;--band:#f4f6f8;"
    "--lead:#0a6b2f;--lead-back:#e2f5e7;--trail:#9a3412;--trail-back:#fdebdf;"
    "color-scheme:light dark}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#12161b;--ink:#e3e8ee;--soft:#9aa6b2;"
    "--line:#303840;--band:#1b2128;--lead:#6fdc8c;--lead-back:#12301c;--trail:#ffab7a;"
    "--trail-back:#3a2013}.picture svg{filter:invert(1) hue-rotate(180deg)}}\n"
    "a{color:inherit}\n"
    "tr:target td{background:var(--band);outline:1px solid var(--soft)}\n"
    "body{margin:0 auto;max-width:110rem;padding:1rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.3rem;margin:2.2rem 0 .5rem;border-top:1px solid var(--line);"
    "padding-top:1rem}\n"
    "h3{font-size:1.05rem;margin:1.4rem 0 .4rem}\n"
    "p{max-width:48rem;margin:.5rem 0}\n"
    ".table,.picture,pre{overflow-x:auto;margin:.7rem 0}\n"
    "table{border-collapse:collapse;width:max-content;font-size:.86rem;font-variant-numeric:"
    "tabular-nums}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap}\n"
    "th{background:var(--band);vertical-align:bottom}\n"
    "th.label,td.label{text-align:left;white-space:normal;max-width:26rem}\n"
    "th:first-child,td:first-child{position:sticky;left:0;background:var(--paper)}\n"
    "th:first-child{background:var(--band)}\n"
    "tbody tr:hover td{background:var(--band)}\n"
    "td.leads{color:var(--lead);background:var(--lead-back);font-weight:600}\n"
    "td.trails{color:var(--trail);background:var(--trail-back);font-weight:600}\n"
    "pre{background:var(--band);padding:.6rem;font-size:.8rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    "figure{margin:.7rem 0}figcaption{color:var(--soft);font-size:.86rem;max-width:48rem}\n"
    ".picture svg{display:block;width:100%;height:auto;min-width:38rem;max-width:56rem}\n"
    "@media(max-width:40rem){body{font-size:15px;padding:.7rem}"
    "table{width:auto}td.label,th.label{min-width:5.5rem}}\n"
    "</style>\n";

static void put(bench_document *document, const char *text) {
  for (; *text != '\0'; text++) {
    switch (*text) {
    case '&':
      fputs("&amp;", document->file);
      break;
    case '<':
      fputs("&lt;", document->file);
      break;
    case '>':
      fputs("&gt;", document->file);
      break;
    default:
      /* Other control characters must not be in XML. */
      fputc((unsigned char)*text < ' ' ? ' ' : *text, document->file);
    }
  }
}

static void put_element(bench_document *document, const char *name, const char *text) {
  fprintf(document->file, "<%s>", name);
  put(document, text);
  fprintf(document->file, "</%s>\n", name);
}

static void begin(bench_document *document, const char *title) {
  fprintf(document->file, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n%s", head);
  put_element(document, "title", title);
  fprintf(document->file, "%s</head>\n<body>\n", style);
  put_element(document, "h1", title);
}

static void end(bench_document *document) {
  fputs("</body>\n</html>\n", document->file);
}

static void suite(bench_document *document, const char *name) {
  char *id = bench_identifier(name);
  fprintf(document->file, "<h2 id=\"%s\">", id);
  put(document, name);
  fputs("</h2>\n", document->file);
  free(id);
}

static void heading(bench_document *document, int level, const char *text) {
  const char name[] = {'h', (char)('0' + level), '\0'};
  put_element(document, name, text);
}

static void paragraph(bench_document *document, const char *text) {
  put_element(document, "p", text);
}

static void code(bench_document *document, const char *text) {
  put_element(document, "pre", text);
}

static void begin_table(bench_document *document, const char *const *headings, size_t count,
                        size_t labels) {
  document->labels = labels;
  fputs("<div class=\"table\"><table>\n<thead><tr>", document->file);
  for (size_t i = 0; i < count; i++) {
    fputs(i < labels ? "<th class=\"label\">" : "<th>", document->file);
    put(document, headings[i]);
    fputs("</th>", document->file);
  }
  fputs("</tr></thead>\n<tbody>\n", document->file);
}

static void row(bench_document *document, const bench_cell *cells, size_t count, const char *id) {
  static const char *const tones[] = {
      [BENCH_PLAIN] = "", [BENCH_LEADS] = " class=\"leads\"", [BENCH_TRAILS] = " class=\"trails\""};
  fprintf(document->file, id != NULL ? "<tr id=\"%s\">" : "<tr>", id);
  for (size_t i = 0; i < count; i++) {
    fprintf(document->file, "<td%s>",
            i < document->labels ? " class=\"label\"" : tones[cells[i].tone]);
    if (cells[i].link != NULL) {
      fprintf(document->file, "<a href=\"#%s\">", cells[i].link);
    }
    put(document, cells[i].text);
    fputs(cells[i].link != NULL ? "</a></td>" : "</td>", document->file);
  }
  fputs("</tr>\n", document->file);
}

static void end_table(bench_document *document) {
  fputs("</tbody>\n</table></div>\n", document->file);
}

static void picture(bench_document *document, const char *svg, const char *name,
                    const char *caption) {
  (void)name;
  fprintf(document->file, "<figure>\n<div class=\"picture\">\n%s</div>\n", svg);
  put_element(document, "figcaption", caption);
  fputs("</figure>\n", document->file);
}

const bench_format_writer bench_html = {
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
