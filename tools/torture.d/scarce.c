// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Lets calls that make a descriptor fail at random with EMFILE, for a program that preloads it, as in a process whose limit of
// open files others have used up.
//
// SCARCE_ONE_IN is n: each call fails with a probability of one in n, once SCARCE_AFTER seconds have passed since the start.
// SCARCE_SEED begins the random numbers. With SCARCE_SPARES the calls of the system's thread pool do not fail: it looks at its
// threads below /proc and ends the process without a descriptor, so that the service keeps some for itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

static _Atomic uint64_t state;
static struct timespec start;
static long one_in, after;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("SCARCE_ONE_IN"), *delay = getenv("SCARCE_AFTER"), *seed = getenv("SCARCE_SEED");
  one_in = text ? atol(text) : 0;
  after = delay ? atol(delay) : 0;
  atomic_store(&state, (uint64_t)(seed ? atoll(seed) : 1));
  clock_gettime(CLOCK_MONOTONIC, &start);
}

static int fails(void) {
  struct timespec now;
  if (one_in <= 0) return 0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec - start.tv_sec < after) return 0;
  uint64_t number = atomic_fetch_add(&state, 0x9E3779B97F4A7C15ULL);
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  if ((number ^ (number >> 31)) % (uint64_t)one_in) return 0;
  errno = EMFILE;
  return 1;
}

static int is_spared(const char *path) {
  return getenv("SCARCE_SPARES") && strncmp(path, "/proc/", 6) == 0 && strstr(path, "/stat");
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, name, const char *, int, ...); \
    va_list values; \
    va_start(values, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0; \
    va_end(values); \
    return !is_spared(path) && fails() ? -1 : real(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)

#define FCNTL(name) \
  int name(int file, int command, ...) { \
    REAL(int, name, int, int, ...); \
    va_list values; \
    va_start(values, command); \
    void *value = va_arg(values, void *); \
    va_end(values); \
    return (command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails() ? -1 : real(file, command, value); \
  }

FCNTL(fcntl)
FCNTL(fcntl64)

int dup(int file) {
  REAL(int, dup, int);
  return fails() ? -1 : real(file);
}

int pipe(int ends[2]) {
  REAL(int, pipe, int *);
  return fails() ? -1 : real(ends);
}

int pipe2(int ends[2], int flags) {
  REAL(int, pipe2, int *, int);
  return fails() ? -1 : real(ends, flags);
}

int socket(int domain, int type, int protocol) {
  REAL(int, socket, int, int, int);
  return fails() ? -1 : real(domain, type, protocol);
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
  REAL(int, socketpair, int, int, int, int *);
  return fails() ? -1 : real(domain, type, protocol, ends);
}

int eventfd(unsigned count, int flags) {
  REAL(int, eventfd, unsigned, int);
  return fails() ? -1 : real(count, flags);
}

int epoll_create1(int flags) {
  REAL(int, epoll_create1, int);
  return fails() ? -1 : real(flags);
}

int timerfd_create(int clock, int flags) {
  REAL(int, timerfd_create, int, int);
  return fails() ? -1 : real(clock, flags);
}
