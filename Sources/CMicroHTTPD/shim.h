// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <dlfcn.h>
#include <microhttpd.h>
// The server binds its socket itself, so that a port in use is told as such.
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

// What is called of the library. It is loaded and not linked: it brings nine others along, a whole TLS among them, three
// megabytes in every program that never serves a page.
#define CMHD_FUNCTIONS(FUNCTION)                                                                                       \
  FUNCTION(start_daemon)                                                                                               \
  FUNCTION(stop_daemon)                                                                                                \
  FUNCTION(create_response_from_buffer)                                                                                \
  FUNCTION(create_response_from_callback)                                                                              \
  FUNCTION(destroy_response)                                                                                           \
  FUNCTION(add_response_header)                                                                                        \
  FUNCTION(queue_response)                                                                                             \
  FUNCTION(suspend_connection)                                                                                         \
  FUNCTION(resume_connection)                                                                                          \
  FUNCTION(lookup_connection_value)                                                                                    \
  FUNCTION(get_connection_values)

#define CMHD_MEMBER(name) __typeof__(&MHD_##name) name;
#define CMHD_FIND(name)                                                                                                \
  functions->name = (__typeof__(&MHD_##name))dlsym(library, "MHD_" #name);                                             \
  isWhole = isWhole && functions->name;

struct cmhd_functions {
  CMHD_FUNCTIONS(CMHD_MEMBER)
};

// Loads the library, for good; false where it is not there or lacks a function.
static inline bool cmhd_load(struct cmhd_functions *functions) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
  bool isWhole = true;
  CMHD_FUNCTIONS(CMHD_FIND)
  return isWhole;
}

// Starting takes its options as variadic arguments, which Swift does not import.
static inline struct MHD_Daemon *cmhd_start(const struct cmhd_functions *functions, unsigned int flags,
                                            MHD_AccessHandlerCallback handler, void *context,
                                            struct MHD_OptionItem *options) {
  return functions->start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// Macros of casts, which Swift does not import.
static const uint64_t cmhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t cmhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;

#endif
