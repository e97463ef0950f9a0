// The bed's image: the machine's static busybox with a link for each of its programs, built without a registry.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { BedEngine } from './engines.ts';
import { askWell } from './http.ts';
import { tar, type Entry } from './tar.ts';

/** The image of the bed's containers. */
export const BED_IMAGE = 'gantry-test/busybox:latest';

const FOLDERS = ['bin/', 'dev/', 'etc/', 'proc/', 'root/', 'sys/', 'tmp/', 'var/'];

/** Returns the root file system as a tar: busybox, a link for each of its programs, and `more`. */
export function busyboxTar(...more: readonly Entry[]): Buffer {
  return tar([...FOLDERS.map((name): Entry => ({ name, kind: 'folder' })), ...files(), ...more]);
}

/** Imports the image into the engine, under a name that works for `create` with both kinds of engine. */
export async function importBusybox(engine: Pick<BedEngine, 'socket'>): Promise<void> {
  const [repo, tag] = BED_IMAGE.split(':') as [string, string];
  const query = new URLSearchParams({ fromSrc: '-', repo, tag, changes: 'CMD ["sh"]' });
  // For a user without a group, Podman starts three more processes for each archive that it sends.
  query.append('changes', 'USER 0:0');
  const how = { body: busyboxTar(), type: 'application/x-tar' };
  await askWell(engine.socket, 'POST', `/images/create?${query.toString()}`, how);
  // Check not only that the image exists, but that the engine finds it under this name.
  await askWell(engine.socket, 'GET', `/images/${BED_IMAGE}/json`);
}

function files(): Entry[] {
  const busybox = findBusybox();
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = names
    .filter((name) => name !== 'busybox')
    .map((name): Entry => ({ name: `bin/${name}`, kind: 'link', target: 'busybox' }));
  const program = { name: 'bin/busybox', kind: 'file', mode: 0o755 } as const;
  const users = Buffer.from('root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n');
  return [
    { ...program, data: readFileSync(busybox) },
    { name: 'etc/passwd', kind: 'file', data: users },
    { name: 'etc/group', kind: 'file', data: Buffer.from('root:x:0:\nnogroup:x:65534:\n') },
    ...links,
  ];
}

function findBusybox(): string {
  const found = ['/bin/busybox', '/usr/bin/busybox'].find((file) => existsSync(file));
  if (!found) throw new Error('No busybox here; Debian has it in the package busybox-static.');
  return found;
}
