import { isTroubled, type Container, type Image } from '../engine/model.ts';
import { projectTitles } from './containers/compose.ts';
import { presentContainer, containerTooltip } from './containers/presentContainer.ts';
import { hasExited } from './containers/containerCondition.ts';
import {
  presentProject,
  projectTooltip,
  type ProjectSummary,
} from './containers/presentProject.ts';
import { presentImage, imageTooltip } from './images/presentImage.ts';
import type { RowPresentation, RenderContext, TooltipRow } from './rowPresentation.ts';
import { SortedSet, type NaturalOrder } from './sortedSet.ts';

/**
 * A row of a view. One object stands for it as long as it is there, whatever happens to it: so selection and
 * expansion stay. Commands tell it from a plain argument by this class.
 */
export abstract class TreeNode {
  /** Engine, kind and the engine's own id; never state. */
  readonly id: string;
  /** The id of the engine it belongs to. */
  readonly engine: string;
  /** Undefined for a row of the first level. */
  readonly parent: TreeNode | undefined;

  protected constructor(engine: string, id: string, parent?: TreeNode) {
    this.id = `${engine}/${id}`;
    this.engine = engine;
    this.parent = parent;
  }

  /** The rows below, in order; undefined where there can be none. */
  get children(): readonly TreeNode[] | undefined {
    return undefined;
  }

  /** How it looks now. Changes nothing. */
  abstract present(scene: RenderContext): RowPresentation;

  /** What it tells when pointed at; only asked for then. */
  abstract tooltip(scene: RenderContext): readonly TooltipRow[];
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

  /** As the inventory had it last. */
  get container(): Container {
    return this.#container;
  }

  /** Whether it counts as up. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The project it stands below. */
  get projectNode(): ProjectNode | undefined {
    return this.parent instanceof ProjectNode ? this.parent : undefined;
  }

  /** The name it has here: inside a group its service's, where that says it. */
  get title(): string {
    return this.projectNode?.titleOf(this) ?? this.#container.name;
  }

  /** Of a row below a project, by {@link ProjectNode.update} alone. */
  update(container: Container, isUp: boolean): void {
    this.#container = container;
    this.#isUp = isUp;
  }

  present(scene: RenderContext): RowPresentation {
    return presentContainer(this.#container, this.title, scene);
  }

  tooltip(scene: RenderContext): readonly TooltipRow[] {
    return containerTooltip(this.#container, scene);
  }
}

/** The row of one compose project. */
export class ProjectNode extends TreeNode {
  readonly project: string;
  readonly #members: SortedSet<ContainerNode>;
  #titles: ReadonlyMap<string, string> | undefined;
  #up = 0;
  #troubled = 0;

  constructor(engine: string, project: string, natural: NaturalOrder, parent?: TreeNode) {
    super(engine, `project/${project}`, parent);
    this.project = project;
    this.#members = new SortedSet((a, b) => compareContainerRows(a, b, natural));
  }

  /** Whether all its containers have run and are over. */
  get hasExited(): boolean {
    return [...this.#members.members].every(({ container }) => hasExited(container));
  }

  override get children(): readonly ContainerNode[] {
    return this.#members.ordered;
  }

  get title(): string {
    return this.project;
  }

  get size(): number {
    return this.#members.size;
  }

  /** What a member is called inside the group. */
  titleOf(node: ContainerNode): string | undefined {
    this.#titles ??= projectTitles([...this.#members.members].map((one) => one.container));
    return this.#titles.get(node.container.id);
  }

  add(node: ContainerNode): void {
    this.#members.add(node);
    this.#titles = undefined;
    this.#count(node, 1);
  }

  delete(node: ContainerNode): void {
    this.#members.delete(node);
    this.#titles = undefined;
    this.#count(node, -1);
  }

  /** Takes what became of a member. Returns whether this row looks different. */
  update(node: ContainerNode, container: Container, isUp: boolean): boolean {
    const before = [this.#up, this.#troubled];
    this.#count(node, -1);
    if (node.container.name !== container.name) {
      this.#members.touch();
      this.#titles = undefined;
    }
    node.update(container, isUp);
    this.#count(node, 1);
    return before[0] !== this.#up || before[1] !== this.#troubled;
  }

  present({ l10n }: RenderContext): RowPresentation {
    return presentProject(this.#facts, l10n);
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return projectTooltip(this.#facts, this.children, l10n);
  }

  get #facts(): ProjectSummary {
    return { project: this.project, up: this.#up, troubled: this.#troubled, size: this.size };
  }

  #count({ isUp, container }: ContainerNode, sign: 1 | -1): void {
    if (isUp) this.#up += sign;
    if (isTroubled(container)) this.#troubled += sign;
  }
}

/** The row of one name of an image, or of an image without a name. */
export class ImageNode extends TreeNode {
  /** `repository:tag`; undefined for an image without one. */
  readonly reference: string | undefined;
  /** What it is called here: inside a group without what that says. */
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

  /** As the inventory had it last. */
  get image(): Image {
    return this.#image;
  }

  update(image: Image): void {
    this.#image = image;
  }

  present(scene: RenderContext): RowPresentation {
    return presentImage(this.#image, this.reference, scene, this.#title);
  }

  tooltip(scene: RenderContext): readonly TooltipRow[] {
    return imageTooltip(this.#image, this.reference, scene);
  }
}

/**
 * Projects before single containers, then by name. Not by state: a row that jumped under the pointer as its
 * container stopped would have the next click meet another one.
 */
export function compareContainerRows(
  a: ContainerNode | ProjectNode,
  b: ContainerNode | ProjectNode,
  natural: NaturalOrder,
): number {
  return (
    Number(b instanceof ProjectNode) - Number(a instanceof ProjectNode) ||
    natural(a.title, b.title) ||
    byId(a, b)
  );
}

function byId(a: TreeNode, b: TreeNode): number {
  return a.id < b.id ? -1 : 1;
}
