import { isUp, type Container } from '../../engine/model.ts';
import { orphanKey } from '../../projects/orphans.ts';
import { hookOf, projectOf } from '../../projects/projectLabels.ts';
import { GroupedRows } from '../groupedRows.ts';
import { hasExited } from './containerCondition.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { compareContainerRows, ContainerNode, ProjectNode } from './containerNode.ts';
import type { TreeNode } from '../treeNode.ts';

/** The rows of the Containers view. Containers of a compose project are grouped below a project row. */
export class ContainerRows extends GroupedRows<ContainerNode, ProjectNode> {
  readonly #nodes = new Map<string, ContainerNode>();
  readonly #hidden = new HiddenMembers();
  /** The projects whose hidden containers have changed. */
  readonly #counted = new Set<string>();
  #hideStopped: boolean;

  constructor(engine: string, context: RenderContext, hideStopped: boolean, top?: TreeNode) {
    super(engine, context, top);
    this.#hideStopped = hideStopped;
    this.#followOrphans();
    this.updateAll(context.inventory.containers.keys());
    this.follow(({ containers }) => containers);
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(id: string): ContainerNode | undefined {
    return this.#nodes.get(id);
  }

  setHideStopped(hideStopped: boolean): void {
    this.#hideStopped = hideStopped;
    this.updateAll(this.context.inventory.containers.keys());
  }

  protected compare(a: ContainerNode | ProjectNode, b: ContainerNode | ProjectNode): number {
    return compareContainerRows(a, b);
  }

  protected makeGroup(project: string): ProjectNode {
    return new ProjectNode(this.engine, project, this.top, {
      all: () => this.#hidden.of(project),
      hooks: () => this.#hidden.hooksOf(project),
    });
  }

  protected updateOne(id: string, change: TreeRowsChange): void {
    const container = this.context.inventory.containers.get(id);
    const node = this.#nodes.get(id);
    const changed = container ?? node?.container ?? this.#hidden.get(id);
    const isShown = container !== undefined && this.#isIncluded(container);
    // Engines do not change labels. If one does, the container gets a new row.
    const isKept = isShown && node?.projectNode?.key === projectOf(container);
    if (node && !isKept) {
      this.#nodes.delete(id);
      this.#drop(node, change);
    }
    if (node && isKept) this.#update(node, container, change);
    else if (isShown) this.#make(container, change);
    for (const project of this.#hidden.set(id, isShown ? undefined : container))
      this.#counted.add(project);
    if (changed) this.#repaintServiceOf(changed, change);
  }

  protected override finish(change: TreeRowsChange): void {
    for (const project of this.#counted) this.#repaintGroup(project, change);
    this.#counted.clear();
  }

  /** Repaints the row of the service that a hook belongs to: it shows that the hook has failed. */
  #repaintServiceOf(container: Container, change: TreeRowsChange): void {
    const hook = hookOf(container);
    const row = hook && this.knownGroup(projectOf(container) ?? '')?.rowOf(hook.service);
    if (row) change.repaint(row);
  }

  /** Repaints a project and the services in it. */
  #repaintGroup(project: string, change: TreeRowsChange): void {
    const group = this.knownGroup(project);
    if (!group) return;
    for (const row of [group, ...group.children])
      if (!(row instanceof ContainerNode)) change.repaint(row);
  }

  #followOrphans(): void {
    const { orphans } = this.context;
    if (!orphans) return;
    this.store.listen(orphans.onDidChange, (key) => {
      const all = [...this.#nodes.values()].map(({ container }) => container);
      const changed = all.filter((one) => orphanKey(one) === key);
      // It counts the services that have no container.
      for (const one of changed) this.#counted.add(projectOf(one) ?? '');
      this.updateAll(changed.map(({ id }) => id));
    });
  }

  #isIncluded(container: Container): boolean {
    return !this.#hideStopped || !hasExited(container) || this.#isRestarting(container);
  }

  /** A container that is restarting keeps its row, although it is down for a moment. */
  #isRestarting(container: Container): boolean {
    return this.context.activity.verbOf(container.id) === 'restarting';
  }

  #isUp(container: Container): boolean {
    return isUp(container) || this.#isRestarting(container);
  }

  #make(container: Container, change: TreeRowsChange): void {
    const project = projectOf(container);
    const parent = project === undefined ? this.top : this.groupOf(project, change);
    const node = new ContainerNode(this.engine, container, this.#isUp(container), parent);
    this.#nodes.set(container.id, node);
    this.context.orphans?.follow(container);
    this.add(node, change);
    // Its count changes, and with a second container of a service its rows.
    if (node.projectNode) change.repaint(node.projectNode);
  }

  #drop(node: ContainerNode, change: TreeRowsChange): void {
    const { projectNode: project } = node;
    const service = project?.serviceNodeOf(node);
    this.drop(node, change);
    if (service && service.size < 2) {
      change.stale.delete(service);
      change.gone.add(service);
    }
    if (project && project.size > 0) change.repaint(project);
  }

  #update(node: ContainerNode, container: Container, change: TreeRowsChange): void {
    const { projectNode: group } = node;
    const isUp = this.#isUp(container);
    const isRenamed = node.container.name !== container.name;
    const isGroupStale = group?.update(node, container, isUp) ?? false;
    if (!group) node.update(container, isUp);
    if (isRenamed) this.move(node, change);
    else change.repaint(node);
    if (!group || !isGroupStale) return;
    change.repaint(group);
    const service = group.serviceNodeOf(node);
    if (service) change.repaint(service);
  }
}

/** The containers of projects that have no row because they are stopped. The rows of their projects count them. */
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
   * @returns the projects whose hidden containers have changed.
   */
  set(id: string, container: Container | undefined): ReadonlySet<string> {
    const before = this.#all.get(id);
    if (before === container) return new Set();
    this.#all.delete(id);
    const changed = [before, container].flatMap((one) => (one && projectOf(one)) ?? []);
    for (const project of changed) this.#drop(id, project);
    if (container) this.#add(container);
    return new Set(changed);
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

  #drop(id: string, project: string): void {
    const hidden = this.#projects.get(project);
    hidden?.all.delete(id);
    hidden?.hooks.delete(id);
    if (hidden?.all.size === 0) this.#projects.delete(project);
  }
}

interface HiddenOfProject {
  readonly all: Map<string, Container>;
  readonly hooks: Map<string, Container>;
}
