import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { useLab } from '../kit/lab.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** Commands that VS Code registers for each view and view container. */
const MADE_FOR_VIEWS =
  /^gantry\.(?:containers|images|volumes|networks|builds|upChanges|fileTree|changeTree)\.(?:focus|open|resetViewLocation|removeView|toggleVisibility)$/;

describe('the command table', () => {
  useLab('table');

  it('contains exactly the commands of the manifest', async () => {
    const { contributes } = vscode.extensions.getExtension('gantry.gantry')!
      .packageJSON as Manifest;
    const registered = (await vscode.commands.getCommands(true)).filter(
      (id) => id.startsWith('gantry.') && !MADE_FOR_VIEWS.test(id),
    );
    assert.deepEqual(registered.sort(), contributes.commands.map(({ command }) => command).sort());
  });
});
