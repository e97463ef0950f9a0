import { isTroubled, type Container, type Image } from '../engine/model.ts';
import { projectTitles } from './containers/compose.ts';
import { presentContainer, containerTooltip } from './containers/presentContainer.ts';
import { hasExited } from './containers/containerCondition.ts';
import { presentProject, projectTooltip } from './containers/presentProject.ts';
import { presentImage, imageTooltip } from './images/presentImage.ts';
import type { RowPresentation, RenderContext, TooltipRow } from './rowPresentation.ts';
import { byId, naturalOrder, SortedSet } from './sortedSet.ts';

/**
 * A row of a view. The same object represents the row for its lifetime, so that selection and expansion are
 * kept. Commands distinguish rows from plain arguments by this class.
 */
export abstract class TreeNode {
  /** Consists of the engine, the kind, and the engine's own ID, never of state. */
  readonly id: string;
  /** ID of the row's engine. */
  readonly engine: string;
  /** Undefined for a row of the first level. */
  readonly parent: TreeNode | undefined;

  protected constructor(engine: string, id: string, parent?: TreeNode) {
    this.id = `${engine}/${id}`;
    this.engine = engine;
    this.parent = parent;
  }

  /** The rows below, in order; undefined if the row cannot have any. */
  get children(): readonly TreeNode[] | undefined {
    return undefined;
  }

  /** Returns the current presentation. Has no side effects. */
  abstract present(context: RenderContext): RowPresentation;

  /** Returns the tooltip. Called only when it is shown. */
  abstract tooltip(context: RenderContext): readonly TooltipRow[];
}

/** A row that groups others. It exists as long as it has members. */
export abstract class GroupNode<Member extends TreeNode> extends TreeNode {
  /** Identifies the group among the groups of its engine. */
  readonly key: string;
  protected readonly members: SortedSet<Member>;

  protected constructor(
    engine: string,
    id: string,
    key: string,
    compare: (a: Member, b: Member) => number,
    parent?: TreeNode,
  ) {
    super(engine, id, parent);
    this.key = key;
    this.members = new SortedSet(compare);
  }

  override get children(): readonly Member[] {
    return this.members.ordered;
  }

  get size(): number {
    return this.members.size;
  }

  add(node: Member): void {
    this.members.add(node);
  }

  delete(node: Member): void {
    this.members.delete(node);
  }

  /** Notes that a member may have changed its position. */
  touch(): void {
    this.members.touch();
  }
}

/** The row of one container. */
export class ContainerNode extends TreeNode {
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

  /** The project row above, if any. */
  get projectNode(): ProjectNode | undefined {
    return this.parent instanceof ProjectNode ? this.parent : undefined;
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
    return presentContainer(this.#container, this.title, context);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return containerTooltip(this.#container, context);
  }
}

/** The row of one compose project. */
export class ProjectNode extends GroupNode<ContainerNode> {
  #titles: ReadonlyMap<string, string> | undefined;

  constructor(engine: string, project: string, parent?: TreeNode) {
    super(engine, `project/${project}`, project, compareContainerRows, parent);
  }

  /** Whether all containers have run and exited. */
  get hasExited(): boolean {
    return [...this.members.members].every(({ container }) => hasExited(container));
  }

  get title(): string {
    return this.key;
  }

  /** Returns the title of a container in the project. */
  titleOf(node: ContainerNode): string | undefined {
    this.#titles ??= projectTitles([...this.members.members].map((one) => one.container));
    return this.#titles.get(node.container.id);
  }

  override add(node: ContainerNode): void {
    super.add(node);
    this.#titles = undefined;
  }

  override delete(node: ContainerNode): void {
    super.delete(node);
    this.#titles = undefined;
  }

  /** Updates a container. Returns whether this row has changed its appearance. */
  update(node: ContainerNode, container: Container, isUp: boolean): boolean {
    const isSame = node.isUp === isUp && isTroubled(node.container) === isTroubled(container);
    if (node.container.name !== container.name) {
      this.touch();
      this.#titles = undefined;
    }
    node.update(container, isUp);
    return !isSame;
  }

  present({ l10n }: RenderContext): RowPresentation {
    return presentProject(this.key, [...this.members.members], l10n);
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return projectTooltip(this.key, this.children, l10n);
  }
}

/** The row of one tag of an image, or of a dangling image. */
export class ImageNode extends TreeNode {
  /** `repository:tag`; undefined for a dangling image. */
  readonly reference: string | undefined;
  /** Title in a group, without the part that the group already shows. */
  readonly #title: string | undefined;
  #image: Image;

  constructor(
    engine: string,
    image: Image,
    reference: string | undefined,
    parent?: TreeNode,
    title?: string,
  ) {
    super(engine, `image/${image.id}/${reference ?? ''}`, parent);
    this.reference = reference;
    this.#image = image;
    this.#title = title;
  }

  /** Latest state from the inventory. */
  get image(): Image {
    return this.#image;
  }

  update(image: Image): void {
    this.#image = image;
  }

  present(context: RenderContext): RowPresentation {
    return presentImage(this.#image, this.reference, context, this.#title);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return imageTooltip(this.#image, this.reference, context);
  }
}

/**
 * Compares rows: projects before single containers, then by name. Not by state: if a row moved when its
 * container stops, the next click could hit another container.
 */
export function compareContainerRows(
  a: ContainerNode | ProjectNode,
  b: ContainerNode | ProjectNode,
): number {
  return (
    Number(b instanceof ProjectNode) - Number(a instanceof ProjectNode) ||
    naturalOrder(a.title, b.title) ||
    byId(a, b)
  );
}

/** What a row stands for, if commands work on it. */
export type TargetKind = 'container' | 'image' | 'volume' | 'network';
