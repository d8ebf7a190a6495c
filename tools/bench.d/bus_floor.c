// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// The least a listener must do: joins a bus, starts discovery as any client must, then reads every signal and looks at its
// RSSI and nothing else. Its cost is the floor for comparing a listener.
//
//   bus_floor ADDRESS
//
// It ends when org.bluez has left, and prints how many signals it read and their cost in CPU.

#include <dbus/dbus.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void call(DBusConnection *bus, const char *path, const char *interface, const char *member) {
  DBusMessage *message = dbus_message_new_method_call("org.bluez", path, interface, member);
  dbus_connection_send(bus, message, NULL);
  dbus_message_unref(message);
}

static int strength(DBusMessage *message) {
  DBusMessageIter it, dict, entry, variant;
  if (!dbus_message_has_signature(message, "sa{sv}as") || !dbus_message_iter_init(message, &it)) return 0;
  dbus_message_iter_next(&it);
  dbus_message_iter_recurse(&it, &dict);
  for (; dbus_message_iter_get_arg_type(&dict) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&dict)) {
    const char *name;
    dbus_message_iter_recurse(&dict, &entry);
    dbus_message_iter_get_basic(&entry, &name);
    if (strcmp(name, "RSSI")) continue;
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &variant);
    if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_INT16) return 0;
    dbus_int16_t value;
    dbus_message_iter_get_basic(&variant, &value);
    return value;
  }
  return 0;
}

static double cpu(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec
       + ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  DBusError error;
  dbus_error_init(&error);
  DBusConnection *bus = dbus_connection_open_private(argv[1], &error);
  if (!bus || !dbus_bus_register(bus, &error)) return 69;
  dbus_connection_set_exit_on_disconnect(bus, FALSE);
  dbus_bus_add_match(bus, "type='signal',sender='org.bluez',path_namespace='/org/bluez'", NULL);
  dbus_bus_add_match(bus, "type='signal',member='NameOwnerChanged',arg0='org.bluez'", NULL);
  call(bus, "/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery");
  dbus_connection_flush(bus);
  int descriptor, over = 0;
  dbus_connection_get_unix_fd(bus, &descriptor);
  long signals = 0;
  const double start = cpu();
  while (!over && dbus_connection_get_is_connected(bus)) {
    struct pollfd wait = {descriptor, POLLIN, 0};
    DBusMessage *message;
    poll(&wait, 1, 1000);
    dbus_connection_read_write(bus, 0);
    while ((message = dbus_connection_pop_message(bus))) {
      if (strength(message)) signals++;
      if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged")) over = 1;
      dbus_message_unref(message);
    }
  }
  const double used = cpu() - start;
  printf("signals %ld, CPU %.3f s, %.2f us a signal\n", signals, used, signals ? used / (double)signals * 1e6 : 0);
  return 0;
}
