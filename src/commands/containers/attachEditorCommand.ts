import * as l10n from '@vscode/l10n';
import { settledWithin } from '../../base/time.ts';
import { engineVariables } from '../../engine/cli/engineVariables.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Endpoint } from '../../engine/http/endpoint.ts';
import type { Container } from '../../engine/model.ts';
import { isEngineOfCli } from '../../engines/isEngineOfCli.ts';
import { ContainerNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { pickRow, pickTarget } from '../frame/pickTarget.ts';
import {
  containerTarget,
  findContainerTarget,
  targetTexts,
  type CommandTarget,
} from '../frame/targets.ts';
import { MissingCommandError } from '../ui/devContainers.ts';
import { failureMessage, MessageError } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandId } from '../ui/ui.ts';
import { folderInContainer } from './folderInContainer.ts';

interface AttachArguments {
  readonly id: string;
  /** Absolute path in the container. */
  readonly folder?: string;
}

interface AttachedEditor {
  /** The folder that the new window opens; missing if the extension chooses it. */
  readonly folder?: string;
}

const ATTACH: CommandId = 'gantry.containers.attachEditor';
const isRunning = ({ state }: Container): boolean => state === 'running';

/** Attaches a new window of VS Code to a running container, by the extension Dev Containers. */
export const attachEditorCommand = (
  parts: Pick<CommandDependencies, 'ui' | 'maker'>,
): PlainCommand<AttachArguments, AttachedEditor> => ({
  id: 'gantry.containers.attachEditor',
  schema: { id: { kind: 'text', required: true }, folder: { kind: 'text' } },
  selects: 'container',
  accepts: (row) => runningOf(row).length > 0,
  isForOne: true,
  pick: pickRow(ATTACH, 'container', isRunning),
  failureTitle: l10n.t('Could not attach Visual Studio Code'),
  run: async ({ id, folder }, context, signal) => {
    const [text = ''] = targetTexts(ATTACH, { id });
    checkEditor(parts);
    if (folder?.startsWith('/') === false || folder?.includes('\0'))
      throw new InputError(l10n.t('"folder" must be an absolute path in the container.'));
    if (!(await parts.ui.devContainers.isInstalled())) throw new InputError(needsExtension());
    const connection = await context.engine.connect(signal);
    const target = await findContainerTarget(context, connection, text, signal);
    const place = await placeOf(target, parts, signal);
    if (!place.isReached) throw new InputError(otherEngine(place));
    return handOver({ ...place, folder: folder ?? place.folder }, parts);
  },
  runInteractive: async (context, nodes) => {
    checkEditor(parts);
    if (!(await isReady(parts))) return undefined;
    const target = await choose(context, nodes);
    if (!target) return undefined;
    const title = l10n.t('Attaching to {0}', formatName(target.name));
    const place = await context.ui.progress(title, 'late', (signal) =>
      placeOf(target, parts, signal),
    );
    const host = place.isReached ? undefined : await askEngine(place, parts);
    return host === false ? undefined : handOver({ ...place, host }, parts, true);
  },
});

type Parts = Parameters<typeof attachEditorCommand>[0];

/** A running container to attach to. */
interface Place extends Pick<CommandTarget, 'id' | 'name'> {
  readonly endpoint: Endpoint;
  /** Whether Podman's program would work on its engine. */
  readonly isOfPodman: boolean;
  /** Whether the program of the extension would. */
  readonly isReached: boolean;
  readonly folder: string | undefined;
  /** The address of the engine, if it has to be said. */
  readonly host?: string | undefined;
}

function checkEditor({ ui }: Parts): void {
  if (!ui.devContainers.isPossible())
    throw new InputError(
      l10n.t(
        'This editor cannot have the extension Dev Containers. Only VS Code of Microsoft can.',
      ),
    );
}

function needsExtension(): string {
  return l10n.t('The extension Dev Containers of Microsoft attaches VS Code. It is not installed.');
}

/** Whether the extension is there; offers it if it is not. */
async function isReady({ ui }: Parts): Promise<boolean> {
  const isInstalled = await ui.devContainers.isInstalled();
  if (!isInstalled)
    ui.info(needsExtension(), {
      title: l10n.t('Install'),
      run: () => ui.devContainers.install(),
    });
  return isInstalled;
}

/** Returns the running containers that a row stands for. */
function runningOf(row: TreeNode | undefined): readonly Container[] {
  if (row instanceof ContainerNode) return [row.container].filter(isRunning);
  if (!(row instanceof ServiceNode)) return [];
  return row.containers.map(({ container }) => container).filter(isRunning);
}

/** Returns the container of a row. The user picks one of several of a service. */
function choose(
  context: CommandContext,
  [row]: readonly TreeNode[],
): Promise<CommandTarget | undefined> | CommandTarget | undefined {
  const found = runningOf(row);
  const [only] = found;
  if (!only) throw new InputError(l10n.t('No container of it is running.'));
  if (found.length === 1) return containerTarget(only, context);
  const ids = new Set(found.map(({ id }) => id));
  return pickTarget([context], ATTACH, 'container', (one) => isRunning(one) && ids.has(one.id));
}

/** Looks at a container as it is now. @throws InputError if it does not run. */
async function placeOf(
  { id, name, context }: CommandTarget,
  { ui, maker }: Parts,
  signal: AbortSignal,
): Promise<Place> {
  const connection = await context.engine.connect(signal);
  const details = await inspectContainer(connection, id, signal);
  if (details.state !== 'running')
    throw new InputError(l10n.t('{0} is not running.', formatName(name)));
  const { endpoint } = connection;
  const { devContainers } = ui;
  const env = { ...maker.machine.env, ...devContainers.variables() };
  const reaches = (program: string) => isEngineOfCli(endpoint, program, { ...maker.machine, env });
  return {
    id,
    name: formatName(details.name || name),
    endpoint,
    isOfPodman: await reaches(PODMAN),
    isReached: await reaches(devContainers.program()),
    folder: folderInContainer(details, ui.workspaceFolders()),
  };
}

const PODMAN = 'podman';

function otherEngine({ name, endpoint }: Place): string {
  return l10n.t(
    'Dev Containers would look for {0} on another engine than {1}.',
    name,
    endpoint.url,
  );
}

/**
 * Says that the program of the extension works on another engine, and offers the setting.
 *
 * @returns the address to name to the extension; undefined if it needs none; false if the user cancels.
 */
async function askEngine(place: Place, { ui }: Parts): Promise<string | undefined | false> {
  const { devContainers } = ui;
  const program = formatName(devContainers.program());
  const podman = l10n.t('Use Podman');
  const show = l10n.t('Open Settings');
  const anyway = l10n.t('Attach Anyway');
  const uses = l10n.t('It uses the program {0} (setting dev.containers.dockerPath).', program);
  const how = place.isOfPodman
    ? l10n.t('With "{0}", that setting becomes {1}, also for other containers.', podman, PODMAN)
    : l10n.t(
        'Set DOCKER_HOST to {0} in the setting containers.environment, or use its Docker context.',
        place.endpoint.url,
      );
  const buttons = [place.isOfPodman ? podman : show, anyway];
  const answer = await ui.choose(otherEngine(place), `${uses} ${how}`, buttons);
  if (answer === podman) await devContainers.setProgram(PODMAN);
  if (answer === show) devContainers.showSettings();
  if (answer === anyway) return engineVariables(place.endpoint)['DOCKER_HOST'];
  return answer === podman ? undefined : false;
}

/** Milliseconds to wait for the extension. Some versions never answer once the new window opens. */
const HAND_OVER_MS = 3000;

/** Hands a container to the extension. In a remote window, only the extension knows the address of its folders. */
async function handOver(
  { id, folder, host }: Place,
  { ui }: Parts,
  isInteractive = false,
): Promise<AttachedEditor> {
  const isLocal = ui.remoteName === undefined;
  const opened =
    isLocal && (folder !== undefined || host !== undefined) ? (folder ?? '/') : undefined;
  const work =
    opened === undefined
      ? ui.devContainers.attach(id)
      : ui.devContainers.openFolder(id, opened, host);
  let isLate = false;
  const handed = work.catch((error: unknown) => {
    const own = error instanceof MissingCommandError ? missing(error) : error;
    if (!isLate) throw own;
    const title = l10n.t('Could not attach Visual Studio Code');
    if (isInteractive) ui.error(failureMessage(title, own));
  });
  await settledWithin(HAND_OVER_MS, handed);
  isLate = true;
  return opened === undefined ? {} : { folder: opened };
}

function missing(error: MissingCommandError): MessageError {
  return new MessageError(
    l10n.t('The extension Dev Containers has no command {0}. Update or enable it.', error.message),
    { cause: error },
  );
}
