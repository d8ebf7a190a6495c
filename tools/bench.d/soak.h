// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// The hostile traffic of both players of the soak bench: real beacons, strangers, and invalid frames.
//
// Real beacons come and go by the clock: 10 regions (majors 1 to 10 of one UUID) of 30 beacons, each sent every 350 ms
// while its region is there, 30 s of every 65 s. The times of sending are printed on standard output, in microseconds of the wall
// clock: `on REGION TIME` for a region's first report, `off REGION TIME,TIME,…` for the last one of each of its beacons.
//
// A stranger is an address that was never there before, and sends one report: every second one an iBeacon of a UUID that is
// watched, with a new major and minor; the others frames that claim to be beacons and are none, or are of something else.

#ifndef SOAK_H
#define SOAK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SOAK_REGIONS = 10, SOAK_BEACONS = 30, SOAK_FRAME = 23, SOAK_MOST = 31 };
static const double SOAK_CYCLE = 65, SOAK_STAY = 30, SOAK_INTERVAL = 0.35;
static const uint8_t SOAK_REAL = 0x42, SOAK_CROWD = 0x43;

static uint64_t soak_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t soak_random(uint64_t number) {
  // SplitMix64: the same traffic in every run.
  uint64_t z = (number + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

// An iBeacon frame as manufacturer data, without the company.
static void soak_frame(uint8_t bytes[SOAK_FRAME], uint8_t uuid, unsigned major, unsigned minor) {
  memset(bytes, uuid, SOAK_FRAME);
  bytes[0] = 0x02;
  bytes[1] = 0x15;
  bytes[18] = (uint8_t)(major >> 8);
  bytes[19] = (uint8_t)major;
  bytes[20] = (uint8_t)(minor >> 8);
  bytes[21] = (uint8_t)minor;
  bytes[22] = (uint8_t)-59;
}

// A stranger's manufacturer data: the company, and how many bytes of it there are.
struct soak_stranger { uint16_t company; uint8_t count, bytes[SOAK_MOST]; };

static struct soak_stranger soak_stranger(uint64_t number) {
  const uint64_t chance = soak_random(number ^ 0x5A5A5A5A);
  struct soak_stranger it = {.company = 0x004C, .count = SOAK_FRAME};
  soak_frame(it.bytes, SOAK_CROWD, (unsigned)chance & 0xFFFF, (unsigned)(chance >> 16) & 0xFFFF);
  if (number % 2 == 0) return it;
  switch (number / 2 % 9) {
    case 0: it.count = 22; break;                                    // an iBeacon cut short by one byte
    case 1: it.count = 25; break;                                    // two bytes too long
    case 2: it.bytes[1] = 0x14; break;                               // another length than it says
    case 3: it.bytes[0] = 0x10; it.bytes[1] = 5; it.count = 7; break;  // Apple's, and no beacon
    case 4: it.company = 0x0118; it.bytes[0] = 0xBE; it.bytes[1] = 0xAC; it.count = 26; break;  // AltBeacon
    case 5: it.count = 2; break;                                     // the type alone
    case 6: it.count = 0; break;                                     // the company alone
    case 7: it.company = (uint16_t)chance; break;                    // somebody's
    default: memcpy(it.bytes + 2, &chance, sizeof chance); break;    // an iBeacon nobody asked for
  }
  return it;
}

struct soak_region { int is_there; double next[SOAK_BEACONS]; uint64_t last[SOAK_BEACONS]; };
static struct soak_region soak_regions[SOAK_REGIONS];

static int soak_is_there(int region, double time) {
  const double turn = time + (double)region * SOAK_CYCLE / SOAK_REGIONS;
  return turn - SOAK_CYCLE * (double)(long)(turn / SOAK_CYCLE) < SOAK_STAY;
}

static void soak_leave(int region, struct soak_region *it) {
  printf("off %d ", region + 1);
  for (int i = 0; i < SOAK_BEACONS; i++) printf("%s%llu", i ? "," : "", (unsigned long long)it->last[i]);
  putchar('\n');
  fflush(stdout);
  memset(it->last, 0, sizeof it->last);
}

// Sends the reports of the real beacons that are due at a time in seconds; `tell` sends one of a major and a minor.
static void soak_beacons(double time, void (*tell)(int major, int minor)) {
  for (int region = 0; region < SOAK_REGIONS; region++) {
    struct soak_region *it = &soak_regions[region];
    const int is_there = soak_is_there(region, time);
    if (!is_there && it->is_there) soak_leave(region, it);
    const int is_new = is_there && !it->is_there;
    it->is_there = is_there;
    for (int i = 0; is_there && i < SOAK_BEACONS; i++) {
      if (is_new) it->next[i] = time + SOAK_INTERVAL * i / SOAK_BEACONS;
      if (it->next[i] > time) continue;
      // A delayed player does not send the missed reports in a burst.
      it->next[i] = it->next[i] + SOAK_INTERVAL > time ? it->next[i] + SOAK_INTERVAL : time + SOAK_INTERVAL;
      it->last[i] = soak_clock(CLOCK_REALTIME);
      tell(region + 1, i + 1);
      if (is_new && i == 0) {
        printf("on %d %llu\n", region + 1, (unsigned long long)it->last[i]);
        fflush(stdout);
      }
    }
  }
}

#endif
