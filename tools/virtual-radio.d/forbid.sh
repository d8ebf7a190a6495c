# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
#
# A policy as some systems have it: only the group bluetooth may speak with BlueZ. Run inside the machine.
cat > /etc/dbus-1/system.d/zz-group-only.conf <<'END'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <policy context="default"><deny send_destination="org.bluez"/></policy>
  <policy user="root"><allow send_destination="org.bluez"/></policy>
  <policy group="bluetooth"><allow send_destination="org.bluez"/></policy>
</busconfig>
END
dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig
