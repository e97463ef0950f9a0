// The engine versions in use today, from Debian unstable, installed as a separate system in the checkout. Falls
// back to the engines of Debian 13, then to those of the machine.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isStopped, run, type Sink } from './programs.ts';
import { missingParts } from './system.mjs';
import { locked } from './vscode/lock.mjs';

const OUT = join(import.meta.dirname, '../../.bed');

/** A system with engines. */
export interface NewestSystem {
  /** Root folder; empty for the machine's own system. */
  readonly root: string;
  /** A sentence for the end of the run if the engines are not those of unstable. */
  readonly shortfall: string | undefined;
}

/** A distribution: its name for debootstrap and its display name. */
interface Distribution {
  readonly suite: string;
  readonly name: string;
}

/** In the order of preference. */
const DISTRIBUTIONS: readonly Distribution[] = [
  { suite: 'sid', name: 'Debian unstable' },
  { suite: 'trixie', name: 'Debian 13' },
];

/**
 * Longer than fetching or installing any package takes without output: a longer silence means a dead
 * connection.
 */
const SILENCE_MS = 90_000;

/** The folder of the plugins of the Docker CLI in a system. */
export const PLUGINS = 'usr/libexec/docker/cli-plugins';

let found: Promise<NewestSystem> | undefined;

/**
 * Resolves to the newest available system; a run looks for it only once. An existing folder is used as it is.
 * Unstable changes over time, so remove the folder to install it again.
 */
export function newestSystem(sink: Sink): Promise<NewestSystem> {
  return (found ??= findSystem(sink, DISTRIBUTIONS));
}

/** Resolves to a note for the end of the run if the system in use is not the newest, otherwise to undefined. */
export async function shortfall(): Promise<string | undefined> {
  return (await found?.catch(() => undefined))?.shortfall;
}

async function findSystem(
  sink: Sink,
  distributions: readonly Distribution[],
): Promise<NewestSystem> {
  const failed: string[] = [];
  for (const distribution of distributions) {
    try {
      return told(await systemOf(distribution, sink), distribution.name, failed);
    } catch (error) {
      if (isStopped()) throw error;
      sink(`${error instanceof Error ? error.message : String(error)}\n`);
      failed.push(distribution.name);
    }
  }
  return told('', 'this machine', failed);
}

function told(root: string, name: string, failed: readonly string[]): NewestSystem {
  if (failed.length === 0) return { root, shortfall: undefined };
  const missing = failed.join(' and ');
  return { root, shortfall: `Engines of ${name}: ${missing} could not be installed.` };
}

/** Resolves to the root folder of the distribution's system; installs the system if it is missing. */
async function systemOf({ suite, name }: Distribution, sink: Sink): Promise<string> {
  const root = join(OUT, suite);
  await locked(
    `${root}.lock`,
    async () => {
      if (existsSync(join(root, PLUGINS, 'docker-compose'))) return;
      // An earlier checkout installed the engines alone.
      rmSync(root, { recursive: true, force: true });
      const began = performance.now();
      await make(suite, root);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      sink(`Engines of ${name} installed in ${root}, ${seconds} s\n`);
    },
    (pid) => sink(`Another run (process ${pid}) is making ${root}; waiting for it …\n`),
  );
  return root;
}

async function make(suite: string, root: string): Promise<void> {
  const [missing] = missingParts(['newest']);
  if (missing) throw new Error(`${missing.what}: ${missing.how}`);
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // Kills everything inside when this process ends in any way.
  const bound = ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces];
  const script = ['sh', join(import.meta.dirname, 'newestSystem.sh'), suite, root, mirror()];
  let said = '';
  const hear = (text: string): void => {
    said = (said + text).slice(-4000);
  };
  const code = await run([...bound, ...script], hear, {}, SILENCE_MS);
  if (code === 0) return;
  rmSync(`${root}.making`, { recursive: true, force: true });
  throw new Error(`No system could be made at ${root}:\n${said}`);
}

/** Returns the mirror of the machine's own packages. */
function mirror(): string {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian', 'Label: Debian'];
  const [first = ''] = execFileSync('apt-get', args, { encoding: 'utf8' }).split('\n');
  if (first === '') throw new Error("apt names no mirror of Debian's.");
  return first;
}
