// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Plays the kernel's HCI monitor channel with the hostile traffic of soak.h: one adapter hci0, AA:BB:CC:DD:EE:FF.
//
//   play_monitor --descriptor N --seconds S [--strangers TOTAL] [--rate STRANGERS_A_SECOND]
//
// It writes packets into a socket as the kernel would, waits for a slower reader, and drops nothing. The adapter is
// announced immediately; the traffic starts with a line on standard input. Of every eight strangers one also sends a packet that is
// malformed as a packet. It ends after the seconds and the total, whichever is later, and prints on one line its counts; 0
// strangers a second are as many as are read.

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak.h"

enum { HEADER = 6, ROOM = 6000, EVENT = 3, SLICE = 64 };
static int out = -1;
static uint64_t sent, malformed;

static void put(const uint8_t *bytes, size_t count) {
  while (send(out, bytes, count, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == ENOBUFS) { usleep(100); continue; }
    // The listener has ended.
    printf("gone %s\n", strerror(errno));
    exit(0);
  }
  sent++;
}

static void packet(unsigned opcode, unsigned adapter, const uint8_t *payload, size_t count) {
  uint8_t bytes[ROOM] = {(uint8_t)opcode, 0, (uint8_t)adapter, 0, (uint8_t)count, (uint8_t)(count >> 8)};
  memcpy(bytes + HEADER, payload, count);
  put(bytes, HEADER + count);
}

// An LE Advertising Report of one report; returns its length.
static size_t event(uint8_t *bytes, uint64_t address, const uint8_t *data, uint8_t count, int rssi) {
  const uint8_t head[] = {0x3E, (uint8_t)(12 + count), 0x02, 1, 3, 1};
  memcpy(bytes, head, sizeof head);
  for (int i = 0; i < 6; i++) bytes[6 + i] = (uint8_t)(address >> 8 * i);
  bytes[12] = count;
  memcpy(bytes + 13, data, count);
  bytes[13 + count] = (uint8_t)rssi;
  return 14u + count;
}

// Flags, and manufacturer data; returns its length. Where both do not fit, the flags are left out.
static uint8_t advertisement(uint8_t data[64], uint16_t company, const uint8_t *bytes, uint8_t count) {
  uint8_t *end = data;
  if (count <= 24) { *end++ = 2; *end++ = 1; *end++ = 6; }
  *end++ = (uint8_t)(3 + count);
  *end++ = 0xFF;
  *end++ = (uint8_t)company;
  *end++ = (uint8_t)(company >> 8);
  memcpy(end, bytes, count);
  return (uint8_t)(end + count - data);
}

static void tell_beacon(int major, int minor) {
  uint8_t frame[SOAK_FRAME], data[64], bytes[96];
  soak_frame(frame, SOAK_REAL, (unsigned)major, (unsigned)minor);
  const uint8_t count = advertisement(data, 0x004C, frame, SOAK_FRAME);
  const uint64_t address = 0xC00000000000u | (unsigned)major << 8 | (unsigned)minor;
  packet(EVENT, 0, bytes, event(bytes, address, data, count, -50 - (major * 7 + minor * 3) % 40));
}

static void tell_malformed(uint64_t number) {
  uint8_t data[64], bytes[ROOM] = {0};
  const struct soak_stranger it = soak_stranger(2 * number);
  const uint8_t count = advertisement(data, it.company, it.bytes, it.count);
  size_t length = event(bytes, soak_random(number), data, count, -80);
  malformed++;
  switch (number % 14) {
    case 0: packet(EVENT, 0, bytes, length - 7); return;                // cut before its end
    case 1: bytes[1] = 0xFF; break;                                     // longer than it is
    case 2: bytes[1] = 3; break;                                        // shorter than it is
    case 3: bytes[3] = 0; break;                                        // no report at all
    case 4: bytes[3] = 25; break;                                       // more reports than there are
    case 5: bytes[12] = 0xFF; break;                                    // data beyond the event
    case 6: bytes[13] = 0xFF; break;                                    // a structure beyond the data
    case 7: bytes[13] = 0; break;                                       // a structure of no length
    case 8: bytes[length - 1] = 127; break;                             // no signal strength
    case 9: packet(EVENT, 0, bytes, 5000); return;                      // longer than any packet
    case 10: put(bytes, 3); return;                                     // not even a header
    case 11: put((const uint8_t[]){3, 0, 0, 0, 200, 0, 0x3E, 1, 2}, 9); return;  // a header that lies
    case 12: packet(EVENT, 9, bytes, length); return;                   // of an adapter that is not there
    default: {
      // An extended report of which more is to come, and never does.
      const uint8_t head[] = {0x3E, 27, 0x0D, 1, 0x20, 0, 1};
      memcpy(bytes, head, sizeof head);
      memset(bytes + 7, (int)number, 6);
      memset(bytes + 13, 0, 12);
      bytes[24] = 3;
      length = 28;
    }
  }
  packet(EVENT, 0, bytes, length);
}

static void tell_stranger(uint64_t number) {
  uint8_t data[64], bytes[128];
  const struct soak_stranger it = soak_stranger(number);
  const uint8_t count = advertisement(data, it.company, it.bytes, it.count);
  packet(EVENT, 0, bytes, event(bytes, soak_random(number) & 0x3FFFFFFFFFFF, data, count, -60 - (int)(number % 35)));
  if (number % 8 == 0) tell_malformed(number / 8);
}

static void tell_adapter(void) {
  const uint8_t address[] = {0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA};
  uint8_t found[16] = {0, 1}, known[8] = {0};
  memcpy(found + 2, address, 6);
  memcpy(found + 8, "hci0", 4);
  memcpy(known, address, 6);
  packet(0, 0, found, sizeof found);
  packet(8, 0, NULL, 0);
  packet(10, 0, known, sizeof known);
}

int main(int argc, char **argv) {
  double seconds = 10, rate = 0;
  uint64_t total = 0, strangers = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--descriptor")) out = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
    else if (!strcmp(argv[i], "--strangers")) total = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--rate")) rate = atof(argv[i + 1]);
    else { fprintf(stderr, "play_monitor: no option %s\n", argv[i]); return 64; }
  }
  if (out < 0) { fputs("usage: play_monitor --descriptor N --seconds S [--strangers N] [--rate R]\n", stderr); return 64; }
  tell_adapter();
  puts("ready");
  fflush(stdout);
  if (getchar() == EOF) return 0;

  const uint64_t start = soak_clock(CLOCK_MONOTONIC);
  double time = 0;
  while (time < seconds || strangers < total) {
    soak_beacons(time, tell_beacon);
    for (int i = 0; i < SLICE && (rate == 0 || (double)strangers < time * rate); i++) tell_stranger(strangers++);
    if (rate > 0 && (double)strangers >= time * rate) usleep(500);
    time = (double)(soak_clock(CLOCK_MONOTONIC) - start) / 1e6;
  }
  printf("sent %llu strangers in %.3f s, %llu packets, %llu of them malformed\n", (unsigned long long)strangers, time,
         (unsigned long long)sent, (unsigned long long)malformed);
  fflush(stdout);
  return 0;
}
