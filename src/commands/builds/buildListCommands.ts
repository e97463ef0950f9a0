/** The commands on the builds in the view: those of this window, and those in the history of the engine. */

import { BuildTrace, type StepState } from '../../builds/buildTrace.ts';
import type { BuildRun } from '../../builds/buildRun.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildRecord, BuildStep } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { BuildNode, StepNode } from '../../views/builds/buildNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import type { Documents } from '../documents.ts';
import { errorMessage } from '../errorMessage.ts';
import { formatName } from '../formatNames.ts';
import type { Ui } from '../ui.ts';

interface RefArguments {
  readonly ref: string;
}

const REF = { ref: { kind: 'text', required: true } } as const;

/** A step as commands return it. */
type ListedStep = { readonly number: number } & Pick<
  BuildStep,
  'name' | 'state' | 'startedAt' | 'endedAt' | 'error'
>;

/** Lists the builds of an engine, newest first. Always asks the engine. */
export const listBuildsCommand = ({ l10n }: Ui): PlainCommand<object, readonly BuildRecord[]> => ({
  id: 'gantry.builds.list',
  schema: {},
  failureTitle: l10n.t('Could not list the builds'),
  run: async (_args, context, signal) => {
    const { builds, builder } = await context.builds();
    const connection = await context.engine.connect(signal);
    const hasHistory = await builder.hasHistory(connection, signal);
    const kept = hasHistory ? await builder.list(connection, signal) : [];
    const own = builds.all.filter(({ engine }) => engine === context.unit.id);
    const missing = own.filter(({ ref }) => !kept.some((one) => one.ref === ref));
    return [...kept, ...missing.map((run) => recordOf(run, l10n))].toSorted(
      (a, b) => b.startedAt - a.startedAt,
    );
  },
});

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

interface Outcome {
  readonly outcome: 'canceled' | 'removed' | 'notRunning' | 'notThere';
}

/** Cancels a build that this window has started. */
export const cancelBuildCommand = ({ l10n }: Ui): PlainCommand<RefArguments, Outcome> => ({
  id: 'gantry.builds.cancel',
  schema: REF,
  failureTitle: l10n.t('Could not cancel the build'),
  run: async ({ ref }, context) => cancel(ref, context),
  runInteractive: async (context, nodes) => {
    const [first] = nodes;
    if (first) {
      for (const node of nodes)
        if (node instanceof BuildNode && node.build.isOwn) await cancel(node.build.ref, context);
      return { outcome: 'canceled' };
    }
    const meant = await pickBuild(context, ({ phase, isOwn }) => isOwn && phase === 'running');
    return meant && cancel(meant.ref, context);
  },
});

/** Removes a finished build from the history. Its image stays. */
export const removeBuildCommand = ({ l10n }: Ui): PlainCommand<RefArguments, Outcome> => ({
  id: 'gantry.builds.remove',
  schema: REF,
  failureTitle: l10n.t('Could not remove the build'),
  run: async ({ ref }, context, signal) => remove(ref, context, signal),
  runInteractive: async (context, nodes) => {
    const { signal } = new AbortController();
    const rows = nodes.flatMap((node) => (node instanceof BuildNode ? [node.build] : []));
    const picked = rows.length > 0 ? undefined : await pickBuild(context, isFinished);
    for (const { ref } of picked ? [picked] : rows.filter(isFinished))
      await remove(ref, context, signal);
    return rows.length > 0 || picked ? { outcome: 'removed' } : undefined;
  },
});

function isFinished({ phase }: ShownBuild): boolean {
  return phase !== 'running';
}

async function cancel(ref: string, context: CommandContext): Promise<Outcome> {
  const { builds } = await context.builds();
  const run = builds.get(context.unit.id, ref);
  if (!run) {
    throw new InputError(
      context.ui.l10n.t('Only a build that was started in this window can be canceled here.'),
    );
  }
  if (run.phase !== 'running') return { outcome: 'notRunning' };
  run.cancel();
  return { outcome: 'canceled' };
}

async function remove(ref: string, context: CommandContext, signal: AbortSignal): Promise<Outcome> {
  const { builds, builder, historyOf } = await context.builds();
  const own = builds.get(context.unit.id, ref);
  if (own?.phase === 'running')
    throw new InputError(context.ui.l10n.t('The build is running. Cancel it first.'));
  const connection = await context.engine.connect(signal);
  const hasHistory = await builder.hasHistory(connection, signal);
  const isKept =
    hasHistory && (await builder.list(connection, signal)).some((one) => one.ref === ref);
  if (isKept) await builder.remove(connection, ref, signal);
  historyOf(context.unit.id)?.forget(ref);
  if (own) builds.remove(own);
  return { outcome: isKept || own ? 'removed' : 'notThere' };
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

/** Returns the build, and the step, of a row, or the build that the user picks. */
async function meantBuild(
  context: CommandContext,
  node: TreeNode | undefined,
): Promise<{ readonly build: ShownBuild; readonly step?: StepState } | undefined> {
  if (node instanceof BuildNode) return { build: node.build };
  if (node instanceof StepNode) return { build: node.node.build, step: node.step };
  const build = await pickBuild(context, () => true);
  return build && { build };
}

async function pickBuild(
  context: CommandContext,
  fits: (build: ShownBuild) => boolean,
): Promise<ShownBuild | undefined> {
  const { ui, unit } = context;
  const { builds, historyOf } = await context.builds();
  const own = builds.all.filter(({ engine }) => engine === unit.id);
  const others = historyOf(unit.id)?.all.filter(({ ref }) => !builds.get(unit.id, ref)) ?? [];
  const found = [...own, ...others].filter(fits).toSorted((a, b) => b.startedAt - a.startedAt);
  if (found.length === 0) throw new InputError(ui.l10n.t('No builds.'));
  const items = found.map((build) => ({
    label: formatName(build.title),
    description: new Date(build.startedAt).toLocaleString(),
    build,
  }));
  return (await ui.pick({ placeholder: ui.l10n.t('Select a build'), items }))?.build;
}

function recordOf(run: BuildRun, l10n: Ui['l10n']): BuildRecord {
  const { ref, startedAt, endedAt, phase, counts, error } = run;
  const { tags, target, dockerfile, context } = run.spec.request;
  return {
    ...{ ref, tags, dockerfile, context, startedAt, state: phase },
    ...(target !== undefined && { target }),
    ...(endedAt !== undefined && { endedAt }),
    ...(phase === 'failed' && { error: errorMessage(error, l10n) }),
    ...{ steps: counts.all, cachedSteps: counts.cached, completedSteps: counts.finished },
  };
}

function logOf(steps: readonly StepState[]): string {
  return steps
    .filter(({ output }) => output.length > 0)
    .map(({ number, step, output }) => `#${number} ${step.name}\n${output.lines.join('\n')}\n`)
    .join('\n');
}
