// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CBLUETOOTH_SHIM_H
#define CBLUETOOTH_SHIM_H

// Declarations only: the kernel's channels need the socket's address and numbers, and nothing of the library.
#include <sys/socket.h>
#include <linux/filter.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <linux/capability.h>

// Functions of the C library that only another library's header declares.
int capget(cap_user_header_t header, cap_user_data_t sets);
int capset(cap_user_header_t header, const struct __user_cap_data_struct *sets);

#endif
