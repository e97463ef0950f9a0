/**
 * What differs from the image in nearly every container, and says nothing of what a person did there: what
 * engines write themselves, and what programs leave behind.
 */

const FOLDERS: readonly string[] = [
  '/run',
  '/tmp',
  '/var/run',
  '/var/tmp',
  '/var/cache',
  '/var/log',
  '/var/lib/apt/lists',
  '/var/lib/dpkg/triggers',
  '/root/.cache',
  '/root/.npm/_logs',
  '/dev',
  '/proc',
  '/sys',
];

/** Engines put these into every container. */
const FILES: ReadonlySet<string> = new Set([
  '/.dockerenv',
  '/etc/hostname',
  '/etc/hosts',
  '/etc/mtab',
  '/etc/resolv.conf',
  '/run/.containerenv',
  '/etc/ld.so.cache',
]);

const NAMES =
  /(?:^|\/)(?:\.(?:bash|ash|zsh|python|node_repl|psql|mysql|sqlite|rediscli)_?history|\.viminfo|\.lesshst|\.wget-hsts|__pycache__)(?:\/|$)/;

/** Whether a changed path is probably of no interest. */
export function isIgnoredPath(path: string): boolean {
  if (FILES.has(path)) return true;
  return (
    FOLDERS.some((folder) => path.startsWith(folder) && isPart(path, folder)) || NAMES.test(path)
  );
}

function isPart(path: string, folder: string): boolean {
  return path.length === folder.length || path.charCodeAt(folder.length) === 0x2f;
}
