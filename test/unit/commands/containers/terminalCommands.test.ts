import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { attachCommand } from '../../../../src/commands/containers/terminalCommands.ts';
import { inspectContainer } from '../../../../src/engine/containers/containers.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { checkAttachable } from '../../../../src/output/terminal/attachTerminal.ts';
import type { TerminalOwner } from '../../../../src/output/terminal/pty.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
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
