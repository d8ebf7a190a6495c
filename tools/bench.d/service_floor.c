// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// The least a service must do: owns its name, and answers every call with an object's path. The cost of programs that connect, call and
// leave is the floor for comparing the service: the bus's work and their own.
//
//   service_floor ADDRESS NAME

#include <dbus/dbus.h>
#include <stdio.h>

int main(int count, char **words) {
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *bus = count == 3 ? dbus_connection_open_private(words[1], &error) : NULL;
  if (!bus || !dbus_bus_register(bus, &error) || dbus_bus_request_name(bus, words[2], 0, &error) != 1) {
    fprintf(stderr, "service_floor: %s\n", error.message ? error.message : "an address and a name are needed");
    return 1;
  }
  printf("ready\n");
  fflush(stdout);
  const char *path = "/session/1";
  while (dbus_connection_read_write(bus, -1)) {
    for (DBusMessage *message; (message = dbus_connection_pop_message(bus)); dbus_message_unref(message)) {
      if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL) continue;
      DBusMessage *answer = dbus_message_new_method_return(message);
      dbus_message_append_args(answer, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
      dbus_connection_send(bus, answer, NULL);
      dbus_message_unref(answer);
    }
  }
  return 0;
}
