// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Lets the n-th call on a file below a folder fail, for a program that preloads it: open, write, fsync, ftruncate,
// rename, link, unlink, mkdir.
//
// TORTURE_FOLDER is the folder, which is the working directory; calls on anything else are neither counted nor harmed.
// TORTURE_FAIL_AT is n, counted from 1. TORTURE_ERROR is a number of errno.h, or 0 for a write that writes half of its
// bytes. An interrupted call (EINTR) fails once, as calls do that a signal interrupts; any other error stays, as a full
// disk or a broken one does, unless TORTURE_ONCE is set. With TORTURE_STOPS the signal is SIGTERM. The file TORTURE_LOG receives the number of calls and what failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static void note(const char *format, ...) {
  char line[PATH_MAX + 64];
  const char *log = getenv("TORTURE_LOG");
  if (!log) return;
  va_list values;
  va_start(values, format);
  int size = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  int file = (int)syscall(SYS_open, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, size);
  syscall(SYS_close, file);
}

static int is_below(const char *path) {
  const char *folder = getenv("TORTURE_FOLDER");
  if (!folder || path[0] != '/') return folder != NULL;
  size_t size = strlen(folder);
  return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == 0);
}

static int is_regular(int file) {
  struct stat found;
  char link[64], path[PATH_MAX];
  if (fstat(file, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return is_below(path);
}

// Asks the program to end, as a signal from outside would: in this thread, or in another one if this one takes no signals.
static void stop(void) {
  struct sigaction handling;
  sigset_t blocked;
  // A second SIGTERM would end the program immediately.
  if (sigaction(SIGTERM, NULL, &handling) || handling.sa_handler == SIG_DFL) return;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (sigismember(&blocked, SIGTERM)) kill(getpid(), SIGTERM);
  else raise(SIGTERM);
}

enum { FOREVER = 1, INTERRUPTIBLE = 2, WRITES = 4 };

// The error with which this call fails, -1 to write half, 0 if it does not fail.
static int failure(const char *name, const char *what, int traits) {
  const char *at = getenv("TORTURE_FAIL_AT"), *text = getenv("TORTURE_ERROR");
  long number = atomic_fetch_add(&calls, 1) + 1, due = at ? atol(at) : 0;
  int error = text ? atoi(text) : ENOSPC;
  if (due == 0 || number < due) return 0;
  int fails = number == due;
  // A full or broken disk stays so for what needs space; the rest continues.
  if (number > due && !getenv("TORTURE_ONCE") && error != EINTR && error != 0) fails = traits & FOREVER;
  if (!fails) return 0;
  if (error == EINTR && !(traits & INTERRUPTIBLE)) fails = 0;
  if (error == 0 && !(traits & WRITES)) fails = 0;
  note("%ld %s %s%s\n", number, name, what, fails ? "" : " (not failed)");
  if (fails && error == EINTR && getenv("TORTURE_STOPS")) stop();
  return !fails ? 0 : error == 0 ? -1 : error;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static const char *number_text(int file) {
  static _Thread_local char text[16];
  snprintf(text, sizeof text, "%d", file);
  return text;
}

static int fails_to_open(const char *path, int flags) {
  if (!is_below(path)) return 0;
  int writes = flags & (O_WRONLY | O_RDWR | O_CREAT);
  return failure(writes ? "open-to-write" : "open-to-read", path, INTERRUPTIBLE | (flags & O_CREAT ? FOREVER : 0));
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, name, const char *, int, ...); \
    va_list values; \
    va_start(values, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0; \
    va_end(values); \
    int error = fails_to_open(path, flags); \
    if (error > 0) return errno = error, -1; \
    return real(path, flags, mode); \
  }

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(int, name, int, const char *, int, ...); \
    va_list values; \
    va_start(values, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0; \
    va_end(values); \
    int error = fails_to_open(path, flags); \
    if (error > 0) return errno = error, -1; \
    return real(folder, path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  int error = file != 2 && is_regular(file) ? failure("write", number_text(file), FOREVER | INTERRUPTIBLE | WRITES) : 0;
  if (error < 0) return real(file, bytes, count > 1 ? count / 2 : count);
  if (error) return errno = error, -1;
  return real(file, bytes, count);
}

#define PWRITE(name) \
  ssize_t name(int file, const void *bytes, size_t count, off_t at) { \
    REAL(ssize_t, name, int, const void *, size_t, off_t); \
    int error = is_regular(file) ? failure("pwrite", number_text(file), FOREVER | INTERRUPTIBLE | WRITES) : 0; \
    if (error > 0) return errno = error, -1; \
    return real(file, bytes, error < 0 && count > 1 ? count / 2 : count, at); \
  }

PWRITE(pwrite)
PWRITE(pwrite64)

int fsync(int file) {
  REAL(int, fsync, int);
  int error = is_regular(file) ? failure("fsync", number_text(file), INTERRUPTIBLE) : 0;
  return error > 0 ? (errno = error, -1) : real(file);
}

int ftruncate(int file, off_t size) {
  REAL(int, ftruncate, int, off_t);
  int error = is_regular(file) ? failure("ftruncate", number_text(file), INTERRUPTIBLE) : 0;
  return error > 0 ? (errno = error, -1) : real(file, size);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  int error = is_below(to) ? failure("rename", to, FOREVER) : 0;
  return error > 0 ? (errno = error, -1) : real(from, to);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  int error = is_below(to) ? failure("link", to, FOREVER) : 0;
  return error > 0 ? (errno = error, -1) : real(from, to);
}

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  int error = is_below(path) ? failure("unlink", path, 0) : 0;
  return error > 0 ? (errno = error, -1) : real(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  int error = is_below(path) ? failure("mkdir", path, FOREVER) : 0;
  return error > 0 ? (errno = error, -1) : real(path, mode);
}

__attribute__((destructor)) static void report(void) { note("calls %ld\n", atomic_load(&calls)); }
