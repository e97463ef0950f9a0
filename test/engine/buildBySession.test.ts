// Builds by `POST /build` with a session: for a proxy that hides `/grpc` only.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import type {
  BuildEvent,
  BuildProviders,
  BuildRequest,
  BuildResult,
} from '../../src/engine/builds/model.ts';
import { BuildFailedError } from '../../src/engine/builds/buildFailedError.ts';
import { findImage } from '../../src/engine/images/images.ts';
import { buildBySession } from '../../src/engine/builds/tar/buildBySession.ts';
import { REGISTRY_IMAGES } from '../bed/registry-data.ts';
import { describeOnDocker, Site } from './support.ts';

describeOnDocker('a build with a session of its own', function () {
  this.timeout(60_000);

  let site: Site;
  let folder = '';
  let context = '';
  let events: BuildEvent[];

  beforeEach(() => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    context = mkdtempSync(join(tmpdir(), 'gantry-context-'));
    events = [];
  });
  afterEach(async () => {
    for (const one of [folder, context]) rmSync(one, { recursive: true });
    await site.leave();
  });

  async function build(
    lines: readonly string[],
    wishes: Partial<BuildRequest> = {},
    providers: Partial<BuildProviders> = {},
    signal = new AbortController().signal,
  ): Promise<BuildResult> {
    const dockerfile = join(folder, 'Dockerfile');
    writeFileSync(dockerfile, `${lines.join('\n')}\n`);
    const wish = { context, dockerfile, tags: [], noCache: true, ...wishes };
    const request = await startRequest(wish);
    const all = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('secrets are not needed')),
      ...providers,
    };
    const onEvent = (event: BuildEvent): void => void events.push(event);
    const controls = { onEvent, signal };
    const files = serveContext(request, 'test');
    const result = await buildBySession(site.connection, request, all, files, controls);
    site.owns(result.imageId);
    return result;
  }

  const output = (): string =>
    events
      .flatMap((event) => (event.kind === 'output' ? [event.output.data] : []))
      .map((data) => Buffer.from(data).toString())
      .join('');

  it('copies no Dockerfile from outside the context, nor what that one ignores', async () => {
    writeFileSync(join(folder, 'Dockerfile.dockerignore'), 'left-out\n');
    for (const name of ['proof', 'left-out']) writeFileSync(join(context, name), '');
    await build([`FROM ${site.facts.image}`, 'COPY . /all', 'RUN echo "[$(ls -A /all)]"']);
    assert.match(output(), /\[proof\]/);
  });

  it('gets its secrets, and those of no other', async () => {
    const mount = '--mount=type=secret,id=word cat /run/secrets/word | wc -c';
    const lines = [`FROM ${site.facts.image}`, `RUN ${mount}`];
    const secret = (): Promise<Uint8Array> => Promise.resolve(Buffer.from('open sesame'));
    await build(lines, { secrets: ['word'] }, { secret });
    assert.match(output(), /11/);
    events = [];
    await build(lines, {}, { secret });
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'refusal' ? [event.refusal] : [])),
      [{ kind: 'secret', name: 'word' }],
    );
  });

  it('pulls a private base image with the credentials of its registry', async () => {
    const { lockedRegistry, username, password } = site.facts;
    const lines = [`FROM ${lockedRegistry}/${REGISTRY_IMAGES.tiny}`, `ENV A=${site.name()}`];
    const known = (secret: string) => () => Promise.resolve({ username, password: secret });
    const wrong = build(lines, { pull: true }, { credentials: known('incorrect') });
    await assert.rejects(wrong, (error: Error) => {
      assert.doesNotMatch(error.message, /Pull it/);
      return /401|unauthorized|authoriz|authentication required/i.test(error.message);
    });
    await build(lines, { pull: true }, { credentials: known(password) });
  });

  it('fails at the line, and with the error of a provider', async () => {
    const lines = [`FROM ${site.facts.image}`, 'RUN echo why && \\', '  exit 3'];
    const error: unknown = await build(lines).catch((thrown: unknown) => thrown);
    assert(error instanceof BuildFailedError, String(error));
    const { source, exitCode } = error.failure;
    assert.deepEqual([source?.lines, exitCode], [{ start: 2, end: 3 }, 3]);
    const secret = (): Promise<Uint8Array> => Promise.reject(new Error('the file is gone'));
    const asking = [`FROM ${site.facts.image}`, 'RUN --mount=type=secret,id=word true'];
    await assert.rejects(build(asking, { secrets: ['word'] }, { secret }), /the file is gone/);
  });

  it('ends on cancel, without a tag', async () => {
    const tag = `${site.repository()}:1`;
    const controller = new AbortController();
    const lines = [`FROM ${site.facts.image}`, 'RUN echo begun && sleep 1000'];
    const isBegun = setInterval(() => {
      if (output().includes('begun')) controller.abort(new Error('enough'));
    }, 20);
    await assert
      .rejects(build(lines, { tags: [tag] }, {}, controller.signal), /enough/)
      .finally(() => clearInterval(isBegun));
    assert.equal(await findImage(site.connection, tag), undefined);
  });
});
