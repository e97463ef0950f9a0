import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAgainCommand } from '../../../../src/commands/builds/buildAgainCommand.ts';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { canBuildAgain, type BuildRun } from '../../../../src/builds/buildRun.ts';
import { BuildNode } from '../../../../src/views/builds/buildNode.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { failed } from '../../support/fakeBuildKit.ts';
import { ENTER, ESCAPE, give, pick, type } from '../../support/scriptedUi.ts';
import { openBuildLab, type BuildLab } from './buildLab.ts';

describe('commands/buildAgainCommand', () => {
  let lab: BuildLab;
  const follow = { compare: () => Promise.resolve([]) };
  beforeEach(async () => {
    lab = await openBuildLab();
  });
  afterEach(() => lab.close());

  const build = (args: object): Promise<unknown> =>
    lab.call(buildCommand(lab.ui, follow), { context: lab.folder, ...args });
  const again = (run: BuildRun | undefined): Promise<unknown> => {
    assert(run);
    return lab.run(buildAgainCommand(lab.ui, follow), new BuildNode(run, String));
  };
  const call = (ref = ''): Promise<unknown> => lab.call(buildAgainCommand(lab.ui, follow), { ref });

  it('sends the same request once more, to the same engine, and reports how it ended', async () => {
    const other = join(lab.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'prod.Dockerfile'), 'FROM busybox AS base\nFROM base AS prod\n');
    await build({
      dockerfile: 'other/prod.Dockerfile',
      tags: ['me/shop:1', 'me/shop:2'],
      target: 'base',
      args: { VERSION: '2' },
      labels: { team: 'web' },
      platform: ['linux/arm64'],
      noCache: true,
      pull: true,
      network: 'none',
      addHosts: ['db:10.0.0.1'],
    });
    await again(lab.builds.all[0]);
    const [first, second] = lab.builds.all;
    assert.deepEqual(second?.spec.request, first?.spec.request);
    const [before, after] = lab.buildKit.solves.map(({ attributes }) => new Map(attributes));
    assert(before && after && before.size > 5);
    // Those that name one build.
    assert.deepEqual([...after.keys()], [...before.keys()]);
    const isSame = (name: string) => !/ref|session|uniqueid|sharedkey/i.test(name);
    for (const [name, value] of before)
      if (isSame(name)) assert.equal(after.get(name), value, name);
    assert.match(lab.ui.of('info').at(-1)?.text ?? '', /^Built /);
  });

  it('opens the form with its values after another failure', async () => {
    lab.work = () => Promise.reject(failed('exit code: 2'));
    await assert.rejects(build({ tags: ['me/shop:1'], args: { VERSION: '2' } }));
    await again(lab.builds.all[0]);
    lab.ui.act(pick('Build'));
    await lab.ui.of('error').at(-1)?.press?.('Edit...');
    assert.deepEqual(lab.built.at(-1)?.args, { VERSION: '2' });
    assert.deepEqual(lab.built.at(-1)?.tags, ['me/shop:1']);
    assert.equal(lab.built.length, 3);
  });

  it('offers no form after a failure if the form does not have all that was given', async () => {
    lab.work = () => Promise.reject(failed('exit code: 2'));
    await assert.rejects(build({ network: 'none' }));
    await again(lab.builds.all[0]);
    assert.deepEqual(lab.ui.of('error').at(-1)?.buttons, ['Show Log']);
  });

  it('asks for a secret again, which it does not keep, and refuses that to a caller', async () => {
    const ask = async (solve: Parameters<BuildLab['work']>[0]): Promise<void> => {
      assert.equal(Buffer.from(await solve.secret('token')).toString(), 'hidden');
    };
    lab.work = ask;
    lab.ui.act(ENTER, pick('Secrets'), type('token=prompt'), pick('Done'), pick('Build'));
    lab.ui.act(give('hidden'));
    await lab.run(buildCommand(lab.ui, follow));
    const [run] = lab.builds.all;
    assert.doesNotMatch(JSON.stringify(run?.spec), /hidden/);
    lab.ui.act(give('hidden'));
    await again(run);
    assert.equal(lab.ui.of('input').length, 2);
    assert.deepEqual(
      lab.builds.all.map(({ phase }) => phase),
      ['done', 'done'],
    );
    await assert.rejects(call(run?.ref), /asks for a secret/);
  });

  it('is for builds of this window that have ended, but not of a bake file', async () => {
    const outcome = await build({ tags: ['me/shop:1'] });
    const [run] = lab.builds.all;
    assert.deepEqual(await call(run?.ref), outcome);
    const bake = lab.builds.start({
      ...{ ref: 'bake', engine: ENGINE, title: 'Bake tool' },
      request: { context: lab.folder, dockerfile: join(lab.folder, 'docker-bake.json'), tags: [] },
      work: () => Promise.resolve({ imageId: '' }),
    });
    assert.equal(canBuildAgain(bake), false);
    await bake.join();
    assert.deepEqual(
      [run, bake].map((one) => one && canBuildAgain(one)),
      [true, false],
    );
    for (const ref of ['bake', 'of-another-client'])
      await assert.rejects(call(ref), /started in this window/);
    const menu = (build: BuildRun): string =>
      new BuildNode(build, String).present({ now: () => 0 }).contextValue;
    assert.deepEqual(
      [run, bake].map((one) => one && menu(one)),
      ['build.done.again.file', 'build.done.file'],
    );
  });

  it('asks before it uses the SSH agent again', async () => {
    const first = lab.builds.start({
      ...{ ref: 'ssh', engine: ENGINE, title: 'shop' },
      request: { context: lab.folder, dockerfile: lab.dockerfile, tags: [], ssh: true },
      given: {},
      work: () => Promise.resolve({ imageId: '' }),
    });
    await first.join();
    lab.ui.act(ESCAPE);
    await again(first);
    assert.match(lab.ui.shown.at(-1)?.text ?? '', /SSH agent/);
    assert.deepEqual(lab.built, []);
  });
});
