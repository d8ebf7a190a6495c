# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A machine with Bluetooth in its kernel: Debian's own kernel under QEMU's plain emulation.

Its root is mounted read-only over 9p with a tmpfs on top, so nothing that runs there can change anything here but the
output folder. For amd64 it is this very root, so that the build here runs there as it is; for arm64, and for another Debian
than this host's, it is one that debian.sh unpacks.
"""

import gzip
import lzma
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

COMMON_PACKAGES = ["busybox-static", "cpio", "kmod"]
# What runs inside too, and what doctor's findings are corrected with.
AMD64_PACKAGES = [
    "qemu-system-x86", *COMMON_PACKAGES, "bluez", "dbus", "gcc", "libc6-dev", "python3", "util-linux", "rfkill",
    "libcap2-bin", "adduser",
]
# The emulator of single programs replays the recorded inputs.
ARM64_PACKAGES = ["qemu-system-arm", "qemu-user-static", *COMMON_PACKAGES]
KERNEL = "linux-image-amd64"
# 9p and overlay carry the root; bluetoothd wants the kernel's ciphers for pairing keys.
COMMON_MODULES = [
    "virtio_pci", "9pnet_virtio", "9p", "overlay", "ecb", "cmac", "algif_skcipher", "algif_hash", "bluetooth", "uhid",
]
# With 1 GiB programs in the machine have been seen to crash after a long run.
MEMORY = "3072"

ROOT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do insmod /modules/$module || echo "cannot load $module"; done
share="trans=virtio,version=9p2000.L"
mount -t 9p -o $share,msize=1048576,cache=loose,ro host /host || echo "cannot mount the host's root"
mount -t tmpfs upper /upper; mkdir /upper/changes /upper/work
layers="lowerdir=/host,upperdir=/upper/changes,workdir=/upper/work"
mount -t overlay -o $layers root /new || echo "cannot mount the overlay"
mount -t 9p -o $share,msize=262144 out /new/mnt || echo "cannot mount the output folder"
"""
# Runs a Python program of the output folder, and switches off.
PROGRAM = ROOT + """mount -t proc proc /new/proc; mount -t sysfs sys /new/sys; mount -t devtmpfs dev /new/dev
mkdir /new/dev/pts; mount -t devpts pts /new/dev/pts
ln -s /proc/self/fd /new/dev/fd; ln -s fd/0 /new/dev/stdin; ln -s fd/1 /new/dev/stdout; ln -s fd/2 /new/dev/stderr
mount -t tmpfs run /new/run; mount -t tmpfs tmp /new/tmp; chmod 1777 /new/tmp
ip link set lo up
chroot /new /usr/bin/python3 -B /mnt/@PROGRAM@ /mnt > /new/mnt/guest.log 2>&1
echo $? > /new/mnt/status
dmesg > /new/mnt/kernel.log
sync
poweroff -f
"""
# What systemd waits for in vain in a machine without hardware, or what takes long and is not needed.
MASKED = (
    "systemd-tmpfiles-setup.service", "systemd-tmpfiles-setup-dev.service", "systemd-binfmt.service",
    "proc-sys-fs-binfmt_misc.automount", "systemd-update-utmp.service", "systemd-udev-trigger.service",
    "systemd-sysctl.service", "systemd-sysusers.service", "systemd-journal-flush.service", "dev-hugepages.mount",
    "systemd-modules-load.service", "modprobe@.service", "systemd-timesyncd.service",
)
# Hands over to systemd, which starts the unit that `lay_unit` wrote.
SYSTEMD = ROOT + f"""for name in {" ".join(MASKED)}; do ln -sf /dev/null /new/etc/systemd/system/$name; done
: > /new/etc/fstab
cp /new/mnt/machine.target /new/mnt/machine.service /new/etc/systemd/system/
umount /proc; umount /sys; mount --move /dev /new/dev
exec switch_root /new /lib/systemd/systemd --unit=machine.target
"""
SYSTEMD_MODULES = ("autofs4",)
# Further needs of a machine with systemd.
SYSTEMD_PACKAGES = ("systemd", "python3-dbus")
TARGET = "[Unit]\nRequires=basic.target dbus.socket machine.service\nAfter=basic.target dbus.socket\n"
UNIT = """[Unit]
Requires=dbus.socket
After=basic.target dbus.socket

[Service]
Type=oneshot
ExecStart=@COMMAND@
ExecStopPost=/bin/systemctl poweroff --force --force
StandardOutput=file:/mnt/@OUTPUT@
StandardError=file:/mnt/@OUTPUT@
"""


@dataclass
class Machine:
    """What differs between the architectures."""

    name: str
    # The Debian packages that this host needs.
    packages: list[str]
    modules: list[str]
    # QEMU's command up to what both have, the console's line, and how the heartbeat leaves the machine.
    emulator: list[str]
    console: str
    serial: list[str]
    # Where guest.py writes the heartbeat to; a pattern.
    heartbeat: str
    # The Debian whose programs and kernel it has; without one they are this host's.
    suite: str | None = None

    @property
    def folder(self) -> Path:
        return cache() / f"{self.suite}-{self.name}"

    @property
    def root(self) -> Path:
        return self.folder / "root" if self.suite else Path("/")


AMD64 = Machine(
    name="amd64",
    packages=AMD64_PACKAGES,
    modules=[*COMMON_MODULES, "hci_vhci"],
    emulator=["qemu-system-x86_64", "-machine", "q35", "-cpu", "max"],
    # Its timer cannot be relied on while others build on the host, and the kernel would rather panic than boot.
    console="console=ttyS0 no_timer_check",
    serial=["-serial", "stdio"],
    heartbeat="/dev/ttyS1",
)
# Debian's kernels for arm64 have no virtual controller: the scripted one is on a terminal with a UART's line
# discipline. The machine has only one serial line, so the heartbeat takes a separate port.
ARM64 = Machine(
    name="arm64",
    packages=ARM64_PACKAGES,
    modules=[*COMMON_MODULES, "hci_uart", "virtio_console"],
    emulator=["qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57"],
    console="console=ttyAMA0",
    serial=["-device", "virtio-serial-pci", "-chardev", "file,id=heartbeat,path=/dev/stdout", "-device", "virtserialport,chardev=heartbeat"],
    heartbeat="/dev/vport*",
    suite="bookworm",
)
MACHINES = {one.name: one for one in (AMD64, ARM64)}


class Unavailable(Exception):
    """QEMU or the kernel is not available on this machine."""


def cache() -> Path:
    base = os.environ.get("BEACONS_CACHE") or Path.home() / ".cache/beacons"
    folder = Path(base) / "virtual-radio"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def quietly(words: list[str], **more) -> str:
    """Runs a program and returns its output; the end of the output is in the error."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no word of why"]
        raise RuntimeError(f"{' '.join(words[:3])}: {last[0]}")
    return done.stdout


def as_root(words: list[str]) -> list[str]:
    return words if os.geteuid() == 0 else ["sudo", "-n", *words]


def fetch(kind: Machine):
    """A Debian and its kernel, fetched once."""
    words = [Path(__file__).with_name("debian.sh"), kind.name, kind.suite, kind.folder]
    if subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Unavailable(f"cannot fetch Debian {kind.suite} for {kind.name}")


def install_packages(kind: Machine = AMD64, more: tuple[str, ...] = ()):
    def installed(package):
        words = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout == "installed"

    if platform.machine() != "x86_64":
        raise Unavailable(f"the machine is emulated for x86_64 only, and this is {platform.machine()}")
    if not shutil.which("dpkg-query") or not shutil.which("apt-get"):
        raise Unavailable("this is not a Debian system; QEMU and the kernel come from its packages")
    missing = [package for package in (*kind.packages, *more) if not installed(package)]
    if not missing:
        return
    say(f"installing {' '.join(missing)}")
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120"]
    # Old package lists may be enough: only a failed installation is a failure.
    update_package_lists()
    try:
        quietly(as_root([*apt, "install", "--no-install-recommends", *missing]))
    except (RuntimeError, OSError) as error:
        raise Unavailable(f"cannot install {' '.join(missing)}: {error}") from error


def update_package_lists():
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", "update"]
    subprocess.run(as_root(apt), stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)


def kernel(kind: Machine = AMD64) -> Path:
    """The folder of an unpacked kernel package, fetched once."""
    if kind.suite:
        fetch(kind)
        return kind.folder / "kernel"
    unpacked = [path for path in cache().glob("linux-image-*") if path.is_dir()]
    if unpacked:
        return max(unpacked, key=lambda path: path.stat().st_mtime)
    try:
        return fetch_kernel()
    except RuntimeError:
        # Old package lists can name packages that no longer exist.
        update_package_lists()
    try:
        return fetch_kernel()
    except (RuntimeError, OSError) as error:
        raise Unavailable(f"cannot fetch Debian's kernel: {error}") from error


def fetch_kernel() -> Path:
    depends = quietly(["apt-cache", "depends", KERNEL]).split()
    package = next((word for word in depends if word.startswith("linux-image-") and word[12:13].isdigit()), None)
    if package is None:
        raise RuntimeError(f"{KERNEL} names no kernel")
    say(f"fetching {package}")
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        quietly(["apt-get", "-q", "download", package], cwd=folder)
        (archive,) = Path(folder).glob("*.deb")
        quietly(["dpkg-deb", "--extract", str(archive), f"{folder}/content"])
        (modules,) = Path(folder, "content/lib/modules").iterdir()
        quietly(["depmod", "-b", f"{folder}/content", modules.name])
        os.rename(f"{folder}/content", cache() / package)
    return cache() / package


def make_initramfs(
    kernel: Path, program: str | None, out: Path, more_modules: tuple[str, ...] = (), kind: Machine = AMD64
):
    """An initramfs whose machine runs a Python program of the output folder and switches off.

    Without a program systemd is the machine's first process, and starts what `lay_unit` wrote.
    """
    if not program:
        more_modules = (*more_modules, *SYSTEMD_MODULES)
    version = next((kernel / "lib/modules").iterdir()).name
    needed = quietly(
        ["modprobe", "-d", str(kernel), "-S", version, "--show-depends", "-a", *kind.modules, *more_modules]
    )
    modules = list(dict.fromkeys(line.split()[1] for line in needed.splitlines() if line.startswith("insmod ")))
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for folder in ("bin", "proc", "sys", "dev", "host", "upper", "new", "modules"):
            (root / folder).mkdir()
        shutil.copy(kind.root / "bin/busybox", root / "bin/busybox")
        for module in map(Path, modules):
            content = module.read_bytes()
            # Debian 13 compresses them.
            (root / "modules" / module.with_suffix("").stem).write_bytes(lzma.decompress(content) if module.suffix == ".xz" else content)
        (root / "modules/order").write_text("".join(Path(module).with_suffix("").stem + "\n" for module in modules))
        (root / "init").write_text(PROGRAM.replace("@PROGRAM@", program) if program else SYSTEMD)
        (root / "init").chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        words = ["cpio", "-o", "-H", "newc", "--quiet"]
        packed = subprocess.run(words, input=names.encode(), cwd=root, capture_output=True, check=True)
        out.write_bytes(gzip.compress(packed.stdout, 1))


def lay_unit(folder: Path, command: str, output: str):
    """Writes what systemd starts in its machine: a command, whose end switches the machine off, and whose output is a file."""
    (folder / "machine.target").write_text(TARGET)
    (folder / "machine.service").write_text(UNIT.replace("@COMMAND@", command).replace("@OUTPUT@", output))


def compile_part(source: Path, out: Path, kind: Machine = AMD64):
    """Compiles a program of the machine, or a library if the name of the output is one's."""
    compiler = ["gcc"]
    if kind.name == "arm64":
        # Swift's own clang compiles for other machines.
        swift = shutil.which("swift")
        if not swift:
            raise Unavailable("programs for arm64 are compiled by Swift's clang, and no Swift is here")
        clang = str(Path(swift).resolve().with_name("clang"))
        compiler = [clang, "--target=aarch64-linux-gnu", f"--sysroot={kind.root}", "-fuse-ld=lld"]
    if out.suffix == ".so":
        compiler += ["-shared", "-fPIC"]
    quietly([*compiler, "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(out), str(source)])


def boot(
    kernel: Path, initramfs: Path, share: Path, more: tuple[str, ...] = (), kind: Machine = AMD64
) -> subprocess.Popen:
    """Starts the machine, with more devices. Its serial line is the console; the heartbeat is the process's output."""
    # Kernel 7 has it among its modules.
    image = next(path for pattern in ("boot/vmlinuz-*", "lib/modules/*/vmlinuz") for path in kernel.glob(pattern))
    words = [
        *kind.emulator, "-accel", "tcg,thread=multi", "-smp", "2", "-m", MEMORY,
        "-nodefaults", "-no-reboot", "-display", "none", "-monitor", "none",
        "-chardev", f"file,id=console,path={share}/console.log,append=on", "-serial", "chardev:console", *kind.serial,
        "-kernel", str(image), "-initrd", str(initramfs),
        # The timer of an emulated PC cannot be relied on while others build on the host, and the kernel would rather panic than boot.
        "-append", f"{kind.console} quiet loglevel=4 panic=-1 random.trust_cpu=on no_timer_check systemd.show_status=no",
        "-virtfs", f"local,path={kind.root},mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        "-virtfs", f"local,path={share},mount_tag=out,security_model=none", *more,
    ]
    with open(share / "console.log", "wb") as console:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=console)
