import type { LayerState } from '../../transfers/layerProgress.ts';
import type { Transfer } from '../../transfers/transfer.ts';
import type { RowPresentation, RenderContext, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import {
  presentLayer,
  presentTransfer,
  transferTooltip,
  type DescribeError,
} from './presentTransfer.ts';
import { formatLine } from '../format.ts';

/** The row of a pull or a push, with a row for each of its layers below. */
export class TransferNode extends TreeNode {
  readonly transfer: Transfer;
  readonly #describe: DescribeError;
  readonly #layers = new Map<string, LayerNode>();

  /** @param describe says an error in a sentence. */
  constructor(transfer: Transfer, describe: DescribeError, parent?: TreeNode) {
    super(transfer.spec.engine, `${transfer.spec.kind}/${transfer.id}`, parent);
    this.transfer = transfer;
    this.#describe = describe;
  }

  /** A layer keeps its row, whatever happens to it. Where nothing moves any more none is worth a row. */
  override get children(): readonly LayerNode[] | undefined {
    const { phase, layers } = this.transfer;
    if (phase === 'failed' || layers.length === 0) return undefined;
    return layers.map((layer) => {
      const known = this.#layers.get(layer.id);
      known?.update(layer);
      if (known) return known;
      const node = new LayerNode(this, layer);
      this.#layers.set(layer.id, node);
      return node;
    });
  }

  present({ l10n }: RenderContext): RowPresentation {
    return presentTransfer(this.transfer, this.#describe, l10n);
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return transferTooltip(this.transfer, this.#describe, l10n);
  }
}

/** The row of one layer of a pull or a push. */
export class LayerNode extends TreeNode {
  readonly #parent: TransferNode;
  #layer: LayerState;

  constructor(parent: TransferNode, layer: LayerState) {
    const { engine, kind } = parent.transfer.spec;
    super(engine, `${kind}/${parent.transfer.id}/${layer.id}`, parent);
    this.#parent = parent;
    this.#layer = layer;
  }

  /** As the engine told of it last. */
  update(layer: LayerState): void {
    this.#layer = layer;
  }

  present({ l10n }: RenderContext): RowPresentation {
    return presentLayer(this.#layer, this.#parent.transfer.spec.kind, l10n);
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return [{ name: l10n.t('Layer'), value: formatLine(this.#layer.id) }];
  }
}
