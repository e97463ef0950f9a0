import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../../bed/until.ts';
import { run } from '../kit/commands.ts';
import { stateOf, useLab } from '../kit/lab.ts';

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

const accept = <T>(asking: Promise<T>): Promise<T> =>
  answerWith('workbench.action.acceptSelectedQuickOpenItem', asking);
const leave = <T>(asking: Promise<T>): Promise<T> =>
  answerWith('workbench.action.closeQuickOpen', asking);

describe('a command without an argument', () => {
  // A quick pick is sorted by name and selects the first row: these names sort before all others.
  const lab = useLab('00');

  it('lets the user pick a container, and uses it', async () => {
    const id = await lab.container(['sleep', '1000']);
    assert.deepEqual(await accept(run('containers.start')), { outcome: 'started' });
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
    const found = await accept(run('containers.inspect'));
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    assert.deepEqual(JSON.parse(document.getText()), found);
    assert.equal(document.languageId, 'json');
    assert.equal(vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) ?? false, false);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
