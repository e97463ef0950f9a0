import { ProjectNode, type TreeNode } from './treeNode.ts';
import { TransferNode } from './transfers/transferNode.ts';

/**
 * Which rows are folded: as the user left them, else pulls and pushes, and projects of which nothing is left to come.
 */
export class Folds {
  readonly #memory: FoldMemory;
  /** What the user chose, by the row's id. */
  readonly #chosen: Map<string, boolean>;
  /** How a row was when it came, or a pull or push was left. What happens to its containers later folds nothing under the pointer. */
  readonly #first = new WeakMap<TreeNode, boolean>();

  constructor(memory: FoldMemory) {
    this.#memory = memory;
    this.#chosen = readChoices(memory.get(KEY));
  }

  isFolded(node: TreeNode): boolean {
    return this.#chosen.get(node.id) ?? this.#firstOf(node);
  }

  /** Takes what the user did. */
  set(node: TreeNode, isFolded: boolean): void {
    if (this.isFolded(node) === isFolded) return;
    if (node instanceof TransferNode) {
      // In the next window its id is that of another one.
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
    // The layers of a pull come when the row is there already: open, it would be so only where they were first.
    const isFolded =
      node instanceof TransferNode || (node instanceof ProjectNode && node.hasExited);
    this.#first.set(node, isFolded);
    return isFolded;
  }
}

/** Where it is kept over a reload of the window; the editor's `Memento` is one. */
export interface FoldMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'gantry.folds';
/** Of so many rows it is known at most, the oldest choice forgotten first: projects come and go. */
const MOST = 500;

/** What another version wrote is not trusted. */
function readChoices(stored: unknown): Map<string, boolean> {
  const entries: readonly unknown[] = Array.isArray(stored) ? stored : [];
  return new Map(entries.flatMap((entry) => (isChoice(entry) ? [entry] : [])).slice(-MOST));
}

function isChoice(entry: unknown): entry is [string, boolean] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'boolean';
}
