import { isTroubled, type Container } from '../../engine/model.ts';
import type { ProjectFiles } from '../../projects/projectFiles.ts';
import { hookOf, serviceOf } from '../../projects/projectLabels.ts';
import type {
  RenderContext,
  RowPresentation,
  ShownWorktree,
  TooltipRow,
} from '../rowPresentation.ts';
import { GroupNode, TreeNode } from '../treeNode.ts';
import type { Pin } from '../arrangement/pins.ts';
import { PLAIN } from '../arrangement/arrangements.ts';
import { hasExited } from './containerCondition.ts';
import {
  containerOrder,
  containerPin,
  type ContainerOrder,
  type OrderedRow,
} from './containerOrder.ts';
import { containerTooltip, presentContainer } from './presentContainer.ts';
import {
  presentProject,
  presentService,
  projectTooltip,
  serviceTooltip,
  type ProjectMember,
} from './presentProject.ts';
import { projectTitles } from './projectTitles.ts';

export class ContainerNode extends TreeNode implements OrderedRow {
  readonly isGroup = false;
  #container: Container;
  #isUp: boolean;

  constructor(engine: string, container: Container, isUp: boolean, parent?: TreeNode) {
    super(engine, `container/${container.id}`, parent);
    this.#container = container;
    this.#isUp = isUp;
  }

  /** Latest state from the inventory. */
  get container(): Container {
    return this.#container;
  }

  /** Whether the container counts as up. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The service row if its service has several containers, else the project row, if any. */
  override get parent(): TreeNode | undefined {
    return this.projectNode?.serviceNodeOf(this) ?? super.parent;
  }

  /** The row of its group, if any: the project, also if there is one of the service between. */
  get group(): GroupNode<ContainerNode> | undefined {
    const parent = super.parent;
    return parent instanceof GroupNode ? (parent as GroupNode<ContainerNode>) : undefined;
  }

  /** The project row above, if any. */
  get projectNode(): ProjectNode | undefined {
    const { group } = this;
    return group instanceof ProjectNode ? group : undefined;
  }

  get sample(): Container {
    return this.#container;
  }

  get pin(): Pin {
    return containerPin(this.engine, this.#container);
  }

  /** Name in the view: in a project the service, if that is unique. */
  get title(): string {
    return this.projectNode?.titleOf(this) ?? this.#container.name;
  }

  /** For a row below a project, called only by {@link ProjectNode.update}. */
  update(container: Container, isUp: boolean): void {
    this.#container = container;
    this.#isUp = isUp;
  }

  present(context: RenderContext): RowPresentation {
    const service = this.projectNode && serviceOf(this.#container);
    return presentContainer(this.#container, this.title, context, {
      failedHook: service === undefined ? undefined : this.projectNode?.failedHookOf(service),
      isPinned: context.pins?.has(this.pin),
    });
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return containerTooltip(this.#container, context);
  }
}

/** The row of a service with several containers, below its project. */
export class ServiceNode extends GroupNode<ContainerNode> implements OrderedRow {
  /** It is among the containers of its project. */
  readonly isGroup = false;
  readonly project: ProjectNode;

  constructor(project: ProjectNode, service: string) {
    const id = `service/${JSON.stringify([project.key, service])}`;
    super(project.engine, id, service, project.compare, project);
    this.project = project;
  }

  get sample(): Container | undefined {
    return this.containers[0]?.container;
  }

  get pin(): Pin {
    return [this.engine, 'service', this.project.key, this.key];
  }

  get title(): string {
    return this.key;
  }

  get containers(): readonly ContainerNode[] {
    return this.members.ordered;
  }

  /** Whether all containers have run and exited. */
  get hasExited(): boolean {
    return this.containers.every(({ container }) => hasExited(container));
  }

  present({ pins, usageOf }: RenderContext): RowPresentation {
    const { size } = this;
    return presentService(this.key, this.#counted, {
      failedHook: this.project.failedHookOf(this.key),
      shown: this.project.isFiltered ? size : undefined,
      isPinned: pins?.has(this.pin),
      usage: usageOf?.(this.containers.map(({ container }) => container.id)),
    });
  }

  tooltip(): readonly TooltipRow[] {
    return serviceTooltip(this.key, this.#counted);
  }

  /** Its containers that the filter does not find. */
  get notFound(): readonly ProjectMember[] {
    return this.project.isFiltered ? this.project.hiddenOf(this.key) : [];
  }

  get #counted(): readonly ProjectMember[] {
    return [...this.containers, ...this.project.hiddenOf(this.key)];
  }
}

/** What a project has to know of the other rows. */
interface ProjectSurroundings {
  readonly compare: ContainerOrder['compare'];
  /** Whether a filter decides which of its containers have a row. */
  readonly isFiltered: () => boolean;
  /** Returns its containers that have no row: all, and those of hooks among them. */
  readonly hidden: () => readonly Container[];
  readonly hiddenHooks: () => readonly Container[];
  readonly isUp: (container: Container) => boolean;
}

const ALONE: ProjectSurroundings = {
  compare: containerOrder(PLAIN, {}).compare,
  isFiltered: () => false,
  hidden: () => [],
  hiddenHooks: () => [],
  isUp: () => false,
};

/** The row of one compose project or swarm stack. */
export class ProjectNode extends GroupNode<ContainerNode> implements OrderedRow {
  readonly isGroup = true;
  readonly compare: ContainerOrder['compare'];
  #titles: ReadonlyMap<string, string> | undefined;
  #rows: readonly (ContainerNode | ServiceNode)[] | undefined;
  #hidden: readonly ProjectMember[] | undefined;
  #hiddenByService: ReadonlyMap<string | undefined, readonly ProjectMember[]> | undefined;
  /** Also those with one container, whose rows are not shown. */
  readonly #services = new Map<string, ServiceNode>();

  /** The containers of hooks, by their service. */
  readonly #hooks = new Map<string, Set<ContainerNode>>();
  readonly #around: ProjectSurroundings;

  constructor(engine: string, project: string, parent?: TreeNode, around = ALONE) {
    super(engine, `project/${project}`, project, around.compare, parent);
    this.#around = around;
    this.compare = around.compare;
  }

  get sample(): Container | undefined {
    const [first] = this.members.members;
    return first?.container;
  }

  get pin(): Pin {
    return [this.engine, 'project', this.key];
  }

  get isFiltered(): boolean {
    return this.#around.isFiltered();
  }

  /** Its containers that the filter does not find. */
  get notFound(): readonly ProjectMember[] {
    return this.isFiltered ? this.hidden : [];
  }

  override get children(): readonly (ContainerNode | ServiceNode)[] {
    return (this.#rows ??= this.#arranged());
  }

  get containers(): readonly ContainerNode[] {
    return this.members.ordered;
  }

  /** Its containers that have no row: they are stopped, or the filter does not find them. */
  get hidden(): readonly ProjectMember[] {
    return (this.#hidden ??= this.#hiddenMembers());
  }

  /** Returns those of a service among its hidden containers. */
  hiddenOf(service: string): readonly ProjectMember[] {
    this.#hiddenByService ??= Map.groupBy(this.hidden, ({ container }) => serviceOf(container));
    return this.#hiddenByService.get(service) ?? [];
  }

  /** Marks that its hidden containers have changed. */
  touchHidden(): void {
    // Under a filter, titles depend on them.
    if (this.isFiltered) this.touch();
    else this.#forgetHidden();
  }

  /** Whether all containers have run and exited. */
  get hasExited(): boolean {
    return [...this.members.members].every(({ container }) => hasExited(container));
  }

  get title(): string {
    return this.key;
  }

  titleOf(node: ContainerNode): string | undefined {
    // Under a filter, a replica does not look like the only one.
    this.#titles ??= this.#titlesWith(this.isFiltered ? this.#around.hidden() : []);
    return this.#titles.get(node.container.id);
  }

  /** Returns the row of a container's service if it has several containers. */
  serviceNodeOf({ container }: ContainerNode): ServiceNode | undefined {
    const service = this.#services.get(serviceOf(container) ?? '');
    return service && service.size > 1 ? service : undefined;
  }

  /** Returns the row that stands for a service: that of its only container, or the one above them. */
  rowOf(service: string): ServiceNode | ContainerNode | undefined {
    const row = this.#services.get(service);
    return row && row.size < 2 ? row.containers[0] : row;
  }

  /** Returns the container of a hook that failed, so that its service did not start. */
  failedHookOf(service: string): Container | undefined {
    const shown = [...(this.#hooks.get(service) ?? [])].map(({ container }) => container);
    const hidden = this.#around.hiddenHooks().filter((one) => hookOf(one)?.service === service);
    return [...shown, ...hidden].find((one) => hasExited(one) && (one.exitCode ?? 0) !== 0);
  }

  override add(node: ContainerNode): void {
    super.add(node);
    const service = serviceOf(node.container);
    if (service !== undefined) {
      const row = this.#services.get(service) ?? new ServiceNode(this, service);
      this.#services.set(service, row);
      row.add(node);
    }
    const hook = hookOf(node.container);
    if (hook) this.#hooks.set(hook.service, (this.#hooks.get(hook.service) ?? new Set()).add(node));
    this.#forget();
  }

  override delete(node: ContainerNode): void {
    super.delete(node);
    this.#services.get(serviceOf(node.container) ?? '')?.delete(node);
    this.#hooks.get(hookOf(node.container)?.service ?? '')?.delete(node);
    this.#forget();
  }

  override touch(): void {
    super.touch();
    for (const service of this.#services.values()) service.touch();
    this.#forget();
  }

  /** Updates a container. Returns whether this row and that of the service have changed their appearance. */
  update(node: ContainerNode, container: Container, isUp: boolean): boolean {
    const { state, exitCode, name } = node.container;
    const isSame =
      node.isUp === isUp &&
      isTroubled(node.container) === isTroubled(container) &&
      state === container.state &&
      exitCode === container.exitCode;
    const isRenamed = name !== container.name;
    node.update(container, isUp);
    if (isRenamed) this.touch();
    return !isSame;
  }

  present({ orphans, worktrees, pins, usageOf }: RenderContext): RowPresentation {
    const members = [...this.members.members, ...this.hidden];
    const worktree = this.#worktree(worktrees);
    return presentProject(this.key, members, {
      files: this.#files(orphans),
      title: worktree?.title,
      places: worktree?.parts,
      icon: worktree?.icon,
      shown: this.isFiltered ? this.size : undefined,
      isPinned: pins?.has(this.pin),
      usage: usageOf?.(this.containers.map(({ container }) => container.id)),
    });
  }

  tooltip({ orphans, worktrees }: RenderContext): readonly TooltipRow[] {
    const members = [...this.containers, ...this.hidden];
    const containers = members.map(({ container }) => container);
    return [
      ...projectTooltip(this.key, members, this.#files(orphans)),
      ...(this.#worktree(worktrees)?.tooltip(this.engine, containers) ?? []),
    ];
  }

  #worktree(worktrees: RenderContext['worktrees']): ShownWorktree | undefined {
    const { sample } = this;
    return sample && worktrees?.of(sample);
  }

  /** Returns what is known of its compose files, which are read for the rows of orphans. */
  #files(orphans: RenderContext['orphans']): ProjectFiles | undefined {
    const [first] = this.containers;
    return first && orphans?.filesOf(first.container);
  }

  #forget(): void {
    this.#titles = undefined;
    this.#rows = undefined;
    this.#forgetHidden();
  }

  #forgetHidden(): void {
    this.#hidden = undefined;
    this.#hiddenByService = undefined;
  }

  #hiddenMembers(): readonly ProjectMember[] {
    const hidden = this.#around.hidden();
    if (hidden.length === 0) return [];
    const titles = this.#titlesWith(hidden);
    const { isUp } = this.#around;
    return hidden.map((container) => ({
      container,
      title: titles.get(container.id) ?? container.name,
      // Depends on operations too, which change nothing in the list.
      get isUp() {
        return isUp(container);
      },
    }));
  }

  #titlesWith(hidden: readonly Container[]): ReadonlyMap<string, string> {
    const shown = [...this.members.members].map(({ container }) => container);
    return projectTitles([...shown, ...hidden]);
  }

  #arranged(): readonly (ContainerNode | ServiceNode)[] {
    const services = [...this.#services.values()].filter(({ size }) => size > 1);
    const others = this.containers.filter((one) => this.serviceNodeOf(one) === undefined);
    return [...services, ...others].sort(this.compare);
  }
}
