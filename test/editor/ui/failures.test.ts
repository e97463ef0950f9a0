// What goes wrong with containers, on a real engine: reported once, and explained by the page that the report opens.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { says, seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const IS_PODMAN = KIND === 'podman';
const MEBIBYTE = 1024 * 1024;
/** Works well until SIGUSR1, and uses up all memory on SIGUSR2. */
const LOADER = `trap 'echo done; exit 0' USR1; trap 'echo loads everything; exec tail /dev/zero' USR2
  mkdir /first 2>/dev/null || touch /second; while :; do sleep 0.1; done`;
const OPTIONS = { settings: { 'gantry.containers.notifyOnFailure': 'all' } };

describeWindow(`what goes wrong with containers, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;

  before(() => {
    ({ workbench } = window);
    keys = new Keys(workbench);
  });

  const page = () => new ViewerTab(workbench.page).frame;
  const shot = (name: string) => workbench.shot(`failures-${KIND}/${name}`);
  const why = () => page().getByRole('list', { name: 'Why did it die?' });
  const reports = async (name: string): Promise<readonly string[]> =>
    (await workbench.notices.messages()).filter((text) => text.includes(name));

  /** Runs a container that ends like a program that fails, as soon as it gets a signal. */
  const worker = async (what: string, code: number, signal = 'USR1'): Promise<string> => {
    const trap = `trap "echo cannot reach the database; exit ${code}" ${signal}; touch /ready`;
    const cmd = ['sh', '-c', `echo starting; ${trap}; while :; do sleep 0.1; done`];
    const name = await lab.running(what, { cmd, stopSignal: `SIG${signal}` });
    await says(workbench, 'Containers', name, /^Up/);
    await until(() => lab.hasFile(name, '/ready'), 'the container has set its trap');
    return name;
  };
  const fail = (name: string) => lab.ask('POST', `/containers/${name}/kill?signal=USR1`);

  it('is an exit with an error, which is reported once and explained, also when the container is gone', async () => {
    const name = await worker('job', 1);
    await fail(name);
    await workbench.notices.says(`${name} exited unexpectedly with code 1.`);
    assert.equal((await reports(name)).length, 1);
    await shot('exited');
    await workbench.notices.press(name, 'Show Details');
    await page().getByRole('heading', { name, exact: true }).waitFor();
    await why().getByText('Exited with code 1.').waitFor();
    await why()
      .locator('pre', { hasText: /starting\ncannot reach the database$/ })
      .waitFor();
    await why()
      .locator('pre', { hasText: /exited with code 1$/ })
      .waitFor();
    await shot('exited-details');
    await lab.ask('DELETE', `/containers/${name}`);
    await page().getByText(`${name} no longer exists.`).waitFor();
    await why().locator('pre', { hasText: 'cannot reach the database' }).waitFor();
    assert.equal(await why().getByRole('button', { name: 'Show Logs' }).count(), 0);
    await shot('gone-details');
    await workbench.closeEditors();
  });

  it('is an unhealthy container, which is reported with the output of its health check', async () => {
    const health = 'test ! -e /sick || { echo the cache is full; exit 3; }';
    const name = await lab.running('sick', { health });
    const probe = async (): Promise<unknown> =>
      IS_PODMAN && lab.ask('GET', `/v4.0.0/libpod/containers/${name}/healthcheck`);
    await probe();
    await says(workbench, 'Containers', name, IS_PODMAN ? /^Up|^healthy/ : /^healthy/);
    await lab.run(name, 'touch /sick');
    await probe();
    await workbench.notices.says(`${name} is unhealthy. Its health check: the cache is full`);
    await shot('unhealthy');
    // By the key for the first button of the newest notification.
    await keys.run('Accept Notification Primary Action', 'Notifications');
    await page().getByRole('heading', { name, exact: true }).waitFor();
    await page()
      .getByText(/^Unhealthy: /)
      .waitFor();
    await page().locator('pre', { hasText: 'the cache is full' }).first().waitFor();
    assert.equal(await why().count(), 0);
    await shot('unhealthy-details');
    await workbench.closeEditors();
  });

  it('is a lack of memory, which is explained with the limit that was changed since the last good run', async () => {
    const cmd = ['sh', '-c', LOADER];
    const name = await lab.running('loader', { cmd, memory: 64 * MEBIBYTE });
    const signal = (one: string) => lab.ask('POST', `/containers/${name}/kill?signal=${one}`);
    const isReady = (file: string) => until(() => lab.hasFile(name, file), 'it has set its traps');
    await isReady('/first');
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.run('Show Details', 'Gantry Containers');
    await page().locator('.row', { hasText: '64 MiB' }).first().waitFor();
    await signal('USR1');
    await says(workbench, 'Containers', name, /\(0\)/);
    const limit = 16 * MEBIBYTE;
    await lab.ask('POST', `/containers/${name}/update`, { Memory: limit, MemorySwap: limit });
    await lab.start(name);
    await isReady('/second');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.closeEditors();
    await signal('USR2');
    await workbench.notices.says(`${name} exceeded its memory limit of 16 MiB and was killed.`);
    await shot('out-of-memory');
    await workbench.notices.press(name, 'Show Details');
    await page().getByRole('heading', { name, exact: true }).waitFor();
    await why().getByText('Killed: out of memory at its limit of 16 MiB.').waitFor();
    // The limit with swap has a row of its own.
    const label = page().getByText('Changed: Memory', { exact: true });
    const changed = why().locator('.row').filter({ has: label });
    await changed.getByText('16 MiB', { exact: true }).waitFor();
    await changed.getByText('64 MiB before').waitFor();
    await shot('out-of-memory-details');
    await why().getByRole('button', { name: 'Show Logs' }).click();
    await workbench.page.getByRole('tab', { name: `Logs: ${name}` }).waitFor();
    await new ViewerTab(workbench.page).says(/loads everything/);
    await shot('out-of-memory-log');
    await workbench.closeEditors();
  });

  it('is not what the user ends with Gantry, whatever the exit code', async () => {
    const name = await worker('stopped', 1, 'TERM');
    const killed = await worker('killed', 1);
    await workbench.inlineAction(workbench.row(name, 'Containers'), 'Stop');
    await says(workbench, 'Containers', name, /\(1\)/);
    await keys.focus('Containers', killed);
    await keys.run('Kill', 'Gantry Containers');
    await says(workbench, 'Containers', killed, /\(137\)/);
    // What is reported later than that.
    const other = await worker('other', 2);
    await fail(other);
    await workbench.notices.says(`${other} exited unexpectedly with code 2.`);
    for (const one of [name, killed]) assert.deepEqual(await reports(one), []);
    await keys.focus('Containers', killed);
    await keys.run('Show Details', 'Gantry Containers');
    await page()
      .getByText(/^Stopped on .* with exit code 137 \(SIGKILL\)\.$/)
      .waitFor();
    assert.equal(await why().count(), 0);
    await seen(workbench, 'Containers', other);
    await shot('stopped-details');
    await workbench.closeEditors();
  });
});
