// Addresses in the settings of a folder at which nothing may be contacted.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** A socket of a server that is not an engine and counts its connections. */
export interface Trap {
  readonly path: string;
  readonly visits: () => number;
  close(): void;
}

/** Two engines that the settings of a folder name. */
export interface Traps {
  readonly host: Trap;
  readonly more: Trap;
}

/** Has the settings of an open folder name two engines, which are traps, and the title of the window. */
export async function setTraps(folder: string, title: string): Promise<Traps> {
  const host = await setTrap(join(folder, 'host.sock'));
  const more = await setTrap(join(folder, 'more.sock'));
  const engines = {
    'gantry.host': `unix://${host.path}`,
    'gantry.engines': { more: `unix://${more.path}` },
  };
  mkdirSync(join(folder, '.vscode'));
  const settings = JSON.stringify({ ...engines, 'window.title': title });
  writeFileSync(join(folder, '.vscode/settings.json'), settings);
  return { host, more };
}

async function setTrap(path: string): Promise<Trap> {
  let visits = 0;
  const server: Server = createServer((socket) => {
    visits += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, visits: () => visits, close: () => server.close() };
}
