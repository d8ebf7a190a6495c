// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Makes the captures that the benches replay: btsnoop (datalink 1002), the same bytes for the same options on any machine.
//
//   make_capture [--reports N] [--identities N] [--uuids N] [--rate N] [--share PERCENT] [--seed N] OUT
//
// Each report is an LE Advertising Report event by itself, as most controllers send them. A share of them are iBeacons,
// drawn evenly from the identities; the others are as a phone receives them in a busy place: Apple's continuity messages,
// exposure notifications, Microsoft's connected devices, names, empty scan responses. A beacon's RSSI is a level of its
// own with a slow swing (people moving) and a noise of three uniform draws, about 4 dB wide.
//
// Identity n is UUID n % uuids (the first is F7826DA6-4FA2-4E98-8024-BC5B71E0893E, each next adds one to its last four
// bytes), major n / 1000 and minor n % 1000 of the rest.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btsnoop.h"

typedef struct {
  uint64_t reports, identities, uuids, rate, share, seed;
} Options;

// 2026-01-01T10:00:00Z in btsnoop's epoch, the year 0.
static const uint64_t FIRST_TIME = 0x00DCDDB30F2F8000u + 1767261600000000u;
static const uint8_t FIRST_UUID[16] = {
    0xF7, 0x82, 0x6D, 0xA6, 0x4F, 0xA2, 0x4E, 0x98, 0x80, 0x24, 0xBC, 0x5B, 0x71, 0xE0, 0x89, 0x3E,
};
static const uint8_t MEASURED_POWER = (uint8_t)-59;
// Kinds of report, as the event numbers them.
enum { ADV_IND = 0, ADV_NONCONN_IND = 3, SCAN_RSP = 4 };
enum { LARGEST_RECORD = RECORD_HEADER_SIZE + 4 + 1 + 10 + 31 };

static uint64_t state;

static uint64_t next_random(void) {  // SplitMix64
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static uint64_t mixed(uint64_t n) {
  n = (n ^ (n >> 33)) * 0xFF51AFD7ED558CCDu;
  n = (n ^ (n >> 33)) * 0xC4CEB9FE1A85EC53u;
  return n ^ (n >> 33);
}

static uint64_t below(uint64_t bound, uint64_t random) { return (uint64_t)(((__uint128_t)random * bound) >> 64); }

// An RSSI around the sender's own level, in whole dBm; integers only, so that every machine draws the same.
static int8_t rssi_of(uint64_t sender, uint64_t microseconds, uint64_t random) {
  const int level = -60 - (int)(mixed(sender ^ 0x5151) % 30);
  const int phase = (int)((microseconds / 1000 + mixed(sender) % 20000) % 20000);  // a swing every 20 s
  const int swing = (phase < 10000 ? phase : 20000 - phase) / 1250 - 4;            // -4 … +4 dB
  const int noise = (int)(random % 9 + (random >> 16) % 9 + (random >> 32) % 9) - 12;
  const int rssi = level + swing + noise / 2;
  return (int8_t)(rssi > -26 ? -26 : rssi < -104 ? -104 : rssi);
}

static size_t put(uint8_t *p, const void *bytes, size_t count) {
  memcpy(p, bytes, count);
  return count;
}

static size_t beacon_payload(uint8_t *p, uint64_t identity, uint64_t uuids) {
  static const uint8_t head[] = {0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15};
  const uint64_t rest = identity / uuids;
  size_t n = put(p, head, sizeof head);
  memcpy(p + n, FIRST_UUID, 12);
  write_be32(p + n + 12, read_be32(FIRST_UUID + 12) + (uint32_t)(identity % uuids));
  write_be32(p + n + 16, (uint32_t)(rest / 1000) << 16 | (uint32_t)(rest % 1000));
  p[n + 20] = MEASURED_POWER;
  return n + 21;
}

// Something that is not an iBeacon; its kind of report goes to `kind`.
static size_t other_payload(uint8_t *p, uint8_t *kind) {
  static const uint8_t nearby[] = {0x02, 0x01, 0x1A, 0x02, 0x0A, 0x0C, 0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05};
  static const uint8_t find_my[] = {0x1E, 0xFF, 0x4C, 0x00, 0x12, 0x19, 0x10};
  static const uint8_t exposure[] = {0x02, 0x01, 0x1A, 0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD};
  static const uint8_t connected[] = {0x1E, 0xFF, 0x06, 0x00, 0x01, 0x09, 0x20, 0x22};
  static const uint8_t named[] = {0x02, 0x01, 0x06, 0x0C, 0x09, 'T', 'h', 'e', 'r', 'm', 'o', 'm', 'e', 't', 'e', 'r'};
  const uint64_t random[3] = {next_random(), next_random(), next_random()};
  const uint64_t draw = random[0] % 100;
  *kind = ADV_IND;
  if (draw < 35) {
    const size_t n = put(p, nearby, sizeof nearby);
    return n + put(p + n, &random[1], 5);
  }
  if (draw < 50) {
    *kind = ADV_NONCONN_IND;
    const size_t n = put(p, find_my, sizeof find_my);
    return n + put(p + n, random, 24);
  }
  if (draw < 65) {
    *kind = ADV_NONCONN_IND;
    const size_t n = put(p, exposure, sizeof exposure);
    return n + put(p + n, random, 20);
  }
  if (draw < 80) {
    *kind = ADV_NONCONN_IND;
    const size_t n = put(p, connected, sizeof connected);
    return n + put(p + n, random, 23);
  }
  if (draw < 90) return put(p, named, sizeof named);
  *kind = SCAN_RSP;
  return 0;
}

// One record with one report; returns its size.
static size_t make_record(uint8_t *record, const Options *options, uint64_t index) {
  const uint64_t random = next_random();
  // Evenly spaced with a jitter that keeps the order.
  const uint64_t step = 1000000 / options->rate;
  const uint64_t elapsed = index * 1000000 / options->rate + (step > 1 ? below(step, next_random()) : 0);
  uint8_t *packet = record + RECORD_HEADER_SIZE;
  uint8_t *report = packet + 5;
  uint64_t sender;
  size_t length;
  if (random % 100 < options->share) {
    sender = below(options->identities, next_random());
    report[0] = ADV_NONCONN_IND;
    length = beacon_payload(report + 9, sender, options->uuids);
  } else {
    sender = 1u << 20 | (random >> 32) % 300;  // some 300 other devices around
    length = other_payload(report + 9, &report[0]);
  }
  report[1] = 1;  // a random address
  const uint64_t address = mixed(sender) | 0xC00000000000u;
  memcpy(report + 2, &address, 6);
  report[8] = (uint8_t)length;
  report[9 + length] = (uint8_t)rssi_of(sender, elapsed, next_random());

  const size_t size = 5 + 10 + length;
  packet[0] = H4_EVENT;
  packet[1] = EVENT_LE_META;
  packet[2] = (uint8_t)(size - 3);
  packet[3] = LE_ADVERTISING_REPORT;
  packet[4] = 1;
  uint8_t *p = write_be32(record, (uint32_t)size);
  p = write_be32(p, (uint32_t)size);
  p = write_be32(p, 3);  // received, an event
  p = write_be32(p, 0);
  write_be64(p, FIRST_TIME + elapsed);
  return RECORD_HEADER_SIZE + size;
}

static int make_capture(const Options *options, FILE *out) {
  uint8_t header[FILE_HEADER_SIZE] = "btsnoop";
  write_be32(write_be32(header + 8, 1), DATALINK_H4);
  fwrite(header, sizeof header, 1, out);
  state = options->seed;
  for (uint64_t index = 0; index < options->reports; index++) {
    uint8_t record[LARGEST_RECORD];
    fwrite(record, make_record(record, options, index), 1, out);
  }
  return ferror(out) || fclose(out) != 0;
}

static int usage(void) {
  fputs("usage: make_capture [--reports N] [--identities N] [--uuids N] [--rate N] [--share PERCENT] [--seed N] OUT\n",
        stderr);
  return 64;
}

int main(int argc, char **argv) {
  Options options = {.reports = 5000000, .identities = 200, .uuids = 1, .rate = 1000, .share = 50, .seed = 1};
  const struct {
    const char *name;
    uint64_t *value;
    uint64_t least, most;
  } known[] = {
      {"--reports", &options.reports, 0, 1000000000},   {"--identities", &options.identities, 1, 60000000},
      {"--uuids", &options.uuids, 1, 60000000},         {"--rate", &options.rate, 1, 1000000},
      {"--share", &options.share, 0, 100},              {"--seed", &options.seed, 0, UINT64_MAX},
  };
  if (argc % 2 != 0) return usage();
  for (int i = 1; i + 1 < argc; i += 2) {
    size_t k = 0;
    while (k < sizeof known / sizeof known[0] && strcmp(argv[i], known[k].name) != 0) k++;
    char *end;
    if (k == sizeof known / sizeof known[0]) return usage();
    *known[k].value = strtoull(argv[i + 1], &end, 10);
    if (*end != 0 || *known[k].value < known[k].least || *known[k].value > known[k].most) return usage();
  }
  FILE *out = fopen(argv[argc - 1], "wb");
  if (out == NULL || make_capture(&options, out) != 0) {
    perror(argv[argc - 1]);
    return 1;
  }
  return 0;
}
