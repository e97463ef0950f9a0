import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Container } from '../../../src/engine/model.ts';
import { Screen } from '../../../src/output/terminal/screen.ts';
import { ComposeTaskRun } from '../../../src/tasks/composeTaskRun.ts';
import { readComposeTaskOptions } from '../../../src/tasks/composeTaskOptions.ts';
import { openProjectLab, type ProjectLab } from '../commands/projects/support/projectLab.ts';
import { container } from '../inventory/support/nouns.ts';
import { HIDDEN } from '../support/hostile.ts';
import { inProject } from '../views/support/stage.ts';

describe('the project of a compose task', function () {
  this.timeout(20_000);
  let lab: ProjectLab['lab'];
  let engine: ProjectLab['engine'];
  let root: string;
  let folder: string;
  let file: string;
  let text: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gantry-compose-project-'));
    folder = join(root, 'app');
    file = join(folder, 'compose.yaml');
    mkdirSync(folder);
    writeFileSync(file, 'services: {web: {image: x}}');
    text = '';
  });
  afterEach(async () => {
    rmSync(root, { recursive: true });
    await lab.close();
  });

  /** Returns the container of a project that was created from a file. */
  function web(letter: string, project: string, created = file): Container {
    const labels = {
      ...inProject(project, 'web', 1),
      'com.docker.compose.project.config_files': created,
      'com.docker.compose.project.working_dir': dirname(created),
    };
    return container(letter, { name: `${project}-web`, state: 'exited', labels });
  }

  async function run(definition: object, ...containers: readonly Container[]): Promise<number> {
    ({ lab, engine } = await openProjectLab(containers));
    Object.assign(lab.context.window, { findCompose: () => Promise.resolve(undefined) });
    lab.ui.folders = [folder];
    const screen = new Screen();
    // oxlint-disable-next-line no-control-regex -- it is what is looked for
    screen.onDidWrite((part) => (text += part.replaceAll(/\x1b\[\d+m/g, '')));
    const options = readComposeTaskOptions({ type: 'gantry.compose', ...definition });
    const { signal } = new AbortController();
    return new ComposeTaskRun({ options, folder, context: lab.context, screen, signal }).run();
  }

  it('does not take down a project of the same name that was created from other files', async () => {
    const other = web('a', 'app', join(root, 'work', 'app', 'compose.yaml'));
    assert.equal(await run({ command: 'down', files: ['compose.yaml'], volumes: true }, other), 0);
    assert.deepEqual(engine.asked, []);
    assert.equal(
      text,
      'The project app of this engine was created from other files, and stays.\r\n',
    );
  });

  it('takes down the project of the name that was created from one of the files, or in their folder', async () => {
    writeFileSync(join(folder, 'dev.yaml'), '');
    const files = ['compose.yaml', 'dev.yaml'];
    assert.equal(await run({ command: 'down', files }, web('a', 'app')), 0);
    assert.deepEqual(engine.asked, ['remove app-web']);
    await lab.close();
    const moved = web('a', 'app', join(folder, 'old.yaml'));
    assert.equal(await run({ command: 'down' }, moved), 0);
    assert.deepEqual(engine.asked, ['remove app-web']);
  });

  it('takes the project of its own name if several were created from the files', async () => {
    const both = [web('a', 'aaa-prod'), web('b', 'app')];
    assert.equal(await run({ command: 'down' }, ...both), 0);
    assert.deepEqual(engine.asked, ['remove app-web']);
    await lab.close();
    assert.equal(await run({ command: 'up' }, ...both), 0);
    assert.deepEqual(engine.asked, ['start app-web']);
    await lab.close();
    writeFileSync(file, 'name: aaa-prod');
    assert.equal(await run({ command: 'down' }, ...both), 0);
    assert.deepEqual(engine.asked, ['remove aaa-prod-web']);
  });

  it('asks for "project" if several were created from the files, and none has their name', async () => {
    const both = [web('a', 'prod'), web('b', 'test')];
    const message = /Several projects were created from these files: prod, test\. Set "project"\./;
    await assert.rejects(run({ command: 'down', volumes: true }, ...both), message);
    assert.deepEqual(engine.asked, []);
    await lab.close();
    await assert.rejects(run({ command: 'up' }, ...both), message);
    assert.deepEqual(engine.asked, []);
    await lab.close();
    assert.equal(await run({ command: 'down', project: 'test' }, ...both), 0);
    assert.deepEqual(engine.asked, ['remove test-web']);
  });

  it('names some of very many projects, as plain text', async () => {
    const many = Array.from({ length: 50 }, (_, at) => ({
      ...web('a', `p${String(at)}\u202e\n`),
      id: String(at).padStart(64, '0'),
    }));
    await assert.rejects(run({ command: 'down' }, ...many), ({ message }: Error) => {
      assert.match(message, /: p0, p10, p11, p12, p13 and 45 more\. Set "project"\.$/);
      assert.doesNotMatch(message, HIDDEN);
      return message.length < 400;
    });
  });
});
