// Journeys by keyboard alone, from the first key on: what a pointer never shows, such as a list without an active row.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { askWell, until as engineUntil } from '../../bed/http.ts';
import { busyboxTar } from '../../bed/images.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Keys } from './keys.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const OVERVIEW = 'Pick what to change';
const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

describe('by keyboard alone', function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let keys: Keys;
  /** Their containers have random names. */
  const images: string[] = [];

  let folder: string;
  const tasks = new Lab();

  before(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-keyboard-'));
    writeTask(folder, tasks);
    editor = await openWorkbench({ folder });
    ({ workbench } = editor);
    keys = new Keys(workbench);
    await workbench.openView('Gantry');
  });

  beforeEach(() => {
    lab = new Lab();
  });

  shotOnFailure(() => editor);

  afterEach(async () => {
    await workbench.quick.cancel();
    await workbench.notices.clear();
    for (const image of images.splice(0)) {
      for (const { Id } of await containersOf(image)) {
        await lab.ask('DELETE', `/containers/${Id}?force=1`);
      }
    }
    await lab.clean();
  });

  after(async () => {
    await editor.close();
    await tasks.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An image that says nothing of what to run. */
  async function bareImage(): Promise<string> {
    const repo = `localhost/${lab.name('bare')}`;
    const query = new URLSearchParams({ fromSrc: '-', repo, tag: '1' });
    const how = { body: busyboxTar(), type: 'application/x-tar' };
    await askWell(lab.socket, 'POST', `/v1.41/images/create?${query.toString()}`, how);
    images.push(`${repo}:1`);
    await seen(workbench, 'Images', `${repo}:1`);
    return `${repo}:1`;
  }

  const containersOf = async (
    image: string,
  ): Promise<readonly { readonly Id: string; readonly State: string }[]> => {
    const filters = JSON.stringify({ ancestor: [image] });
    const query = new URLSearchParams({ all: '1', filters });
    return JSON.parse(await lab.ask('GET', `/containers/json?${query.toString()}`)) as [];
  };

  /** Whether the page has written what the extension keeps: the reload of a page waits for nothing. */
  const isStored = (key: string, text: string): Promise<boolean> =>
    workbench.page.evaluate(findStored, [key, text] as const);

  /** An image of the bed's whose containers keep running. */
  async function imageOf(what: string): Promise<string> {
    const source = await lab.create(`${what}-source`);
    const repo = `localhost/${lab.name(what)}`;
    const query = new URLSearchParams({ container: source, repo, tag: '1' });
    await lab.ask('POST', `/commit?${query.toString()}`, {});
    await lab.ask('DELETE', `/containers/${source}?force=1`);
    images.push(`${repo}:1`);
    await seen(workbench, 'Images', `${repo}:1`);
    return `${repo}:1`;
  }

  it('an image and Enter twice is a running container', async () => {
    const image = await imageOf('first');
    await keys.run('Create Container…');
    await keys.choose('Pick an image', image);
    await workbench.quick.asks(OVERVIEW);
    await keys.press('Enter');
    await until(
      async () => (await containersOf(image)).some(({ State }) => State === 'running'),
      'a running container',
    );
  });

  it('an image made before begins with Enter, too', async () => {
    const image = await imageOf('again');
    for (const step of ['Pick an image', 'You have made a container']) {
      await keys.run('Create Container…');
      await keys.choose('Pick an image', image);
      if (step !== 'Pick an image') {
        await workbench.quick.asks(step);
        await keys.press('Enter');
      }
      await workbench.quick.asks(OVERVIEW);
      await keys.press('Enter');
      await workbench.quick.widget.waitFor({ state: 'hidden' });
    }
    await until(async () => (await containersOf(image)).length === 2, 'two containers');
  });

  it('an image without a command is known before it is created, and Enter asks for one', async () => {
    const image = await bareImage();
    await keys.run('Create Container…');
    await keys.choose('Pick an image', image);
    await workbench.quick.asks(OVERVIEW);
    const problem = 'The image has neither a command nor an entrypoint. Enter a command.';
    const first = workbench.quick.rows.first();
    await until(async () => (await first.innerText()).includes(problem), 'the problem');
    await workbench.shot('keyboard/no-command');
    await keys.press('Enter');
    await keys.enter(/: Command$/m, 'sleep 1000');
    await workbench.quick.asks(OVERVIEW);
    await until(async () => !(await first.innerText()).includes(problem), 'no problem');
    await keys.press('Enter');
    await until(
      async () => (await containersOf(image)).some(({ State }) => State === 'running'),
      'a running container',
    );
  });

  it('a container is committed with its name and Enter twice', async () => {
    const name = await lab.running('source');
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.run('Commit to Image…');
    await keys.enter(/: Image$/m, `localhost/${name}:2`);
    await workbench.quick.asks(OVERVIEW);
    await keys.press('Enter');
    await seen(workbench, 'Images', `localhost/${name}:2`);
    assert.deepEqual(await workbench.notices.messages(), []);
  });

  it('a name that is taken is said while it is typed', async () => {
    const [name, other] = [await lab.running('renamed'), await lab.create('taken')];
    await says(workbench, 'Containers', name, /^Up/);
    await seen(workbench, 'Containers', other);
    await keys.focus('Containers', name);
    await keys.press('F2');
    await workbench.quick.asks(`Rename ${name}`);
    await keys.type(other);
    const problem = `There is a container named ${other} already.`;
    await until(async () => (await workbench.quick.message()).includes(problem), problem);
    await workbench.shot('keyboard/taken');
    await keys.press('Enter');
    await keys.type('-2');
    await until(async () => !(await workbench.quick.message()).includes(problem), 'no problem');
    await keys.press('Enter');
    await says(workbench, 'Containers', `${other}-2`, /^Up/);
  });

  it('a pull that finds nothing says so, and begins again with what was typed', async () => {
    const { registry } = bed();
    const wrong = `${registry}/gantry/app:nope`;
    await keys.run('Pull Image…');
    await keys.choose('Pull Image', wrong);
    await workbench.notices.says(`${registry} has no gantry/app:nope. Check the name and the tag.`);
    const rows = await workbench.rows('Images');
    assert.deepEqual(
      rows.map(({ level, expanded }) => [level, expanded]),
      rows.map(() => [1, undefined]),
      'no image is indented below the failed pull',
    );
    await workbench.shot('keyboard/no-such-image');
    await keys.notification('Edit…');
    await workbench.quick.asks('Pull Image');
    await until(async () => (await workbench.quick.box.inputValue()) === wrong, 'what was typed');
    await keys.press('Escape');
    await keys.run('Dismiss Failed Pull or Push');
    await workbench.quick.asks('Choose a pull or a push');
    await keys.press('Enter');
  });

  it('an image in use says who uses it, and leads there', async () => {
    const image = await imageOf('used');
    const name = await lab.running('user', { image });
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Images', image);
    await keys.press('Delete');
    const { message, detail, buttons } = await workbench.notices.modal();
    assert.equal(message, `${image} is in use`);
    assert.ok(detail.includes(name), detail);
    assert.deepEqual([...buttons].sort(), ['Cancel', 'Show Containers']);
    await workbench.shot('keyboard/in-use');
    await keys.press('Enter');
    await seen(workbench, 'Containers', name, (row) => row.selected);
  });

  it('what was stopped is no failure', async () => {
    // A shell as the first process takes no signal but the one that kills.
    const cmd = ['sh', '-c', 'while :; do sleep 1; done'];
    const name = await lab.running('ended', { cmd, stopSignal: 'SIGKILL' });
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.run('Stop');
    const { icon } = await says(workbench, 'Containers', name, /^Stopped/);
    assert.notEqual(icon, 'error');
    await workbench.shot('keyboard/stopped');
  });

  it('an archive of files is an image after its name and Enter', async () => {
    const path = join(folder, 'files.tar');
    writeFileSync(path, busyboxTar());
    const repository = `localhost/${lab.name('imported')}`;
    await keys.run('Import File System as Image…');
    await workbench.quick.asks('Import a File System as an Image');
    await until(async () => {
      // The dialog writes a folder into the box when it has looked at it.
      if ((await workbench.quick.box.inputValue()) !== path) {
        await keys.press('ControlOrMeta+a');
        await keys.type(path);
      }
      return (await workbench.quick.labels()).some(({ label }) => label === 'files.tar');
    }, 'the file');
    await keys.press('Enter');
    await keys.enter('New name of the image', `${repository}:1`);
    await workbench.quick.asks(OVERVIEW);
    await workbench.shot('keyboard/import');
    await keys.press('Enter');
    await seen(workbench, 'Images', `${repository}:1`, (row) => row.selected);
    await until(async () => (await workbench.notices.messages()).length === 0, 'no message');
  });

  it('a project is not marked as well if one of its containers is not', async () => {
    const project = lab.name('shop');
    const names = ['web', 'db'];
    for (const name of names) {
      await lab.running(name, { labels: { [PROJECT]: project, [SERVICE]: name } });
    }
    const { icon } = await says(workbench, 'Containers', project, /^2 of 2 up$/);
    await keys.focus('Containers', 'db');
    await keys.run('Stop');
    const row = await says(workbench, 'Containers', project, /^1 of 2 up$/);
    assert.notEqual(row.icon, icon);
    await keys.focus('Containers', project);
    await keys.press('ControlOrMeta+k');
    await keys.press('ControlOrMeta+i');
    const hover = workbench.page.locator('.workbench-hover-container .monaco-hover:visible');
    await hover.filter({ hasText: 'Not up: db' }).waitFor();
    await workbench.shot('keyboard/project');
  });

  it('a project stays folded over a reload, and one of which all is over begins so', async () => {
    const up = lab.name('going');
    const over = lab.name('over');
    await lab.running('web', { labels: { [PROJECT]: up, [SERVICE]: 'web' } });
    const cmd = ['sh', '-c', 'exit 0'];
    const ended = await lab.running('job', { cmd, labels: { [PROJECT]: over, [SERVICE]: 'job' } });
    await engineUntil(async () => (await lab.state(ended)) === 'exited', 'it ends');
    await says(workbench, 'Containers', up, /^1 of 1 up$/);
    await keys.focus('Containers', up);
    await keys.press('ArrowLeft');
    const isFolded = (label: string): Promise<unknown> =>
      seen(workbench, 'Containers', label, ({ expanded }) => expanded === false);
    await isFolded(up);
    await until(() => isStored('gantry.folds', up), 'it is stored');
    await editor.reload();
    await workbench.openView('Gantry');
    await isFolded(up);
    await isFolded(over);
    await workbench.shot('keyboard/folded');
  });

  it('a container without STDIN says why it is not attached to, and what to do instead', async () => {
    const name = await lab.running('closed');
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.run('Attach to Container');
    await workbench.notices.says(`${name} takes no input`);
    for (const title of ['Open Shell', 'Show Logs']) {
      const button = workbench.notices.toasts.getByRole('button', { name: title });
      assert.ok(await button.isVisible(), title);
    }
    await workbench.shot('keyboard/attach');
  });

  it('a task whose recipe has a name runs again and again', async () => {
    const name = tasks.name('made');
    for (const made of [name, `${name}-2`]) {
      await keys.run('Run Task', 'Tasks');
      await keys.choose('Select the task to run', 'Hello');
      await says(workbench, 'Containers', made, /^Exited \(0\)/);
    }
    await workbench.shot('keyboard/task');
  });
});

/** A folder whose task runs a recipe with a name. */
function writeTask(folder: string, lab: Lab): void {
  const recipe = { image: lab.image, name: lab.name('made'), cmd: ['echo', 'hello'] };
  writeFileSync(join(folder, 'web.container.json'), JSON.stringify(recipe));
  mkdirSync(join(folder, '.vscode'));
  const task = { type: 'gantry', label: 'Hello', recipe: 'web.container.json', problemMatcher: [] };
  const file = { version: '2.0.0', tasks: [task] };
  writeFileSync(join(folder, '.vscode/tasks.json'), JSON.stringify(file));
}

/** Runs in the page. */
async function findStored([key, text]: readonly [string, string]): Promise<boolean> {
  const { indexedDB } = globalThis as unknown as { readonly indexedDB: Databases };
  const done = <T>(request: Request<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = reject;
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue;
    const database = await done(indexedDB.open(name));
    const [store = ''] = database.objectStoreNames;
    const values = await done(database.transaction(store).objectStore(store).getAll());
    database.close();
    const isIt = (value: unknown): boolean =>
      typeof value === 'string' && value.includes(key) && value.includes(text);
    if (values.some(isIt)) return true;
  }
  return false;
}

/** As much of the browser's databases as is asked for here. */
interface Databases {
  databases(): Promise<readonly { readonly name: string }[]>;
  open(name: string): Request<{
    readonly objectStoreNames: readonly string[];
    transaction(store: string): {
      objectStore(name: string): { getAll(): Request<readonly unknown[]> };
    };
    close(): void;
  }>;
}

interface Request<T> {
  readonly result: T;
  onsuccess: () => void;
  onerror: (error: unknown) => void;
}
