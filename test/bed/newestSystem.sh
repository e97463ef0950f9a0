# Creates the root folder of a separate Debian system that contains the engines, and Docker's command-line tools for
# tests that compare with them or need what they create.
#   $1  distribution      $2  folder to create      $3  Debian mirror
# Runs in its own namespaces, so that its mounts and processes end with it.
set -eu
making=$2.making
rm -rf --one-file-system "$making"
debootstrap --variant=minbase --include=ca-certificates,iproute2,iptables,nftables "$1" "$making" "$3"

printf '#!/bin/sh\nexit 101\n' >"$making/usr/sbin/policy-rc.d"
chmod +x "$making/usr/sbin/policy-rc.d"
mount -t proc proc "$making/proc"
# A mirror may be out of date; debootstrap accepts that too.
chroot "$making" apt-get -o Acquire::Check-Valid-Until=false update
DEBIAN_FRONTEND=noninteractive chroot "$making" \
  apt-get install --yes --no-install-recommends docker.io runc podman netavark aardvark-dns docker-cli docker-compose '?exact-name(docker-buildx)'
# Packages of unstable may install but fail to run.
chroot "$making" dockerd --version
chroot "$making" podman --version
chroot "$making" docker compose version
umount "$making/proc"
rm -rf "$making"/var/cache/apt/*.bin "$making"/var/cache/apt/archives/*.deb "$making"/var/lib/apt/lists/*
mv "$making" "$2"
