#!/usr/bin/env bash
# Installs Home Assistant and mosquitto in the Debian 13 of tools/home-assistant. Runs there, as root.
#
#   install.sh VERSION COMPONENT…
set -euo pipefail
version=$1
shift
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /
apt-get -q -y -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root update
apt-get -q -y -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root install --no-install-recommends \
  ca-certificates ffmpeg g++ gcc libc6-dev mosquitto python3 python3-dev python3-venv
rm -rf /ha
python3 -m venv /ha
/ha/bin/pip install -q "homeassistant==$version"
/ha/bin/python /source/requirements.py "$@" >/ha/requirements
/ha/bin/pip install -q isal zlib-ng -r /ha/requirements -c "$(/ha/bin/python -c '
import pathlib, homeassistant
print(pathlib.Path(homeassistant.__file__).with_name("package_constraints.txt"))')"
rm -rf /root/.cache
