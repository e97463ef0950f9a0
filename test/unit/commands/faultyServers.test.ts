// What users read if the server at the address of an engine is faulty, or no engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../../src/commands/ui/errorMessage.ts';
import { listContainers } from '../../../src/engine/containers/containers.ts';
import {
  answering,
  answeringPing,
  connecting,
  type Fake,
} from '../../editor/host/kit/fakeEngine.ts';
import { openLab } from '../support/lab.ts';

const PAGE = '<!doctype html><html><body><h1>It works!</h1></body></html>';

interface Fault {
  readonly what: string;
  readonly start: () => Promise<Fake>;
  readonly words: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'responds with a web page',
    start: () =>
      answering((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      }),
    words: /returned a web page, not the container engine API/,
  },
  {
    what: 'responds to the list request with a web page',
    start: () =>
      answeringPing((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      }),
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'responds to every request with status 500 and no body',
    start: () => answering((_, response) => response.writeHead(500).end()),
    words: /500|not a container engine/,
  },
  {
    what: 'responds to the list request with status 500 and no body',
    start: () => answeringPing((_, response) => response.writeHead(500).end()),
    words: /rejected .*500/,
  },
  {
    what: 'responds to the list request with status 500 and a message',
    start: () =>
      answeringPing((_, response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end('{"message":"the disk is full\\n"}');
      }),
    words: /the disk is full$/,
  },
  {
    what: 'responds to the list request with incomplete JSON',
    start: () =>
      answeringPing((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('[{"Id":"abc');
      }),
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'closes the connection in the middle of the list',
    start: () =>
      answeringPing((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
        response.write('[{"Id":"abc', () => response.destroy());
      }),
    words: /was lost before it responded/,
  },
  {
    what: 'responds to the list request with JSON that is not a list',
    start: () =>
      answeringPing((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"Id":"abc"}');
      }),
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'redirects the list request',
    start: () =>
      answeringPing((_, response) => response.writeHead(302, { location: '/login' }).end()),
    words: /Unexpected response from the container engine|302/,
  },
  {
    what: 'closes every connection immediately',
    start: () => connecting((socket) => socket.destroy()),
    words: /was lost before it responded/,
  },
  {
    what: 'closes every connection after a request',
    start: () => connecting((socket) => socket.once('data', () => socket.destroy())),
    words: /was lost before it responded/,
  },
  {
    what: 'uses another protocol',
    start: () =>
      connecting((socket) => socket.once('data', () => socket.end('220 mail.example.org\r\n'))),
    words: /not a container engine/,
  },
  {
    what: 'has an API version that is too old',
    start: () =>
      answering((_, response) => response.writeHead(200, { 'api-version': '1.12' }).end('OK')),
    words: /too old/,
  },
];

/** Resolves to the sentence about a failed list of containers. */
async function problemAt(address: string): Promise<string> {
  const lab = openLab();
  try {
    await listContainers(lab.connect(address), {});
  } catch (error) {
    return errorMessage(error);
  } finally {
    await lab.close();
  }
  return assert.fail('The list was requested in vain.');
}

async function assertReported(address: string, words: RegExp): Promise<void> {
  const text = await problemAt(address);
  assert.match(text, /^\S+( \S+){2,}$/, `It is no single line of words: "${text}"`);
  assert.match(text, words);
}

describe('a faulty server at the address of the engine', () => {
  let fake: Fake;
  afterEach(() => {
    fake.close();
  });

  for (const { what, start, words } of FAULTS) {
    it(`that ${what} is reported in one sentence`, async () => {
      fake = await start();
      await assertReported(fake.socket, words);
    });
  }
});

describe('an address without an engine', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-host-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('that is a folder or a regular file is reported', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const address of [folder, file, `unix://${file}`])
      await assertReported(address, /is not a socket/);
  });

  it('that is a socket without a listener is reported', async () => {
    // Node removes a socket with its server, so a process that exits leaves one behind.
    const path = join(folder, 's');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.exit())`;
    execFileSync(process.execPath, ['-e', script]);
    await assertReported(path, /not running \(connection refused\)/);
  });

  it('that does not exist is reported', () =>
    assertReported(join(folder, 'nothing'), /socket .* not found/));

  it('that is invalid is reported', async () => {
    const long = '/'.padEnd(200, 'x');
    for (const address of ['relative/path', 'ftp://a', 'unix://', 'tcp://', 'a b', long])
      await assertReported(address, /is not a valid engine address/);
  });
});
