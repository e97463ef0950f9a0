import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Pseudoterminal } from 'vscode';
import { EngineError, InputError } from '../../../../src/engine/errors.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import type { SourceLookup } from '../../../../src/logs/sources/sourceLookup.ts';
import type * as terminalModule from '../../../../src/output/terminal/terminals.ts';
import {
  type FakeTerminal,
  CancellationTokenSource,
  terminalLinks,
  terminals,
} from '../../support/fakeVscode.ts';
import { act, shown } from '../../support/fakeEditor.ts';
import { FakeContainer } from '../../support/fakeContainer.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, settle, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const OWNER = { id: 'c'.repeat(64), name: 'web' };
const VIEW = { tail: 100, timestamps: false };

describe('the terminals of an engine', () => {
  let modules: typeof terminalModule;
  let lab: Lab;
  let container: FakeContainer;
  let all: terminalModule.Terminals;
  let engine: terminalModule.EngineTerminals;
  /** The requests, with the path of the container removed. */
  let asked: string[];
  /** The bodies of the requests. */
  let bodies: string[];
  let details: object;
  let sources: Pick<SourceLookup, 'find'>;
  let arePlacesDisposed: boolean;
  /** Whether shells can be started. */
  let isUpgraded: boolean;
  /** The connection of a started shell. */
  let shell: Socket | undefined;

  before(async () => {
    modules = await import('../../../../src/output/terminal/terminals.ts');
  });
  beforeEach(async () => {
    lab = openLab();
    container = new FakeContainer();
    asked = [];
    bodies = [];
    details = {};
    arePlacesDisposed = false;
    isUpgraded = false;
    shell = undefined;
    const { connection } = await lab.fake((request, response) => {
      const { path, body, method } = request;
      asked.push(`${method} ${path.replace(`/containers/${OWNER.id}`, '')}`);
      bodies.push(body);
      if (path.endsWith('/exec')) json(response, 201, { Id: 'e1' });
      else if (path.endsWith('/start') && isUpgraded) start(response, body);
      else if (path.endsWith('/start')) json(response, 409, { message: 'is paused' });
      else if (path.endsWith('/resize')) json(response, 200, {});
      else if (path.endsWith('/json') && 'Id' in details) json(response, 200, details);
      else void container.answer(request, response);
    });
    sources = { find: () => Promise.resolve(undefined) };
    all = new modules.Terminals();
    engine = new modules.EngineTerminals(all, {
      connect: () => Promise.resolve(connection),
      onDidChangeContainers: new Emitter<never>().event,
      watch: () => undefined,
      titleOf: (name) => `${name} (build)`,
      sources: {
        onDidChange: new Emitter<void>().event,
        find: (...given) => sources.find(...given),
        dispose: () => (arePlacesDisposed = true),
      },
    });
    act();
  });
  afterEach(async () => {
    engine.dispose();
    all.dispose();
    for (const terminal of terminals) terminal.dispose();
    await lab.close();
  });

  function start(response: ServerResponse, body: string): void {
    if (body.includes('"Detach":true')) {
      json(response, 200, {});
      return;
    }
    shell = response.socket ?? undefined;
    shell?.write(bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' }));
  }

  /** Returns the command in a request that creates an exec instance. */
  const commandIn = (body = ''): readonly string[] =>
    (JSON.parse(body) as { Cmd: readonly string[] }).Cmd;
  const names = (): readonly string[] => [...terminals].map(({ name }) => name);
  const only = (): FakeTerminal => {
    assert.equal(terminals.size, 1);
    return [...terminals][0] ?? assert.fail();
  };
  /** Collects what a terminal shows. */
  const screenOf = ({ pty }: { readonly pty: Pseudoterminal }): (() => string) => {
    let text = '';
    pty.onDidWrite((more) => (text += more));
    return () => text;
  };
  const running = (config: object = {}): object => ({
    ...{ Id: OWNER.id, Name: '/web', Config: config },
    State: { Running: true, Status: 'running', StartedAt: '2026-11-22T10:00:00Z' },
  });

  it('open a shell with the name of the container and its engine', async () => {
    details = running({ Env: ['LC_ALL=de_AT.UTF-8'] });
    assert.deepEqual(await engine.openShell(OWNER, 'fish'), { terminal: 'web (build)' });
    assert.equal(only().shows, 1);
    const { Cmd = [], Env } = JSON.parse(bodies.at(-1) ?? '') as Record<string, string[]>;
    assert.match(Cmd.at(-2) ?? '', /^gantry-[0-9a-f]{16}$/);
    assert.equal(Cmd.at(-1), 'fish');
    assert.deepEqual(Env, ['TERM=xterm-256color', 'COLORTERM=truecolor', 'TERM_PROGRAM=vscode']);
  });

  it('open a shell for UTF-8 if the container has no locale', async () => {
    details = running();
    await engine.openShell(OWNER, undefined);
    const { Env = [] } = JSON.parse(bodies.at(-1) ?? '') as Record<string, string[]>;
    assert.equal(Env.at(-1), 'LANG=C.UTF-8');
  });

  it('open no shell in a container that is not running', async () => {
    container.exit(0);
    await assert.rejects(
      engine.openShell(OWNER, undefined),
      new InputError('web is not running. Start it to open a shell.'),
    );
    assert.deepEqual([names(), asked], [[], ['GET /json']]);
  });

  it('pass on the input, and explain why a shell could not be started', async () => {
    details = running();
    await engine.openShell(OWNER, undefined);
    const { pty } = only();
    const text = screenOf(only());
    pty.open({ columns: 80, rows: 24 });
    await when(() => text().includes('is paused'));
    let closes = 0;
    pty.onDidClose?.(() => (closes += 1));
    pty.handleInput?.('x');
    assert.equal(closes, 1);
  });

  describe('with a running shell', () => {
    const hangUp = ['POST /exec', 'POST /exec/e1/start'];

    beforeEach(async () => {
      details = running();
      isUpgraded = true;
      await engine.openShell(OWNER, undefined);
      const [, , , mark = ''] = commandIn(bodies.at(-1));
      const text = screenOf(only());
      only().pty.open({ columns: 80, rows: 24 });
      await when(() => shell !== undefined);
      shell?.write(`${mark}:42\r\n`);
      await when(() => asked.at(-1) === 'POST /exec/e1/resize');
      shell?.write('\r\n$ ');
      await when(() => text() === '$ ');
      asked.length = 0;
    });

    it('end it when the window closes', async () => {
      await all.end();
      assert.deepEqual(asked, hangUp);
      assert.equal(commandIn(bodies.at(-2)).at(-1), '42');
    });

    it('end it when the user closes the terminal, and not again', async () => {
      only().dispose();
      await when(() => asked.length === 2);
      await settle();
      await all.end();
      assert.deepEqual(asked, hangUp);
    });
  });

  it('attach to a running container that takes input', async () => {
    details = running({ OpenStdin: true });
    assert.deepEqual(await engine.attach(OWNER), { terminal: 'web (build) (attached)' });
    assert.equal(only().shows, 1);
    details = running({ OpenStdin: false });
    await assert.rejects(engine.attach(OWNER), InputError);
    assert.equal(terminals.size, 1);
  });

  it('show a log once with the same options, and again with others or after it was closed', async () => {
    container.start();
    container.write('listening on 8080\n');
    assert.deepEqual(await engine.openLog(OWNER, VIEW), { terminal: 'web (build) (log)' });
    const first = only();
    const text = screenOf(first);
    first.pty.open(undefined);
    await when(() => text().includes('listening on 8080'));
    await engine.openLog(OWNER, VIEW);
    assert.deepEqual([only(), first.shows], [first, 2]);
    await engine.openLog(OWNER, { ...VIEW, timestamps: true });
    const second = only();
    assert.notEqual(second, first);
    second.dispose();
    await engine.openLog(OWNER, { ...VIEW, timestamps: true });
    assert.notEqual(only(), second);
  });

  it('show a log once if it is requested twice at the same moment', async () => {
    container.start();
    const opened = await Promise.all([engine.openLog(OWNER, VIEW), engine.openLog(OWNER, VIEW)]);
    assert.deepEqual(opened, Array(2).fill({ terminal: 'web (build) (log)' }));
    assert.equal(only().shows, 2);
  });

  it('open none for the log of a container that was removed', async () => {
    container.remove();
    await failure(engine.openLog(OWNER, VIEW), 'notFound');
    assert.deepEqual(names(), []);
  });

  it('close the logs, but not the shells, with the connection to their engine', async () => {
    container.start();
    await engine.openLog(OWNER, VIEW);
    details = running();
    await engine.openShell(OWNER, undefined);
    assert.deepEqual(engine.sessions, ['web (build)']);
    engine.dispose();
    assert.deepEqual(names(), ['web (build)']);
    assert.equal(arePlacesDisposed, true);
  });

  it('open none for a log that is still being opened when its engine is removed', async () => {
    container.start();
    const opened = failure(engine.openLog(OWNER, VIEW), 'engineRemoved');
    engine.dispose();
    await opened;
    assert.deepEqual(names(), []);
  });

  describe('with links', () => {
    const start = { path: '/home/me/a.js', title: 'a.js', line: undefined, column: undefined };
    const line = 'at handle (/app/src/server.js:12:34)';

    /** Returns the links that VS Code gets for a line of a terminal. */
    async function linksOf(terminal: unknown, text = line) {
      const [provider] = terminalLinks;
      assert(provider);
      const { token } = new CancellationTokenSource();
      const context = { line: text, terminal } as never;
      const links = (await provider.provideTerminalLinks(context, token)) ?? [];
      return { provider, links };
    }

    beforeEach(async () => {
      details = running();
      await engine.openShell(OWNER, undefined);
    });

    it('open the file of the container at the line that its output names', async () => {
      const found: unknown[] = [];
      sources = {
        find: (id, { start, end }) => {
          found.push([id, line.slice(start, end)]);
          const place = { path: '/home/me/shop/src/server.js', line: 12, column: 34 };
          return Promise.resolve({ ...place, title: 'src/server.js\n:12' });
        },
      };
      const { provider, links } = await linksOf(only());
      assert.deepEqual(found, [[OWNER.id, '/app/src/server.js:12:34']]);
      const [link] = links;
      assert(link);
      const { startIndex, length, tooltip } = link;
      assert.equal(line.slice(startIndex, startIndex + length), '/app/src/server.js:12:34');
      assert.equal(tooltip, 'src/server.js :12');
      await provider.handleTerminalLink(link);
      assert.equal(shown().at(-1)?.text, 'file:///home/me/shop/src/server.js:11:33');
    });

    it('begin at the first line if the output names none', async () => {
      sources = { find: () => Promise.resolve(start) };
      const { provider, links } = await linksOf(only());
      for (const link of links) await provider.handleTerminalLink(link);
      assert.equal(shown().at(-1)?.text, 'file:///home/me/a.js:0:0');
    });

    it('are at most 8 in a line', async () => {
      sources = { find: () => Promise.resolve(start) };
      const { links } = await linksOf(only(), `${line} `.repeat(20));
      assert.equal(links.length, 8);
    });

    it('are none without a file, without a connection, or in terminals of others', async () => {
      assert.deepEqual((await linksOf(only())).links, []);
      sources = { find: () => Promise.reject(new EngineError('cut')) };
      assert.deepEqual((await linksOf(only())).links, []);
      sources = { find: () => Promise.resolve(start) };
      assert.deepEqual((await linksOf({ name: 'bash' })).links, []);
      const terminal = only();
      terminal.dispose();
      await settle();
      assert.deepEqual((await linksOf(terminal)).links, []);
    });
  });
});
