import { isUp, type Container } from '../../engine/model.ts';
import { orphanKey } from '../../projects/orphans.ts';
import { hookOf, projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { GroupedRows } from '../groupedRows.ts';
import { hasExited } from './containerCondition.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { CHOICES, PLAIN, type Arrangement } from '../arrangement/arrangements.ts';
import { isMatch, parseFilter, type Filter } from '../arrangement/parseFilter.ts';
import { containerFacts } from './containerFacts.ts';
import { ContainerGroupNode } from './containerGroupNode.ts';
import { ContainerNode, ProjectNode, ServiceNode } from './containerNode.ts';
import { containerOrder, type ContainerOrder } from './containerOrder.ts';
import type { TreeNode } from '../treeNode.ts';

/** The rows of the Containers view. Containers of a compose project are grouped below a project row. */
export class ContainerRows extends GroupedRows<ContainerNode, ProjectNode | ContainerGroupNode> {
  readonly #nodes = new Map<string, ContainerNode>();
  readonly #hidden = new HiddenMembers();
  /** The projects whose hidden containers have changed, with the services of those. */
  readonly #counted = new Map<string, Set<string>>();
  #arrangement: Arrangement;
  #filter: Filter;
  #order: ContainerOrder;

  constructor(engine: string, context: RenderContext, top?: TreeNode, arrangement = PLAIN) {
    super(engine, context, top);
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.containers.keys);
    this.#order = containerOrder(arrangement, context);
    this.#followOrphans();
    this.#followWorktrees();
    this.updateAll(context.inventory.containers.keys());
    this.follow(({ containers }) => containers);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** The rows of all containers, in any order. */
  get all(): Iterable<ContainerNode> {
    return this.#nodes.values();
  }

  find(id: string): ContainerNode | undefined {
    return this.#nodes.get(id);
  }

  /** Rows stay the same as long as only the filter changes. */
  arrange(arrangement: Arrangement): void {
    const before = this.#arrangement;
    const isSameOrder = (['groupBy', 'sortBy', 'isWorkspaceFirst'] as const).every(
      (field) => before[field] === arrangement[field],
    );
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.containers.keys);
    if (!isSameOrder) this.change((change) => this.#clear(change));
    this.replaceAll(this.context.inventory.containers.keys());
  }

  /** Arranges the rows anew, because what their order depends on has changed. */
  reorder(): void {
    const arrangement = this.#arrangement;
    this.#arrangement = { ...arrangement, groupBy: '' };
    this.arrange(arrangement);
  }

  /** Moves the rows of containers that use more or less, if the rows are sorted by that. */
  resort(ids: Iterable<string>): void {
    this.change((change) => {
      for (const id of ids) {
        const node = this.#nodes.get(id);
        if (!node) continue;
        const service = node.projectNode?.serviceNodeOf(node);
        const rows = service ? [node, service] : [node];
        const moved = rows.filter((row) => this.#order.isMoved(row));
        if (moved.length === 0) continue;
        node.projectNode?.touch();
        this.move(node, change);
        for (const row of moved) change.move(row);
      }
    });
  }

  #clear(change: TreeRowsChange): void {
    this.clear(this.#nodes.values(), change);
    this.#nodes.clear();
    this.#order = containerOrder(this.#arrangement, this.context);
  }

  compare(a: Root, b: Root): number {
    return this.#order.compare(a, b);
  }

  protected makeGroup(key: string): ProjectNode | ContainerGroupNode {
    const { compare } = this.#order;
    const { groupBy } = this.#arrangement;
    if (groupBy !== 'project')
      return new ContainerGroupNode(this.engine, groupBy, key, compare, this.top);
    return new ProjectNode(this.engine, key, this.top, {
      compare,
      isFiltered: () => this.#filter.terms.length > 0,
      hidden: () => this.#hidden.of(key),
      hiddenHooks: () => this.#hidden.hooksOf(key),
      isUp: (container) => this.#isUp(container),
    });
  }

  protected updateOne(id: string, change: TreeRowsChange): void {
    const container = this.context.inventory.containers.get(id);
    const node = this.#nodes.get(id);
    const changed = container ?? node?.container ?? this.#hidden.get(id);
    const isShown = container !== undefined && this.#isIncluded(container);
    // In another group, it gets a new row.
    const isKept = isShown && node?.group?.key === this.#order.groupOf(container);
    if (node && !isKept) {
      this.#nodes.delete(id);
      this.#drop(node, change);
    }
    if (node && isKept) this.#update(node, container, change);
    else if (isShown) this.#make(container, change);
    for (const one of this.#hidden.set(id, isShown ? undefined : container)) this.#recount(one);
    if (changed) this.#repaintServiceOf(changed, change);
  }

  protected override finish(change: TreeRowsChange): void {
    for (const counted of this.#counted) this.#repaintCounts(...counted, change);
    this.#counted.clear();
  }

  #recount(container: Container): void {
    const project = projectOf(container) ?? '';
    const services = this.#counted.get(project) ?? new Set();
    this.#counted.set(project, services.add(serviceOf(container) ?? ''));
  }

  /** Repaints the row of the service that a hook belongs to: it shows that the hook has failed. */
  #repaintServiceOf(container: Container, change: TreeRowsChange): void {
    const hook = hookOf(container);
    const project = hook && this.knownGroup(projectOf(container) ?? '');
    const row = project instanceof ProjectNode ? project.rowOf(hook?.service ?? '') : undefined;
    if (row) change.repaint(row);
  }

  /** Repaints the rows of a project and of some of its services: they count hidden containers. */
  #repaintCounts(project: string, services: ReadonlySet<string>, change: TreeRowsChange): void {
    const group = this.knownGroup(project);
    if (!(group instanceof ProjectNode)) return;
    group.touchHidden();
    change.repaint(group);
    for (const service of services) {
      const row = group.rowOf(service);
      if (row instanceof ServiceNode) change.repaint(row);
    }
  }

  #followOrphans(): void {
    const { orphans } = this.context;
    if (!orphans) return;
    this.store.listen(orphans.onDidChange, (key) => {
      const all = [...this.#nodes.values()].map(({ container }) => container);
      const changed = all.filter((one) => orphanKey(one) === key);
      // It counts the services that have no container.
      for (const one of changed) this.#recount(one);
      this.updateAll(changed.map(({ id }) => id));
    });
  }

  #followWorktrees(): void {
    const { worktrees } = this.context;
    if (!worktrees) return;
    this.store.listen(worktrees.onDidChange, (project) => {
      const group = this.knownGroup(project);
      if (group) this.change((change) => change.repaint(group));
    });
  }

  #isIncluded(container: Container): boolean {
    const { isHiding } = this.#arrangement;
    if (isHiding && hasExited(container) && !this.#isRestarting(container)) return false;
    return isMatch(this.#filter, () => containerFacts(container, this.context));
  }

  /** A container that is restarting keeps its row, although it is down for a moment. */
  #isRestarting(container: Container): boolean {
    return this.context.activity.verbOf(container.id) === 'restarting';
  }

  #isUp(container: Container): boolean {
    return isUp(container) || this.#isRestarting(container);
  }

  #make(container: Container, change: TreeRowsChange): void {
    const key = this.#order.groupOf(container);
    const parent = key === undefined ? this.top : this.groupOf(key, change);
    const node = new ContainerNode(this.engine, container, this.#isUp(container), parent);
    this.#nodes.set(container.id, node);
    this.context.orphans?.follow(container);
    this.context.worktrees?.follow(container);
    this.add(node, change);
    // Its count changes, and with a second container of a service its rows.
    if (node.group) change.repaint(node.group);
  }

  #drop(node: ContainerNode, change: TreeRowsChange): void {
    const { group, projectNode } = node;
    const service = projectNode?.serviceNodeOf(node);
    this.drop(node, change);
    if (service && service.size < 2) {
      change.stale.delete(service);
      change.gone.add(service);
    }
    if (group && group.size > 0) change.repaint(group);
  }

  #update(node: ContainerNode, container: Container, change: TreeRowsChange): void {
    const { projectNode: group } = node;
    const isUp = this.#isUp(container);
    const before = node.container;
    const isMoved =
      before.name !== container.name || this.#order.keyOf(before) !== this.#order.keyOf(container);
    const isGroupStale = group?.update(node, container, isUp) ?? false;
    if (!group) node.update(container, isUp);
    if (isMoved) this.move(node, change);
    else change.repaint(node);
    if (!group || !isGroupStale) return;
    change.repaint(group);
    const service = group.serviceNodeOf(node);
    if (service) change.repaint(service);
  }
}

type Root = ContainerNode | ProjectNode | ContainerGroupNode;

/** The containers of projects that have no row: they are stopped, or the filter does not find them. The rows of their projects count them. */
class HiddenMembers {
  readonly #all = new Map<string, Container>();
  readonly #projects = new Map<string, HiddenOfProject>();

  get(id: string): Container | undefined {
    return this.#all.get(id);
  }

  of(project: string): readonly Container[] {
    return [...(this.#projects.get(project)?.all.values() ?? [])];
  }

  /** Returns those of hooks among them: the rows of their services show that one has failed. */
  hooksOf(project: string): readonly Container[] {
    return [...(this.#projects.get(project)?.hooks.values() ?? [])];
  }

  /**
   * Records that a container is hidden, or, without it, that it is not.
   *
   * @returns what it was and is, if that has changed.
   */
  set(id: string, container: Container | undefined): readonly Container[] {
    const before = this.#all.get(id);
    if (before === container) return [];
    this.#all.delete(id);
    if (before) this.#drop(before);
    if (container) this.#add(container);
    return [before, container].filter((one) => one !== undefined);
  }

  #add(container: Container): void {
    const project = projectOf(container);
    if (project === undefined) return;
    this.#all.set(container.id, container);
    const hidden = this.#projects.get(project) ?? { all: new Map(), hooks: new Map() };
    this.#projects.set(project, hidden);
    hidden.all.set(container.id, container);
    if (hookOf(container)) hidden.hooks.set(container.id, container);
  }

  #drop(container: Container): void {
    const project = projectOf(container) ?? '';
    const hidden = this.#projects.get(project);
    hidden?.all.delete(container.id);
    hidden?.hooks.delete(container.id);
    if (hidden?.all.size === 0) this.#projects.delete(project);
  }
}

interface HiddenOfProject {
  readonly all: Map<string, Container>;
  readonly hooks: Map<string, Container>;
}
