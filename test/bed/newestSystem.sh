# Creates the root folder of a separate Debian system that contains the engines, and Docker's command-line tools for
# tests that compare with them or need what they create.
#   $1  distribution      $2  folder to create      $3  Debian mirror
# Its packages are only unpacked, which takes a third of the time of an installation: engines run with its /usr on
# top of that of the machine, so they need none of the users, links and caches that an installation creates.
set -eu
making=$2.making
state=$making/apt
rm -rf --one-file-system "$making"
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] $3 $1 main" >"$state/sources.list"

apt_get() {
  # A mirror may be out of date.
  apt-get -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state" \
    -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o Acquire::Languages=none \
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
apt_get update
apt_get install --yes --download-only --no-install-recommends \
  docker.io runc podman netavark aardvark-dns iproute2 iptables nftables \
  docker-cli docker-compose '?exact-name(docker-buildx)'

for dir in bin lib lib64 sbin; do
  mkdir -p "$making/usr/$dir"
  ln -s "usr/$dir" "$making/$dir"
done
mkdir -p "$making/dev" "$making/etc" "$making/proc" "$making/var/lib"
find "$state/archives" -name '*.deb' -print0 | xargs -0 -P "$(nproc)" -I{} dpkg-deb --extract {} "$making"
mount -t proc proc "$making/proc"
: >"$making/dev/null"
mount --bind /dev/null "$making/dev/null"
# Packages of unstable may be available but fail to run.
chroot "$making" dockerd --version
chroot "$making" podman --version
chroot "$making" docker compose version
umount "$making/proc" "$making/dev/null"
rm -rf "$state"
mv "$making" "$2"
