/* Names and texts of result codes. */
#include <motte/base.h>

const char *mo_result_name(mo_result result) {
  switch (result) {
#define MO_RESULT_NAME(name, text)                                                                 \
  case name:                                                                                       \
    return #name;
    MO_RESULTS(MO_RESULT_NAME)
#undef MO_RESULT_NAME
  }
  return "unknown";
}

const char *mo_result_text(mo_result result) {
  switch (result) {
#define MO_RESULT_TEXT(name, text)                                                                 \
  case name:                                                                                       \
    return text;
    MO_RESULTS(MO_RESULT_TEXT)
#undef MO_RESULT_TEXT
  }
  return "unknown result code";
}
