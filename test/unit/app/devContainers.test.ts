import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../support/fakeEditor.ts';
import { MissingCommandError, type DevContainers } from '../../../src/commands/ui/devContainers.ts';
import {
  commands,
  env,
  executed,
  extensions,
  handlers,
  workspace,
  type Uri,
} from '../support/fakeVscode.ts';

const ATTACH = 'remote-containers.attachToRunningContainer';

describe('the extension Dev Containers in VS Code', () => {
  let devContainers: DevContainers;
  /** Values of settings, and the default of the one that the extension has. */
  let values: Record<string, unknown>;
  let standard: string | undefined;
  before(async () => {
    ({ devContainers } = await import('../../../src/app/devContainers.ts'));
  });
  beforeEach(() => {
    executed.length = 0;
    values = {};
    standard = undefined;
    const configuration = (section = '') => {
      const full = (name: string): string => (section === '' ? name : `${section}.${name}`);
      return {
        get: (name: string) => values[full(name)] ?? standard,
        inspect: () => ({ defaultValue: standard }),
        update: (name: string, value: unknown, target: unknown) =>
          Promise.resolve(void Object.assign(values, { [full(name)]: [value, target] })),
      };
    };
    mock.method(workspace, 'getConfiguration', configuration as () => never);
  });
  afterEach(() => {
    mock.restoreAll();
    handlers.clear();
  });

  it('is there if VS Code lists it, or if its setting or its command is known in a remote window', async () => {
    assert.equal(await devContainers.isInstalled(), false);
    standard = 'docker';
    assert.equal(await devContainers.isInstalled(), true);
    standard = undefined;
    handlers.set(ATTACH, () => undefined);
    assert.equal(await devContainers.isInstalled(), true);
    assert.equal(devContainers.isPossible(), false);
    mock.method(extensions, 'getExtension', (id: string) =>
      id === 'ms-vscode-remote.remote-containers' ? ({} as never) : undefined,
    );
    handlers.clear();
    assert.equal(await devContainers.isInstalled(), true);
    assert.equal(devContainers.isPossible(), true);
    mock.restoreAll();
    Object.assign(env, { appName: 'Visual Studio Code', appHost: 'desktop' });
    assert.equal(devContainers.isPossible(), true);
    Object.assign(env, { appName: '', appHost: '' });
  });

  it('gets the container by its ID, and in a folder by the address of one', async () => {
    const id = 'a'.repeat(64);
    await devContainers.attach(id);
    await devContainers.openFolder(id, '/a b/%41#?x');
    await devContainers.openFolder(id, '/', 'ssh://me@far');
    const [attached, ...opened] = executed;
    assert.deepEqual(attached, [ATTACH, id]);
    const read = opened.map(([command, uri, options]) => {
      const { scheme, authority, path } = uri as Uri;
      const [, hex = ''] = /^attached-container\+([0-9a-f]+)$/.exec(authority) ?? [];
      const which: unknown = JSON.parse(Buffer.from(hex, 'hex').toString());
      return [command, scheme, path, which, options];
    });
    const options = { forceNewWindow: true };
    const settings = { host: 'ssh://me@far' };
    assert.deepEqual(read, [
      ['vscode.openFolder', 'vscode-remote', '/a b/%41#?x', { containerName: id }, options],
      ['vscode.openFolder', 'vscode-remote', '/', { containerName: id, settings }, options],
    ]);
  });

  it('distinguishes a command that is missing from one that fails', async () => {
    const failure = new Error('Cannot attach');
    mock.method(commands, 'executeCommand', () => Promise.reject(failure));
    await assert.rejects(devContainers.attach('a'), (error: Error) => {
      return error instanceof MissingCommandError && error.message === ATTACH;
    });
    handlers.set(ATTACH, () => undefined);
    await assert.rejects(devContainers.attach('a'), failure);
  });

  it('reads and sets what it works with, whatever the settings have', async () => {
    assert.equal(devContainers.program(), 'docker');
    assert.deepEqual(devContainers.variables(), {});
    values = {
      'dev.containers.dockerPath': 'podman',
      'docker.environment': { DOCKER_HOST: 'old', A: 'a' },
      'containers.environment': { DOCKER_HOST: 'new', odd: 1 },
    };
    assert.equal(devContainers.program(), 'podman');
    assert.deepEqual(devContainers.variables(), { DOCKER_HOST: 'new', A: 'a' });
    values = { 'dev.containers.dockerPath': 3, 'docker.environment': 'x' };
    assert.equal(devContainers.program(), 'docker');
    assert.deepEqual(devContainers.variables(), {});
    await devContainers.setProgram('podman');
    assert.deepEqual(values['dev.containers.dockerPath'], ['podman', 1]);
    devContainers.showSettings();
    await devContainers.install();
    const ids = '@id:dev.containers.dockerPath,docker.environment,containers.environment';
    assert.deepEqual(executed, [
      ['workbench.action.openSettings', ids],
      ['workbench.extensions.installExtension', 'ms-vscode-remote.remote-containers'],
    ]);
  });
});
