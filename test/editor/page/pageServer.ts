import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pageHtml } from '../../../src/logviewer/pageHtml.ts';

const DIST = join(import.meta.dirname, '../../../dist');

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** Serves the pages of `dist` with their documents, as VS Code does. */
export interface PageServer {
  /** Returns the address of a page. With another number, the page is a new one, with nothing stored. */
  address(name: string, number: number): string;
  close(): void;
}

/** Starts a server on this machine. */
export async function servePages(): Promise<PageServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: (name, number) => `http://127.0.0.1:${port}/${name}?${number}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const origin = `http://${headers.host}`;
  const { pathname } = new URL(url, origin);
  const type = TYPES[extname(pathname)];
  if (type === undefined) {
    response.setHeader('content-type', 'text/html').end(documentOf(pathname.slice(1), origin));
    return;
  }
  const file = await readFile(join(DIST, pathname));
  // Each test loads the same files.
  response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=3600' }).end(file);
}

function documentOf(name: string, origin: string): string {
  return pageHtml({
    cspSource: origin,
    nonce: 'for-this-page-only',
    script: `${origin}/${name}.js`,
    style: `${origin}/${name}.css`,
    title: 'web',
    language: 'en',
  });
}
