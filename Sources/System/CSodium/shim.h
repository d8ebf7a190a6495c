// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CSODIUM_SHIM_H
#define CSODIUM_SHIM_H

#include <dlfcn.h>
#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

// What is called of the library. It is loaded and not linked: only an encrypted connection of a proxy needs it.
#define CSODIUM_FUNCTIONS(FUNCTION)                                                                                    \
  FUNCTION(sodium_init)                                                                                                \
  FUNCTION(randombytes_buf)                                                                                            \
  FUNCTION(crypto_scalarmult)                                                                                          \
  FUNCTION(crypto_scalarmult_base)                                                                                     \
  FUNCTION(crypto_hash_sha256)                                                                                         \
  FUNCTION(crypto_auth_hmacsha256)                                                                                     \
  FUNCTION(crypto_aead_chacha20poly1305_ietf_encrypt)                                                                  \
  FUNCTION(crypto_aead_chacha20poly1305_ietf_decrypt)

#define CSODIUM_MEMBER(name) __typeof__(&name) name##_;
#define CSODIUM_FIND(name)                                                                                             \
  functions->name##_ = (__typeof__(&name))dlsym(library, #name);                                                       \
  isWhole = isWhole && functions->name##_;

struct csodium_functions {
  CSODIUM_FUNCTIONS(CSODIUM_MEMBER)
};

// Loads the library, for good; false where it is not there or lacks a function. Versions differ in the last number of their
// name, and agree in these functions.
static inline bool csodium_load(struct csodium_functions *functions) {
  void *library = dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libsodium.so.26", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
  bool isWhole = true;
  CSODIUM_FUNCTIONS(CSODIUM_FIND)
  return isWhole && functions->sodium_init_() >= 0;
}

#endif
