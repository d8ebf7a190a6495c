// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// The floor that `tools/bench replay` measures against: the least a program can do that ranges a capture.
//
//   floor CAPTURE
//
// It reads a btsnoop file (datalink 1002), walks its records, the reports of each LE Advertising Report event and the AD
// structures of each report, decodes iBeacons and keeps one mean RSSI for each identity. It has no timeline, no regions,
// no output a beacon: what an engine costs beyond it is the price of being one. All lengths are checked, as an engine's
// must be. It prints the sums so that the compiler cannot remove the computation.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "btsnoop.h"

// Small enough to stay in the second-level cache, large enough to make the system calls disappear.
enum { BLOCK_SIZE = 256 * 1024 };
// A record larger than this is not an HCI packet (the largest is 4 + 65535 bytes with its header).
enum { LARGEST_RECORD = 65540 };

typedef struct {
  uint64_t uuid_high, uuid_low;
  uint32_t major_minor;
  uint32_t count;  // 0 marks a free slot
  int64_t rssi_sum;
} Identity;

typedef struct {
  Identity *slots;
  size_t mask;
  size_t used;
} Table;

typedef struct {
  uint64_t records, reports, beacons;
  Table table;
} Floor;

static size_t slot_of(const Table *table, uint64_t high, uint64_t low, uint32_t major_minor) {
  uint64_t h = (high ^ major_minor) * 0x9E3779B97F4A7C15u;
  h = (h ^ low ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
  return (h ^ (h >> 32)) & table->mask;
}

// The slot that holds an identity, or the free one for it. Linear probing; never more than half full.
static Identity *find(const Table *table, uint64_t high, uint64_t low, uint32_t major_minor) {
  size_t i = slot_of(table, high, low, major_minor);
  for (;; i = (i + 1) & table->mask) {
    Identity *slot = &table->slots[i];
    if (slot->count == 0) return slot;
    if (slot->major_minor == major_minor && slot->uuid_low == low && slot->uuid_high == high) return slot;
  }
}

static void allocate(Table *table, size_t capacity) {
  table->slots = calloc(capacity, sizeof(Identity));
  if (table->slots == NULL) {
    fputs("floor: out of memory\n", stderr);
    exit(1);
  }
  table->mask = capacity - 1;
}

static void grow(Table *table) {
  Table larger = {.used = table->used};
  allocate(&larger, (table->mask + 1) * 2);
  for (size_t i = 0; i <= table->mask; i++) {
    const Identity *old = &table->slots[i];
    if (old->count != 0) *find(&larger, old->uuid_high, old->uuid_low, old->major_minor) = *old;
  }
  free(table->slots);
  *table = larger;
}

static void hear(Table *table, const uint8_t *body, int8_t rssi) {
  const uint64_t high = read_be64(body), low = read_be64(body + 8);
  const uint32_t major_minor = read_be32(body + 16);
  Identity *identity = find(table, high, low, major_minor);
  if (identity->count == 0) {
    if ((table->used + 1) * 2 > table->mask) {
      grow(table);
      identity = find(table, high, low, major_minor);
    }
    *identity = (Identity){.uuid_high = high, .uuid_low = low, .major_minor = major_minor};
    table->used++;
  }
  identity->count++;
  identity->rssi_sum += rssi;
}

// Walks AD structures: length, type, value; a zero length ends them, one past the end breaks them off.
static void walk_payload(Floor *floor, const uint8_t *p, const uint8_t *end, int8_t rssi) {
  static const uint8_t frame[4] = {0x4C, 0x00, 0x02, 0x15};
  while (p < end && *p != 0) {
    const size_t length = *p++;
    if (length > (size_t)(end - p)) return;
    if (p[0] == AD_MANUFACTURER_DATA && length >= IBEACON_AD_LENGTH && memcmp(p + 1, frame, sizeof frame) == 0) {
      floor->beacons++;
      hear(&floor->table, p + 5, rssi);
      return;
    }
    p += length;
  }
}

static void walk_packet(Floor *floor, const uint8_t *p, const uint8_t *end) {
  if (end - p < 5 || p[0] != H4_EVENT || p[1] != EVENT_LE_META || p[3] != LE_ADVERTISING_REPORT) return;
  if (p[2] < end - p - 3) end = p + 3 + p[2];
  unsigned reports = p[4];
  // A report: kind, kind of address, address (6), length of the payload, the payload, RSSI.
  for (p += 5; reports > 0 && end - p >= 10; reports--) {
    const size_t length = p[8];
    if (length > (size_t)(end - p) - 10) return;
    const uint8_t *payload = p + 9;
    p = payload + length + 1;
    floor->reports++;
    walk_payload(floor, payload, payload + length, (int8_t)p[-1]);
  }
}

// Walks the whole records of a block and returns how many bytes they took.
static size_t walk_block(Floor *floor, const uint8_t *block, size_t count) {
  size_t offset = 0;
  while (count - offset >= RECORD_HEADER_SIZE) {
    const uint8_t *packet = block + offset + RECORD_HEADER_SIZE;
    const size_t length = read_be32(block + offset + 4);
    if (length > LARGEST_RECORD) {
      fputs("floor: a record is too long\n", stderr);
      exit(1);
    }
    if (length > count - offset - RECORD_HEADER_SIZE) break;
    floor->records++;
    walk_packet(floor, packet, packet + length);
    offset += RECORD_HEADER_SIZE + length;
  }
  return offset;
}

int main(int argc, char **argv) {
  static uint8_t block[BLOCK_SIZE + LARGEST_RECORD + RECORD_HEADER_SIZE];
  const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) {
    fputs("usage: floor CAPTURE\n", stderr);
    return 64;
  }
  if (read(file, block, FILE_HEADER_SIZE) != FILE_HEADER_SIZE || memcmp(block, "btsnoop", 8) != 0 ||
      read_be32(block + 12) != DATALINK_H4) {
    fputs("floor: not a btsnoop file of datalink 1002\n", stderr);
    return 65;
  }

  Floor floor = {0};
  allocate(&floor.table, 1024);
  size_t held = 0;
  for (ssize_t got; (got = read(file, block + held, BLOCK_SIZE)) > 0;) {
    held += (size_t)got;
    const size_t used = walk_block(&floor, block, held);
    held -= used;
    memmove(block, block + used, held);
  }

  // Summed as integers: the same line on any machine, whatever the order of the table.
  int64_t rssi_sum = 0;
  for (size_t i = 0; i <= floor.table.mask; i++) rssi_sum += floor.table.slots[i].rssi_sum;
  printf("{\"records\":%llu,\"reports\":%llu,\"beacons\":%llu,\"identities\":%zu,\"mean_rssi\":%.4f}\n",
         (unsigned long long)floor.records, (unsigned long long)floor.reports, (unsigned long long)floor.beacons,
         floor.table.used, floor.beacons ? (double)rssi_sum / (double)floor.beacons : 0.0);
  return 0;
}
