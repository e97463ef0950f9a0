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
