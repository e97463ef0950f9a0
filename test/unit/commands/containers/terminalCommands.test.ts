import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { shellOptionsCommand } from '../../../../src/commands/containers/shellOptionsCommand.ts';
import {
  attachCommand,
  openShellCommand,
} from '../../../../src/commands/containers/terminalCommands.ts';
import type { Memento } from '../../../../src/base/lifetime.ts';
import type { ContainerDetails } from '../../../../src/engine/containers/containerDetails.ts';
import { inspectContainer } from '../../../../src/engine/containers/containers.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { UnfinishedWork } from '../../../../src/files/unfinishedWork.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { checkAttachable } from '../../../../src/output/terminal/attachTerminal.ts';
import type { TerminalOwner } from '../../../../src/output/terminal/pty.ts';
import type { EngineTerminals, PreparedShell } from '../../../../src/output/terminal/terminals.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import {
  containerRow,
  fakeMemento,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ESCAPE, give, pick, type, type Answer } from '../../support/scriptedUi.ts';

describe('attaching to a container', () => {
  const web = container('a', { name: 'web' });
  const opened: string[] = [];
  let lab: CommandLab;
  afterEach(() => lab.close());

  async function attach(OpenStdin: boolean): Promise<unknown> {
    opened.length = 0;
    const terminals = {
      attach: async (owner: TerminalOwner) => {
        const connection = await lab.context.engine.connect();
        checkAttachable(await inspectContainer(connection, owner.id), owner);
        return { terminal: owner.name };
      },
      openShell: ({ name }: TerminalOwner) => Promise.resolve(opened.push(`shell ${name}`)),
    };
    const logs = { open: ({ name }: TerminalOwner) => Promise.resolve(opened.push(`log ${name}`)) };
    const parts = {
      terminals: () => Promise.resolve(terminals),
      logs: () => Promise.resolve(logs),
    } as unknown as Partial<CommandContext>;
    lab = await openCommandLab((_, response) => {
      const State = { Running: true, Status: 'running' };
      json(response, 200, { Id: web.id, Name: '/web', State, Config: { OpenStdin } });
    }, parts);
    const settings = { logTail: () => 100, logsOpenIn: () => 'output' };
    lab.ui.settings = settings as unknown as Settings;
    return lab.run(attachCommand(), containerRow(web));
  }

  it('explains why it is not possible without STDIN, and offers a shell or the log instead', async () => {
    await attach(false);
    const { kind, text, buttons, press } = lab.ui.shown.at(-1) ?? assert.fail();
    assert.equal(kind, 'info');
    assert.match(text, /^web was created without STDIN and takes no input\./);
    assert.deepEqual(buttons, ['Open Shell', 'Show Logs']);
    for (const button of buttons) await press?.(button);
    assert.deepEqual(opened, ['shell web', 'log web']);
  });

  it('shows no message if it succeeds', async () => {
    assert.deepEqual(await attach(true), { terminal: 'web' });
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress'],
    );
  });
});

describe('a shell in a container', () => {
  it('is remembered until it ends, to be opened again after the window has ended', async () => {
    const web = container('a', { name: 'web', state: 'running' });
    const memory = fakeMemento();
    let prepared: PreparedShell | undefined;
    let isRefused = false;
    const terminals = {
      openShell: (...[, , , given]: Parameters<EngineTerminals['openShell']>) => {
        prepared = given;
        return isRefused
          ? Promise.reject(new InputError('no shell'))
          : Promise.resolve({ terminal: 'web' });
      },
    };
    const parts = { terminals: () => Promise.resolve(terminals as unknown as EngineTerminals) };
    const lab = await openCommandLab((_, response) => json(response, 200, {}), {
      ...parts,
      window: { work: new UnfinishedWork(memory) },
    });
    try {
      const open = () => lab.call(openShellCommand(), { id: web.id, shell: 'fish' });
      const left = () =>
        new UnfinishedWork(memory).left.map(({ kind, name, again }) => [kind, name, again]);
      lab.list([web]);
      await open();
      const argument = { id: web.id, engine: lab.context.unit.name, shell: 'fish' };
      const again = { command: 'gantry.containers.openShell', argument, asks: false };
      assert.deepEqual(left(), [['shell', 'web', again]]);
      await prepared?.whenOver?.();
      assert.deepEqual(left(), []);
      isRefused = true;
      await assert.rejects(open(), /no shell/);
      assert.deepEqual(left(), []);
    } finally {
      await lab.close();
    }
  });
});

describe('a shell with options', () => {
  const labels = {
    'com.docker.compose.project': 'shop',
    'com.docker.compose.service': 'web',
    'com.docker.compose.config-hash': 'f00',
    'com.docker.compose.project.working_dir': '/srv/shop',
  };
  const web = container('a', { name: 'shop-web-1', state: 'running', labels });
  let memory: Memento;
  let lab: CommandLab;
  let opened: (readonly unknown[])[];
  let prepared: PreparedShell | undefined;
  beforeEach(async () => {
    memory = fakeMemento();
    opened = [];
    const openShell = (...[owner, shell, , given]: Parameters<EngineTerminals['openShell']>) => {
      prepared = given;
      const { user, workingDir, env, greeting } = given ?? {};
      opened.push([owner.id, shell, user, workingDir, env, greeting]);
      return Promise.resolve({ terminal: owner.name });
    };
    const terminals = () => Promise.resolve({ openShell } as unknown as EngineTerminals);
    lab = await openCommandLab(
      ({ path }, response) => {
        const isList = path.includes('/containers/json');
        const State = 'running';
        const now = { Id: idOf('b'), Names: ['/shop-web-1'], State, Labels: labels };
        if (isList) json(response, 200, [now]);
        else json(response, 404, { message: 'gone' });
      },
      { terminals, window: { memory, work: new UnfinishedWork(memory) } },
    );
    lab.list([web]);
  });
  afterEach(() => lab.close());

  const ask = (...answers: readonly Answer[]): Promise<unknown> => {
    lab.ui.act(...answers);
    return lab.run(shellOptionsCommand(), containerRow(web));
  };
  const OPEN = pick('Open Shell');

  it('has what the user has set, which is there again the next time', async () => {
    const command = shellOptionsCommand();
    const run = (...answers: readonly Answer[]): Promise<unknown> => {
      lab.ui.act(...answers);
      return lab.run(command, containerRow(web));
    };
    const set = [pick('User'), give('root'), pick('Working directory'), give('/srv')];
    const variable = [pick('Environment'), type('TOKEN=hunter2'), ESCAPE];
    assert.deepEqual(await run(...set, ...variable, OPEN), { terminal: 'shop-web-1' });
    const first = [web.id, undefined, 'root', '/srv', ['TOKEN=hunter2'], undefined];
    await run(OPEN);
    assert.deepEqual(opened, [first, first]);
    // After a reload, without the values of variables.
    await ask(OPEN);
    assert.deepEqual(opened[2], [web.id, undefined, 'root', '/srv', undefined, undefined]);
    await ask(pick('Environment'), pick('TOKEN'), give('TOKEN=2'), ESCAPE, OPEN);
    assert.deepEqual(opened[3]?.[4], ['TOKEN=2']);
    const stored = JSON.stringify([
      memory.get('gantry.lastShells'),
      new UnfinishedWork(memory).left,
    ]);
    assert.match(stored, /TOKEN/);
    assert.doesNotMatch(stored, /hunter2|TOKEN=/);
  });

  it('is not opened if the user cancels, or the container does not run', async () => {
    assert.equal(await ask(ESCAPE), undefined);
    lab.list([{ ...web, state: 'exited' }]);
    assert.equal(await ask(), undefined);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /shop-web-1 is not running\. Start it/);
    assert.deepEqual(opened, []);
  });

  it('is checked when another extension opens it', async () => {
    const call = (more: object) => lab.call(openShellCommand(), { id: web.id, ...more });
    await call({ user: '1000:1000', workingDir: '/srv', env: ['A=b'] });
    assert.deepEqual(opened[0], [web.id, undefined, '1000:1000', '/srv', ['A=b'], undefined]);
    await assert.rejects(call({ workingDir: 'srv' }), /is not an absolute path/);
    await assert.rejects(call({ env: ['TOKEN'] }), /NAME=value/);
    await assert.rejects(call({ service: { project: 'shop' } }), /"service" must be/);
  });

  it('is opened again in the container that has replaced its own', async () => {
    await lab.call(openShellCommand(), { id: web.id, user: 'root' });
    const before = { labels } as unknown as ContainerDetails;
    const connection = await lab.context.engine.connect();
    assert.equal(await prepared?.reopen?.(before, connection), undefined);
    const words =
      'This shell is in shop-web-1 (bbbbbbbbbbbb), which has replaced the earlier container.';
    assert.deepEqual(opened[1], [idOf('b'), undefined, 'root', undefined, undefined, words]);
    // After the end of the window, too.
    const [left] = new UnfinishedWork(memory).left;
    await lab.call(openShellCommand(), left?.again?.argument as object);
    assert.deepEqual(opened[2], opened[1]);
    const none = { labels: {} } as unknown as ContainerDetails;
    const problem = await prepared?.reopen?.(none, connection);
    assert.match(problem ?? '', /^Could not open a shell in shop-web-1/);
  });
});
