// The engines that people run today, out of Debian's unstable distribution: a system of its own in the checkout.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Sink } from './programs.ts';
import { locked } from './vscode/lock.mjs';

const OUT = join(import.meta.dirname, '../../.bed');

/**
 * Makes the system, unless it is there already; unstable moves on, so remove the folder to have it made again.
 * Resolves to its root.
 */
export async function newestSystem(sink: Sink): Promise<string> {
  const root = join(OUT, 'sid');
  await locked(
    join(OUT, 'sid.lock'),
    async () => {
      if (!existsSync(root)) await make(root, sink);
    },
    (pid) => {
      sink(`Another run (process ${pid}) is making ${root}; waiting for it …\n`);
    },
  );
  return root;
}

async function make(root: string, sink: Sink): Promise<void> {
  sink(`Making ${root} of Debian's unstable distribution, which takes about two minutes …\n`);
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // However this process ends, all that goes on in there ends with it.
  const bound = ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces];
  const script = ['sh', join(import.meta.dirname, 'newestSystem.sh'), root, mirror()];
  let said = '';
  const hear = (text: string): void => {
    said = (said + text).slice(-4000);
  };
  const code = await run([...bound, ...script], hear);
  if (code !== 0) throw new Error(`No system could be made at ${root}:\n${said}`);
}

/** Where this machine's own packages come from. */
function mirror(): string {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian', 'Label: Debian'];
  const [first = ''] = execFileSync('apt-get', args, { encoding: 'utf8' }).split('\n');
  if (first === '') throw new Error("apt names no mirror of Debian's.");
  return first;
}
