import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { BuildRun } from '../../../../src/builds/buildRun.ts';
import {
  cancelBuildCommand,
  listBuildsCommand,
  removeBuildCommand,
} from '../../../../src/commands/builds/buildListCommands.ts';
import { openDockerfileCommand } from '../../../../src/commands/builds/openDockerfileCommand.ts';
import {
  buildLogCommand,
  buildStepsCommand,
  copyBuildNameCommand,
  openBuildLogViewerCommand,
} from '../../../../src/commands/builds/buildLogCommands.ts';
import type { ViewedBuild } from '../../../../src/builds/shownBuild.ts';
import type { BuildEvent, BuildRecord } from '../../../../src/engine/builds/model.ts';
import { BuildNode } from '../../../../src/views/builds/buildNode.ts';
import { ENGINE, openCommandLab } from '../../support/commandLab.ts';
import { when } from '../../support/lab.ts';
import { give } from '../../support/scriptedUi.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { untilAborted } from '../../support/fakeBuildKit.ts';
import { IMAGE, openBuildLab, output, step, type BuildLab } from './buildLab.ts';

const OTHER: BuildRecord = {
  ref: 'other',
  tags: ['docker.io/library/other:latest'],
  startedAt: 1000,
  endedAt: 2000,
  state: 'done',
  steps: 3,
  cachedSteps: 1,
  completedSteps: 3,
};

describe('commands/buildListCommands', () => {
  let lab: BuildLab;
  beforeEach(async () => {
    lab = await openBuildLab();
    openLogsIn('output');
    lab.buildKit.replay = (ref, report) => {
      report(step('1', { name: `step of ${ref}` }), output('1', 'from the engine\n'));
      return Promise.resolve();
    };
  });
  afterEach(() => lab.close());

  it('open the Dockerfile of a build of this window', async () => {
    const command = openDockerfileCommand();
    const own = start('ends');
    const file = lab.dockerfile;
    assert.deepEqual(await lab.call(command, { ref: 'own' }), { file });
    assert.deepEqual(await lab.run(command, new BuildNode(own, String)), { file });
    assert.deepEqual(
      lab.ui.of('openFile').map(({ text }) => text),
      [`file:${file}?`, `file:${file}?`],
    );
    await assert.rejects(lab.call(command, { ref: 'other' }), /Only a build of this window/);
    rmSync(file);
    await assert.rejects(lab.call(command, { ref: 'own' }), /File not found/);
  });

  const openLogsIn = (where: string): void => {
    lab.ui.settings = { logsOpenIn: () => where } as unknown as Settings;
  };

  function start(work: 'runs' | 'ends', engine = ENGINE, ref = 'own'): BuildRun {
    return lab.builds.start({
      ref,
      engine,
      title: 'shop',
      request: { context: lab.folder, dockerfile: lab.dockerfile, tags: ['shop'] },
      work: (onEvent) => {
        onEvent(step('a'));
        onEvent(output('a', 'first\nsecond\n'));
        onEvent(step('b', { state: 'cached' }));
        return work === 'ends' ? Promise.resolve({ imageId: IMAGE }) : new Promise(() => undefined);
      },
      rebuild: () => Promise.reject(new Error('not needed')),
    });
  }

  it('list the builds of the engine and of this window, newest first, each once', async () => {
    const run = start('ends');
    await run.join();
    const { counts } = run;
    lab.buildKit.history = [OTHER];
    const list = (): Promise<unknown> => lab.call(listBuildsCommand(), {});
    const own = {
      ref: 'own',
      tags: ['shop'],
      dockerfile: lab.dockerfile,
      context: lab.folder,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      state: 'done',
      steps: counts.all,
      cachedSteps: counts.cached,
      completedSteps: counts.finished,
    };
    assert.deepEqual(await list(), [own, OTHER]);
    lab.buildKit.history = [{ ...OTHER, ref: 'own' }];
    assert.deepEqual(await list(), lab.buildKit.history);
  });

  it('list and read the builds of this window alone if the engine keeps none', async () => {
    await lab.close();
    lab = await openBuildLab(undefined, '1.42');
    const run = start('ends');
    await run.join();
    const list = (await lab.call(listBuildsCommand(), {})) as readonly BuildRecord[];
    assert.deepEqual(
      list.map(({ ref }) => ref),
      ['own'],
    );
    const steps = lab.call(buildStepsCommand(), { ref: 'other' });
    await assert.rejects(steps, /keeps no history/);
  });

  it('read steps and log of a build of this window, and of another one from the engine', async () => {
    await start('ends').join();
    lab.buildKit.history = [OTHER];
    const steps = (ref: string): Promise<unknown> => lab.call(buildStepsCommand(), { ref });
    const log = (args: object): Promise<unknown> => lab.call(buildLogCommand(lab.ui), args);
    assert.deepEqual(await steps('own'), [
      { number: 1, name: '[build a/2] RUN make', state: 'done' },
      { number: 2, name: '[build b/2] RUN make', state: 'cached' },
    ]);
    assert.deepEqual(await log({ ref: 'own' }), {
      text: '#1 [build a/2] RUN make\nfirst\nsecond\n',
    });
    assert.deepEqual(await log({ ref: 'own', step: 2 }), { text: '' });
    await assert.rejects(log({ ref: 'own', step: 3 }), /no step 3/);
    assert.deepEqual(await steps('other'), [{ number: 1, name: 'step of other', state: 'done' }]);
  });

  it('show the log of a row: of this window in its channel, else in a document', async () => {
    const run = start('ends');
    await run.join();
    const command = buildLogCommand(lab.ui);
    await lab.run(command, new BuildNode(run, String));
    assert.deepEqual(lab.shownLogs, [run]);
    lab.buildKit.history = [OTHER];
    const other = { ref: 'other', engine: ENGINE, title: 'other' } as BuildRun;
    await lab.run(command, new BuildNode(other, String));
    assert.deepEqual(
      lab.ui.documents.map(([, , text]) => text),
      ['#1 step of other\nfrom the engine\n'],
    );
    openLogsIn('viewer');
    const viewed: string[] = [];
    Object.assign(lab.context, {
      openBuildViewer: (build: ViewedBuild) => Promise.resolve(viewed.push(build.title)),
    });
    for (const build of [run, other]) await lab.run(command, new BuildNode(build, String));
    assert.deepEqual(viewed, ['shop', 'other']);
    assert.deepEqual([lab.shownLogs.length, lab.ui.documents.length], [1, 1]);
  });

  it('open the log viewer for a build or a step, of this window or of another client', async () => {
    await start('ends').join();
    lab.buildKit.history = [OTHER];
    lab.buildKit.replay = (_ref, report) => {
      for (const id of ['1', '2']) report(step(id, { state: 'running' }));
      for (const id of ['1', '2']) report(output(id, 'x\n'));
      return Promise.resolve();
    };
    const shown: { readonly build: ViewedBuild; readonly events: readonly BuildEvent[] }[] = [];
    const openBuildViewer = async (build: ViewedBuild): Promise<{ readonly title: string }> => {
      const events: BuildEvent[] = [];
      await build.replay((event) => events.push(event), new AbortController().signal);
      shown.push({ build, events });
      return { title: build.title };
    };
    Object.assign(lab.context, { openBuildViewer });
    const command = openBuildLogViewerCommand();
    assert.deepEqual(await lab.call(command, { ref: 'own', step: 2 }), { title: 'shop' });
    assert.deepEqual(await lab.call(command, { ref: 'other' }), { title: 'other' });
    await assert.rejects(lab.call(command, { ref: 'own', step: 3 }), /no step 3/);
    await assert.rejects(lab.call(command, { ref: 'gone' }), /Build gone not found/);
    const other = { ref: 'other', engine: ENGINE, title: 'theirs' } as BuildRun;
    assert.deepEqual(await lab.run(command, new BuildNode(other, String)), { title: 'theirs' });
    const stepsOf = (events: readonly BuildEvent[]): string =>
      events.map((event) => (event.kind === 'step' ? event.step.id : event.kind)).join(' ');
    // A finished build comes step by step, however its engine reports it.
    assert.deepEqual(
      shown.map(({ build, events }) => [build.step?.id, build.request?.tags, stepsOf(events)]),
      [
        ['b', ['shop'], 'a output a b'],
        [undefined, undefined, '1 output 1 2 output 2'],
        [undefined, undefined, '1 output 1 2 output 2'],
      ],
    );
  });

  it('open the log viewer for a running build of another client without waiting for its end', async () => {
    const { endedAt: _endedAt, ...running } = OTHER;
    lab.buildKit.history = [running];
    let replays = 0;
    lab.buildKit.replay = (_ref, report, signal) => {
      replays += 1;
      for (const id of ['1', '2', '3']) report(step(id, { state: 'running' }));
      return untilAborted(signal);
    };
    const shown: ViewedBuild[] = [];
    const openBuildViewer = (build: ViewedBuild): Promise<{ readonly title: string }> => {
      shown.push(build);
      return Promise.resolve({ title: build.title });
    };
    Object.assign(lab.context, { openBuildViewer });
    const command = openBuildLogViewerCommand();
    assert.deepEqual(await lab.call(command, { ref: 'other' }), { title: 'other' });
    assert.equal(replays, 0);
    assert.deepEqual(await lab.call(command, { ref: 'other', step: 2 }), { title: 'other' });
    assert.deepEqual(
      shown.map(({ step: viewed, isOver }) => [viewed?.id, isOver]),
      [
        [undefined, false],
        ['2', false],
      ],
    );
    const followed: BuildEvent[] = [];
    const end = new AbortController();
    const following = shown[0]?.replay((event) => followed.push(event), end.signal);
    await when(() => followed.length === 3);
    end.abort();
    await assert.rejects(following ?? Promise.resolve(), { name: 'AbortError' });
  });

  it('follow the log of a row in the log viewer while a build of another client runs', async () => {
    lab.buildKit.replay = (_ref, _report, signal) => untilAborted(signal);
    const shown: ViewedBuild[] = [];
    const openBuildViewer = (build: ViewedBuild): Promise<{ readonly title: string }> => {
      shown.push(build);
      return Promise.resolve({ title: build.title });
    };
    Object.assign(lab.context, { openBuildViewer });
    const other = { ref: 'other', engine: ENGINE, title: 'theirs', phase: 'running' } as BuildRun;
    await lab.run(buildLogCommand(lab.ui), new BuildNode(other, String));
    assert.deepEqual(
      shown.map(({ ref, isOver }) => [ref, isOver]),
      [['other', false]],
    );
  });

  it('cancel a build of this window only, once', async () => {
    const run = start('runs');
    const joined = run.join();
    const cancel = (ref: string): Promise<unknown> => lab.call(cancelBuildCommand(), { ref });
    await assert.rejects(cancel('other'), /started in this window/);
    assert.deepEqual(await cancel('own'), { outcome: 'canceled' });
    await assert.rejects(joined, { name: 'AbortError' });
    assert.deepEqual(await cancel('own'), { outcome: 'notRunning' });
  });

  it('cancel and remove the rows of several engines', async () => {
    const runs = [start('runs'), start('runs', 'podman')];
    const joined = runs.map((run) => assert.rejects(run.join(), { name: 'AbortError' }));
    const rows = runs.map((run) => new BuildNode(run, String));
    await lab.run(cancelBuildCommand(), ...rows);
    await Promise.all(joined);
    assert.equal(await lab.run(removeBuildCommand(lab.ui), ...rows), undefined);
    assert.equal(lab.builds.all.length, 2);
    lab.ui.shown.length = 0;
    lab.join('podman', await openCommandLab(() => undefined));
    lab.ui.act(give('Remove'));
    await lab.run(removeBuildCommand(lab.ui), ...rows);
    assert.deepEqual([lab.builds.all, lab.connectedTo], [[], [ENGINE, 'podman']]);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text, detail }) => [kind, text, detail]),
      [
        [
          'confirm',
          'Remove 2 builds from the history?',
          'Their steps and logs are deleted. Their images stay.\nBuilds to remove: shop, shop (podman).',
        ],
      ],
    );
  });

  it('name a running row that is not removed, and refuse it alone', async () => {
    const running = new BuildNode(start('runs'), String);
    const ended = start('ends', ENGINE, 'ended');
    await ended.join();
    lab.ui.act(give('Remove'));
    await lab.run(removeBuildCommand(lab.ui), running, new BuildNode(ended, String));
    await lab.run(removeBuildCommand(lab.ui), running);
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      [
        'Left out because of their state: shop.',
        'Remove the build shop from the history?',
        'The build is running. Cancel it first.',
      ],
    );
    assert.deepEqual(lab.builds.all, [running.build]);
  });

  it('copy the names of rows, and of a build of another client', async () => {
    const run = start('ends');
    await run.join();
    const node = new BuildNode(run, String);
    const command = copyBuildNameCommand(lab.ui);
    await lab.run(command, node, ...node.children.slice(0, 1));
    lab.buildKit.history = [OTHER];
    assert.deepEqual(await lab.call(command, { ref: 'other' }), { outcome: 'copied' });
    await assert.rejects(
      Promise.resolve(lab.call(command, { ref: 'gone' })),
      /Build gone not found/,
    );
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['shop\n[build a/2] RUN make', 'other'],
    );
  });

  it('remove a finished build from the history, never a running one', async () => {
    const run = start('runs');
    const joined = run.join();
    lab.buildKit.history = [OTHER];
    const remove = (ref: string): Promise<unknown> => lab.call(removeBuildCommand(lab.ui), { ref });
    await assert.rejects(remove('own'), /The build is running/);
    assert.deepEqual(await remove('other'), { outcome: 'removed' });
    assert.deepEqual(lab.buildKit.history, []);
    assert.deepEqual(await remove('other'), { outcome: 'notThere' });
    run.cancel();
    await assert.rejects(joined);
    assert.deepEqual(await remove('own'), { outcome: 'removed' });
    assert.deepEqual(lab.builds.all, []);
  });
});
