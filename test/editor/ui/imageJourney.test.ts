// What the image side is for, from one end to the other: a private registry and two engines.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY_PORTS, startDocker, startPodman, type BedEngine } from '../../bed/engines.ts';
import { ALICE, startRegistry, startSlowWay } from '../../bed/registry.ts';
import { REGISTRY_IMAGES } from '../../bed/registry-data.ts';
import { until, type Row, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { fillIn } from './forms.ts';
import { Lab } from './lab.ts';
import { says, seen, terminalText } from './seen.ts';

/** Private, and slow enough that layers are seen on their way. */
const REGISTRY = `127.0.0.1:${REGISTRY_PORTS.slow}`;
const BYTES_PER_SECOND = 4_000_000;

const APP = `${REGISTRY}/${REGISTRY_IMAGES.app}`;
const BIG = `${REGISTRY}/${REGISTRY_IMAGES.layers}`;
const MADE = `${REGISTRY}/gantry/made:2`;
const RECIPE = { image: APP, name: 'shop', cmd: ['sleep', '100000'], start: true };

describe('an image, from a private registry to another engine', function () {
  this.timeout(120_000);
  let docker: BedEngine;
  let podman: BedEngine;
  let folder: string;
  let editor: Editor;
  let workbench: Workbench;
  const shot = (name: string): Promise<string> => workbench.shot(`journey/${name}`);

  before(async () => {
    [docker, podman] = await Promise.all([startDocker(), startPodman()]);
    await startRegistry(docker, { port: REGISTRY_PORTS.locked, credentials: ALICE });
    await startSlowWay(docker, {
      port: REGISTRY_PORTS.slow,
      to: REGISTRY_PORTS.locked,
      bytesPerSecond: BYTES_PER_SECOND,
    });
    await startRegistry(podman, {
      port: REGISTRY_PORTS.slow,
      credentials: ALICE,
      sharedWith: docker,
    });
    folder = mkdtempSync(join(tmpdir(), 'gantry-journey-'));
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy/shop.container.json'), JSON.stringify(RECIPE, null, 2));
    editor = await openWorkbench({
      folder,
      dockerHost: docker.url,
      size: { width: 1400, height: 900 },
      width: 420,
      settings: { 'terminal.integrated.gpuAcceleration': 'off' },
    });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    await docker.stop();
    await podman.stop();
    rmSync(folder, { recursive: true });
  });

  const pull = async (reference: string): Promise<void> => {
    await workbench.quick.asks('Pull Image');
    await workbench.page.keyboard.type(reference);
    await workbench.quick.row(reference).waitFor();
    await workbench.page.keyboard.press('Enter');
  };

  const imageRow = (what: string, fits: (row: Row) => boolean): Promise<Row> =>
    until(async () => (await workbench.rows('Images')).find(fits), what);

  const noTransfer = (): Promise<unknown> =>
    until(async () => {
      const rows = await workbench.rows('Images');
      return rows.every(({ label }) => !/^(Pulling|Pushing)/.test(label));
    }, 'nothing under way');

  it('begins with a sign-in, and a wrong password is said', async () => {
    const { quick, notices } = workbench;
    await quick.run('Gantry: Sign In to a Registry…');
    await quick.asks('Sign In to a Registry');
    await workbench.page.keyboard.type(REGISTRY);
    await quick.row(REGISTRY).waitFor();
    await workbench.page.keyboard.press('Enter');
    await quick.type('Your user name', ALICE.username);
    await quick.type('Your password', 'not-the-password');
    const { message, detail } = await notices.modal();
    assert.equal(message, `Could not sign in to ${REGISTRY}`);
    assert.match(detail, /does not accept this name and password/);
    await shot('wrong-password');
    await notices.answer('Try Again');
    await quick.type('Your user name', ALICE.username);
    await quick.type('Your password', ALICE.password);
    await notices.says(`Signed in to ${REGISTRY}.`);
    await notices.clear();
  });

  it('is pulled with its layers in view, and one pull is cancelled', async () => {
    await workbench.quick.run('Gantry: Pull Image…');
    await pull(BIG);
    const { label } = await imageRow('the pull', (row) => row.label.startsWith('Pulling'));
    await workbench.toggle(workbench.row(label, 'Images'));
    await imageRow(
      'a layer on its way',
      ({ level, description }) => level === 2 && /^downloading \d+%/.test(description),
    );
    await shot('layers');
    await workbench.inlineAction(workbench.row(label, 'Images'), 'Cancel Pull or Push');
    await noTransfer();
    assert.ok((await workbench.rows('Images')).every((row) => row.label !== BIG));
  });

  it('runs from a recipe, which has it pulled', async () => {
    await workbench.quick.run('Gantry: Create Container from Recipe…');
    await until(async () => {
      if ((await workbench.rows('Containers')).some((row) => row.label === 'shop')) return true;
      const recipe = workbench.quick.row('shop.container.json');
      if (await recipe.isVisible()) await recipe.click({ timeout: 1000 });
      return false;
    }, 'the container of the recipe');
    await says(workbench, 'Containers', 'shop', /^Up/);
    await seen(workbench, 'Images', APP);
    await noTransfer();
  });

  it('has its files changed by a person in a shell', async () => {
    const screen = (): Promise<string> => terminalText(workbench);
    const { keyboard } = workbench.page;
    await workbench.inlineAction(workbench.row('shop', 'Containers'), 'Open Shell');
    await until(async () => /[#$]/.test(await screen()), 'a prompt');
    const work = [
      'mkdir -p /srv/shop',
      'echo open at nine > /srv/shop/hours.txt',
      'echo shop:x:7:7::/:/bin/sh >> /etc/passwd',
    ];
    await keyboard.type(`${work.join(' && ')} && echo $((6*7))`);
    await keyboard.press('Enter');
    await until(async () => /^42/m.test(await screen()), 'all done');
    await keyboard.type('exit');
    await keyboard.press('Enter');
    await until(async () => (await screen()) === '', 'the shell has ended');
  });

  it('is reviewed file by file, and committed', async () => {
    await workbench.contextMenu(workbench.row('shop', 'Containers'), 'Review Changes');
    await until(async () => {
      const labels = (await workbench.rows('Changes')).map(({ label }) => label);
      return labels.includes('hours.txt') && labels.includes('passwd');
    }, 'what differs');
    await workbench.row('passwd', 'Changes').click();
    const modified = workbench.page.locator('.part.editor .editor.modified .view-lines');
    await until(async () => (await modified.innerText()).includes('shop:x:7:7'), 'the change');
    await shot('review');
    await workbench.titleAction('Changes', 'Commit…');
    await workbench.quick.type('Commit shop: Image', MADE);
    await workbench.quick.asks('Pick what to change');
    await fillIn(workbench, 'Message', 'hours, and who works here');
    await workbench.quick.pick('Pick what to change', 'Commit');
    await seen(workbench, 'Images', MADE, ({ selected }) => selected);
    await shot('committed');
    await workbench.titleAction('Changes', 'Close Review');
  });

  it('is pushed', async () => {
    const row = await workbench.reveal(MADE, 'Images');
    await workbench.contextMenu(row, 'Push Image…');
    await workbench.notices.says(`Pushed ${MADE}.`);
    await noTransfer();
    await workbench.notices.clear();
  });

  it('is pulled on the other engine with the same sign-in', async () => {
    editor.served.changeSettings({ 'gantry.engines': { Staging: podman.url } });
    await says(workbench, 'Images', 'Staging', /^Podman/);
    await workbench.quick.run('Gantry: Pull Image…');
    await workbench.quick.pick('Choose an engine', 'Staging');
    await pull(MADE);
    await until(async () => {
      const rows = await workbench.rows('Images');
      const from = rows.findIndex(({ level, label }) => level === 1 && label === 'Staging');
      return from >= 0 && rows.slice(from + 1).some(({ label }) => label === MADE);
    }, 'the image below the other engine');
    await noTransfer();
  });

  it('has the files there', async () => {
    const far = new Lab({ socket: podman.socket, image: MADE });
    const name = await far.create('there');
    await seen(workbench, 'Containers', name);
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Browse Files');
    const open = async (folderName: string, wanted: string): Promise<void> => {
      await until(async () => {
        const rows = await workbench.rows('Files');
        return rows.some(({ label }) => label === folderName);
      }, folderName);
      await workbench.toggle(workbench.row(folderName, 'Files'));
      await until(async () => {
        const rows = await workbench.rows('Files');
        return rows.some(({ label }) => label === wanted);
      }, wanted);
    };
    await open('srv', 'shop');
    await open('shop', 'hours.txt');
    await workbench.row('hours.txt', 'Files').click();
    await workbench.page.getByRole('tab', { name: 'hours.txt' }).waitFor();
    const text = workbench.page.locator('.part.editor .view-lines').last();
    await until(async () => (await text.innerText()).includes('open'), 'what was written');
    await shot('there');
    assert.deepEqual(
      editor.complaints.filter((line) => /not handled/i.test(line)),
      [],
    );
  });
});
