import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { openLogViewerCommand } from '../../../../src/commands/logs/openLogViewerCommand.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { ContainerNode } from '../../../../src/views/containers/containerNode.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { pick } from '../../support/scriptedUi.ts';

describe('commands/openLogViewerCommand', () => {
  const labels = { 'com.docker.compose.project': 'shop', 'com.docker.compose.config-hash': 'hash' };
  const web = container('a', { name: 'web', labels });
  const db = container('b', { name: 'db', labels });
  const alone = container('c', { name: 'alone' });
  let lab: CommandLab;
  let opened: unknown[];
  beforeEach(async () => {
    opened = [];
    lab = await openCommandLab(() => undefined, partsOf(opened));
    lab.list([web, alone, db]);
  });
  afterEach(() => lab.close());

  function partsOf(all: unknown[]): Partial<CommandContext> {
    const openViewer = (...what: readonly unknown[]) => {
      all.push(what);
      return Promise.resolve({ title: 'Log' });
    };
    return { openViewer };
  }

  const call = (argument: object) => lab.call(openLogViewerCommand(), argument);
  const run = (...rows: readonly (typeof web)[]) =>
    lab.run(openLogViewerCommand(), ...rows.map(containerRow));

  it('shows the containers of all rows, each once', async () => {
    assert.deepEqual(await run(web, alone, web), { title: 'Log' });
    const ids = [web.id, alone.id];
    assert.deepEqual(opened, [[{ ids, project: undefined }, ['web', 'alone']]]);
  });

  it('opens one viewer for the containers of each engine', async () => {
    const far: unknown[] = [];
    lab.join('podman', await openCommandLab(() => undefined, partsOf(far)));
    const command = openLogViewerCommand();
    await lab.run(command, containerRow(web), new ContainerNode('podman', db, true));
    assert.deepEqual(opened, [[{ ids: [web.id], project: undefined }, ['web']]]);
    assert.deepEqual(far, [[{ ids: [db.id], project: undefined }, ['db']]]);
  });

  it('offers projects, then containers, if there is no row', async () => {
    lab.ui.act(pick('shop'));
    await run();
    const [asked] = lab.ui.of('pick');
    assert.deepEqual(
      asked?.items?.map(({ label, description }) => [label, description]),
      [
        ['shop', 'project of 2'],
        ['alone', 'web:1'],
        ['db', 'web:1'],
        ['web', 'web:1'],
      ],
    );
    assert.deepEqual(opened, [[{ ids: [db.id, web.id], project: 'shop' }, ['db', 'web']]]);
    assert.equal(await run(), undefined);
    assert.equal(opened.length, 1);
  });

  it('reports if there is no container', async () => {
    lab.list([]);
    assert.equal(await run(), undefined);
    assert.deepEqual(
      lab.ui.of('info').map(({ text }) => text),
      ['There are no containers.'],
    );
    assert.deepEqual(lab.ui.of('pick'), []);
  });

  it('can be canceled while the containers are listed', async () => {
    lab.inventory.setPhase({ kind: 'connecting' });
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    assert.equal(await run(), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [['progress', 'Loading containers']],
    );
  });

  it('accepts one ID or several in an argument', async () => {
    await call({ id: web.id });
    await call({ ids: [db.id, web.id] });
    assert.deepEqual(opened, [
      [{ ids: [web.id], project: undefined }, ['web']],
      [{ ids: [db.id, web.id], project: undefined }, ['db', 'web']],
    ]);
    await assert.rejects(call({}), /set either "id" or "ids"/);
    await assert.rejects(call({ id: 'a', ids: ['a'] }), /set either "id" or "ids"/);
    await assert.rejects(call({ ids: [] }), /"ids" is empty/);
    await assert.rejects(call({ ids: [web.id, ' '] }), /the ID is empty/);
  });

  it('shows at most fifty containers', async () => {
    const many = Array.from({ length: 51 }, (_, at) =>
      container('d', { id: idOf('d').slice(2) + String(10 + at), name: `c${at}` }),
    );
    lab.list(many);
    await run(...many.slice(1));
    assert.equal(opened.length, 1);
    await run(...many);
    assert.equal(opened.length, 1);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /up to 50 containers, but 51 are selected/);
  });
});
