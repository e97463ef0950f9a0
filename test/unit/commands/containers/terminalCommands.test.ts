import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import {
  attachCommand,
  openShellCommand,
} from '../../../../src/commands/containers/terminalCommands.ts';
import { inspectContainer } from '../../../../src/engine/containers/containers.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { UnfinishedWork } from '../../../../src/files/unfinishedWork.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { checkAttachable } from '../../../../src/output/terminal/attachTerminal.ts';
import type { TerminalOwner } from '../../../../src/output/terminal/pty.ts';
import type { EngineTerminals, PreparedShell } from '../../../../src/output/terminal/terminals.ts';
import { container } from '../../inventory/support/nouns.ts';
import {
  containerRow,
  fakeMemento,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

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
