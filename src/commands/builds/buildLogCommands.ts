/** The commands on what a build did: its steps, and their output. */

import { BuildTrace, type StepState } from '../../builds/buildTrace.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildStep } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import type { Documents } from '../documents.ts';
import { formatName } from '../formatNames.ts';
import type { Ui } from '../ui.ts';
import { meantBuild, REF, type RefArguments } from './buildListCommands.ts';

/** A step as commands return it. */
type ListedStep = { readonly number: number } & Pick<
  BuildStep,
  'name' | 'state' | 'startedAt' | 'endedAt' | 'error'
>;

/** Returns the steps of a build. */
export const buildStepsCommand = ({
  l10n,
}: Ui): PlainCommand<RefArguments, readonly ListedStep[]> => ({
  id: 'gantry.builds.steps',
  schema: REF,
  failureTitle: l10n.t('Could not read the build'),
  run: async ({ ref }, context, signal) => {
    const { steps } = await traceOf(ref, context, signal);
    return steps.map(({ number, step: { name, state, startedAt, endedAt, error } }) => ({
      ...{ number, name, state },
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

/** Returns the output of a build, step by step. The user sees it in a channel or a read-only document. */
export const buildLogCommand = (
  ui: Ui,
  documents: Pick<Documents, 'showText'>,
): PlainCommand<LogArguments, { readonly text: string }> => ({
  id: 'gantry.builds.log',
  schema: { ...REF, step: { kind: 'wholeNumber' } },
  failureTitle: ui.l10n.t('Could not read the log of the build'),
  run: async ({ ref, step }, context, signal) => {
    const trace = await traceOf(ref, context, signal);
    if (step === undefined) return { text: logOf(trace.steps) };
    const found = trace.step(String(step));
    if (!found) throw new InputError(ui.l10n.t('The build has no step {0}.', step));
    return { text: logOf([found]) };
  },
  runInteractive: async (context, [node]) => {
    const { output, builds } = await context.builds();
    const meant = await meantBuild(context, node);
    if (!meant) return undefined;
    const own = builds.get(meant.build.engine, meant.build.ref);
    if (own && !meant.step) {
      output.show(own);
      return undefined;
    }
    const title = ui.l10n.t('Loading the log of {0}', formatName(meant.build.title));
    const trace = await ui.progress(title, 'late', (signal) =>
      traceOf(meant.build.ref, context, signal),
    );
    const step = meant.step && trace.step(meant.step.step.id);
    const text = logOf(step ? [step] : trace.steps);
    const name = step ? `${meant.build.title} ${step.step.name}` : meant.build.title;
    await documents.showText(context.unit.id, ui.l10n.t('Build of {0}', name), text);
    return { text };
  },
});

/** Opens the output of a build, or of one of its steps, in the log viewer, where a running build is followed. */
export const openBuildLogViewerCommand = ({
  l10n,
}: Ui): PlainCommand<LogArguments, { readonly title: string }> => ({
  id: 'gantry.builds.openLogViewer',
  schema: { ...REF, step: { kind: 'wholeNumber' } },
  failureTitle: l10n.t('Could not open the log viewer'),
  run: async ({ ref, step }, context, signal) => {
    const trace = await traceOf(ref, context, signal);
    const found = step === undefined ? undefined : trace.step(String(step));
    if (step !== undefined && !found)
      throw new InputError(l10n.t('The build has no step {0}.', step));
    return openViewer({ ref, title: ref }, found?.step, context);
  },
  runInteractive: async (context, [node]) => {
    const meant = await meantBuild(context, node);
    return meant && openViewer(meant.build, meant.step?.step, context);
  },
});

async function openViewer(
  { ref, title }: Pick<ShownBuild, 'ref' | 'title'>,
  step: BuildStep | undefined,
  context: CommandContext,
): Promise<{ readonly title: string }> {
  const { builds, builder, historyOf } = await context.builds();
  const shown = { ref, ...(step && { step }) };
  const own = builds.get(context.unit.id, ref);
  if (own) {
    return context.openBuildViewer({
      ...shown,
      title: own.title,
      isOver: own.phase !== 'running',
      request: own.spec.request,
      replay: (onEvent, signal) => builds.replay(own, onEvent, signal),
    });
  }
  const known = historyOf(context.unit.id)?.all.find((one) => one.ref === ref);
  return context.openBuildViewer({
    ...shown,
    title: known?.title ?? title,
    isOver: known?.phase !== 'running',
    replay: async (onEvent, signal) =>
      builder.replay(await context.engine.connect(signal), ref, onEvent, signal),
  });
}

/** Returns the steps of a build: those of this window as they are, others from the engine. */
async function traceOf(
  ref: string,
  context: CommandContext,
  signal: AbortSignal,
): Promise<BuildTrace> {
  const { builds, builder } = await context.builds();
  const own = builds.get(context.unit.id, ref);
  if (own) return own.trace;
  const connection = await context.engine.connect(signal);
  await requireHistory(builder.hasHistory, connection, ref, context, signal);
  const trace = new BuildTrace();
  const onEvent = trace.add.bind(trace);
  await builder.replay(connection, ref, onEvent, signal);
  return trace;
}

async function requireHistory(
  hasHistory: (connection: Connection, signal?: AbortSignal) => Promise<boolean>,
  connection: Connection,
  ref: string,
  { ui }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  if (await hasHistory(connection, signal)) return;
  throw new InputError(
    ui.l10n.t('Build {0} not found in this window. The engine keeps no history.', ref),
  );
}

function logOf(steps: readonly StepState[]): string {
  return steps
    .filter(({ output }) => output.length > 0)
    .map(({ number, step, output }) => `#${number} ${step.name}\n${output.lines.join('\n')}\n`)
    .join('\n');
}
