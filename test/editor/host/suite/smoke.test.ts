import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension', () => {
  it('is installed and activates', async () => {
    const extension = vscode.extensions.getExtension('gantry.gantry');
    assert.ok(extension, 'gantry.gantry is not installed');
    await extension.activate();
    assert.ok(extension.isActive);
  });
});
