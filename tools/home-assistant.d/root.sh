# shellcheck shell=bash
# A Debian 13 in a folder with Home Assistant and mosquitto. Sourced, behind package.d/roots.sh.
#
#   root.sh FOLDER COMMAND…   runs a command in it, with FOLDER as /config

# The newest version for the Python of Debian 13.
assistant_version=2026.2.3
assistant=$cache/roots/home-assistant-$assistant_version
# The needs of the components that the check loads; Home Assistant itself would fetch it at its start.
assistant_components=(api config esphome frontend http lovelace mqtt mqtt_room onboarding)

# make_assistant: makes the system if it is missing; some minutes.
make_assistant() {
  local bare
  [ ! -e "$assistant.done" ] || return 0
  bare=$(bare_root amd64 trixie)
  say "installing Home Assistant $assistant_version in a Debian 13; this takes some minutes"
  in_namespace rm -rf "$assistant"
  # shellcheck disable=SC2016
  in_namespace bash -euc 'mkdir "$2"; tar -C "$1" --exclude="./dev/*" -c . | tar -C "$2" -x' bash "$bare" "$assistant"
  in_namespace cp --remove-destination -L /etc/resolv.conf "$assistant/etc/resolv.conf"
  # The machine's authorities: a network may have a separate one. Two dependencies are built from source.
  in_root "$assistant" "/etc/ssl/certs:/machine/certs $root/tools/home-assistant.d:/source" \
    env -i PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CERT=/machine/certs/ca-certificates.crt HOME=/root \
    bash /source/install.sh "$assistant_version" "${assistant_components[@]}" >&2 \
    || fail "Home Assistant cannot be installed; the system is in $assistant"
  touch "$assistant.done"
}
