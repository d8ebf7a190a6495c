// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Preloaded, it tells the thread sanitizer in which order threads held a `Mutex`.
//
// The fast path of the lock is part of our code, and the sanitizer sees it. A lock that another thread holds is handed over inside the
// runtime's library, which is built without the sanitizer: protected accesses would be reported as a race. The functions here take
// the place of the library's, call them, and tell the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

// Functions of the sanitizer; null in a program that is built without it.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void Lock(uint32_t thread, SELF);
typedef SWIFT bool TryLock(SELF);
typedef SWIFT void Unlock(SELF);

static void *original(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock(SELF) __asm__(TRY);
SWIFT void unlock(SELF) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF) {
  ((Lock *)original(LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF) {
  bool is_locked = ((TryLock *)original(TRY))(mutex);
  if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void unlock(SELF) {
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock *)original(UNLOCK))(mutex);
}
