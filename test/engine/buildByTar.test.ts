import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { packContext } from '../../src/engine/builds/context/packContext.ts';
import { buildByTar } from '../../src/engine/builds/tar/buildByTar.ts';
import type {
  BuildEvent,
  BuildFailure,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildStep,
} from '../../src/engine/builds/model.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { BuildFailedError } from '../../src/engine/builds/buildFailedError.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { findImage, inspectImage } from '../../src/engine/images/images.ts';
import { compareApi } from '../../src/engine/capabilities/version.ts';
import { REGISTRY_IMAGES } from '../bed/registry-data.ts';
import { FaultProxy } from '../bed/faultProxy.ts';
import { Site } from './support.ts';

const NO_PROVIDERS: BuildProviders = {
  credentials: () => Promise.resolve(undefined),
  secret: () => Promise.reject(new Error('secrets are not needed')),
};

describe('a build by tar on an engine that has or shows no /grpc', function () {
  this.timeout(120_000);

  let site: Site;
  let folder: string;
  let events: BuildEvent[];
  let proxy: FaultProxy;
  let connection: Connection;

  beforeEach(async () => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    events = [];
    proxy = await FaultProxy.start(site.facts.socket);
    const refused = { status: 403, headers: {}, body: 'hidden' };
    proxy.fault(/^\/(grpc|session)/, { kind: 'edit', edit: () => refused }, 1000);
    connection = openConnection(parseEndpoint(proxy.url, 'setting'));
  });
  afterEach(async () => {
    connection.dispose();
    await proxy.stop();
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
    isClassic = false,
  ): Promise<BuildResult> {
    const onEvent = (event: BuildEvent): void => void events.push(event);
    const all = { ...NO_PROVIDERS, ...providers };
    const context = (isPodman: boolean) => packContext(request, signal, isPodman);
    const controls = { onEvent, signal, isClassic };
    const result = await buildByTar(
      connection,
      await startRequest(request),
      all,
      context,
      controls,
    );
    site.owns(result.imageId);
    return result;
  }

  async function failure(
    request: BuildRequest,
    isClassic = false,
  ): Promise<{ error: EngineError } & BuildFailure> {
    const work = build(request, {}, undefined, isClassic);
    const error: unknown = await work.then(
      ({ imageId }) => assert.fail(`built ${imageId}`),
      (thrown: unknown) => thrown,
    );
    assert(error instanceof EngineError, String(error));
    return { error, ...(error instanceof BuildFailedError && error.failure) };
  }

  function steps(): BuildStep[] {
    const all = new Map<string, BuildStep>();
    for (const event of events) if (event.kind === 'step') all.set(event.step.id, event.step);
    return [...all.values()];
  }

  function stepOf(text: string): BuildStep {
    const found = steps().find(({ name }) => name.includes(text));
    assert(found, `${text} is not in ${JSON.stringify(steps())}`);
    return found;
  }

  function outputOf(step: BuildStep): string {
    return events
      .flatMap((event) => (event.kind === 'output' ? [event.output] : []))
      .filter((output) => output.step === step.id)
      .map(({ data }) => Buffer.from(data).toString())
      .join('');
  }

  it('takes arguments, labels, tags and a target, and reports steps with their output', async () => {
    const tag = site.owns(`${site.repository()}:1`);
    const request = requestOf(
      [
        `FROM ${site.facts.image} AS base`,
        'ARG WORD=usual',
        'RUN echo "said $WORD" > /proof && cat /proof',
        'FROM base AS middle',
        'COPY Dockerfile /copy',
        'FROM base',
        'RUN exit 7',
      ],
      { tags: [tag], target: 'middle', args: { WORD: 'given' }, labels: { a: 'b' } },
    );
    const { imageId } = await build(request);
    const image = await inspectImage(site.connection, tag);
    assert.equal(image.id, imageId);
    assert.match(outputOf(stepOf('RUN echo')), /said given/);
    assert.match(stepOf('RUN echo').name, /^\[base \d\/\d\] RUN echo/);
    assert.match(stepOf('COPY').name, /^\[middle \d\/\d\] COPY/);
    assert.ok(steps().every(({ state }) => state === 'done' || state === 'cached'));
    assert.ok(!steps().some(({ name }) => name.includes('exit 7')));
    assert.deepEqual(
      proxy.seen.filter(({ path }) => /grpc|session/.test(path)),
      [],
    );
  });

  it('keeps hard links, named pipes, and modes of 0', async () => {
    writeFileSync(join(folder, 'one'), 'same');
    linkSync(join(folder, 'one'), join(folder, 'two'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'none'), 'x');
    chmodSync(join(folder, 'none'), 0);
    // Another name of the Dockerfile, which is sent as it was read.
    linkSync(requestOf([]).dockerfile, join(folder, 'other'));
    const check = 'stat -c "%n %h %F %a" /in/one /in/none /in/pipe; cat /in/two /in/other';
    await build(requestOf([`FROM ${site.facts.image}`, 'COPY . /in/', `RUN ${check}`]));
    const output = outputOf(stepOf('RUN stat'));
    const { version = '0.0' } = await site.connection.info();
    // The BuildKit of Docker 20.10 leaves out named pipes.
    if (site.isPodman || compareApi(version, '23.0') >= 0)
      assert.match(output, /\/in\/pipe 1 fifo /);
    assert.match(output, /\/in\/none 1 regular file 0\n/);
    assert.match(output, /same(?:.*)FROM/s);
  });

  it('keeps a health check, which a container of the image has', async () => {
    const lines = [`FROM ${site.facts.image}`, 'HEALTHCHECK --interval=1h --retries=2 CMD true'];
    const { imageId } = await build(requestOf(lines));
    // Podman does not show it in its compatible inspect of the image.
    const id = await site.sleeper({ body: { Image: imageId } });
    const { raw } = await inspectContainer(site.connection, id);
    const { Healthcheck: check } = (raw as { readonly Config: Record<string, unknown> }).Config;
    const { Test: test, Retries: retries } = check as Record<string, unknown>;
    assert.deepEqual([test, retries], [['CMD-SHELL', 'true'], 2]);
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'warning'),
      [],
    );
  });

  it('has its steps in the cache the second time', async () => {
    const request = requestOf([`FROM ${site.facts.image}`, `RUN echo ${site.name()}`]);
    const first = await build(request);
    const before = stepOf('RUN echo');
    assert.equal(before.state, 'done');
    events = [];
    assert.equal((await build(request)).imageId, first.imageId);
    const after = stepOf('RUN echo');
    assert.deepEqual([after.state, after.id], ['cached', before.id]);
    events = [];
    await build({ ...request, noCache: true });
    assert.equal(stepOf('RUN echo').state, 'done');
  });

  it('is placed at the line of the command that fails', async () => {
    const request = requestOf([
      '# the first',
      `FROM ${site.facts.image} AS base`,
      'ENV A=b',
      'FROM base',
      'ENV C=d',
      'RUN echo why >&2 && \\',
      '  # not this',
      '  exit 3',
      'RUN true',
    ]);
    const { error, source, step, exitCode } = await failure(request);
    assert.deepEqual([source?.lines, source?.file], [{ start: 6, end: 8 }, 'Dockerfile']);
    assert.equal(source?.text, readFileSync(request.dockerfile, 'utf8'));
    assert.equal(exitCode, 3);
    assert.equal(stepOf('why').id, step);
    assert.equal(stepOf('why').state, 'failed');
    assert.match(outputOf(stepOf('why')), /why/);
    assert.doesNotMatch(error.message, /libpod_builder|imagebuilder/);
  });

  it('is placed at an unknown instruction', async () => {
    const { error, source } = await failure(
      requestOf([`FROM ${site.facts.image}`, 'ENV A=b', 'RUNN true']),
    );
    assert.deepEqual(source?.lines, { start: 3, end: 3 });
    assert.match(error.message, /unknown instruction: "?RUNN/i);
    assert.doesNotMatch(error.message, /imagebuilder/);
  });

  it('is placed at the copy of a missing file', async () => {
    const { error, source } = await failure(
      requestOf([`FROM ${site.facts.image}`, 'ENV A=b', 'COPY missing.txt /', 'RUN true']),
    );
    assert.deepEqual(source?.lines, { start: 3, end: 3 });
    assert.match(error.message, /missing\.txt/);
    assert.doesNotMatch(error.message, /libpod_builder|\/tmp\//);
  });

  it('names the base image that is missing, at its line', async () => {
    const base = `${site.facts.lockedRegistry}/nobody/nothing:1`;
    const { error, source } = await failure(requestOf(['ARG A=b', `FROM ${base}`, 'RUN true']));
    assert.equal(error.reason, 'notFound');
    assert.deepEqual(source?.lines, { start: 2, end: 2 });
    assert.ok(
      error.message.startsWith(`Could not read base image ${base}. Pull it`),
      error.message,
    );
  });

  it('reports which target is unknown', async () => {
    const request = requestOf([`FROM ${site.facts.image}`], { target: 'nowhere' });
    const { error, source } = await failure(request);
    assert.match(error.message, /nowhere/);
    assert.deepEqual(source?.lines, { start: 1, end: 1 });
  });

  it('may have its Dockerfile outside the context', async () => {
    const other = mkdtempSync(join(tmpdir(), 'gantry-context-'));
    try {
      writeFileSync(join(other, 'proof'), 'here\n');
      writeFileSync(join(other, 'left-out'), '');
      writeFileSync(join(folder, 'Dockerfile.dockerignore'), 'left-out\n');
      const lines = [
        `FROM ${site.facts.image}`,
        'COPY . /all',
        'RUN cd /all && ls -A && cat proof',
      ];
      const request = { ...requestOf(lines), context: other, noCache: true };
      await build(request, {}, undefined, !site.isPodman);
      assert.equal(outputOf(stepOf('RUN cd')).trim(), 'proof\nhere');
      if (site.isPodman) return;
      // BuildKit copies the Dockerfile, too.
      events = [];
      await build(request);
      assert.match(outputOf(stepOf('RUN cd')), /^proof\nhere$/m);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('ends on cancel, without a tag', async () => {
    const tag = `${site.repository()}:1`;
    const controller = new AbortController();
    const request = requestOf([`FROM ${site.facts.image}`, 'RUN echo begun && sleep 1000'], {
      tags: [tag],
      noCache: true,
    });
    const work = build(request, {}, controller.signal);
    const watch = setInterval(() => {
      if (events.some(({ kind }) => kind === 'output')) controller.abort(new Error('enough'));
    }, 20);
    await assert.rejects(work, /enough/).finally(() => clearInterval(watch));
    assert.equal(stepOf('RUN echo').state, 'canceled');
    assert.equal(await findImage(site.connection, tag), undefined);
  });

  it('pulls a private base image with the credentials of its registry alone', async () => {
    const { lockedRegistry, username, password } = site.facts;
    const base = site.owns(`${lockedRegistry}/${REGISTRY_IMAGES.tiny}`);
    const request = requestOf([`FROM ${base}`, `ENV A=${site.name()}`], { pull: true });
    // Without a session, BuildKit cannot ask for credentials.
    const isClassic = !site.isPodman;
    const asked: string[] = [];
    const known = (secret: string) => (registry: string) => {
      asked.push(registry);
      return Promise.resolve({ username, password: secret });
    };
    const wrong = build(request, { credentials: known('incorrect') }, undefined, isClassic);
    await assert.rejects(wrong, /401|unauthorized|authoriz|authentication required/i);
    await build(request, { credentials: known(password) }, undefined, isClassic);
    assert.deepEqual([...new Set(asked)], [lockedRegistry]);
  });

  it('is one of the classic builder if it is asked for', async function () {
    if (site.isPodman) this.skip();
    const request = requestOf([
      'ARG A=b',
      `FROM ${site.facts.image} AS base`,
      `RUN echo ${site.name()} && echo wrong >&2`,
      'FROM base',
      'RUN exit 3',
    ]);
    const { source, exitCode } = await failure(request, true);
    assert.deepEqual([source?.lines, exitCode], [{ start: 5, end: 5 }, 3]);
    assert.equal(stepOf('exit 3').state, 'failed');
    const echo = stepOf('RUN echo');
    assert.equal(echo.state, 'done');
    const streams = events.flatMap((event) =>
      event.kind === 'output' && event.output.step === echo.id
        ? [`${event.output.stream} ${Buffer.from(event.output.data).toString().trim()}`]
        : [],
    );
    assert.ok(streams.includes('stderr wrong'), streams.join('\n'));
    events = [];
    await build({ ...request, target: 'base' }, {}, undefined, true);
    assert.equal(stepOf('RUN echo').state, 'cached');
  });

  for (const [title, files, expected] of [
    [
      '.containerignore alone',
      { '.containerignore': 'secret.env\n', '.dockerignore': 'a.txt\n' },
      '.containerignore .dockerignore Dockerfile a.txt',
    ],
    [
      'an ignored Dockerfile',
      { '.dockerignore': 'Dockerfile*\n' },
      '.dockerignore a.txt secret.env',
    ],
    ['a Dockerfile and itself', { '.dockerignore': '[.D]*\n' }, 'a.txt secret.env'],
    ['its own name', { '.containerignore': '.c*\nsecret.env\n' }, 'Dockerfile a.txt'],
    [
      'the one of the Dockerfile',
      { 'Dockerfile.dockerignore': 'D*\n', '.containerignore': 'a.txt\n' },
      'a.txt secret.env',
    ],
  ] as const)
    it(`copies on Podman what its ignore file leaves: ${title}`, async function () {
      if (!site.isPodman) this.skip();
      const request = requestOf([
        `FROM ${site.facts.image}`,
        'COPY . /copied',
        'RUN cd /copied && echo found: $(find . -type f | cut -c 3- | sort)',
      ]);
      writeFileSync(join(folder, 'a.txt'), 'a');
      writeFileSync(join(folder, 'secret.env'), 's');
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      await build(request);
      assert.ok(outputOf(stepOf('RUN')).includes(`found: ${expected}\n`), outputOf(stepOf('RUN')));
    });

  it('sends folders, links and modes, without what is ignored', async () => {
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    writeFileSync(join(folder, 'src/deep/run'), 'hello', { mode: 0o755 });
    writeFileSync(join(folder, 'src/ignored'), 'x'.repeat(300_000));
    symlinkSync('deep/run', join(folder, 'src/link'));
    writeFileSync(join(folder, '.dockerignore'), '**/ignored\n');
    const list = "find . | sort && cat src/link && stat -c ' %a' src/deep/run";
    const run = `RUN --mount=type=bind,target=/all cd /all && ${list}`;
    await build(requestOf([`FROM ${site.facts.image}`, run], { noCache: true }));
    const paths = ['.', './.dockerignore', './Dockerfile', './src', './src/deep', './src/deep/run'];
    const output = outputOf(stepOf('cd /all'));
    assert.equal(output.trim(), [...paths, './src/link', 'hello 755'].join('\n'));
  });

  describe('with secrets', () => {
    const lines = (image: string): string[] => [
      `FROM ${image}`,
      'COPY . /all',
      'RUN --mount=type=secret,id=word cd /run/secrets; wc -c < word; cat word && ls -a /all',
    ];
    const wishes = { secrets: ['word'], noCache: true };

    it('gives them to Podman, and leaves none in the image or in the output', async function () {
      if (!site.isPodman) this.skip();
      const secret = (): Promise<Uint8Array> => Promise.resolve(Buffer.from('open sesame\n'));
      await build(requestOf(lines(site.facts.image), wishes), { secret });
      const output = outputOf(stepOf('RUN --mount'));
      assert.match(output, /^12\n…$/m);
      assert.doesNotMatch(output, /open sesame|gantry-secret/);
    });

    it('is refused on Docker before anything is sent', async function () {
      if (site.isPodman) this.skip();
      const request = requestOf(lines(site.facts.image), wishes);
      await assert.rejects(
        build(request),
        /secrets require the engine.s \/grpc or \/session endpoint/,
      );
      assert.equal(proxy.count(/build/), 0);
    });
  });
});
