#!/usr/bin/env bash
# Runs a command in the system of tools/home-assistant, with FOLDER as /config; it ends with this shell.
#
#   inside.sh FOLDER COMMAND…
source "$(dirname "$0")/../common.sh"
source "$root/tools/package.d/roots.sh"
source "$root/tools/home-assistant.d/root.sh"
folder=$1
shift
in_root "$assistant" "$folder:/config" env -i HOME=/config PATH=/ha/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
