import type { Network } from '../../engine/model.ts';
import { membersOf, type NetworkMember } from '../../inventory/membersOf.ts';
import type { RenderContext, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import { networkTooltip, presentMember, presentNetwork } from './presentNetwork.ts';
import { containerTooltip } from '../containers/presentContainer.ts';

/** Maximum number of containers whose aliases are requested: each costs a request. */
const MOST_ASKED = 50;

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

  /** Updates the network and its members from the inventory. Returns the rows that are gone. */
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

  /**
   * Requests the aliases of the members that are not known yet. Resolves to the rows to repaint. Aliases that cannot
   * be requested are not shown, and requested again the next time.
   */
  async loadAliases(ask: AskAliases): Promise<readonly MemberNode[]> {
    const members = this.#members.slice(0, MOST_ASKED);
    const asked = await Promise.all(members.map((node) => node.loadAliases(ask)));
    return members.filter((_, at) => asked[at]);
  }

  present(context: RenderContext): RowPresentation {
    return presentNetwork(this.#network, this.#members, context);
  }

  tooltip(): readonly TooltipRow[] {
    return networkTooltip(this.#network);
  }
}

/** Requests the aliases of a container on a network. */
type AskAliases = (member: NetworkMember) => Promise<readonly string[]>;

/** The row of a container below a network. */
export class MemberNode extends TreeNode {
  readonly network: NetworkNode;
  #member: NetworkMember;
  /** Undefined until they are asked for. */
  #aliases: Promise<readonly string[] | undefined> | undefined;
  #known: readonly string[] = [];

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
    // Another connection may have other aliases.
    const isSame = keyOf(member) === keyOf(this.#member);
    this.#member = member;
    if (isSame) return;
    this.#aliases = undefined;
    this.#known = [];
  }

  /** Requests the aliases unless they are known or requested. Resolves to whether there are some now. */
  async loadAliases(ask: AskAliases): Promise<boolean> {
    if (this.#aliases) return false;
    const asked = ask(this.#member).catch(() => undefined);
    this.#aliases = asked;
    const known = await asked;
    if (this.#aliases !== asked) return false;
    if (!known) this.#aliases = undefined;
    this.#known = known ?? [];
    return this.#known.length > 0;
  }

  present(context: RenderContext): RowPresentation {
    return presentMember(this.#member, this.#known, context);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    // Not every change of a container concerns its network.
    const { container } = this.#member;
    return containerTooltip(context.inventory.containers.get(container.id) ?? container, context);
  }
}

function keyOf({ connection: { networkId, ip, ip6 } }: NetworkMember): string {
  return [networkId, ip, ip6].join(' ');
}
