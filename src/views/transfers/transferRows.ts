import type { NewerImages } from '../../registries/transfers/newerImages.ts';
import type { Transfer } from '../../registries/transfers/transfer.ts';
import type { Transfers } from '../../registries/transfers/transfers.ts';
import type { ImageRows } from '../images/imageRows.ts';
import type { TreeNode } from '../treeNode.ts';
import { Rows, type TreeRowsChange } from '../rows.ts';
import type { DescribeError } from '../rowPresentation.ts';
import { TransferNode } from './transferNode.ts';

/** The pulls and pushes of an engine, above the rows of its images. */
export class TransferRows extends Rows {
  readonly own: ImageRows;
  readonly #options: TransferRowsOptions;
  /** By transfer ID, in order. */
  readonly #nodes = new Map<number, TransferNode>();

  constructor(own: ImageRows, parts: TransferRowsOptions) {
    super();
    this.own = this.store.add(own);
    this.#options = parts;
    const { transfers, newer } = parts;
    const { engine } = own;
    this.#update(transfers.all);
    this.store.add(this.forward(own));
    this.store.listen(transfers.onDidChange, (changed) => {
      this.#update([...changed].filter(({ spec }) => spec.engine === engine));
    });
    // Registered after the image rows: a pull is removed when its image appears, not before.
    this.store.listen(own.context.inventory.onDidChange, ({ images }) => {
      if (images.size === 0) return;
      const all = [...this.#nodes.values()].map((node) => node.transfer);
      this.#update(all.filter(({ phase }) => phase === 'done'));
    });
    this.store.listen(newer.onDidChange, (named) => {
      if (named.engine === engine) this.#repaintNamed(named.reference);
    });
  }

  get roots(): readonly TreeNode[] {
    return [...this.#nodes.values(), ...this.own.roots];
  }

  /** Number of visible rows of images. */
  get size(): number {
    return this.own.size;
  }

  find(id: string, reference?: string): TreeNode | undefined {
    return this.own.find(id, reference);
  }

  #update(transfers: Iterable<Transfer>): void {
    this.change((change) => {
      for (const transfer of transfers) this.#updateOne(transfer, change);
    });
  }

  #updateOne(transfer: Transfer, change: TreeRowsChange): void {
    const { transfers, describe } = this.#options;
    if (transfer.spec.engine !== this.own.engine) return;
    const known = this.#nodes.get(transfer.id);
    const isShown = transfers.all.includes(transfer) && !this.#hasArrived(transfer);
    if (known && isShown) change.repaint(known);
    else if (known) {
      this.#nodes.delete(transfer.id);
      change.remove(known);
    } else if (isShown) {
      const node = new TransferNode(transfer, describe, this.own.top);
      this.#nodes.set(transfer.id, node);
      change.move(node);
    }
  }

  /** Whether the transfer is done and the image it pulled is in the inventory. */
  #hasArrived({ end }: Transfer): boolean {
    if (end?.phase !== 'done') return false;
    const { imageId } = end.result;
    return imageId === undefined || this.own.context.inventory.images.has(imageId);
  }

  #repaintNamed(reference: string): void {
    const images = [...this.own.context.inventory.images.values()];
    this.change((change) => {
      for (const image of images.filter(({ tags }) => tags.includes(reference))) {
        const node = this.own.find(image.id, reference);
        if (node) change.repaint(node);
      }
    });
  }
}

interface TransferRowsOptions {
  readonly transfers: Pick<Transfers, 'all' | 'onDidChange'>;
  readonly newer: Pick<NewerImages, 'onDidChange'>;
  /** Returns the error message to show to the user. */
  readonly describe: DescribeError;
}
