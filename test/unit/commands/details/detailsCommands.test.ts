import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { commands } from '../../../../src/commands/details/commands.ts';
import { containerDetailsCommand } from '../../../../src/commands/details/containerDetailsCommand.ts';
import type { DescribedContainer } from '../../../../src/commands/details/describeContainer.ts';
import { showDetailsCommands } from '../../../../src/commands/details/showDetailsCommands.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { VolumeNode } from '../../../../src/views/volumes/volumeNode.ts';
import { inspected } from '../../engine/facts/recordedContainers.ts';
import { container, image, volume } from '../../inventory/support/nouns.ts';
import {
  containerRow,
  ENGINE,
  imageRow,
  openCommandLab,
  runAsEditor,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

const RECORDED = inspected('docker28');
const ID = String(RECORDED.container['Id']);
const COMPOSE = 'com.docker.compose';

/** Returns a container of a service. */
function member(letter: string, service: string, fields: Partial<Container>): Container {
  const labels = {
    [`${COMPOSE}.project`]: 'shop',
    [`${COMPOSE}.service`]: service,
    [`${COMPOSE}.config-hash`]: 'hash',
    [`${COMPOSE}.depends_on`]: 'db:service_healthy:false',
    [`${COMPOSE}.project.config_files`]: '/home/me/shop/compose.yaml',
  };
  return container(letter, { labels, ...fields });
}

describe('the details commands', () => {
  let lab: CommandLab;
  let opened: unknown[];
  let hasImage: boolean;

  beforeEach(async () => {
    opened = [];
    hasImage = true;
    lab = await openCommandLab(
      ({ path }, response) => {
        if (path.startsWith('/images/') && !hasImage) json(response, 404, { message: 'no' });
        else if (path.startsWith('/images/')) json(response, 200, RECORDED.image);
        else json(response, 200, RECORDED.container);
      },
      {
        openDetails: (target) => {
          opened.push(target);
          return Promise.resolve({ title: target.name });
        },
      },
    );
  });
  afterEach(() => lab.close());

  const details = async (): Promise<DescribedContainer> =>
    (await lab.call(containerDetailsCommand(), { id: ID })) as DescribedContainer;

  it('return the facts of a container, with secrets masked', async () => {
    lab.list([container('a', { id: ID })]);
    const facts = await details();
    assert.deepEqual([facts.name, facts.state, facts.wasStopped], ['recweb', 'running', false]);
    assert.equal(
      facts.differences?.some(({ what }) => what === 'cmd'),
      true,
    );
    assert.doesNotMatch(JSON.stringify(facts), /hunter2/);
  });

  it('return what differs only if the image is there', async () => {
    hasImage = false;
    const facts = await details();
    assert.equal(facts.differences, undefined);
    assert.equal(facts.environment[0]?.isOfImage, undefined);
  });

  it('return the service, its files, and the dependency that it waits for', async () => {
    const db = { state: 'running', health: 'starting' } as const;
    lab.list([member('a', 'web', { id: ID, state: 'created' }), member('b', 'db', db)]);
    const { project, service, composeFiles, waitsFor } = await details();
    assert.deepEqual([project, service], ['shop', 'web']);
    assert.deepEqual(composeFiles, ['/home/me/shop/compose.yaml']);
    assert.deepEqual(waitsFor, { service: 'db', condition: 'healthy' });
    const healthy = { ...db, health: 'healthy' } as const;
    lab.list([member('a', 'web', { id: ID, state: 'created' }), member('b', 'db', healthy)]);
    assert.equal((await details()).waitsFor, undefined);
  });

  it('mark what is mounted from the workspace', async () => {
    lab.ui.folders = ['/tmp'];
    const { mounts } = await details();
    assert.equal(mounts.find(({ target }) => target === '/host')?.workspaceFolder, '/tmp');
    assert.equal(mounts.find(({ target }) => target === '/data')?.workspaceFolder, undefined);
  });

  it('open the page of a row, an image by its ID', async () => {
    const tool = image('b', { tags: ['tool:latest'] });
    const rows = [
      containerRow(container('a', { id: ID, name: 'web' })),
      imageRow(tool),
      new VolumeNode(ENGINE, volume('data')),
    ];
    const commands = showDetailsCommands();
    for (const [at, row] of rows.entries()) await lab.run(commands[at] ?? assert.fail(), row);
    assert.deepEqual(opened, [
      { kind: 'container', id: ID, name: 'web' },
      { kind: 'image', id: tool.id, name: 'tool:latest' },
      { kind: 'volume', id: 'data', name: 'data' },
    ]);
  });

  it('copy the value of the page whose menu was opened, and nothing for another context', async () => {
    const copied: unknown[] = [];
    const context = { copyDetail: (key: string) => Promise.resolve(copied.push(key)) };
    const choice = { ofEngine: (id: string) => (id === ENGINE ? context : undefined) };
    const all = commands({ choice, ui: lab.ui } as never);
    for (const first of [undefined, 7, { engine: 'no', key: 'a' }, { engine: ENGINE, key: 'b' }])
      await runAsEditor(all, 'gantry.details.copyValue', first);
    assert.deepEqual(copied, ['b']);
  });

  it('open the page by an argument', async () => {
    const [show = assert.fail()] = showDetailsCommands();
    assert.deepEqual(await lab.call(show, { id: ID }), { title: 'recweb' });
    await assert.rejects(lab.call(show, { id: '' }), /the ID is empty/);
  });
});
