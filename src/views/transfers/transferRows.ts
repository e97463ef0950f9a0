import { DisposableStore, Emitter, type Disposable, type Event } from '../../lifetime.ts';
import type { NewerImages } from '../../transfers/newerImages.ts';
import type { Transfer } from '../../transfers/transfer.ts';
import type { Transfers } from '../../transfers/transfers.ts';
import type { DisposableRows } from '../engines/engineRows.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeNode } from '../treeNode.ts';
import { ChangeBuilder, type TreeRowsChange } from '../rows.ts';
import type { DescribeError } from './presentTransfer.ts';
import { TransferNode } from './transferNode.ts';

/** The pulls and pushes of an engine above the rows of its images. */
export class TransferRows<R extends DisposableRows> implements DisposableRows {
  /** The rows of the images. */
  readonly own: R;
  readonly #options: TransferRowsOptions;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<TreeRowsChange>());
  /** By the transfer's id, in their order. */
  readonly #nodes = new Map<number, TransferNode>();

  readonly onDidChange: Event<TreeRowsChange> = this.#changes.event;

  constructor(own: R, parts: TransferRowsOptions) {
    this.own = this.#store.add(own);
    this.#options = parts;
    const { transfers, newer, engine, context } = parts;
    this.#take(transfers.all);
    this.#store.add(
      own.onDidChange((change) => {
        this.#changes.fire(change);
      }),
    );
    this.#store.add(
      transfers.onDidChange((changed) => {
        this.#take([...changed].filter(({ spec }) => spec.engine === engine));
      }),
    );
    // Heard after the rows of the images: a pull goes as its image comes, and not before.
    this.#store.add(this.#dropAsImagesCome(context));
    this.#store.add(
      newer.onDidChange((named) => {
        if (named.engine === engine) this.#repaintNamed(named.reference);
      }),
    );
  }

  get roots(): readonly TreeNode[] {
    return [...this.#nodes.values(), ...this.own.roots];
  }

  /** Images. */
  get size(): number {
    return this.own.size;
  }

  find(id: string, reference?: string): TreeNode | undefined {
    return this.own.find(id, reference);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #dropAsImagesCome({ inventory }: RenderContext): Disposable {
    return inventory.onDidChange(({ images }) => {
      if (images.size === 0) return;
      const done = [...this.#nodes.values()].filter(({ transfer }) => transfer.phase === 'done');
      this.#take(done.map((node) => node.transfer));
    });
  }

  #take(transfers: Iterable<Transfer>): void {
    const change = new ChangeBuilder();
    for (const transfer of transfers) this.#takeOne(transfer, change);
    if (!change.isEmpty) this.#changes.fire(change);
  }

  #takeOne(transfer: Transfer, change: ChangeBuilder): void {
    const { transfers, describe, engine, top } = this.#options;
    if (transfer.spec.engine !== engine) return;
    const known = this.#nodes.get(transfer.id);
    const isShown = transfers.all.includes(transfer) && !this.#hasArrived(transfer);
    if (known && isShown) change.repaint(known);
    else if (known) {
      this.#nodes.delete(transfer.id);
      change.remove(known);
    } else if (isShown) {
      const node = new TransferNode(transfer, describe, top);
      this.#nodes.set(transfer.id, node);
      change.move(node);
    }
  }

  /** Whether it is done, and what it fetched is seen. */
  #hasArrived({ end }: Transfer): boolean {
    if (end?.phase !== 'done') return false;
    const { imageId } = end.result;
    return imageId === undefined || this.#options.context.inventory.images.has(imageId);
  }

  #repaintNamed(reference: string): void {
    const change = new ChangeBuilder();
    for (const image of this.#options.context.inventory.images.values()) {
      const node = image.tags.includes(reference) ? this.own.find(image.id, reference) : undefined;
      if (node) change.repaint(node);
    }
    if (!change.isEmpty) this.#changes.fire(change);
  }
}

/** What rows of transfers stand on. */
export interface TransferRowsOptions {
  /** The id of the engine. */
  readonly engine: string;
  readonly context: RenderContext;
  readonly transfers: Pick<Transfers, 'all' | 'onDidChange'>;
  readonly newer: Pick<NewerImages, 'onDidChange'>;
  /** An error as a sentence. */
  readonly describe: DescribeError;
  /** The row that all of them stand below, where there is one. */
  readonly top: TreeNode | undefined;
}
