#!/usr/bin/env bash
# Fetches the machine for arm64: arm64.sh FOLDER. Debian 12 is unpacked into FOLDER/root and its kernel into FOLDER/kernel;
# nothing is installed, and nothing of it is run here.
source "$(dirname "$0")/../common.sh"
source tools/package.d/roots.sh

suite=bookworm
# Programs of the scenarios, the command's libraries, and those for compiling a controller for arm64.
inside=(bash bluez busybox-static coreutils dash dbus base-passwd libcap2-bin libc6-dev libdbus-1-3 libgcc-12-dev libstdc++6
  mount passwd python3 util-linux)

folder=${1:?arm64.sh FOLDER}
[ ! -e "$folder/done" ] || exit 0
say "fetching Debian 12 and its kernel for arm64: 150 MB, kept in $folder"
rm -rf "$folder"
mkdir -p "$folder/kernel" "$folder/root"
fetch_tree arm64 "$suite" "$folder/root" "${inside[@]}"
# The accounts, which an installation would make.
cp "$folder/root/usr/share/base-passwd/passwd.master" "$folder/root/etc/passwd"
cp "$folder/root/usr/share/base-passwd/group.master" "$folder/root/etc/group"
echo "messagebus:x:100:107::/nonexistent:/usr/sbin/nologin" >>"$folder/root/etc/passwd"
printf '%s\n' "messagebus:x:107:" "bluetooth:x:108:" >>"$folder/root/etc/group"
mkdir -p "$folder/root"/{dev,mnt,proc,run,sys,tmp,var/lib/dbus,usr/local/bin}
rm -rf "$folder/root/var/run"
ln -s ../run "$folder/root/var/run"

fetch_alone arm64 "$suite" "$folder/work" linux-image-arm64
newest=$(dpkg-deb --field "$folder"/work/linux-image-arm64_*.deb Depends | grep -oE 'linux-image-[0-9][^ ,]*')
fetch_alone arm64 "$suite" "$folder/work" "$newest"
dpkg-deb --extract "$folder/work/${newest}"_*.deb "$folder/kernel"
depmod -b "$folder/kernel" "$(ls "$folder/kernel/lib/modules")"
rm -rf "$folder/work"
touch "$folder/done"
