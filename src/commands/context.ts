import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Engine } from '../engine/engine.ts';
import type { Activity } from '../inventory/activity.ts';
import type { AllFiles } from '../files/allFiles.ts';
import type { FilesView } from '../files/filesView.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { LogChannels } from '../output/logChannels.ts';
import type { TransferNotifications } from '../output/transferNotifications.ts';
import type { EngineTerminals } from '../terminal/terminals.ts';
import type { ErrorDetails } from './notifications.ts';
import type { CreateHistory } from './create/createHistory.ts';
import type { NewerImages } from '../transfers/newerImages.ts';
import type { Transfers } from '../transfers/transfers.ts';
import type { Consent } from './registries/consent.ts';
import type { ContainerExits } from './containers/containerExits.ts';
import type { RecentReferences } from './forms/recentReferences.ts';
import type { RegistryAccess } from './registries/registryAccess.ts';

/**
 * What commands on one engine stand on. They change the engine and never a view: the engine's events return by
 * themselves.
 */
export interface CommandContext extends ErrorDetails {
  readonly unit: EngineUnit;
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly exits: ContainerExits;
  readonly logs: LogChannels;
  readonly terminals: EngineTerminals;
  /**
   * Opens the log viewer for containers, and for those that come to a project; see `LogViewers.open`.
   *
   * @param names of the containers, in order.
   */
  readonly openViewer: (
    selection: { readonly ids: readonly string[]; readonly project?: string },
    names: readonly string[],
  ) => Promise<{ readonly title: string }>;
  readonly pulls: TransferNotifications;
  /** The pulls and pushes of the window. */
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  /** Gets credentials for every request that an engine sends on to a registry. */
  readonly registries: RegistryAccess;
  /** The files of containers and images, and the view that shows them. */
  readonly files: AllFiles;
  readonly filesView: FilesView;
  readonly consent: Consent;
  /** What was filled in last for each image. */
  readonly creates: CreateHistory;
  readonly recent: RecentReferences;
  /** A name with what tells it from those of other engines, where there are several. */
  readonly titleOf: (name: string) => string;
  /** Shows and selects a container, or an image under this name, once the inventory has it. */
  readonly reveal: (id: string, reference?: string) => void;
  /** Lists anew; only for when the event stream is down, or when the person asks. */
  readonly renew: () => void;
}
