import * as l10n from '@vscode/l10n';
import { findStage } from '../../engine/builds/dockerfile/dockerfile.ts';
import { checkBuild } from '../../engine/builds/buildImage.ts';
import type { BuildWarning } from '../../engine/builds/model.ts';
import { readDockerfile } from '../../engine/builds/dockerfile/readDockerfile.ts';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { DEFAULT_ENGINE } from '../../engines/engineUnit.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { checkSchema, buildOf, readBuildArguments, type BuildArguments } from './buildArguments.ts';
import type { BuildMemory } from '../../builds/buildMemory.ts';
import { pointedAt, pickDockerfile } from './pointedBuild.ts';
import { buildProviders } from './buildProviders.ts';
import { confirmUntrusted, refuseUntrusted } from './buildTrust.ts';
import { warningOutcome, type WarningOutcome } from './startBuild.ts';

interface Checked {
  readonly warnings: readonly WarningOutcome[];
}

/** Checks a Dockerfile by the rules of the builder, without building it. What it finds is in Problems. */
export const checkBuildCommand = (ui: Ui): PlainCommand<BuildArguments, Checked> => ({
  id: 'gantry.images.checkBuild',
  schema: checkSchema(),
  failureTitle: l10n.t('Could not check the Dockerfile'),
  ofUri: pointedAt,
  run: async (args, context, signal) => {
    refuseUntrusted(context.ui);
    return outcomeOf(await check(context, args, false, signal));
  },
  runInteractive: async (context, _nodes, args) => {
    const access = await context.window.builds();
    const pointed = args ?? (await pickDockerfile(context, 'gantry.images.checkBuild'));
    if (!pointed) return undefined;
    const { dockerfile, context: folder } = await readBuildArguments(pointed);
    const paths = { dockerfile, context: folder };
    const used = await confirmUntrusted(context, paths, 'check');
    if (!used) return undefined;
    const name = formatName(dockerfile);
    const title = l10n.t('Checking {0}', name);
    const remembered = await withLast({ ...pointed, ...used }, access.memory);
    const found = await ui.progress(title, 'late', (signal) =>
      check(context, remembered, true, signal),
    );
    ui.info(checkedMessage(found.length, name));
    return outcomeOf(found);
  },
});

/**
 * Checks a Dockerfile that was saved, in a trusted workspace. Does nothing if the engine has no checks, or would have
 * to be signed in to.
 */
export async function checkSaved(
  context: CommandContext,
  dockerfile: string,
  signal: AbortSignal,
): Promise<void> {
  const { unit } = context;
  // Other engines are connected by their views, because that may ask for a password.
  if (unit.id !== DEFAULT_ENGINE && unit.inventory.phase.kind !== 'live') return;
  const access = await context.window.builds();
  const connection = await context.engine.connect(signal);
  const { checksDockerfiles } = capabilitiesOf(await connection.info(signal));
  if (!context.ui.isTrusted() || !checksDockerfiles) return;
  await check(context, await withLast(buildOf(dockerfile), access.memory), false, signal);
}

/** Returns the argument with the values of the last build, as far as the Dockerfile still has them. */
async function withLast(args: BuildArguments, memory: BuildMemory): Promise<BuildArguments> {
  const file = typeof args.dockerfile === 'string' ? args.dockerfile : undefined;
  const last = file === undefined ? undefined : memory.last(file);
  if (file === undefined || !last) return args;
  const { outline } = await readDockerfile(file);
  const { target } = last;
  const isThere = target !== undefined && findStage(outline, target) !== undefined;
  return { ...(isThere && { target }), ...args, args: { ...last.args, ...args.args } };
}

function checkedMessage(count: number, name: string): string {
  if (count === 0) return l10n.t('Check complete: no warnings in {0}.', name);
  return count === 1
    ? l10n.t('Check complete: 1 warning in {0}. See Problems.', name)
    : l10n.t('Check complete: {0} warnings in {1}. See Problems.', count, name);
}

async function check(
  context: CommandContext,
  args: BuildArguments,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<readonly BuildWarning[]> {
  const { installation, problems } = await context.window.builds();
  // No rule needs the agent.
  const request = await readBuildArguments({ ...args, ssh: false });
  const connection = await context.engine.connect(signal);
  const providers = buildProviders(context, connection, { secrets: args.secrets ?? {} }, request, {
    isInteractive,
    signal,
  });
  try {
    const controls = { signal, installation: installation() };
    const warnings = await checkBuild(connection, request, providers, controls);
    signal.throwIfAborted();
    await problems.show(request.dockerfile, { warnings, isCheck: true });
    return warnings;
  } catch (error) {
    const source = error instanceof BuildFailedError ? error.failure.source : undefined;
    if (source && !signal.aborted) {
      const failure = { message: errorMessage(error), source };
      await problems.show(request.dockerfile, { failure, warnings: [], isCheck: true });
    }
    throw error;
  }
}

function outcomeOf(warnings: readonly BuildWarning[]): Checked {
  return { warnings: warnings.map(warningOutcome) };
}
