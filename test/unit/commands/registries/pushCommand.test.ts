import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import type { TargetCall } from '../../../../src/commands/frame/command.ts';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { pushCommand } from '../../../../src/commands/registries/pushCommand.ts';
import { inspectImage } from '../../../../src/engine/images/images.ts';
import { ImageChangedError } from '../../../../src/engine/images/imageChangedError.ts';
import type { PushResult } from '../../../../src/engine/images/pushImage.ts';
import type { TransferSpec } from '../../../../src/registries/transfers/transfer.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, when, type Lab } from '../../support/lab.ts';
import { ENTER, give, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';

const CHOSEN = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const NAME = 'registry.example.org/app:1';

describe('commands/pushCommand', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** A push of the chosen image by its tag, which refers to `now` after the user has signed in. */
  async function push(now: string) {
    let isRefused = false;
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.method === 'POST' && isRefused) json(response, 500, { message: 'refused' });
      else if (request.method === 'POST') json(response, 200, { status: 'pushed' });
      else json(response, 200, { Id: now, RepoTags: [NAME] });
    });
    const specs: TransferSpec<PushResult>[] = [];
    const { signal } = new AbortController();
    const transfers = {
      all: [],
      push: (spec: TransferSpec<PushResult>) => {
        specs.push(spec);
        return { join: () => spec.work(() => undefined, signal, true) };
      },
    };
    const connect = () => Promise.resolve(connection);
    const withAuth = (_access: object, work: (auth: undefined) => Promise<unknown>) =>
      work(undefined);
    const ui = new ScriptedUi();
    const context = {
      ui,
      ...{
        unit: { id: 'docker' },
        engine: { connect },
        window: { transfers, registries: () => Promise.resolve({ withAuth }) },
      },
      titleOf: (name: string) => name,
    } as unknown as CommandContext;
    const image = { id: CHOSEN, tags: [NAME], digests: [], createdAt: '', size: 0 };
    const target = () => Promise.resolve({ id: NAME, name: NAME, context, image });
    const call: TargetCall<object> = {
      ...{ args: {}, text: NAME, signal, isInteractive: false, connect, target },
    };
    return {
      run: () => pushCommand().run(call, context),
      retry: async (isInteractive = true) => specs[0]?.work(() => undefined, signal, isInteractive),
      refuse: () => (isRefused = true),
      move: (id: string) => (now = id),
      pushes: () => engine.seen.filter(({ method }) => method === 'POST').length,
    };
  }

  it('pushes if the tag still refers to the chosen image', async () => {
    const { run, pushes } = await push(CHOSEN);
    await run();
    assert.equal(pushes(), 1);
  });

  it('does not push if the tag refers to another image by now', async () => {
    const { run, pushes } = await push(OTHER);
    await assert.rejects(run(), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 0);
  });

  it('pushes the other image if the user then tries again', async () => {
    const { run, retry, pushes } = await push(OTHER);
    await assert.rejects(run());
    await retry();
    assert.equal(pushes(), 1);
  });

  it('does not push if a script tries again', async () => {
    const { run, retry, pushes } = await push(OTHER);
    await assert.rejects(run());
    await assert.rejects(retry(false), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 0);
  });

  it('does not push if the tag moves between another failure and the retry', async () => {
    const { run, retry, refuse, move, pushes } = await push(CHOSEN);
    refuse();
    await assert.rejects(run(), /refused/);
    move(OTHER);
    await assert.rejects(retry(), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 1);
  });
});

describe('a push under a name that is being pushed', () => {
  let lab: CommandLab;
  let holder: string;
  let held: ServerResponse[];
  beforeEach(async () => {
    holder = CHOSEN;
    held = [];
    lab = await openCommandLab(({ path }, response) => {
      if (path.endsWith('/push')) held.push(response);
      else json(response, 200, { Id: holder, RepoTags: [NAME] });
    });
  });
  afterEach(() => lab.close());

  const rowOf = (letter: string) => imageRow(image(letter, { tags: [NAME] }));
  const end = (at: number): void => json(held[at] ?? assert.fail(), 200, { status: 'pushed' });

  it('is one of its own for another image, after the other', async () => {
    const command = pushCommand();
    const first = lab.run(command, rowOf('a'));
    await when(() => held.length === 1);
    holder = OTHER;
    const second = lab.run(command, rowOf('b'));
    await when(() => lab.context.window.transfers.all.length === 2);
    const before = lab.engine.seen.length;
    await inspectImage(await lab.context.engine.connect(), 'other');
    assert.equal(lab.engine.seen.length, before + 1);
    end(0);
    await first;
    await when(() => held.length === 2);
    end(1);
    assert.deepEqual(await second, { reference: NAME });
  });

  it('is joined by a caller for the same image only', async () => {
    const command = pushCommand();
    const first = lab.run(command, rowOf('a'));
    await when(() => held.length === 1);
    const pushes = mock.method(lab.context.window.transfers, 'push').mock;
    const joined = lab.call(command, { id: NAME });
    await when(() => pushes.callCount() === 1);
    end(0);
    assert.deepEqual(await Promise.all([first, joined]), [
      { reference: NAME },
      { reference: NAME },
    ]);
    assert.equal(held.length, 1);
  });
});

describe('a push of an image without a registry in its name', () => {
  let lab: CommandLab;
  let tags: readonly string[];
  beforeEach(async () => {
    tags = ['docker.io/library/app:1'];
    lab = await openCommandLab(({ path, query }, response) => {
      if (path.endsWith('/tag')) {
        tags = [...tags, `${query.get('repo') ?? ''}:${query.get('tag') ?? ''}`];
        response.writeHead(201).end();
      } else if (path.endsWith('/push')) json(response, 200, { status: 'pushed' });
      else json(response, 200, { Id: CHOSEN, RepoTags: tags });
    });
  });
  afterEach(() => lab.close());

  const pushFrom = (...answers: readonly Answer[]) => {
    const chosen = image('a', { tags });
    lab.list([], [chosen, image('b', { tags: ['registry.example.org/other:1'] })]);
    lab.ui.act(...answers);
    return lab.run(pushCommand(), imageRow(chosen));
  };
  const posted = () =>
    lab.engine.seen.flatMap(({ method, path }) => (method === 'POST' ? [path] : []));

  it('asks for another name, then tags and pushes under that', async () => {
    assert.deepEqual(await pushFrom(give('Tag...'), ENTER), { reference: NAME });
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Tag docker.io/library/app:1?');
    assert.equal(lab.ui.of('input')[0]?.text, 'Push docker.io/library/app:1');
    assert.deepEqual(posted(), [
      `/images/${encodeURIComponent(CHOSEN)}/tag`,
      '/images/registry.example.org/app/push',
    ]);
    assert.deepEqual(tags, ['docker.io/library/app:1', NAME]);
    assert.equal(lab.ui.of('info').at(-1)?.text, `Pushed ${NAME}.`);
  });

  it('warns while the user types a tag that another image has', async () => {
    await pushFrom(give('Tag...'));
    const { warning, problem } = lab.ui.of('input')[0]?.input ?? {};
    assert.match(
      warning?.('registry.example.org/other:1') ?? '',
      /^Moves the only tag from bbbbbbbbbbbb/,
    );
    assert.equal(warning?.(NAME), undefined);
    assert.match(problem?.('registry.example.org/app:1:2') ?? '', /is not an image name/);
    assert.deepEqual(posted(), []);
  });

  it('sends and shows nothing if the user does not want to tag the image', async () => {
    assert.equal(await pushFrom(), undefined);
    assert.deepEqual(lab.engine.seen, []);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['confirm'],
    );
  });
});
