# Outlives the process that created the bed, and then removes the bed: stdin ends when that process closes
# it or dies, even from SIGKILL.
#   $1  folder of the bed      $2  lines "cgroup mountpoint"
trap '' INT TERM HUP
echo ready
cat >/dev/null

groups() { printf '%s\n' "$2" | while read -r group rest; do [ ! -d "$group" ] || echo "$group"; done; }

# A group can be removed only after its last process is gone, including zombies, and another process may be
# about to join. So repeat until the groups themselves are gone: after that, no process can join.
tries=0
while [ "$tries" -lt 400 ] && left=$(groups "$@") && [ -n "$left" ]; do
  for group in $left; do
    members=$(find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null)
    # shellcheck disable=SC2086 # one word for each process
    [ -z "$members" ] || kill -KILL $members 2>/dev/null
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
  done
  sleep 0.02
  tries=$((tries + 1))
done

rm -rf --one-file-system "$1"
