# First process of a bed's namespaces (the init of its PID namespace). All changes that an engine makes to
# the system stay in here, and are gone when this process ends.
#   $1  folder of the bed      $2  directory of the socket      $3  lines "cgroup mountpoint"
#   $4  root of a system whose programs take precedence over those of the machine, if any
set -eu

# Engines require the root of the cgroup tree; they get the bed's own branch as the root.
printf '%s\n' "$3" | while read -r group mountpoint; do mount --bind "$group" "$mountpoint"; done

# Locks, name files and sockets under /run would conflict with those of an engine of the machine.
mkdir -p "$1/socket"
mount --bind "$2" "$1/socket"
mount -t tmpfs tmpfs /run

# Engines write keys, networks and leases there, whatever their data folder is.
for dir in /etc /var/lib; do
  mkdir -p "/run/over$dir" "/run/work$dir"
  mount -t overlay overlay -o "lowerdir=${4:+$4$dir:}$dir,upperdir=/run/over$dir,workdir=/run/work$dir" "$dir"
done
[ -z "$4" ] || mount -t overlay overlay -o "lowerdir=$4/usr:/usr" /usr

# Podman searches the package database for each of its programs in every response to /version and /info, which takes
# half a second of CPU time. An empty database ends the search at once.
[ ! -d /var/lib/dpkg ] || mount -t tmpfs tmpfs /var/lib/dpkg

ip link set lo up
echo ready

# An init has to reap orphans; the shell does so while it waits.
while :; do
  sleep 86400 &
  wait
done
