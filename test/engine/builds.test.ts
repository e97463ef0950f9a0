import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { buildWithBuildKit, checkWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import {
  findBuildError,
  followBuilds,
  listBuilds,
  removeBuild,
  replayBuild,
} from '../../src/engine/builds/buildHistory.ts';
import type {
  BuildEvent,
  BuildHistoryEvent,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildStep,
} from '../../src/engine/builds/model.ts';
import { LISTEN_BUILD_HISTORY } from '../../src/engine/builds/controlMessages.ts';
import { openBuilder } from '../../src/engine/builds/grpc/builderConnection.ts';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import { capabilitiesOf } from '../../src/engine/capabilities/capabilities.ts';
import { BuildFailedError } from '../../src/engine/builds/buildFailedError.ts';
import { findImage, inspectImage } from '../../src/engine/images/images.ts';
import { until } from '../bed/until.ts';
import { REGISTRY_IMAGES } from '../bed/registry-data.ts';

import { Site } from './support.ts';

const NO_PROVIDERS: BuildProviders = {
  credentials: () => Promise.reject(new Error('credentials are not needed')),
  secret: () => Promise.reject(new Error('secrets are not needed')),
};

describe('a build with BuildKit', function () {
  this.timeout(60_000);

  let site: Site;
  let folder: string;
  let events: BuildEvent[];
  let isOld: boolean;

  before(async function () {
    site = new Site();
    if (site.isPodman) this.skip();
    isOld = !capabilitiesOf(await site.connection.info()).keepsBuilds;
  });
  beforeEach(() => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    events = [];
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await site.leave();
  });

  function requestOf(lines: readonly string[], wishes: Partial<BuildRequest> = {}): BuildRequest {
    const dockerfile = join(folder, 'Dockerfile');
    writeFileSync(dockerfile, `${lines.join('\n')}\n`);
    return { context: folder, dockerfile, tags: [], ...wishes };
  }

  async function build(
    request: BuildRequest,
    providers: Partial<BuildProviders> = {},
    signal = new AbortController().signal,
  ): Promise<BuildResult> {
    const onEvent = (event: BuildEvent): void => void events.push(event);
    const all = { ...NO_PROVIDERS, ...providers };
    const controls = { onEvent, signal };
    return buildWithBuildKit(
      site.connection,
      await startRequest(request),
      all,
      serveContext(request, 'test'),
      controls,
    );
  }

  function steps(): BuildStep[] {
    const all = new Map<string, BuildStep>();
    for (const event of events) if (event.kind === 'step') all.set(event.step.id, event.step);
    return [...all.values()];
  }

  function output(): string {
    const parts = events.flatMap((event) => (event.kind === 'output' ? [event.output.data] : []));
    return Buffer.concat(parts).toString();
  }

  async function failed(
    work: Promise<unknown>,
  ): Promise<[BuildFailedError, BuildFailedError['failure']]> {
    const error: unknown = await work.then(
      () => assert.fail('did not fail'),
      (thrown: unknown) => thrown,
    );
    assert(error instanceof BuildFailedError, String(error));
    return [error, error.failure];
  }

  it('builds two stages with an argument, a label, and a file, and names the image', async () => {
    writeFileSync(join(folder, 'hello.txt'), 'hello\n');
    const name = `gantry-${site.name()}`;
    const request = requestOf(
      [
        `FROM ${site.facts.image} AS first`,
        'ARG WORD=none',
        'COPY hello.txt /a.txt',
        'RUN cat /a.txt && echo "word $WORD" && echo "$WORD" > /word',
        'FROM scratch',
        'COPY --from=first /word /word',
      ],
      { tags: [name, `${name}:2`], args: { WORD: 'given' }, labels: { 'a.b': 'c, d=e' } },
    );
    const result = await build(request);
    site.owns(`${name}:latest`);
    site.owns(`${name}:2`);
    const image = await inspectImage(site.connection, `${name}:latest`);
    assert.equal(image.id, result.imageId);
    assert.deepEqual([...image.tags].toSorted(), [`${name}:2`, `${name}:latest`]);
    assert.match(output(), /hello\nword given\n/);
    assert.match(JSON.stringify(image.raw), /"a\.b":"c, d=e"/);
    const done = steps();
    assert.deepEqual(
      done
        .filter(({ state }) => state !== 'done' && state !== 'cached')
        .map(({ name: step }) => step),
      [],
    );
    assert(done.some(({ name: step, inputs }) => step.includes('RUN cat') && inputs.length > 0));
    assert(events.some((event) => event.kind === 'transfer'));
  });

  it('takes the second build from the cache', async () => {
    const request = requestOf([`FROM ${site.facts.image}`, `RUN echo ${site.name()}`]);
    const first = await build(request);
    site.owns(first.imageId);
    assert.equal(runStep()?.state, 'done');
    const id = runStep()?.id;
    events = [];
    assert.equal((await build(request)).imageId, first.imageId);
    assert.deepEqual([runStep()?.state, runStep()?.id], ['cached', id]);
    events = [];
    await build({ ...request, noCache: true });
    assert.equal(runStep()?.state, 'done');
  });

  function runStep(): BuildStep | undefined {
    return steps().find(({ name }) => name.includes('RUN'));
  }

  it('gives a declared secret to the step that mounts it, and refuses another', async () => {
    const request = requestOf(
      [
        `FROM ${site.facts.image}`,
        'RUN --mount=type=secret,id=good,required=true cd /run/secrets; wc -c < good; cat good',
        'RUN --mount=type=secret,id=other test ! -e /run/secrets/other && echo "without other"',
      ],
      { secrets: ['good'], noCache: true },
    );
    const asked: string[] = [];
    const secret = (id: string): Promise<Uint8Array> => {
      asked.push(id);
      return Promise.resolve(Buffer.from('p4ssw0rd'));
    };
    site.owns((await build(request, { secret })).imageId);
    assert.deepEqual(asked, ['good']);
    assert.match(output(), /^8\n…/m);
    assert.match(output(), /without other/);
    assert.doesNotMatch(output(), /p4ssw0rd/);
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'refusal' ? [event.refusal] : [])),
      [{ kind: 'secret', name: 'other' }],
    );
    assert(!JSON.stringify(events).includes('p4ssw0rd'));
  });

  it('rejects with the error of a provider', async () => {
    const request = requestOf(
      [`FROM ${site.facts.image}`, 'RUN --mount=type=secret,id=x,required=true cat /run/secrets/x'],
      { secrets: ['x'], noCache: true },
    );
    const secret = (): Promise<never> => Promise.reject(new Error('/home/me/token is missing'));
    await assert.rejects(build(request, { secret }), { message: '/home/me/token is missing' });
  });

  it('reports the step, the lines, and from Docker 23 the exit code of a command that fails', async () => {
    const lines = [`FROM ${site.facts.image}`, '', 'RUN echo last words && \\', '    exit 3'];
    const [error, cause] = await failed(build(requestOf(lines)));
    assert.match(error.message, /exit code: 3/);
    assert.match(output(), /last words/);
    const step = steps().find(({ state }) => state === 'failed');
    assert.equal(cause.step, step?.id);
    assert.match(step?.name ?? '', /exit 3/);
    assert.deepEqual(cause.source?.lines, { start: 3, end: 4 });
    assert.equal(cause.source.file, 'Dockerfile');
    assert.equal(cause.source.text, `${lines.join('\n')}\n`);
    assert.equal(cause.exitCode, isOld ? undefined : 3);
  });

  it('reports the lines of a Dockerfile whose error does not fit into the trailers', async function () {
    if (isOld) this.skip();
    const filler = Array.from({ length: 1_500 }, (_, at) => `# ${at} ${'x'.repeat(60)}`);
    const request = requestOf([`FROM ${site.facts.image}`, ...filler, 'RUN exit 4']);
    const [error, cause] = await failed(build(request));
    assert.match(error.message, /exit code: 4/);
    assert.deepEqual(cause.source?.lines, { start: 1_502, end: 1_502 });
  });

  it('reports an unknown instruction', async () => {
    const [error] = await failed(build(requestOf([`FROM ${site.facts.image}`, 'RUNN true'])));
    assert.match(error.message, /line 2: unknown instruction: RUNN/i);
  });

  it('refuses a name that is not valid before anything is built', async () => {
    const request = requestOf(['FROM scratch'], { tags: ['upper/X'] });
    await assert.rejects(build(request), { reason: 'badRequest' });
    assert.deepEqual(events, []);
  });

  it('ends when it is canceled, with its step, and leaves no image', async () => {
    const name = `gantry-${site.name()}`;
    const request = requestOf([`FROM ${site.facts.image}`, 'RUN echo begun && sleep 1000'], {
      tags: [name],
      noCache: true,
    });
    const controller = new AbortController();
    const building = build(request, {}, controller.signal);
    building.catch(() => undefined);
    await until(() => output().includes('begun'), 'the step runs');
    controller.abort();
    await assert.rejects(building, { name: 'AbortError' });
    assert.equal(runStep()?.state, 'canceled');
    assert.equal(await findImage(site.connection, name), undefined);
  });

  it('shows ten thousand lines of a step, whole and in order', async () => {
    const request = requestOf([`FROM ${site.facts.image}`, 'RUN seq 1 10000'], { noCache: true });
    site.owns((await build(request)).imageId);
    const numbers = output()
      .split('\n')
      .filter((line) => /^\d+$/.test(line));
    // The engine itself cuts the output of a step after 2 MiB, or 200 KiB in a second.
    assert.deepEqual(
      numbers,
      Array.from({ length: 10_000 }, (_, at) => String(at + 1)),
    );
  });

  it('pulls a private base image with the credentials of its registry alone', async () => {
    const { lockedRegistry, username, password } = site.facts;
    const request = requestOf([`FROM ${lockedRegistry}/${REGISTRY_IMAGES.tiny}`], { pull: true });
    const asked: string[] = [];
    const known = (registry: string) => {
      asked.push(registry);
      return Promise.resolve({ username, password });
    };
    const [wrong] = await failed(
      build(request, { credentials: () => Promise.resolve({ username, password: 'wrong' }) }),
    );
    assert.match(wrong.message, /401|unauthorized|authoriz/i);
    await build(request, { credentials: known }).then(({ imageId }) => site.owns(imageId));
    assert.deepEqual([...new Set(asked)], [lockedRegistry]);
  });

  describe('is in the history', () => {
    before(function () {
      if (isOld) this.skip();
    });

    it('live for another connection, with its steps, and can be removed', async () => {
      const request = requestOf([
        `FROM ${site.facts.image}`,
        `RUN echo ${site.name()}`,
        'RUN exit 7',
      ]);
      const other = new Site();
      const controller = new AbortController();
      const heard: BuildHistoryEvent[] = [];
      const known = new Set((await listBuilds(other.connection)).map(({ ref }) => ref));
      const following = followBuilds(
        other.connection,
        (event) => heard.push(event),
        controller.signal,
      );
      following.catch(() => undefined);
      await until(() => known.size === 0 || heard.length >= known.size, 'the list');
      await failed(build({ ...request, tags: [`gantry-${site.name()}`], target: undefined }));
      const ours = () =>
        heard.flatMap((event) =>
          event.kind === 'changed' && !known.has(event.record.ref) ? [event.record] : [],
        );
      await until(() => ours().some(({ state }) => state === 'failed'), 'the end of the build');
      assert.equal(ours()[0]?.state, 'running');
      const record = ours().at(-1)!;
      assert.match(record.tags[0] ?? '', /^docker\.io\/library\/gantry-/);
      assert.match(record.error ?? '', /exit code: 7/);
      assert(record.steps > 0 && record.endedAt !== undefined);

      const replayed: BuildEvent[] = [];
      await replayBuild(other.connection, record.ref, (event) => replayed.push(event));
      assert(replayed.some((event) => event.kind === 'output'));
      const error = await findBuildError(other.connection, record.ref);
      assert.deepEqual(error!.failure.source?.lines, { start: 3, end: 3 });

      await removeBuild(other.connection, record.ref);
      await until(
        () => heard.some((event) => event.kind === 'removed' && event.ref === record.ref),
        'the removal',
      );
      controller.abort();
      await assert.rejects(following, { name: 'AbortError' });
      await other.leave();
    });
  });

  it('passes over a folder with the name of an ignore file', async () => {
    for (const name of ['.dockerignore', 'Dockerfile.dockerignore']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'hello.txt'), 'hello\n');
    const { imageId } = await build(requestOf(['FROM scratch', 'COPY . /']));
    site.owns(imageId);
    assert.match(imageId, /^sha256:/);
  });

  it('is not begun by a check that the engine does not know', async function () {
    if (!isOld) this.skip();
    const request = requestOf([`FROM ${site.facts.image}`, 'RUN exit 1']);
    const { signal } = new AbortController();
    const files = serveContext(request, 'test');
    const [error] = await failed(
      checkWithBuildKit(site.connection, await startRequest(request), NO_PROVIDERS, files, signal),
    );
    assert.match(error.message, /frontend.outline/);
  });

  it('can be checked without being built', async function () {
    if (isOld) this.skip();
    const request = requestOf([`FROM ${site.facts.image} AS Base`, 'RUN exit 1']);
    const signal = new AbortController().signal;
    writeFileSync(join(request.context, '.dockerignore'), 'out\n');
    const context = serveContext(request, 'test', true);
    const warnings = await checkWithBuildKit(
      site.connection,
      await startRequest(request),
      NO_PROVIDERS,
      context,
      signal,
    );
    assert.match(warnings[0]?.message ?? '', /StageNameCasing/);
    assert.deepEqual(warnings[0]?.source?.lines, { start: 1, end: 1 });
    assert.match(warnings[0].url ?? '', /^https:\/\/docs\.docker\.com\//);
    assert.deepEqual(await recordedChecks(), []);
  });

  it('leaves no record of a check that was canceled', async function () {
    if (isOld) this.skip();
    const request = requestOf([`FROM ${site.facts.image}`, 'RUN exit 1']);
    const canceling = new AbortController();
    const files = serveContext(request, 'test');
    const diffCopy = (...of: Parameters<typeof files.diffCopy>): Promise<void> => {
      canceling.abort();
      return files.diffCopy(...of);
    };
    const checking = checkWithBuildKit(
      site.connection,
      await startRequest(request),
      NO_PROVIDERS,
      { ...files, diffCopy },
      canceling.signal,
    );
    await assert.rejects(checking, { name: 'AbortError' });
    await until(async () => (await recordedChecks()).length === 0, 'the removal');
  });

  /** Returns the references of the checks in the history. */
  async function recordedChecks(): Promise<readonly string[]> {
    const builder = await openBuilder(site.connection);
    const found: string[] = [];
    try {
      const listed = builder.client.stream(LISTEN_BUILD_HISTORY, { earlyExit: true });
      for await (const { record } of listed)
        if (record?.attributes.has('requestid') === true) found.push(record.ref);
    } finally {
      builder.dispose();
    }
    return found;
  }

  it('sends the files that the Dockerfile copies, and again only those that changed', async () => {
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    for (const name of ['a', 'b', 'deep/c'])
      writeFileSync(join(folder, 'src', name), name.repeat(1000));
    writeFileSync(join(folder, 'unused'), 'x'.repeat(5000));
    writeFileSync(join(folder, 'src/ignored'), 'x'.repeat(5000));
    writeFileSync(join(folder, '.dockerignore'), '**/ignored\n');
    const request = requestOf([
      `FROM ${site.facts.image}`,
      'COPY s*c /src',
      'RUN cat /src/a /src/b /src/deep/c | wc -c && ls /src',
    ]);
    const controls = { onEvent: () => undefined, signal: new AbortController().signal };
    const build = async () => {
      const context = serveContext(request, 'test');
      await buildWithBuildKit(
        site.connection,
        await startRequest(request),
        NO_PROVIDERS,
        context,
        controls,
      );
      return context.sent.bytes;
    };
    // The ignore file may be sent once more.
    const small = 2 * '**/ignored\n'.length;
    const first = await build();
    assert(first >= 8000 && first <= 8000 + small, String(first));
    assert((await build()) <= small);
    writeFileSync(join(folder, 'src/b'), 'changed');
    const again = await build();
    assert(again >= 7 && again <= 7 + small, String(again));
  });
});
