import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEncoding } from '../../../../src/commands/builds/buildArguments.ts';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { checkBuildCommand } from '../../../../src/commands/builds/checkBuildCommand.ts';
import { bakeCommand } from '../../../../src/commands/builds/bakeCommand.ts';
import type { CliCall } from '../../../../src/engine/cli/cliCall.ts';
import { json } from '../../support/fakeEngine.ts';
import { ENTER, pick } from '../../support/scriptedUi.ts';
import { DOCKERFILE, IMAGE, openBuildLab, type BuildLab } from './buildLab.ts';

const DIGEST = `sha256:${'d'.repeat(64)}`;
const TWO = ['linux/amd64', 'linux/arm64'];

describe('commands/buildx', function () {
  this.timeout(20_000);
  let lab: BuildLab;
  let hasContainerdStore: boolean;
  beforeEach(async () => {
    hasContainerdStore = false;
    lab = await openBuildLab(({ path }, response) => {
      const driver = hasContainerdStore ? 'io.containerd.snapshotter.v1' : 'overlay2';
      if (path.endsWith('/info')) json(response, 200, { DriverStatus: [['driver-type', driver]] });
      else if (decodeURIComponent(path).endsWith(`/images/${IMAGE}/json`))
        json(response, 200, { Id: IMAGE });
      else json(response, 404, { message: 'no such image' });
    });
  });
  afterEach(() => lab.close());

  const follow = { push: () => undefined, compare: () => Promise.resolve([]) };
  const build = (args: object = {}): Promise<unknown> =>
    lab.call(buildCommand(lab.ui, follow), { context: lab.folder, tags: ['shop:1'], ...args });

  /** Does what buildx does at the end. */
  function writeMetadata({ args }: CliCall): void {
    const [file = ''] = args.flatMap((one) => /^--metadata-file=(.*)/.exec(one)?.[1] ?? []);
    const digests = { 'containerimage.digest': DIGEST, 'containerimage.config.digest': IMAGE };
    writeFileSync(file, JSON.stringify(digests));
  }

  function vertex(name: string, fields: object = {}): string {
    const times = { started: '2026-11-25T16:45:16Z', completed: '2026-11-25T16:45:17Z' };
    const digest = `sha256:${createHash('sha256').update(name).digest('hex')}`;
    return JSON.stringify({ vertexes: [{ digest, name, ...times, ...fields }] });
  }

  describe('several platforms', () => {
    it('are refused with the reason if the engine cannot store them', async () => {
      await assert.rejects(build({ platform: TWO }), /cannot store an image for several platforms/);
      assert.deepEqual([lab.built, lab.runs], [[], []]);
      assert.equal(lab.builds.all.length, 0);
    });

    it('are built by the engine if it can store them, and one platform without a question', async () => {
      hasContainerdStore = true;
      await build({ platform: TWO });
      assert.deepEqual(lab.built[0]?.platforms, TWO);
      hasContainerdStore = false;
      await build({ platform: 'linux/arm64' });
      assert.equal(lab.built.length, 2);
      assert.deepEqual(lab.runs, []);
    });

    it('are built by a builder that the caller names, which keeps or pushes them', async () => {
      const outputs: (string | undefined)[] = [];
      lab.runBuildx = (call) => {
        writeMetadata(call);
        outputs.push(call.args.find((one) => /^--(?:load|push|output)/.test(one)));
        return Promise.resolve(0);
      };
      const kept = await build({ platform: TWO, builder: 'multi' });
      assert.deepEqual(kept, {
        ...{ imageId: DIGEST, digest: DIGEST, tags: ['shop:1'] },
        ...{ warnings: [], steps: 0, cachedSteps: 0 },
      });
      await build({ platform: TWO, builder: 'multi', push: true });
      hasContainerdStore = true;
      await build({ platform: TWO, builder: 'multi' });
      assert.deepEqual(outputs, ['--output=type=image', '--push', '--load']);
      assert.deepEqual(lab.built, []);
    });

    it('make the form ask for a builder, and report where the image is', async () => {
      const script = `echo '{"Name":"multi","Driver":"docker-container"}'`;
      writeFileSync(join(lab.folder, 'docker'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(lab.folder, 'docker'), 0o755);
      lab.runBuildx = (call) => {
        writeMetadata(call);
        return Promise.resolve(0);
      };
      lab.ui.act(
        ENTER, // the Dockerfile
        pick('Platforms'),
        pick('linux/amd64'),
        pick('linux/arm64'),
        pick('Done'),
        pick('Build'),
        pick('multi'),
      );
      await lab.run(buildCommand(lab.ui, follow));
      assert.ok(lab.runs[0]?.call.args.includes('--builder=multi'));
      const [said] = lab.ui.of('info');
      assert.match(said?.text ?? '', /The image is only in the cache of the builder\.$/);
      assert.deepEqual(said?.buttons, ['Show Log']);
      assert.deepEqual(lab.revealed, []);
    });
  });

  describe('a build with another builder', () => {
    it('gets the engine and the request, and resolves to the image of the engine', async () => {
      lab.runBuildx = async (call, { linesOf }) => {
        await linesOf(vertex('[1/2] FROM busybox', { cached: true }));
        const lines = await linesOf(vertex('[2/2] RUN make'));
        assert.deepEqual(lines, ['#2 [2/2] RUN make', '#2 DONE 1.0s']);
        writeMetadata(call);
        return 0;
      };
      const built = await build({ builder: 'multi', target: 'build' });
      assert.deepEqual(built, {
        ...{ imageId: IMAGE, digest: DIGEST, tags: ['shop:1'] },
        ...{ warnings: [], steps: 1, cachedSteps: 0 },
      });
      const [{ call, title } = assert.fail()] = lab.runs;
      assert.equal(title, 'shop:1');
      assert.deepEqual(call.args.slice(0, 5), [
        ...['buildx', 'build', '--progress=rawjson', '--builder=multi', '--load'],
      ]);
      assert.ok(call.args.includes('--target=build'));
      assert.match(call.variables['DOCKER_HOST'] ?? '', /^unix:/);
      assert.equal(call.env['DOCKER_HOST'], call.variables['DOCKER_HOST']);
      const [folder = ''] = call.args.flatMap(
        (one) => /^--metadata-file=(.*)\//.exec(one)?.[1] ?? [],
      );
      assert.equal(existsSync(folder), false, 'the file of the metadata is left');
    });

    it('names secrets by where they are, and shows no value of an argument that is one', async () => {
      process.env['GANTRY_TEST_SECRET'] = 'value of the secret';
      lab.runBuildx = (call) => {
        writeMetadata(call);
        return Promise.resolve(0);
      };
      try {
        const secrets = { a: { file: 'token' }, b: { env: 'GANTRY_TEST_SECRET' } };
        await build({ builder: 'multi', secrets, args: { API_TOKEN: 'hidden', VERSION: '2' } });
      } finally {
        delete process.env['GANTRY_TEST_SECRET'];
      }
      const [{ call } = assert.fail()] = lab.runs;
      const shown = JSON.stringify([call.args, call.variables]);
      assert.doesNotMatch(shown, /value of the secret|hidden/);
      assert.equal(call.env['API_TOKEN'], 'hidden');
      for (const one of [
        `--secret=id=a,src=${join(lab.folder, 'token')}`,
        '--secret=id=b,env=GANTRY_TEST_SECRET',
        '--build-arg=API_TOKEN',
        '--build-arg=VERSION=2',
      ])
        assert.ok(call.args.includes(one), one);
    });

    it('refuses an argument that would be a variable of the program, and starts nothing', async () => {
      const address = 'tcp://u:p@evil.example:2375';
      const names = [
        ...['SSH_ASKPASS', 'GIT_ASKPASS', 'DOCKER_AUTH_CONFIG', 'BUILDX_BAKE_GIT_AUTH_TOKEN'],
        ...['DOCKER_HOST', 'docker_config', 'PATH', 'LD_PRELOAD', 'https_proxy', 'GIT_SSH_COMMAND'],
      ];
      for (const name of names)
        await assert.rejects(
          build({ builder: 'multi', args: { [name]: address } }),
          /buildx may use a variable of this name. Use a build secret/,
          name,
        );
      assert.deepEqual(lab.runs, []);
    });

    it('refuses an argument that would replace a variable, but not one with its value', async () => {
      process.env['GANTRY_TEST_TOKEN'] = 'mine';
      lab.runBuildx = (call) => {
        writeMetadata(call);
        return Promise.resolve(0);
      };
      const start = (value: string): Promise<unknown> =>
        build({ builder: 'multi', args: { GANTRY_TEST_TOKEN: value } });
      try {
        await assert.rejects(start('another'), /may use a variable of this name/);
        await start('mine');
      } finally {
        delete process.env['GANTRY_TEST_TOKEN'];
      }
      assert.equal(lab.runs.length, 1);
    });

    it('rejects with the failing step, whose line is in Problems', async () => {
      lab.runBuildx = (_call, { linesOf }) => {
        const error = 'process "/bin/sh -c make" did not complete successfully: exit code: 2';
        const words = ['Dockerfile:3', '-'.repeat(20), '   2 |     FROM x', '   3 | >>> RUN make'];
        const end = ['-'.repeat(20), `ERROR: failed to build: failed to solve: ${error}`];
        for (const line of [vertex('[build 2/2] RUN make', { error }), ...words, ...end])
          void linesOf(line);
        return Promise.resolve(1);
      };
      await assert.rejects(build({ builder: 'multi' }), {
        message: /^Could not build shop:1: \[build 2\/2\] RUN make failed: .*exit code: 2$/,
      });
      const [[file, { failure }] = assert.fail()] = lab.problems;
      assert.equal(file, lab.dockerfile);
      assert.deepEqual(failure?.source, {
        ...{ file: 'Dockerfile', text: DOCKERFILE, lines: { start: 3, end: 3 } },
      });
    });

    it('rejects with the words of buildx if it does not build', async () => {
      lab.runBuildx = (_call, { linesOf }) => {
        void linesOf('ERROR: no builder "multi" found');
        return Promise.resolve(1);
      };
      await assert.rejects(build({ builder: 'multi' }), /no builder "multi" found/);
      assert.deepEqual(lab.problems, []);
    });

    it('is canceled by the caller and in the terminal', async () => {
      lab.runBuildx = (_call, { linesOf, signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            void linesOf('ERROR: failed to build: failed to solve: Canceled: context canceled');
            resolve(130);
          });
          lab.builds.all[0]?.cancel();
        });
      await assert.rejects(build({ builder: 'multi' }), /canceled/);
      lab.runBuildx = () => Promise.resolve(125);
      await assert.rejects(build({ builder: 'multi' }), /canceled/);
      assert.deepEqual(
        lab.builds.all.map(({ phase }) => phase),
        ['canceled', 'canceled'],
      );
    });

    const refused: readonly (readonly [name: string, args: object, message: RegExp])[] = [
      ['a name that is an option', { builder: '--push' }, /"builder" must be/],
      ['a push by the engine', { push: true }, /"push" needs a "builder"/],
      [
        'a secret of a variable that is not set',
        { builder: 'multi', secrets: { a: { env: 'GANTRY_NOT_SET' } } },
        /variable GANTRY_NOT_SET for the secret a is not set/,
      ],
    ];
    for (const [name, args, message] of refused) {
      it(`refuses ${name}`, async () => {
        await assert.rejects(build(args), { message });
        assert.deepEqual([lab.runs, lab.built], [[], []]);
      });
    }

    it('reports that it cannot ask for a secret', async () => {
      const draft = { secrets: { pw: { prompt: true } }, builder: 'multi' } as const;
      await (
        await lab.context.window.builds()
      ).memory.keep(lab.dockerfile, {
        ...{ tags: [], args: {}, ssh: false, noCache: false, pull: false },
        ...draft,
      });
      lab.ui.act(ENTER, pick('Build'));
      await lab.run(buildCommand(lab.ui, follow));
      assert.match(lab.ui.of('error')[0]?.text ?? '', /cannot ask for the secret pw/);
      assert.deepEqual(lab.runs, []);
    });

    it('is refused in an untrusted workspace, also for the user', async () => {
      lab.ui.trusted = false;
      await assert.rejects(build({ builder: 'multi' }), /Restricted Mode/);
      const file = join(lab.folder, 'docker-bake.hcl');
      await assert.rejects(lab.call(bakeCommand(), { file }), /Restricted Mode/);
      assert.deepEqual(lab.runs, []);
    });

    it('needs buildx', async () => {
      lab.buildx = undefined;
      await assert.rejects(build({ builder: 'multi' }), /needs docker buildx 0\.13 or newer/);
    });

    it('is not for a check, which only the engine makes', async () => {
      const args = { context: lab.folder, builder: 'multi' };
      await assert.rejects(lab.call(checkBuildCommand(lab.ui), args), /"builder"/);
    });

    it('can be chosen in the form, with a push', async () => {
      const script = `echo '{"Name":"multi","Driver":"docker-container"}'`;
      writeFileSync(join(lab.folder, 'docker'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(lab.folder, 'docker'), 0o755);
      lab.runBuildx = (call) => {
        writeMetadata(call);
        return Promise.resolve(0);
      };
      lab.ui.act(
        ENTER,
        pick('Builder'),
        pick('multi'),
        pick('Push instead of storing on the engine'),
        pick('Build'),
      );
      await lab.run(buildCommand(lab.ui, follow));
      const [{ call } = assert.fail()] = lab.runs;
      assert.ok(call.args.includes('--builder=multi') && call.args.includes('--push'));
      assert.match(lab.ui.of('info')[0]?.text ?? '', /The builder pushed the image\.$/);
    });
  });

  describe('a bake file', () => {
    let file: string;
    beforeEach(() => {
      file = join(lab.folder, 'docker-bake.hcl');
      writeFileSync(file, '');
      writeFileSync(join(lab.folder, 'tool.Dockerfile'), 'FROM scratch\nRUN false\n');
      const target = { app: {}, tool: { dockerfile: 'tool.Dockerfile' } };
      const list = [{ name: 'app' }, { name: 'default', description: 'app', group: true }];
      const script = [
        `case "$*" in`,
        `*--list*) echo '${JSON.stringify(list)}';;`,
        `*--print*) echo noise >&2; [ "$PWD" = "${lab.folder}" ] && echo '${JSON.stringify({ target })}';;`,
        `esac`,
      ];
      writeFileSync(join(lab.folder, 'docker'), `#!/bin/sh\n${script.join('\n')}\n`);
      chmodSync(join(lab.folder, 'docker'), 0o755);
    });
    const bake = (args: object = {}): Promise<unknown> =>
      lab.call(bakeCommand(), { file, ...args });

    it('is built in its folder by the builder that is named', async () => {
      assert.deepEqual(await bake({ targets: ['app'], builder: 'multi' }), { exitCode: 0 });
      const [{ call, title } = assert.fail()] = lab.runs;
      assert.equal(title, 'Bake app');
      assert.equal(call.cwd, lab.folder);
      assert.deepEqual(call.args, [
        ...['buildx', 'bake', '--progress=rawjson', `--file=${file}`, '--builder=multi', 'app'],
      ]);
      const [run] = lab.builds.all;
      assert.equal(run?.phase, 'done');
      assert.deepEqual(lab.ui.shown, []);
    });

    it('resolves to the exit code of a failure, which is in Problems of its target', async () => {
      lab.runBuildx = (_call, { linesOf }) => {
        for (const line of [
          vertex('[tool 2/2] RUN false', { error: 'exit code: 1' }),
          ...['tool.Dockerfile:2', '-'.repeat(20), '   2 | >>> RUN false', '-'.repeat(20)],
          'ERROR: target tool: failed to solve: exit code: 1',
        ])
          void linesOf(line);
        return Promise.resolve(1);
      };
      assert.deepEqual(await bake(), { exitCode: 1 });
      assert.equal(lab.builds.all[0]?.phase, 'failed');
      const shown = new Map(lab.problems);
      assert.deepEqual(shown.get(lab.dockerfile), { warnings: [] });
      const there = shown.get(join(lab.folder, 'tool.Dockerfile'));
      assert.deepEqual(there?.failure?.source?.lines, { start: 2, end: 2 });
      assert.equal(there.failure.message, 'exit code: 1');
    });

    it('asks the user for targets, and reports how it ended', async () => {
      lab.ui.files = [file];
      lab.ui.act(ENTER, (shown) => {
        assert.deepEqual(
          shown.checked?.map(({ label }) => label),
          ['default'],
        );
        return shown.items?.filter(({ label }) => label === 'app');
      });
      assert.deepEqual(await lab.run(bakeCommand()), { exitCode: 0 });
      assert.equal(lab.runs[0]?.call.args.at(-1), 'app');
      assert.match(lab.ui.of('info')[0]?.text ?? '', /^Built Bake app\.$/);
    });

    it('is refused with the reason if it is missing or has no such target', async () => {
      await assert.rejects(bake({ file: join(lab.folder, 'none.hcl') }), /none\.hcl not found/);
      await assert.rejects(bake({ targets: ['--push'] }), /not the name of a target/);
      writeFileSync(
        join(lab.folder, 'docker'),
        '#!/bin/sh\necho "ERROR: failed to parse" >&2; exit 1\n',
      );
      await assert.rejects(bake(), /failed to parse/);
      assert.deepEqual(lab.runs, []);
    });

    it('is not built from a Dockerfile or an ignore file in UTF-16', async () => {
      const target = { app: { contexts: { more: 'more', base: 'docker-image://busybox' } } };
      const script = `#!/bin/sh\necho '${JSON.stringify({ target })}'\n`;
      writeFileSync(join(lab.folder, 'docker'), script);
      mkdirSync(join(lab.folder, 'more'));
      const encoded = Buffer.from('\uFEFFsecret.env\n', 'utf16le');
      for (const path of ['more/.dockerignore', '.dockerignore', 'Dockerfile.dockerignore']) {
        writeFileSync(join(lab.folder, path), encoded);
        await assert.rejects(bake(), /ignore is encoded in UTF-16\. Save it as UTF-8\./);
        writeFileSync(join(lab.folder, path), 'secret.env\n');
      }
      writeFileSync(lab.dockerfile, encoded);
      await assert.rejects(bake(), /Dockerfile is encoded in UTF-16\./);
      assert.deepEqual(lab.runs, []);
      const stopped = AbortSignal.abort(new Error('stopped'));
      await assert.rejects(checkEncoding(undefined, [lab.folder], stopped), /stopped/);
    });
  });
});
