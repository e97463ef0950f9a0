/**
 * What is run on the other machine. These are constants: a path goes in as the first line of the input, so that no
 * shell ever reads it. They have neither quotes of their own kind nor line ends, for the other machine's login shell
 * may be any.
 */

// Sets $f to the socket that was asked for, else to the first one there is, rather one that may be used.
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

// Podman has a command of the same name, for where there is no Docker.
const DIAL = [
  'test -n "$f" || f=$p',
  'if test -n "$f"; then DOCKER_HOST=unix://$f; export DOCKER_HOST; fi',
  'if command -v docker >/dev/null 2>&1; then exec docker system dial-stdio; fi',
  'if command -v podman >/dev/null 2>&1 && test -n "$f"; ' +
    'then exec podman --url "unix://$f" system dial-stdio; fi',
  'echo "docker: command not found" >&2; exit 127',
].join('; ');

const TELL = 'echo "gantry-socket $w $f"';

/** A socket on the other machine. */
export interface RemoteSocket {
  readonly path: string;
  /** Whether that user may use it. */
  readonly isOurs: boolean;
}

/** Reads a path, or an empty line to have one looked for, and says what it found. */
export const LOOK_UP = `sh -c '${FIND}; ${TELL}'`;

/** The same, and lasts until its input ends: with whoever started it. */
export const LOOK_UP_AND_STAY = `sh -c '${FIND}; ${TELL}; exec cat >/dev/null'`;

/** Reads a path or an empty line, and is from then on the engine's connection. */
export const DIAL_STDIO = `sh -c '${FIND}; ${DIAL}'`;

/** What was found; `'none'` where nothing is, undefined where there is no word of it yet. */
export function readRemoteSocket(output: string): RemoteSocket | 'none' | undefined {
  // Login scripts may have had their say before.
  const [line, access, path] = /^gantry-socket (rw|ro) (\/.*)?$/m.exec(output) ?? [];
  if (line === undefined) return undefined;
  return path === undefined ? 'none' : { path, isOurs: access === 'rw' };
}
