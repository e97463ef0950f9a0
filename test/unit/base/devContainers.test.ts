import assert from 'node:assert/strict';
import { canHaveDevContainers } from '../../../src/base/devContainers.ts';

describe('the extension Dev Containers', () => {
  const can = (appName: string, appHost = 'desktop', isInstalled = false): boolean =>
    canHaveDevContainers({ appName, appHost }, isInstalled);

  it('is for VS Code of Microsoft on the desktop', () => {
    assert.ok(can('Visual Studio Code'));
    assert.ok(can('Visual Studio Code - Insiders'));
    for (const name of [
      'VSCodium',
      'Cursor',
      'Code - OSS',
      'code-server',
      'Visual Studio Codex',
      '',
    ])
      assert.ok(!can(name), name);
    for (const host of ['web', 'github.dev', 'codespaces'])
      assert.ok(!can('Visual Studio Code', host));
  });

  it('is possible where it is', () => {
    assert.ok(can('VSCodium', 'web', true));
  });
});
