// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <dlfcn.h>
#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>
// From version 2.1 on, mosquitto.h includes this file, and a warning asks not to include it.
#if LIBMOSQUITTO_VERSION_NUMBER < 2001000
#include <mqtt_protocol.h>
#endif

// What is called of the library. It is loaded and not linked: only a gateway needs it, and it brings OpenSSL.
#define CMQTT_FUNCTIONS(FUNCTION)                                                                                      \
  FUNCTION(lib_init)                                                                                                   \
  FUNCTION(lib_version)                                                                                                \
  FUNCTION(new)                                                                                                        \
  FUNCTION(destroy)                                                                                                    \
  FUNCTION(int_option)                                                                                                 \
  FUNCTION(username_pw_set)                                                                                            \
  FUNCTION(tls_set)                                                                                                    \
  FUNCTION(will_set)                                                                                                   \
  FUNCTION(will_set_v5)                                                                                                \
  FUNCTION(property_add_int32)                                                                                         \
  FUNCTION(property_free_all)                                                                                          \
  FUNCTION(connect_bind_v5)                                                                                            \
  FUNCTION(disconnect)                                                                                                 \
  FUNCTION(publish)                                                                                                    \
  FUNCTION(subscribe)                                                                                                  \
  FUNCTION(socket)                                                                                                     \
  FUNCTION(want_write)                                                                                                 \
  FUNCTION(loop_read)                                                                                                  \
  FUNCTION(loop_write)                                                                                                 \
  FUNCTION(loop_misc)                                                                                                  \
  FUNCTION(strerror)                                                                                                   \
  FUNCTION(connect_v5_callback_set)                                                                                    \
  FUNCTION(disconnect_v5_callback_set)                                                                                 \
  FUNCTION(publish_v5_callback_set)                                                                                    \
  FUNCTION(message_callback_set)                                                                                       \
  FUNCTION(log_callback_set)

#define CMQTT_MEMBER(name) __typeof__(&mosquitto_##name) name##_;
#define CMQTT_FIND(name)                                                                                               \
  functions->name##_ = (__typeof__(&mosquitto_##name))dlsym(library, "mosquitto_" #name);                              \
  isWhole = isWhole && functions->name##_;

struct cmqtt_functions {
  CMQTT_FUNCTIONS(CMQTT_MEMBER)
  // Of OpenSSL, which the library loads; null if it uses another library for TLS.
  void *(*ssl_get_)(struct mosquitto *);
  long (*verify_result_)(const void *);
};

// Loads the library, for good; false where it is not there or lacks a function.
static inline bool cmqtt_load(struct cmqtt_functions *functions) {
  void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
  bool isWhole = true;
  CMQTT_FUNCTIONS(CMQTT_FIND)
  functions->ssl_get_ = (void *(*)(struct mosquitto *))dlsym(library, "mosquitto_ssl_get");
  functions->verify_result_ = (long (*)(const void *))dlsym(library, "SSL_get_verify_result");
  return isWhole && functions->lib_init_() == MOSQ_ERR_SUCCESS;
}

#endif
