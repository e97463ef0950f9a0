// What the bed requires of the machine, and how to install it. Runs before anything is installed, so it uses
// only Node's own modules and runs on Node 20 too.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall, hasApt } from './apt.mjs';

/** @typedef {(line: string) => void} Log */

/**
 * @typedef {object} Part
 * @property {string} what description for messages
 * @property {readonly string[]} packages Debian package names
 * @property {readonly (readonly string[])[]} needs for each requirement, alternative commands or absolute paths
 * @property {boolean} [root] requires root
 */

/**
 * @typedef {object} Missing
 * @property {PartName} part
 * @property {string} what
 * @property {string} how a sentence on how to install the part
 */

/** @typedef {'docker' | 'podman' | 'registry' | 'ssh' | 'tls' | 'newest' | 'browser'} PartName */

const SPACE = {
  packages: ['util-linux', 'iproute2', 'iptables', 'busybox-static'],
  needs: [['unshare'], ['nsenter'], ['setpriv'], ['ip'], ['iptables'], ['busybox']],
};

/** @type {Readonly<Record<PartName, Part>>} */
const PARTS = {
  docker: {
    what: 'a throwaway Docker engine',
    // Newer releases have the CLI in a separate package, which older ones do not know.
    packages: ['docker.io', '?exact-name(docker-cli)', 'runc', ...SPACE.packages],
    needs: [['dockerd'], ['docker'], ['containerd'], ['runc'], ...SPACE.needs],
    root: true,
  },
  podman: {
    what: 'a throwaway Podman engine',
    packages: ['podman', 'crun', 'runc', 'containernetworking-plugins', ...SPACE.packages],
    needs: [
      ['podman'],
      ['runc'],
      ['/usr/lib/cni/bridge', '/usr/libexec/cni/bridge', '/usr/lib/podman/netavark'],
      ...SPACE.needs,
    ],
    root: true,
  },
  registry: {
    what: 'a registry to pull from',
    packages: ['docker-registry', 'apache2-utils'],
    needs: [['docker-registry'], ['htpasswd']],
    root: true,
  },
  ssh: {
    what: 'a machine to reach by ssh',
    packages: ['openssh-server', 'openssh-client'],
    needs: [['/usr/sbin/sshd', '/usr/bin/sshd'], ['ssh'], ['ssh-keygen']],
    root: true,
  },
  tls: {
    what: 'certificates for encrypted engines',
    packages: ['openssl'],
    needs: [['openssl']],
  },
  newest: {
    what: "today's engines out of Debian's unstable distribution",
    packages: ['apt', 'dpkg'],
    needs: [['apt-get'], ['dpkg-deb'], ['xargs']],
    root: true,
  },
  browser: {
    what: 'a browser without a window',
    // The build for tests, which needs half as many other packages as the whole browser.
    packages: ['chromium-headless-shell', 'fonts-open-sans'],
    needs: [
      [
        ...(process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []),
        'chromium-headless-shell',
        'chromium',
        'chromium-browser',
        'google-chrome',
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ],
      ['/usr/share/fonts/truetype/open-sans', '/System/Library/Fonts'],
    ],
  },
};

/** Folders of system administration programs, which the PATH of some root shells omits. */
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Returns the PATH including the folders of system administration programs. */
export function fullPath() {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return [...path, ...SBIN.filter((folder) => !path.includes(folder))].join(delimiter);
}

/** @param {string} command a name or an absolute path */
function isThere(command) {
  const paths = fullPath()
    .split(delimiter)
    .map((folder) => join(folder, command));
  return (command.startsWith('/') ? [command] : paths).some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const isRoot = () => process.getuid?.() === 0;

/** @param {PartName} name */
function lacks(name) {
  return PARTS[name].needs.filter((choices) => !choices.some(isThere)).map(([first]) => first);
}

/** Quotes a word for a shell. @param {string} word */
function quoted(word) {
  return /[()]/.test(word) ? `'${word}'` : word;
}

/**
 * @param {PartName} name
 * @returns {Missing | undefined}
 */
function missing(name) {
  const { what, packages, root = false } = PARTS[name];
  if (root && process.platform !== 'linux')
    return {
      part: name,
      what,
      how: 'It runs on Linux only: use a Linux machine or a virtual one.',
    };
  const absent = lacks(name);
  if (absent.length > 0) {
    const install = `apt-get install --no-install-recommends ${packages.map(quoted).join(' ')}`;
    const how = `Not found: ${absent.join(', ')}. As root on Debian or Ubuntu: ${install}`;
    return { part: name, what, how };
  }
  if (root && !isRoot())
    return { part: name, what, how: 'Only root may make its namespaces: run as root (sudo).' };
  return undefined;
}

/**
 * Returns the missing parts, with instructions for each.
 *
 * @param {readonly PartName[]} names
 * @returns {Missing[]}
 */
export function missingParts(names) {
  return names.map(missing).filter((part) => part !== undefined);
}

/**
 * Installs the missing parts if possible: as root on Debian and its derivatives.
 *
 * @param {readonly PartName[]} names
 * @param {Log} log
 * @returns {Promise<Missing[]>} the parts that are still missing
 */
export async function provideParts(names, log) {
  const absent = names.filter((name) => lacks(name).length > 0);
  if (absent.length > 0 && isRoot() && hasApt()) {
    const packages = [...new Set(absent.flatMap((name) => PARTS[name].packages))];
    await aptInstall(packages, log, () => absent.some((name) => lacks(name).length > 0));
  }
  return missingParts(names);
}

/** Returns whether this machine can open a window on a screen. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

/** Returns whether this machine has a `code` command that can open VS Code. */
export function hasDesktopCode() {
  return isThere('code') && hasDisplay();
}
