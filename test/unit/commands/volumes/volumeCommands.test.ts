import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import type { ServerResponse } from 'node:http';
import { copyVolumeNameCommand } from '../../../../src/commands/containers/clipboardCommands.ts';
import { createVolumeCommand } from '../../../../src/commands/volumes/createVolumeCommand.ts';
import { listVolumesCommand } from '../../../../src/commands/volumes/listVolumesCommand.ts';
import { removeVolumeCommand } from '../../../../src/commands/volumes/removeVolumeCommand.ts';
import { showSizesCommand } from '../../../../src/commands/volumes/showSizesCommand.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';
import { VolumeNode } from '../../../../src/views/volumes/volumeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { give, type, type Answer } from '../../support/scriptedUi.ts';
import { pruneCommandOf, withoutReasons } from '../system/systemLab.ts';

const ANONYMOUS = 'e'.repeat(64);
const LABELS = { 'com.docker.compose.project': 'shop', 'com.docker.compose.volume': 'db' };

function mountOf(name: string) {
  return { Type: 'volume', Name: name, Destination: '/data', RW: false };
}

describe('commands/volumes', () => {
  let lab: CommandLab;
  /** By name. */
  let volumes: Map<string, { readonly CreatedAt: string; readonly Labels: object }>;
  /** Runs before the engine handles a request. */
  let before: (request: SeenRequest) => void;
  const createdAt = '2026-01-02T03:04:05Z';
  const web = {
    ...{ Id: idOf('a'), Names: ['/web'], State: 'running', Mounts: [mountOf('shop_db')] },
  };
  const helper = {
    ...{ Id: idOf('b'), Names: ['/gantry-temporary-0123456789ab'], State: 'created' },
    ...{ Command: 'gantry never', Mounts: [mountOf('data')] },
    Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' },
  };

  beforeEach(async () => {
    before = () => undefined;
    volumes = new Map([
      ['shop_db', { CreatedAt: createdAt, Labels: LABELS }],
      ['data', { CreatedAt: createdAt, Labels: {} }],
      [ANONYMOUS, { CreatedAt: createdAt, Labels: {} }],
    ]);
    lab = await openCommandLab((request, response) => {
      before(request);
      answer(request, response);
    });
  });
  afterEach(() => lab.close());

  function answer({ method, path, body }: SeenRequest, response: ServerResponse): void {
    const name = decodeURIComponent(path.replace('/volumes/', ''));
    const all = [...volumes].map(([Name, one]) => ({ Name, Driver: 'local', ...one }));
    const found = all.find(({ Name }) => Name === name);
    if (path === '/volumes') json(response, 200, { Volumes: all });
    else if (path === '/containers/json') json(response, 200, [web, helper]);
    else if (path === '/system/df')
      json(response, 200, {
        Volumes: all.map((one) => ({ ...one, UsageData: { Size: 1000 * one.Name.length } })),
      });
    else if (path === '/volumes/create') {
      const { Name = ANONYMOUS, Labels = {} } = JSON.parse(body) as {
        Name?: string;
        Labels?: object;
      };
      volumes.set(Name, { CreatedAt: createdAt, Labels });
      json(response, 201, { Name, Driver: 'local', Labels });
    } else if (!found) json(response, 404, { message: 'no such volume' });
    else if (method === 'GET') json(response, 200, found);
    else if (name === 'shop_db') json(response, 409, { message: 'volume is in use' });
    else {
      volumes.delete(name);
      response.writeHead(204).end();
    }
  }

  const row = (name: string): VolumeNode =>
    new VolumeNode(ENGINE, {
      ...{ name, driver: 'local', labels: {}, options: {} },
      createdAt: new Date(createdAt).toISOString(),
    });
  const removals = (): readonly string[] =>
    lab.engine.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path);

  it('list volumes with their project and users, without containers of Gantry', async () => {
    const listed = await lab.call(listVolumesCommand(), {});
    const own = { driver: 'local', labels: {}, isAnonymous: false, usedBy: [] };
    const user = { id: web.Id, name: 'web', isRunning: true, path: '/data', isReadOnly: true };
    assert.deepEqual(listed, [
      { ...own, name: 'shop_db', labels: LABELS, project: 'shop', usedBy: [user] },
      { ...own, name: 'data' },
      { ...own, name: ANONYMOUS, isAnonymous: true },
    ]);
  });

  it('create a volume with exactly the given options, and report if there is one', async () => {
    const command = createVolumeCommand(lab.ui);
    const request = { name: 'new', driver: 'local', options: { o: 'x' }, labels: { a: 'b' } };
    before = ({ path }) => {
      if (path === '/volumes/create') volumes.delete('new');
    };
    const made = await lab.call(command, { name: 'new', labels: { a: 'b' } });
    assert.deepEqual(made, { name: 'new', outcome: 'created' });
    assert.deepEqual(JSON.parse(lab.engine.seen.at(-1)?.body ?? ''), {
      ...{ Name: 'new', Labels: { a: 'b' } },
    });
    const again = await lab.call(command, request);
    assert.deepEqual(again, { name: 'new', outcome: 'alreadyThere' });
    await assert.rejects(
      lab.call(command, { name: 'a b' }),
      /^Error: "a b" is not a valid volume name/,
    );
    await assert.rejects(lab.call(command, { options: { a: 1 } }), /an object with string values/);
  });

  it('create a volume from a form that checks the name', async () => {
    const pickRow =
      (label: string): Answer =>
      ({ items }) =>
        items?.find((one) => one.label === label);
    lab.ui.act(pickRow('Name'), give('new'), pickRow('Create'));
    assert.deepEqual(await lab.run(createVolumeCommand(lab.ui)), {
      ...{ name: 'new', outcome: 'created' },
    });
    const [input] = lab.ui.of('input');
    assert.match(input?.input?.problem?.('a b') ?? '', /is not a valid volume name/);
    lab.ui.act(pickRow('Name'), give('data'), pickRow('Create'));
    await lab.run(createVolumeCommand(lab.ui));
    const [warning] = lab.ui.of('warn');
    assert.equal(warning?.text, 'The volume data already exists and was not changed.');
  });

  it('create no volume if the text that is typed into the form fits none of its rows', async () => {
    const seen = lab.engine.seen.length;
    lab.ui.act(type('my data'));
    assert.equal(await lab.run(createVolumeCommand(lab.ui)), undefined);
    assert.equal(lab.engine.seen.length, seen);
  });

  it('remove a volume by name, and refuse with the containers that use it', async () => {
    const command = removeVolumeCommand(lab.ui);
    assert.deepEqual(await lab.call(command, { name: 'data' }), { outcome: 'removed' });
    assert.deepEqual(await lab.call(command, { name: 'data' }), { outcome: 'alreadyGone' });
    await assert.rejects(
      lab.call(command, { name: 'shop_db' }),
      /^Error: Could not remove shop_db. Containers use it: web. Remove them first.$/,
    );
    await assert.rejects(lab.call(command, { id: 'data' }), /unknown property "id"/);
    await assert.rejects(lab.call(command, { name: ' ' }), /the name is empty/);
  });

  it('remove rows after a confirmation, and keep those in use', async () => {
    const mounts = [{ type: 'volume', volume: 'shop_db', path: '/data', isReadOnly: false }];
    lab.list([container('a', { name: 'web', mounts })]);
    lab.ui.act(give(undefined));
    await lab.run(removeVolumeCommand(lab.ui), row('shop_db'));
    const [refused] = lab.ui.of('choose');
    assert.deepEqual(
      [refused?.text, refused?.detail],
      ['shop_db is in use', 'Used by container web.'],
    );
    lab.ui.act(give('Remove'));
    await lab.run(removeVolumeCommand(lab.ui), row('data'), row('shop_db'));
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Remove the volume data?');
    assert.match(question.detail ?? '', /^All files in it are deleted\.\n.*: shop_db\.$/);
    assert.deepEqual(removals(), ['/volumes/data']);
  });

  /** Removes a volume whose age changes while the user is asked. */
  const removeChanged = async (): Promise<void> => {
    lab.ui.act(() => {
      volumes.set('data', { CreatedAt: '2026-05-05T00:00:00Z', Labels: {} });
      return 'Remove';
    });
    await lab.run(removeVolumeCommand(lab.ui), row('data'));
  };

  it('do not remove another volume that got the name while the user was asked', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.48', server: 'Docker/28.0.0 (linux)' });
      response.end('OK');
    });
    await removeChanged();
    assert.match(lab.ui.of('error')[0]?.text ?? '', /The volume was replaced in the meantime/);
    assert.deepEqual(removals(), []);
  });

  it('remove a volume that containers wrote to since, although that changed its age', async () => {
    await removeChanged();
    assert.deepEqual([lab.ui.of('error'), removals()], [[], ['/volumes/data']]);
  });

  it('prune only anonymous volumes unless all are asked for, one by one by name', async () => {
    const command = pruneCommandOf('volumes');
    const call = async (args: object) => withoutReasons(await lab.call(command, args));
    const dry = await call({ dryRun: true });
    assert.deepEqual(dry, { removed: [ANONYMOUS], kept: [], freed: 64_000 });
    assert.deepEqual(await call({ dryRun: true, all: true }), {
      ...{ removed: ['data', ANONYMOUS], kept: [], freed: 68_000 },
    });
    assert.deepEqual(removals(), []);
    before = ({ method, path }) => {
      if (method === 'GET' && path === '/volumes/data') {
        volumes.set('data', { CreatedAt: '2026-05-05T00:00:00Z', Labels: { other: '' } });
      }
    };
    assert.deepEqual(await call({ all: true }), {
      ...{ removed: [ANONYMOUS], kept: ['data'], freed: 64_000 },
    });
    assert.deepEqual(removals(), [`/volumes/${ANONYMOUS}`]);
    assert(!lab.engine.seen.some(({ path }) => path.endsWith('/prune')));
  });

  it('create a volume with options and labels from a form', async () => {
    const open =
      (label: string): Answer =>
      ({ items = [] }) =>
        items.find((item) => item.label === label);
    const type =
      (text: string): Answer =>
      ({ pick }) => {
        const items = pick?.items;
        return typeof items === 'function' ? items(text).at(0) : undefined;
      };
    lab.ui.act(
      ...[open('Name'), give('cache'), open('Driver options'), type('type=tmpfs'), type('')],
      ...[open('Labels'), type('team=a=b'), type(''), open('Create')],
    );
    await lab.run(createVolumeCommand(lab.ui));
    const sent = lab.engine.seen.find(({ path }) => path === '/volumes/create')?.body;
    assert.deepEqual(JSON.parse(sent ?? ''), {
      ...{ Name: 'cache', DriverOpts: { type: 'tmpfs' }, Labels: { team: 'a=b' } },
    });
  });

  it('show sizes on demand, and copy names', async () => {
    assert.deepEqual(await lab.call(showSizesCommand(lab.ui), {}), [
      ...[
        { name: ANONYMOUS, size: 64_000 },
        { name: 'shop_db', size: 7000 },
      ],
      { name: 'data', size: 4000 },
    ]);
    await lab.run(showSizesCommand(lab.ui));
    const [shown] = lab.ui.of('pick');
    assert.equal(shown?.detail, '3 volumes, total size: 75 kB');
    assert.deepEqual(shown.items?.[1], { label: 'db', description: '7.0 kB · shop' });
    assert.equal(lab.inventory.volumeSizes.get('data'), 4000);
    await lab.run(copyVolumeNameCommand(lab.ui), row('data'), row('shop_db'));
    assert.equal(lab.ui.of('copy')[0]?.text, 'data\nshop_db');
  });
});
