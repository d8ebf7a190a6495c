// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

// What is called of the library. It is loaded and not linked: a run without a history does without its 1.5 MB.
#define CSQL_FUNCTIONS(FUNCTION)                                                                                       \
  FUNCTION(open_v2)                                                                                                    \
  FUNCTION(close_v2)                                                                                                   \
  FUNCTION(exec)                                                                                                       \
  FUNCTION(prepare_v2)                                                                                                 \
  FUNCTION(step)                                                                                                       \
  FUNCTION(reset)                                                                                                      \
  FUNCTION(clear_bindings)                                                                                             \
  FUNCTION(finalize)                                                                                                   \
  FUNCTION(bind_int64)                                                                                                 \
  FUNCTION(bind_text)                                                                                                  \
  FUNCTION(bind_null)                                                                                                  \
  FUNCTION(column_type)                                                                                                \
  FUNCTION(column_int64)                                                                                               \
  FUNCTION(column_text)                                                                                                \
  FUNCTION(column_bytes)                                                                                               \
  FUNCTION(errmsg)                                                                                                     \
  FUNCTION(errstr)                                                                                                     \
  FUNCTION(extended_errcode)                                                                                           \
  FUNCTION(changes)                                                                                                    \
  FUNCTION(busy_handler)                                                                                               \
  FUNCTION(progress_handler)                                                                                           \
  FUNCTION(limit)                                                                                                      \
  FUNCTION(db_config)

#define CSQL_MEMBER(name) __typeof__(&sqlite3_##name) name;
#define CSQL_FIND(name)                                                                                                \
  functions->name = (__typeof__(&sqlite3_##name))dlsym(library, "sqlite3_" #name);                                     \
  isWhole = isWhole && functions->name;

struct csql_functions {
  CSQL_FUNCTIONS(CSQL_MEMBER)
};

// Loads the library, for good; false where it is not there or lacks a function.
static inline bool csql_load(struct csql_functions *functions) {
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
  bool isWhole = true;
  CSQL_FUNCTIONS(CSQL_FIND)
  return isWhole;
}

// The library copies the bytes before it returns; its own name for that is a cast, which Swift does not import.
static inline int csql_bind_text(const struct csql_functions *functions, sqlite3_stmt *statement, int index,
                                 const char *text, int count) {
  return functions->bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

// A switch of a connection; the call is variadic, which Swift does not import.
static inline int csql_configure(const struct csql_functions *functions, sqlite3 *database, int option, int value) {
  return functions->db_config(database, option, value, (int *)0);
}

#endif
