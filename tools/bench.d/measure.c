// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Runs a command and appends its cost to a file, as one JSON object: CPU time (user and system), wall time, peak memory.
//
//   measure RESULT COMMAND [ARGUMENT …]
//
// A separate program because a child's peak memory counts from its parent's at the fork: a driver in Python would lend
// each child some twenty megabytes.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fputs("usage: measure RESULT COMMAND [ARGUMENT ...]\n", stderr);
    return 64;
  }
  const double start = now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  pid_t ended;
  while ((ended = wait4(child, &status, 0, &usage)) < 0 && errno == EINTR) continue;
  if (child < 0 || ended < 0) {
    perror("measure");
    return 1;
  }
  FILE *result = fopen(argv[1], "w");
  if (result == NULL) {
    perror(argv[1]);
    return 1;
  }
  fprintf(result, "{\"cpu\":%.6f,\"wall\":%.6f,\"peak\":%ld}\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
          now() - start, usage.ru_maxrss * 1024L);
  fclose(result);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
