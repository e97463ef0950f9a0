import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusal, run } from '../kit/commands.ts';
import { answering, answeringPing, connecting, type Fake } from '../kit/fakeEngine.ts';
import { useLab } from '../kit/lab.ts';
import { useHost } from '../kit/settings.ts';

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

async function assertWorks(): Promise<void> {
  assert.ok((await run('images.list', {})).length > 0);
  assert.ok(Array.isArray(await run('containers.list', {})));
}

describe('a faulty server at the address of the engine', () => {
  const lab = useLab('engine');
  let fake: Fake | undefined;

  afterEach(async () => {
    await useHost(undefined);
    fake?.close();
    fake = undefined;
  });

  for (const { what, start, words } of FAULTS) {
    it(`that ${what} is reported in one sentence, and another engine works afterwards`, async () => {
      fake = await start();
      await useHost(fake.socket);
      await refusal(run('containers.list', {}), words);
      await useHost(undefined);
      await assertWorks();
    });
  }

  it('is reported by all commands', async () => {
    fake = await connecting((socket) => socket.destroy());
    await useHost(fake.socket);
    const verbs = ['start', 'stop', 'restart', 'kill', 'pause', 'unpause', 'remove'] as const;
    for (const verb of verbs)
      await refusal(run(`containers.${verb}`, { id: 'web' }), /was lost before it responded/);
    const id = 'f'.repeat(64);
    await refusal(
      run('containers.wait', { id, condition: 'next-exit' }),
      /was lost before it responded/,
    );
    await refusal(run('containers.logs', { id }), /was lost before it responded/);
    await refusal(run('containers.inspect', { id }), /was lost before it responded/);
    await refusal(
      run('containers.commit', { id, repository: 'a' }),
      /was lost before it responded/,
    );
    await refusal(run('containers.create', { image: 'busybox' }), /was lost before it responded/);
    await refusal(run('images.list', {}), /was lost before it responded/);
    await refusal(run('images.pull', { reference: 'busybox' }), /was lost before it responded/);
    await refusal(run('images.remove', { id: 'busybox' }), /was lost before it responded/);
  });

  it('does not prevent using an engine that is available later', async () => {
    fake = await connecting((socket) => socket.destroy());
    const { socket } = fake;
    await useHost(socket);
    await refusal(run('containers.list', {}), /was lost before it responded/);
    fake.close();
    await refusal(run('containers.list', {}), /socket .* not found/);
    await useHost(undefined);
    const id = await lab.container(['true']);
    assert.ok((await run('containers.list', { all: true })).some((one) => one.id === id));
  });
});

describe('the setting gantry.host', () => {
  useLab('host');
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-host-'));
  });
  afterEach(async () => {
    await useHost(undefined);
    rmSync(folder, { recursive: true });
  });

  async function assertRefused(host: string, words: RegExp): Promise<void> {
    await useHost(host);
    await refusal(run('containers.list', {}), words);
    await useHost(undefined);
    await assertWorks();
  }

  it('rejects a folder', () => assertRefused(folder, /is not a socket/));

  it('rejects a regular file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await assertRefused(file, /is not a socket/);
    await assertRefused(`unix://${file}`, /is not a socket/);
  });

  it('rejects a socket without a listener', async () => {
    // Node removes a socket with its server, so a process that exits leaves one behind.
    const { execFileSync } = await import('node:child_process');
    const path = join(folder, 's');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.exit())`;
    execFileSync(process.execPath, ['-e', script], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    await assertRefused(path, /not running \(connection refused\)/);
  });

  it('rejects a missing path', () => assertRefused(join(folder, 'nothing'), /socket .* not found/));

  it('rejects an invalid address', async () => {
    for (const host of [
      'relative/path',
      'ftp://a',
      'unix://',
      'tcp://',
      'a b',
      '/'.padEnd(200, 'x'),
    ]) {
      await assertRefused(host, /is not a valid engine address/);
    }
  });

  it('prevents the use of any other engine, even if that of DOCKER_HOST runs', async () => {
    await useHost(join(folder, 'nothing'));
    await refusal(run('containers.list', {}), /nothing/);
    await refusal(run('images.list', {}), /nothing/);
  });
});
