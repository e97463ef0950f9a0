import { isPredefinedNetwork } from '../../engine/model.ts';
import { FlatRows } from '../flatRows.ts';
import type { InventoryChange } from '../../inventory/inventory.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { byId, naturalOrder } from '../sortedSet.ts';
import type { TreeNode } from '../treeNode.ts';
import { NetworkNode } from './networkNode.ts';
import { networkTitle } from './presentNetwork.ts';

/** The rows of the Networks view, with the containers on each network below it. */
export class NetworkRows extends FlatRows<NetworkNode> {
  readonly #nodes = new Map<string, NetworkNode>();

  constructor(engine: string, context: RenderContext, top?: TreeNode) {
    super(engine, context, top);
    this.updateAll(context.inventory.networks.entries.keys());
    this.follow((change) => this.#changedIds(change));
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(id: string): NetworkNode | undefined {
    return this.#nodes.get(id);
  }

  /** The networks of the engine last; a project's networks by their names in the compose file. */
  protected compare(a: NetworkNode, b: NetworkNode): number {
    const one = networkTitle(a.network);
    const other = networkTitle(b.network);
    return (
      Number(isPredefinedNetwork(a.network)) - Number(isPredefinedNetwork(b.network)) ||
      naturalOrder(one.project || one.title, other.project || other.title) ||
      naturalOrder(one.title, other.title) ||
      byId(a, b)
    );
  }

  protected updateOne(id: string, change: TreeRowsChange): void {
    const network = this.context.inventory.networks.entries.get(id);
    const node = this.#nodes.get(id);
    if (network) {
      const shown = node ?? new NetworkNode(this.engine, network, this.top);
      for (const gone of shown.update(network, this.context)) change.gone.add(gone);
      this.#nodes.set(id, shown);
      if (node) change.repaint(shown);
      else this.add(shown, change);
    } else if (node) {
      for (const member of node.children ?? []) change.gone.add(member);
      this.#nodes.delete(id);
      this.drop(node, change);
    }
  }

  /** Containers have the names of their networks; two networks may share one. */
  #changedIds({ networks, usedNetworks }: InventoryChange): Iterable<string> {
    if (usedNetworks.size === 0) return networks;
    const used = [...this.#nodes.values()].filter(({ network }) => usedNetworks.has(network.name));
    return new Set([...networks, ...used.map(({ network }) => network.id)]);
  }
}
