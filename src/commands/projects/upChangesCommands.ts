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
import { editorCommands, type Command, type PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatReason } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { askProfiles } from './askProfiles.ts';
import { chooseCompose, isComposeRow } from './chooseCompose.ts';
import { runComposeForUser, showMistake } from './composeCommands.ts';
import { composeSchema, type ComposeArguments } from './findRequest.ts';
import { prepareCompose, type PreparedCompose } from './prepareCompose.ts';
import { requestedName } from './requestedName.ts';
import { withErrorMessage, type ErrorDetails } from '../ui/withErrorMessage.ts';

/** The command that previews Up, and those of the view that shows the last preview. */
export function upChangesCommands(details: ErrorDetails): readonly Command[] {
  const { ui } = details;
  let shown: Preview | undefined;
  const close = (): Promise<void> => {
    shown = undefined;
    return ui.showUpChanges(undefined);
  };
  return [
    whatWouldUpChangeCommand(ui, (preview) => {
      shown = preview;
    }),
    ...editorCommands({
      'gantry.upChanges.up': async () => {
        const current = shown;
        // What it shows is not true any more once something is done.
        await close();
        return withErrorMessage(l10n.t('Could not run Compose'), details, () => current?.up());
      },
      'gantry.upChanges.refresh': () =>
        withErrorMessage(l10n.t('Could not preview Up'), details, () => shown?.refresh()),
      'gantry.upChanges.close': close,
    }),
  ];
}

/** A preview of Up that is shown. */
interface Preview {
  /** Does it. */
  readonly up: () => Promise<unknown>;
  /** Finds the changes again, and shows them. */
  readonly refresh: () => Promise<unknown>;
}

/** Shows what Up would do with each container, network and volume, before anything is done. */
const whatWouldUpChangeCommand = (
  ui: Ui,
  keep: (preview: Preview) => void,
): PlainCommand<ComposeArguments, UpChanges> => ({
  id: 'gantry.projects.whatWouldUpChange',
  schema: composeSchema,
  selects: 'container',
  accepts: isComposeRow,
  isForOne: true,
  failureTitle: l10n.t('Could not preview Up'),
  ofUri: ({ fsPath }) => ({ files: [fsPath] }),
  run: findChanges,
  runInteractive: async (context, nodes, args) => {
    const asked = { id: 'gantry.projects.whatWouldUpChange', nodes } as const;
    const target = await chooseCompose(context, asked, args);
    const chosen = target && (await askProfiles(target, context));
    if (!chosen) return undefined;
    const refresh = async (): Promise<UpChanges> => {
      const found = await ui.progress(l10n.t('Previewing Up'), 'late', (signal) =>
        findChanges(chosen, context, signal),
      );
      const name = [chosen.project ?? chosen.files?.[0] ?? '', ...(chosen.services ?? [])].join(
        ' ',
      );
      keep({ refresh, up: () => runComposeForUser('up', chosen, context) });
      await ui.showUpChanges({ name, changes: found.changes });
      return found;
    };
    return refresh();
  },
});

/** Changes that `up` would make. */
interface UpChanges {
  readonly changes: readonly UpChange[];
}

/** Limits what is kept of a dry run. */
const MOST_EVENTS = 10_000;

async function findChanges(
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
  if (changes) return { changes };
  throw new InputError(l10n.t('The dry run of this version of Compose is not supported.'));
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
