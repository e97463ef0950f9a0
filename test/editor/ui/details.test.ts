// The details page on a real engine: opened by the key from the list, and what it says of a container that is not well.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { says, seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const IS_PODMAN = KIND === 'podman';
const OPTIONS = { settings: { 'gantry.containers.openOnClick': 'details' }, isLast: true };
/** Time in milliseconds that a window takes to start on a busy machine. */
const START_MS = 60_000;

describeWindow(`the details page, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;

  before(() => {
    ({ workbench } = window);
    keys = new Keys(workbench);
  });

  const page = () => new ViewerTab(workbench.page).frame;
  const title = (name: string) => page().getByRole('heading', { name, exact: true });
  const shot = (name: string) => workbench.shot(`details-${KIND}/${name}`);
  const isInList = () =>
    workbench.page.evaluate<boolean>(`document.activeElement.closest('.monaco-list') !== null`);

  const copied = (text: string) =>
    until(async () => {
      const script = 'navigator.clipboard.readText()';
      return (await workbench.page.evaluate<string>(script)) === text;
    }, `${text} in the clipboard`);

  /** Without systemd timers, Podman never probes. */
  const probe = async (name: string, times: number): Promise<void> => {
    for (let time = 0; IS_PODMAN && time < times; time += 1)
      await lab.ask('GET', `/v4.0.0/libpod/containers/${name}/healthcheck`);
  };

  it('opens at Enter, and the focus stays in the list', async () => {
    const name = await lab.running('opened');
    const other = await lab.running('other');
    await says(workbench, 'Containers', name, /^Up/);
    await seen(workbench, 'Containers', other);
    await keys.focus('Containers', name);
    await keys.press('Enter');
    await title(name).waitFor();
    assert.equal(await isInList(), true);
    await page()
      .getByText(/^Running since /)
      .waitFor();
    await keys.focus('Containers', other);
    await keys.press('Enter');
    await title(other).waitFor();
    assert.equal(await isInList(), true);
    const tabs = await workbench.page.locator('.tabs-container .tab').allInnerTexts();
    assert.ok(!tabs.some((tab) => tab.includes(name)), 'the page is used again');
    await shot('opened');
    await workbench.closeEditors();
  });

  it('opens at a double click, and not at a single one', async () => {
    const name = await lab.running('clicked');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.row(name, 'Containers').click();
    await workbench.row(name, 'Containers').dblclick();
    await title(name).waitFor();
    await workbench.closeEditors();
  });

  it('shows why a container is unhealthy, with the output of its probes', async () => {
    const health = 'echo database is away; exit 3';
    const name = await lab.running('sick', { health });
    await probe(name, 3);
    await says(workbench, 'Containers', name, IS_PODMAN ? /^Up/ : /^unhealthy/);
    await keys.focus('Containers', name);
    await keys.press('Enter');
    await title(name).waitFor();
    const head = page().locator('main > .head');
    await head.getByText(/^Unhealthy: the health check failed/).waitFor();
    await head.getByText(/exited with code \d: database is away/).waitFor();
    await page().locator('pre', { hasText: 'database is away' }).first().waitFor();
    await page()
      .locator('.process .command', { hasText: /sleep|sh/ })
      .first()
      .waitFor();
    await shot('unhealthy');
    // The page follows the engine.
    await lab.ask('POST', `/containers/${name}/kill`);
    await head.getByText(/with exit code 137 \(SIGKILL\)|with code 137 \(SIGKILL\)/).waitFor();
    await shot('killed');
    await lab.ask('DELETE', `/containers/${name}?force=true`);
    await page().getByText(`${name} no longer exists.`).waitFor();
    await shot('gone');
    await workbench.closeEditors();
  });

  it('draws what a container uses while it is seen', async () => {
    const name = await lab.running('busy', { cmd: ['sh', '-c', 'while :; do :; done'] });
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.press('Enter');
    await title(name).waitFor();
    const cpu = page().getByRole('img', { name: /^CPU: [\d.]+%/ });
    await cpu.waitFor();
    await page()
      .getByRole('img', { name: /^Memory: .*\d/ })
      .waitFor();
    const points = async () => (await cpu.locator('.spark-line').getAttribute('d')) ?? '';
    await until(async () => /M.*L.*L/.test(await points()), 'a line of three values');
    await shot('busy');
    await lab.ask('POST', `/containers/${name}/kill`);
    await cpu.waitFor({ state: 'hidden' });
    await workbench.closeEditors();
  });

  it('stays when it is pinned, and follows links to what the container uses', async () => {
    const volume = await lab.volume('data');
    const name = await lab.running('pinned', { volume, port: 80 });
    const other = await lab.running('next');
    await says(workbench, 'Containers', name, /^Up/);
    await seen(workbench, 'Containers', other);
    await keys.focus('Containers', name);
    await keys.press('Enter');
    await title(name).waitFor();
    await page().getByRole('button', { name: volume, exact: true }).click();
    await title(volume).waitFor();
    await page().getByText('Used by 1 container, 1 up.').waitFor();
    await page().locator('.row', { hasText: volume }).first().focus();
    await keys.press('ControlOrMeta+c');
    await copied(volume);
    const driver = page().locator('.row', { hasText: 'local' }).first();
    await workbench.menus.choose(() => driver.click({ button: 'right' }), ['Copy Value']);
    await copied('local');
    await page().getByRole('button', { name: 'Pin', exact: true }).click();
    await page().getByRole('button', { name: 'Unpin' }).waitFor();
    await shot('pinned');
    await keys.focus('Containers', other);
    await keys.press('Enter');
    const tabs = workbench.page.locator('.tabs-container .tab');
    await until(async () => (await tabs.count()) === 2, 'two pages');
    await title(other).waitFor();
    await workbench.closeEditors();
  });

  it('is back after a reload of the window, still pinned', async () => {
    const name = await lab.running('kept');
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.press('Enter');
    await title(name).waitFor();
    await page().getByRole('button', { name: 'Pin', exact: true }).click();
    await page().getByRole('button', { name: 'Unpin' }).waitFor();
    // The browser asks whether to leave if VS Code still has something to store.
    workbench.page.once('dialog', (dialog) => void dialog.accept());
    const isNew = workbench.page.waitForEvent('domcontentloaded', { timeout: START_MS });
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await title(name).waitFor({ timeout: START_MS });
    await page()
      .getByText(/^Running since /)
      .waitFor();
    await page().getByRole('button', { name: 'Unpin' }).waitFor();
    await shot('restored');
  });
});
