# Writes a recording of three receivers, in whole numbers only, so that each awk writes the same: a beacon that is carried through
# three places, one that falls silent, one that becomes weaker, and a receiver that is gone for a while.
#
#   awk -f recording.awk -v seconds=2400 -v step=1

function stamp(second) {
  return sprintf("2026-05-%02dT%02d:%02d:%02d.000000Z", 1 + int(second / 86400), int(second / 3600) % 24, int(second / 60) % 60, second % 60)
}

function radio(second, name, state) {
  printf "{\"v\":1,\"type\":\"radio\",\"t\":\"%s\",\"receiver\":\"%s\",\"state\":\"%s\"}\n", stamp(second), name, state
}

function report(second, name, beacon, rssi) {
  printf "{\"v\":1,\"type\":\"report\",\"t\":\"%s\",\"receiver\":\"%s\",\"address\":\"02:00:00:00:00:%02d\",\"address_type\":\"random\",", \
    stamp(second), name, beacon
  printf "\"event\":\"ADV_NONCONN_IND\",\"rssi\":%d,\"ad\":\"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e0001%04xc5\"}\n", rssi, beacon
}

BEGIN {
  split("hall cellar attic", names, " ")
  print "{\"v\":1,\"type\":\"capture\",\"tool\":\"proof\",\"version\":\"1\",\"receivers\":[\"hall\",\"cellar\",\"attic\"],\"redacted\":true}"
  for (r = 1; r <= 3; r++) radio(0, names[r], "listening")
  gone = int(seconds * 5 / 8)
  back = int(seconds * 6 / 8)
  for (s = 0; s < seconds; s += step) {
    if (s == gone) radio(s, "attic", "gone")
    if (s == back) radio(s, "attic", "listening")
    for (b = 1; b <= 3; b++) {
      if (b == 2 && s >= int(seconds * 2 / 3)) continue
      place = b == 1 ? int(s / 300) % 3 + 1 : b
      for (r = 1; r <= 3; r++) {
        if (r == 3 && s >= gone && s < back) continue
        rssi = (r == place ? -58 : -79) + (int(s / step) * 7919 + r * 104729 + b * 1299709) % 13 - 6
        if (b == 3 && s >= int(seconds / 2)) rssi -= 17
        report(s, names[r], b, rssi)
      }
    }
  }
  printf "{\"v\":1,\"type\":\"end\",\"t\":\"%s\"}\n", stamp(seconds - 1)
}
