#!/usr/bin/env bash
# Fetches a machine: debian.sh ARCHITECTURE SUITE FOLDER. That Debian is unpacked into FOLDER/root and its kernel into FOLDER/kernel;
# nothing is installed, and nothing of it is run here. Of backports it takes the kernel, and BlueZ if they have it.
source "$(dirname "$0")/../common.sh"
source tools/package.d/roots.sh

architecture=${1:?} suite=${2:?} folder=${3:?debian.sh ARCHITECTURE SUITE FOLDER}
# Programs of the scenarios, the command's libraries, and those for compiling a controller for it.
inside=(bash bluez busybox-static coreutils dash dbus base-passwd libcap2-bin libc6-dev libdbus-1-3 libgcc-12-dev libstdc++6
  mount passwd python3 util-linux)

[ ! -e "$folder/done" ] || exit 0
say "fetching Debian $suite and its kernel for $architecture: 150 MB, kept in $folder"
rm -rf "$folder"
mkdir -p "$folder/kernel" "$folder/root"
fetch_tree "$architecture" "${suite%-backports}" "$folder/root" "${inside[@]}"
if [ "$suite" != "${suite%-backports}" ] && (fetch_alone "$architecture" "$suite" "$folder/work" bluez); then
  unpack_into "$folder/root" "$folder"/work/bluez_*.deb
fi
# The accounts, which an installation would make.
cp "$folder/root/usr/share/base-passwd/passwd.master" "$folder/root/etc/passwd"
cp "$folder/root/usr/share/base-passwd/group.master" "$folder/root/etc/group"
echo "messagebus:x:100:107::/nonexistent:/usr/sbin/nologin" >>"$folder/root/etc/passwd"
printf '%s\n' "messagebus:x:107:" "bluetooth:x:108:" >>"$folder/root/etc/group"
mkdir -p "$folder/root"/{dev,mnt,proc,run,sys,tmp,var/lib/dbus,usr/local/bin}
rm -rf "$folder/root/var/run"
ln -s ../run "$folder/root/var/run"

fetch_alone "$architecture" "$suite" "$folder/work" "linux-image-$architecture"
newest=$(dpkg-deb --field "$folder/work/linux-image-${architecture}"_*.deb Depends | grep -oE 'linux-image-[0-9][^ ,]*')
fetch_alone "$architecture" "$suite" "$folder/work" "$newest"
# Newer kernels are in several packages.
mapfile -t parts < <(dpkg-deb --field "$folder/work/${newest}"_*.deb Depends | grep -oE 'linux-(base|binary|modules)-[0-9][^ ,]*')
[ "${#parts[@]}" -eq 0 ] || fetch_alone "$architecture" "$suite" "$folder/work" "${parts[@]}"
for part in "$newest" "${parts[@]}"; do dpkg-deb --extract "$folder/work/${part}"_*.deb "$folder/kernel"; done
# Of Debian 13 and later its modules are in /usr.
[ -e "$folder/kernel/lib" ] || ln -s usr/lib "$folder/kernel/lib"
depmod -b "$folder/kernel" "$(ls "$folder/kernel/lib/modules")"
rm -rf "$folder/work"
touch "$folder/done"
