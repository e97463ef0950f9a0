import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { refusal, run, type Command } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests } from '../kit/recorder.ts';

const ON_CONTAINERS = [
  'containers.start',
  'containers.stop',
  'containers.restart',
  'containers.kill',
  'containers.pause',
  'containers.unpause',
  'containers.rename',
  'containers.remove',
  'containers.wait',
  'containers.logs',
  'containers.commit',
  'containers.runAgain',
  'containers.duplicate',
  'containers.inspect',
  'containers.copyId',
  'containers.copyName',
  'containers.copyRunCommand',
  'recipes.save',
  'containers.openInBrowser',
] as const;
const ON_IMAGES = [
  'images.pullAgain',
  'images.push',
  'images.checkNewer',
  'images.tag',
  'images.remove',
  'images.inspect',
  'images.copyReference',
  'images.history',
  'images.copyId',
  'images.copyDigest',
] as const;
const OTHERS = [
  'containers.create',
  'containers.list',
  'images.list',
  'images.pull',
  'images.save',
  'images.load',
  'images.import',
  'images.prune',
  'images.diskUse',
] as const;
const ALL: readonly Command[] = [...ON_CONTAINERS, ...ON_IMAGES, ...OTHERS];

class Impostor {
  readonly id = 'web';
}

describe('an argument', () => {
  const lab = useLab('argument');

  it('that is not a plain object is rejected by every command', async () => {
    const others: readonly unknown[] = ['web', '', 7, 0, true, false, [], [{ id: 'web' }]];
    for (const command of ALL) {
      for (const other of [...others, new Impostor(), new Map(), new Date(0), Symbol('web')]) {
        await refusal(run(command, other), /the argument must be an object/, new RegExp(command));
      }
    }
  });

  it('without a required ID is rejected', async () => {
    for (const command of [...ON_CONTAINERS, ...ON_IMAGES]) {
      await refusal(run(command, {}), /property "id" is required/, new RegExp(command));
      await refusal(run(command, { id: undefined }), /property "id" is required/);
    }
    await refusal(run('containers.create', {}), /property "image" is required/);
    await refusal(run('images.pull', {}), /property "reference" is required/);
  });

  it('with an ID that is not a string, or is empty, is rejected', async () => {
    const bare: unknown = Object.create(null);
    for (const command of [...ON_CONTAINERS, ...ON_IMAGES]) {
      for (const id of [7, null, true, ['web'], { id: 'web' }, bare, Symbol('web')]) {
        await refusal(run(command, { id }), /"id" must be a string/);
      }
    }
    const needy = new Set<string>([
      'containers.rename',
      'containers.commit',
      'recipes.save',
      'images.tag',
    ]);
    for (const command of [...ON_CONTAINERS, ...ON_IMAGES].filter((one) => !needy.has(one))) {
      for (const id of ['', ' ']) await refusal(run(command, { id }), /the id is empty/i);
    }
  });

  it('with an unknown field is rejected', async () => {
    for (const command of ALL) {
      await refusal(run(command, { id: 'web', colour: 'red' }), /unknown property "(?:colour|id)"/);
    }
    await refusal(
      run('containers.start', { id: 'web', constructor: 1 }),
      /unknown property "constructor"/,
    );
  });

  it('with a field of the wrong type is rejected, and the field is named', async () => {
    const wrong: readonly (readonly [Command, object, string])[] = [
      ['containers.stop', { timeoutSeconds: '5' }, 'timeoutSeconds'],
      ['containers.stop', { timeoutSeconds: 1.5 }, 'timeoutSeconds'],
      ['containers.stop', { timeoutSeconds: -2 }, 'timeoutSeconds'],
      ['containers.restart', { timeoutSeconds: Infinity }, 'timeoutSeconds'],
      ['containers.kill', { signal: 9 }, 'signal'],
      ['containers.rename', { name: 7 }, 'name'],
      ['containers.remove', { force: 'yes' }, 'force'],
      ['containers.remove', { volumes: 1 }, 'volumes'],
      ['containers.wait', { condition: 'gone' }, 'condition'],
      ['containers.logs', { follow: 1 }, 'follow'],
      ['containers.logs', { tail: '5' }, 'tail'],
      ['containers.logs', { tail: -1 }, 'tail'],
      ['containers.logs', { tail: 1.5 }, 'tail'],
      ['containers.logs', { since: 'yesterday' }, 'since'],
      ['containers.logs', { since: -1 }, 'since'],
      ['containers.logs', { timestamps: 'no' }, 'timestamps'],
      ['containers.commit', { repository: 'a', pause: 'no' }, 'pause'],
      ['containers.commit', { repository: 'a', changes: [1] }, 'changes'],
      ['containers.runAgain', { start: 1 }, 'start'],
      ['containers.runAgain', { name: ['a'] }, 'name'],
      ['containers.duplicate', { cpus: '1' }, 'cpus'],
      ['containers.duplicate', { healthcheck: true }, 'healthcheck'],
      ['containers.duplicate', { healthcheck: { tests: 'x' } }, 'healthcheck'],
      ['containers.duplicate', { healthcheck: { interval: 30 } }, 'healthcheck'],
      ['images.remove', { force: 1 }, 'force'],
      ['images.remove', { allNames: 'yes' }, 'allNames'],
    ];
    for (const [command, fields, name] of wrong) {
      await refusal(run(command, { id: 'web', ...fields }), new RegExp(`"${name}" must be`));
    }
  });

  it('to create with a field of the wrong type is rejected before any request', async () => {
    const recorder = await recordRequests();
    const wrong: readonly object[] = [
      { image: 7 },
      { cmd: 'sleep 1000' },
      { cmd: [1] },
      { entrypoint: 'sh' },
      { name: 7 },
      { env: { A: '1' } },
      { ports: [80] },
      { mounts: '/a:/b' },
      { labels: ['a=b'] },
      { labels: { a: 1 } },
      { restart: true },
      { autoRemove: 'yes' },
      { tty: 1 },
      { openStdin: null },
      { network: [] },
      { workingDir: 7 },
      { user: 0 },
      { platform: {} },
      { unsetEnv: 'A' },
      { hostname: 7 },
      { dns: '9.9.9.9' },
      { extraHosts: { db: '10.0.0.1' } },
      { publishAll: 1 },
      { healthcheck: 'curl' },
      { healthcheck: { test: 7 } },
      { stopSignal: 9 },
      { stopTimeout: '7' },
      { memory: 64 },
      { shmSize: 64 },
      { cpus: '1' },
      { cpus: Number.NaN },
      { pidsLimit: 1.5 },
      { init: 'yes' },
      { readOnly: 1 },
      { privileged: null },
      { capAdd: 'ALL' },
      { capDrop: [1] },
      { securityOpt: 'x' },
      { devices: [{}] },
      { tmpfs: { '/run': '' } },
      { start: 'now' },
    ];
    try {
      for (const fields of wrong) {
        const [name] = Object.keys(fields);
        const options = { image: bed().image, ...fields };
        await refusal(run('containers.create', options), new RegExp(`"${name!}" must be`));
      }
      assert.deepEqual(recorder.asked(), []);
    } finally {
      await recorder.close();
    }
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
