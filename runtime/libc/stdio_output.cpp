// Functions that write to stdout or stderr without naming them, flushes of everything, and wide output (the
// rank's streams are byte streams: wide text is converted on the way).
#include <err.h>
#include <error.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/streams.hpp"

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_vprintf(const char* format, va_list arguments) {
  return vfprintf(output_stream(), format, arguments);
}

MPISIM_EXPORT int __wrap_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfprintf(output_stream(), format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap___printf_chk(int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = vfprintf(output_stream(), format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap___vprintf_chk(int, const char* format, va_list arguments) {
  return vfprintf(output_stream(), format, arguments);
}

MPISIM_EXPORT int __wrap_puts(const char* text) {
  FILE* const stream = output_stream();
  return fputs(text, stream) == EOF ? EOF : fputc('\n', stream);
}

MPISIM_EXPORT int __wrap_putchar(int letter) {
  return fputc(letter, output_stream());
}

MPISIM_EXPORT int __wrap_putchar_unlocked(int letter) {
  return fputc(letter, output_stream());
}

MPISIM_EXPORT void __wrap_perror(const char* text) {
  const char* const message = strerror(errno);
  if (text != nullptr && *text != '\0')
    fprintf(error_stream(), "%s: %s\n", text, message);
  else
    fprintf(error_stream(), "%s\n", message);
}

MPISIM_EXPORT int __wrap_fflush(FILE* stream) {
  RankEnvironment* const rank = current_environment();
  return stream != nullptr || rank == nullptr ? fflush(stream) : flush_streams(*rank);
}

MPISIM_EXPORT int __wrap_fflush_unlocked(FILE* stream) {
  return __wrap_fflush(stream);
}

namespace {

// Wide text through a byte stream of a rank; the result is the number of wide characters, -1 on error.
int write_wide(FILE* stream, const wchar_t* text) {
  std::mbstate_t state{};
  const wchar_t* rest = text;
  const std::size_t size = wcsrtombs(nullptr, &rest, 0, &state);
  if (size == static_cast<std::size_t>(-1)) return -1;
  std::string bytes(size, '\0');
  rest = text;
  wcsrtombs(bytes.data(), &rest, size, &state);
  return fwrite(bytes.data(), 1, size, stream) == size ? static_cast<int>(wcslen(text)) : -1;
}

bool is_byte_stream_of_rank(FILE* stream) {
  RankEnvironment* const rank = current_environment();
  return rank != nullptr && find_stream(*rank, stream) != nullptr;
}

}  // namespace

MPISIM_EXPORT int __wrap_vfwprintf(FILE* stream, const wchar_t* format, va_list arguments) {
  if (!is_byte_stream_of_rank(stream)) return vfwprintf(stream, format, arguments);
  std::vector<wchar_t> text(256);
  constexpr std::size_t limit = 16 << 20;
  for (;; text.resize(text.size() * 4)) {
    va_list copy;
    va_copy(copy, arguments);
    const int size = vswprintf(text.data(), text.size(), format, copy);
    va_end(copy);
    if (size >= 0) return write_wide(stream, text.data());
    if (text.size() > limit) return -1;
  }
}

MPISIM_EXPORT int __wrap_fwprintf(FILE* stream, const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __wrap_vfwprintf(stream, format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap_vwprintf(const wchar_t* format, va_list arguments) {
  return __wrap_vfwprintf(output_stream(), format, arguments);
}

MPISIM_EXPORT int __wrap_wprintf(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __wrap_vfwprintf(output_stream(), format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap_fputws(const wchar_t* text, FILE* stream) {
  return is_byte_stream_of_rank(stream) ? write_wide(stream, text) : fputws(text, stream);
}

MPISIM_EXPORT wint_t __wrap_fputwc(wchar_t letter, FILE* stream) {
  if (!is_byte_stream_of_rank(stream)) return fputwc(letter, stream);
  const wchar_t text[] = {letter, 0};
  return write_wide(stream, text) < 0 ? WEOF : static_cast<wint_t>(letter);
}

MPISIM_EXPORT wint_t __wrap_putwc(wchar_t letter, FILE* stream) {
  return __wrap_fputwc(letter, stream);
}

MPISIM_EXPORT wint_t __wrap_putwchar(wchar_t letter) {
  return __wrap_fputwc(letter, output_stream());
}
