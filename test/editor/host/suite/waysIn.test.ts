import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import surface from '../../../unit/compatibility.json' with { type: 'json' };
import { until } from '../../../bed/until.ts';
import { refusal, run, type Command } from '../kit/commands.ts';
import { stateOf, useLab } from '../kit/lab.ts';

interface Recorded {
  /** The fields of the argument; those that may be missing end with a question mark. */
  readonly argument?: Readonly<Record<string, unknown>> | string;
  readonly takesUri?: boolean;
}

/** The commands that take nothing but a plain object as an argument, with the names of its fields. */
const ALL = Object.entries<Recorded>(surface.commands).flatMap(([id, { argument, takesUri }]) =>
  typeof argument === 'object' && takesUri !== true ? [{ id, fields: Object.keys(argument) }] : [],
);
/** Those on one container, image or network. */
const ON_ONE = ALL.filter(({ fields }) => fields.includes('id'));

const call = (id: string, argument: unknown): Promise<unknown> =>
  Promise.resolve(vscode.commands.executeCommand(id, argument));

class Impostor {
  readonly id = 'web';
}

describe('an argument', () => {
  const lab = useLab('argument');

  it('that is not a plain object is rejected by every command', async () => {
    const plain: readonly unknown[] = ['web', '', 7, 0, true, false, [], [{ id: 'web' }]];
    for (const { id } of ALL) {
      for (const other of [...plain, new Impostor(), new Map(), new Date(0), Symbol('web')])
        await refusal(call(id, other), /the argument must be an object/, new RegExp(id));
    }
  });

  it('without an ID, or with one that is not a string or is empty, is rejected', async () => {
    const bare: unknown = Object.create(null);
    for (const { id: command, fields } of ON_ONE) {
      for (const none of [{}, { id: undefined }])
        await refusal(call(command, none), /property "\w+" is required/, new RegExp(command));
      for (const id of [7, null, true, ['web'], { id: 'web' }, bare, Symbol('web')])
        await refusal(call(command, { id }), /"id" must be a string/);
      const needsMore = fields.some((field) => field !== 'id' && !field.endsWith('?'));
      if (needsMore) continue;
      for (const id of ['', ' ']) await refusal(call(command, { id }), /the id is empty/i);
    }
  });

  it('with an unknown field is rejected', async () => {
    for (const { id } of ALL)
      await refusal(call(id, { colour: 'red' }), /unknown property "colour"/);
    await refusal(
      run('containers.start', { id: 'web', constructor: 1 }),
      /unknown property "constructor"/,
    );
  });

  it('may have undefined fields, and no prototype', async () => {
    const id = await lab.container(['true']);
    const bare = Object.assign(Object.create(null) as object, { id, volumes: undefined });
    assert.deepEqual(await run('containers.remove', bare), { outcome: 'removed' });
  });

  it('from a keybindings file works like one from an extension', async () => {
    const id = await lab.container(['true']);
    const argument: unknown = JSON.parse(JSON.stringify({ id }));
    assert.deepEqual(await run('containers.remove', argument), { outcome: 'removed' });
  });

  it('is never completed by a question to the user', async () => {
    // A question would wait forever.
    const id = await lab.container(['true']);
    await refusal(run('containers.rename', { id }), /property "name" is required/);
    await refusal(run('containers.commit', { id }), /property "repository" is required/);
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'removed' });
    assert.equal(vscode.window.activeTextEditor, undefined);
  });
});

/** Runs `command` on any open quick input until the command under test settles. */
async function answerWith<T>(command: string, asking: Promise<T>): Promise<T> {
  let isOver = false;
  const over = asking.finally(() => (isOver = true));
  await until(async () => {
    await vscode.commands.executeCommand(command);
    return isOver;
  }, 'the question is answered');
  return over;
}

/** Accepts what is offered first. While an engine is watched, a new container is offered once its event has arrived. */
async function accept<Id extends Command>(id: Id): ReturnType<typeof run<Id>> {
  const results: Awaited<ReturnType<typeof run<Id>>>[] = [];
  await until(async () => {
    const result = await answerWith('workbench.action.acceptSelectedQuickOpenItem', run(id));
    if (result !== undefined) results.push(result);
    return results.length > 0;
  }, 'a container is offered');
  return results[0]!;
}
const leave = <T>(asking: Promise<T>): Promise<T> =>
  answerWith('workbench.action.closeQuickOpen', asking);

describe('a command without an argument', () => {
  // A quick pick is sorted by name and selects the first row: these names sort before all others.
  const lab = useLab('00');

  it('lets the user pick a container, and uses it', async () => {
    const id = await lab.container(['sleep', '1000']);
    assert.deepEqual(await accept('containers.start'), { outcome: 'started' });
    assert.equal(await stateOf(id), 'running');
  });

  it('resolves to undefined if the user cancels the quick pick', async () => {
    await lab.container(['true']);
    // With a list of containers, a list of images, an input box and a form.
    const commands = [
      'containers.start',
      'images.remove',
      'images.pull',
      'containers.create',
    ] as const;
    for (const command of commands) assert.equal(await leave(run(command)), undefined, command);
  });

  it('treats null as no argument', async () => {
    await lab.container(['true']);
    assert.equal(await leave(run('containers.inspect', null)), undefined);
  });

  it('shows the result of inspect as a read-only document', async () => {
    await lab.container(['true']);
    const found = await accept('containers.inspect');
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    assert.deepEqual(JSON.parse(document.getText()), found);
    assert.equal(document.languageId, 'json');
    assert.equal(vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) ?? false, false);
  });
});
