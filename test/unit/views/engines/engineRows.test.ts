import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory, type InventoryChange } from '../../../../src/inventory/inventory.ts';
import type { KnownEngine } from '../../../../src/inventory/knownEngine.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import type { Reading } from '../../../../src/statistics/reading.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { ContainerNode } from '../../../../src/views/containers/containerNode.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { EngineRows } from '../../../../src/views/engines/engineRows.ts';
import type { RenderContext } from '../../../../src/views/rowPresentation.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';

const INFO = { product: 'docker', version: '28.5.2', engineApi: '1.51', api: '1.51' } as const;

/** Several engines and their rows. */
class EngineRowsFixture {
  readonly engines: KnownEngine[] = [];
  readonly #changes = new Emitter<void>();
  readonly #inventoryChanges = new Emitter<InventoryChange>();
  preferred = '';
  unchecked = '';
  /** Where the address of the default engine comes from. */
  origin: KnownEngine['engine']['origin'];
  fired: string[] = [];
  #rows: EngineRows<ContainerRows> | undefined;
  isFlat = false;
  arrangement = PLAIN;
  /** CPU by engine and container. */
  readonly used = new Map<string, number>();

  get rows(): EngineRows<ContainerRows> {
    if (this.#rows) return this.#rows;
    const all = this.engines;
    this.#rows = new EngineRows({
      engines: {
        get all() {
          return all;
        },
        get areSeveral() {
          return all.length > 1;
        },
        get: (id) => all.find((engine) => engine.id === id),
        onDidChange: this.#changes.event,
        onDidChangeInventory: this.#inventoryChanges.event,
      },
      contextOf: (engine) => this.contextOf(engine),
      make: (engine, top) =>
        new ContainerRows(engine.id, this.contextOf(engine), top, this.arrangement),
      whenEmpty: () => 'No containers',
      isPreferred: ({ id }) => this.preferred === id,
      isFlat: () => this.isFlat,
    });
    this.#rows.onDidChange(({ isRootStale, stale }) => {
      const ids = [...stale].map((node) => node.id);
      this.fired.push([...(isRootStale ? ['*'] : []), ...ids].join(' '));
    });
    return this.#rows;
  }

  contextOf({ id, inventory, activity }: KnownEngine): RenderContext {
    return {
      ...{ inventory, activity, now: () => 0 },
      readingOf: (container, engine = id) => {
        const cpuPercent = this.used.get(`${engine} ${container}`);
        return cpuPercent === undefined ? undefined : ({ cpuPercent } as Reading);
      },
    };
  }

  add(id: string): KnownEngine {
    const isUnchecked = (): boolean => this.unchecked === id;
    const engine = {
      ...{ id, name: id, isAdded: id !== 'default' },
      get isUnchecked() {
        return isUnchecked();
      },
      inventory: new Inventory(),
      activity: new Activity(),
      engine: {
        endpoint: undefined,
        attempts: [],
        origin: id === 'default' ? this.origin : undefined,
        connect: () => Promise.reject(new EngineError('refused')),
      },
    };
    this.engines.push(engine);
    this.#changes.fire();
    return engine;
  }

  remove(id: string): void {
    const index = this.engines.findIndex((engine) => engine.id === id);
    this.engines.splice(index, 1);
    this.#changes.fire();
  }

  /** Returns the rows as indented labels. */
  drawn(nodes: readonly TreeNode[] = this.rows.roots, indent = ''): readonly string[] {
    return nodes.flatMap((node) => {
      const { label, description } = node.present(this.rows.contextOf(node));
      const isRow = node.children !== undefined;
      const line = indent + label + (isRow ? ` (${description})` : '');
      return [line, ...this.drawn(node.children ?? [], `${indent}  `)];
    });
  }
}

function fill({ inventory }: KnownEngine, ...names: readonly string[]): void {
  const made = names.map((name, index) => container('abc'[index] ?? 'd', { name, names: [name] }));
  inventory.replaceAll(made, [], 0, { kind: 'live', info: INFO });
}

describe('EngineRows', () => {
  let fixture: EngineRowsFixture;
  beforeEach(() => (fixture = new EngineRowsFixture()));

  it('sorts the rows of several engines in one list by what they use on their engines', () => {
    const [one, other] = [fixture.add('default'), fixture.add('b')];
    fixture.isFlat = true;
    fixture.arrangement = { ...PLAIN, sortBy: 'cpu' };
    one.inventory.replaceAll([container('a')], [], 0);
    other.inventory.replaceAll([container('b'), container('c')], [], 0);
    const { rows } = fixture;
    const order = () =>
      rows.roots.flatMap((node) => (node instanceof ContainerNode ? node.title : '')).join('');
    assert.equal(order(), 'abc');
    fixture.used.set(`b ${idOf('c')}`, 100);
    rows.each((part) => part.resort([idOf('c')]));
    assert.equal(order(), 'cab');
    fixture.used.set(`default ${idOf('a')}`, 200);
    rows.each((part) => part.resort([idOf('a')]));
    assert.equal(order(), 'acb');
    fixture.used.set(`b ${idOf('c')}`, 300);
    rows.each((part) => part.resort([idOf('c')]));
    assert.equal(order(), 'cab');
  });

  it('shows the rows of several engines in one list, and only the engines that are not connected', () => {
    fill(fixture.add('default'), 'web', 'db');
    const far = fixture.add('far');
    fill(far, 'cache');
    assert.equal(fixture.rows.roots.length, 2);
    fixture.isFlat = true;
    fixture.rows.refold();
    assert.deepEqual(fixture.drawn(), ['cache', 'db', 'web']);
    assert.equal(fixture.rows.roots[0]?.parent, undefined);
    fill(far, 'cache', 'zoo');
    assert.deepEqual(fixture.drawn(), ['cache', 'db', 'web', 'zoo']);
    far.inventory.replaceAll([], [], 0, { kind: 'off' });
    const rows = ['db', 'web', 'far (disconnected)', '  Disconnected from this engine.'];
    assert.deepEqual(fixture.drawn(), rows);
    fixture.isFlat = false;
    fixture.rows.refold();
    assert.equal(fixture.rows.roots.length, 2);
  });

  it('shows only the rows of a single engine, without an engine row', () => {
    const only = fixture.add('default');
    fill(only, 'web', 'db');
    assert.deepEqual(fixture.drawn(), ['db', 'web']);
    assert.equal(fixture.rows.roots[0]?.parent, undefined);
  });

  it('shows several engines as rows with their product and version', () => {
    fill(fixture.add('default'), 'web');
    fixture.add('far').inventory.setPhase({ kind: 'off' });
    fixture.preferred = 'default';
    assert.deepEqual(fixture.drawn(), [
      'default (Docker 28.5.2 · API 1.51 · workspace default)',
      '  web',
      'far (disconnected)',
      '  Disconnected from this engine.',
    ]);
  });

  for (const [origin, what] of [
    [{ kind: 'variable', name: 'DOCKER_HOST' }, ' · DOCKER_HOST'],
    [{ kind: 'setting' }, ' · gantry.host'],
    [{ kind: 'context', name: 'lab' }, ' · context lab'],
    [{ kind: 'context', name: 'default' }, ''],
    [{ kind: 'usual', product: 'Colima' }, ' · Colima'],
    [{ kind: 'usual', product: 'Docker' }, ''],
  ] as const) {
    it(`shows what the default engine is: ${JSON.stringify(origin)}`, () => {
      fixture.origin = origin;
      fill(fixture.add('default'), 'web');
      fixture.add('far');
      assert.equal(fixture.drawn()[0], `default (Docker 28.5.2 · API 1.51${what})`);
    });
  }

  it('shows that the certificate of an engine is not verified', () => {
    fill(fixture.add('default'), 'web');
    fixture.add('far').inventory.setPhase({ kind: 'off' });
    fixture.unchecked = 'far';
    assert(fixture.drawn().includes('far (disconnected · certificate not verified)'));
  });

  it('shows below a lost engine why it is lost, or its last rows', () => {
    const a = fixture.add('a');
    const b = fixture.add('b');
    fill(a, 'web');
    const error = new EngineError('refused', { endpoint: 'unix:///b' });
    a.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    b.inventory.setPhase({ kind: 'lost', error, hadRows: false });
    assert.deepEqual(fixture.drawn(), [
      'a (not reachable: connection refused)',
      '  web',
      'b (not reachable: connection refused)',
      '  The container engine at unix:///b is not running (connection refused). Start it.',
    ]);
  });

  it('distinguishes containers with the same ID in two engines', () => {
    const a = fixture.add('a');
    const b = fixture.add('b');
    fill(a, 'web');
    fill(b, 'web');
    const id = [...a.inventory.containers.keys()][0] ?? '';
    const { rows } = fixture;
    const inA = rows.find(id, undefined, 'a');
    const inB = rows.find(id, undefined, 'b');
    assert(inA && inB);
    assert.notEqual(inA.id, inB.id);
    assert.deepEqual([inA.engine, inB.engine], ['a', 'b']);
    assert.equal(fixture.rows.contextOf(inB).inventory, b.inventory);
    assert.equal(fixture.rows.size, 2);
  });

  it('repaints only the engine row whose state or rows changed', () => {
    const a = fixture.add('a');
    const b = fixture.add('b');
    fill(a, 'web');
    fill(b);
    assert.equal(fixture.rows.size, 1);
    fill(b, 'db');
    a.inventory.setPhase({ kind: 'off' });
    assert.deepEqual(fixture.fired, ['b/engine', 'a/engine']);
  });

  it('repaints the engine rows when asked, of which a single engine has none', () => {
    fixture.add('default');
    const { rows } = fixture;
    rows.repaintEngines();
    assert.deepEqual(fixture.fired, []);
    fixture.add('build');
    fixture.fired.length = 0;
    rows.repaintEngines();
    assert.deepEqual(fixture.fired, [rows.roots.map(({ id }) => id).join(' ')]);
  });

  it('repaints all rows of a single engine when the connection is lost and when it is restored', () => {
    const only = fixture.add('a');
    fill(only, 'web');
    assert.equal(fixture.rows.size, 1);
    const error = new EngineError('refused', { endpoint: 'unix:///a' });
    only.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    only.inventory.setPhase({ kind: 'lost', error: new EngineError('cut'), hadRows: true });
    assert.deepEqual(fixture.fired, ['*']);
    only.inventory.setPhase({ kind: 'live', info: INFO });
    assert.deepEqual(fixture.fired, ['*', '*']);
  });

  it('moves rows below engine rows when a second engine is added, and back when it is removed', () => {
    fill(fixture.add('a'), 'web');
    const alone = fixture.rows.roots[0];
    fixture.add('b');
    assert.deepEqual(fixture.drawn(), [
      'a (Docker 28.5.2 · API 1.51)',
      '  web',
      'b (connecting...)',
      '  Connecting to the engine...',
    ]);
    assert.equal(fixture.rows.roots[0]?.children?.[0]?.id, alone?.id);
    const before = fixture.rows.roots[0];
    fixture.add('c');
    assert.equal(fixture.rows.roots[0], before);
    fixture.remove('c');
    fixture.remove('b');
    assert.deepEqual(fixture.drawn(), ['web']);
    assert.deepEqual(fixture.fired, ['*', '*', '*', '*']);
  });

  it('has context values for the actions that an engine supports', () => {
    fixture.add('default').inventory.setPhase({ kind: 'off' });
    fill(fixture.add('far'), 'web');
    fixture.preferred = 'far';
    const words = fixture.rows.roots.map(
      (node) => node.present(fixture.rows.contextOf(node)).contextValue,
    );
    assert.deepEqual(words, ['engine.off.own', 'engine.live.added.preferred']);
  });
});
