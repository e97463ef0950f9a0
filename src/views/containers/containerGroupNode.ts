import type { Container } from '../../engine/model.ts';
import { formatContainerCount, formatLine, joinSpoken } from '../format.ts';
import { tooltipRows, type RowPresentation, type TooltipRow } from '../rowPresentation.ts';
import { GroupNode, type TreeNode } from '../treeNode.ts';
import type { ContainerNode } from './containerNode.ts';
import { presentContainerGroup, type ContainerOrder, type OrderedRow } from './containerOrder.ts';

/** The row of containers that have something else in common than a project. */
export class ContainerGroupNode extends GroupNode<ContainerNode> implements OrderedRow {
  readonly isGroup = true;
  readonly pin = undefined;
  readonly #groupBy: string;

  /** @param groupBy what they have in common; `key` is its value. */
  constructor(
    engine: string,
    groupBy: string,
    key: string,
    compare: ContainerOrder['compare'],
    parent?: TreeNode,
  ) {
    super(engine, `containers/${JSON.stringify([groupBy, key])}`, key, compare, parent);
    this.#groupBy = groupBy;
  }

  get title(): string {
    return formatLine(presentContainerGroup(this.#groupBy, this.key).title);
  }

  get sample(): Container | undefined {
    const [first] = this.members.members;
    return first?.container;
  }

  present(): RowPresentation {
    const { title } = this;
    const count = formatContainerCount(this.size);
    return {
      label: title,
      description: count,
      icon: { id: presentContainerGroup(this.#groupBy, this.key).icon },
      contextValue: 'containers',
      accessibilityLabel: joinSpoken(title, count),
    };
  }

  tooltip(): readonly TooltipRow[] {
    return tooltipRows([this.title, formatContainerCount(this.size)]);
  }
}
