import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContainerDetails } from '../../../src/engine/containers/containerDetails.ts';
import { WorkspacePaths, workspacePathsOf } from '../../../src/tasks/paths/workspacePaths.ts';
import { FakeClock } from '../support/fakeClock.ts';

describe('the files of the workspace in a container', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-paths-')));
    folder = join(root, 'shop');
    mkdirSync(join(folder, 'api', 'src'), { recursive: true });
    for (const file of ['a.ts', 'api/src/b.ts', 'api/c.ts']) writeFileSync(join(folder, file), '');
    writeFileSync(join(root, 'secret.ts'), '');
    symlinkSync(join(root, 'secret.ts'), join(folder, 'link.ts'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  interface Given {
    readonly mounts?: readonly object[];
    readonly workingDir?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly isLocal?: boolean;
  }

  const open = (given: Given): Promise<WorkspacePaths> => {
    const { mounts = [], workingDir = '/app', labels = {}, isLocal = true } = given;
    const details = readContainerDetails({
      Config: { WorkingDir: workingDir, Labels: labels },
      Mounts: mounts,
    });
    return workspacePathsOf(details, [folder], isLocal);
  };
  const bind = (Source: string, Destination: string) => ({ Type: 'bind', Source, Destination });
  const volume = (Destination: string) => ({ Type: 'volume', Name: 'v', Destination });

  /** Returns the labels of a service that is built from a folder of the workspace. */
  const built = (): Readonly<Record<string, string>> => {
    const file = join(folder, 'compose.yaml');
    writeFileSync(file, 'services:\n  api:\n    build: ./api\n');
    writeFileSync(join(folder, 'api', 'Dockerfile'), 'FROM node\nWORKDIR /app\nCOPY src lib\n');
    return {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.service': 'api',
      'com.docker.compose.config-hash': 'x',
      'com.docker.compose.project.working_dir': folder,
      'com.docker.compose.project.config_files': file,
    };
  };

  it('are those of bind mounts, the innermost first', async () => {
    const paths = await open({
      mounts: [bind(folder, '/app'), bind(join(folder, 'api'), '/app/sub'), volume('/app/api')],
    });
    assert.equal(await paths.locate('/app/a.ts'), join(folder, 'a.ts'));
    assert.equal(await paths.locate('/app/sub/c.ts'), join(folder, 'api/c.ts'));
    assert.equal(await paths.locate('/app//./a.ts'), join(folder, 'a.ts'));
    for (const path of ['/app/api/c.ts', '/app/none.ts', '/app/api', '/app/../app/a.ts', '/a.ts'])
      assert.equal(await paths.locate(path), undefined, path);
  });

  it('are none outside of the workspace, nor behind a link that leads there', async () => {
    const paths = await open({ mounts: [bind(root, '/all'), bind(folder, '/app')] });
    assert.equal(await paths.locate('/all/shop/a.ts'), join(folder, 'a.ts'));
    assert.equal(await paths.locate('/all/secret.ts'), undefined);
    assert.equal(await paths.locate('/app/link.ts'), undefined);
  });

  it('are those that the image of the service was built from, also on another machine', async () => {
    const labels = built();
    for (const isLocal of [true, false]) {
      const paths = await open({ labels, isLocal });
      assert.equal(await paths.locate('/app/lib/b.ts'), join(folder, 'api/src/b.ts'));
      assert.equal(await paths.locate('/app/c.ts'), join(folder, 'api/c.ts'));
      assert.equal(await paths.locate('/app/a.ts'), undefined);
    }
  });

  it('are none in a volume over the image, nor in a mount of another machine', async () => {
    const labels = built();
    const covered = await open({ labels, mounts: [volume('/app')] });
    assert.equal(await covered.locate('/app/c.ts'), undefined);
    const far = await open({ labels, mounts: [bind(folder, '/app')], isLocal: false });
    assert.equal(await far.locate('/app/a.ts'), undefined);
    assert.equal(await far.locate('/app/c.ts'), undefined);
  });

  it('are looked for again after a while, and not too often', async () => {
    const clock = new FakeClock();
    let looks = 0;
    let isThere = false;
    const origins = { binds: [{ source: '/work', target: '/app' }], copies: [] };
    const mounts = [{ type: 'bind', target: '/app', source: '/work', isReadOnly: false }];
    const isFile = (): Promise<boolean> => {
      looks += 1;
      return Promise.resolve(isThere);
    };
    const paths = new WorkspacePaths({ origins, mounts, isFile, clock });
    assert.equal(await paths.locate('/app/a'), undefined);
    isThere = true;
    assert.equal(await paths.locate('/app/a'), undefined);
    assert.equal(looks, 1);
    for (let at = 0; at < 10_000; at++) await paths.locate(`/app/${at}`);
    assert.equal(looks, 5000);
    clock.pass(11_000);
    assert.equal(await paths.locate('/app/a'), '/work/a');
    assert.equal(await paths.locate('/app/\x1b[2J'), undefined);
  });
});
