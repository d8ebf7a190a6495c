// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CDBUS_SHIM_H
#define CDBUS_SHIM_H

#include <dbus/dbus.h>
// Wakes the thread that polls; Glibc's own module leaves it out.
#include <sys/eventfd.h>
// Says whether the process has more rights than its user.
#include <sys/auxv.h>

#endif
