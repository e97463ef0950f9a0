import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildFailedError } from '../../../../src/engine/builds/buildFailedError.ts';
import type { BuildRun } from '../../../../src/builds/buildRun.ts';
import { stepShellCommand } from '../../../../src/commands/builds/stepShellCommand.ts';
import type { BuildRequest } from '../../../../src/engine/builds/model.ts';
import type { PreparedShell } from '../../../../src/output/terminal/terminals.ts';
import { BuildNode } from '../../../../src/views/builds/buildNode.ts';
import { json } from '../../support/fakeEngine.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { DOCKERFILE, IMAGE, openBuildLab, step, type BuildLab } from './buildLab.ts';

const OTHER = `sha256:${'b'.repeat(64)}`;
const CONTAINER = 'c'.repeat(64);

describe('commands/stepShellCommand', () => {
  let lab: BuildLab;
  let rebuilt: {
    readonly request: BuildRequest;
    readonly text: string;
    readonly ignored: string;
  }[];
  let shells: PreparedShell[];
  let images: readonly string[];
  let requests: string[];
  let creates: unknown[];
  let refuses: boolean;
  beforeEach(async () => {
    lab = await openBuildLab();
    rebuilt = [];
    shells = [];
    images = [];
    requests = [];
    creates = [];
    refuses = false;
    const terminals = {
      openShell: (...[, , , prepared]: readonly [unknown, unknown, unknown, PreparedShell]) => {
        shells.push(prepared);
        return refuses ? Promise.reject(new Error('no')) : Promise.resolve({ terminal: 'step' });
      },
    };
    Object.assign(lab.context, { terminals: () => Promise.resolve(terminals) });
    lab.engine.answer(({ method, path: encoded, body }, response) => {
      const path = decodeURIComponent(encoded);
      requests.push(`${method} ${path}`);
      if (path === '/containers/create') creates.push(JSON.parse(body));
      const answers: Readonly<Record<string, unknown>> = {
        '/images/json': images.map((Id) => ({ Id })),
        '/containers/create': { Id: CONTAINER },
        [`/images/${IMAGE}/json`]: { Id: IMAGE, RepoTags: [] },
        [`/images/${IMAGE}`]: [{ Deleted: IMAGE }],
      };
      json(response, 200, answers[path] ?? {});
    });
  });
  afterEach(() => lab.close());

  async function fail(
    fields: { readonly line?: number; readonly image?: string; readonly dockerfile?: string } = {},
  ) {
    const { line = 3, image, dockerfile = lab.dockerfile } = fields;
    const source = { file: 'Dockerfile', text: DOCKERFILE, lines: { start: line, end: line } };
    const run = lab.builds.start({
      ...{ ref: 'own', engine: ENGINE, title: 'shop' },
      request: {
        ...{ context: lab.folder, dockerfile, tags: ['shop'], target: 'build' },
        ...{ noCache: true, pull: true, ssh: true },
      },
      work: (onEvent) => {
        onEvent(step('1', image === undefined ? {} : { image }));
        onEvent(step('2', { state: 'failed', inputs: ['1'] }));
        return Promise.reject(new BuildFailedError({ step: '2', source }, 'failed', {}));
      },
      rebuild: (request) => {
        const { dockerfile } = request;
        const ignoreFile = `${dockerfile}.dockerignore`;
        const ignored = existsSync(ignoreFile) ? readFileSync(ignoreFile, 'utf8') : '';
        rebuilt.push({ request, text: readFileSync(dockerfile, 'utf8'), ignored });
        return Promise.resolve({ imageId: IMAGE });
      },
    });
    await run.join().catch(() => undefined);
    return run;
  }

  const open = (): Promise<unknown> => lab.call(stepShellCommand(), { ref: 'own' });

  it('builds up to the step from the cache, and types its command', async () => {
    writeFileSync(`${lab.dockerfile}.dockerignore`, 'dist\n');
    await fail();
    assert.deepEqual(await open(), { terminal: 'step' });
    const [{ request, text, ignored } = assert.fail()] = rebuilt;
    assert.equal(text, 'ARG VERSION=1.0\nFROM busybox AS build\n');
    assert.equal(ignored, 'dist\n');
    const { tags, target, noCache, pull, ssh } = request;
    assert.deepEqual([tags, target, noCache, pull], [[], undefined, false, false]);
    // The agent was allowed for the other build.
    assert.equal(ssh, undefined);
    assert.equal(existsSync(request.dockerfile), false);
    assert.equal((creates[0] as { Image: string }).Image, IMAGE);
    assert.equal(shells[0]?.typed, 'make');
  });

  it('builds nothing that is not the Dockerfile of this machine, whatever the engine reports', async () => {
    await fail();
    writeFileSync(lab.dockerfile, `${DOCKERFILE}# another one\n`);
    await assert.rejects(open(), /is not the file that the engine has built. Build again./);
    assert.deepEqual([rebuilt, requests], [[], []]);
  });

  it('builds nothing for a caller in Restricted Mode', async () => {
    await fail();
    lab.ui.trusted = false;
    await assert.rejects(open(), /Restricted Mode/);
    assert.deepEqual([rebuilt, creates], [[], []]);
  });

  it('builds nothing without the rules of an ignore file that is a link to elsewhere', async () => {
    const other = join(lab.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'Dockerfile'), DOCKERFILE);
    writeFileSync(join(lab.folder, 'secret'), 'private');
    symlinkSync('../secret', join(other, 'Dockerfile.dockerignore'));
    await fail({ dockerfile: join(other, 'Dockerfile') });
    await assert.rejects(open(), /Dockerfile.dockerignore is not a file of its folder/);
    assert.deepEqual([rebuilt, requests], [[], []]);
  });

  it('removes the container and the image when the shell is over', async () => {
    writeFileSync(`${lab.dockerfile}.dockerignore`, '');
    await fail();
    await open();
    await shells[0]?.whenOver?.();
    const removed = requests.filter((one) => one.startsWith('DELETE'));
    assert.deepEqual(removed, [`DELETE /containers/${CONTAINER}`, `DELETE /images/${IMAGE}`]);
  });

  it('hides the build, the image, and the container while the shell is open', async () => {
    await fail();
    await open();
    const [ref = '', ...others] = lab.hidden;
    assert.match(ref, /^[a-z0-9]{25}$/);
    assert.deepEqual(others, [IMAGE, CONTAINER]);
    await shells[0]?.whenOver?.();
    assert.equal(lab.hidden.size, 0);
  });

  it('keeps an image that was there before', async () => {
    writeFileSync(`${lab.dockerfile}.dockerignore`, '');
    images = [IMAGE];
    await fail();
    await open();
    await shells[0]?.whenOver?.();
    const removed = requests.filter((one) => one.startsWith('DELETE'));
    assert.deepEqual(removed, [`DELETE /containers/${CONTAINER}`]);
  });

  it('takes the image of the builder if it wrote one, and builds nothing', async () => {
    await fail({ image: OTHER });
    await open();
    assert.deepEqual(rebuilt, []);
    assert.equal((creates[0] as { Image: string }).Image, OTHER);
    await shells[0]?.whenOver?.();
    assert.equal(
      requests.some((one) => one.startsWith('DELETE /images')),
      false,
    );
  });

  it('leaves nothing behind if the shell cannot be opened', async () => {
    refuses = true;
    await fail({ image: OTHER });
    await assert.rejects(open(), /no/);
    assert.equal(requests.at(-1), `DELETE /containers/${CONTAINER}`);
  });

  it('is offered on the failed step of a build of this window, if it can be opened', async () => {
    const valueOf = (run: BuildRun): string | undefined => {
      const row = new BuildNode(run, String).children.at(-1);
      return row?.present({ now: () => 0 }).contextValue;
    };
    const run = await fail();
    assert.equal(valueOf(run), 'buildStep.failed.shell');
    lab.builds.remove(run);
    assert.equal(valueOf(await fail({ line: 2 })), 'buildStep.failed');
    await assert.rejects(open(), /A shell is only available for a RUN, COPY, or ADD/);
  });
});
