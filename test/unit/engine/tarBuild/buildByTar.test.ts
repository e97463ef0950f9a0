import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEntry } from '../../../../src/engine/archive/writeTar.ts';
import { buildByTar, type TarBuildControls } from '../../../../src/engine/tarBuild/buildByTar.ts';
import type {
  BuildEvent,
  BuildFailure,
  BuildProviders,
  BuildRequest,
  BuildResult,
} from '../../../../src/engine/builds/model.ts';
import { EngineError, InputError, UploadError } from '../../../../src/engine/errors.ts';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { english } from '../../../../src/l10n.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const ID = `sha256:${'ab'.repeat(32)}`;
const DOCKERFILE = 'FROM me.io/base AS one\nRUN a\nFROM one\nCOPY b /c\nRUN d\n';

describe('engine/buildByTar', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let folder: string;
  let events: BuildEvent[];

  beforeEach(async () => {
    engine = await startFakeEngine();
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
    events = [];
  });
  afterEach(async () => {
    connection.dispose();
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  function isPodman(): void {
    engine.ping((_request, response) => {
      const headers = {
        'api-version': '1.41',
        'libpod-api-version': '5.8.6',
        server: 'Libpod/5.8.6 (linux)',
      };
      response.writeHead(200, headers).end('OK');
    });
  }

  function says(...records: readonly (object | string)[]): void {
    const all = records.map((one) => (typeof one === 'string' ? { stream: one } : one));
    engine.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(all.map((record) => `${JSON.stringify(record)}\n`).join(''));
    });
  }

  function entry(name: string, text: string): NewEntry {
    const data = Buffer.from(text);
    const open = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(data);
    };
    return { name, kind: 'file', permissions: 0o644, modifiedAt: 0, size: data.length, open };
  }

  async function* files(): AsyncGenerator<NewEntry> {
    yield await Promise.resolve(entry('.dockerignore', 'ignored'));
    yield entry('Dockerfile', 'another');
    yield entry('b', 'contents');
  }

  function build(
    wishes: Partial<BuildRequest> = {},
    providers: Partial<BuildProviders> = {},
    controls: Partial<TarBuildControls> = {},
  ): Promise<BuildResult> {
    const request = {
      context: folder,
      dockerfile: join(folder, 'Dockerfile'),
      tags: [],
      ...wishes,
    };
    const all: BuildProviders = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
      ...providers,
    };
    const onEvent = (event: BuildEvent): void => void events.push(event);
    const signal = new AbortController().signal;
    return buildByTar(connection, request, all, files, {
      onEvent,
      signal,
      l10n: english,
      ...controls,
    });
  }

  async function failure(
    work: Promise<unknown> = build(),
  ): Promise<EngineError & { cause: BuildFailure }> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof EngineError, String(error));
    return error as EngineError & { cause: BuildFailure };
  }

  /** Returns the last state of each step by its name. */
  function states(): unknown {
    const steps = events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    return Object.fromEntries(steps.map(({ name, state }) => [name, state]));
  }

  function outputs(): readonly (readonly [string, string])[] {
    return events.flatMap((event) =>
      event.kind === 'output'
        ? [[event.output.stream, Buffer.from(event.output.data).toString()] as const]
        : [],
    );
  }

  it('asks Docker for BuildKit, with everything that was asked for', async () => {
    says({ id: 'moby.image.id', aux: { ID } });
    const { imageId } = await build({
      tags: ['a:1', 'b:2'],
      target: 'one',
      args: { A: 'b' },
      labels: { c: 'd' },
      platforms: ['linux/arm64'],
      noCache: true,
      pull: true,
      network: 'host',
      addHosts: ['e:1.2.3.4', 'f:::1'],
    });
    assert.equal(imageId, ID);
    const [seen] = engine.seen;
    assert.deepEqual(
      [...(seen?.query ?? [])],
      [
        ['version', '2'],
        ['dockerfile', 'Dockerfile'],
        ['t', 'a:1'],
        ['t', 'b:2'],
        ['target', 'one'],
        ['buildargs', '{"A":"b"}'],
        ['labels', '{"c":"d"}'],
        ['platform', 'linux/arm64'],
        ['nocache', '1'],
        ['pull', '1'],
        ['networkmode', 'host'],
        ['extrahosts', 'e:1.2.3.4'],
        ['extrahosts', 'f:::1'],
      ],
    );
    assert.match(seen?.body ?? '', /FROM me\.io\/base[^]*ignored[^]*contents/);
    assert.doesNotMatch(seen?.body ?? '', /another/);
  });

  it('asks for the classic builder only if it is to', async () => {
    says({ stream: 'Step 1/1 : FROM a\n' }, { aux: { ID } });
    await build({}, {}, { isClassic: true });
    assert.equal(engine.seen[0]?.query.get('version'), '1');
  });

  it('sends Podman the secrets as files, and leaves out an ignore file that does not count', async () => {
    isPodman();
    writeFileSync(join(folder, 'Dockerfile.dockerignore'), 'other');
    says({ aux: { ID } });
    const secret = (id: string): Promise<Uint8Array> => Promise.resolve(Buffer.from(`open ${id}`));
    await build({ secrets: ['word'], addHosts: ['e:1.2.3.4'] }, { secret });
    const [seen] = engine.seen;
    assert.ok(seen);
    assert.equal(seen.query.get('version'), null);
    assert.equal(seen.query.get('extrahosts'), '["e:1.2.3.4"]');
    // Otherwise the container of a step that fails or is canceled stays.
    assert.deepEqual([seen.query.get('rm'), seen.query.get('forcerm')], ['1', '1']);
    const [, name = '-'] =
      /^\["id=word,src=([\w.-]+)"\]$/.exec(seen.query.get('secrets') ?? '') ?? [];
    assert.ok(seen.body.includes(name) && seen.body.includes('open word'));
    assert.ok(!seen.body.includes('ignored'));
  });

  describe('with a Dockerfile outside the context', () => {
    let context: string;
    beforeEach(() => {
      context = mkdtempSync(join(tmpdir(), 'gantry-context-'));
      says({ aux: { ID } });
    });
    afterEach(() => {
      rmSync(context, { recursive: true });
    });

    /** Returns the texts of the tar that was sent. */
    async function sent(controls: Partial<TarBuildControls> = {}): Promise<readonly string[]> {
      await build({ context }, {}, controls);
      const { body = '', query } = engine.seen.at(-1) ?? {};
      assert.equal(query?.get('dockerfile'), '.dockerfile.gantry');
      return body.split(/\0+/);
    }

    const warnings = (): readonly string[] =>
      events.flatMap((event) => (event.kind === 'warning' ? [event.warning.message] : []));

    it('keeps it out of what is copied, beside what the ignore file has', async () => {
      isPodman();
      writeFileSync(join(folder, 'Dockerfile'), 'FROM a\nCOPY . /all\n');
      assert.ok((await sent()).includes('.dockerignore\n.dockerfile.gantry\n'));
      assert.deepEqual(warnings(), []);
      writeFileSync(join(context, '.dockerignore'), 'mine');
      const both = await sent();
      assert.ok(both.includes('mine\n.dockerfile.gantry\n'));
      assert.ok(!both.includes('ignored'));
    });

    for (const copied of [
      'COPY . /all',
      'ADD --chown=1 ./ /all',
      'copy ["/", "/all"]',
      'COPY --link \\\n  # everything\n  . \\\n  /all',
      'COPY ./* /all',
      'COPY "." /all',
      'COPY a . /b',
    ])
      it(`warns that BuildKit copies it: ${copied}`, async () => {
        writeFileSync(join(folder, 'Dockerfile'), `FROM a\n${copied}\n`);
        await sent();
        assert.deepEqual(warnings(), [
          'The Dockerfile is outside the context. This build copies it into the image as .dockerfile.gantry.',
        ]);
      });

    it('does not warn if nothing copies it', async () => {
      writeFileSync(join(folder, 'Dockerfile'), 'FROM a\nCOPY a ./b c/ .\nRUN cp . /x\n');
      await sent();
      writeFileSync(join(folder, 'Dockerfile'), 'FROM a AS b\nFROM a\nCOPY --from=b / /\n');
      await sent();
      writeFileSync(join(folder, 'Dockerfile'), 'FROM a\nRUN <<EOF\nCOPY . /all\nEOF\n');
      await sent();
      writeFileSync(join(folder, 'Dockerfile'), 'FROM a\nCOPY . /all\n');
      await sent({ isClassic: true });
      assert.deepEqual(warnings(), []);
    });

    it('does not add the ignore file that its own one replaces', async () => {
      isPodman();
      writeFileSync(join(context, '.dockerignore'), 'mine');
      writeFileSync(join(folder, 'Dockerfile.dockerignore'), 'other');
      assert.ok((await sent()).includes('.dockerignore\n.dockerfile.gantry\n'));
    });

    it('leaves the files as they are for BuildKit, which reads no ignore file', async () => {
      assert.ok((await sent()).includes('ignored'));
    });
  });

  it('sends the credentials of base images only, with their padding', async () => {
    isPodman();
    says({ aux: { ID } });
    const asked: string[] = [];
    const credentials = (registry: string) => {
      asked.push(registry);
      return Promise.resolve({ username: 'me', password: 'sesame??~' });
    };
    await build({}, { credentials });
    assert.deepEqual(asked, ['me.io']);
    const header = String(engine.seen[0]?.headers['x-registry-config']);
    assert.match(header, /^[\w-]+=*$/);
    assert.equal(header.length % 4, 0);
    const config: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    assert.deepEqual(config, { 'me.io': { username: 'me', password: 'sesame??~' } });
  });

  it('shows no credentials that the engine repeats', async () => {
    isPodman();
    says({ error: 'wrong password sesame-open', errorDetail: {} });
    const credentials = () => Promise.resolve({ username: 'me', password: 'sesame-open' });
    assert.equal((await failure(build({}, { credentials }))).message, 'wrong password …');
  });

  it('refuses what the way cannot do before anything is sent', async () => {
    for (const wishes of [{ platforms: ['a/b', 'c/d'] }, { ssh: true }, { secrets: ['a'] }])
      await assert.rejects(build(wishes), InputError);
    isPodman();
    await connection.renew();
    await assert.rejects(build({ secrets: ['a,src=/etc/passwd'] }), InputError);
    await assert.rejects(build({ dockerfile: join(folder, 'none') }), UploadError);
    await assert.rejects(build({ dockerfile: '/dev/zero' }), UploadError);
    await assert.rejects(build({ secrets: ['a'] }), /no secret/);
    assert.equal(engine.seen.length, 0);
  });

  it('reads the text of Podman as steps with output', async () => {
    isPodman();
    says(
      '[1/2] STEP 1/2: FROM me.io/base AS one\n',
      '[1/2] STEP 2/2: RUN a\n',
      '--> Using cache 0123456789ab\n',
      '--> 0123456789ac\n',
      '[2/2] STEP 1/3: FROM 0123456789abcdef\n',
      'time="now" level=error msg="+(UNHANDLED LOGLEVEL) &imagebuilder.Step{}"\n',
      'Resolving %!q(<nil>) to docker.io\n',
      '[2/2] STEP 2/3: COPY b /c\n',
      '--> 0123456789ab\n',
      '[2/2] STEP 3/3: RUN d\n',
      'Successfully built a wheel\n',
      'STEP 1/9: no step\nSTEP 1/1: none either\n',
      '[2/2] STEP 3/3: nor this\n',
      'no line end',
      '[2/2] COMMIT x\n',
      '--> 0123456789ab\n',
      'Successfully tagged x\n',
      `${'ab'.repeat(32)}\n`,
      { aux: { ID } },
    );
    assert.deepEqual(await build(), { imageId: ID });
    assert.deepEqual(states(), {
      '[one 1/2] FROM me.io/base AS one': 'done',
      '[one 2/2] RUN a': 'cached',
      '[stage-1 1/3] FROM one': 'done',
      '[stage-1 2/3] COPY b /c': 'done',
      '[stage-1 3/3] RUN d': 'done',
    });
    assert.deepEqual(outputs(), [
      ['stdout', 'Successfully built a wheel\n'],
      ['stdout', 'STEP 1/9: no step\nSTEP 1/1: none either\n'],
      ['stdout', '[2/2] STEP 3/3: nor this\n'],
      ['stdout', 'no line end'],
    ]);
    const all = events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    const images = new Map(all.map(({ name, image }) => [name, image]));
    assert.deepEqual([...images.values()].slice(0, 4), [
      'me.io/base',
      '0123456789ac',
      '0123456789abcdef',
      '0123456789ab',
    ]);
  });

  it('reads the text of the classic builder', async () => {
    says(
      ...['Step 1/2 : FROM a', '\n', ' ---> 0123456789ab\n', 'Step 2/2 : RUN b', '\n'],
      ...[' ---> Running in 0123456789ab\n', 'out\n', '\x1b[91merr\n\x1b[0m'],
      ...['Removing intermediate container 0123456789ab\n', ' ---> 0123456789ab\n'],
      { aux: { ID } },
      'Successfully built 0123456789ab\n',
    );
    await build({}, {}, { isClassic: true });
    assert.deepEqual(states(), { '[1/2] FROM a': 'done', '[2/2] RUN b': 'done' });
    assert.deepEqual(
      outputs().filter(([, text]) => text.trim() !== ''),
      [
        ['stdout', 'out\n'],
        ['stderr', 'err\n'],
      ],
    );
  });

  it('places the failure of Podman at its line, in its words but for those of its inside', async () => {
    isPodman();
    says(
      ...['[1/2] STEP 1/2: FROM a\n', '[1/2] STEP 2/2: RUN a\n', '[2/2] STEP 1/3: FROM 1\n'],
      ...['[2/2] STEP 2/3: COPY b /c\n'],
      {
        error:
          'building at STEP "COPY b /c": checking on sources under "/var/tmp/libpod_builder123/build": ' +
          'copier: stat: "/b": no such file &imagebuilder.Step{Env:[]}\n',
        errorDetail: {},
      },
    );
    const { message, cause, reason } = await failure();
    assert.equal(reason, 'failed');
    assert.equal(
      message,
      'building at STEP "COPY b /c": checking on sources under "": copier: stat: "/b": no such file',
    );
    assert.deepEqual(cause.source, {
      file: 'Dockerfile',
      text: DOCKERFILE,
      lines: { start: 4, end: 4 },
    });
    const steps = events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    assert.deepEqual([steps.at(-1)?.state, steps.at(-1)?.id], ['failed', cause.step]);
  });

  it('shows a full disk in the words of the engine', async () => {
    says({ errorDetail: { message: 'write /layer.tar: no space left on device' }, error: '…' });
    const { message, cause } = await failure();
    assert.equal(message, 'write /layer.tar: no space left on device');
    assert.deepEqual(cause, {});
  });

  it('names the base image to pull', async () => {
    const message =
      'me.io/base: failed to resolve source metadata for me.io/base:latest: no active sessions';
    says({ errorDetail: { message }, error: message });
    const error = await failure();
    assert.equal(
      error.message,
      'Could not read base image me.io/base:latest. Pull it, then build again.',
    );
    assert.equal(error.reason, 'notFound');
    assert.deepEqual(error.cause.source?.lines, { start: 1, end: 1 });
  });

  it('locates what the engine refuses immediately', async () => {
    const message = 'dockerfile parse error on line 2: unknown instruction: RUNN';
    engine.answer((_request, response) => {
      json(response, 400, { message });
    });
    const error = await failure();
    assert.deepEqual([error.message, error.cause.source?.lines], [message, { start: 2, end: 2 }]);
    engine.answer((_request, response) => {
      response.writeHead(500).end();
    });
    assert.equal((await failure()).engineMessage, undefined);
  });

  it('fails with a broken answer, and leaves no step running', async () => {
    isPodman();
    const begun = 'STEP 1/2: FROM a\n';
    says(begun, { id: 'moby.buildkit.trace', aux: '/////w==' });
    assert.equal((await failure()).reason, 'badAnswer');
    assert.deepEqual(states(), { '[1/2] FROM a': 'canceled' });
    says(begun);
    assert.equal((await failure()).reason, 'badAnswer');
    engine.answer((_request, response) => {
      response
        .writeHead(200)
        .write(`${JSON.stringify({ stream: begun })}\n`, () => response.destroy());
    });
    assert.equal((await failure()).reason, 'cut');
    assert.deepEqual(states(), { '[1/2] FROM a': 'canceled' });
  });
});
