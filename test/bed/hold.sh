# First process of a bed's namespaces (its pid namespace's init). Whatever an engine does to the
# machine it does in here, and it is gone when this process is.
#   $1  folder of the bed      $2  directory of the socket      $3  lines "cgroup mountpoint"
#   $4  root of a system whose programs go before the machine's own, if any
set -eu

# Engines want the cgroup tree's root; they get our own branch of it.
printf '%s\n' "$3" | while read -r group mountpoint; do mount --bind "$group" "$mountpoint"; done

# Locks, name files and sockets under /run would meet those of an engine of the machine's.
mkdir -p "$1/socket"
mount --bind "$2" "$1/socket"
mount -t tmpfs tmpfs /run

# Engines write keys, networks and leases there, whatever data folder they are given.
for dir in /etc /var/lib; do
  mkdir -p "/run/over$dir" "/run/work$dir"
  mount -t overlay overlay -o "lowerdir=${4:+$4$dir:}$dir,upperdir=/run/over$dir,workdir=/run/work$dir" "$dir"
done
[ -z "$4" ] || mount -t overlay overlay -o "lowerdir=$4/usr:/usr" /usr

ip link set lo up
echo ready

# An init has to collect the orphans; the shell does so while it waits.
while :; do
  sleep 86400 &
  wait
done
