# Outlives the process that made the bed, by however little: its standard input ends when that
# process asks for it or dies, SIGKILL included, and then it removes what the bed was.
#   $1  folder of the bed      $2  lines "cgroup mountpoint"
trap '' INT TERM HUP
cat >/dev/null

groups() { printf '%s\n' "$2" | while read -r group rest; do [ ! -d "$group" ] || echo "$group"; done; }
members() { for group in $(groups "$@"); do find "$group" -name cgroup.procs -exec cat {} +; done; }

tries=0
while [ "$tries" -lt 200 ]; do
  left=$(members "$@" | sort -u)
  [ -n "$left" ] || break
  # shellcheck disable=SC2086 # one word for each process
  kill -KILL $left 2>/dev/null
  sleep 0.05
  tries=$((tries + 1))
done

for group in $(groups "$@"); do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; done
rm -rf --one-file-system "$1"
