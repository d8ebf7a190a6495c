// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.
//
// A Bluetooth LE controller made of a script: it answers the kernel's HCI commands and, while scanning is on, reports
// the advertisements of its schedule. It is attached by /dev/vhci or, if the kernel lacks it, as a UART's controller
// by a separate terminal (line discipline N_HCI, protocol H4). The bytes are the same in both.
//
//   controller SCHEDULE LOG      words on standard input steer it:  air | unplug | plug | (end of input: leave)
//
// SCHEDULE (made by air.py from a scenario; times in microseconds since the word `air`):
//   controller ADDRESS legacy|extended absent|strict
//   deaf AFTER scan|power|never    from that time on reports nothing, until discovery is started again, the power is cycled,
//                                  or for ever; during a discovery the kernel itself starts the scan again
//   payload HEX                    numbered from 0 in the order given
//   strangers RATE UUID            so many a second, each with one packet of a new address: by turns an iBeacon of the UUID
//                                  with a new major and minor, and a report that is malformed; only their number is logged
//   beacon NAME ADDRESS public|random EVENT INTERVAL FROM UNTIL RESPONSE LAW A B PERIOD PAYLOAD...
//   hears NAME, sends NAME         packets that another controller is commanded to advertise come over the air of this name:
//                                  one controller sends them, which is to be the legacy kind, the other receives them
//   packet TIME NAME ADDRESS public|random EVENT RSSI PAYLOAD
// EVENT is the legacy event type (0 connectable, 2 scannable, 3 neither, 4 scan response). RESPONSE is the payload of
// the scan response or -1. LAW is constant (A), jitter (A plus or minus B), steps (A and B by turns, PERIOD each) or
// ramp (from A to B within PERIOD, from FROM on). Several payloads take turns.
//
// LOG: JSON Lines, `mono` and `wall` in microseconds. Every packet on the air is there with its fate (`sent`,
// `filtered` by the duplicate filter, `unscanned`, `deaf`, `unplugged`): the truth to compare a host's results with. A
// packet that another controller advertises is in the log of the receiving one.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PAYLOAD = 31, MAX_TURNS = 8, NAME_SIZE = 32 };
// Of linux/tty.h and the kernel's hci_uart.h, which programs do not get.
enum { LINE_OF_HCI = 15, PROTOCOL_H4 = 0, RESET_ON_INIT = 1 << 1 };
#define HCI_UART_SET_PROTOCOL _IOW('U', 200, int)
#define HCI_UART_GET_DEVICE _IOR('U', 202, int)
#define HCI_UART_SET_FLAGS _IOW('U', 203, int)
enum { EVENT_CONNECTABLE = 0, EVENT_SCANNABLE = 2, EVENT_SCAN_RESPONSE = 4 };

// A radio that was delayed for longer than this has missed its packets: no radio sends them in a burst.
static const int64_t LATEST_PACKET = 250000;
// A little less than the time after which the kernel starts the scan again.
static const int64_t KERNEL_SCAN = 10000000;

struct payload { uint8_t length, bytes[MAX_PAYLOAD]; };

// The key of a transmitter in the duplicate filter.
struct device { uint8_t address[6], random; uint64_t reported_in, response_in; };

enum law { CONSTANT, JITTER, STEPS, RAMP };

struct beacon {
  char name[NAME_SIZE];
  size_t device;
  uint8_t event;
  int64_t interval, from, until, next;
  int response, turns[MAX_TURNS], turn_count;
  enum law law;
  int a, b;
  int64_t period;
  uint64_t packets, random;
};

struct packet { int64_t time; char name[NAME_SIZE]; size_t device; uint8_t event; int rssi, payload; };

static struct payload *payloads;
static struct device *devices;
static struct beacon *beacons;
static struct packet *packets;
static size_t payload_count, device_count, beacon_count, packet_count, next_packet;

static struct {
  uint8_t address[6];
  bool extended, strict;
  int64_t deaf_after;          // 0: never
  enum { UNTIL_SCAN, UNTIL_POWER, UNTIL_NEVER } deaf_until;
} controller = {.address = {1, 2, 3, 0xAA, 0xBB, 0}};

static struct {
  bool on, active, filter, extended;
  uint64_t generation;         // of the duplicate filter: a new scan begins with an empty one
  int64_t since;
} scan = {.generation = 1};

static struct { int64_t rate; uint8_t uuid[16]; uint64_t sent; } strangers;

// The kernel's advertising commands to this controller, and the air that it shares with another one.
static struct {
  bool on, random;
  uint8_t own[6], type, length, bytes[MAX_PAYLOAD];
  int64_t interval, next;
  uint64_t seed;
} advertising;
static int hears = -1, sends = -1;

// A packet on that air.
struct heard { uint8_t address[6], random, event, length, bytes[MAX_PAYLOAD]; };
// The strength with which it is received.
enum { HEARD_RSSI = -55 };

static int vhci = -1;           // or the terminal's controlling end
static int slave = -1;          // the terminal's other end, which the kernel's line discipline holds
static FILE *events;
static int64_t air = -1;       // the monotonic time of the word `air`
static bool deaf, recovered;   // a controller that recovered never goes deaf again

// MARK: time, faults, log

static int64_t clock_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t now_monotonic(void) { return clock_now(CLOCK_MONOTONIC); }

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("controller: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  if (events) fflush(events);
  exit(1);
}

__attribute__((format(printf, 2, 3))) static void note(const char *type, const char *format, ...) {
  va_list arguments;
  fprintf(events, "{\"type\":\"%s\",\"mono\":%" PRId64 ",\"wall\":%" PRId64, type, now_monotonic(),
          clock_now(CLOCK_REALTIME));
  va_start(arguments, format);
  vfprintf(events, format, arguments);
  va_end(arguments);
  fputs("}\n", events);
}

static void *grown(void *array, size_t count, size_t size) {
  // In powers of two from 16: doubling only when full.
  if (count != 0 && (count < 16 || (count & (count - 1)) != 0)) return array;
  void *bigger = realloc(array, (count < 16 ? 16 : count * 2) * size);
  if (!bigger) fail("out of memory");
  return bigger;
}

// MARK: the schedule

static long line_number;

static char *word(void) {
  char *next = strtok(NULL, " \n");
  if (!next) fail("schedule line %ld ends too early", line_number);
  return next;
}

static int64_t number(void) {
  char *text = word(), *end;
  int64_t value = strtoll(text, &end, 10);
  if (*end) fail("schedule line %ld: '%s' is no number", line_number, text);
  return value;
}

static size_t payload_index(int64_t value) {
  if (value < 0 || (size_t)value >= payload_count) fail("schedule line %ld: no payload %" PRId64, line_number, value);
  return (size_t)value;
}

static uint8_t parse_event(void) {
  int64_t event = number();
  if (event < EVENT_CONNECTABLE || event > EVENT_SCAN_RESPONSE) fail("schedule line %ld: no such event", line_number);
  return (uint8_t)event;
}

static void parse_address(const char *text, uint8_t address[6]) {
  unsigned octets[6];
  if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", octets, octets + 1, octets + 2, octets + 3, octets + 4, octets + 5) != 6)
    fail("schedule line %ld: '%s' is no address", line_number, text);
  for (int i = 0; i < 6; i++) address[5 - i] = (uint8_t)octets[i];
}

static size_t parse_device(void) {
  struct device new = {0};
  parse_address(word(), new.address);
  new.random = strcmp(word(), "random") == 0;
  for (size_t i = 0; i < device_count; i++)
    if (!memcmp(devices[i].address, new.address, 6) && devices[i].random == new.random) return i;
  devices = grown(devices, device_count, sizeof *devices);
  devices[device_count] = new;
  return device_count++;
}

static void parse_payload(void) {
  struct payload new = {0};
  for (const char *hex = word(); *hex && hex[1]; hex += 2) {
    unsigned octet;
    if (new.length == MAX_PAYLOAD || sscanf(hex, "%2x", &octet) != 1)
      fail("schedule line %ld: no legacy payload", line_number);
    new.bytes[new.length++] = (uint8_t)octet;
  }
  payloads = grown(payloads, payload_count, sizeof *payloads);
  payloads[payload_count++] = new;
}

static enum law parse_law(void) {
  static const char *const names[] = {"constant", "jitter", "steps", "ramp"};
  const char *text = word();
  for (enum law law = CONSTANT; law <= RAMP; law++)
    if (!strcmp(text, names[law])) return law;
  fail("schedule line %ld: no law '%s'", line_number, text);
}

static void parse_beacon(void) {
  struct beacon new = {0};
  snprintf(new.name, sizeof new.name, "%s", word());
  new.device = parse_device();
  new.event = parse_event();
  new.interval = number();
  new.from = new.next = number();
  new.until = number();
  new.response = (int)number();
  if (new.response >= 0) payload_index(new.response);
  new.law = parse_law();
  new.a = (int)number();
  new.b = (int)number();
  new.period = number();
  if (new.interval <= 0 || new.period <= 0) fail("schedule line %ld: times must be above 0", line_number);
  for (char *text; (text = strtok(NULL, " \n"));) {
    if (new.turn_count == MAX_TURNS) fail("schedule line %ld: more than %d payloads", line_number, MAX_TURNS);
    new.turns[new.turn_count++] = (int)payload_index(atoll(text));
  }
  if (new.turn_count == 0) fail("schedule line %ld: no payload", line_number);
  new.random = beacon_count + 1;
  beacons = grown(beacons, beacon_count, sizeof *beacons);
  beacons[beacon_count++] = new;
}

static void parse_packet(void) {
  struct packet new = {.time = number()};
  snprintf(new.name, sizeof new.name, "%s", word());
  new.device = parse_device();
  new.event = parse_event();
  new.rssi = (int)number();
  new.payload = (int)payload_index(number());
  if (packet_count && packets[packet_count - 1].time > new.time)
    fail("schedule line %ld: packets out of order", line_number);
  packets = grown(packets, packet_count, sizeof *packets);
  packets[packet_count++] = new;
}

static void parse_controller(void) {
  parse_address(word(), controller.address);
  controller.extended = !strcmp(word(), "extended");
  controller.strict = !strcmp(word(), "strict");
}

static int shared_air(const char *name, bool receives) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "beacons-air-%s", name);
  int air = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  struct sockaddr *place = (struct sockaddr *)&address;
  if (air < 0 || (receives ? bind(air, place, size) : connect(air, place, size)))
    fail("the air %s: %s", name, strerror(errno));
  return air;
}

static void read_schedule(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail("%s: %s", path, strerror(errno));
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, file) >= 0) {
    line_number++;
    char *first = strtok(line, " \n");
    if (!first) continue;
    if (!strcmp(first, "controller")) parse_controller();
    else if (!strcmp(first, "payload")) parse_payload();
    else if (!strcmp(first, "beacon")) parse_beacon();
    else if (!strcmp(first, "packet")) parse_packet();
    else if (!strcmp(first, "hears")) hears = shared_air(word(), true);
    else if (!strcmp(first, "sends")) sends = shared_air(word(), false);
    else if (!strcmp(first, "deaf")) {
      controller.deaf_after = number();
      const char *until = word();
      controller.deaf_until = !strcmp(until, "scan") ? UNTIL_SCAN : !strcmp(until, "power") ? UNTIL_POWER : UNTIL_NEVER;
    } else if (!strcmp(first, "strangers")) {
      strangers.rate = number();
      const char *hex = word();
      for (int i = 0; i < 16; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], 0};
        strangers.uuid[i] = (uint8_t)strtoul(digits, NULL, 16);
      }
    } else fail("schedule line %ld: no word '%s'", line_number, first);
  }
  free(line);
  fclose(file);
}

// MARK: answers to the kernel

static void put(const uint8_t *bytes, size_t count) {
  // The kernel accepts a whole packet or nothing; a refused packet is logged.
  if (write(vhci, bytes, count) != (ssize_t)count) note("refused", ",\"error\":\"%s\"", strerror(errno));
}

static void complete(uint16_t opcode, const uint8_t *returned, size_t count) {
  uint8_t event[4 + 3 + 255] = {0x04, 0x0E, (uint8_t)(3 + count), 1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
  memcpy(event + 6, returned, count);
  put(event, 6 + count);
}

static void refuse(uint16_t opcode) {
  const uint8_t event[] = {0x04, 0x0F, 4, 0x0C /* command disallowed */, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
  put(event, sizeof event);
}

static void recover(int by) {
  if (!deaf || (int)controller.deaf_until != by) return;
  deaf = false;
  recovered = true;
  note("recovered", "%s", "");
}

static void set_scan(bool on, bool filter, bool extended) {
  scan.on = on;
  scan.filter = filter && controller.strict;
  scan.extended = extended;
  scan.generation++;
  // By itself the kernel scans for 10.24 s and starts again; an earlier end means the end of the discovery.
  if (!on && now_monotonic() - scan.since < KERNEL_SCAN) recover(UNTIL_SCAN);
  scan.since = now_monotonic();
  note("scan", ",\"on\":%s,\"filter_duplicates\":%s,\"active\":%s,\"extended\":%s", on ? "true" : "false",
       filter ? "true" : "false", scan.active ? "true" : "false", extended ? "true" : "false");
}

static void set_advertising(bool on) {
  advertising.on = on;
  advertising.next = now_monotonic();
  note("advertising", ",\"on\":%s,\"interval\":%" PRId64 ",\"kind\":%d", on ? "true" : "false", advertising.interval,
       advertising.type);
}

static void set_advertising_data(const uint8_t *given, size_t count) {
  if (count < 1 || given[0] > MAX_PAYLOAD || count < 1u + given[0]) return;
  advertising.length = given[0];
  memcpy(advertising.bytes, given + 1, given[0]);
}

static void set_advertising_parameters(const uint8_t *given) {
  // In units of 625 us. Of the range that is demanded, controllers take the shortest.
  advertising.interval = (given[0] | given[1] << 8) * 625;
  // Its type is numbered as those of reports, but for an answer to a scan.
  advertising.type = given[4];
  advertising.random = given[5] & 1;
}

static void reset(void) {
  scan.on = scan.active = advertising.on = false;
  recover(UNTIL_POWER);
  note("reset", "%s", "");
}

// Status 0 and what follows it.
#define ANSWER(...)                              \
  do {                                           \
    const uint8_t answer[] = {0, __VA_ARGS__};   \
    complete(opcode, answer, sizeof answer);     \
    return;                                      \
  } while (0)

static void answer_command(uint16_t opcode, const uint8_t *given, size_t count) {
  uint8_t zeros[250] = {0};
  switch (opcode) {
    // Beacons need no connections.
    case 0x0406: case 0x200D: case 0x2016: case 0x2019: case 0x2043: refuse(opcode); return;
    case 0x0C03: reset(); break;
    case 0x0C14: complete(opcode, zeros, 249); return;                              // local name
    case 0x1001: ANSWER(controller.extended ? 9 : 8, 0, 0, controller.extended ? 9 : 8, 0xF1, 0x05, 0, 0);  // version
    case 0x1002:                                                                    // supported commands
      zeros[1 + 25] = 0x17; zeros[1 + 26] = 0xCC; zeros[1 + 27] = 0x03;
      if (controller.extended) zeros[1 + 37] = 0x60;
      complete(opcode, zeros, 65);
      return;
    case 0x1003: ANSWER(0, 0, 0, 0, 0x60, 0, 0, 0);                                 // LE, no BR/EDR
    case 0x1004: ANSWER(count ? given[0] : 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);           // no extended features
    case 0x1005: ANSWER(0, 0, 0, 0, 0, 0, 0);                                       // no BR/EDR buffers
    case 0x1009:
      memcpy(zeros + 1, controller.address, 6);
      complete(opcode, zeros, 7);
      return;
    case 0x2002: ANSWER(251, 0, 8);                                                 // LE buffers
    case 0x2003: ANSWER(0, controller.extended ? 0x10 : 0, 0, 0, 0, 0, 0, 0);       // LE features
    case 0x2007: ANSWER(0);                                                         // advertising power
    case 0x200F: case 0x202A: ANSWER(8);                                            // list sizes
    case 0x2017: complete(opcode, zeros, 17); return;                               // encrypt
    case 0x2018:                                                                    // random number
      if (getrandom(zeros + 1, 8, 0) != 8) fail("no random numbers");
      complete(opcode, zeros, 9);
      return;
    case 0x201C: ANSWER(255, 255, 255, 255, 255, 3, 0, 0);                          // states
    case 0x2023: ANSWER(27, 0, 0x48, 1);                                            // data lengths
    case 0x202F: ANSWER(27, 0, 0x48, 1, 27, 0, 0x48, 1);
    case 0x2036: ANSWER(0);                                                         // extended advertising
    case 0x203A: ANSWER(31, 0);
    case 0x203B: ANSWER(1);
    case 0x2005: if (count >= 6) memcpy(advertising.own, given, 6); break;
    case 0x2006: if (count >= 15) set_advertising_parameters(given); break;
    case 0x2008: set_advertising_data(given, count); break;
    case 0x200A: if (count >= 1) set_advertising(given[0]); break;
    case 0x200B: if (count >= 1) scan.active = given[0] == 1; break;
    case 0x2041: if (count >= 4) scan.active = given[3] == 1; break;
    case 0x200C: case 0x2042: if (count >= 2) set_scan(given[0], given[1], opcode == 0x2042); break;
    default: break;
  }
  ANSWER();
}

// How long the packet is that begins here; 0 if that cannot be seen yet.
static size_t length_of(const uint8_t *bytes, size_t count) {
  if (count < 4) return 0;
  switch (bytes[0]) {
    case 0x01: return 4u + bytes[3];                                                // a command
    case 0xFF: return 4;                                                            // of /dev/vhci: the new device's number
    case 0x02: return count < 5 ? 0 : 5u + (bytes[3] | (size_t)bytes[4] << 8);      // data
    default: return 4u + bytes[3];
  }
}

static uint8_t received[8192];
static size_t received_count;

// A terminal gives bytes as they come: several packets together, or a part of one.
static void hear_kernel(void) {
  ssize_t count = read(vhci, received + received_count, sizeof received - received_count);
  if (count <= 0) return;
  received_count += (size_t)count;
  size_t done = 0, length;
  while ((length = length_of(received + done, received_count - done)) && length <= received_count - done) {
    const uint8_t *packet = received + done;
    if (packet[0] == 0xFF) note("plugged", ",\"index\":%d", packet[2] | packet[3] << 8);
    if (packet[0] == 0x01) answer_command((uint16_t)(packet[1] | packet[2] << 8), packet + 4, length - 4);
    done += length;
  }
  received_count -= done;
  memmove(received, received + done, received_count);
  if (received_count == sizeof received) fail("a packet too long");
}

static void attach_terminal(void) {
  vhci = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (vhci < 0 || grantpt(vhci) || unlockpt(vhci)) fail("no terminal: %s", strerror(errno));
  slave = open(ptsname(vhci), O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios settings;
  if (slave < 0 || tcgetattr(slave, &settings)) fail("no terminal: %s", strerror(errno));
  cfmakeraw(&settings);
  if (tcsetattr(slave, TCSANOW, &settings)) fail("the terminal: %s", strerror(errno));
  int discipline = LINE_OF_HCI;
  if (ioctl(slave, TIOCSETD, &discipline)) fail("the kernel has neither /dev/vhci nor N_HCI: %s", strerror(errno));
  if (ioctl(slave, HCI_UART_SET_FLAGS, RESET_ON_INIT)) fail("its flags: %s", strerror(errno));
  if (ioctl(slave, HCI_UART_SET_PROTOCOL, PROTOCOL_H4)) fail("protocol H4: %s", strerror(errno));
  note("plugged", ",\"index\":%d", ioctl(slave, HCI_UART_GET_DEVICE));
}

static void plug(void) {
  if (vhci >= 0) return;
  received_count = 0;
  vhci = open("/dev/vhci", O_RDWR | O_CLOEXEC);
  if (vhci < 0 && errno == ENOENT) {
    attach_terminal();
    return;
  }
  if (vhci < 0) fail("/dev/vhci: %s", strerror(errno));
  const uint8_t create[] = {0xFF, 0x00};
  put(create, sizeof create);
}

static void unplug(void) {
  if (vhci < 0) return;
  if (slave >= 0) close(slave);
  close(vhci);
  vhci = slave = -1;
  scan.on = scan.active = advertising.on = false;
  recover(UNTIL_POWER);
  note("unplugged", "%s", "");
}

// MARK: the air

static void log_payload(size_t number) {
  char hex[2 * MAX_PAYLOAD + 1] = "";
  const struct payload *payload = &payloads[number];
  for (int byte = 0; byte < payload->length; byte++) sprintf(hex + 2 * byte, "%02x", payload->bytes[byte]);
  note("payload", ",\"number\":%zu,\"ad\":\"%s\"", number, hex);
}

static int strength(struct beacon *beacon, int64_t time) {
  switch (beacon->law) {
    case JITTER: {
      // SplitMix64, seeded by the beacon's number: the same packets in every run.
      uint64_t z = beacon->random += 0x9E3779B97F4A7C15;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
      z = (z ^ z >> 27) * 0x94D049BB133111EB;
      return beacon->a - beacon->b + (int)((z ^ z >> 31) % (uint64_t)(2 * beacon->b + 1));
    }
    case STEPS: return time / beacon->period % 2 ? beacon->b : beacon->a;
    case RAMP: {
      int64_t passed = time - beacon->from;
      if (passed >= beacon->period) return beacon->b;
      return beacon->a + (int)((beacon->b - beacon->a) * passed / beacon->period);
    }
    case CONSTANT: break;
  }
  return beacon->a;
}

static void report(const struct device *device, uint8_t event, bool of_scannable, const struct payload *payload,
                   int rssi) {
  uint8_t packet[3 + 2 + 24 + MAX_PAYLOAD + 1] = {0x04, 0x3E};
  uint8_t *end = packet + 3;
  if (scan.extended) {
    // The type of a legacy packet in an extended report: bit 4, and the packet's properties.
    static const uint8_t types[] = {0x13, 0x15, 0x12, 0x10, 0x1B};
    const uint8_t head[] = {0x0D, 1, of_scannable ? 0x1A : types[event], 0, device->random};
    const uint8_t tail[] = {1, 0, 0xFF, 127, (uint8_t)rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0, payload->length};
    end = mempcpy(mempcpy(mempcpy(end, head, sizeof head), device->address, 6), tail, sizeof tail);
    end = mempcpy(end, payload->bytes, payload->length);
  } else {
    const uint8_t head[] = {0x02, 1, event, device->random};
    end = mempcpy(mempcpy(end, head, sizeof head), device->address, 6);
    *end++ = payload->length;
    end = mempcpy(end, payload->bytes, payload->length);
    *end++ = (uint8_t)rssi;
  }
  packet[2] = (uint8_t)(end - packet - 3);
  put(packet, (size_t)(end - packet));
}

static const char *fate_of(struct device *device, uint8_t event) {
  if (vhci < 0) return "unplugged";
  if (!scan.on) return "unscanned";
  // In a passive scan no scan response is requested.
  if (event == EVENT_SCAN_RESPONSE && !scan.active) return "unscanned";
  if (deaf) return "deaf";
  uint64_t *reported = event == EVENT_SCAN_RESPONSE ? &device->response_in : &device->reported_in;
  if (scan.filter && *reported == scan.generation) return "filtered";
  *reported = scan.generation;
  return "sent";
}

// `of_scannable`: a scan response to a scannable packet, which extended reports tell from one to a connectable packet.
static void transmit(const char *name, size_t device, uint8_t event, bool of_scannable, int payload, int rssi) {
  const char *fate = fate_of(&devices[device], event);
  // First the time for the log, then the packet: the host can only be later.
  note("packet", ",\"beacon\":\"%s\",\"device\":%zu,\"event\":%d,\"rssi\":%d,\"payload\":%d,\"fate\":\"%s\"", name,
       device, event, rssi, payload, fate);
  if (!strcmp(fate, "sent")) report(&devices[device], event, of_scannable, &payloads[payload], rssi);
}

static void transmit_beacon(struct beacon *beacon, int64_t time) {
  int payload = beacon->turns[beacon->packets++ % (uint64_t)beacon->turn_count];
  int rssi = strength(beacon, time);
  transmit(beacon->name, beacon->device, beacon->event, false, payload, rssi);
  bool scannable = beacon->event == EVENT_SCANNABLE;
  if (beacon->response >= 0)
    transmit(beacon->name, beacon->device, EVENT_SCAN_RESPONSE, scannable, beacon->response, rssi);
}

static void transmit_stranger(void) {
  const uint64_t number = strangers.sent++;
  if (vhci < 0 || !scan.on || deaf) return;
  // Header, event, one legacy report, flags and a frame.
  uint8_t packet[3 + 12 + 30 + 1] = {0x04, 0x3E, 43, 0x02, 1, 3, 1};
  for (int i = 0; i < 6; i++) packet[7 + i] = (uint8_t)(number >> 8 * i);
  packet[12] |= 0xC0;
  packet[13] = 30;
  memcpy(packet + 14, (const uint8_t[]){2, 1, 6, 26, 0xFF, 0x4C, 0, 0x02, 0x15}, 9);
  memcpy(packet + 23, strangers.uuid, 16);
  for (int i = 0; i < 4; i++) packet[39 + i] = (uint8_t)(number >> 8 * (3 - i));
  packet[43] = (uint8_t)-59;
  packet[44] = (uint8_t)-70;
  size_t count = 45;
  packet[2] = (uint8_t)(count - 3);
  if (number % 2) switch (number / 2 % 6) {
    case 0: packet[17] = 27; break;                  // a structure beyond the data
    case 1: packet[22] = 0x14; break;                // a frame with another length
    case 2: packet[13] = 0xFF; break;                // data beyond the event
    case 3: packet[4] = 0; break;                    // no report at all
    case 4: packet[4] = 9; break;                    // more reports than there are
    default: count = 20; packet[2] = 17; break;      // an event that ends in the middle
  }
  put(packet, count);
}

// Sends the strangers that are due; answers when the next is.
static int64_t run_strangers(int64_t time) {
  if (!strangers.rate) return INT64_MAX;
  int64_t due = time * strangers.rate / 1000000;
  // A delayed radio has missed its packets, as a delayed beacon has.
  if (due - (int64_t)strangers.sent > strangers.rate / 4) strangers.sent = (uint64_t)due;
  while ((int64_t)strangers.sent <= due) transmit_stranger();
  return ((int64_t)strangers.sent * 1000000 + strangers.rate - 1) / strangers.rate;
}

// Sends what this controller advertises; answers when the next packet is.
static int64_t run_advertising(int64_t now) {
  if (!advertising.on || sends < 0 || advertising.interval <= 0) return INT64_MAX;
  if (advertising.next > now) return advertising.next;
  // A controller that was delayed for long has missed its packets.
  if (now - advertising.next > LATEST_PACKET) advertising.next = now;
  struct heard packet = {.random = advertising.random, .event = advertising.type, .length = advertising.length};
  memcpy(packet.address, advertising.random ? advertising.own : controller.address, 6);
  memcpy(packet.bytes, advertising.bytes, advertising.length);
  if (send(sends, &packet, sizeof packet, 0) < 0) note("unheard", ",\"error\":\"%s\"", strerror(errno));
  // After each interval there is a delay of up to 10 ms at random, as the specification demands.
  uint64_t z = advertising.seed += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  advertising.next += advertising.interval + (int64_t)((z ^ z >> 27) % 10001);
  return advertising.next;
}

static int heard_payload(const struct heard *packet) {
  for (size_t i = 0; i < payload_count; i++)
    if (payloads[i].length == packet->length && !memcmp(payloads[i].bytes, packet->bytes, packet->length)) return (int)i;
  struct payload new = {.length = packet->length};
  memcpy(new.bytes, packet->bytes, packet->length);
  payloads = grown(payloads, payload_count, sizeof *payloads);
  payloads[payload_count] = new;
  log_payload(payload_count);
  return (int)payload_count++;
}

static size_t heard_device(const struct heard *packet) {
  for (size_t i = 0; i < device_count; i++)
    if (!memcmp(devices[i].address, packet->address, 6) && devices[i].random == packet->random) return i;
  devices = grown(devices, device_count, sizeof *devices);
  devices[device_count] = (struct device){.random = packet->random};
  memcpy(devices[device_count].address, packet->address, 6);
  return device_count++;
}

// Receives what another controller advertises.
static void hear_air(void) {
  struct heard packet;
  while (recv(hears, &packet, sizeof packet, 0) == (ssize_t)sizeof packet) {
    if (packet.length > MAX_PAYLOAD || packet.event > EVENT_SCAN_RESPONSE) continue;
    transmit("heard", heard_device(&packet), packet.event, false, heard_payload(&packet), HEARD_RSSI);
  }
}

// Sends the due packets and returns when the next packet is, in microseconds from the word `air`.
static int64_t run_air(int64_t time) {
  int64_t next = INT64_MAX;
  if (controller.deaf_after && !recovered && !deaf && time >= controller.deaf_after) {
    deaf = true;
    note("deaf", "%s", "");
  }
  for (size_t i = 0; i < beacon_count; i++) {
    struct beacon *beacon = &beacons[i];
    if (time - beacon->next > LATEST_PACKET && beacon->next < beacon->until) {
      int64_t missed = (time - beacon->next) / beacon->interval;
      note("late", ",\"beacon\":\"%s\",\"missed\":%" PRId64, beacon->name, missed);
      beacon->next += missed * beacon->interval;
    }
    if (beacon->next <= time && beacon->next < beacon->until) {
      transmit_beacon(beacon, time);
      beacon->next += beacon->interval;
    }
    if (beacon->next < beacon->until && beacon->next < next) next = beacon->next;
  }
  for (; next_packet < packet_count && packets[next_packet].time <= time; next_packet++) {
    const struct packet *packet = &packets[next_packet];
    transmit(packet->name, packet->device, packet->event, false, packet->payload, packet->rssi);
  }
  if (next_packet < packet_count && packets[next_packet].time < next) next = packets[next_packet].time;
  int64_t stranger = run_strangers(time);
  return stranger < next ? stranger : next;
}

// MARK: the loop

// Answers false at the end of input.
static bool hear_words(void) {
  static char line[64];
  static size_t count;
  ssize_t got = read(STDIN_FILENO, line + count, sizeof line - 1 - count);
  if (got <= 0) return false;
  count += (size_t)got;
  line[count] = 0;
  for (char *end; (end = strchr(line, '\n'));) {
    *end = 0;
    if (!strcmp(line, "air") && air < 0) {
      air = now_monotonic();
      note("air", "%s", "");
    } else if (!strcmp(line, "unplug")) unplug();
    else if (!strcmp(line, "plug")) plug();
    else fail("no word '%s'", line);
    count -= (size_t)(end + 1 - line);
    memmove(line, end + 1, count + 1);
  }
  if (count == sizeof line - 1) fail("a word too long");
  fflush(events);
  return true;
}

static void log_schedule(void) {
  note("controller", ",\"reports\":\"%s\",\"duplicates\":\"%s\"", controller.extended ? "extended" : "legacy",
       controller.strict ? "strict" : "absent");
  for (size_t i = 0; i < payload_count; i++) log_payload(i);
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage: controller SCHEDULE LOG");
  read_schedule(arguments[1]);
  events = fopen(arguments[2], "w");
  if (!events) fail("%s: %s", arguments[2], strerror(errno));
  setvbuf(events, NULL, _IOFBF, 1 << 20);
  log_schedule();
  plug();

  int64_t flushed = now_monotonic();
  for (;;) {
    // At most a quarter of a second, so that the log on disk is not older.
    int64_t wait = 250000;
    if (air >= 0) {
      int64_t next = run_air(now_monotonic() - air);
      int64_t left = next == INT64_MAX ? wait : next - (now_monotonic() - air);
      if (left < wait) wait = left < 0 ? 0 : left;
    }
    int64_t advertised = run_advertising(now_monotonic());
    if (advertised != INT64_MAX && advertised - now_monotonic() < wait)
      wait = advertised > now_monotonic() ? advertised - now_monotonic() : 0;
    if (now_monotonic() - flushed >= 250000) {
      fflush(events);
      flushed = now_monotonic();
    }
    struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = vhci, .events = POLLIN},
                               {.fd = hears, .events = POLLIN}};
    struct timespec time = {.tv_nsec = wait * 1000};
    if (ppoll(sources, 3, &time, NULL) < 0 && errno != EINTR) fail("poll: %s", strerror(errno));
    if (sources[1].revents & POLLIN) hear_kernel();
    if (sources[2].revents & POLLIN) hear_air();
    if (sources[0].revents && !hear_words()) break;
  }
  unplug();
  if (strangers.rate) note("strangers", ",\"sent\":%" PRIu64, strangers.sent);
  note("end", "%s", "");
  fclose(events);
  return 0;
}
