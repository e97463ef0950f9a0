/** The commands on the builds in the view: those of this window, and those in the history of the engine. */

import * as l10n from '@vscode/l10n';
import type { StepState } from '../../builds/buildTrace.ts';
import { BuildRun } from '../../builds/buildRun.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildRecord } from '../../engine/builds/model.ts';
import { listBuilds, removeBuild } from '../../engine/builds/buildHistory.ts';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { BuildNode, StepNode } from '../../views/builds/buildNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

export interface RefArguments {
  readonly ref: string;
}

export const REF = { ref: { kind: 'text', required: true } } as const;

/** Lists the builds of an engine, newest first. Always asks the engine. */
export const listBuildsCommand = (): PlainCommand<object, readonly BuildRecord[]> => ({
  id: 'gantry.builds.list',
  schema: {},
  failureTitle: l10n.t('Could not list the builds'),
  run: async (_args, context, signal) => {
    const { builds } = await context.window.builds();
    const kept = await keptBuilds(await context.engine.connect(signal), signal);
    const own = builds.all.filter(({ engine }) => engine === context.unit.id);
    const missing = own.filter(({ ref }) => !kept.some((one) => one.ref === ref));
    return [...kept, ...missing.map((run) => recordOf(run))].toSorted(
      (a, b) => b.startedAt - a.startedAt,
    );
  },
});

interface Outcome {
  readonly outcome: 'canceled' | 'removed' | 'notRunning' | 'notThere';
}

export const cancelBuildCommand = (): PlainCommand<RefArguments, Outcome> => ({
  id: 'gantry.builds.cancel',
  schema: REF,
  failureTitle: l10n.t('Could not cancel the build'),
  run: async ({ ref }, context) => cancel(ref, context),
  runInteractive: async (context, nodes) => {
    const [first] = nodes;
    if (first) {
      // They may be of several engines.
      for (const node of nodes)
        if (node instanceof BuildNode && node.build instanceof BuildRun) node.build.cancel();
      return { outcome: 'canceled' };
    }
    const meant = await pickBuild(context, ({ phase, isOwn }) => isOwn && phase === 'running');
    return meant && cancel(meant.ref, context);
  },
});

/** Removes finished builds from the history. Their images stay. */
export const removeBuildCommand = (ui: Ui): PlainCommand<RefArguments, Outcome> => ({
  id: 'gantry.builds.remove',
  schema: REF,
  selects: 'build',
  accepts: (row) => row instanceof BuildNode,
  failureTitle: l10n.t('Could not remove the build'),
  run: async ({ ref }, context, signal) =>
    remove({ engine: context.unit.id, ref }, context, signal),
  runInteractive: async (context, nodes) => {
    const { signal } = new AbortController();
    const rows = nodes.flatMap((node) => (node instanceof BuildNode ? [node.build] : []));
    const picked = rows.length > 0 ? undefined : await pickBuild(context, isFinished);
    const meant = picked ? [picked] : finishedOf(rows, context.ui);
    if (meant.length === 0 || !(await confirmRemoval(meant, context, ui))) return undefined;
    for (const build of meant) await remove(build, context, signal);
    return { outcome: 'removed' };
  },
});

function isFinished({ phase }: ShownBuild): boolean {
  return phase !== 'running';
}

/**
 * Returns the builds that can be removed, and names the others.
 *
 * @throws InputError if all of them are running.
 */
function finishedOf(builds: readonly ShownBuild[], ui: Ui): readonly ShownBuild[] {
  const finished = builds.filter(isFinished);
  const names = builds.filter((one) => !isFinished(one)).map(({ title }) => title);
  if (names.length > 0 && finished.length === 0)
    throw new InputError(l10n.t('The build is running. Cancel it first.'));
  if (names.length > 0)
    ui.info(l10n.t('Left out because of their state: {0}.', formatNames(names)));
  return finished;
}

/** Asks before builds are removed. The question names their engines if the window has several. */
function confirmRemoval(
  builds: readonly ShownBuild[],
  { contextOf }: CommandContext,
  ui: Ui,
): Promise<boolean> {
  const isOne = builds.length === 1;
  const areOfOneEngine = builds.every(({ engine }) => engine === builds[0]?.engine);
  const names = builds.map(({ engine, title }) =>
    areOfOneEngine ? title : (contextOf(engine)?.titleOf(title) ?? title),
  );
  const question = isOne
    ? l10n.t('Remove the build {0} from the history?', formatNames(names))
    : l10n.t('Remove {0} builds from the history?', builds.length);
  const lost = isOne
    ? l10n.t('Its steps and log are deleted. Its image stays.')
    : l10n.t('Their steps and logs are deleted. Their images stay.');
  const list = isOne ? '' : l10n.t('Builds to remove: {0}.', formatNames(names));
  const asking = areOfOneEngine ? (contextOf(builds[0]?.engine ?? '')?.ui ?? ui) : ui;
  return asking.confirm(question, [lost, list].filter(Boolean).join('\n'), l10n.t('Remove'));
}

async function cancel(ref: string, context: CommandContext): Promise<Outcome> {
  const { builds } = await context.window.builds();
  const run = builds.get(context.unit.id, ref);
  if (!run) {
    throw new InputError(
      l10n.t('Only a build that was started in this window can be canceled here.'),
    );
  }
  if (run.phase !== 'running') return { outcome: 'notRunning' };
  run.cancel();
  return { outcome: 'canceled' };
}

async function remove(
  { engine, ref }: Pick<ShownBuild, 'engine' | 'ref'>,
  context: CommandContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const { builds, connect, historyOf } = await context.window.builds();
  const own = builds.get(engine, ref);
  if (own?.phase === 'running')
    throw new InputError(l10n.t('The build is running. Cancel it first.'));
  const connection = await connect(engine, signal);
  if (!connection) return { outcome: 'notThere' };
  const isKept = (await keptBuilds(connection, signal)).some((one) => one.ref === ref);
  if (isKept) await removeBuild(connection, ref, signal);
  historyOf(engine)?.forget(ref);
  if (own) builds.remove(own);
  return { outcome: isKept || own ? 'removed' : 'notThere' };
}

/** Lists the builds that an engine keeps; none if it keeps no history. */
async function keptBuilds(
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly BuildRecord[]> {
  const { keepsBuilds } = capabilitiesOf(await connection.info(signal));
  return keepsBuilds ? listBuilds(connection, signal) : [];
}

/** Returns the build, and the step, of a row, or the build that the user picks. */
export async function meantBuild(
  context: CommandContext,
  node: TreeNode | undefined,
): Promise<{ readonly build: ShownBuild; readonly step?: StepState } | undefined> {
  if (node instanceof BuildNode) return { build: node.build };
  if (node instanceof StepNode) return { build: node.node.build, step: node.step };
  const build = await pickBuild(context, () => true);
  return build && { build };
}

/**
 * Lets the user pick a build of the engine. Resolves to undefined if the user cancels.
 *
 * @throws InputError if there are none.
 */
export async function pickBuild(
  context: CommandContext,
  fits: (build: ShownBuild) => boolean,
): Promise<ShownBuild | undefined> {
  const { ui, unit, titleOf } = context;
  const { builds, historyOf } = await context.window.builds();
  const own = builds.all.filter(({ engine }) => engine === unit.id);
  const others = historyOf(unit.id)?.all.filter(({ ref }) => !builds.get(unit.id, ref)) ?? [];
  const found = [...own, ...others].filter(fits).toSorted((a, b) => b.startedAt - a.startedAt);
  if (found.length === 0) throw new InputError(l10n.t('There are no builds.'));
  const items = found.map((build) => ({
    label: formatName(build.title),
    description: new Date(build.startedAt).toLocaleString(),
    build,
  }));
  const title = titleOf(l10n.t('Builds'));
  return (await ui.pick({ title, placeholder: l10n.t('Select a build'), items }))?.build;
}

function recordOf(run: BuildRun): BuildRecord {
  const { ref, startedAt, endedAt, phase, counts, error } = run;
  const { tags, target, dockerfile, context } = run.spec.request;
  return {
    ref,
    tags,
    dockerfile,
    context,
    startedAt,
    state: phase,
    ...(target !== undefined && { target }),
    ...(endedAt !== undefined && { endedAt }),
    ...(phase === 'failed' && { error: errorMessage(error) }),
    steps: counts.all,
    cachedSteps: counts.cached,
    completedSteps: counts.finished,
  };
}
