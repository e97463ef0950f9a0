// Two worktrees of one repository whose compose projects run side by side, each with its own ports and data.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { makeWorktrees } from '../makeWorktrees.ts';
import { describeWindow, PLUGINS_FOLDER } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { gone, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const PREVIEW = 'The Up Preview view shows what is different here';
const BRANCHES = { app: 'main', login: 'feature/Login' } as const;

type Folder = keyof typeof BRANCHES;

describeWindow(`a project for each worktree, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let base: string;
  let browser: string;
  const projects = new Map<Folder, string>();
  const shot = (name: string): Promise<void> => workbench.shot(`worktrees-${KIND}/${name}`);

  /** The first page is that of the worktree that made it; it stays in the volume. */
  const write = (folder: Folder, extra = ''): void => {
    const web = [
      `    image: ${lab.image}`,
      '    container_name: shop-web',
      '    command: sh -c "test -f /data/index.html || cp /src/index.html /data/; exec httpd -f -h /data"',
      '    stop_signal: SIGKILL',
      '    ports: ["18080:80"]',
      '    volumes: ["./src:/src", "data:/data"]',
    ];
    const cache = [
      `    image: ${lab.image}`,
      '    command: sleep 1000',
      '    stop_signal: SIGKILL',
    ];
    const services = ['services:', '  web:', ...web, '  cache:', ...cache];
    const parts = ['volumes:', '  data:', `    name: ${base}-data`];
    const text = [`name: ${base}`, ...services, extra, ...parts];
    writeFileSync(file(folder), `${text.filter((line) => line !== '').join('\n')}\n`);
  };
  const root = (folder: Folder): string => join(window.folder, 'shop', folder);
  const file = (folder: Folder): string => join(root(folder), 'compose.yaml');
  const head = (): string => join(root('app'), '.git/worktrees/linked/HEAD');
  const project = (folder: Folder): string => projects.get(folder) ?? assert.fail(folder);

  const makeFiles = (): void => {
    const [main, linked] = (['app', 'login'] as const).map((folder) => {
      mkdirSync(join(root(folder), 'src'), { recursive: true });
      writeFileSync(join(root(folder), 'src/index.html'), `made in ${folder}`);
      write(folder);
      return { folder: root(folder), branch: BRANCHES[folder] };
    });
    if (main && linked) makeWorktrees(main, linked);
  };

  /** Runs the command by keys, and chooses a compose file. */
  const upInWorktree = async (folder: Folder): Promise<void> => {
    await keys.run('Up in This Worktree', 'Gantry Compose');
    await keys.choose('Select a project or compose file', file(folder));
  };
  const preview = (): Locator => workbench.page.locator('.panel .monaco-list-row');
  /** The label of the row: the name in the files, and the branch. */
  const labelOf = (folder: Folder): string => `${base} · ${BRANCHES[folder]}`;
  /** Resolves when all runs, and remembers the name of the project. */
  const created = async (folder: Folder): Promise<void> => {
    await says(workbench, 'Containers', labelOf(folder), /^2 of 2 up/);
    const start = `${base}-${BRANCHES[folder].toLowerCase().replace('/', '-')}-`;
    const all = JSON.parse(await lab.ask('GET', '/containers/json')) as readonly Listed[];
    const names = all.map(({ Labels }) => Labels['com.docker.compose.project'] ?? '');
    const name = names.find((one) => one.startsWith(start)) ?? assert.fail(names.join());
    projects.set(folder, name);
  };
  const portOf = async (folder: Folder): Promise<string> => {
    await workbench.reveal(labelOf(folder), 'Containers');
    const all = JSON.parse(await lab.ask('GET', '/containers/json')) as readonly Listed[];
    const [web] = all.filter(({ Labels }) => isOf(Labels, project(folder), 'web'));
    const port = web?.Ports.find(({ PublicPort }) => PublicPort)?.PublicPort;
    return String(port ?? assert.fail('The port is not published.'));
  };
  /** Asks from the machine of the engine, which has a network of its own. */
  const page = async (folder: Folder): Promise<string> => {
    const url = `http://127.0.0.1:${await portOf(folder)}/`;
    return until(
      async () => (await lab.run(browser, `wget -q -O - ${url} || true`)) || undefined,
      `an answer of ${url}`,
    );
  };
  const idsOf = async (folder: Folder): Promise<Readonly<Record<string, string>>> => {
    const all = JSON.parse(await lab.ask('GET', '/containers/json?all=1')) as readonly Listed[];
    const own = all.filter(({ Labels }) => isOf(Labels, project(folder)));
    return Object.fromEntries(own.map(({ Id, Labels }) => [Labels[SERVICE] ?? '', Id]));
  };

  before(async function () {
    // Distributions differ in what they have.
    if (!existsSync(join(PLUGINS_FOLDER, 'docker-compose'))) this.skip();
    ({ workbench } = window);
    keys = new Keys(workbench);
    base = lab.name('shop');
    browser = lab.name('browser');
    const spec = {
      Image: lab.image,
      Cmd: ['sleep', '1000'],
      StopSignal: 'SIGKILL',
      HostConfig: { NetworkMode: 'host' },
    };
    await lab.ask('POST', `/containers/create?name=${browser}`, spec);
    await lab.start(browser);
    makeFiles();
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) this.skip();
  });

  it('shows what is different before it runs for the first time', async () => {
    await upInWorktree('app');
    await workbench.quick.asks(PREVIEW);
    for (const words of [
      /^Different in This Worktree/,
      /^web\s*port 18080 → 2\d{4}$/,
      /^web\s*container name shop-web left out$/,
      /^data\s*volume \S+-data → \S+_data$/,
    ])
      await preview().filter({ hasText: words }).first().waitFor();
    await shot('preview');
    await keys.press('Enter');
    await created('app');
    assert.equal(await page('app'), 'made in app');
    await shot('first');
  });

  it('runs a second one beside it, with the data of the first', async () => {
    await upInWorktree('login');
    await workbench.quick.asks(PREVIEW);
    await workbench.page.waitForTimeout(1000);
    await keys.press('Enter');
    await workbench.quick.asks(/./);
    await shot('volumes');
    await keys.type(`Clone Volumes of ${project('app')}`);
    await keys.press('Enter');
    const { message, detail } = await workbench.notices.modal();
    await shot('clone');
    assert.equal(message, `Clone volumes of ${project('app')}?`);
    assert.match(detail, /shop/);
    await workbench.notices.answer('Clone');
    await created('login');
    assert.notEqual(await portOf('app'), await portOf('login'));
    assert.deepEqual([await page('app'), await page('login')], ['made in app', 'made in app']);
    await shot('both');
  });

  it('shows the branch that is checked out, and the ports as links', async () => {
    const { page } = workbench;
    const url = `http://localhost:${await portOf('login')}`;
    await seen(workbench, 'Containers', labelOf('app'));
    writeFileSync(head(), 'ref: refs/heads/fix/Cart\n');
    await says(workbench, 'Containers', `${base} · fix/Cart`, /^2 of 2 up/);
    await workbench.row(`${base} · fix/Cart`, 'Containers').hover();
    const hover = page.locator('.workbench-hover-container .monaco-hover');
    await hover.locator('a', { hasText: url }).waitFor();
    await shot('tooltip');
    writeFileSync(head(), `ref: refs/heads/${BRANCHES.login}\n`);
    await seen(workbench, 'Containers', labelOf('login'));
  });

  it('keeps the data of both apart', async () => {
    const { web = '' } = await idsOf('login');
    await lab.run(web, 'echo changed > /data/index.html');
    assert.deepEqual([await page('app'), await page('login')], ['made in app', 'changed']);
  });

  it('recreates only what was changed in one of them', async () => {
    const before = { app: await idsOf('app'), login: await idsOf('login') };
    write('login', '    environment: {A: b}');
    const row = workbench.row(labelOf('login'), 'Containers');
    await workbench.contextMenu(row, 'Compose', 'Up in This Worktree');
    await until(
      async () => (await idsOf('login'))['cache'] !== before.login['cache'],
      'a new cache',
    );
    await says(workbench, 'Containers', labelOf('login'), /2 of 2 up/);
    assert.equal((await idsOf('login'))['web'], before.login['web']);
    assert.deepEqual(await idsOf('app'), before.app);
  });

  it('offers to take down exactly the one whose worktree is removed', async () => {
    const before = await idsOf('app');
    await seen(workbench, 'Containers', labelOf('login'));
    rmSync(root('login'), { recursive: true });
    await says(workbench, 'Containers', labelOf('login'), /worktree gone · 2 of 2 up/);
    await shot('gone');
    await workbench.notices.press(/^The worktree of/, 'Take Down...');
    await workbench.quick.check('Select volumes and images to also remove', [
      `${project('login')}_data`,
    ]);
    const { message } = await workbench.notices.modal();
    assert.equal(message, `Take down ${project('login')}?`);
    await workbench.notices.answer('Take Down');
    await gone(workbench, 'Containers', labelOf('login'));
    assert.deepEqual(await idsOf('app'), before);
    assert.equal(await page('app'), 'made in app');
    await shot('down');
  });
});

const SERVICE = 'com.docker.compose.service';

interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Ports: readonly { readonly PublicPort?: number }[];
}

function isOf(labels: Listed['Labels'], project: string, service?: string): boolean {
  const isOfProject = labels['com.docker.compose.project'] === project;
  return isOfProject && (service === undefined || labels[SERVICE] === service);
}
