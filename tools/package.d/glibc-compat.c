// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Four functions that glibc has only since 2.38. Debian's static Swift runtime was built with a newer glibc and calls them; Debian 12
// has 2.36.

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The forms of C23 also read binary numbers (0b1) if the base is 0 or 2, which the runtime asks for nowhere.
long strtol_of_c23(const char *text, char **end, int base) __asm__("__isoc23_strtol");
long long strtoll_of_c23(const char *text, char **end, int base) __asm__("__isoc23_strtoll");
int sscanf_of_c23(const char *text, const char *format, ...) __asm__("__isoc23_sscanf");

long strtol_of_c23(const char *text, char **end, int base) { return strtol(text, end, base); }

long long strtoll_of_c23(const char *text, char **end, int base) { return strtoll(text, end, base); }

int sscanf_of_c23(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int read = vsscanf(text, format, arguments);
  va_end(arguments);
  return read;
}

size_t strlcpy(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (size > 0) {
    size_t copied = length < size ? length : size - 1;
    memcpy(to, from, copied);
    to[copied] = '\0';
  }
  return length;
}
