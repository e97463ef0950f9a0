import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Builds } from '../../src/builds/builds.ts';
import type { BuildsAccess } from '../../src/builds/buildsAccess.ts';
import { buildImage } from '../../src/engine/builds/buildImage.ts';
import { newBuildRef } from '../../src/engine/builds/solve.ts';
import { stepShellCommand } from '../../src/commands/builds/stepShellCommand.ts';
import type { CommandContext } from '../../src/commands/frame/commandContext.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { listImages } from '../../src/engine/images/images.ts';
import type { TerminalOwner } from '../../src/output/terminal/pty.ts';
import type { PreparedShell } from '../../src/output/terminal/terminals.ts';
import { wallClock } from '../../src/base/time.ts';

import { Site } from './support.ts';

describe('a shell at a failed step', function () {
  this.timeout(90_000);

  let site: Site;
  let folder: string;
  beforeEach(() => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-step-test-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await site.leave();
  });

  it('is in the state before the step, and leaves nothing behind', async () => {
    const { connection } = site;
    const dockerfile = join(folder, 'Dockerfile');
    const mark = site.name();
    const text = [
      `FROM ${site.facts.image} AS first`,
      'ARG WORD=none',
      'COPY hello.txt /hello.txt',
      'RUN test "$WORD" = other',
      'FROM first',
      'RUN echo never',
    ];
    writeFileSync(dockerfile, `${text.join('\n')}\n`);
    writeFileSync(join(folder, 'hello.txt'), `${mark}\n`);
    const builds = new Builds(wallClock);
    const installation = 'test';
    const providers = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
    };
    const ref = newBuildRef();
    const run = builds.start({
      ...{ ref, engine: 'engine', title: 'step' },
      request: { context: folder, dockerfile, tags: [], args: { WORD: 'given' } },
      work: (onEvent, signal) =>
        buildImage(connection, run.spec.request, providers, {
          ...{ ref, onEvent, signal, installation },
        }),
      rebuild: (request, controls) =>
        buildImage(connection, request, providers, { ...controls, installation }),
    });
    await assert.rejects(run.join());
    const before = await Promise.all([count(), countImages()]);
    let said = '';
    let typed: string | undefined;
    const openShell = async (
      owner: TerminalOwner,
      _shell: undefined,
      signal: AbortSignal,
      prepared: PreparedShell,
    ) => {
      const command = ['sh', '-c', 'cat /hello.txt'];
      said = (await runExec(connection, owner.id, command, {}, signal))?.output ?? '';
      typed = `${prepared.typed} ${prepared.variables?.get('WORD')}`;
      await prepared.whenOver?.();
      return { terminal: owner.name };
    };
    const context = {
      unit: { id: 'engine' },
      engine: { connect: () => Promise.resolve(connection) },
      ui: { isTrusted: () => true },
      window: {
        builds: () => Promise.resolve({ builds, owner: () => 'owner' } as unknown as BuildsAccess),
      },
      terminals: () => Promise.resolve({ openShell }),
    } as unknown as CommandContext;
    const command = stepShellCommand();
    const { terminal } = await command.run({ ref }, context, new AbortController().signal);
    assert.match(terminal, /^gantry-step-/);
    assert.equal(said, `${mark}\n`);
    assert.equal(typed, 'test "$WORD" = other given');
    assert.deepEqual(await Promise.all([count(), countImages()]), before);
    builds.dispose();
  });

  async function count(): Promise<number> {
    return (await listContainers(site.connection, { all: true })).length;
  }

  async function countImages(): Promise<number> {
    return (await listImages(site.connection, {})).length;
  }
});
