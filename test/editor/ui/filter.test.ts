// Sixty containers of eight projects on two engines: what a user looks for is a few keys away.
import assert from 'node:assert/strict';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../../bed/images.ts';
import { until } from '../../bed/until.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { Lab, type Wish } from './lab.ts';
import { says, seen } from './seen.ts';

/** The most keys that a search may take, with the first and the last. */
const MOST_KEYS = 12;
const PROJECTS = 8;
const CONTAINERS = 60;

// This test uses both kinds of engine, so it runs only once.
describeWindow('the filter of sixty containers on two engines', { isJourney: true }, (window) => {
  const { lab: near } = window;
  let podman: BedEngine;
  let far: Lab;
  let workbench: Workbench;
  let keys: Keys;
  let port: number;
  let farImage: string;

  const shot = (name: string): Promise<void> => workbench.shot(`filter/${name}`);

  const labels = async (): Promise<readonly string[]> =>
    (await workbench.rows('Containers')).map(({ label }) => label);

  /** Waits for exactly these rows. */
  const shows = (...wanted: readonly string[]): Promise<unknown> =>
    until(async () => {
      const now = await labels();
      return wanted.join() === now.join();
    }, `the rows ${wanted.join()}`);

  const description = (): Promise<string> =>
    workbench.pane('Containers').locator('.pane-header .description').innerText();

  /** Opens the box with the key of the rows, types, and presses Enter; resolves to the number of keys. */
  const find = async (text: string): Promise<number> => {
    await keys.press('/');
    await workbench.quick.asks('Filter and Sort');
    await keys.type(text);
    await until(async () => (await keys.active()) === text, `${text} in the first row`);
    await keys.press('Enter');
    return text.length + 2;
  };

  const clear = async (): Promise<void> => {
    await workbench.titleAction('Containers', 'Clear Filter');
    await until(async () => !(await description()).includes('“'), 'no filter');
    await keys.run('Focus on Containers View');
  };

  /** Returns the labels of a container as Compose writes them. */
  const wishOf = (at: number, service: string, more: Wish = {}): Wish => ({
    ...more,
    labels: {
      'com.docker.compose.project': `${near.mark}-${'abcdefgh'.charAt(at)}`,
      'com.docker.compose.service': service,
      'com.docker.compose.config-hash': 'x',
      'com.docker.compose.project.working_dir': at === 0 ? window.folder : `/elsewhere/${at}`,
    },
  });

  before(async function () {
    this.timeout(300_000);
    ({ workbench } = window);
    keys = new Keys(workbench);
    podman = await startEngineOf('podman');
    await importBusybox(podman);
    far = new Lab({ socket: podman.socket, image: BED_IMAGE });
    await near.tag('cache');
    farImage = `localhost/${near.name('cache')}:1`;
    const repository = farImage.replace(/:1$/, '');
    await far.ask('POST', `/images/${BED_IMAGE}/tag?repo=${repository}&tag=1`);
    // Half of the projects on each engine. All but a few are only created.
    for (let at = 0; at < CONTAINERS; at += 1) {
      const project = at % PROJECTS;
      const service = `s${at}`;
      const lab = project < PROJECTS / 2 ? near : far;
      const isCache = at === 2 || at === 6;
      const wish = wishOf(project, service, isCache ? { image: farImage } : {});
      if (at === 0 || at === 1 || at === 8)
        await lab.running(service, { ...wish, health: 'false' });
      else if (at === 3) await lab.running(service, { ...wish, port: 80 });
      else await lab.create(service, wish);
    }
    const listed = await near.ask('GET', `/containers/${near.name('s3')}/json`);
    const { Ports } = (
      JSON.parse(listed) as {
        NetworkSettings: { Ports: Record<string, readonly { HostPort: string }[]> };
      }
    ).NetworkSettings;
    port = Number(Ports['80/tcp']?.[0]?.HostPort);
    await window.changeSettings({ 'gantry.engines': { Far: podman.url } });
    for (const pane of ['Images', 'Builds']) await workbench.expand(pane, false);
    await until(async () => (await description()) === `${CONTAINERS}`, 'all containers');
    await keys.run('Focus on Containers View');
  });

  after(async () => {
    for (const pane of ['Images']) await workbench.expand(pane, true);
    await podman.stop();
  });

  it('finds the unhealthy ones of this workspace', async () => {
    const project = `${near.mark}-a`;
    await says(workbench, 'Containers', project, /2 unhealthy/);
    const count = await find('unh w:');
    assert.ok(count <= MOST_KEYS, `${count} keys`);
    await shows('Default', project, 's0', 's8', 'Far', 'No containers match the filter');
    await says(workbench, 'Containers', project, /^2 of 8 shown · 2 of 8 up · 2 unhealthy/);
    assert.equal(await description(), '“unh w:” · 2 of 60');
    await shot('unhealthy-dark');
    await clear();
  });

  it('finds what publishes a port', async () => {
    const count = await find(`po:${port}`);
    assert.ok(count <= MOST_KEYS, `${count} keys`);
    await shows('Default', `${near.mark}-d`, 's3', 'Far', 'No containers match the filter');
    await clear();
  });

  it('finds everything that uses an image, on both engines', async () => {
    const count = await find('i:cache');
    assert.ok(count <= MOST_KEYS, `${count} keys`);
    await shows('Default', `${near.mark}-c`, 's2', 'Far', `${near.mark}-g`, 's6');
    await clear();
  });

  it('changes the rows while the user types, and Escape brings them back', async () => {
    const before = await labels();
    await keys.press('/');
    await workbench.quick.asks('Filter and Sort');
    await keys.type('health:u');
    await until(async () => (await description()).endsWith('3 of 60'), 'three rows');
    // The box gets its rows after the view: until then it has those of a text before.
    await until(async () => {
      const [first] = await workbench.quick.labels();
      return first?.label === 'health:u' && first.description === '3 of 60 containers';
    }, 'the typed filter as the first row');
    await shot('typing-dark');
    await window.changeSettings({ 'workbench.colorTheme': 'Default Light Modern' });
    await shot('typing-light');
    await window.changeSettings({ 'workbench.colorTheme': 'Default High Contrast' });
    await shot('typing-contrast');
    await window.changeSettings({ 'workbench.colorTheme': 'Default Dark Modern' });
    await keys.press('Escape');
    await shows(...before);
  });

  it('says what cannot be read, and hides nothing', async () => {
    await keys.press('/');
    await workbench.quick.asks('Filter and Sort');
    await keys.type('label:"a b');
    const says = async (): Promise<string | undefined> =>
      (await workbench.quick.labels())[0]?.description;
    await until(async () => (await says())?.includes('quotation mark') === true, 'the problem');
    assert.match(await description(), / · 60$/);
    await shot('problem-dark');
    await keys.press('Escape');
  });

  it('groups all containers in one list, and pins a row before the others', async () => {
    await keys.press('/');
    await workbench.quick.pick('Filter and Sort', 'Group by: Project');
    await workbench.quick.pick('Group By', 'None');
    await says(workbench, 'Containers', near.name('s0'), /unhealthy.* · Default$/);
    const row = await workbench.reveal(near.name('s3'), 'Containers');
    await workbench.contextMenu(row, 'More', 'Pin');
    await workbench.reveal(near.name('s3'), 'Containers');
    await until(async () => (await labels())[0] === near.name('s3'), 'the pinned row first');
    await says(workbench, 'Containers', near.name('s3'), / · pinned · Default$/);
    await shot('pinned-dark');
    await keys.press('/');
    await workbench.quick.pick('Filter and Sort', 'Group by: None');
    await workbench.quick.pick('Group By', 'Project');
    await seen(workbench, 'Containers', 'Default', ({ level }) => level === 1);
    const back = await workbench.reveal('s3', 'Containers');
    await workbench.contextMenu(back, 'More', 'Unpin');
  });
});
