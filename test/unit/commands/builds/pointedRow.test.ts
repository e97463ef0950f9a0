import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { ProjectNode, ServiceNode } from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { ESCAPE, give, pick } from '../../support/scriptedUi.ts';
import { openBuildLab, type BuildLab } from './buildLab.ts';

describe('a build of the row of a service', () => {
  let lab: BuildLab;
  beforeEach(async () => (lab = await openBuildLab()));
  afterEach(() => lab.close());

  /** Lists a container whose labels name a compose file and a folder. */
  function list(file: string, folder: string): void {
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': file,
      'com.docker.compose.project.working_dir': folder,
    };
    lab.list([container('a', { labels })]);
  }

  const build = (): Promise<unknown> => {
    const follow = { compare: () => Promise.resolve([]) };
    const row = new ServiceNode(new ProjectNode(ENGINE, 'shop'), 'web');
    return lab.run(buildCommand(lab.ui, follow), row);
  };
  /** Returns the paths in each question. */
  const asked = (): unknown =>
    lab.ui.of('confirm').map(({ detail }) => detail?.split('\n').slice(1));
  const built = (): unknown => lab.built.map(({ context, dockerfile }) => [context, dockerfile]);

  it('asks once in a session before files and a folder outside of the workspace are used', async () => {
    const file = join(lab.folder, 'compose.yaml');
    writeFileSync(file, 'services: {web: {build: .}}\n');
    list(file, lab.folder);
    lab.ui.folders = [];
    lab.ui.act(ESCAPE);
    assert.equal(await build(), undefined);
    assert.deepEqual([asked(), lab.ui.of('pick'), built()], [[[file, lab.folder]], [], []]);
    lab.ui.act(give('Use Files'), pick('Build'));
    await build();
    lab.ui.act(pick('Build'));
    await build();
    const one = [lab.folder, lab.dockerfile];
    assert.deepEqual(built(), [one, one]);
    assert.equal(lab.ui.of('confirm').length, 2);
  });

  it('asks before a folder outside of the workspace is used with a file in it', async () => {
    const file = join(lab.folder, 'compose.yaml');
    writeFileSync(file, 'services: {web: {build: .}}\n');
    const other = join(lab.folder, 'other');
    list(file, other);
    lab.ui.folders = [file];
    lab.ui.act(ESCAPE);
    await build();
    assert.deepEqual([asked(), built()], [[[other]], []]);
  });

  it('asks before a context outside of the workspace and of the folder is sent', async () => {
    const inside = join(lab.folder, 'shop');
    mkdirSync(inside);
    const file = join(inside, 'compose.yaml');
    writeFileSync(file, 'services: {web: {build: ..}}\n');
    list(file, inside);
    lab.ui.folders = [inside];
    lab.ui.act(ESCAPE, give('Use Files'), pick('Build'));
    assert.equal(await build(), undefined);
    assert.deepEqual([asked(), built()], [[[lab.folder, lab.dockerfile]], []]);
    await build();
    assert.deepEqual(built(), [[lab.folder, lab.dockerfile]]);
  });

  it('asks before a context that is a link out of the folder, and names where it leads', async () => {
    const inside = join(realpathSync(lab.folder), 'shop');
    mkdirSync(inside);
    mkdirSync(join(lab.folder, 'other'));
    symlinkSync('../other', join(inside, 'app'));
    writeFileSync(join(inside, 'Dockerfile'), 'FROM scratch\n');
    const file = join(inside, 'compose.yaml');
    writeFileSync(file, 'services: {web: {build: {context: app, dockerfile: ../Dockerfile}}}\n');
    list(file, inside);
    lab.ui.folders = [inside];
    lab.ui.act(ESCAPE);
    assert.equal(await build(), undefined);
    const real = join(realpathSync(lab.folder), 'other');
    assert.deepEqual([asked(), built()], [[[`${join(inside, 'app')} → ${real}`]], []]);
  });
});
