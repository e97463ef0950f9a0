import { isUp, type Container } from '../../engine/model.ts';
import { DisposableStore, Emitter, type Disposable } from '../../lifetime.ts';
import { projectOf } from './compose.ts';
import { hasExited } from './containerCondition.ts';
import type { RenderContext } from '../rowPresentation.ts';
import { compareContainerRows, ContainerNode, ProjectNode, type TreeNode } from '../treeNode.ts';
import { ChangeBuilder, type Rows, type TreeRowsChange } from '../rows.ts';
import { naturalOrder, SortedSet } from '../sortedSet.ts';

/** The rows of the containers view: containers, those of a compose project below a row of its own. */
export class ContainerRows implements Rows, Disposable {
  readonly #engine: string;
  readonly #top: TreeNode | undefined;
  readonly #context: RenderContext;
  readonly #natural = naturalOrder();
  readonly #nodes = new Map<string, ContainerNode>();
  readonly #groups = new Map<string, ProjectNode>();
  readonly #roots = new SortedSet<ContainerNode | ProjectNode>((a, b) =>
    compareContainerRows(a, b, this.#natural),
  );
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<TreeRowsChange>());
  #filter: ContainerFilter;

  readonly onDidChange = this.#changes.event;

  /** @param top the row that all of them stand below, where there is one. */
  constructor(engine: string, scene: RenderContext, filter: ContainerFilter, top?: TreeNode) {
    this.#engine = engine;
    this.#top = top;
    this.#context = scene;
    this.#filter = filter;
    this.#take(scene.inventory.containers.keys());
    this.#store.add(
      scene.inventory.onDidChange(({ containers }) => {
        this.#take(containers);
      }),
    );
    this.#store.add(
      scene.activity.onDidChange((ids) => {
        // A verb mostly ends a moment before the list tells what it did.
        this.#take(
          ids,
          [...ids].every((id) => scene.activity.verbOf(id) === undefined),
        );
      }),
    );
  }

  get roots(): readonly (ContainerNode | ProjectNode)[] {
    return this.#roots.ordered;
  }

  /** How many containers are shown. */
  get size(): number {
    return this.#nodes.size;
  }

  find(id: string): ContainerNode | undefined {
    return this.#nodes.get(id);
  }

  setFilter(filter: ContainerFilter): void {
    this.#filter = filter;
    this.#take(this.#context.inventory.containers.keys());
  }

  dispose(): void {
    this.#store.dispose();
  }

  #take(ids: Iterable<string>, canWait = false): void {
    const change = new ChangeBuilder(canWait);
    for (const id of ids) this.#takeOne(id, change);
    if (!change.isEmpty) this.#changes.fire(change);
  }

  #takeOne(id: string, change: ChangeBuilder): void {
    const container = this.#context.inventory.containers.get(id);
    const node = this.#nodes.get(id);
    const isShown = container !== undefined && this.#isIncluded(container);
    // Labels never change in an engine; should they, it is another row.
    const isKept = isShown && node?.projectNode?.project === projectOf(container);
    if (node && !isKept) this.#remove(node, change);
    if (!isShown) return;
    if (node && isKept) this.#update(node, container, change);
    else this.#add(container, change);
  }

  #isIncluded(container: Container): boolean {
    return !this.#filter.hideStopped || !hasExited(container) || this.#isRestarting(container);
  }

  /** One that is being restarted keeps its place, although it is down for a moment. */
  #isRestarting(container: Container): boolean {
    return this.#context.activity.verbOf(container.id) === 'restarting';
  }

  #isUp(container: Container): boolean {
    return isUp(container) || this.#isRestarting(container);
  }

  #add(container: Container, change: ChangeBuilder): void {
    const project = projectOf(container);
    const group = project === undefined ? undefined : this.#groupOf(project, change);
    const node = new ContainerNode(
      this.#engine,
      container,
      this.#isUp(container),
      group ?? this.#top,
    );
    this.#nodes.set(container.id, node);
    if (group) group.add(node);
    else this.#roots.add(node);
    change.move(node);
  }

  #remove(node: ContainerNode, change: ChangeBuilder): void {
    const { projectNode } = node;
    this.#nodes.delete(node.container.id);
    change.remove(node);
    if (!projectNode) {
      this.#roots.delete(node);
      return;
    }
    projectNode.delete(node);
    if (projectNode.size > 0) return;
    this.#groups.delete(projectNode.project);
    this.#roots.delete(projectNode);
    change.remove(projectNode);
  }

  #update(node: ContainerNode, container: Container, change: ChangeBuilder): void {
    const { projectNode: group } = node;
    const isUp = this.#isUp(container);
    const isRenamed = node.container.name !== container.name;
    const isGroupStale = group?.update(node, container, isUp) ?? false;
    if (!group) node.update(container, isUp);
    if (isRenamed && !group) this.#roots.touch();
    if (isRenamed) change.move(node);
    else change.repaint(node);
    if (group && isGroupStale) change.repaint(group);
  }

  #groupOf(project: string, change: ChangeBuilder): ProjectNode {
    const known = this.#groups.get(project);
    if (known) return known;
    const group = new ProjectNode(this.#engine, project, this.#natural, this.#top);
    this.#groups.set(project, group);
    this.#roots.add(group);
    change.move(group);
    return group;
  }
}

/** What a person chose to see. */
export interface ContainerFilter {
  readonly hideStopped: boolean;
}
