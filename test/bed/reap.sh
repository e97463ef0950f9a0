# Outlives the process that made the bed, by however little: its standard input ends when that
# process asks for it or dies, SIGKILL included, and then it removes what the bed was.
#   $1  folder of the bed      $2  lines "cgroup mountpoint"
trap '' INT TERM HUP
echo ready
cat >/dev/null

groups() { printf '%s\n' "$2" | while read -r group rest; do [ ! -d "$group" ] || echo "$group"; done; }

# A group goes only when its last process has gone, zombies too, and one may just be coming in. So
# again and again, until the groups themselves are no more: after that none can enter.
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
