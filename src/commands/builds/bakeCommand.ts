import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import type { BuildRun } from '../../builds/buildRun.ts';
import { bakeArguments } from '../../builds/buildx/buildxArguments.ts';
import { isBuilderName } from '../../builds/buildx/readBuilders.ts';
import type { BakePlan } from '../../builds/buildx/readBakePlan.ts';
import { BAKE_FILES } from '../../builds/dockerfiles.ts';
import { runBuildx, type RunShown } from '../../builds/buildx/runBuildx.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import { InputError } from '../../engine/errors.ts';
import { readLocalText } from '../../base/readLocalFile.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { BuildsAccess } from '../../builds/buildsAccess.ts';
import { newBuildRef } from '../../engine/builds/solve.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage, failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { FileUri, Ui } from '../ui/ui.ts';
import { inBuildxTask } from './buildWithBuildx.ts';
import { findBuildFiles } from './pointedBuild.ts';
import {
  listBakeTargets,
  openBakeFile,
  planBake,
  type BakeArguments,
  type BakeFile,
} from './bakeFile.ts';

/** Builds targets of a bake file, by `docker buildx bake` in a task. */
export const bakeCommand = (): PlainCommand<BakeArguments, BakeResult> => ({
  id: 'gantry.builds.bake',
  schema: {
    file: { kind: { check: isFile, expected: 'a path or a URI' }, required: true },
    targets: { kind: 'texts' },
    builder: { kind: { check: isBuilderName, expected: 'the name of a builder' } },
  },
  failureTitle: l10n.t('Could not build with Bake'),
  ofUri: (file) => ({ file }),
  run: async (args, context, signal) => {
    const access = await context.window.builds();
    const file = await openBakeFile(args, context, signal);
    const bake = await startBake(context, access, file, args, signal);
    return finishBake(access, bake, bake.run.join(signal));
  },
  runInteractive: async (context, _nodes, given) => {
    const args = given ?? (await pickBakeFile(context.ui));
    return args && askAndBake(args, context, await context.window.builds());
  },
});

export interface BakeResult {
  readonly exitCode: number;
}

async function askAndBake(
  given: BakeArguments,
  context: CommandContext,
  access: BuildsAccess,
): Promise<BakeResult | undefined> {
  const { ui } = context;
  const { signal } = new AbortController();
  const file = await openBakeFile(given, context, signal);
  const title = l10n.t('Reading {0}', basename(file.path));
  const targets = await askTargets(
    await ui.progress(title, 'late', (reading) => listBakeTargets(file, reading)),
    ui,
  );
  if (!targets) return undefined;
  const bake = await startBake(context, access, file, { ...given, targets }, signal);
  const { run } = bake;
  try {
    const result = await finishBake(access, bake, access.output.wait(run));
    const showLog = {
      title: l10n.t('Show Log'),
      run: () => access.output.show(run),
    };
    if (run.phase === 'failed')
      ui.error(failureMessage(l10n.t('Could not build with Bake'), run.error), showLog);
    else ui.info(l10n.t('Built {0}.', run.title), showLog);
    return result;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    throw error;
  }
}

interface StartedBake {
  readonly run: BuildRun;
  readonly plan: BakePlan;
  /** Returns the exit code of the program; undefined while it runs. */
  readonly exitCode: () => number | undefined;
}

async function startBake(
  context: CommandContext,
  { builds }: BuildsAccess,
  file: BakeFile,
  args: BakeArguments,
  signal: AbortSignal,
): Promise<StartedBake> {
  const plan = await planBake(file, args, signal);
  const { targets = [] } = args;
  const name = targets.length > 0 ? targets.join(', ') : basename(file.path);
  const title = context.titleOf(l10n.t('Bake {0}', name));
  const call = file.callOf(bakeArguments(file.cli, file.path, args));
  let exitCode: number | undefined;
  const run = builds.start({
    ref: newBuildRef(),
    engine: context.unit.id,
    request: { context: file.folder, dockerfile: file.path, tags: [] },
    title,
    work: async (onEvent, signal) => {
      const run = inBuildxTask(context.ui);
      const shown: RunShown = async (own, options) => (exitCode = await run(own, options));
      // With one target, buildx does not name it.
      const [only, ...others] = plan.targets.keys();
      const usual = others.length === 0 ? only : undefined;
      const dockerfileOf = (target = usual): string | undefined =>
        plan.targets.get(target ?? '')?.dockerfile;
      await runBuildx({ call, title, run: shown, onEvent, signal, dockerfileOf });
      return { imageId: '' };
    },
  });
  return { run, plan, exitCode: () => exitCode };
}

/** Waits for a bake and shows its problems. A build that fails has an exit code, and is no error of the caller's. */
async function finishBake(
  access: BuildsAccess,
  { run, plan, exitCode }: StartedBake,
  ended: Promise<unknown>,
): Promise<BakeResult> {
  try {
    await ended;
  } catch (error) {
    const code = exitCode();
    if (isCancellation(error) || code === undefined) throw error;
    await showProblems(access, run, plan);
    return { exitCode: code };
  }
  await showProblems(access, run, plan);
  return { exitCode: 0 };
}

/** Shows in each Dockerfile what belongs to it: warnings of the same text, and the failure of its target. */
async function showProblems(
  { problems }: BuildsAccess,
  { trace, error }: BuildRun,
  { targets }: BakePlan,
): Promise<void> {
  const failed = error instanceof BuildFailedError ? error.failure : undefined;
  const files = new Set([...targets.values()].flatMap(({ dockerfile }) => dockerfile ?? []));
  for (const file of files) {
    const text = await readLocalText(file);
    const warnings = trace.warnings.filter(({ source }) => source?.text === text);
    const isHere = failed?.dockerfile === file;
    const failure = { message: errorMessage(error), source: failed?.source };
    await problems.show(file, { warnings, ...(isHere && { failure }) });
  }
}

async function pickBakeFile(ui: Ui): Promise<BakeArguments | undefined> {
  const active = ui.activeFile(BAKE_FILES);
  const all = await findBuildFiles(ui, BAKE_FILES);
  const found = [
    ...all.filter((path) => path === active),
    ...all.filter((path) => path !== active),
  ];
  if (found.length === 0) throw new InputError(l10n.t('No bake file in the workspace.'));
  const items = found.map((path) => ({ label: basename(path), description: path, path }));
  const placeholder = l10n.t('Select a bake file');
  const title = ui.commandTitle('gantry.builds.bake');
  const picked = await ui.pick({ title, placeholder, items, matchOnDescription: true });
  return picked && { file: picked.path };
}

/** Lets the user check targets and groups; the group `default` at first. */
async function askTargets(
  choices: Awaited<ReturnType<typeof listBakeTargets>>,
  ui: Ui,
): Promise<readonly string[] | undefined> {
  if (choices.length === 0) throw new InputError(l10n.t('The bake file has no targets.'));
  const isUsual = choices.some(({ name }) => name === 'default');
  const checked = await ui.pickMany({
    title: () => l10n.t('Build with Bake'),
    placeholder: l10n.t('Select targets and groups'),
    items: choices.map(({ name, description, isGroup }) => ({
      label: formatName(name),
      description: isGroup ? l10n.t('group: {0}', description) : description,
      name,
    })),
    isChecked: ({ name }) => (isUsual ? name === 'default' : choices.length === 1),
  });
  return checked && checked.length > 0 ? checked.map(({ name }) => name) : undefined;
}

function isFile(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && (value as FileUri).scheme === 'file';
}
