import type { Image } from '../../engine/model.ts';
import type { RenderContext, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import { imageTooltip, presentImage } from './presentImage.ts';

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
