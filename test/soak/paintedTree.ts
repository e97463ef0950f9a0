import assert from 'node:assert/strict';
import { Activity } from '../../src/inventory/activity.ts';
import type { KnownEngine } from '../../src/inventory/knownEngine.ts';
import { DisposableStore, Emitter, type Disposable } from '../../src/base/lifetime.ts';
import { ContainerRows } from '../../src/views/containers/containerRows.ts';
import { EngineRows } from '../../src/views/engines/engineRows.ts';
import type { RenderContext } from '../../src/views/rowPresentation.ts';
import type { TreeNode } from '../../src/views/treeNode.ts';
import type { TreeRowsChange } from '../../src/views/rows.ts';
import { naturalOrder } from '../../src/views/sortedSet.ts';
import { askWell } from '../bed/http.ts';
import { until } from '../bed/until.ts';
import type { Rig } from '../engine/faults/rig.ts';

/** The rows of a window, updated only when the view reports a change, as VS Code does. */
export class PaintedTree implements Disposable {
  readonly #store = new DisposableStore();
  readonly #rows: EngineRows<ContainerRows>;
  #order: readonly string[] = [];
  #painted = new Map<string, string>();

  constructor({ engine, inventory }: Rig) {
    const activity = this.#store.add(new Activity());
    const context: RenderContext = { inventory, activity, now: Date.now };
    this.#rows = this.#store.add(
      new EngineRows({
        engines: {
          all: [{ ...NAMES, inventory, activity, engine }],
          areSeveral: false,
          get: () => undefined,
          onDidChange: this.#store.add(new Emitter<void>()).event,
          onDidChangeInventory: inventory.onDidChange,
        },
        contextOf: () => context,
        make: ({ id }, top) => new ContainerRows(id, context, top),
        isPreferred: onlyOfSeveral,
        whenEmpty: onlyOfSeveral,
      }),
    );
    this.#store.add(this.#rows.onDidChange((change) => this.#paint(change)));
  }

  /** Resolves when the rows match the engine's list. Fails with the difference if that takes too long. */
  async isAsListed(socket: string): Promise<void> {
    let listed: readonly string[] = [];
    const isSo = async (): Promise<boolean> => {
      listed = await listedRows(socket);
      return listed.join('\n') === this.#shown.join('\n');
    };
    await until(isSo, 'the tree is as the engine lists').catch(() => {
      assert.deepEqual(this.#shown, listed);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  get #shown(): readonly string[] {
    return this.#order.map((id) => this.#painted.get(id) ?? `${id} was never painted`);
  }

  #paint({ isRootStale, stale, gone }: TreeRowsChange): void {
    for (const { id } of gone) this.#painted.delete(id);
    for (const node of isRootStale ? this.#rows.roots : stale)
      this.#painted.set(node.id, lineOf(node, this.#rows.contextOf(node)));
    if (isRootStale) this.#order = this.#rows.roots.map(({ id }) => id);
  }
}

const NAMES = { id: 'soak', name: 'soak', isAdded: false, isUnchecked: false };

function onlyOfSeveral({ id }: KnownEngine): never {
  throw new Error(`${id} is the only engine`);
}

function lineOf(node: TreeNode, context: RenderContext): string {
  const { label, contextValue } = node.present(context);
  return `${node.id} ${label} ${contextValue}`;
}

/** Returns the expected rows in order, from the engine's list. */
async function listedRows(socket: string): Promise<readonly string[]> {
  const text = await askWell(socket, 'GET', '/containers/json?all=1');
  const records = JSON.parse(text) as readonly {
    readonly Id: string;
    readonly Names: readonly string[];
    readonly State: string;
  }[];
  return records
    .map(({ Id, Names, State }) => ({ id: Id, name: Names[0]?.slice(1) ?? '', state: State }))
    .sort((a, b) => naturalOrder(a.name, b.name))
    .map(({ id, name, state }) => `soak/container/${id} ${name} container.${state}`);
}
