import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BedSshd } from './sshd.ts';

/** Creates a folder for the PATH whose `ssh` reads this server's configuration instead of the user's. */
export function ownSsh({ folder, clientArguments }: BedSshd): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  const file = join(path, 'ssh');
  const [flag = '', config = ''] = clientArguments;
  writeFileSync(file, `#!/bin/sh\nexec /usr/bin/ssh ${flag} '${config}' "$@"\n`);
  chmodSync(file, 0o755);
  return path;
}
