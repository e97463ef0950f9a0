import type { EngineFactory } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import type { SelectedNodes } from './commandRegistry.ts';
import type { Documents } from '../ui/documents.ts';
import type { EngineChoice } from './engineChoice.ts';
import type { PreferredEngine } from '../../engines/preferredEngine.ts';
import type {
  ImageFilter,
  ComposeRunner,
  UpChangesDisplay,
  ViewerTabs,
} from '../ui/editorPorts.ts';
import type { ErrorDetails } from '../ui/withErrorMessage.ts';

/** The dependencies of the commands. Those that are functions are loaded on first use. */
export interface CommandDependencies extends ErrorDetails {
  readonly choice: EngineChoice;
  readonly selection: SelectedNodes;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly maker: EngineFactory;
  readonly imageView: ImageFilter;
  readonly documents: Documents;
  readonly reviews: () => Promise<ReviewController>;
  readonly compose: () => Promise<ComposeRunner>;
  readonly upChanges: () => Promise<UpChangesDisplay>;
  readonly tabs: () => Promise<ViewerTabs>;
}
