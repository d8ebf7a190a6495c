// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Lets the n-th call that changes a file fail with ENOSPC, for a program that preloads it.
//
// TORTURE_FAIL_AT is n, counted from 1; TORTURE_SHORT lets a failing write() write half of its bytes first. Calls on
// anything but regular files are neither counted nor harmed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int is_due(void) {
  const char *at = getenv("TORTURE_FAIL_AT");
  return atomic_fetch_add(&calls, 1) + 1 == (at ? atol(at) : -1);
}

static int is_regular(int file) {
  struct stat found;
  return fstat(file, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  if (file > 2 && is_regular(file) && is_due()) {
    if (getenv("TORTURE_SHORT") && count > 1) return real(file, bytes, count / 2);
    errno = ENOSPC;
    return -1;
  }
  return real(file, bytes, count);
}

int fsync(int file) {
  REAL(int, fsync, int);
  if (is_regular(file) && is_due()) return errno = EIO, -1;
  return real(file);
}

int ftruncate(int file, off_t size) {
  REAL(int, ftruncate, int, off_t);
  if (is_regular(file) && is_due()) return errno = EIO, -1;
  return real(file, size);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  if (is_due()) return errno = ENOSPC, -1;
  return real(from, to);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  if (is_due()) return errno = ENOSPC, -1;
  return real(from, to);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("TORTURE_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}
