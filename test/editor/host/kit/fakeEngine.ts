// Servers on a socket that are not an engine, or a faulty one.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Fake {
  readonly socket: string;
  close(): void;
}

/** Starts a server that passes every request to `answer`. */
export async function answering(answer: RequestListener): Promise<Fake> {
  return listen(createServer(answer));
}

/** Starts a server with a valid response to the ping; passes all other requests to `answer`. */
export async function answeringPing(answer: RequestListener): Promise<Fake> {
  return answering((request, response) => {
    if (request.url?.endsWith('/_ping') !== true) {
      answer(request, response);
      return;
    }
    response.writeHead(200, { 'api-version': '1.41', 'content-type': 'text/plain' });
    response.end('OK');
  });
}

/** Starts a server that passes every connection to `greet`. */
export async function connecting(greet: (socket: Socket) => void): Promise<Fake> {
  return listen(createRawServer(greet));
}

async function listen(server: Server): Promise<Fake> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-fake-'));
  const socket = join(folder, 's');
  const open = new Set<Socket>();
  server.on('connection', (one: Socket) => {
    open.add(one.on('error', () => undefined).on('close', () => open.delete(one)));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    close: () => {
      server.close();
      for (const one of open) one.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
