import { isPredefinedNetwork } from '../../engine/model.ts';
import { FlatRows } from '../flatRows.ts';
import type { InventoryChange } from '../../inventory/inventory.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { CHOICES, PLAIN, type Arrangement } from '../arrangement/arrangements.ts';
import { isMatch, parseFilter, type Filter } from '../arrangement/parseFilter.ts';
import { byId, naturalOrder, newestFirst } from '../sortedSet.ts';
import type { TreeNode } from '../treeNode.ts';
import { NetworkNode } from './networkNode.ts';
import { networkFacts, networkTitle } from './presentNetwork.ts';

/** The rows of the Networks view, with the containers on each network below it. */
export class NetworkRows extends FlatRows<NetworkNode> {
  readonly #nodes = new Map<string, NetworkNode>();
  #arrangement: Arrangement;
  #filter: Filter;

  constructor(engine: string, context: RenderContext, top?: TreeNode, arrangement = PLAIN) {
    super(engine, context, top);
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.networks.keys);
    this.updateAll(context.inventory.networks.entries.keys());
    this.follow((change) => this.#changedIds(change));
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(id: string): NetworkNode | undefined {
    return this.#nodes.get(id);
  }

  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.networks.keys);
    this.sorted.touch();
    this.replaceAll(this.context.inventory.networks.entries.keys());
  }

  /** The networks of the engine last; a project's networks by their names in the compose file. */
  compare(a: NetworkNode, b: NetworkNode): number {
    const one = networkTitle(a.network);
    const other = networkTitle(b.network);
    return (
      Number(isPredefinedNetwork(a.network)) - Number(isPredefinedNetwork(b.network)) ||
      (this.#arrangement.sortBy === 'created' ? newestFirst(a.network, b.network) : 0) ||
      naturalOrder(one.project || one.title, other.project || other.title) ||
      naturalOrder(one.title, other.title) ||
      byId(a, b)
    );
  }

  protected updateOne(id: string, change: TreeRowsChange): void {
    const found = this.context.inventory.networks.entries.get(id);
    const isShown = found && isMatch(this.#filter, () => networkFacts(found, this.context));
    const network = isShown ? found : undefined;
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
    const all = [...this.context.inventory.networks.entries.values()];
    const used = all.filter(({ name }) => usedNetworks.has(name));
    return new Set([...networks, ...used.map(({ id }) => id)]);
  }
}
