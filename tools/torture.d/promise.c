// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Writes a program's promises to a serial line: after each fsync of a file, for a program that preloads it, the file's
// inode, its size before the call, a checksum of so many bytes (FNV-1a), and its name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  struct stat found;
  const int known = fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  const int result = real(file);
  char link[64], path[PATH_MAX], line[PATH_MAX + 128];
  static char bytes[1 << 16];
  if (!known || result) return result;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return result;
  path[size] = 0;
  const int copy = open(path, O_RDONLY), serial = open("/dev/ttyS1", O_WRONLY | O_NOCTTY | O_APPEND);
  struct stat again;
  uint64_t sum = 0xCBF29CE484222325;
  // Another file may have the name by now.
  if (copy >= 0 && serial >= 0 && fstat(copy, &again) == 0 && again.st_ino == found.st_ino) {
    off_t done = 0;
    for (ssize_t got; done < found.st_size && (got = pread(copy, bytes, sizeof bytes, done)) > 0; done += got)
      for (ssize_t i = 0; i < got && done + i < found.st_size; i++) sum = (sum ^ (uint8_t)bytes[i]) * 0x100000001B3;
    const int count = snprintf(line, sizeof line, "synced %lu %ld %lx %s\n", found.st_ino, found.st_size, sum, path);
    if (write(serial, line, (size_t)count) < 0) perror("ttyS1");
  }
  close(copy);
  close(serial);
  return result;
}
