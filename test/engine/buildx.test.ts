// Builds for several platforms, and builds by `docker buildx` on the engine.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuildTrace } from '../../src/builds/buildTrace.ts';
import { bakeArguments, buildxArguments } from '../../src/builds/buildx/buildxArguments.ts';
import { runBuildx } from '../../src/builds/buildx/runBuildx.ts';
import { runCli } from '../../src/engine/cli/runCli.ts';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import { buildWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import type { BuildEvent } from '../../src/engine/builds/model.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { BuildFailedError } from '../../src/engine/builds/buildFailedError.ts';
import { hasPlatform, inspectImage, hasContainerdStore } from '../../src/engine/images/images.ts';
import { inspectInRegistry } from '../../src/engine/registries/registryImage.ts';
import { PLUGINS } from '../bed/newestSystem.ts';
import { until } from '../bed/until.ts';
import { isCommandRunning } from './isCommandRunning.ts';
import { Site } from './support.ts';

const PLATFORMS = ['linux/amd64', 'linux/arm64'];

describe('builds beyond one image of the engine', function () {
  this.timeout(60_000);

  let site: Site;
  let folder: string;

  before(function () {
    site = new Site();
    if (site.isPodman) this.skip();
  });
  beforeEach(() => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-buildx-'));
    // Without RUN: no other processor is emulated.
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY hello.txt /\n');
    writeFileSync(join(folder, 'hello.txt'), 'hello\n');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await site.leave();
  });

  it('have several platforms in one image of the containerd image store', async function () {
    // The other image store cannot hold them.
    if (!(await hasContainerdStore(site.connection))) this.skip();
    const name = site.owns(`gantry-${site.name()}:1`);
    const dockerfile = join(folder, 'Dockerfile');
    const wish = { context: folder, dockerfile, tags: [name], platforms: PLATFORMS };
    const request = await startRequest(wish);
    const providers = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('none')),
    };
    const trace = new BuildTrace();
    const built = await buildWithBuildKit(
      site.connection,
      request,
      providers,
      serveContext(request, 'test'),
      {
        onEvent: (event) => trace.add(event),
        signal: new AbortController().signal,
      },
    );
    // The ID is that of the index, by which the engine has the image, and not that of one platform.
    const { id } = await inspectImage(site.connection, name);
    assert.deepEqual(built, { imageId: id, digest: id });
    for (const platform of PLATFORMS)
      assert.equal(await hasPlatform(site.connection, id, platform), true, platform);
    const other = await hasPlatform(site.connection, id, 'linux/s390x');
    assert.equal(other, false);
    // The files are equal, so the platforms share the step.
    const { stagePosition } =
      trace.steps.find(({ step }) => step.name.includes('COPY')) ?? assert.fail();
    assert.match(stagePosition?.stage ?? '', /^linux\/(?:amd64|arm64)$/);
  });

  describe('by buildx', () => {
    before(function () {
      // Only the newest system has it.
      if (!existsSync(join(site.facts.build.system, PLUGINS, 'docker-buildx'))) this.skip();
    });

    const cli = { file: 'docker-buildx', prefix: [] };

    async function run(
      args: readonly string[],
      signal = new AbortController().signal,
      onEvent: (event: BuildEvent) => void = () => undefined,
    ): Promise<{ readonly trace: BuildTrace; readonly shown: readonly string[] }> {
      const trace = new BuildTrace();
      const shown: string[] = [];
      const variables = { DOCKER_HOST: `unix://${site.facts.socket}` };
      const file = join(site.facts.build.system, PLUGINS, cli.file);
      await runBuildx({
        call: { file, args, variables, env: { ...variables, HOME: folder }, cwd: folder },
        title: 'test',
        run: async (call, { linesOf, signal: own }) => {
          const { code } = await runCli(
            call,
            async (line) => shown.push(...(await linesOf(line))),
            own,
          );
          return code ?? 125;
        },
        onEvent: (event) => {
          trace.add(event);
          onEvent(event);
        },
        signal,
        dockerfileOf: (target) => join(folder, target === 'bad' ? 'bad.Dockerfile' : 'Dockerfile'),
      });
      return { trace, shown };
    }

    async function failed(work: Promise<unknown>): Promise<EngineError> {
      const error: unknown = await work.then(
        () => assert.fail('did not fail'),
        (thrown: unknown) => thrown,
      );
      assert(error instanceof EngineError, String(error));
      return error;
    }

    function writeBake(name: string): string {
      const file = join(folder, 'docker-bake.json');
      const target = { good: { tags: [name] }, bad: { dockerfile: 'bad.Dockerfile' } };
      writeFileSync(file, JSON.stringify({ target, group: { default: { targets: ['good'] } } }));
      const lines = [`FROM ${site.facts.image}`, 'RUN echo before && \\', '  exit 3', ''];
      writeFileSync(join(folder, 'bad.Dockerfile'), lines.join('\n'));
      return file;
    }

    it('have the steps of a bake file, and its image on the engine', async () => {
      const name = site.owns(`gantry-${site.name()}:1`);
      const { trace, shown } = await run(bakeArguments(cli, writeBake(name), {}));
      await inspectImage(site.connection, name);
      const copy = trace.steps.find(({ step }) => step.name === '[1/1] COPY hello.txt /');
      assert.match(copy?.step.state ?? '', /done|cached/);
      assert.ok(shown.some((line) => line.endsWith('[1/1] COPY hello.txt /')));
    });

    it('fail at the lines of the Dockerfile of the target', async () => {
      const file = writeBake('unused');
      const error = await failed(run(bakeArguments(cli, file, { targets: ['good', 'bad'] })));
      assert.match(error.message, /^process .* did not complete successfully: exit code: 3$/);
      assert(error instanceof BuildFailedError);
      const { dockerfile, source, step } = error.failure;
      assert.equal(dockerfile, join(folder, 'bad.Dockerfile'));
      assert.deepEqual(source?.lines, { start: 2, end: 3 });
      assert.match(step ?? '', /^sha256:/);
    });

    it('have their image in the registry if they push it', async () => {
      const name = site.owns(`${site.facts.registry}/gantry/${site.name()}:1`);
      const request = { context: folder, dockerfile: join(folder, 'Dockerfile'), tags: [name] };
      const metadata = join(folder, 'metadata.json');
      const args = buildxArguments(cli, request, {
        ...{ builder: 'default', secrets: {}, hidden: new Set<string>(), output: 'push', metadata },
      });
      await run(args);
      const { digest } = await inspectInRegistry(site.connection, name);
      const written = JSON.parse(readFileSync(metadata, 'utf8')) as Record<string, unknown>;
      assert.equal(written['containerimage.digest'], digest);
    });

    it('are refused with a reason by a builder that cannot store several platforms', async function () {
      if (await hasContainerdStore(site.connection)) this.skip();
      const request = {
        ...{ context: folder, dockerfile: join(folder, 'Dockerfile'), tags: [] },
        platforms: PLATFORMS,
      };
      const args = buildxArguments(cli, request, {
        ...{ builder: 'default', secrets: {}, hidden: new Set<string>(), output: 'cache' },
        metadata: join(folder, 'metadata.json'),
      });
      const error = await failed(run(args));
      assert.match(error.message, /^Multi-platform build is not supported for the docker driver/);
      // No step has failed, and no line of the Dockerfile is to blame.
      assert(!(error instanceof BuildFailedError));
    });

    it('end with the program, with their step on the engine', async () => {
      const dockerfile = join(folder, 'Dockerfile');
      const step = `sleep ${4_000_000 + process.pid}`;
      writeFileSync(dockerfile, `FROM ${site.facts.image}\nRUN ${step}\n`);
      const request = { context: folder, dockerfile, tags: [], noCache: true };
      const args = buildxArguments(cli, request, {
        ...{ builder: 'default', secrets: {}, hidden: new Set<string>(), output: 'load' },
        metadata: join(folder, 'metadata.json'),
      });
      const controller = new AbortController();
      const ended = assert.rejects(run(args, controller.signal), { name: 'AbortError' });
      await until(() => isCommandRunning(step), 'the step runs');
      controller.abort();
      await ended;
      await until(() => !isCommandRunning(step), 'the process of the step is gone');
    });
  });
});
