// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Plays org.bluez on a bus: one powered adapter hci0, and devices that send iBeacon frames at a rate.
//
//   play_bluez --address ADDRESS [--devices N] [--rate SIGNALS_A_SECOND] [--seconds S] [--stamp]
//   play_bluez --address ADDRESS --hostile [--rate STRANGERS_A_SECOND] [--seconds S] [--strangers TOTAL]
//   play_bluez --address ADDRESS --forge SIGNALS
//
// It answers a client's calls before it scans: GetManagedObjects, GetDiscoveryFilters, SetDiscoveryFilter, StartDiscovery,
// StopDiscovery. On the first StartDiscovery it adds each device once by InterfacesAdded, then sends PropertiesChanged of the
// devices in turn, evenly spaced, as bluetoothd does for a filtered discovery: RSSI and ManufacturerData in one signal. After
// the seconds it stops, prints on one line how many it sent, and leaves the bus. It prints `ready` when it can be asked, and
// `discovering` when signals begin. `--stamp` puts the time of sending in place of the identity (the low 64 bits of
// CLOCK_BOOTTIME's nanoseconds, big-endian, in the second half of the UUID), so that a listener can tell how long a report
// was on its way.
//
// `--hostile` plays the traffic of soak.h instead: each stranger is added by InterfacesAdded and removed by
// InterfacesRemoved 30 s later, as bluetoothd does, and of every eight one also sends a signal that is malformed as a signal.
// It ends after the seconds and the total, whichever is later. At a rate of 0 it sends as fast as the listener reads: every
// 256 strangers it waits until the listener has answered a ping, which it reads after all that was sent before.
//
// `--forge` plays a stranger without BlueZ's name instead: it sends BlueZ's signals about device 666, to everyone and to
// each of the first connections of the bus by turns.

#include <dbus/dbus.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "soak.h"

enum { FRAME = SOAK_FRAME };
static const uint64_t LINGER = 1000000000;
#define ADAPTER "/org/bluez/hci0"

static int devices = 200, stamp = 0, hostile = 0;
static double rate = 2000, seconds = 10;
static uint64_t total = 0;
static long forged = 0;
static const char *addressee = NULL;
static char listener[256];
static DBusConnection *bus;
static int discovering = 0;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// One entry of a{sv}, the value of a basic type.
static void property(DBusMessageIter *dict, const char *name, int type, const void *value) {
  DBusMessageIter entry, variant;
  const char signature[2] = {(char)type, 0};
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
  dbus_message_iter_append_basic(&variant, type, value);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(dict, &entry);
}

static void strings(DBusMessageIter *dict, const char *name, const char *const values[], unsigned count) {
  DBusMessageIter entry, variant, array;
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "as", &variant);
  dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &array);
  for (unsigned i = 0; i < count; i++) dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING, &values[i]);
  dbus_message_iter_close_container(&variant, &array);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(dict, &entry);
}

static void frame(int device, uint8_t bytes[FRAME]) {
  memset(bytes, 0x42, FRAME);
  bytes[0] = 0x02;
  bytes[1] = 0x15;
  if (stamp) {
    const uint64_t t = now();
    for (int i = 0; i < 8; i++) bytes[10 + i] = (uint8_t)(t >> (56 - 8 * i));
  }
  bytes[18] = 0;
  bytes[19] = 1;
  bytes[20] = (uint8_t)(device >> 8);
  bytes[21] = (uint8_t)device;
  bytes[22] = (uint8_t)-59;
}

static void manufacturer(DBusMessageIter *dict, dbus_uint16_t number, const uint8_t *start, int count) {
  DBusMessageIter entry, variant, companies, company, data, array;
  const char *name = "ManufacturerData";
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "a{qv}", &variant);
  dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "{qv}", &companies);
  dbus_message_iter_open_container(&companies, DBUS_TYPE_DICT_ENTRY, NULL, &company);
  dbus_message_iter_append_basic(&company, DBUS_TYPE_UINT16, &number);
  dbus_message_iter_open_container(&company, DBUS_TYPE_VARIANT, "ay", &data);
  dbus_message_iter_open_container(&data, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &start, count);
  dbus_message_iter_close_container(&data, &array);
  dbus_message_iter_close_container(&company, &data);
  dbus_message_iter_close_container(&companies, &company);
  dbus_message_iter_close_container(&variant, &companies);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(dict, &entry);
}

static void manufacturer_data(DBusMessageIter *dict, int device) {
  uint8_t bytes[FRAME];
  frame(device, bytes);
  manufacturer(dict, 0x004C, bytes, FRAME);
}

static void device_path(int device, char path[64]) {
  snprintf(path, 64, ADAPTER "/dev_C0_00_00_00_%02X_%02X", device >> 8 & 0xFF, device & 0xFF);
}

static int16_t strength(int device, int round) { return (int16_t)(-50 - (device * 7 + round * 3) % 40); }

static void send(DBusMessage *message) {
  if (addressee) dbus_message_set_destination(message, addressee);
  dbus_connection_send(bus, message, NULL);
  dbus_message_unref(message);
}

// Adds a device with its manufacturer data.
static void add_device(const char *path, const char *address, int16_t rssi, dbus_uint16_t company, const uint8_t *bytes,
                       int count) {
  const char *object = path, *interface = "org.bluez.Device1", *shown = address, *random = "random", *adapter = ADAPTER;
  const dbus_bool_t no = FALSE;
  DBusMessageIter it, interfaces, entry, properties;
  DBusMessage *signal = dbus_message_new_signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded");
  dbus_message_iter_init_append(signal, &it);
  dbus_message_iter_append_basic(&it, DBUS_TYPE_OBJECT_PATH, &object);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "{sa{sv}}", &interfaces);
  dbus_message_iter_open_container(&interfaces, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_ARRAY, "{sv}", &properties);
  property(&properties, "Address", DBUS_TYPE_STRING, &shown);
  property(&properties, "AddressType", DBUS_TYPE_STRING, &random);
  property(&properties, "Alias", DBUS_TYPE_STRING, &shown);
  property(&properties, "Adapter", DBUS_TYPE_OBJECT_PATH, &adapter);
  property(&properties, "Paired", DBUS_TYPE_BOOLEAN, &no);
  property(&properties, "Trusted", DBUS_TYPE_BOOLEAN, &no);
  property(&properties, "Blocked", DBUS_TYPE_BOOLEAN, &no);
  property(&properties, "Connected", DBUS_TYPE_BOOLEAN, &no);
  property(&properties, "ServicesResolved", DBUS_TYPE_BOOLEAN, &no);
  strings(&properties, "UUIDs", NULL, 0);
  property(&properties, "RSSI", DBUS_TYPE_INT16, &rssi);
  manufacturer(&properties, company, bytes, count);
  dbus_message_iter_close_container(&entry, &properties);
  dbus_message_iter_close_container(&interfaces, &entry);
  dbus_message_iter_close_container(&it, &interfaces);
  send(signal);
}

static void tell_device(int device) {
  char path[64], address[18];
  uint8_t bytes[FRAME];
  device_path(device, path);
  snprintf(address, sizeof address, "C0:00:00:00:%02X:%02X", device >> 8 & 0xFF, device & 0xFF);
  frame(device, bytes);
  add_device(path, address, strength(device, 0), 0x004C, bytes, FRAME);
}

// Begins a PropertiesChanged; `finish` ends it.
static DBusMessage *changed(const char *path, const char *interface, DBusMessageIter *it, DBusMessageIter *dict) {
  DBusMessage *signal = dbus_message_new_signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged");
  dbus_message_iter_init_append(signal, it);
  dbus_message_iter_append_basic(it, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sv}", dict);
  return signal;
}

static void finish(DBusMessage *signal, DBusMessageIter *it, DBusMessageIter *dict) {
  DBusMessageIter invalidated;
  dbus_message_iter_close_container(it, dict);
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "s", &invalidated);
  dbus_message_iter_close_container(it, &invalidated);
  send(signal);
}

static void tell_report(int device, int round) {
  char path[64];
  DBusMessageIter it, dict;
  const int16_t rssi = strength(device, round);
  device_path(device, path);
  DBusMessage *signal = changed(path, "org.bluez.Device1", &it, &dict);
  property(&dict, "RSSI", DBUS_TYPE_INT16, &rssi);
  manufacturer_data(&dict, device);
  finish(signal, &it, &dict);
}

static void tell_discovering(int on) {
  DBusMessageIter it, dict;
  const dbus_bool_t value = on ? TRUE : FALSE;
  DBusMessage *signal = changed(ADAPTER, "org.bluez.Adapter1", &it, &dict);
  property(&dict, "Discovering", DBUS_TYPE_BOOLEAN, &value);
  finish(signal, &it, &dict);
  discovering = on;
}

static void append_objects(DBusMessage *reply) {
  DBusMessageIter it, objects, object, interfaces, entry, properties;
  const char *path = ADAPTER, *interface = "org.bluez.Adapter1", *address = "AA:BB:CC:DD:EE:FF", *name = "bench";
  const dbus_bool_t powered = TRUE, scanning = discovering ? TRUE : FALSE;
  dbus_message_iter_init_append(reply, &it);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &objects);
  dbus_message_iter_open_container(&objects, DBUS_TYPE_DICT_ENTRY, NULL, &object);
  dbus_message_iter_append_basic(&object, DBUS_TYPE_OBJECT_PATH, &path);
  dbus_message_iter_open_container(&object, DBUS_TYPE_ARRAY, "{sa{sv}}", &interfaces);
  dbus_message_iter_open_container(&interfaces, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_ARRAY, "{sv}", &properties);
  property(&properties, "Address", DBUS_TYPE_STRING, &address);
  property(&properties, "Name", DBUS_TYPE_STRING, &name);
  property(&properties, "Alias", DBUS_TYPE_STRING, &name);
  property(&properties, "Powered", DBUS_TYPE_BOOLEAN, &powered);
  property(&properties, "Discovering", DBUS_TYPE_BOOLEAN, &scanning);
  strings(&properties, "Roles", (const char *const[]){"central", "peripheral"}, 2);
  dbus_message_iter_close_container(&entry, &properties);
  dbus_message_iter_close_container(&interfaces, &entry);
  dbus_message_iter_close_container(&object, &interfaces);
  dbus_message_iter_close_container(&objects, &object);
  dbus_message_iter_close_container(&it, &objects);
}

static void append_filter_keys(DBusMessage *reply) {
  const char *keys[] = {"UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"};
  DBusMessageIter it, array;
  dbus_message_iter_init_append(reply, &it);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "s", &array);
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING, &keys[i]);
  dbus_message_iter_close_container(&it, &array);
}

// Answers a call; returns whether it starts discovery.
static int answer(DBusMessage *call) {
  const char *member = dbus_message_get_member(call);
  const int known = !strcmp(member, "GetManagedObjects") || !strcmp(member, "GetDiscoveryFilters")
    || !strcmp(member, "SetDiscoveryFilter") || !strcmp(member, "StartDiscovery") || !strcmp(member, "StopDiscovery");
  DBusMessage *reply = known ? dbus_message_new_method_return(call)
                             : dbus_message_new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", "not played");
  if (!strcmp(member, "GetManagedObjects")) append_objects(reply);
  if (!strcmp(member, "GetDiscoveryFilters")) append_filter_keys(reply);
  send(reply);
  if (!strcmp(member, "StopDiscovery")) tell_discovering(0);
  if (strcmp(member, "StartDiscovery")) return 0;
  snprintf(listener, sizeof listener, "%s", dbus_message_get_sender(call));
  tell_discovering(1);
  return 1;
}

// Answers the waiting messages; returns whether discovery was started.
static int answer_all(int milliseconds) {
  int started = 0;
  DBusMessage *message;
  dbus_connection_read_write(bus, milliseconds);
  while ((message = dbus_connection_pop_message(bus))) {
    if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) started |= answer(message);
    dbus_message_unref(message);
  }
  return started;
}

// MARK: hostile traffic

enum { SLICE = 32, WINDOW = 256, REMEMBERED = 30, SECONDS = 1 << 16 };

static void path_of(uint64_t address, char path[64], char shown[18]) {
  uint8_t a[6];
  for (int i = 0; i < 6; i++) a[i] = (uint8_t)(address >> 8 * (5 - i));
  snprintf(path, 64, ADAPTER "/dev_%02X_%02X_%02X_%02X_%02X_%02X", a[0], a[1], a[2], a[3], a[4], a[5]);
  snprintf(shown, 18, "%02X:%02X:%02X:%02X:%02X:%02X", a[0], a[1], a[2], a[3], a[4], a[5]);
}

static uint64_t address_of(uint64_t stranger) { return soak_random(stranger) & 0x3FFFFFFFFFFF; }

static void tell_beacon(int major, int minor) {
  char path[64], shown[18];
  uint8_t bytes[SOAK_FRAME];
  DBusMessageIter it, dict;
  const int16_t rssi = (int16_t)(-50 - (major * 7 + minor * 3) % 40);
  static uint8_t known[SOAK_REGIONS + 1][SOAK_BEACONS + 1];
  path_of(0xC00000000000u | (unsigned)major << 8 | (unsigned)minor, path, shown);
  soak_frame(bytes, SOAK_REAL, (unsigned)major, (unsigned)minor);
  if (!known[major][minor]++) {
    add_device(path, shown, rssi, 0x004C, bytes, SOAK_FRAME);
    return;
  }
  known[major][minor] = 1;
  DBusMessage *signal = changed(path, "org.bluez.Device1", &it, &dict);
  property(&dict, "RSSI", DBUS_TYPE_INT16, &rssi);
  manufacturer(&dict, 0x004C, bytes, SOAK_FRAME);
  finish(signal, &it, &dict);
}

// Signals with wrong types or impossible values.
static void tell_malformed(uint64_t number) {
  char path[64], shown[18];
  DBusMessageIter it, dict;
  uint8_t bytes[300];
  const char *text = "loud";
  const int16_t rssi = -70, none = 127;
  memset(bytes, 0x15, sizeof bytes);
  path_of(address_of(number), path, shown);
  if (number % 8 == 0) snprintf(path, sizeof path, ADAPTER "/dev_not_an_address");
  if (number % 8 == 1) snprintf(path, sizeof path, "/org/bluez/hci70000/dev_00_11_22_33_44_55");
  const char *interface = number % 8 == 2 ? "org.bluez.Adapter1" : "org.bluez.Device1";
  if (number % 8 == 3) {
    DBusMessage *signal = dbus_message_new_signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged");
    dbus_message_append_args(signal, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
    send(signal);
    return;
  }
  DBusMessage *signal = changed(path, interface, &it, &dict);
  switch (number % 8) {
    case 2: property(&dict, "Powered", DBUS_TYPE_STRING, &text); break;
    case 4: property(&dict, "RSSI", DBUS_TYPE_STRING, &text); break;
    case 5: property(&dict, "RSSI", DBUS_TYPE_INT16, &none); break;
    case 6: property(&dict, "ManufacturerData", DBUS_TYPE_INT16, &rssi); break;
    default: property(&dict, "RSSI", DBUS_TYPE_INT16, &rssi); break;
  }
  if (number % 8 != 6 && number % 8 != 2) manufacturer(&dict, 0x004C, bytes, number % 8 == 7 ? 300 : FRAME);
  finish(signal, &it, &dict);
}

static void add_stranger(uint64_t number) {
  char path[64], shown[18];
  const struct soak_stranger it = soak_stranger(number);
  path_of(address_of(number), path, shown);
  add_device(path, shown, (int16_t)(-60 - (int)(number % 35)), it.company, it.bytes, it.count);
  if (number % 8 == 0) tell_malformed(number / 8);
}

static void remove_stranger(uint64_t number) {
  char path[64], shown[18];
  const char *object = path, *interface = "org.bluez.Device1", **interfaces = &interface;
  path_of(address_of(number), path, shown);
  DBusMessage *signal = dbus_message_new_signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved");
  dbus_message_append_args(signal, DBUS_TYPE_OBJECT_PATH, &object, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &interfaces, 1,
                           DBUS_TYPE_INVALID);
  send(signal);
}

// Waits until the listener has read all that was sent.
static int wait_for_listener(void) {
  DBusMessage *call = dbus_message_new_method_call(listener, "/", "org.freedesktop.DBus.Peer", "Ping");
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 30000, NULL);
  dbus_message_unref(call);
  if (reply) dbus_message_unref(reply);
  return reply != NULL;
}

static void play_hostile(void) {
  static uint64_t told_by[SECONDS];
  uint64_t told = 0, removed = 0, pinged = 0;
  const uint64_t start = soak_clock(CLOCK_MONOTONIC);
  double time = 0;
  while ((time < seconds || told < total) && time < SECONDS - 1 && dbus_connection_get_is_connected(bus)) {
    soak_beacons(time, tell_beacon);
    for (int i = 0; i < SLICE && (rate == 0 || (double)told < time * rate); i++) add_stranger(told++);
    told_by[(int)time] = told;
    const uint64_t old = time < REMEMBERED ? 0 : told_by[(int)time - REMEMBERED];
    for (int i = 0; i < 2 * SLICE && removed < old; i++) remove_stranger(removed++);
    dbus_connection_flush(bus);
    answer_all(0);
    if (rate > 0 && (double)told >= time * rate) nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    if (told - pinged >= WINDOW) {
      if (!wait_for_listener()) break;
      pinged = told;
    }
    time = (double)(soak_clock(CLOCK_MONOTONIC) - start) / 1e6;
  }
  printf("sent %llu strangers in %.3f s\n", (unsigned long long)told, time);
  fflush(stdout);
}

static void read_options(int argc, char **argv, const char **address) {
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--stamp")) { stamp = 1; continue; }
    if (!strcmp(argv[i], "--hostile")) { hostile = 1; continue; }
    if (!strcmp(argv[i], "--address")) *address = value;
    else if (!strcmp(argv[i], "--forge")) forged = atol(value);
    else if (!strcmp(argv[i], "--devices")) devices = atoi(value);
    else if (!strcmp(argv[i], "--rate")) rate = atof(value);
    else if (!strcmp(argv[i], "--seconds")) seconds = atof(value);
    else if (!strcmp(argv[i], "--strangers")) total = strtoull(value, NULL, 10);
    else { fprintf(stderr, "play_bluez: no option %s\n", argv[i]); exit(64); }
    i++;
  }
}

static void forge(void) {
  enum { FORGED = 666, NAMES = 16 };
  char name[16];
  for (long i = 0; i < forged; i++) {
    snprintf(name, sizeof name, ":1.%ld", i % NAMES);
    addressee = i % 3 ? name : NULL;
    if (i % 2) tell_report(FORGED, (int)(i & 0xFF)); else tell_device(FORGED);
    dbus_connection_flush(bus);
    answer_all(0);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  puts("sent");
}

static void play_evenly(void) {
  const uint64_t start = now();
  const long wanted = (long)(rate * seconds);
  long sent = 0;
  while (sent < wanted && dbus_connection_get_is_connected(bus)) {
    const long due = (long)((double)(now() - start) / 1e9 * rate);
    for (; sent < due && sent < wanted; sent++) tell_report((int)(sent % devices), 1 + (int)(sent / devices));
    dbus_connection_flush(bus);
    answer_all(0);
    const uint64_t next = start + (uint64_t)((double)(sent + 1) / rate * 1e9), t = now();
    if (next > t) {
      const struct timespec wait = {(time_t)((next - t) / 1000000000u), (long)((next - t) % 1000000000u)};
      nanosleep(&wait, NULL);
    }
  }
  dbus_connection_flush(bus);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("sent %ld in %.3f s, of the player's CPU %.3f s\n", sent, (double)(now() - start) / 1e9,
         (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec
           + ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec) / 1e6);
  fflush(stdout);
}

// Until the listener has stopped discovery, and a while longer, since some listeners undo more than that.
static void linger(void) {
  const uint64_t end = now();
  uint64_t stopped = discovering ? UINT64_MAX : end;
  for (uint64_t t = end; t < end + 2 * LINGER && (stopped == UINT64_MAX || t < stopped + LINGER); t = now()) {
    answer_all(50);
    if (!discovering && stopped == UINT64_MAX) stopped = now();
  }
}

int main(int argc, char **argv) {
  const char *address = NULL;
  read_options(argc, argv, &address);
  if (!address || devices < 1 || devices > 65535 || (rate <= 0 && !hostile)) {
    fputs("usage: play_bluez --address ADDRESS [--devices N] [--rate R] [--seconds S] [--stamp]\n", stderr);
    return 64;
  }
  DBusError error;
  dbus_error_init(&error);
  bus = dbus_connection_open_private(address, &error);
  if (!bus || !dbus_bus_register(bus, &error)) {
    fprintf(stderr, "play_bluez: %s\n", error.message);
    return 69;
  }
  dbus_connection_set_exit_on_disconnect(bus, FALSE);
  if (forged) return forge(), 0;
  dbus_bus_request_name(bus, "org.bluez", DBUS_NAME_FLAG_DO_NOT_QUEUE, &error);
  puts("ready");
  fflush(stdout);

  while (!answer_all(100)) if (!dbus_connection_get_is_connected(bus)) return 69;
  for (int device = 0; !hostile && device < devices; device++) tell_device(device);
  dbus_connection_flush(bus);
  puts("discovering");
  fflush(stdout);

  if (hostile) play_hostile(); else play_evenly();
  linger();
  dbus_connection_close(bus);
  dbus_connection_unref(bus);
  return 0;
}
