import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { ContainerMount, Volume } from '../../../../src/engine/model.ts';
import type { RowPresentation } from '../../../../src/views/rowPresentation.ts';
import { VolumeRows } from '../../../../src/views/volumes/volumeRows.ts';
import { container, idOf, volume } from '../../inventory/support/nouns.ts';
import { record, Stage } from '../support/stage.ts';

const HEX = 'ab'.repeat(32);

describe('VolumeRows', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  const list = (...volumes: readonly Volume[]): void => stage.inventory.volumes.replace(volumes);
  const rowsOf = (): VolumeRows => new VolumeRows('default', stage.context);
  const look = (rows: VolumeRows, name: string): RowPresentation =>
    rows.find(name)?.present(stage.context) ?? assert.fail('no row');
  const mount = (name: string): ContainerMount => ({
    ...{ type: 'volume', volume: name, path: '/data' },
    isReadOnly: true,
  });
  const ofProject = (project: string, name: string): Volume =>
    volume(`${project}_${name}`, {
      labels: { 'com.docker.compose.project': project, 'com.docker.compose.volume': name },
    });
  const STOPPED = { state: 'exited', status: 'Exited (0) 2 hours ago' } as const;

  it('shows the volumes of a project together under their short names, and anonymous ones last', () => {
    list(
      volume(HEX),
      ofProject('shop', 'logs'),
      volume('zoo'),
      ofProject('shop', 'db'),
      volume('a'),
    );
    const rows = rowsOf();
    assert.deepEqual(stage.labels(rows.roots), ['a', 'db', 'logs', 'zoo', HEX.slice(0, 12)]);
    assert.match(look(rows, 'shop_db').description, /^shop · /);
    assert.match(look(rows, HEX).description, /anonymous$/);
    assert.equal(look(rows, 'shop_db').accessibilityLabel, 'Volume db, shop, unused');
    assert.equal(rows.size, 5);
  });

  it('moves the row of a volume that was replaced by one of a project', () => {
    list(volume('data'), volume('x'));
    const rows = rowsOf();
    assert.deepEqual(stage.labels(rows.roots), ['data', 'x']);
    list({ ...ofProject('zoo', 'data'), name: 'data' }, volume('x'));
    assert.deepEqual(stage.labels(rows.roots), ['x', 'data']);
  });

  it('shows what uses a volume', () => {
    list(volume('data'));
    const rows = rowsOf();
    const description = (): string => look(rows, 'data').description;
    assert.equal(description(), 'unused');
    assert.equal(look(rows, 'data').contextValue, 'volume.unused');
    stage.show([container('a', { name: 'old', mounts: [mount('data')], ...STOPPED })]);
    assert.equal(description(), 'used by old (stopped)');
    assert.equal(look(rows, 'data').contextValue, 'volume.used');
    stage.change(container('b', { name: 'web', mounts: [mount('data')] }));
    assert.equal(description(), 'used by web +1');
    assert.equal(look(rows, 'data').icon?.color, 'charts.green');
  });

  it('repaints only the row of the volume that a container begins to use', () => {
    list(volume('a'), volume('b'));
    stage.show([container('a')]);
    const rows = rowsOf();
    const fired = record(stage, rows);
    stage.change(container('a', { mounts: [mount('b')] }));
    assert.deepEqual(fired, ['b']);
  });

  it('adds and removes rows', () => {
    list(volume('a'), volume('b'));
    const rows = rowsOf();
    const kept = rows.find('a');
    list(volume('a'), volume('c'));
    assert.deepEqual(stage.labels(rows.roots), ['a', 'c']);
    assert.equal(rows.find('a'), kept);
    assert.equal(rows.find('b'), undefined);
  });

  it('shows the operation in progress', () => {
    list(volume('a'));
    const rows = rowsOf();
    const fired = record(stage, rows);
    stage.activity.begin('a', 'removing');
    assert.match(look(rows, 'a').description, /^removing\.\.\. · /);
    assert.deepEqual(fired, ['a']);
  });

  it('has a tooltip with what mounts it where', () => {
    list(volume('data', { options: { type: 'tmpfs' }, createdAt: '2026-01-01T00:00:00Z' }));
    stage.show([container('a', { name: 'web', mounts: [mount('data')] })]);
    const tooltip = stage.tooltip(rowsOf().find('data'));
    assert.equal(tooltip['web'], '/data (read-only)');
    assert.equal(tooltip['Options'], 'type=tmpfs');
    assert.equal(tooltip['Driver'], 'local');
  });

  it('has no color while the connection is lost', () => {
    list(volume('data'));
    stage.show([container('a', { mounts: [mount('data')] })]);
    const rows = rowsOf();
    const error = new EngineError('refused');
    stage.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    assert.equal(look(rows, 'data').icon?.color, undefined);
    assert(stage.inventory.containers.has(idOf('a')));
  });
});
