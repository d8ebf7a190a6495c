// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// What the generator and the floor share of the btsnoop format (datalink 1002: HCI packets with their type byte).

#ifndef BEACONS_BTSNOOP_H
#define BEACONS_BTSNOOP_H

#include <stdint.h>

enum {
  FILE_HEADER_SIZE = 16,
  RECORD_HEADER_SIZE = 24,
  DATALINK_H4 = 1002,
  H4_EVENT = 0x04,
  EVENT_LE_META = 0x3E,
  LE_ADVERTISING_REPORT = 0x02,
  AD_MANUFACTURER_DATA = 0xFF,
  IBEACON_AD_LENGTH = 26,  // type, company, 02 15, UUID, major, minor, power
};

static inline uint32_t read_be32(const uint8_t *p) {
  uint32_t v;
  __builtin_memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}

static inline uint64_t read_be64(const uint8_t *p) {
  uint64_t v;
  __builtin_memcpy(&v, p, 8);
  return __builtin_bswap64(v);
}

static inline uint8_t *write_be32(uint8_t *p, uint32_t v) {
  v = __builtin_bswap32(v);
  __builtin_memcpy(p, &v, 4);
  return p + 4;
}

static inline uint8_t *write_be64(uint8_t *p, uint64_t v) {
  v = __builtin_bswap64(v);
  __builtin_memcpy(p, &v, 8);
  return p + 8;
}

#endif
