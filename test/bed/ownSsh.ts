import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BedSshd } from './sshd.ts';

/**
 * Creates a folder for the PATH whose `ssh` reads this server's configuration instead of the user's.
 *
 * @param path default: in the folder of the server
 */
export function ownSsh({ folder, clientArguments }: BedSshd, path = join(folder, 'bin')): string {
  mkdirSync(path);
  const file = join(path, 'ssh');
  const [flag = '', config = ''] = clientArguments;
  writeFileSync(file, `#!/bin/sh\nexec /usr/bin/ssh ${flag} '${config}' "$@"\n`);
  chmodSync(file, 0o755);
  return path;
}
