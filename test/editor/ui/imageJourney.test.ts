// The whole workflow with images: a private registry and two engines.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { REGISTRY_PORTS, startDocker, startPodman, type BedEngine } from '../../bed/engines.ts';
import { ALICE, startRegistry, startSlowRelay } from '../../bed/registry.ts';
import { REGISTRY_IMAGES } from '../../bed/registry-data.ts';
import { tryPress } from '../../bed/vscode/press.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { pickRow } from './forms.ts';
import { Lab } from './lab.ts';
import { imageLabel, says, seen } from './seen.ts';

/** Requires credentials, and slow enough to show the progress of layers. */
const REGISTRY = `127.0.0.1:${REGISTRY_PORTS.slow}`;
const BYTES_PER_SECOND = 4_000_000;

const APP = `${REGISTRY}/${REGISTRY_IMAGES.app}`;
const MADE = `${REGISTRY}/gantry/made:2`;
/** In the image that is made. */
const FILE = '/srv/shop/hours.txt';
const RECIPE = { image: APP, name: 'shop', cmd: ['sleep', '100000'], start: true };

const OPTIONS = { isJourney: true, width: 420 };

describeWindow('an image, from a private registry to another engine', OPTIONS, (window) => {
  let docker: BedEngine;
  let podman: BedEngine;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`journey/${name}`);

  before(async () => {
    [docker, podman] = await Promise.all([startDocker(), startPodman()]);
    await startRegistry(docker, { port: REGISTRY_PORTS.locked, credentials: ALICE });
    await startSlowRelay(docker, {
      port: REGISTRY_PORTS.slow,
      to: REGISTRY_PORTS.locked,
      bytesPerSecond: BYTES_PER_SECOND,
    });
    await startRegistry(podman, {
      port: REGISTRY_PORTS.slow,
      credentials: ALICE,
      sharedWith: docker,
    });
    const { folder } = window;
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy/shop.container.json'), JSON.stringify(RECIPE, null, 2));
    ({ workbench } = window);
    await window.changeSettings({ 'gantry.host': docker.url });
  });

  after(() => Promise.all([docker.stop(), podman.stop()]));

  const pull = async (reference: string): Promise<void> => {
    await workbench.quick.asks('Pull Image');
    await workbench.quick.typeText(reference);
    await workbench.quick.accept(reference);
  };

  const noTransfer = (): Promise<unknown> =>
    until(async () => {
      const rows = await workbench.rows('Images');
      return rows.every(({ label }) => !/^(Pulling|Pushing)/.test(label));
    }, 'no pull or push is in progress');

  it('starts with a sign-in, and a wrong password is reported', async () => {
    const { quick, notices } = workbench;
    await quick.run('Gantry Registries: Sign In to a Registry...');
    await quick.asks('Sign In to a Registry');
    await workbench.quick.typeText(REGISTRY);
    await quick.accept(REGISTRY);
    await quick.type('User name', ALICE.username);
    await quick.type('Password or access token', 'not-the-password');
    const { message, detail } = await notices.modal();
    assert.equal(message, `Could not sign in to ${REGISTRY}`);
    assert.match(detail, /rejected the user name or password/);
    await shot('wrong-password');
    await notices.answer('Try Again');
    await quick.type('User name', ALICE.username);
    await quick.type('Password or access token', ALICE.password);
    await notices.says(`Signed in to ${REGISTRY}.`);
    await notices.clear();
  });

  it('is pulled for a container that is created from a recipe', async () => {
    await workbench.quick.run('Gantry Containers: Create from Recipe...');
    await until(async () => {
      if ((await workbench.rows('Containers')).some((row) => row.label === 'shop')) return true;
      const recipe = workbench.quick.row('shop.container.json');
      if (await recipe.isVisible()) await tryPress(recipe);
      return false;
    }, 'the container of the recipe is listed');
    await says(workbench, 'Containers', 'shop', /^Up/);
    await seen(workbench, 'Images', imageLabel(APP));
    await noTransfer();
  });

  it('is reviewed and committed', async () => {
    const near = new Lab({ socket: docker.socket, image: APP });
    await near.run('shop', `mkdir -p ${dirname(FILE)} && echo open at nine > ${FILE}`);
    await workbench.contextMenu(workbench.row('shop', 'Containers'), 'Image', 'Review Changes');
    // Rows are replaced when their sizes are known.
    await says(workbench, 'Changes', basename(FILE), / B$/);
    await shot('review');
    await workbench.titleAction('Changes', 'Commit...');
    await workbench.quick.type('Commit shop: Image', MADE);
    await pickRow(workbench, 'Commit');
    await seen(workbench, 'Images', imageLabel(MADE), ({ selected }) => selected);
    await shot('committed');
    await workbench.titleAction('Changes', 'Close Changes');
  });

  it('is pushed', async () => {
    const row = await workbench.reveal(imageLabel(MADE), 'Images');
    await workbench.contextMenu(row, 'Push');
    await workbench.notices.says(`Pushed ${MADE}.`);
    await noTransfer();
    await workbench.notices.clear();
  });

  it('is pulled, with its files, on the other engine with the same credentials', async () => {
    await window.changeSettings({ 'gantry.engines': { Staging: podman.url } });
    await says(workbench, 'Images', 'Staging', /^Podman/);
    await workbench.quick.run('Gantry Images: Pull...');
    await workbench.quick.pick('Select an engine', 'Staging');
    await pull(MADE);
    await until(async () => {
      const rows = await workbench.rows('Images');
      const from = rows.findIndex(({ level, label }) => level === 1 && label === 'Staging');
      return from >= 0 && rows.slice(from + 1).some(({ label }) => label === imageLabel(MADE));
    }, 'the image is listed below the other engine');
    await noTransfer();
    const far = new Lab({ socket: podman.socket, image: MADE });
    assert.ok(await far.hasFile(await far.create('there'), FILE));
  });
});
