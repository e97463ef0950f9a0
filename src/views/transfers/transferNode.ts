import * as l10n from '@vscode/l10n';
import type { LayerState } from '../../registries/transfers/layerProgress.ts';
import type { Transfer } from '../../registries/transfers/transfer.ts';
import type { DescribeError, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import { formatLine } from '../format.ts';
import { presentLayer, presentTransfer, transferTooltip } from './presentTransfer.ts';

/** The row of a pull or push, with one row per layer below. */
export class TransferNode extends TreeNode {
  readonly transfer: Transfer;
  readonly #describe: DescribeError;
  readonly #layers = new Map<string, LayerNode>();

  constructor(transfer: Transfer, describe: DescribeError, parent?: TreeNode) {
    super(transfer.spec.engine, `${transfer.spec.kind}/${transfer.id}`, parent);
    this.transfer = transfer;
    this.#describe = describe;
  }

  /** A layer keeps its row in all phases. A failed transfer shows no layers. */
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

  present(): RowPresentation {
    return presentTransfer(this.transfer, this.#describe);
  }

  tooltip(): readonly TooltipRow[] {
    return transferTooltip(this.transfer, this.#describe);
  }
}

/** The row of one layer of a pull or push. */
class LayerNode extends TreeNode {
  readonly #parent: TransferNode;
  #layer: LayerState;

  constructor(parent: TransferNode, layer: LayerState) {
    const { engine, kind } = parent.transfer.spec;
    super(engine, `${kind}/${parent.transfer.id}/${layer.id}`, parent);
    this.#parent = parent;
    this.#layer = layer;
  }

  /** Updates to the latest state from the engine. */
  update(layer: LayerState): void {
    this.#layer = layer;
  }

  present(): RowPresentation {
    return presentLayer(this.#layer, this.#parent.transfer.spec.kind);
  }

  tooltip(): readonly TooltipRow[] {
    return [{ name: l10n.t('Layer'), value: formatLine(this.#layer.id) }];
  }
}
