// What users read if the server at the address of an engine is faulty, or no engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../../src/commands/ui/errorMessage.ts';
import { listContainers } from '../../../src/engine/containers/containers.ts';
import { startFakeEngine, type Answer } from '../support/fakeEngine.ts';
import { openLab } from '../support/lab.ts';

/** A server that is not an engine, or a faulty one. */
interface Fault {
  readonly what: string;
  /** Answers a ping; default like an engine. */
  readonly ping?: Answer;
  readonly answer?: Answer;
  readonly words: RegExp;
}

/** Answers with a status, a body and headers. */
const answering =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };
const JSON_TYPE = { 'content-type': 'application/json' };
const page = answering(200, '<!doctype html><html><body><h1>It works!</h1></body></html>', {
  'content-type': 'text/html',
});

const FAULTS: readonly Fault[] = [
  {
    what: 'responds with a web page',
    ping: page,
    words: /returned a web page, not the container engine API/,
  },
  {
    what: 'responds to the list request with a web page',
    answer: page,
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'responds to every request with status 500 and no body',
    ping: answering(500),
    answer: answering(500),
    words: /500|not a container engine/,
  },
  {
    what: 'responds to the list request with status 500 and no body',
    answer: answering(500),
    words: /rejected .*500/,
  },
  {
    what: 'responds to the list request with status 500 and a message',
    answer: answering(500, '{"message":"the disk is full\\n"}', JSON_TYPE),
    words: /the disk is full$/,
  },
  {
    what: 'responds to the list request with incomplete JSON',
    answer: answering(200, '[{"Id":"abc', JSON_TYPE),
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'closes the connection in the middle of the list',
    answer: (_, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
      response.write('[{"Id":"abc', () => response.destroy());
    },
    words: /was lost before it responded/,
  },
  {
    what: 'responds to the list request with JSON that is not a list',
    answer: answering(200, '{"Id":"abc"}', JSON_TYPE),
    words: /Unexpected response from the container engine/,
  },
  {
    what: 'redirects the list request',
    answer: answering(302, '', { location: '/login' }),
    words: /Unexpected response from the container engine|302/,
  },
  {
    what: 'has an API version that is too old',
    ping: answering(200, 'OK', { 'api-version': '1.12' }),
    words: /too old/,
  },
];

/** What a server does with each connection. */
const GREETINGS: readonly [what: string, greet: (socket: Socket) => void, words: RegExp][] = [
  [
    'closes every connection immediately',
    (socket) => socket.destroy(),
    /was lost before it responded/,
  ],
  [
    'closes every connection after a request',
    (socket) => socket.once('data', () => socket.destroy()),
    /was lost before it responded/,
  ],
  [
    'uses another protocol',
    (socket) => socket.once('data', () => socket.end('220 mail.example.org\r\n')),
    /not a container engine/,
  ],
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
  for (const { what, ping, answer, words } of FAULTS) {
    it(`that ${what} is reported in one sentence`, async () => {
      const engine = await startFakeEngine(answer);
      if (ping) engine.ping(ping);
      try {
        await assertReported(engine.socket, words);
      } finally {
        await engine.stop();
      }
    });
  }
});

describe('an address without an engine', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-host-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const [what, greet, words] of GREETINGS) {
    it(`whose server ${what} is reported in one sentence`, async () => {
      const server = createServer(greet).listen(join(folder, 's'));
      await once(server, 'listening');
      await assertReported(join(folder, 's'), words).finally(() => server.close());
    });
  }

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
