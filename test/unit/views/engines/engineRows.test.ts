import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { english } from '../../../../src/l10n.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory, type InventoryChange } from '../../../../src/inventory/inventory.ts';
import { Emitter } from '../../../../src/lifetime.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { EngineRows, type DisplayedEngine } from '../../../../src/views/engines/engineRows.ts';
import type { RenderContext } from '../../../../src/views/rowPresentation.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { container } from '../../inventory/support/nouns.ts';

const INFO = { product: 'docker', version: '28.5.2', engineApi: '1.51', api: '1.51' } as const;

/** Engines side by side, and their rows. */
class Street {
  readonly engines: DisplayedEngine[] = [];
  readonly #changes = new Emitter<void>();
  readonly #inventoryChanges = new Emitter<InventoryChange>();
  preferred = '';
  unchecked = '';
  fired: string[] = [];
  #rows: EngineRows<ContainerRows> | undefined;

  get rows(): EngineRows<ContainerRows> {
    if (this.#rows) return this.#rows;
    const street = this.engines;
    this.#rows = new EngineRows({
      engines: {
        get all() {
          return street;
        },
        get areSeveral() {
          return street.length > 1;
        },
        onDidChange: this.#changes.event,
        onDidChangeInventory: this.#inventoryChanges.event,
      },
      contextOf: (engine) => this.sceneOf(engine),
      make: (engine, top) =>
        new ContainerRows(engine.id, this.sceneOf(engine), { hideStopped: false }, top),
      nodeOf: ({ id, name, inventory }) => ({
        id,
        whenEmpty: () => 'No containers',
        facts: () => ({
          name,
          phase: inventory.phase,
          address: `unix:///${name}`,
          isUnchecked: this.unchecked === id,
          isPreferred: this.preferred === id,
          isAdded: id !== 'default',
        }),
      }),
    });
    this.#rows.onDidChange(({ isRootStale, stale }) => {
      const ids = [...stale].map((node) => node.id);
      this.fired.push([...(isRootStale ? ['*'] : []), ...ids].join(' '));
    });
    return this.#rows;
  }

  sceneOf({ inventory, activity }: DisplayedEngine): RenderContext {
    return { inventory, activity, l10n: english, now: () => 0 };
  }

  add(id: string): DisplayedEngine {
    const engine = {
      id,
      name: id,
      inventory: new Inventory(),
      activity: new Activity(),
      engine: { endpoint: undefined, attempts: [] },
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

  /** The rows as indented labels. */
  drawn(nodes: readonly TreeNode[] = this.rows.roots, indent = ''): readonly string[] {
    return nodes.flatMap((node) => {
      const { label, description } = node.present(this.rows.contextOf(node));
      const isRow = node.children !== undefined;
      const line = indent + label + (isRow ? ` (${description})` : '');
      return [line, ...this.drawn(node.children ?? [], `${indent}  `)];
    });
  }
}

function fill({ inventory }: DisplayedEngine, ...names: readonly string[]): void {
  const made = names.map((name, index) => container('abc'[index] ?? 'd', { name, names: [name] }));
  inventory.replaceAll(made, [], 0, { kind: 'live', info: INFO });
}

describe('views/engineRows', () => {
  let street: Street;
  beforeEach(() => (street = new Street()));

  it('shows one engine as if there were none: its rows alone', () => {
    const only = street.add('default');
    fill(only, 'web', 'db');
    assert.deepEqual(street.drawn(), ['db', 'web']);
    assert.equal(street.rows.roots[0]?.parent, undefined);
  });

  it('shows several below rows of their own, with what answers there', () => {
    fill(street.add('default'), 'web');
    street.add('far').inventory.setPhase({ kind: 'off' });
    street.preferred = 'default';
    assert.deepEqual(street.drawn(), [
      'default (Docker 28.5.2 · API 1.51 · default here)',
      '  web',
      'far (disconnected)',
      '  You disconnected this engine.',
    ]);
  });

  it('says of an engine that its certificate is not checked', () => {
    fill(street.add('default'), 'web');
    street.add('far').inventory.setPhase({ kind: 'off' });
    street.unchecked = 'far';
    assert(street.drawn().includes('far (disconnected · certificate not checked)'));
  });

  it('says below an engine that is lost why, and keeps what it had', () => {
    const [a, b] = [street.add('a'), street.add('b')];
    fill(a, 'web');
    const error = new EngineError('refused', { endpoint: 'unix:///b' });
    a.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    b.inventory.setPhase({ kind: 'lost', error, hadRows: false });
    assert.deepEqual(street.drawn(), [
      'a (not reachable: nobody listens)',
      '  web',
      'b (not reachable: nobody listens)',
      '  The container engine at unix:///b is not running: connection refused. Start it.',
    ]);
  });

  it('keeps containers of the same id in two engines apart', () => {
    const [a, b] = [street.add('a'), street.add('b')];
    fill(a, 'web');
    fill(b, 'web');
    const id = [...a.inventory.containers.keys()][0] ?? '';
    const [inA, inB] = [street.rows.findIn('a', id), street.rows.findIn('b', id)];
    assert(inA && inB);
    assert.notEqual(inA.id, inB.id);
    assert.deepEqual([inA.engine, inB.engine], ['a', 'b']);
    assert.equal(street.rows.contextOf(inB).inventory, b.inventory);
    assert.equal(street.rows.size, 2);
  });

  it('paints anew the row of the engine alone whose state or rows changed', () => {
    const [a, b] = [street.add('a'), street.add('b')];
    fill(a, 'web');
    fill(b);
    assert.equal(street.rows.size, 1);
    fill(b, 'db');
    a.inventory.setPhase({ kind: 'off' });
    assert.deepEqual(street.fired, ['b/engine', 'a/engine']);
  });

  it('gives rows another place when a second engine comes, and back when it goes', () => {
    fill(street.add('a'), 'web');
    const alone = street.rows.roots[0];
    street.add('b');
    assert.deepEqual(street.drawn(), [
      'a (Docker 28.5.2 · API 1.51)',
      '  web',
      'b (connecting…)',
      '  Looking for the engine…',
    ]);
    assert.equal(street.rows.roots[0]?.children?.[0]?.id, alone?.id);
    const before = street.rows.roots[0];
    street.add('c');
    assert.equal(street.rows.roots[0], before);
    street.remove('c');
    street.remove('b');
    assert.deepEqual(street.drawn(), ['web']);
    assert.deepEqual(street.fired, ['*', '*', '*', '*']);
  });

  it('has in the menu words what can be done with an engine', () => {
    street.add('default').inventory.setPhase({ kind: 'off' });
    fill(street.add('far'), 'web');
    street.preferred = 'far';
    const words = street.rows.roots.map(
      (node) => node.present(street.rows.contextOf(node)).contextValue,
    );
    assert.deepEqual(words, ['engine.off.own', 'engine.live.added.preferred']);
  });
});
