// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CDBUS_SHIM_H
#define CDBUS_SHIM_H

#include <dbus/dbus.h>
// Wakes the thread that polls; Glibc's own module leaves it out.
#include <sys/eventfd.h>

#endif
