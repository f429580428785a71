// Text to streams. A library cannot replace the `write` that the C library's own functions call, so
// this file replaces these functions.
//
// std::cout and RCLCPP_INFO come to fwrite and vfprintf here, or to `write` in calls.cpp.
#include <stdio.h>
#include <syslog.h>
#include <wchar.h>

#include <cstdarg>
#include <cstddef>

#include "next_function.hpp"

#define TAKT_GUARD_OUTPUT(result, name, parameters, arguments) \
  TAKT_GUARD_FUNCTION(output, true, result, name, parameters, arguments)

TAKT_GUARD_OUTPUT(int, puts, (const char * text), (text))
TAKT_GUARD_OUTPUT(int, fputs, (const char * text, FILE * stream), (text, stream))
TAKT_GUARD_OUTPUT(int, fputs_unlocked, (const char * text, FILE * stream), (text, stream))
TAKT_GUARD_OUTPUT(int, fputc, (int one, FILE * stream), (one, stream))
TAKT_GUARD_OUTPUT(int, putc, (int one, FILE * stream), (one, stream))
TAKT_GUARD_OUTPUT(int, putchar, (int one), (one))
TAKT_GUARD_OUTPUT(
  std::size_t, fwrite, (const void * from, std::size_t bytes, std::size_t count, FILE * stream),
  (from, bytes, count, stream))
TAKT_GUARD_OUTPUT(int, fflush, (FILE * stream), (stream))
TAKT_GUARD_OUTPUT(int, vprintf, (const char * format, std::va_list list), (format, list))
TAKT_GUARD_OUTPUT(
  int, vfprintf, (FILE * stream, const char * format, std::va_list list), (stream, format, list))
TAKT_GUARD_OUTPUT(
  int, vdprintf, (int file, const char * format, std::va_list list), (file, format, list))
TAKT_GUARD_OUTPUT(
  int, __vprintf_chk, (int flag, const char * format, std::va_list list), (flag, format, list))
TAKT_GUARD_OUTPUT(
  int, __vfprintf_chk, (FILE * stream, int flag, const char * format, std::va_list list),
  (stream, flag, format, list))
TAKT_GUARD_OUTPUT(
  int, __vdprintf_chk, (int file, int flag, const char * format, std::va_list list),
  (file, flag, format, list))
TAKT_GUARD_OUTPUT(void, perror, (const char * text), (text))
TAKT_GUARD_OUTPUT(
  void, vsyslog, (int priority, const char * format, std::va_list list), (priority, format, list))

// `behind`: the C library's function with the same parameters, but with a va_list.
#define TAKT_GUARD_FORMATTED(name, behind, parameters, arguments)                    \
  TAKT_GUARD_EXPORT int name(TAKT_GUARD_UNPACK parameters, const char * format, ...) \
  {                                                                                  \
    std::va_list list;                                                               \
    va_start(list, format);                                                          \
    int result = 0;                                                                  \
    if (takt_guard::watching()) {                                                    \
      TAKT_GUARD_EVENT(output, name);                                                \
      event.waits();                                                                 \
      result = next_##behind()(TAKT_GUARD_UNPACK arguments, format, list);           \
    } else {                                                                         \
      result = next_##behind()(TAKT_GUARD_UNPACK arguments, format, list);           \
    }                                                                                \
    va_end(list);                                                                    \
    return result;                                                                   \
  }
TAKT_GUARD_FORMATTED(fprintf, vfprintf, (FILE * stream), (stream))
TAKT_GUARD_FORMATTED(dprintf, vdprintf, (int file), (file))
TAKT_GUARD_FORMATTED(__printf_chk, __vprintf_chk, (int flag), (flag))
TAKT_GUARD_FORMATTED(__fprintf_chk, __vfprintf_chk, (FILE * stream, int flag), (stream, flag))
TAKT_GUARD_FORMATTED(__dprintf_chk, __vdprintf_chk, (int file, int flag), (file, flag))

TAKT_GUARD_EXPORT int printf(const char * format, ...)
{
  std::va_list list;
  va_start(list, format);
  int result = 0;
  if (takt_guard::watching()) {
    TAKT_GUARD_EVENT(output, printf);
    event.waits();
    result = next_vprintf()(format, list);
  } else {
    result = next_vprintf()(format, list);
  }
  va_end(list);
  return result;
}

TAKT_GUARD_EXPORT void syslog(int priority, const char * format, ...)
{
  std::va_list list;
  va_start(list, format);
  if (takt_guard::watching()) {
    TAKT_GUARD_EVENT(output, syslog);
    event.waits();
    next_vsyslog()(priority, format, list);
  } else {
    next_vsyslog()(priority, format, list);
  }
  va_end(list);
}

// Functions that open, close or read a file by a stream.
#define TAKT_GUARD_FILE(result, name, parameters, arguments) \
  TAKT_GUARD_FUNCTION(system_call, true, result, name, parameters, arguments)
TAKT_GUARD_FILE(FILE *, fopen, (const char * path, const char * mode), (path, mode))
TAKT_GUARD_FILE(FILE *, fopen64, (const char * path, const char * mode), (path, mode))
TAKT_GUARD_FILE(int, fclose, (FILE * stream), (stream))
TAKT_GUARD_FILE(
  std::size_t, fread, (void * to, std::size_t bytes, std::size_t count, FILE * stream),
  (to, bytes, count, stream))
TAKT_GUARD_FILE(char *, fgets, (char * to, int room, FILE * stream), (to, room, stream))
TAKT_GUARD_FILE(int, getc, (FILE * stream), (stream))
TAKT_GUARD_FILE(int, fgetc, (FILE * stream), (stream))
