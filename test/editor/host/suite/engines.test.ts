import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ListedEngine } from '../../../../src/commands/engines/engineCommands.ts';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { isThere } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { useHost } from '../kit/settings.ts';

const FIRST = 'Default';
const SECOND = 'the same again';

async function listed(name: string): Promise<ListedEngine | undefined> {
  return (await run('engines.list')).find((one) => one.name === name);
}

/** Waits until both engines are watched, which starts when a view is shown. */
async function whenLive(): Promise<void> {
  await vscode.commands.executeCommand('gantry.containers.focus');
  for (const name of [FIRST, SECOND]) {
    await until(async () => (await listed(name))?.state === 'live', `${name} is live`);
  }
}

function setEngines(value: object | undefined): Thenable<void> {
  const settings = vscode.workspace.getConfiguration('gantry');
  return settings.update('engines', value, vscode.ConfigurationTarget.Global);
}

describe('several engines, addressed by arguments', () => {
  const lab = useLab('engines');

  beforeEach(async () => {
    if (await listed(SECOND)) return;
    await run('engines.add', { name: SECOND, host: bed().socket });
    await until(async () => (await listed(SECOND)) !== undefined, 'the second engine is listed');
  });
  afterEach(() => run('engines.unsetDefault', { engine: FIRST }));
  after(async () => {
    await setEngines(undefined);
    await until(async () => (await run('engines.list')).length === 1, 'only one engine is listed');
  });

  it('are listed with their properties, and whether each is the default', async () => {
    await whenLive();
    const all = await run('engines.list');
    assert.deepEqual(
      all.map(({ name }) => name),
      [FIRST, SECOND],
    );
    for (const one of all) {
      assert.equal(one.url, `unix://${bed().socket}`);
      assert.equal(one.product, bed().kind);
      assert.match(one.version ?? '', /^\d+\.\d+/);
      assert.match(one.api ?? '', /^1\.\d+$/);
      assert.equal(one.isDefault, false);
    }
    assert.deepEqual(JSON.parse(JSON.stringify(all)), all);
  });

  it('are selected by the "engine" argument, which is required', async () => {
    const words = /More than one engine is available: Default, the same again\. Set "engine"\./;
    await refusal(run('containers.list', {}), words);
    await refusal(run('containers.start', { id: 'web' }), words);
    const id = await lab.running();
    const list = await run('containers.list', { engine: SECOND });
    assert.ok(list.some((one) => one.id === id));
    const call = { id: lab.name(), engine: SECOND };
    assert.deepEqual(await run('containers.stop', call), { outcome: 'stopped' });
    assert.deepEqual(await run('containers.remove', { ...call, engine: FIRST }), {
      outcome: 'removed',
    });
    assert.equal(await isThere(id), false);
  });

  it('fall back to the workspace default, as long as there is one', async () => {
    assert.deepEqual(await run('engines.setDefault', { engine: SECOND }), { outcome: 'set' });
    assert.equal((await listed(SECOND))?.isDefault, true);
    assert.equal((await listed(FIRST))?.isDefault, false);
    const id = await lab.running();
    assert.ok((await run('containers.list', {})).some((one) => one.id === id));
    assert.deepEqual(await run('engines.unsetDefault', { engine: SECOND }), { outcome: 'unset' });
    await refusal(run('containers.list', {}), /More than one engine is available/);
  });

  it('are forgotten when removed, but keep their containers', async () => {
    const id = await lab.container(['true']);
    assert.deepEqual(await run('engines.remove', { engine: SECOND }), { outcome: 'removed' });
    await until(
      async () => (await listed(SECOND)) === undefined,
      'the second engine is no longer listed',
    );
    assert.ok((await run('containers.list', { all: true })).some((one) => one.id === id));
    await refusal(run('containers.list', { engine: SECOND }), /Engine "the same again" not found/);
    await refusal(run('engines.remove', { engine: FIRST }), /cannot be removed/);
  });
});

describe('the setting gantry.host', () => {
  const lab = useLab('host');
  afterEach(() => useHost(undefined));

  it('selects the only engine that is used, until it is changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-host-'));
    await useHost(join(folder, 'nothing'));
    await refusal(run('containers.list', {}), /socket .*nothing not found/);
    await refusal(run('images.pull', { reference: 'busybox' }), /socket .*nothing not found/);
    await useHost(undefined);
    const id = await lab.container(['true']);
    assert.ok((await run('containers.list', { all: true })).some((one) => one.id === id));
    rmSync(folder, { recursive: true });
  });
});
