import type { Network } from '../../engine/model.ts';
import { membersOf, type NetworkMember } from '../../inventory/membersOf.ts';
import type { RenderContext, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import { networkTooltip, presentMember, presentNetwork } from './presentNetwork.ts';
import { containerTooltip } from '../containers/presentContainer.ts';

/** The row of one network. Its children are the containers on it. */
export class NetworkNode extends TreeNode {
  #network: Network;
  #members: readonly MemberNode[] = [];

  constructor(engine: string, network: Network, parent?: TreeNode) {
    super(engine, `network/${network.id}`, parent);
    this.#network = network;
  }

  /** Latest state from the inventory. */
  get network(): Network {
    return this.#network;
  }

  override get children(): readonly MemberNode[] | undefined {
    return this.#members.length > 0 ? this.#members : undefined;
  }

  /** Takes the network and its members from the inventory. Returns the rows that are gone. */
  update(network: Network, { inventory }: RenderContext): readonly MemberNode[] {
    this.#network = network;
    const before = new Map(this.#members.map((node) => [node.container.id, node]));
    this.#members = membersOf(network, inventory).map((member) => {
      const node = before.get(member.container.id) ?? new MemberNode(this, member);
      before.delete(member.container.id);
      node.update(member);
      return node;
    });
    return [...before.values()];
  }

  present(context: RenderContext): RowPresentation {
    return presentNetwork(this.#network, this.#members, context);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return networkTooltip(this.#network, context);
  }
}

/** The row of a container below a network. */
export class MemberNode extends TreeNode {
  readonly network: NetworkNode;
  #member: NetworkMember;

  constructor(network: NetworkNode, member: NetworkMember) {
    super(network.engine, `network/${network.network.id}/${member.container.id}`, network);
    this.network = network;
    this.#member = member;
  }

  get container(): NetworkMember['container'] {
    return this.#member.container;
  }

  /** The connection to the network, with the addresses. */
  get connection(): NetworkMember['connection'] {
    return this.#member.connection;
  }

  update(member: NetworkMember): void {
    this.#member = member;
  }

  present(context: RenderContext): RowPresentation {
    return presentMember(this.#member, context);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return containerTooltip(this.#member.container, context);
  }
}
