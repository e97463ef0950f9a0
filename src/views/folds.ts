import type { Memento } from '../base/lifetime.ts';
import { NetworkNode } from './networks/networkNode.ts';
import { ProjectNode, ServiceNode } from './containers/containerNode.ts';
import type { TreeNode } from './treeNode.ts';
import { TransferNode } from './transfers/transferNode.ts';

/**
 * Collapsed rows: as set by the user, or else pulls, pushes, networks, and projects and services whose containers have
 * all exited.
 */
export class Folds {
  readonly #memory: Memento;
  /** The user's choices, by row ID. */
  readonly #chosen: Map<string, boolean>;
  /**
   * Initial state of a row, or for a pull or push the user's last choice. A row is not collapsed under the
   * pointer when its containers exit later.
   */
  readonly #first = new WeakMap<TreeNode, boolean>();

  constructor(memory: Memento) {
    this.#memory = memory;
    this.#chosen = readChoices(memory.get(KEY));
  }

  isFolded(node: TreeNode): boolean {
    return this.#chosen.get(node.id) ?? this.#firstOf(node);
  }

  /** Stores the user's choice. */
  set(node: TreeNode, isFolded: boolean): void {
    if (this.isFolded(node) === isFolded) return;
    if (node instanceof TransferNode) {
      // In the next window, another transfer has this ID.
      this.#first.set(node, isFolded);
      return;
    }
    this.#chosen.delete(node.id);
    this.#chosen.set(node.id, isFolded);
    const [oldest] = this.#chosen.keys();
    if (this.#chosen.size > MOST && oldest !== undefined) this.#chosen.delete(oldest);
    void this.#memory.update(KEY, [...this.#chosen]);
  }

  #firstOf(node: TreeNode): boolean {
    const known = this.#first.get(node);
    if (known !== undefined) return known;
    // The layers of a pull arrive after its row, so it would start expanded only if they happened to arrive first.
    const isGroup = node instanceof ProjectNode || node instanceof ServiceNode;
    const isFolded =
      node instanceof TransferNode || node instanceof NetworkNode || (isGroup && node.hasExited);
    this.#first.set(node, isFolded);
    return isFolded;
  }
}

const KEY = 'gantry.folds';
/** Maximum number of stored choices. The oldest are dropped first, because projects come and go. */
const MOST = 500;

/** Returns only valid entries, because another version may have written the value. */
function readChoices(stored: unknown): Map<string, boolean> {
  const entries: readonly unknown[] = Array.isArray(stored) ? stored : [];
  return new Map(entries.flatMap((entry) => (isChoice(entry) ? [entry] : [])).slice(-MOST));
}

function isChoice(entry: unknown): entry is [string, boolean] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'boolean';
}
