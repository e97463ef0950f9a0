import type { EngineError } from '../../engine/errors.ts';
import { lookOfEngine, noteOf, tooltipOfEngine, type EngineFacts } from './engineLook.ts';
import type { Look, Scene, TooltipRow } from '../look.ts';
import { TreeNode } from '../nodes.ts';
import type { Rows } from '../rows.ts';
import { plain } from '../words.ts';

/** What an engine's row is made of. */
export interface EngineNodeParts {
  readonly id: string;
  /** As it is now. */
  readonly facts: () => EngineFacts;
  /** What is said below it while the engine has nothing to show. */
  readonly whenEmpty: () => string;
  /** An error as a sentence. */
  readonly describe: (error: EngineError) => string;
}

/** The row of one engine, where there are several. */
export class EngineNode extends TreeNode {
  readonly #parts: EngineNodeParts;
  readonly #note: NoteNode;
  #rows: Rows | undefined;

  constructor(parts: EngineNodeParts) {
    super(parts.id, 'engine');
    this.#parts = parts;
    this.#note = new NoteNode(this, parts);
  }

  /** Puts these rows below it. */
  show(rows: Rows): void {
    this.#rows = rows;
  }

  override get children(): readonly TreeNode[] {
    const roots = this.#rows?.roots ?? [];
    return roots.length > 0 ? roots : [this.#note];
  }

  look({ l10n }: Scene): Look {
    return lookOfEngine(this.#parts.facts(), l10n);
  }

  tooltip({ l10n }: Scene): readonly TooltipRow[] {
    return tooltipOfEngine(this.#parts.facts(), l10n);
  }
}

/** One sentence in place of rows. */
export class NoteNode extends TreeNode {
  readonly #parts: EngineNodeParts;

  constructor(parent: EngineNode, parts: EngineNodeParts) {
    super(parts.id, 'note', parent);
    this.#parts = parts;
  }

  look({ l10n }: Scene): Look {
    const text = this.#text(l10n);
    const { kind } = this.#parts.facts().phase;
    return {
      label: text,
      description: '',
      icon: { id: kind === 'lost' ? 'error' : 'info' },
      contextValue: kind === 'lost' ? 'note.lost' : 'note',
      accessibilityLabel: text,
    };
  }

  tooltip({ l10n }: Scene): readonly TooltipRow[] {
    return [{ name: l10n.t('Engine'), value: this.#text(l10n) }];
  }

  #text(l10n: Scene['l10n']): string {
    const { facts, whenEmpty, describe } = this.#parts;
    return plain(noteOf(facts().phase, whenEmpty(), describe, l10n));
  }
}
