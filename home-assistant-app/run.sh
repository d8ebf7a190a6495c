#!/usr/bin/with-contenv bashio
# shellcheck shell=bash
# Runs the gateway with the app's options and Home Assistant's broker. The password is in a file, never on a command line.
set -euo pipefail

host=$(bashio::services mqtt host)
scheme=mqtt
if bashio::var.true "$(bashio::services mqtt ssl)"; then scheme=mqtts; fi
umask 077
bashio::services mqtt password >/data/password
jq -n --arg host "$host" --arg user "$(bashio::services mqtt username)" \
  '{brokers: {($host): {user: $user, passwordFile: "/data/password"}}}' >/data/beacons.json5

words=(--broker "$scheme://$host:$(bashio::services mqtt port)" --config /data/beacons.json5
  --site "$(bashio::config site)" --gateway "$(bashio::config gateway)" --spool /data/spool --state /data/state --home-assistant)
while IFS= read -r word; do words+=(--region "$word"); done \
  < <(jq -r '.regions[]? | "\(.name)=\(.beacon)"' /data/options.json)
while IFS= read -r word; do words+=(--beacon "$word"); done < <(jq -r '.beacons[]?' /data/options.json)
if bashio::config.true espresense; then words+=(--espresense); fi
exec beaconctl gateway "${words[@]}"
