# shellcheck shell=bash
# Debian systems in folders: fetching packages, unpacking them, installing them, and running commands there. Sourced by tools/package.
#
# Everything runs in separate namespaces, so the machine is not changed, and no rights are needed if the kernel lets an account
# make user namespaces. apt gets a separate state for each architecture and suite.

# Downloads are kept here; the folder can be removed at any time.
cache=${BEACONS_CACHE:-$HOME/.cache/beacons}/package
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_of ARCHITECTURE SUITE APT-GET-WORDS…: apt-get as on a machine of that kind on which nothing is installed.
apt_of() {
  local architecture=$1 suite=$2 state=$cache/apt/$1-$2
  shift 2
  mkdir -p "$state"/{lists/partial,cache/archives/partial}
  : >"$state/status"
  echo "deb [arch=$architecture signed-by=$keyring] $mirror $suite main" >"$state/sources.list"
  # A mirror that is frozen, as some networks have, keeps release files that have expired; packages are signed all the same.
  apt-get -q -y -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o APT::Install-Recommends=false -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o Dir::State="$state" -o Dir::State::lists="$state/lists" \
    -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Debug::NoLocking=1 -o Acquire::Check-Valid-Until=false "$@" </dev/null >&2
}

# has_suite ARCHITECTURE SUITE: fetches the lists of a suite, once a day; fails with a sentence otherwise.
has_suite() {
  local state=$cache/apt/$1-$2
  [ -z "$(find "$state/fetched" -mtime -1 2>/dev/null)" ] || return 0
  apt_of "$1" "$2" -o APT::Update::Error-Mode=any update \
    || fail "no package lists of Debian $2 for $1 from $mirror; DEBIAN_MIRROR=URL names another mirror"
  touch "$state/fetched"
}

# unpack_into FOLDER PACKAGE-FILE…: unpacks packages and installs nothing.
unpack_into() {
  local folder=$1 name link
  shift
  # Debian's merged /usr, whatever folders the packages name.
  for name in bin lib lib64 sbin; do
    mkdir -p "$folder/usr/$name"
    [ -e "$folder/$name" ] || ln -s "usr/$name" "$folder/$name"
  done
  for name; do
    dpkg-deb --fsys-tarfile "$name" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner
  done
  # A link to a place in the root would lead out of the folder.
  find "$folder" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$folder$(readlink "$link")")" "$link"
  done
}

# fetch_tree ARCHITECTURE SUITE FOLDER PACKAGE…: unpacks packages and all that they depend on.
fetch_tree() {
  local architecture=$1 suite=$2 folder=$3 archives=$cache/apt/$1-$2/cache/archives
  shift 3
  has_suite "$architecture" "$suite"
  rm -f "$archives"/*.deb
  apt_of "$architecture" "$suite" --download-only install "$@"
  unpack_into "$folder" "$archives"/*.deb
  rm -f "$archives"/*.deb
}

# fetch_alone ARCHITECTURE SUITE FOLDER PACKAGE…: only the package files.
fetch_alone() {
  local architecture=$1 suite=$2 folder=$3
  shift 3
  has_suite "$architecture" "$suite"
  mkdir -p "$folder"
  (cd "$folder" && apt_of "$architecture" "$suite" download "$@")
}

# Whether this account may make namespaces, in which everything of the below runs.
require_namespaces() {
  unshare --user --map-root-user --mount true 2>/dev/null \
    || fail "this account may not make user namespaces (sysctl kernel.unprivileged_userns_clone, or an AppArmor profile); run as root"
}

# in_namespace COMMAND…: with separate namespaces. If root runs this, all users of a Debian system are in them.
in_namespace() {
  local gate child status=0
  if [ "$(id -u)" -ne 0 ]; then
    unshare --user --map-root-user --mount --pid --fork --kill-child "$@"
    return
  fi
  gate=$(mktemp -u)
  mkfifo "$gate"
  # shellcheck disable=SC2016
  unshare --user bash -c 'read -r _ <"$0"; exec unshare --mount --pid --fork --kill-child "$@"' "$gate" "$@" <&0 &
  child=$!
  until [ "$(readlink "/proc/$child/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.02; done
  echo "0 0 65536" >"/proc/$child/uid_map"
  echo "0 0 65536" >"/proc/$child/gid_map"
  echo >"$gate"
  rm "$gate"
  wait "$child" || status=$?
  return "$status"
}

# The commands of a shell in a namespace that emulate arm64: the kernel (6.7 or later) gives a user namespace a separate list of interpreters.
emulate='
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || {
    echo "this kernel gives namespaces no list of interpreters of their own (Linux 6.7 does): arm64 cannot be emulated" >&2
    exit 69
  }
  magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
  mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
  echo ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" > /proc/sys/fs/binfmt_misc/register
'

require_emulator() {
  command -v qemu-aarch64-static >/dev/null || fail "qemu-aarch64-static is missing; apt-get install qemu-user-static"
}

# in_root ROOT BINDS COMMAND…: runs a command in a root; BINDS is words FOLDER:PLACE. A root of arm64 is emulated. The command has the
# rights of $root_user, if it is set.
in_root() {
  local root=$1 binds=$2 emulation=
  shift 2
  [ ! -e "$root/usr/lib/ld-linux-aarch64.so.1" ] || { require_emulator; emulation=$emulate; }
  in_namespace bash -euc "mount -t proc proc /proc; $emulation"'
    root=$1 binds=$2
    shift 2
    mkdir -p "$root"/{proc,dev,tmp}
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmp "$root/tmp"
    for bind in $binds; do
      mkdir -p "$root/${bind#*:}"
      mount --rbind "${bind%%:*}" "$root/${bind#*:}"
    done
    exec env -u TMPDIR chroot ${root_user:+--userspec="$root_user"} "$root" "$@"' bash "$root" "$binds" "$@"
}

# bare_root ARCHITECTURE SUITE: prints the folder of an installed Debian with nothing but what every Debian has. Its callers read what
# it prints, and bash continues after a failed command there.
bare_root() {
  local architecture=$1 suite=$2 root=$cache/roots/$2-$1 emulation= lock
  # Of two tools that want the same system, one makes it and the other waits.
  mkdir -p "$cache/roots"
  exec {lock}>"$root.lock"
  [ -e "$root.done" ] || flock "$lock"
  if [ ! -e "$root.done" ]; then
    command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing; apt-get install mmdebstrap"
    [ "$architecture" = amd64 ] || { require_emulator; emulation=$emulate; }
    say "making a bare Debian $suite for $architecture"
    rm -rf "$root"
    mkdir -p "$root"
    in_namespace bash -euc "mount -t proc proc /proc; $emulation"'
      exec mmdebstrap --quiet --architectures="$1" --variant=minbase --mode=root --skip=check/qemu "$2" "$3" "deb [arch=$1] $4 $2 main"
      ' bash "$architecture" "$suite" "$root" "$mirror" >&2 \
      || fail "a bare Debian $suite for $architecture cannot be made; the folder is $root"
    touch "$root.done"
  fi
  exec {lock}>&-
  echo "$root"
}

# copy_root ARCHITECTURE SUITE NAME: prints the folder of a copy of that system, without devices, which a namespace cannot make;
# in_root lends it the machine's.
copy_root() {
  local bare copy=$cache/roots/$3-$2-$1
  bare=$(bare_root "$1" "$2")
  in_namespace rm -rf "$copy"
  # shellcheck disable=SC2016
  in_namespace bash -euc 'mkdir "$2"; tar -C "$1" --exclude="./dev/*" -c . | tar -C "$2" -x' bash "$bare" "$copy"
  echo "$copy"
}
