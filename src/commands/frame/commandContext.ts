import type { Buildx } from '../../builds/buildx/findBuildx.ts';
import type { ViewedBuild } from '../../builds/shownBuild.ts';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Activity } from '../../inventory/activity.ts';
import type { AllFiles } from '../../files/allFiles.ts';
import type { VolumeContainers } from '../../engine/volumes/volumeContainers.ts';
import type { FilesView } from '../../files/filesView.ts';
import type { UnfinishedWork } from '../../files/unfinishedWork.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import type { LogChannels } from '../../output/logChannels.ts';
import type { TransferNotifications } from '../../output/transferNotifications.ts';
import type { EngineTerminals } from '../../output/terminal/terminals.ts';
import type { BuildsAccess } from '../../builds/buildsAccess.ts';
import type { Memento } from '../../base/lifetime.ts';
import type { ComposeCli } from '../../projects/cli/composeCli.ts';
import type { WorktreeOverrides } from '../../projects/worktrees/worktreeOverrides.ts';
import type { ErrorDetails } from '../ui/withErrorMessage.ts';
import type { CreateHistory } from '../../recipes/createHistory.ts';
import type { NewerImages } from '../../registries/transfers/newerImages.ts';
import type { Transfers } from '../../registries/transfers/transfers.ts';
import type { Consent } from '../credentials/consent.ts';
import type { ContainerExits } from '../../engines/containerExits.ts';
import type { RecentReferences } from '../../registries/recentReferences.ts';
import type { RegistryAccess } from '../credentials/registryAccess.ts';
import type { ProxyVariables } from '../../registries/proxyVariables.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';
import type { DetailsOptions, DetailsTarget } from './detailsTarget.ts';
import type { Exclusions } from '../../engines/exclusions.ts';

/**
 * The dependencies of commands on one engine. Commands change the engine and never a view: the views follow
 * the engine's events.
 */
export interface CommandContext extends ErrorDetails {
  readonly unit: EngineUnit;
  readonly engine: Engine;
  /** Returns the context of an engine by its ID. The rows of a selection may be of several engines. */
  readonly contextOf: (engine: string) => CommandContext | undefined;
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly exits: ContainerExits;
  /** The output channels with the logs of containers. Loaded on first use, as everything that is a function here. */
  readonly logs: () => Promise<LogChannels>;
  readonly terminals: () => Promise<EngineTerminals>;
  /**
   * Opens the log viewer for containers, and for containers that join a project later; see `LogViewers.open`.
   *
   * @param names the names of the containers, in the same order.
   * @param at the time to show, in milliseconds since 1970.
   */
  readonly openViewer: (
    selection: { readonly ids: readonly string[]; readonly project?: string },
    names: readonly string[],
    at?: number,
  ) => Promise<{ readonly title: string }>;
  /** Opens the log viewer for a build; see `LogViewers.openBuild`. */
  readonly openBuildViewer: (build: ViewedBuild) => Promise<{ readonly title: string }>;
  /** Opens the clean-up page of the engine, or reveals it; only for one kind if given. */
  readonly openCleanUp: (only?: CleanupKind) => Promise<{ readonly title: string }>;
  /** Opens the details of an object in the page that is not pinned. */
  readonly openDetails: (
    target: DetailsTarget,
    options?: DetailsOptions,
  ) => Promise<{ readonly title: string }>;
  /** Copies a value of the details page with the focus, by the key of its row. */
  readonly copyDetail: (key: string) => Promise<void>;
  /** Opens the statistics page for containers, or for those of a project or of one of its services. */
  readonly openGraphs: (
    selection: {
      readonly ids: readonly string[];
      readonly project?: string;
      readonly service?: string;
    },
    names: readonly string[],
  ) => Promise<{ readonly title: string }>;
  /** Returns a name, followed by the engine's name if there are several engines. */
  readonly titleOf: (name: string) => string;
  /** Shows and selects a container, or an image under this reference, once the inventory has it. */
  readonly reveal: (id: string, reference?: string) => void;
  readonly window: WindowServices;
}

/** Services that the commands on all engines of a window share. Functions load theirs on first use. */
export interface WindowServices {
  /** Items that the user never wants to remove in a clean-up. */
  readonly exclusions: Exclusions;
  /** The builds of the window. */
  readonly builds: () => Promise<BuildsAccess>;
  readonly pulls: TransferNotifications;
  /** The pulls and pushes of the window. */
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  /** Finds credentials for requests that an engine forwards to a registry. */
  readonly registries: () => Promise<RegistryAccess>;
  /** Reads the proxies that the Docker CLI gives to new containers and builds, by the URL of the engine. */
  readonly proxies?: (host: string) => Promise<ProxyVariables>;
  readonly files: () => Promise<FilesAccess>;
  /** Remembers long work in case that the window ends first. Missing if nothing outlives the window. */
  readonly work?: Pick<UnfinishedWork, 'begin'>;
  readonly consent: Consent;
  /** Storage of the workspace. */
  readonly memory: Memento;
  /** Finds the compose CLI, once per window unless there was none. */
  readonly findCompose: () => Promise<ComposeCli | undefined>;
  /** The files that separate the projects of worktrees. */
  readonly worktrees: () => Promise<WorktreeOverrides>;
  /** Finds `docker buildx`, as `findCompose`. */
  readonly findBuildx: () => Promise<Buildx | undefined>;
  /** The files and folders outside of the workspace that labels name and the user agreed to use in this session. */
  readonly allowedFiles: Set<string>;
  /** The last values of the create form for each image. */
  readonly creates: CreateHistory;
  readonly recent: RecentReferences;
}

/** The files of containers and images, and the view that shows them. */
export interface FilesAccess {
  readonly all: AllFiles;
  readonly view: FilesView;
  /** The files of volumes as a whole. */
  readonly volumes: VolumeContainers;
}
