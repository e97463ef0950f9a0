// What the bed needs of the machine, and how it gets there. Runs before anything is installed, so
// with Node's own modules only and on Node 20 as well.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall, hasApt } from './apt.mjs';

/** @typedef {(line: string) => void} Log */

/**
 * @typedef {object} Part
 * @property {string} what for a sentence
 * @property {readonly string[]} packages Debian's names
 * @property {readonly (readonly string[])[]} needs for each, one of these commands or absolute paths
 * @property {boolean} [root] of no use without root
 */

/**
 * @typedef {object} Missing
 * @property {PartName} part
 * @property {string} what
 * @property {string} how a sentence on how to get it
 */

/** @typedef {'docker' | 'podman' | 'registry' | 'ssh' | 'tls' | 'newest' | 'browser' | 'vscode'} PartName */

const SPACE = {
  packages: ['util-linux', 'iproute2', 'iptables', 'busybox-static'],
  needs: [['unshare'], ['nsenter'], ['setpriv'], ['ip'], ['iptables'], ['busybox']],
};

/** @type {Readonly<Record<PartName, Part>>} */
const PARTS = {
  docker: {
    what: 'a throwaway Docker engine',
    // Newer releases have the command line in a package of its own; older ones know no such name.
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
    packages: ['debootstrap'],
    needs: [['debootstrap'], ['apt-get']],
    root: true,
  },
  browser: {
    what: 'a browser without a window',
    packages: ['chromium', 'fonts-open-sans'],
    needs: [
      [
        ...(process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []),
        'chromium',
        'chromium-browser',
        'google-chrome',
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ],
      ['/usr/share/fonts/truetype/open-sans', '/System/Library/Fonts'],
    ],
  },
  vscode: {
    what: "the compiler for two modules of VS Code's server",
    packages: ['g++', 'make', 'python3'],
    needs: [['g++'], ['make'], ['python3']],
  },
};

/** Where administrators' programs are, which some shells of root's leave out. */
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** A PATH that has the administrators' programs too. */
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

/** For a shell. @param {string} word */
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
 * The parts that are not there, with words on how to get each.
 *
 * @param {readonly PartName[]} names
 * @returns {Missing[]}
 */
export function missingParts(names) {
  return names.map(missing).filter((part) => part !== undefined);
}

/**
 * Installs what is missing where that can be done: by root on Debian and its kin.
 *
 * @param {readonly PartName[]} names
 * @param {Log} log
 * @returns {Promise<Missing[]>} what is missing still
 */
export async function provideParts(names, log) {
  const absent = names.filter((name) => lacks(name).length > 0);
  if (absent.length > 0 && isRoot() && hasApt()) {
    const packages = [...new Set(absent.flatMap((name) => PARTS[name].packages))];
    await aptInstall(packages, log, () => absent.some((name) => lacks(name).length > 0));
  }
  return missingParts(names);
}

/** Whether a window can be opened on this machine's screen. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

/** Whether this machine has a `code` that opens VS Code. */
export function hasDesktopCode() {
  return isThere('code') && hasDisplay();
}
