# Makes the root of a Debian system of its own, from Debian's unstable distribution, with the engines in it.
#   $1  folder to make      $2  Debian's mirror
# Runs in namespaces of its own, so that what it mounts and starts is gone with it.
set -eu
making=$1.making
rm -rf --one-file-system "$making"
debootstrap --variant=minbase --include=ca-certificates,iproute2,iptables,nftables sid "$making" "$2"

printf '#!/bin/sh\nexit 101\n' >"$making/usr/sbin/policy-rc.d"
chmod +x "$making/usr/sbin/policy-rc.d"
mount -t proc proc "$making/proc"
# A mirror may be behind; debootstrap does not mind that either.
chroot "$making" apt-get -o Acquire::Check-Valid-Until=false update
DEBIAN_FRONTEND=noninteractive chroot "$making" \
  apt-get install --yes --no-install-recommends docker.io runc podman netavark aardvark-dns
umount "$making/proc"
rm -rf "$making"/var/cache/apt/*.bin "$making"/var/cache/apt/archives/*.deb "$making"/var/lib/apt/lists/*
mv "$making" "$1"
