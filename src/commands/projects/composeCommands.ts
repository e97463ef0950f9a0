import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import {
  composeArguments,
  type ComposeRequest,
  type ComposeVerb,
} from '../../projects/cli/composeArguments.ts';
import { ComposeActivity } from '../../projects/cli/composeActivity.ts';
import { ComposeProgress, readComposeEvent } from '../../projects/cli/composeProgress.ts';
import { readComposeMistake } from '../../projects/cli/composeErrors.ts';
import { COMPOSE_TASK_TYPE } from '../../base/registeredTypes.ts';
import { ComposeProbes } from '../../projects/cli/composeProbes.ts';
import { monotonicClock } from '../../base/time.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { askProfiles } from './askProfiles.ts';
import { chooseCompose, isComposeRow } from './chooseCompose.ts';
import { confirmHidden } from './confirmHidden.ts';
import { composeSchema, type ComposeArguments } from './findRequest.ts';
import { prepareCompose, type PreparedCompose } from './prepareCompose.ts';
import { requestedName } from './requestedName.ts';
import type { WorkNote } from '../../files/unfinishedWork.ts';
import { formatCliCall, type CliCall, type ReadLine } from '../../engine/cli/cliCall.ts';
import type { CommandId, Ui } from '../ui/ui.ts';

/** The commands that run the compose CLI in a task. */
export function composeCommands(): readonly ComposeCommand[] {
  const failed = l10n.t('Could not run Compose');
  return [
    composeCommand('gantry.projects.up', 'up', failed),
    composeCommand('gantry.projects.recreate', 'recreate', failed),
    composeCommand('gantry.projects.build', 'build', failed),
    composeCommand('gantry.projects.watch', 'watch', failed),
  ];
}

/** Result of a run of the compose CLI. */
export interface ComposeResult {
  readonly exitCode: number;
  /** The name of the project, and what it publishes; of `up` alone, if it has succeeded, and the engine says it. */
  readonly project?: string;
  readonly ports?: readonly PublishedPort[];
}

interface PublishedPort {
  readonly service: string;
  /** The port in the container. */
  readonly container: number;
  /** The port of the engine's host. */
  readonly host: number;
}

type ComposeCommand = PlainCommand<ComposeArguments, ComposeResult>;

function composeCommand(id: CommandId, verb: ComposeVerb, failureTitle: string): ComposeCommand {
  return {
    id,
    schema: composeSchema,
    selects: 'container',
    accepts: isComposeRow,
    isForOne: true,
    failureTitle,
    ofUri: ({ fsPath }) => ({ files: [fsPath] }),
    run: (args, context, signal) => runForCaller(verb, args, context, signal),
    runInteractive: async (context, nodes, args) => {
      if (!(await confirmHidden(context.ui, id, nodes))) return undefined;
      const chosen = await chooseCompose(context, { id, nodes }, args);
      const complete = chosen && (await askProfiles(chosen, context));
      return complete && runComposeForUser(verb, complete, context);
    },
  };
}

/** Runs the compose CLI for a caller, who is told what Up has created. */
export async function runForCaller(
  verb: ComposeVerb,
  args: ComposeArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<ComposeResult> {
  const prepared = Promise.withResolvers<PreparedCompose>();
  const { exitCode } = await runComposeTask(verb, args, context, async () => {
    const found = await prepareCompose(args, context, signal);
    prepared.resolve(found);
    return found;
  });
  if (verb !== 'up' || exitCode !== 0) return { exitCode };
  const { request } = await prepared.promise;
  return { exitCode, ...(await createdBy(request, context)) };
}

/** Runs the compose CLI for the user, who is asked before files outside of the workspace are used. */
export function runComposeForUser(
  verb: ComposeVerb,
  args: ComposeArguments,
  context: CommandContext,
): Promise<ComposeResult> {
  const { ui } = context;
  // Only until the task begins, which is canceled in its terminal.
  return runComposeTask(verb, args, context, () =>
    ui.progress(l10n.t('Starting Compose'), 'late', (signal) =>
      prepareCompose(args, context, signal),
    ),
  );
}

/**
 * Runs the compose CLI in a task until it exits.
 *
 * @throws InputError if Watch is to remove orphans; InputError, EngineError: see {@link prepareCompose}.
 */
async function runComposeTask(
  verb: ComposeVerb,
  args: ComposeArguments,
  context: CommandContext,
  prepare: () => Promise<PreparedCompose>,
): Promise<ComposeResult> {
  if (verb === 'watch' && args.removeOrphans === true)
    throw new InputError(l10n.t('Compose cannot remove orphans while it watches.'));
  const prepared = await prepare();
  const { request } = prepared;
  const { containers } = context.inventory;
  const name = request.project ?? (await requestedName(request, containers.values()));
  const title = context.titleOf(titleOf(verb, name, request));
  using _note = context.window.work?.begin(noteOf(title, verb, args, context));
  const exitCode = await runCompose(verb, prepared, context, (call, linesOf) =>
    context.ui.runTask(call, { type: COMPOSE_TASK_TYPE, title, linesOf }),
  );
  return { exitCode };
}

/** Returns what the engine has of a project now; nothing if it does not answer: Compose has succeeded. */
async function createdBy(
  request: ComposeRequest,
  { engine }: CommandContext,
): Promise<Omit<ComposeResult, 'exitCode'>> {
  const listed = engine.connect().then((connection) => listContainers(connection, { all: true }));
  const all = await listed.catch(() => undefined);
  if (!all) return {};
  const project = request.project ?? (await requestedName(request, all));
  return { project, ports: publishedPorts(project, all) };
}

function publishedPorts(project: string, all: readonly Container[]): readonly PublishedPort[] {
  const own = all.filter((one) => projectOf(one) === project);
  const found = own.flatMap((one) =>
    one.ports.flatMap(({ privatePort: container, publicPort: host }) =>
      host === undefined ? [] : [{ service: serviceOf(one) ?? one.name, container, host }],
    ),
  );
  // The same port on addresses of IPv4 and IPv6.
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

/**
 * Runs the compose CLI: shows in the rows what it does, and in Problems what is wrong with its files.
 *
 * @param run runs the program to its end, and shows what `linesOf` returns for its lines.
 * @returns its exit code.
 */
export async function runCompose(
  verb: ComposeVerb,
  prepared: PreparedCompose,
  context: CommandContext,
  run: (call: CliCall, linesOf: ReadLine) => Promise<number>,
): Promise<number> {
  const first = await runOnce(verb, prepared, context, run);
  // Another program may have got a port since it was free.
  const again = first.exitCode === 0 ? undefined : await prepared.separated?.again(first.output);
  const last = again ? await runOnce(verb, again, context, run) : first;
  await showMistake(context, prepared.request, last.exitCode === 0 ? [] : last.output);
  return last.exitCode;
}

async function runOnce(
  verb: ComposeVerb,
  { cli, request, callOf }: PreparedCompose,
  context: CommandContext,
  run: (call: CliCall, linesOf: ReadLine) => Promise<number>,
): Promise<{ readonly exitCode: number; readonly output: readonly string[] }> {
  const { networks } = context.inventory;
  const rows = new ComposeActivity(context.inventory, context.activity);
  const probes = new ComposeProbes((ended) => context.engine.connect(ended), {
    inventory: context.inventory,
    clock: monotonicClock,
  });
  try {
    const progress = new ComposeProgress();
    const linesOf = (line: string): readonly string[] => {
      const event = readComposeEvent(line);
      if (event) {
        rows.apply(event);
        probes.handle(event);
        if (event.id.startsWith('Network ')) networks.markStale();
      }
      return progress.linesOf(line);
    };
    const exitCode = await run(callOf(composeArguments(cli, verb, request)), linesOf);
    return { exitCode, output: progress.last };
  } finally {
    rows.dispose();
    probes.dispose();
    // Not every engine sends events of networks.
    networks.markStale();
  }
}

/** Shows in Problems what is wrong with the files of a run. @param output of a run that failed. */
export async function showMistake(
  { ui }: Pick<CommandContext, 'ui'>,
  { files }: Pick<ComposeRequest, 'files'>,
  output: readonly string[],
): Promise<void> {
  await ui.showComposeProblem(files, readComposeMistake(output));
}

function noteOf(
  name: string,
  verb: ComposeVerb,
  args: ComposeArguments,
  { unit }: Pick<CommandContext, 'unit'>,
): WorkNote {
  const argument = { ...args, engine: unit.name };
  const again = { command: `gantry.projects.${verb}`, argument, asks: true };
  return { kind: 'compose', name, again };
}

/** The name of the task, in the words of the CLI. */
function titleOf(verb: ComposeVerb, name: string, { services = [] }: ComposeRequest): string {
  return ['compose', verb, name, ...services].join(' ');
}

/** Copies the command that Up runs in a task. */
export const copyUpCommand = (
  ui: Ui,
): PlainCommand<ComposeArguments, { readonly command: string }> => {
  const commandOf = async (
    args: ComposeArguments,
    context: CommandContext,
    signal: AbortSignal,
  ): Promise<{ readonly command: string }> => {
    const { cli, request, callOf } = await prepareCompose(args, context, signal);
    return {
      command: formatCliCall(callOf(composeArguments(cli, 'up', request))),
    };
  };
  return {
    id: 'gantry.projects.copyUpCommand',
    schema: composeSchema,
    selects: 'container',
    accepts: isComposeRow,
    isForOne: true,
    failureTitle: l10n.t('Could not copy the command'),
    run: commandOf,
    runInteractive: async (context, nodes, args) => {
      const asked = { id: 'gantry.projects.copyUpCommand', nodes } as const;
      const chosen = await chooseCompose(context, asked, args);
      const complete = chosen && (await askProfiles(chosen, context));
      if (!complete) return undefined;
      const found = await ui.progress(l10n.t('Copying the command'), 'late', (signal) =>
        commandOf(complete, context, signal),
      );
      await ui.copy(found.command);
      return found;
    },
  };
};
