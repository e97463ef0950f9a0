import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ListedEngine } from '../../../../src/commands/engines/engineCommands.ts';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { isThere } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

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
  afterEach(async () => {
    await run('engines.unsetDefault', { engine: FIRST });
    for (const name of [FIRST, SECOND]) {
      if (await listed(name)) await run('engines.connect', { engine: name });
    }
  });
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

  it('are selected by the "engine" argument', async () => {
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

  it('require an explicit choice before anything is done', async () => {
    const words = /More than one engine is available: Default, the same again\. Set "engine"\./;
    await refusal(run('containers.list', {}), words);
    await refusal(run('images.list', {}), words);
    await refusal(run('containers.start', { id: 'web' }), words);
    await refusal(run('images.pull', { reference: 'busybox' }), words);
    await refusal(
      run('containers.list', { engine: 'nobody' }),
      /Engine "nobody" not found\. Available engines: Default/,
    );
    await refusal(run('containers.list', { engine: 7 }), /"engine" must be a string/);
  });

  it('are found by a full container ID', async () => {
    await whenLive();
    const id = await lab.running();
    const isKnown = async (): Promise<boolean> =>
      run('containers.inspect', { id }).then(
        () => true,
        () => false,
      );
    // The views learn about the container from an event.
    await until(isKnown, 'the container is found by its full ID');
    assert.deepEqual(await run('containers.stop', { id }), { outcome: 'stopped' });
    await refusal(run('containers.stop', { id: lab.name() }), /More than one engine is available/);
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

  it('are skipped while disconnected', async () => {
    await whenLive();
    const call = { engine: FIRST };
    assert.deepEqual(await run('engines.disconnect', call), { outcome: 'disconnected' });
    assert.equal((await listed(FIRST))?.state, 'off');
    assert.deepEqual(await run('engines.disconnect', call), { outcome: 'alreadyDisconnected' });
    // Only the other engine is left now.
    await run('containers.list', {});
    assert.equal((await listed(SECOND))?.state, 'live');
    assert.deepEqual(await run('engines.connect', call), { outcome: 'connected' });
    assert.deepEqual(await run('engines.connect', call), { outcome: 'alreadyConnected' });
    await whenLive();
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

  it('are diagnosed together or individually', async () => {
    const { report } = await run('engines.diagnose', {});
    for (const name of [FIRST, SECOND]) assert.match(report, new RegExp(`^Engine ${name}$`, 'm'));
    assert.equal(report.match(/✓ events \d+ ms/g)?.length, 2, report);
    assert.match(report, /^→ DOCKER_HOST +set: unix:/m);
    const one = await run('engines.diagnose', { engine: SECOND });
    assert.match(one.report, /^Engine the same again$/m);
    assert.doesNotMatch(one.report, /^Engine Default$/m);
    await refusal(run('engines.diagnose', { engine: 'nobody' }), /Engine "nobody" not found/);
    await refusal(run('engines.diagnose', { all: true }), /unknown property "all"/);
  });

  it('cannot be added with invalid arguments', async () => {
    const host = bed().socket;
    const add = (argument: object): Promise<unknown> => run('engines.add', argument);
    await refusal(add({ host }), /property "name" is required/);
    await refusal(add({ name: 'x' }), /property "host" is required/);
    await refusal(add({ name: ' ', host }), /engine name is empty/);
    await refusal(add({ name: 'x'.repeat(61), host }), /up to 60 characters/);
    await refusal(add({ name: 'a\nb', host }), /must be one line/);
    for (const name of [FIRST, SECOND, 'default']) {
      await refusal(add({ name, host }), /An engine named ".*" already exists/);
    }
    await refusal(add({ name: 'x', host: 'a b' }), /is not a valid engine address/);
    await refusal(add({ name: 'x', host: 'context:nobody' }), /Docker context "nobody" not found/);
    await refusal(
      add({ name: 'x', host, certPath: '/tmp' }),
      /No usable certificates|only supported for tcp:\/\//,
    );
    await refusal(add({ name: 'x', host, port: 1 }), /unknown property "port"/);
    assert.equal((await run('engines.list')).length, 2);
  });
});
