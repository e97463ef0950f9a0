import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import { listImages } from '../../engine/images/images.ts';
import { composeArguments, hashArguments } from '../../projects/cli/composeArguments.ts';
import {
  readComposeError,
  readComposeEvent,
  type ComposeEvent,
} from '../../projects/cli/composeProgress.ts';
import { runCli } from '../../engine/cli/runCli.ts';
import { projectOfDryRun, upChanges, type UpChange } from '../../projects/cli/upChanges.ts';
import { placesOfKeys } from '../../projects/cli/composeErrors.ts';
import { readComposeText } from '../../projects/projectFiles.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatReason } from '../ui/formatNames.ts';
import type { PlacedDifference } from '../ui/ui.ts';
import { showMistake } from '../projects/composeCommands.ts';
import type { ComposeArguments } from '../projects/findRequest.ts';
import { prepareCompose, type PreparedCompose } from '../projects/prepareCompose.ts';
import { requestedName } from '../projects/requestedName.ts';

/**
 * Finds what Up would do with each container, network and volume.
 *
 * @throws InputError if this version of Compose cannot say it; see `prepareCompose`.
 */
export async function findChanges(
  args: ComposeArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<UpChanges> {
  const prepared = await prepareCompose(args, context, signal);
  const { cli, request } = prepared;
  if (!cli.hasDryRun || !cli.hasJson) {
    throw new InputError(
      l10n.t(
        'This version of Compose does not support dry runs. Update the Compose plugin of the Docker CLI.',
      ),
    );
  }
  const connection = await context.engine.connect(signal);
  const [events, hashes, containers, images] = await Promise.all([
    dryRun(prepared, context, signal),
    hashesOf(prepared, signal),
    prepared.containers ?? listContainers(connection, { all: true }, signal),
    listImages(connection, {}, signal),
  ]);
  const idByTag = new Map(images.flatMap(({ tags, id }) => tags.map((tag) => [tag, id] as const)));
  const changes = upChanges({
    events,
    hashes,
    containers,
    project:
      request.project ??
      projectOfDryRun({ events, containers }) ??
      (await requestedName(request, containers)),
    services: request.services ?? [],
    imageIdOf: (reference) => idByTag.get(reference) ?? idByTag.get(`${reference}:latest`),
  });
  if (changes) return { changes, ...(await differencesOf(prepared)) };
  throw new InputError(l10n.t('The dry run of this version of Compose is not supported.'));
}

/** Changes that `up` would make. */
export interface UpChanges {
  readonly changes: readonly UpChange[];
  /** The project, if it is that of a worktree. */
  readonly project?: string;
  /** How that differs from the files, and what it shares with others. */
  readonly differences?: readonly PlacedDifference[];
}

/** Limits what is kept of a dry run. */
const MOST_EVENTS = 10_000;

/** Returns how the project of a worktree differs, with where in the files that comes from. */
async function differencesOf({
  separated,
  request,
}: PreparedCompose): Promise<Pick<UpChanges, 'project' | 'differences'>> {
  if (!separated) return {};
  const texts = new Map<string, string>();
  // The last one is our own.
  for (const file of request.files.slice(0, -1)) {
    const text = await readComposeText(file);
    if (text !== undefined) texts.set(file, text);
  }
  const { project, differences } = separated;
  const paths = differences.map(({ path }) => path);
  const places = await placesOfKeys(paths, texts);
  return { project, differences: differences.map((one, at) => ({ ...one, place: places[at] })) };
}

async function dryRun(
  { cli, request, callOf }: PreparedCompose,
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly ComposeEvent[]> {
  const events: ComposeEvent[] = [];
  let problem: string | undefined;
  const { code, stderr, spawnError } = await runCli(
    callOf(composeArguments(cli, 'up', request, true)),
    (line) => {
      const event = readComposeEvent(line);
      if (event && events.length < MOST_EVENTS) events.push(event);
      problem ??= readComposeError(line);
    },
    signal,
  );
  signal.throwIfAborted();
  const output = problem === undefined ? stderr.split(/\r?\n/) : [problem];
  await showMistake(context, request, code === 0 ? [] : output);
  if (code === 0) return events;
  throw new InputError(
    l10n.t('Compose failed: {0}', formatReason(problem ?? spawnError ?? stderr)),
  );
}

/** Without hashes, orphans and reasons are not known. */
async function hashesOf(
  { cli, request, callOf }: PreparedCompose,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const { code } = await runCli(
    callOf(hashArguments(cli, request)),
    (line) => {
      const [, service, hash] = /^(\S+) ([\da-f]{64})$/.exec(line) ?? [];
      if (service !== undefined && hash !== undefined) hashes.set(service, hash);
    },
    signal,
  );
  return code === 0 ? hashes : new Map();
}
