// Functions that read stdin without naming it.
#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include <cstdio>

#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/streams.hpp"

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_getchar(void) {
  return fgetc(input_stream());
}

MPISIM_EXPORT int __wrap_getchar_unlocked(void) {
  return fgetc(input_stream());
}

MPISIM_EXPORT int __wrap_vscanf(const char* format, va_list arguments) {
  return vfscanf(input_stream(), format, arguments);
}

MPISIM_EXPORT int __wrap_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfscanf(input_stream(), format, arguments);
  va_end(arguments);
  return result;
}

// The names that headers of C99 and later give scanf.
MPISIM_EXPORT int __wrap___isoc99_vscanf(const char* format, va_list arguments) {
  return vfscanf(input_stream(), format, arguments);
}
MPISIM_EXPORT int __wrap___isoc99_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfscanf(input_stream(), format, arguments);
  va_end(arguments);
  return result;
}
MPISIM_EXPORT int __wrap___isoc23_vscanf(const char* format, va_list arguments) {
  return vfscanf(input_stream(), format, arguments);
}
MPISIM_EXPORT int __wrap___isoc23_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfscanf(input_stream(), format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT char* __wrap_gets(char* line) {
  FILE* const stream = input_stream();
  char* at = line;
  int letter = 0;
  while ((letter = fgetc(stream)) != EOF && letter != '\n') *at++ = static_cast<char>(letter);
  *at = '\0';
  return letter == EOF && (at == line || ferror(stream)) ? nullptr : line;
}

namespace {
constexpr const char* no_wide_input =
    "wide-character input is not supported in a simulated rank: read bytes and convert them with mbstowcs";
}

#define REFUSE_WIDE_INPUT(name, parameters, arguments, type)     \
  MPISIM_EXPORT type __wrap_##name parameters {                  \
    if (current_environment() == nullptr) return name arguments; \
    refuse(#name, no_wide_input, __builtin_return_address(0));   \
  }
REFUSE_WIDE_INPUT(fgetwc, (FILE * stream), (stream), wint_t)
REFUSE_WIDE_INPUT(getwc, (FILE * stream), (stream), wint_t)
REFUSE_WIDE_INPUT(getwchar, (void), (), wint_t)
REFUSE_WIDE_INPUT(fgetws, (wchar_t * line, int size, FILE* stream), (line, size, stream), wchar_t*)
REFUSE_WIDE_INPUT(vfwscanf, (FILE * stream, const wchar_t* format, va_list list), (stream, format, list), int)
REFUSE_WIDE_INPUT(vwscanf, (const wchar_t* format, va_list list), (format, list), int)
