import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandCommand } from '../../../../src/commands/tasks/runCommandCommand.ts';
import type { ExecTask } from '../../../../src/commands/ui/ui.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { ESCAPE, give, pick, type } from '../../support/scriptedUi.ts';
import { containerRow } from '../../support/commandLab.ts';
import {
  openProjectLab,
  service as serviceOf,
  type ProjectLab,
} from '../projects/support/projectLab.ts';

describe('Run Command', () => {
  let lab: ProjectLab['lab'];
  let project: ProjectLab;
  let folder: string;
  let run: ExecTask[];
  let written: Map<string, string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-run-command-'));
    writeFileSync(join(folder, 'compose.yaml'), 'name: shop');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  async function open(...containers: readonly Container[]): Promise<void> {
    project = await openProjectLab(containers);
    ({ lab } = project);
    run = [];
    written = new Map();
    lab.ui.folders = [folder];
    lab.ui.runExecTask = (task) => {
      run.push(task);
      return Promise.resolve(7);
    };
    lab.ui.changeText = async (path, change) => {
      const { edits } = await change('');
      written.set(path.slice(folder.length), edits.map(({ content }) => content).join(''));
      return true;
    };
    lab.register([runCommandCommand()]);
  }

  const web = (fields: object = {}, letter = 'a'): Container => {
    const one = serviceOf(letter, 'web', '', { name: 'shop-web-1', state: 'running', ...fields });
    const files = { 'com.docker.compose.project.config_files': join(folder, 'compose.yaml') };
    return { ...one, labels: { ...one.labels, ...files } };
  };
  const savedTask = (): object => {
    const [text = ''] = written.values();
    return (JSON.parse(text) as { tasks: object[] }).tasks[0] ?? assert.fail();
  };
  const ID = 'gantry.containers.runCommand';

  it('runs a command in the container of the row, as a task', async () => {
    await open(web());
    lab.ui.act(give("sh -c 'npm test'"), pick('Run'));
    assert.deepEqual(await lab.run(ID, containerRow(web())), { exitCode: 7 });
    assert.deepEqual(run, [
      {
        title: "shop-web-1: sh -c 'npm test'",
        engine: lab.context.unit.name,
        container: idOf('a'),
        command: ['sh', '-c', 'npm test'],
        env: [],
      },
    ]);
  });

  it('has the last values again, and passes all of them on', async () => {
    await open(web());
    lab.ui.act(give('npm test'), pick('User'), give('1:1'), pick('Working directory'), give('/a'));
    lab.ui.act(pick('Environment variables'), type('A=b c'), pick('Done'));
    lab.ui.act(pick('Problem matcher'), pick('$tsc'), pick('Run'));
    await lab.run(ID, containerRow(web()));
    lab.ui.act(pick('Run'));
    await lab.run(ID, containerRow(web({}, 'a')));
    const [first, second] = run;
    assert.deepEqual(second, first);
    const { user, folder: inside, env, problemMatcher } = first ?? assert.fail();
    assert.deepEqual(
      { user, inside, env, problemMatcher },
      { user: '1:1', inside: '/a', env: ['A=b c'], problemMatcher: ['$tsc'] },
    );
  });

  it('runs in the first running container of a service', async () => {
    const number = (letter: string, at: string, state: string): Container => {
      const one = web({ name: `shop-web-${at}`, state }, letter);
      return { ...one, labels: { ...one.labels, 'com.docker.compose.container-number': at } };
    };
    await open(
      number('c', '3', 'running'),
      number('b', '2', 'running'),
      number('a', '1', 'exited'),
    );
    lab.ui.act(give('ls'), pick('Run'));
    await lab.run(ID, project.row('shop', 'web'));
    assert.equal(run[0]?.container, idOf('b'));
  });

  it('is saved for the service of the workspace folder', async () => {
    await open(web());
    lab.ui.act(give("sh -c 'a b'"), pick('Save as Task...'));
    assert.equal(await lab.run(ID, containerRow(web())), undefined);
    assert.deepEqual([...written.keys()], ['/.vscode/tasks.json']);
    assert.deepEqual(savedTask(), {
      label: "web: sh -c 'a b'",
      type: 'gantry.exec',
      service: 'web',
      command: ['sh', '-c', 'a b'],
      problemMatcher: [],
    });
    assert.deepEqual(run, []);
  });

  it('is saved with the project if the folder does not mean it', async () => {
    rmSync(join(folder, 'compose.yaml'));
    await open(web());
    lab.ui.act(give('ls'), pick('Save as Task...'));
    await lab.run(ID, containerRow(web()));
    const { project: name, service } = savedTask() as Record<string, unknown>;
    assert.deepEqual([name, service], ['shop', 'web']);
  });

  it('is saved by the name of a container that no service means', async () => {
    for (const [labels, name, expected] of [
      [{ 'com.docker.compose.container-number': '2' }, 'shop-web-2', 'shop-web-2'],
      [{ 'com.docker.compose.service': '${command:workbench.action.quit}' }, 'web', 'web'],
      [{ 'com.docker.compose.service': 'web', 'com.docker.compose.config-hash': '' }, 'x', 'x'],
      [{ 'com.docker.compose.project': '${env:HOME}' }, '${env:HOME}', idOf('a')],
    ] as const) {
      const one = web({ name });
      const container = { ...one, labels: { ...one.labels, ...labels } };
      await open(container);
      lab.ui.act(give('ls'), pick('Save as Task...'));
      await lab.run(ID, containerRow(container));
      const { container: saved, service } = savedTask() as Record<string, unknown>;
      assert.deepEqual([saved, service], [expected, undefined]);
      await lab.close();
    }
    await open();
  });

  it('asks for the folder if there are several, and needs one', async () => {
    await open(web());
    lab.ui.folders = [folder, join(folder, 'other')];
    lab.ui.act(give('ls'), pick('Save as Task...'), pick('other'));
    await lab.run(ID, containerRow(web()));
    assert.deepEqual([...written.keys()], ['/other/.vscode/tasks.json']);
    lab.ui.folders = [];
    lab.ui.act(pick('Save as Task...'));
    await lab.run(ID, containerRow(web()));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /Open a folder first/);
  });

  it('asks before it saves what looks like a secret, without showing it', async () => {
    await open(web());
    lab.ui.act(give('login --password hunter2'), pick('Environment variables'));
    lab.ui.act(type('API_TOKEN=abc'), type('LEVEL=1'), pick('Done'));
    lab.ui.act(pick('Save as Task...'), ESCAPE);
    await lab.run(ID, containerRow(web()));
    const [question] = lab.ui.of('choose');
    assert.match(question?.detail ?? '', /API_TOKEN, the command\./);
    assert.doesNotMatch(`${question?.text} ${question?.detail}`, /hunter2|abc|LEVEL/);
    assert.equal(written.size, 0);
    lab.ui.act(pick('Save as Task...'), give('Save'));
    await lab.run(ID, containerRow(web()));
    assert.deepEqual((savedTask() as Record<string, unknown>)['env'], ['API_TOKEN=abc', 'LEVEL=1']);
  });

  it('says what keeps tasks.json from being changed, and that it has other changes', async () => {
    await open(web());
    lab.ui.changeText = async (_path, change) => {
      await change('{');
      return true;
    };
    lab.ui.act(give('ls'), pick('Save as Task...'));
    await lab.run(ID, containerRow(web()));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /tasks\.json has an error/);
    lab.ui.changeText = () => Promise.resolve(false);
    lab.ui.act(pick('Save as Task...'));
    await lab.run(ID, containerRow(web()));
    assert.match(lab.ui.of('info')[0]?.text ?? '', /Save tasks\.json/);
  });

  it('does nothing in Restricted Mode, nor in a container that does not run', async () => {
    await open(web({ state: 'exited' }));
    await lab.run(ID, containerRow(web({ state: 'exited' })));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /shop-web-1 is not running/);
    lab.ui.trusted = false;
    await lab.run(ID, containerRow(web()));
    assert.match(lab.ui.of('error')[1]?.text ?? '', /Restricted Mode/);
    await assert.rejects(async () => lab.call(ID, { id: 'x', command: ['ls'] }), /Restricted Mode/);
    assert.deepEqual([run, written.size], [[], 0]);
  });

  it('runs for a caller, who is told what is wrong', async () => {
    await open(web());
    const call = (argument: object): Promise<unknown> => lab.call(ID, argument);
    const more = { user: '1', folder: '/a', env: ['A=b'], tty: true, mapPaths: false };
    const task = { id: idOf('a'), command: 'ls -l', ...more, problemMatcher: ['$go'] };
    assert.deepEqual(await call(task), { exitCode: 7 });
    assert.deepEqual(run, [
      {
        title: 'shop-web-1: ls -l',
        engine: lab.context.unit.name,
        container: idOf('a'),
        command: ['ls', '-l'],
        ...more,
        problemMatcher: ['$go'],
      },
    ]);
    await assert.rejects(call({ id: idOf('a'), command: [] }), /names no program/);
    await assert.rejects(call({ id: idOf('a'), command: ['ls'], folder: 'a' }), /absolute path/);
    await assert.rejects(call({ command: ['ls'] }), /"id" is required/);
  });
});
