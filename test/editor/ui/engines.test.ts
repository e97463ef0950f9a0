import assert from 'node:assert/strict';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../../bed/images.ts';
import type { Row } from '../../bed/vscode/rows.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Lab } from './lab.ts';
import { gone, says, seen } from './seen.ts';

// This test uses both kinds of engine, so it runs only once.
describeWindow('several engines in one window', { isJourney: true }, (window) => {
  const { lab: near } = window;
  let podman: BedEngine;
  let far: Lab;
  let workbench: Workbench;

  const shot = (name: string): Promise<void> => workbench.shot(`engines/${name}`);

  /** Resolves to the rows below an engine's row, as soon as they fit. */
  const below = (
    engine: string,
    fits: (rows: readonly Row[]) => boolean,
  ): Promise<readonly Row[]> =>
    until(async () => {
      const rows = await workbench.rows('Containers');
      const from = rows.findIndex((row) => row.level === 1 && row.label === engine);
      if (from < 0) return undefined;
      const rest = rows.slice(from + 1);
      const to = rest.findIndex((row) => row.level === 1);
      const own = to < 0 ? rest : rest.slice(0, to);
      return fits(own) ? own : undefined;
    }, `the rows below ${engine}`);

  const has =
    (label: string) =>
    (rows: readonly Row[]): boolean =>
      rows.some((row) => row.label === label);

  /** Resolves to the first prompt of a command that needs an engine. */
  const firstQuestion = async (): Promise<string> => {
    await workbench.quick.run('Gantry Containers: Create Container...');
    const text = await until(async () => {
      const now = await workbench.quick.promptText();
      return /Select an engine|Create Container/.exec(now)?.[0];
    }, 'a question');
    await workbench.quick.cancel();
    return text;
  };

  before(async () => {
    podman = await startEngineOf('podman');
    await importBusybox(podman);
    far = new Lab({ socket: podman.socket, image: BED_IMAGE });
    ({ workbench } = window);
  });

  after(() => podman.stop());

  it('show no engine rows while there is only one', async () => {
    const name = await near.running('near');
    const row = await says(workbench, 'Containers', name, /^Up/);
    assert.equal(row.level, 1);
    assert.equal(await firstQuestion(), 'Create Container');
  });

  it('have a row each after another one is added in the settings, without a reload', async () => {
    await far.running('far');
    await window.changeSettings({ 'gantry.engines': { Staging: podman.url } });
    await says(workbench, 'Containers', 'Default', /^Docker \d+\S* · API 1\.\d+ · DOCKER_HOST$/);
    await says(workbench, 'Containers', 'Staging', /^Podman \d+\S* · API 1\.\d+$/);
    await says(workbench, 'Images', 'Staging', /^Podman/);
    await below('Default', has(near.name('near')));
    await below('Staging', has(far.name('far')));
    // A person acts when everything is listed. While VS Code refreshes a view, it passes no row to a command.
    const isImage = ({ level }: Row): boolean => level === 2;
    await until(
      async () => (await workbench.rows('Images')).filter(isImage).length === 2,
      'the images of both engines',
    );
    await shot('two');
  });

  it('run the actions of a row on the engine of that row', async () => {
    const name = far.name('far');
    await workbench.inlineAction(workbench.row(name, 'Containers'), 'Stop');
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.equal(await far.state(name), 'exited');
    await says(workbench, 'Containers', near.name('near'), /^Up/);
  });

  it("are independent of each other's failures", async () => {
    await podman.kill();
    await says(workbench, 'Containers', 'Staging', /^not reachable/);
    await shot('one-lost');
    const name = await near.running('meanwhile');
    await below('Default', has(name));
    await podman.restart();
    await says(workbench, 'Containers', 'Staging', /^Podman/);
    await below('Staging', has(far.name('far')));
  });

  it('hide their containers when disconnected, and show them again when connected', async () => {
    await workbench.contextMenu(workbench.row('Staging', 'Containers'), 'Disconnect Engine');
    await says(workbench, 'Containers', 'Staging', /^disconnected/);
    await gone(workbench, 'Containers', far.name('far'));
    await seen(workbench, 'Containers', 'Disconnected from this engine.');
    await shot('disconnected');
    await workbench.inlineAction(workbench.row('Staging', 'Containers'), 'Connect Engine');
    await below('Staging', has(far.name('far')));
  });

  it('show no engine rows after the other one is removed from the settings', async () => {
    await window.changeSettings({ 'gantry.engines': {} });
    await gone(workbench, 'Containers', 'Staging');
    const row = await seen(workbench, 'Containers', near.name('near'), ({ level }) => level === 1);
    assert.equal(row.level, 1);
    await gone(workbench, 'Containers', far.name('far'));
  });
});
