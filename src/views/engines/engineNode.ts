import { presentEngine, engineNote, engineTooltip, type EngineFacts } from './presentEngine.ts';
import type { RowPresentation, RenderContext, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import type { Rows } from '../rows.ts';
import { formatLine } from '../format.ts';

/** The row of one engine, where there are several. */
export class EngineNode extends TreeNode {
  readonly #options: EngineNodeOptions;
  readonly #note: NoteNode;
  #rows: Rows | undefined;

  constructor(parts: EngineNodeOptions) {
    super(parts.id, 'engine');
    this.#options = parts;
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

  present({ l10n }: RenderContext): RowPresentation {
    return presentEngine(this.#options.facts(), l10n);
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return engineTooltip(this.#options.facts(), l10n);
  }
}

/** What an engine's row is made of. */
export interface EngineNodeOptions {
  readonly id: string;
  /** As it is now. */
  readonly facts: () => EngineFacts;
  /** What is said below it while the engine has nothing to show. */
  readonly whenEmpty: () => string;
}

/** One sentence in place of rows. */
export class NoteNode extends TreeNode {
  readonly #options: EngineNodeOptions;

  constructor(parent: EngineNode, parts: EngineNodeOptions) {
    super(parts.id, 'note', parent);
    this.#options = parts;
  }

  present({ l10n }: RenderContext): RowPresentation {
    const text = this.#text(l10n);
    const { kind } = this.#options.facts().phase;
    return {
      label: text,
      description: '',
      icon: { id: kind === 'lost' ? 'error' : 'info' },
      contextValue: kind === 'lost' ? 'note.lost' : 'note',
      accessibilityLabel: text,
    };
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    return [{ name: l10n.t('Engine'), value: this.#text(l10n) }];
  }

  #text(l10n: RenderContext['l10n']): string {
    const { facts, whenEmpty } = this.#options;
    return formatLine(engineNote(facts().phase, whenEmpty(), l10n));
  }
}
