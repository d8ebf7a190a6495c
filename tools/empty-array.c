// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Preloaded, it moves the storage that all empty arrays share to an address that ends in 8.
//
// The static runtime aligns that storage to 8 bytes only, so the linker may put it there in a statically linked program. `span`,
// `mutableSpan` and `append(addingCapacity: 0)` of an empty array then trap if an element is aligned to 16 bytes, as SIMD vectors
// and `UInt128` are.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

__asm__(
  ".data\n"
  ".balign 16\n"
  ".quad 0\n"
  ".globl _swiftEmptyArrayStorage\n"
  ".type _swiftEmptyArrayStorage, @object\n"
  ".size _swiftEmptyArrayStorage, 32\n"
  "_swiftEmptyArrayStorage:\n"
  ".quad 0, 0, 0, 0\n"
  ".text\n");
extern char moved[32] __asm__("_swiftEmptyArrayStorage");

// A program without Swift has no such storage.
__attribute__((constructor)) static void move(void) {
  const void *storage = dlsym(RTLD_NEXT, "_swiftEmptyArrayStorage");
  if (storage) memcpy(moved, storage, sizeof moved);
}
