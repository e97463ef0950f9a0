/**
 * Shell scripts that run on the remote host. They are constants: a path is sent as the first line of STDIN, so
 * that no shell interprets it. They contain no single quotes, backslashes, exclamation marks or line breaks,
 * because the login shell can be any.
 */

// Sets $f to the requested socket, else to the first existing one, preferring a writable one, and $w to rw or ro.
const FIND = [
  'IFS= read -r p',
  'f=',
  'w=ro',
  'd=',
  'case "$DOCKER_HOST" in unix://*) d=${DOCKER_HOST#unix://} ;; esac',
  'r=/run/user/$(id -u)',
  'if test -n "$p"; then set -- "$p"; ' +
    'else set -- "$d" /var/run/docker.sock "$XDG_RUNTIME_DIR/docker.sock" "$r/docker.sock"' +
    ' /run/podman/podman.sock "$XDG_RUNTIME_DIR/podman/podman.sock" "$r/podman/podman.sock"' +
    ' "$HOME/.docker/run/docker.sock"; fi',
  'for s do if test -S "$s"; then test -n "$f" || f=$s; ' +
    'if test -w "$s"; then f=$s; w=rw; break; fi; fi; done',
].join('; ');

// Podman has the same command, for a host without Docker.
const DIAL = [
  'test -n "$f" || f=$p',
  'if test -n "$f"; then DOCKER_HOST=unix://$f; export DOCKER_HOST; fi',
  'if command -v docker >/dev/null 2>&1; then exec docker system dial-stdio; fi',
  'if command -v podman >/dev/null 2>&1 && test -n "$f"; ' +
    'then exec podman --url "unix://$f" system dial-stdio; fi',
  'echo "docker: command not found" >&2; exit 127',
].join('; ');

const TELL = 'echo "gantry-socket $w $f"';

export interface RemoteSocket {
  readonly path: string;
  /** Whether the remote user can access the socket. */
  readonly isOurs: boolean;
}

/** Script that reads a path, or an empty line to search for a socket, and prints the socket it found. */
export const LOOK_UP = `sh -c '${FIND}; ${TELL}'`;

/** Like `LOOK_UP`, but runs until its STDIN ends, that is as long as the process that started it. */
export const LOOK_UP_AND_STAY = `sh -c '${FIND}; ${TELL}; exec cat >/dev/null'`;

/** Script that reads a path or an empty line, and then becomes the connection to the engine. */
export const DIAL_STDIO = `sh -c '${FIND}; ${DIAL}'`;

/** Reads the socket from the script's output; `'none'` if there is no socket, undefined if the line is not complete. */
export function readRemoteSocket(output: string): RemoteSocket | 'none' | undefined {
  // Login scripts can print something before.
  const [line, access, path] = /^gantry-socket (rw|ro) (\/.*)?$/m.exec(output) ?? [];
  if (line === undefined) return undefined;
  return path === undefined ? 'none' : { path, isOurs: access === 'rw' };
}
