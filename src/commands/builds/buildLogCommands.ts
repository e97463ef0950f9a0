/** The commands on what a build did: its steps, and their output, and on its name. */

import * as l10n from '@vscode/l10n';
import { BuildTrace, type StepState } from '../../builds/buildTrace.ts';
import { recordTitle, type ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildEvent, BuildStep } from '../../engine/builds/model.ts';
import { listBuilds, replayBuild } from '../../engine/builds/buildHistory.ts';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { BuildNode, StepNode } from '../../views/builds/buildNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { meantBuild, pickBuild, REF, type RefArguments } from './buildListCommands.ts';

/** A step as commands return it. */
type ListedStep = { readonly number: number } & Pick<
  BuildStep,
  'name' | 'state' | 'startedAt' | 'endedAt' | 'error'
>;

export const buildStepsCommand = (): PlainCommand<RefArguments, readonly ListedStep[]> => ({
  id: 'gantry.builds.steps',
  schema: REF,
  failureTitle: l10n.t('Could not read the build'),
  run: async ({ ref }, context, signal) => {
    const { steps } = await traceOf(ref, context, signal);
    return steps.map(({ number, step: { name, state, startedAt, endedAt, error } }) => ({
      number,
      name,
      state,
      ...(startedAt !== undefined && { startedAt }),
      ...(endedAt !== undefined && { endedAt }),
      ...(error !== undefined && { error }),
    }));
  },
});

interface LogArguments extends RefArguments {
  /** The number of a step; by default, the output of all. */
  readonly step?: number;
}

/**
 * Returns the output of a build, step by step. The user sees it in a channel or a read-only document, or in the log
 * viewer: if logs open there, and that of a running build of another client.
 */
export const buildLogCommand = (ui: Ui): PlainCommand<LogArguments, { readonly text: string }> => ({
  id: 'gantry.builds.log',
  schema: { ...REF, step: { kind: 'wholeNumber' } },
  failureTitle: l10n.t('Could not read the log of the build'),
  run: async ({ ref, step }, context, signal) => {
    const trace = await traceOf(ref, context, signal);
    return { text: logOf(step === undefined ? trace.steps : [stepOf(trace, step)]) };
  },
  runInteractive: async (context, [node]) => {
    const { output, builds } = await context.window.builds();
    const meant = await meantBuild(context, node);
    if (!meant) return undefined;
    const own = builds.get(meant.build.engine, meant.build.ref);
    // The output of a build of another client is complete only at its end.
    if (ui.settings.logsOpenIn() === 'viewer' || (!own && meant.build.phase === 'running')) {
      await openViewer(meant.build, meant.step, context);
      return undefined;
    }
    if (own && !meant.step) {
      output.show(own);
      return undefined;
    }
    const title = l10n.t('Loading the log of {0}', formatName(meant.build.title));
    const trace = await ui.progress(title, 'late', (signal) =>
      traceOf(meant.build.ref, context, signal),
    );
    const step = meant.step && trace.step(meant.step.step.id);
    const text = logOf(step ? [step] : trace.steps);
    const name = step ? `${meant.build.title} ${step.step.name}` : meant.build.title;
    await ui.showText(context.unit.id, l10n.t('Build of {0}', name), text);
    return { text };
  },
});

/** Opens the output of a build, or of one of its steps, in the log viewer, where a running build is followed. */
export const openBuildLogViewerCommand = (): PlainCommand<
  LogArguments,
  { readonly title: string }
> => ({
  id: 'gantry.builds.openLogViewer',
  schema: { ...REF, step: { kind: 'wholeNumber' } },
  failureTitle: l10n.t('Could not open the log viewer'),
  run: async ({ ref, step }, context, signal) => {
    const build = await buildOf(ref, context, signal);
    if (step === undefined) return openViewer(build, undefined, context);
    const trace = await traceOf(ref, context, signal, step);
    return openViewer(build, stepOf(trace, step), context);
  },
  runInteractive: async (context, [node]) => {
    const meant = await meantBuild(context, node);
    return meant && openViewer(meant.build, meant.step, context);
  },
});

/** Copies the names of builds and steps, one line for each. */
export const copyBuildNameCommand = (
  ui: Ui,
): PlainCommand<RefArguments, { readonly outcome: 'copied' }> => ({
  id: 'gantry.builds.copyName',
  schema: REF,
  selects: 'build',
  accepts: (row) => row instanceof BuildNode || row instanceof StepNode,
  failureTitle: l10n.t('Could not copy the name'),
  run: async ({ ref }, context, signal) => {
    await ui.copy((await buildOf(ref, context, signal)).title);
    return { outcome: 'copied' };
  },
  runInteractive: async (context, nodes) => {
    const names = nodes.flatMap((node) => {
      if (node instanceof StepNode) return [node.step.step.name];
      return node instanceof BuildNode ? [node.build.title] : [];
    });
    const picked = names.length > 0 ? undefined : await pickBuild(context, () => true);
    if (names.length === 0 && !picked) return undefined;
    await ui.copy(picked?.title ?? names.join('\n'));
    return { outcome: 'copied' };
  },
});

/** Facts of a build before it is read. */
type KnownBuild = Pick<ShownBuild, 'ref' | 'title' | 'phase'>;

/** Returns a build of any client. */
async function buildOf(
  ref: string,
  context: CommandContext,
  signal: AbortSignal,
): Promise<KnownBuild> {
  const { builds, historyOf } = await context.window.builds();
  const { id } = context.unit;
  const known = builds.get(id, ref) ?? historyOf(id)?.all.find((one) => one.ref === ref);
  if (known) return known;
  const connection = await connectToHistory(ref, context, signal);
  const record = (await listBuilds(connection, signal)).find((one) => one.ref === ref);
  if (!record) throw new InputError(l10n.t('Build {0} not found.', ref));
  return { ref, title: recordTitle(record), phase: record.state };
}

async function openViewer(
  { ref, title, phase }: KnownBuild,
  step: StepState | undefined,
  context: CommandContext,
): Promise<{ readonly title: string }> {
  const { builds } = await context.window.builds();
  const shown = { ref, title, ...(step && { step: step.step }), isOver: phase !== 'running' };
  const own = builds.get(context.unit.id, ref);
  if (own) {
    return context.openBuildViewer({
      ...shown,
      request: own.spec.request,
      replay: (onEvent, signal) => builds.replay(own, onEvent, signal),
    });
  }
  return context.openBuildViewer({
    ...shown,
    replay: async (onEvent, signal) => {
      if (!shown.isOver)
        return replayBuild(await context.engine.connect(signal), ref, onEvent, signal);
      // An engine replays a build as it was reported; the trace has it step by step.
      for (const event of (await traceOf(ref, context, signal)).replay()) onEvent(event);
    },
  });
}

/**
 * Returns the steps of a build: those of this window as they are, others from the engine.
 *
 * @param step the number of a step. When it has been reported, the others are not read.
 */
async function traceOf(
  ref: string,
  context: CommandContext,
  signal: AbortSignal,
  step?: number,
): Promise<BuildTrace> {
  const { builds } = await context.window.builds();
  const own = builds.get(context.unit.id, ref);
  if (own) return own.trace;
  const connection = await connectToHistory(ref, context, signal);
  const trace = new BuildTrace();
  const enough = new AbortController();
  const onEvent = (event: BuildEvent): void => {
    trace.add(event);
    if (step !== undefined && trace.step(String(step))) enough.abort();
  };
  try {
    await replayBuild(connection, ref, onEvent, AbortSignal.any([signal, enough.signal]));
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return trace;
}

function stepOf(trace: BuildTrace, number: number): StepState {
  const found = trace.step(String(number));
  if (!found) throw new InputError(l10n.t('The build has no step {0}.', number));
  return found;
}

async function connectToHistory(
  ref: string,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<Connection> {
  const connection = await engine.connect(signal);
  if (capabilitiesOf(await connection.info(signal)).keepsBuilds) return connection;
  throw new InputError(
    l10n.t('Build {0} not found in this window. The engine keeps no history.', ref),
  );
}

function logOf(steps: readonly StepState[]): string {
  return steps
    .filter(({ output }) => output.length > 0)
    .map(({ number, step, output }) => `#${number} ${step.name}\n${output.lines.join('\n')}\n`)
    .join('\n');
}
