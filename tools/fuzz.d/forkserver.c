// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Runs a program again and again from its `main`, for a program that preloads it: loading a Swift program takes 25 ms, a
// copy of the loaded one a tenth of that.
//
// Each request on descriptor 3 is a length (32 bits) and as many bytes: the file that is the standard input, then the
// arguments from the program's name on, each with a NUL after it. The copy writes to the files behind descriptors 5 and
// 6, which are its standard output and error. The answer on descriptor 4 is the status of wait(2), the CPU time in
// microseconds and the peak memory in KiB, each as 64 bits. A copy starts as a process does: nothing of the program ran
// before it but its constructors.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 3, ANSWERS = 4, OUTPUT = 5, ERRORS = 6, LONGEST = 1 << 20 };

typedef int (*program)(int, char **, char **);
static program real_main;
static char request[LONGEST];
static size_t request_size;

static int receive(void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t more = read(REQUESTS, (char *)bytes + done, count - done);
    if (more <= 0) return 0;
    done += (size_t)more;
  }
  return 1;
}

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static void limit(int what, long most) {
  struct rlimit limit = {(rlim_t)most, (rlim_t)most};
  if (most > 0) setrlimit(what, &limit);
}

// The arguments replace those of the server in the kernel's place, with their count before them, since a Swift runtime
// takes them from there. The server was started with as many arguments as fit into it.
static int run(char **arguments, int room, char **environment) {
  int count = 0;
  for (size_t at = strlen(request) + 1; at < request_size && count < room; at += strlen(request + at) + 1)
    arguments[count++] = request + at;
  arguments[count] = NULL;
  *((long *)arguments - 1) = count;
  int input = open(request, O_RDONLY);
  dup2(input, 0);
  dup2(OUTPUT, 1);
  dup2(ERRORS, 2);
  for (int file = REQUESTS; file <= ERRORS; file++) close(file);
  if (input > 2) close(input);
  unsetenv("LD_PRELOAD");
  // Each ends the copy by a signal, which counts as a fault.
  limit(RLIMIT_CPU, number("FUZZ_CPU_SECONDS"));
  limit(RLIMIT_FSIZE, number("FUZZ_FILE_BYTES"));
  limit(RLIMIT_CORE, 1);
  alarm((unsigned)number("FUZZ_WALL_SECONDS"));
  return real_main(count, arguments, environment);
}

static int serve(int argc, char **argv, char **environment) {
  uint32_t size;
  while (receive(&size, sizeof size)) {
    if (size >= LONGEST || !receive(request, size)) return 1;
    request[size] = 0;
    request_size = size;
    for (int file = OUTPUT; file <= ERRORS; file++)
      if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET)) return 1;
    pid_t copy = fork();
    if (copy == 0) return run(argv, argc, environment);
    int status;
    struct rusage used;
    if (copy < 0 || wait4(copy, &status, 0, &used) != copy) return 1;
    int64_t answer[3] = {
      status,
      (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec,
      used.ru_maxrss};
    if (write(ANSWERS, answer, sizeof answer) != sizeof answer) return 1;
  }
  return 0;
}

int __libc_start_main(program main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*end)(void), void *stack) {
  typedef int (*starter)(program, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  starter real = (starter)dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return real(getenv("FUZZ_SERVER") ? serve : main, argc, argv, init, fini, end, stack);
}
