import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { checkBuildCommand } from '../../../../src/commands/builds/checkBuildCommand.ts';
import { pointedAt, type PointedBuild } from '../../../../src/commands/builds/pointedBuild.ts';
import { ProjectNode, ServiceNode } from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { serveContext } from '../../../../src/engine/builds/context/serveContext.ts';
import { failed } from '../../support/fakeBuildKit.ts';
import { Uri } from '../../support/fakeVscode.ts';
import { json } from '../../support/fakeEngine.ts';
import { give, pick } from '../../support/scriptedUi.ts';
import { openBuildLab, step, type BuildLab } from './buildLab.ts';

const follow = { compare: () => Promise.resolve([]) };

describe('a build or a check in Restricted Mode', () => {
  let lab: BuildLab;
  let repository: string;
  beforeEach(async () => {
    lab = await openBuildLab();
    lab.ui.trusted = false;
    repository = join(realpathSync(lab.folder), 'repository');
    mkdirSync(repository);
    writeFileSync(join(lab.folder, 'secret'), 'private');
    writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
    lab.ui.folders = [repository];
  });
  afterEach(() => lab.close());

  const errors = (): string =>
    lab.ui
      .of('error')
      .map(({ text }) => text)
      .join('\n');
  const built = (): unknown => lab.built.map(({ context }) => context);
  /** Runs the lens of a service whose `build` is this, and answers every question with yes. */
  async function buildService(build: string): Promise<void> {
    const file = join(repository, 'compose.yaml');
    writeFileSync(file, `services:\n  web:\n    build: ${build}\n`);
    lab.ui.act(give('Build'), pick('Build'));
    const uri = Object.assign(Uri.file(file), { fragment: 'web' });
    await lab.run(buildCommand(lab.ui, follow), uri as never);
  }
  /** The Dockerfile of the repository, as a menu gives it. */
  const menuFile = (name = 'Dockerfile') => {
    const path = join(repository, name);
    return pointedAt(Uri.file(path));
  };
  const runBuild = async (args: PointedBuild): Promise<unknown> =>
    buildCommand(lab.ui, follow).runInteractive?.(lab.context, [], args);
  const runCheck = async (args: PointedBuild): Promise<unknown> =>
    checkBuildCommand(lab.ui).runInteractive?.(lab.context, [], args);

  it('names the real context, the engine, and how much can be sent', async () => {
    mkdirSync(join(repository, 'real'));
    writeFileSync(join(repository, 'real', 'a'), 'x'.repeat(2000));
    writeFileSync(join(repository, 'real', 'b'), 'x'.repeat(5000));
    writeFileSync(join(repository, 'real', '.dockerignore'), 'b\n');
    symlinkSync('real', join(repository, 'app'));
    await buildService('{context: app, dockerfile: ../Dockerfile}');
    const [question] = lab.ui.of('confirm');
    const lines = question?.detail?.split('\n') ?? [];
    assert.match(lines[0] ?? '', new RegExp(lab.context.unit.name));
    assert.deepEqual(lines.slice(1), [
      `Build context: ${join(repository, 'real')}`,
      'Size: 2.0 kB in 2 files',
    ]);
    assert.deepEqual(built(), [join(repository, 'real')]);
  });

  for (const [product, size] of [
    ['Docker', '0 B in 0 files'],
    ['Podman', '2.0 kB in 1 file'],
  ] as const)
    it(`counts what ${product} gets, by its own ignore file`, async () => {
      writeFileSync(join(repository, '.dockerignore'), '*\n');
      writeFileSync(join(repository, '.containerignore'), 'Dockerfile\n.*ignore\n');
      writeFileSync(join(repository, 'a'), 'x'.repeat(2000));
      if (product === 'Podman')
        lab.engine.ping((_request, response) => {
          response.writeHead(200, { 'libpod-api-version': '5.8.6', 'api-version': '1.41' }).end();
        });
      lab.ui.act(give('Build'), (shown) => {
        const row = shown.items?.find(({ label }) => label === 'Context');
        assert.equal(row?.description, `${repository} · ${size}`);
        return undefined;
      });
      await runBuild(menuFile());
      assert.match(lab.ui.of('confirm')[0]?.detail ?? '', new RegExp(`\nSize: ${size}$`));
    });

  it('names the proxies that a build gets, without their values, and a check does not get', async () => {
    const proxies = () => Promise.resolve({ HTTP_PROXY: 'http://me:pw@p', http_proxy: 'http://p' });
    const context = { ...lab.context, window: { ...lab.context.window, proxies } };
    lab.ui.act(give(undefined), give(undefined));
    await buildCommand(lab.ui, follow).runInteractive?.(context, [], menuFile());
    await checkBuildCommand(lab.ui).runInteractive?.(context, [], menuFile());
    const [build, check] = lab.ui.of('confirm').map(({ detail }) => detail ?? '');
    assert.match(build ?? '', /\nProxies of the Docker CLI: HTTP_PROXY$/);
    assert.doesNotMatch(check ?? '', /Proxies/);
  });

  it('builds in a trusted workspace the file that the form names if the Dockerfile is a link out of its folder', async () => {
    lab.ui.trusted = true;
    const real = join(realpathSync(lab.folder), 'other.Dockerfile');
    writeFileSync(real, 'FROM scratch AS linked\n');
    rmSync(join(repository, 'Dockerfile'), { force: true });
    symlinkSync('../other.Dockerfile', join(repository, 'Dockerfile'));
    lab.ui.act((shown) => {
      const row = shown.items?.find(({ label }) => label === 'Context');
      assert.ok(row?.description?.endsWith(` · Dockerfile: ${real}`), row?.description);
      return shown.items?.find(({ label }) => label === 'Build');
    });
    await runBuild(menuFile());
    assert.equal(errors(), '');
    assert.deepEqual(
      lab.built.map(({ dockerfile }) => dockerfile),
      [real],
    );
    // Nothing names it to a caller.
    const refusal = {
      message: `${menuFile().dockerfile} is a link out of its folder. Use ${real}.`,
    };
    for (const command of [buildCommand(lab.ui, follow), checkBuildCommand(lab.ui)])
      await assert.rejects(lab.call(command, { context: repository }), refusal);
    // It would not count for that file, and what it excludes would be sent.
    for (const name of ['Dockerfile.dockerignore', 'Dockerfile.containerignore']) {
      writeFileSync(join(repository, name), 'secret.env\n');
      lab.ui.act(pick('Build'));
      await assert.rejects(runBuild(menuFile()), refusal);
      rmSync(join(repository, name));
    }
    assert.equal(lab.built.length, 1);
  });

  const outside = [
    ['a folder above', '{context: .., dockerfile: repository/Dockerfile}'],
    ['a link to a folder above', '{context: app, dockerfile: ../Dockerfile}'],
    ['an absolute path', '{context: /, dockerfile: DOCKERFILE}'],
    ['a folder behind a link', '{context: app/other, dockerfile: ../../Dockerfile}'],
    ['a Dockerfile above', '{context: ., dockerfile: ../Dockerfile}'],
    ['a Dockerfile that is a link', '{context: ., dockerfile: Linked}'],
  ] as const;
  for (const [name, build] of outside)
    it(`refuses ${name} as what a compose file names, and asks nothing`, async () => {
      symlinkSync('..', join(repository, 'app'));
      mkdirSync(join(lab.folder, 'other'));
      symlinkSync('../secret', join(repository, 'Linked'));
      await buildService(build.replace('DOCKERFILE', join(repository, 'Dockerfile')));
      assert.deepEqual([built(), lab.ui.of('confirm')], [[], []]);
      assert.match(errors(), /is outside of the workspace folder/);
    });

  for (const build of ['//server/share', '{context: ., dockerfile: "\\\\\\\\server\\\\share"}'])
    it(`does not look at a network share: ${build}`, async () => {
      await buildService(build);
      assert.deepEqual([built(), lab.ui.of('confirm')], [[], []]);
      assert.match(errors(), /server.share is not a local (?:folder|file)/);
    });

  it('refuses an ignore file that is a link to the outside', async () => {
    symlinkSync('../secret', join(repository, '.dockerignore'));
    await assert.rejects(runBuild(menuFile()), /outside of the workspace folder/);
    await assert.rejects(runCheck(menuFile()), /outside of the workspace folder/);
    assert.deepEqual([built(), lab.checked, lab.ui.of('confirm')], [[], [], []]);
  });

  it('refuses a Dockerfile in a folder that is a link, for build and check', async () => {
    symlinkSync('..', join(repository, 'app'));
    await assert.rejects(runBuild(menuFile('app/Dockerfile')), /outside of the workspace/);
    await assert.rejects(runCheck(menuFile('app/Dockerfile')), /outside of the workspace/);
    assert.deepEqual([built(), lab.checked, lab.ui.of('confirm')], [[], [], []]);
  });

  it('asks before a check, with the same facts', async () => {
    lab.ui.act(give(undefined));
    await runCheck(menuFile());
    const [question] = lab.ui.of('confirm');
    assert.match(question?.text ?? '', /^Check .*Dockerfile in Restricted Mode\?$/);
    assert.match(question?.detail ?? '', new RegExp(`\nBuild context: ${repository}\nSize: `));
    assert.deepEqual(lab.checked, []);
    lab.ui.act(give('Check'));
    await runCheck(menuFile());
    const { sharedKey } = serveContext({ ...menuFile(), context: repository }, 'here');
    const keys = lab.buildKit.solves.map((one) => one.sharedKey);
    assert.deepEqual(keys, [sharedKey]);
  });

  it('refuses what the labels of a container name', async () => {
    const file = join(repository, 'compose.yaml');
    writeFileSync(file, 'services: {web: {build: {context: app, dockerfile: ../Dockerfile}}}\n');
    symlinkSync('..', join(repository, 'app'));
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': file,
      'com.docker.compose.project.working_dir': repository,
    };
    lab.list([container('a', { labels })]);
    lab.ui.act(give('Use Files'));
    const row = new ServiceNode(new ProjectNode(ENGINE, 'shop'), 'web');
    await lab.run(buildCommand(lab.ui, follow), row);
    assert.deepEqual(built(), []);
    assert.match(errors(), /is outside of the workspace folder/);
  });

  /** Builds in a folder of the workspace from here on, which can be replaced. */
  function moveDown(): void {
    repository = join(repository, 'shop');
    mkdirSync(repository);
    writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
  }

  it('does not send such a folder for the shell of a failed step, either', async () => {
    moveDown();
    const text = 'FROM scratch\nCOPY . /\n';
    lab.work = ({ report }) => {
      report(step('1', { name: '[1/1] COPY . /', state: 'failed' }));
      return Promise.reject(failed('not found'));
    };
    lab.engine.answer((_, response) => json(response, 200, []));
    lab.ui.act(give('Build'), pick('Build'));
    await runBuild(menuFile());
    renameSync(repository, `${repository}.old`);
    symlinkSync('..', repository);
    writeFileSync(join(repository, 'Dockerfile'), text);
    const [error] = lab.ui.of('error');
    await error?.press?.('Open Shell at This Step');
    assert.equal(lab.built.length, 1);
    assert.match(errors(), /is outside of the workspace folder/);
  });

  it('does not send a folder that was replaced by a link after the question', async () => {
    moveDown();
    lab.ui.act(give('Build'), (shown) => {
      renameSync(repository, `${repository}.old`);
      symlinkSync('..', repository);
      writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch\n');
      return pick('Build')(shown);
    });
    await runBuild(menuFile());
    assert.deepEqual(built(), []);
    assert.match(errors(), /is outside of the workspace folder/);
  });

  it('does not send such a folder if the engine lets the build wait until it is there', async () => {
    moveDown();
    lab.engine.answer((_, response) => {
      if (!existsSync(`${repository}.old`)) {
        renameSync(repository, `${repository}.old`);
        symlinkSync('..', repository);
        writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch\n');
      }
      json(response, 404, {});
    });
    lab.ui.act(give('Build'), pick('Build'));
    await runBuild(menuFile());
    assert.deepEqual(built(), []);
    assert.match(errors(), /is outside of the workspace folder/);
  });
});

describe('the form of a build', () => {
  let lab: BuildLab;
  beforeEach(async () => (lab = await openBuildLab()));
  afterEach(() => lab.close());

  it('has the context, where it really lies, with what can be sent of it', async () => {
    const real = join(realpathSync(lab.folder), 'real');
    mkdirSync(real);
    writeFileSync(join(real, 'Dockerfile'), 'FROM scratch\n');
    symlinkSync('real', join(lab.folder, 'linked'));
    let value: string | undefined;
    lab.ui.act((shown) => {
      value = shown.items?.find(({ label }) => label === 'Context')?.description;
      return pick('Build')(shown);
    });
    const path = join(lab.folder, 'linked', 'Dockerfile');
    const args = pointedAt(Uri.file(path));
    await buildCommand(lab.ui, follow).runInteractive?.(lab.context, [], args);
    assert.equal(value, `${real} · 13 B in 1 file`);
  });
});
