import type { Volume } from '../../engine/model.ts';
import type { RenderContext, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import { presentVolume, volumeTooltip } from './presentVolume.ts';

export class VolumeNode extends TreeNode {
  #volume: Volume;

  constructor(engine: string, volume: Volume, parent?: TreeNode) {
    super(engine, `volume/${volume.name}`, parent);
    this.#volume = volume;
  }

  /** Latest state from the inventory. */
  get volume(): Volume {
    return this.#volume;
  }

  update(volume: Volume): void {
    this.#volume = volume;
  }

  present(context: RenderContext): RowPresentation {
    return presentVolume(this.#volume, context);
  }

  tooltip(context: RenderContext): readonly TooltipRow[] {
    return volumeTooltip(this.#volume, context);
  }
}
