import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listContainers } from '../../../../src/engine/containers/containers.ts';
import { ProjectNode, ServiceNode } from '../../../../src/views/containers/containerNode.ts';
import { containerRow, ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { WorktreeOverrides } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import { pick } from '../../support/scriptedUi.ts';

const { openComposeFileCommand } =
  await import('../../../../src/commands/projects/openComposeFileCommand.ts');

const COMMAND = openComposeFileCommand();

describe('gantry.projects.openFile', () => {
  let lab: CommandLab;
  let folder: string;
  let files: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-open-'));
    writeFileSync(join(folder, 'compose.yaml'), 'services:\n  db: {}\n  web: {}\n');
    files = join(folder, 'compose.yaml');
    lab = await openCommandLab((_, response) => {
      response.setHeader('content-type', 'application/json');
      const labels = {
        'com.docker.compose.project': 'shop',
        'com.docker.compose.config-hash': 'hash',
        'com.docker.compose.service': 'web',
        'com.docker.compose.project.config_files': files,
      };
      const list = [
        { Id: 'a'.repeat(64), Names: ['/shop-web-1'], State: 'running', Labels: labels },
      ];
      response.end(JSON.stringify(list));
    });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  async function load(named: string) {
    files = named;
    const all = await listContainers(await lab.context.engine.connect(), { all: true });
    lab.list(all);
    return all;
  }

  const opened = (): readonly string[] => lab.ui.of('openFile').map(({ text }) => text);
  const project = new ProjectNode(ENGINE, 'shop');

  it('does not ask about the file of a worktree that Gantry has made', async () => {
    const file = join(folder, 'compose.yaml');
    const overrides = new WorktreeOverrides(join(folder, 'worktrees'));
    Object.assign(lab.context.window, { worktrees: () => Promise.resolve(overrides) });
    mkdirSync(join(folder, 'worktrees'));
    writeFileSync(overrides.pathOf('shop'), 'services:\n  web: {}\n');
    const [web] = await load(`${file},${overrides.pathOf('shop')}`);
    assert.ok(web);
    assert.deepEqual(await lab.run(COMMAND, new ServiceNode(project, 'web')), { file, line: 3 });
  });

  it('opens the file at the line of the service, from rows of projects, services and containers', async () => {
    const file = join(folder, 'compose.yaml');
    const [web] = await load(file);
    assert.ok(web);
    assert.deepEqual(await lab.run(COMMAND, project), { file });
    await lab.run(COMMAND, new ServiceNode(project, 'web'));
    await lab.run(COMMAND, containerRow(web));
    const at = `file:${file}?`;
    assert.deepEqual(opened(), [at, `${at}:3`, `${at}:3`]);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('returns what it opened to callers, who can name one of several files', async () => {
    const first = join(folder, 'base.yml');
    writeFileSync(first, 'services:\n  db: {}\n');
    const file = join(folder, 'compose.yaml');
    files = `${first},${file}`;
    const args = { project: 'shop' };
    assert.deepEqual(await lab.call(COMMAND, args), { file: first });
    assert.deepEqual(await lab.call(COMMAND, { ...args, service: 'web' }), { file, line: 3 });
    assert.deepEqual(await lab.call(COMMAND, { ...args, file }), { file });
    await assert.rejects(lab.call(COMMAND, { ...args, file: '/etc/passwd' }), /not found/);
    await assert.rejects(lab.call(COMMAND, { project: 'gone' }), /does not exist/);
  });

  it('asks which of several files, unless only one has the service', async () => {
    const first = join(folder, 'base.yml');
    writeFileSync(first, 'services:\n  db: {}\n');
    const file = join(folder, 'compose.yaml');
    await load(`${first},${file}`);
    lab.ui.act(pick('compose.yaml'));
    assert.deepEqual(await lab.run(COMMAND, project), { file });
    const [question] = lab.ui.of('pick');
    assert.deepEqual(
      question?.items?.map(({ label, description }) => [label, description]),
      ['base.yml', 'compose.yaml'].map((name) => [name, folder]),
    );
    await lab.run(COMMAND, new ServiceNode(project, 'web'));
    assert.equal(lab.ui.of('pick').length, 1);
    assert.equal(await lab.run(COMMAND, project), undefined, 'canceled');
    assert.equal(opened().length, 2);
  });

  it('opens nothing but YAML files that exist on this machine, whatever a label names', async () => {
    const text = 'services: {}\n';
    writeFileSync(join(folder, 'compose.txt'), text);
    writeFileSync(join(folder, 'secret.key'), text);
    symlinkSync(join(folder, 'secret.key'), join(folder, 'link.yaml'));
    mkdirSync(join(folder, 'folder.yaml'));
    writeFileSync(join(folder, 'new\u202e.yaml'), text);
    for (const named of [
      join(folder, 'compose.txt'),
      join(folder, 'gone.yaml'),
      join(folder, 'link.yaml'),
      join(folder, 'folder.yaml'),
      join(folder, 'new\u202e.yaml'),
      `/${join(folder, 'compose.yaml')}`,
      `file://${join(folder, 'compose.yaml')}`,
      'compose.yaml',
      'command:workbench.action.quit.yaml',
      '\\\\server\\share\\compose.yaml',
    ]) {
      await load(named);
      await lab.run(COMMAND, project);
      assert.deepEqual(opened(), [], named);
      assert.match(lab.ui.of('error').at(-1)?.text ?? '', /File not found: /, named);
    }
    await load('');
    await lab.run(COMMAND, project);
    assert.match(lab.ui.of('error').at(-1)?.text ?? '', /files of project shop are not known/);
  });
});
