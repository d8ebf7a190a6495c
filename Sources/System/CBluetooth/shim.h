// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#ifndef CBLUETOOTH_SHIM_H
#define CBLUETOOTH_SHIM_H

#include <sys/socket.h>
#include <linux/filter.h>
#include <linux/capability.h>

// The kernel's interface of Bluetooth sockets, which none of its headers contains: only those of a library that is not used.
#define BTPROTO_HCI 1
#define HCI_DEV_NONE 0xffff
#define HCI_CHANNEL_MONITOR 2
#define HCI_CHANNEL_CONTROL 3

struct sockaddr_hci {
  sa_family_t hci_family;
  unsigned short hci_dev;
  unsigned short hci_channel;
};

// Functions of the C library that only another library's header declares.
int capget(cap_user_header_t header, cap_user_data_t sets);
int capset(cap_user_header_t header, const struct __user_cap_data_struct *sets);

#endif
