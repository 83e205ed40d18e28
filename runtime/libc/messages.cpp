// Functions that print a message about an error to stderr, and may end the rank.
#include <err.h>
#include <error.h>
#include <stdarg.h>
#include <string.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "runtime/export.hpp"
#include "runtime/libc/streams.hpp"

using namespace mpisim::runtime;

MPISIM_EXPORT void __wrap_exit(int status);
MPISIM_EXPORT void __wrap_abort(void);

namespace {

// "program: TEXT: error text", as warn and err print it. code < 0: without the error text.
void print_message(int code, const char* format, va_list arguments) {
  FILE* const stream = error_stream();
  fprintf(stream, "%s: ", program_invocation_short_name);
  if (format != nullptr) {
    vfprintf(stream, format, arguments);
    if (code >= 0) fputs(": ", stream);
  }
  if (code >= 0) fputs(strerror(code), stream);
  fputc('\n', stream);
}

}  // namespace

MPISIM_EXPORT void __wrap_vwarn(const char* format, va_list arguments) {
  print_message(errno, format, arguments);
}
MPISIM_EXPORT void __wrap_vwarnx(const char* format, va_list arguments) {
  print_message(-1, format, arguments);
}
MPISIM_EXPORT void __wrap_verr(int status, const char* format, va_list arguments) {
  print_message(errno, format, arguments);
  __wrap_exit(status);
}
MPISIM_EXPORT void __wrap_verrx(int status, const char* format, va_list arguments) {
  print_message(-1, format, arguments);
  __wrap_exit(status);
}

MPISIM_EXPORT void __wrap_warn(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(errno, format, arguments);
  va_end(arguments);
}
MPISIM_EXPORT void __wrap_warnx(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(-1, format, arguments);
  va_end(arguments);
}
MPISIM_EXPORT void __wrap_err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  __wrap_verr(status, format, arguments);
  va_end(arguments);
}
MPISIM_EXPORT void __wrap_errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  __wrap_verrx(status, format, arguments);
  va_end(arguments);
}

namespace {

void print_error(int status, int code, const char* file, unsigned line, const char* format,
                 va_list arguments) {
  fflush(output_stream());
  FILE* const stream = error_stream();
  fprintf(stream, "%s:", program_invocation_name);
  if (file != nullptr)
    fprintf(stream, "%s:%u: ", file, line);
  else
    fputc(' ', stream);
  vfprintf(stream, format, arguments);
  if (code != 0) fprintf(stream, ": %s", strerror(code));
  fputc('\n', stream);
  if (status != 0) __wrap_exit(status);
}

}  // namespace

MPISIM_EXPORT void __wrap_error(int status, int code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_error(status, code, nullptr, 0, format, arguments);
  va_end(arguments);
}
MPISIM_EXPORT void __wrap_error_at_line(int status, int code, const char* file, unsigned line,
                                        const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_error(status, code, file, line, format, arguments);
  va_end(arguments);
}

MPISIM_EXPORT void __wrap_psignal(int signal, const char* text) {
  const char* const name = sigdescr_np(signal);
  FILE* const stream = error_stream();
  if (text != nullptr && *text != '\0') fprintf(stream, "%s: ", text);
  fprintf(stream, "%s\n", name == nullptr ? "Unknown signal" : name);
}

MPISIM_EXPORT void __wrap___assert_fail(const char* assertion, const char* file, unsigned line,
                                        const char* function) {
  fprintf(error_stream(), "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
          line, function, assertion);
  fflush(output_stream());
  __wrap_abort();
}
