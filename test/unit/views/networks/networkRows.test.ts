import assert from 'node:assert/strict';
import type { Container, ContainerNetwork, Network } from '../../../../src/engine/model.ts';
import { NetworkRows } from '../../../../src/views/networks/networkRows.ts';
import type { RowPresentation } from '../../../../src/views/rowPresentation.ts';
import { container, idOf, network } from '../../inventory/support/nouns.ts';
import { record, Stage } from '../support/stage.ts';

const W = idOf('1');

describe('NetworkRows', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  const list = (...networks: readonly Network[]): void => {
    stage.inventory.networks.replace(networks);
  };
  const rowsOf = (): NetworkRows => new NetworkRows('default', stage.context);
  const look = (rows: NetworkRows, id = W): RowPresentation =>
    rows.find(id)?.present(stage.context) ?? assert.fail('no row');
  const on = (networkId: string, name = 'web', ip?: string): ContainerNetwork => ({
    ...{ name, networkId },
    ...(ip === undefined ? {} : { ip }),
  });
  const members = (rows: NetworkRows, id = W): readonly string[] =>
    (rows.find(id)?.children ?? []).map((node) => {
      const { label, description } = node.present(stage.context);
      return `${label} ${description}`;
    });

  it('puts the networks of the engine last, and those of a project together', () => {
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.network': 'default',
    };
    list(
      network('1', { name: 'bridge' }),
      network('2', { name: 'zoo' }),
      network('3', { name: 'shop_default', labels }),
      network('4', { name: 'app' }),
    );
    const rows = rowsOf();
    assert.deepEqual(stage.labels(rows.roots), ['app', 'default', 'zoo', 'bridge']);
    assert.equal(look(rows, idOf('1')).contextValue, 'network.predefined');
    assert.equal(look(rows, idOf('3')).description, 'shop · unused · 10.0.0.0/24 · bridge');
    assert.equal(
      look(rows, idOf('3')).accessibilityLabel,
      'Network default, shop, unused, 10.0.0.0/24, bridge',
    );
  });

  it('shows the aliases of the containers once they are asked for, and asks once', async () => {
    list(network('1', { name: 'web' }));
    const rows = rowsOf();
    const db = (ip: string) => container('b', { name: 'db', networks: [on(W, 'web', ip)] });
    stage.show([
      db('10.0.0.3'),
      container('a', { name: 'api', state: 'exited', networks: [on(W)] }),
    ]);
    const asked: string[] = [];
    const load = async (): Promise<readonly string[]> => {
      const stale = await rows.find(W)?.loadAliases(({ container: { name } }) => {
        asked.push(name);
        return name === 'db' ? Promise.resolve(['x', 'y']) : Promise.reject(new Error('gone'));
      });
      return stage.labels(stale);
    };
    assert.deepEqual(await load(), ['db']);
    assert.deepEqual(members(rows), ['api not running', 'db 10.0.0.3 · x, y']);
    assert.deepEqual(await load(), []);
    // A failed request is not an answer.
    assert.deepEqual(asked, ['api', 'db', 'api']);
    stage.change(db('10.0.0.4'));
    assert.deepEqual(members(rows), ['api not running', 'db 10.0.0.4']);
    assert.deepEqual(await load(), ['db']);
    assert.deepEqual(asked, ['api', 'db', 'api', 'api', 'db']);
  });

  it('shows the containers on a network with their addresses', () => {
    list(network('1', { name: 'web' }));
    const rows = rowsOf();
    assert.equal(rows.find(W)?.children, undefined);
    stage.show([
      container('b', { name: 'db', networks: [on(W, 'web', '10.0.0.3')] }),
      container('a', { name: 'api', state: 'exited', networks: [on(W)] }),
      container('c', { networks: [on(idOf('2'), 'other')] }),
    ]);
    assert.deepEqual(members(rows), ['api not running', 'db 10.0.0.3']);
    stage.change(container('a', { name: 'api', networks: [on(W)] }));
    assert.deepEqual(members(rows), ['api no address', 'db 10.0.0.3']);
    assert.match(look(rows).description, /^2 containers · /);
    assert.equal(look(rows).contextValue, 'network.used');
  });

  it('distinguishes two networks of the same name', () => {
    list(network('1', { name: 'web' }), network('2', { name: 'web' }));
    stage.show([
      container('a', { networks: [on(W)] }),
      container('b', { networks: [on(idOf('2'))] }),
    ]);
    const rows = rowsOf();
    assert.deepEqual(members(rows).length, 1);
    assert.match(members(rows, idOf('2'))[0] ?? '', /^b /);
  });

  it('goes by the name if the engine reports no ID of the network, or that of a removed one', () => {
    list(network('1', { name: 'web' }));
    stage.show([
      container('a', { networks: [on('web')] }),
      container('b', { networks: [on('')] }),
      container('c', { networks: [on(idOf('9'))] }),
    ]);
    assert.equal(members(rowsOf()).length, 3);
  });

  it('repaints only the network whose container changes, and keeps the row of the container', () => {
    list(network('1', { name: 'web' }), network('2', { name: 'db' }));
    stage.show([container('a', { networks: [on(W)] })]);
    const rows = rowsOf();
    const [before] = rows.find(W)?.children ?? [];
    const fired = record(stage, rows);
    stage.change(container('a', { networks: [on(W, 'web', '10.0.0.4')] }));
    assert.deepEqual(fired, ['web']);
    assert.deepEqual(rows.find(W)?.children, [before]);
    assert.deepEqual(members(rows), ['a 10.0.0.4']);
  });

  it('shows the state of a container as its own row does', () => {
    list(network('1', { name: 'web' }));
    const of = (fields: Partial<Container>) => container('a', { networks: [on(W)], ...fields });
    stage.show([of({ health: 'starting' })]);
    const rows = rowsOf();
    const fired = record(stage, rows);
    const changes: readonly (readonly [Partial<Container>, icon: string])[] = [
      [{ health: 'healthy' }, 'pass-filled'],
      [{ state: 'paused' }, 'debug-pause'],
      [{ state: 'created' }, 'circle-outline'],
      [{ state: 'exited', exitCode: 0 }, 'debug-stop'],
      [{ state: 'exited', exitCode: 3 }, 'error'],
    ];
    for (const [fields, icon] of changes) {
      stage.change(of(fields));
      const [member] = rows.find(W)?.children ?? [];
      assert.equal(member?.present(stage.context).icon?.id, icon);
    }
    assert.equal(fired.length, changes.length);
    stage.change(of({ state: 'exited', exitCode: 3, image: 'web:2' }));
    assert.equal(fired.length, changes.length);
    assert.equal(stage.tooltip(rows.find(W)?.children?.[0])['Image'], 'web:2');
  });

  it('shows that a container was out of memory, which is known only after it has exited', () => {
    list(network('1', { name: 'web' }), network('2', { name: 'db' }));
    const killed = container('a', { state: 'exited', exitCode: 137, networks: [on(W)] });
    stage.show([killed]);
    const rows = rowsOf();
    const [member] = rows.find(W)?.children ?? [];
    assert.notEqual(member?.present(stage.context).icon?.id, 'error');
    const fired = record(stage, rows);
    stage.inventory.recordOutOfMemory(killed.id);
    assert.deepEqual(fired, ['web']);
    assert.equal(member?.present(stage.context).icon?.id, 'error');
  });

  it('removes the rows of a network that is gone', () => {
    list(network('1', { name: 'web' }));
    stage.show([container('a', { networks: [on(W)] })]);
    const rows = rowsOf();
    const gone: unknown[] = [];
    rows.onDidChange((change) => gone.push(...change.gone));
    list();
    assert.equal(rows.roots.length, 0);
    assert.equal(gone.length, 2);
  });
});
