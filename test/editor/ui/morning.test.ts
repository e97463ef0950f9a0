// A user's morning with a compose project: each test continues where the one before it ended.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { stringify } from 'yaml';
import { pressLens } from '../../bed/vscode/press.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow, PLUGINS_FOLDER } from './describeWindow.ts';
import { openFile, pickRow, saveAs } from './forms.ts';
import { loggedRequests, repeatedRequests, type LoggedRequest } from './requestLog.ts';
import { gone, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
/** Podman without systemd timers never runs a health check. */
const CONDITION = KIND === 'podman' ? 'service_started' : 'service_healthy';

/** Checked often only until it is healthy, because each check is a process. Podman's API has no such interval. */
const HEALTH = {
  test: 'true',
  interval: '1h',
  ...(KIND === 'docker' && { start_period: '1m', start_interval: '200ms' }),
};

/** Owners and modes that only a faithful copy has. */
const FILL = [
  'mkdir /data/orders',
  'echo 4711 >/data/orders/open',
  'chown -R 70:71 /data/orders',
  'chmod 2750 /data/orders',
  'chmod 4640 /data/orders/open',
].join(' && ');
const LIST = 'cd /data && stat -c "%n %u:%g %a" orders orders/open && cat orders/open';
const FILES = ['orders 70:71 2750', 'orders/open 70:71 4640', '4711'].join('\n');

describeWindow(`a morning with a compose project, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let project: string;
  let file: string;
  let archive: string;
  /** When the user did something, in milliseconds since 1970. */
  const acts: number[] = [];
  const shot = (name: string): Promise<void> => workbench.shot(`morning-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');
  const choose = async (target: Locator, ...path: readonly string[]): Promise<void> => {
    acts.push(Date.now());
    await workbench.contextMenu(target, ...path);
  };
  /** Waits until Compose has ended: its terminal can take the focus from a question. */
  const composeEnded = (): Promise<unknown> =>
    until(
      () => !execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`--file=${file}`),
      'Compose has ended',
    );
  /** Waits until the last act of the user has led to a request. Resolves to all requests until then. */
  const requested = (text: string) =>
    until(() => {
      const found = loggedRequests(window.editor);
      const isMeant = (one: LoggedRequest) => one.at > acts.at(-1)! && one.text === text;
      return found.some(isMeant) && found;
    }, text);
  const container = (service: string): string => `${project}-${service}-1`;
  const write = (greeting: string): void => {
    writeFileSync(file, composeFile(project, lab.image, greeting));
  };

  before(function () {
    // Distributions differ in what they have.
    if (!existsSync(join(PLUGINS_FOLDER, 'docker-compose'))) this.skip();
    ({ workbench } = window);
    project = lab.name('shop');
    file = join(window.folder, 'compose.yaml');
    write('hello');
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) this.skip();
  });

  it('begins with its file, from which four services come up', async () => {
    await workbench.quick.openFile('compose.yaml');
    await pressLens(
      workbench.page.locator('.codelens-decoration a', { hasText: 'not created' }).first(),
    );
    await workbench.quick.pick('Select what to do', 'Up');
    await says(workbench, 'Containers', project, /^4 of 4 up$/);
    await composeEnded();
    await lab.run(container('db'), FILL);
    await shot('up');
  });

  it('browses and exports the volume', async () => {
    await workbench.expand('Volumes', true);
    await says(workbench, 'Volumes', 'data', new RegExp(`used by ${container('db')}`));
    await choose(workbench.row('data', 'Volumes'), 'Browse Files');
    await until(
      async () => (await workbench.rows('Files')).some(({ label }) => label === 'orders'),
      'the files of the volume',
    );
    await shot('files');
    await choose(workbench.row('data', 'Volumes'), 'Export to File...');
    await workbench.notices.answer('Export');
    archive = await saveAs(workbench, window.folder, 'data.tar.gz');
    await workbench.notices.says(/^Exported .*data/);
    await workbench.notices.clear();
  });

  it('empties the volume once no container uses it, and restores it', async () => {
    await workbench.select(row('db'));
    await choose(row('db'), 'Remove...');
    await workbench.notices.answer('Remove');
    await says(workbench, 'Volumes', 'data', /unused$/);
    await choose(workbench.row('data', 'Volumes'), 'More', 'Empty...');
    await workbench.notices.answer('Empty');
    await requested('POST /volumes/create');
    await choose(workbench.row('data', 'Volumes'), 'More', 'Import from File...');
    await openFile(workbench, archive);
    await workbench.notices.says(/^Imported \d+ files and folders into/);
    await shot('imported');
    await workbench.notices.clear();
    await choose(row(project), 'Compose', 'Up');
    await says(workbench, 'Containers', project, /^4 of 4 up$/);
    await composeEnded();
    assert.equal(await lab.run(container('db'), LIST), FILES);
  });

  it('connects a service to the network of a container, which then reaches it', async () => {
    const network = await lab.network('desk');
    const guest = await lab.running('guest', { network });
    await seen(workbench, 'Containers', guest);
    await choose(row('web'), 'Network', 'Connect...');
    await workbench.quick.pick('Select a network', network);
    await pickRow(workbench, 'Connect');
    await workbench.notices.says(`Connected ${container('web')} to ${network}`);
    await workbench.notices.clear();
    await choose(row(guest), 'Network', 'Check Connectivity...');
    await workbench.quick.pick('Select the container', container('web'));
    await workbench.quick.pick('Reach', '8080');
    await workbench.notices.says(`${guest} can reach ${container('web')}:8080`);
    await shot('reach');
    await workbench.notices.clear();
  });

  it('previews what a changed file would change', async () => {
    write('good morning');
    await choose(row(project), 'Compose', 'What Would Up Change?');
    const pane = 'Up Preview';
    const changed = await until(async () => {
      const rows = await workbench.rows(pane);
      const at = rows.findIndex(({ label }) => label === 'Recreated');
      const next = rows.findIndex(({ level }, index) => index > at && level === 1);
      const inside = at < 0 ? [] : rows.slice(at + 1, next < 0 ? undefined : next);
      // The rows below come after their heading.
      return inside.length > 0 && inside;
    }, 'the preview');
    await shot('preview');
    assert.deepEqual(
      changed.map(({ label, description }) => [label, description]),
      [[container('web'), 'configuration changed']],
    );
    await workbench.titleAction(pane, 'Close Preview');
  });

  it('ends with Down, which leaves nothing of the project', async () => {
    await choose(row(project), 'Down...');
    await workbench.quick.check('Select volumes and images to also remove', [`${project}_data`]);
    await shot('down');
    await workbench.notices.answer('Take Down');
    await gone(workbench, 'Containers', project);
    await gone(workbench, 'Volumes', 'data');
    for (const kind of ['containers/json?all=1', 'networks', 'volumes'])
      assert.doesNotMatch(await lab.ask('GET', `/${kind}`), new RegExp(`"/?${project}[-_]`));
    await shot('end');
  });

  it('asked nothing twice', async () => {
    const all = await requested(`DELETE /volumes/${project}_data`);
    const repeated = acts.flatMap((from, index) => {
      const to = acts[index + 1] ?? Infinity;
      return repeatedRequests(all.filter(({ at }) => at >= from && at < to));
    });
    assert.deepEqual(repeated, []);
  });
});

function composeFile(project: string, image: string, greeting: string): string {
  const stop = { image, stop_signal: 'SIGKILL' };
  const sleeping = { ...stop, command: ['sleep', '100000'] };
  const services = {
    db: {
      ...sleeping,
      volumes: ['data:/data'],
      healthcheck: HEALTH,
    },
    api: { ...sleeping, depends_on: { db: { condition: CONDITION } } },
    web: {
      ...stop,
      command: ['httpd', '-f', '-p', '8080'],
      expose: ['8080'],
      environment: { GREETING: greeting },
      depends_on: ['api'],
    },
    worker: { ...sleeping, depends_on: ['db'] },
  };
  const content = { name: project, services, volumes: { data: {} } };
  return stringify(content, { aliasDuplicateObjects: false });
}
