import assert from 'node:assert/strict';
import type { CommandHandler } from '../../../src/commands/frame/command.ts';
import { reportEndedShells } from '../../../src/app/reportEndedShells.ts';
import { reportInterrupted } from '../../../src/app/reportInterrupted.ts';
import { UnfinishedWork } from '../../../src/files/unfinishedWork.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { ScriptedUi } from '../support/scriptedUi.ts';

interface Shown {
  readonly name: string;
  readonly sentence: string;
  readonly reopen: () => unknown;
}

describe('app/reportEndedShells', () => {
  let ui: ScriptedUi;
  let shown: Shown[];
  /** What happened, in order. */
  let done: unknown[];
  let open: () => Promise<unknown>;
  beforeEach(() => {
    ui = new ScriptedUi();
    shown = [];
    done = [];
    open = () => Promise.resolve();
  });

  const parts = {
    handlerOf: (id: string): Promise<CommandHandler> =>
      Promise.resolve(async (argument: unknown) => {
        done.push([id, argument]);
        await open();
      }),
    showEnded: (name: string, sentence: string, reopen: () => unknown) => {
      shown.push({ name, sentence, reopen });
      return Promise.resolve({ dispose: () => done.push(`closed ${name}`) });
    },
  };
  /** Returns what shells in these containers leave behind. */
  const left = (...names: readonly string[]): UnfinishedWork => {
    const memory = fakeMemento();
    const earlier = new UnfinishedWork(memory, 1);
    for (const name of names) {
      const again = { command: 'gantry.containers.openShell', argument: { id: `id of ${name}` } };
      earlier.begin({ kind: 'shell', name, again });
    }
    return new UnfinishedWork(memory);
  };

  it('says so in a terminal and in a message, each of which opens a new shell once', async () => {
    await reportEndedShells(left('web').left, ui, parts);
    const sentence = 'The shell in web ended with the window.';
    assert.deepEqual(
      shown.map((one) => [one.name, one.sentence]),
      [['web', sentence]],
    );
    const [message] = ui.of('info');
    assert.deepEqual([message?.text, message?.buttons], [sentence, ['Reopen']]);
    await shown[0]?.reopen();
    await message?.press?.('Reopen');
    assert.deepEqual(done, [['gantry.containers.openShell', { id: 'id of web' }], 'closed web']);
  });

  it('keeps the terminal and says why if no shell can be opened, which can be tried again', async () => {
    const cause = new Error('web is not running.');
    open = () =>
      Promise.reject(new Error('Could not open a shell in 0123. It stopped.', { cause }));
    await reportEndedShells(left('web').left, ui, parts);
    await shown[0]?.reopen();
    assert.match(ui.of('error')[0]?.text ?? '', /^Could not open a shell in web.*is not running/);
    open = () => Promise.resolve();
    await shown[0]?.reopen();
    assert.equal(done.at(-1), 'closed web');
  });

  it('says several in one message, apart from other work', async () => {
    const work = left('web', 'a\nb');
    await reportInterrupted(work, ui, {
      ...parts,
      execute: () => Promise.resolve(),
      isRunning: () => false,
      pause: () => Promise.resolve(),
    });
    assert.deepEqual(ui.of('warn'), []);
    const [message] = ui.of('info');
    assert.equal(message?.text, '2 shells ended with the window: web, a b.');
    await message.press?.('Reopen (2)');
    assert.deepEqual(done.filter((one) => typeof one === 'string').length, 2);
    assert.deepEqual(work.left, []);
  });
});
