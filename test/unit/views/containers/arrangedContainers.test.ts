import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { Pins } from '../../../../src/views/arrangement/pins.ts';
import { ContainerNode } from '../../../../src/views/containers/containerNode.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { fakeMemento } from '../../support/commandLab.ts';
import { inProject, record, Stage } from '../support/stage.ts';

const port = (publicPort: number) => ({ privatePort: 80, publicPort, protocol: 'tcp' });
const web = container('a', { name: 'shop-web-1', labels: inProject('shop', 'web', 1) });
const db = container('b', {
  name: 'shop-db-1',
  labels: inProject('shop', 'db', 1),
  health: 'unhealthy',
  image: 'postgres:16',
});
const alone = container('c', { name: 'alone', ports: [port(8080)] });
const old = container('d', { name: 'old', state: 'exited', createdAt: '2020-01-01T00:00:00Z' });

describe('arranged containers', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
    stage.show([web, db, alone, old]);
  });

  const described = (node: TreeNode | undefined): string =>
    node?.present(stage.context).description ?? '';
  const tree = (rows: ContainerRows): readonly string[] =>
    rows.roots.flatMap((row) => [
      ...stage.labels([row]),
      ...stage.labels(row.children).map((label) => `  ${label}`),
    ]);

  it('that the filter finds are shown with their project, which says how many are', () => {
    const rows = stage.containerRows({ filter: 'unh' });
    assert.deepEqual(tree(rows), ['shop', '  db']);
    assert.equal(described(rows.roots[0]), '1 of 2 shown · 2 of 2 up · 1 unhealthy');
    assert.equal(rows.size, 1);
    rows.arrange({ ...PLAIN, filter: 'port:8080' });
    assert.deepEqual(tree(rows), ['alone']);
    rows.arrange(PLAIN);
    assert.deepEqual(tree(rows), ['shop', '  db', '  web', 'alone', 'old']);
    assert.equal(described(rows.roots[0]), '2 of 2 up · 1 unhealthy');
  });

  it('keep their rows while only the filter changes', () => {
    const rows = stage.containerRows();
    const row = rows.find(idOf('b'));
    rows.arrange({ ...PLAIN, filter: 'db' });
    assert.equal(rows.find(idOf('b')), row);
    rows.arrange(PLAIN);
    assert.equal(rows.find(idOf('b')), row);
  });

  it('come and go with their states, and a project that is empty goes', () => {
    const rows = stage.containerRows({ filter: 'health:un' });
    const fired = record(stage, rows);
    stage.change({ ...db, health: 'healthy' });
    assert.deepEqual(tree(rows), []);
    stage.change({ ...web, health: 'unhealthy' });
    assert.deepEqual(tree(rows), ['shop', '  web']);
    assert.equal(fired.length, 2);
  });

  it('are asked about only if they change', () => {
    const asked: string[] = [];
    const workspaceOf = ({ name }: Container) => {
      asked.push(name);
      return [];
    };
    const context = { ...stage.context, workspaceOf };
    const rows = new ContainerRows('default', context, undefined, { ...PLAIN, filter: 'w:' });
    assert.equal(asked.length, 4);
    stage.change({ ...old, state: 'running' });
    assert.deepEqual(asked.slice(4), ['old']);
    assert.equal(rows.size, 0);
  });

  it('look under a filter as without, if they are replicas', () => {
    const second = container('e', { name: 'shop-web-2', labels: inProject('shop', 'web', 2) });
    stage.show([web, second]);
    const rows = stage.containerRows({ filter: 'shop-web-2' });
    assert.deepEqual(tree(rows), ['shop', '  web-2']);
  });

  it('are grouped, and change their group with what they have in common', () => {
    const rows = stage.containerRows({ groupBy: 'state' });
    assert.deepEqual(tree(rows), [
      'Exited',
      '  old',
      'Up',
      '  alone',
      '  shop-db-1',
      '  shop-web-1',
    ]);
    const { id } = rows.find(idOf('d')) ?? assert.fail('no row');
    stage.change({ ...old, state: 'running' });
    assert.deepEqual(tree(rows)[0], 'Up');
    assert.equal(rows.find(idOf('d'))?.id, id);
    rows.arrange({ ...PLAIN, groupBy: 'image', filter: 'postgres' });
    assert.deepEqual(tree(rows), ['postgres:16', '  shop-db-1']);
    rows.arrange({ ...PLAIN, groupBy: 'label:com.docker.compose.service' });
    const groups = ['db', 'no com.docker.compose.service', 'web'];
    assert.deepEqual(stage.labels(rows.roots), groups);
    rows.arrange({ ...PLAIN, groupBy: 'none' });
    assert.deepEqual(tree(rows), ['alone', 'old', 'shop-db-1', 'shop-web-1']);
  });

  it('have groups only for labels of their own', () => {
    const rows = stage.containerRows({ groupBy: 'label:constructor' });
    assert.deepEqual(stage.labels(rows.roots), ['no constructor']);
  });

  it('are sorted, and move if what they are sorted by changes', () => {
    const rows = stage.containerRows({ groupBy: 'none', sortBy: 'state' });
    assert.deepEqual(tree(rows), ['shop-db-1', 'alone', 'shop-web-1', 'old']);
    stage.change({ ...old, state: 'restarting' });
    assert.deepEqual(tree(rows), ['old', 'shop-db-1', 'alone', 'shop-web-1']);
    rows.arrange({ ...PLAIN, groupBy: 'none', sortBy: 'port' });
    assert.equal(tree(rows)[0], 'alone');
    rows.arrange({ ...PLAIN, groupBy: 'none', sortBy: 'created' });
    assert.equal(tree(rows).at(-1), 'old');
  });

  it('are pinned by their names, so that the pin outlives them', () => {
    const pins = new Pins(fakeMemento());
    const context = { ...stage.context, pins };
    const rows = new ContainerRows('default', context);
    const pinned = [rows.find(idOf('d')), rows.find(idOf('a'))].flatMap((row) =>
      row ? [row.pin] : [],
    );
    pins.set(pinned, true);
    rows.reorder();
    assert.deepEqual(tree(rows), ['shop', '  web', '  db', 'old', 'alone']);
    const look = rows.find(idOf('a'))?.present(context);
    assert.match(look?.description ?? '', / · pinned$/);
    assert.equal(look?.contextValue, 'container.running.pinned.service');
    stage.show([{ ...web, id: idOf('e'), name: 'shop-web-9' }, db, alone]);
    assert.deepEqual(tree(rows), ['shop', '  web', '  db', 'alone']);
    pins.set([['default', 'project', 'shop']], true);
    const row = rows.roots[0]?.present(context);
    assert.match(row?.contextValue ?? '', /\.pinned$/);
  });

  it('of the workspace come first', () => {
    const context = {
      ...stage.context,
      workspaceOf: ({ name }: Container) => (name === 'old' ? ['ws'] : []),
    };
    const wanted = { ...PLAIN, isWorkspaceFirst: true };
    const rows = new ContainerRows('default', context, undefined, wanted);
    assert.deepEqual(stage.labels(rows.roots), ['shop', 'old', 'alone']);
    rows.arrange({ ...wanted, filter: 'workspace:ws' });
    assert.deepEqual(stage.labels(rows.roots), ['old']);
  });

  it('say where they are in the list of several engines', () => {
    const context = { ...stage.context, engineLabel: 'Far', isMixed: () => true };
    const rows = new ContainerRows('default', context, undefined, { ...PLAIN, groupBy: 'none' });
    const row = rows.find(idOf('c'));
    assert(row instanceof ContainerNode);
    assert.match(row.present(context).description, / · Far$/);
  });
});
