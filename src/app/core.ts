import type * as vscode from 'vscode';
import type { EngineFactory } from '../engines/engineUnit.ts';
import type { Engines } from '../engines/engines.ts';
import type { PreferredEngine } from '../engines/preferredEngine.ts';
import type { Transfers } from '../registries/transfers/transfers.ts';
import type { NewerImages } from '../registries/transfers/newerImages.ts';
import type { Views } from '../views/views.ts';
import type { Orphans } from '../projects/orphans.ts';
import type { KnownWorktrees } from '../projects/worktrees/knownWorktrees.ts';
import type { WorktreeOverrides } from '../projects/worktrees/worktreeOverrides.ts';
import type { PendingRemovals } from '../tasks/pendingRemovals.ts';
import type { ShownWorktree } from '../views/rowPresentation.ts';
import type { LazyTree } from '../views/lazyTree.ts';

/** Parts that exist from the activation on. */
export interface Core {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly maker: EngineFactory;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  readonly views: Views;
  /** What is known of the compose files of projects. */
  readonly orphans: Orphans;
  /** What is known of the worktrees of projects. */
  readonly knownWorktrees: KnownWorktrees<ShownWorktree>;
  /** The files that separate the projects of worktrees, the same at every call. */
  readonly worktrees: () => Promise<WorktreeOverrides>;
  /** Returns the containers that tasks have to remove, the same at every call. */
  readonly removals: () => Promise<PendingRemovals>;
  /** The view of builds. */
  readonly buildTree: LazyTree;
  /** Fires when the lenses of compose files may have changed. */
  readonly lensChanges: vscode.EventEmitter<void>;
  /** Returns the mark of this window on its temporary containers. */
  readonly owner: () => string;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}
