// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.
//
// Loaded into bluetoothd: its requests to add the data of an extended advertisement get a length that is not the message's,
// so that the kernel refuses them as kernels with commit d3f7d17960ed refuse those of BlueZ before 5.87.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <sys/uio.h>

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  static ssize_t (*next)(int, const struct iovec *, int);
  if (!next) next = dlsym(RTLD_NEXT, "writev");
  uint8_t *bytes = count == 1 ? parts[0].iov_base : 0;
  // The opcode of Add Extended Advertising Data; the length follows the header of six bytes and the instance.
  if (bytes && parts[0].iov_len > 8 && bytes[0] == 0x55 && bytes[1] == 0x00) bytes[7] = 0xFF;
  return next(descriptor, parts, count);
}
