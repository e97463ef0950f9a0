import * as l10n from '@vscode/l10n';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Connection } from '../../engine/http/connection.ts';
import {
  isFreeLocalPort,
  isLocalEngine,
  suggestHostPort,
} from '../../engine/options/suggestHostPort.ts';
import { fetchImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { Endpoint } from '../../engine/http/endpoint.ts';
import { isAnonymousVolume, type Container } from '../../engine/model.ts';
import { listNetworks } from '../../engine/networks/networks.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { SuggestPort } from './portConflicts.ts';
import { pullWithCredentials, type PullArguments } from '../registries/pullCommand.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import { knownContainers, knownImages } from '../frame/targets.ts';

/**
 * Returns what the create form needs from the engine and from storage. If the engine cannot be reached, the
 * form works without its data. Rejects if the user cancels.
 */
export async function formDependencies(context: CommandContext) {
  const { ui } = context;
  const loaded = await ui.progress(l10n.t('Loading images'), 'late', (signal) =>
    loadForForm(context, signal),
  );
  const containers = (): readonly Container[] =>
    context.inventory.phase.kind === 'live'
      ? [...context.inventory.containers.values()]
      : loaded.containers;
  return {
    images: loaded.images,
    /** Returns the current containers. */
    containers,
    /**
     * Returns the defaults of an image. Undefined if it is not available locally, the engine cannot be reached, or
     * the user cancels.
     */
    defaultsOf: (image: string) => {
      const title = l10n.t('Inspecting {0}', formatName(image));
      return ui.progress(title, 'late', (signal) =>
        tryAsking(context, (engine) => fetchImageDefaults(engine, image, signal), signal),
      );
    },
    /** Pulls an image before the container is created. Resolves to false if that failed and the user was informed. */
    pull: (image: PullArguments) => pullNow(context, image),
    suggestPort: portSuggester(context, () => publishedPorts(containers())),
    /** Returns the names of the networks of the engine; none if it cannot be reached, or if the user cancels. */
    networks: () => namesOf(context, l10n.t('Loading networks'), networkNames),
    /** Returns the names of the volumes of the engine, as `networks`. Those without a name of their own are left out. */
    volumes: () => namesOf(context, l10n.t('Loading volumes'), volumeNames),
    /** Asks for a path on this machine. Undefined if the engine does not see the files of this machine. */
    browse: seesFiles(context, loaded.endpoint)
      ? (what: 'folders' | 'files') => browse(context, what)
      : undefined,
    /** Whether the engine can unset a variable of the image. */
    canUnset: loaded.canUnset,
    creates: context.window.creates,
  };
}

/** The dependencies of the create form. */
export type FormDependencies = Awaited<ReturnType<typeof formDependencies>>;

async function loadForForm(context: CommandContext, signal: AbortSignal) {
  const containers = await knownContainers(context, signal).catch(() => []);
  const images = await knownImages(context, signal).catch(() => []);
  const info = await tryAsking(context, (connection) => connection.info(signal), signal);
  const endpoint = await tryAsking(context, (connection) => connection.endpoint, signal);
  signal.throwIfAborted();
  return {
    containers,
    images,
    endpoint: endpoint ?? context.engine.endpoint,
    canUnset: info !== undefined && capabilitiesOf(info).unsetsVariables,
  };
}

type ListNames = (connection: Connection, signal: AbortSignal) => Promise<readonly string[]>;

/** Maximum number of networks or volumes that are offered. */
const MOST_NAMES = 500;

async function namesOf(
  context: CommandContext,
  title: string,
  list: ListNames,
): Promise<readonly string[]> {
  const names = await context.ui.progress(title, 'late', (signal) =>
    tryAsking(context, (connection) => list(connection, signal), signal),
  );
  const order = new Intl.Collator(undefined, { numeric: true });
  const valid = new Set((names ?? []).filter((name) => NAME.test(name)));
  return [...valid].sort(order.compare).slice(0, MOST_NAMES);
}

/** Any other name would mean something else in an option, such as `container:web` as a network. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_. -]*$/;

const networkNames: ListNames = async (connection, signal) => {
  const networks = await listNetworks(connection, {}, signal);
  return networks.flatMap(({ name, isIngress }) => (isIngress === true ? [] : [name]));
};

const volumeNames: ListNames = async (connection, signal) => {
  const volumes = await listVolumes(connection, {}, signal);
  return volumes.filter((one) => !isAnonymousVolume(one)).map(({ name }) => name);
};

/** Whether the engine mounts the files that a dialog of the editor shows. In a container, it has others. */
function seesFiles({ ui }: CommandContext, endpoint: Endpoint | undefined): boolean {
  const isInContainer = /^(?:dev|attached)-container$/.test(ui.remoteName ?? '');
  return !isInContainer && (endpoint === undefined || isLocalEngine(endpoint));
}

async function browse(
  { ui }: CommandContext,
  canSelect: 'folders' | 'files',
): Promise<string | undefined> {
  const [folder] = ui.workspaceFolders();
  const title = canSelect === 'folders' ? l10n.t('Mount Folder') : l10n.t('Mount File');
  const button = l10n.t('Mount');
  const question = { title, button, canSelect, ...(folder !== undefined && { folder }) };
  const [chosen] = await ui.openDialog(question);
  return chosen?.scheme === 'file' ? chosen.fsPath : undefined;
}

/** Returns the result of a request; undefined if the engine cannot be reached, or after a cancellation. */
async function tryAsking<T>(
  context: CommandContext,
  ask: (connection: Connection) => Promise<T> | T,
  signal?: AbortSignal,
): Promise<T | undefined> {
  try {
    return await ask(await context.engine.connect(signal));
  } catch {
    return undefined;
  }
}

async function pullNow(context: CommandContext, image: PullArguments): Promise<boolean> {
  try {
    await pullWithCredentials(context, image, true, new AbortController().signal);
    return true;
  } catch (error) {
    if (!isCancellation(error)) {
      context.ui.error(failureMessage(l10n.t('Could not pull the image'), error));
    }
    return false;
  }
}

/** Returns the ports that containers publish on the host. */
export function publishedPorts(containers: readonly Container[]): PublishedPorts {
  return new Set(containers.flatMap(({ ports }) => ports.map(({ publicPort }) => publicPort)));
}

type PublishedPorts = ReadonlySet<number | undefined>;

/**
 * Returns a function that suggests a port that no container publishes and, if the engine is local, that is
 * not in use on this machine.
 */
export function portSuggester(
  context: CommandContext,
  published: () => PublishedPorts,
): SuggestPort {
  return async (port, protocol, besides) => {
    const usedPorts = published();
    const isHere = await tryAsking(context, ({ endpoint }) => isLocalEngine(endpoint));
    return suggestHostPort(port, async (candidate) => {
      if (usedPorts.has(candidate) || besides.has(candidate)) return false;
      return !isHere || protocol !== 'tcp' || isFreeLocalPort(candidate);
    });
  };
}
