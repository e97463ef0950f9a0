import type { EngineFactory } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import type { CommandHandler } from './command.ts';
import type { EngineChoice } from './engineChoice.ts';
import type { PreferredEngine } from '../../engines/preferredEngine.ts';
import type { ArrangedRows } from '../../views/arrangement/arrangements.ts';
import type { RowKind, TreeNode } from '../../views/treeNode.ts';
import type { CommandId } from '../ui/ui.ts';
import type { ErrorDetails } from '../ui/withErrorMessage.ts';

/** The dependencies of the commands. Those that are functions are loaded on first use. */
export interface CommandDependencies extends Frame {
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly maker: EngineFactory;
  /** The rows that are arranged. */
  readonly rows: ArrangedRows;
  readonly reviews: () => Promise<ReviewController>;
}

/** Dependencies of the frame for running commands. */
export interface Frame extends ErrorDetails {
  readonly choice: EngineChoice;
  /**
   * Returns the selected rows of the view of this kind, if that view is visible and was used last, or
   * is known to have the focus.
   */
  readonly selection: (kind: RowKind, isFocused: boolean) => readonly TreeNode[];
  /** Returns the handler of any command. */
  readonly handlerOf: (id: CommandId) => Promise<CommandHandler>;
}
