import type { BuildWarning } from '../../engine/builds/model.ts';
import { failureIn } from '../../engine/builds/buildFailure.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { errorMessage } from '../errorMessages.ts';
import { formatName } from '../formatNames.ts';
import type { Ui } from '../ui.ts';
import { CHECK_SCHEMA, readBuildArguments, type BuildArguments } from './buildArguments.ts';
import { pointedAt, pickDockerfile } from './pointedBuild.ts';
import { buildProviders } from './buildProviders.ts';
import { confirmUntrusted, refuseUntrusted } from './buildTrust.ts';
import { warningOutcome, type WarningOutcome } from './runBuild.ts';

interface Checked {
  readonly warnings: readonly WarningOutcome[];
}

/** Checks a Dockerfile by the rules of the builder, without building it. What it finds is in Problems. */
export const checkBuildCommand = (ui: Ui): PlainCommand<BuildArguments, Checked> => ({
  id: 'gantry.images.checkBuild',
  schema: CHECK_SCHEMA,
  failureTitle: ui.l10n.t('Could not check the Dockerfile'),
  ofUri: pointedAt,
  run: async (args, context, signal) => {
    refuseUntrusted(await context.builds(), ui.l10n);
    return outcomeOf(await check(context, args, false, signal));
  },
  runInteractive: async (context, _nodes, args) => {
    const access = await context.builds();
    const pointed = args ?? (await pickDockerfile(context, access));
    if (!pointed) return undefined;
    const name = formatName(String(pointed.dockerfile));
    if (!(await confirmUntrusted(access, name, ui))) return undefined;
    const title = ui.l10n.t('Checking {0}', name);
    const found = await ui.progress(title, 'late', (signal) =>
      check(context, pointed, true, signal),
    );
    ui.info(
      found.length === 0
        ? ui.l10n.t('The builder has no warnings for {0}.', name)
        : ui.l10n.t(
            'The builder has {0} warnings for {1}. They are in Problems.',
            found.length,
            name,
          ),
    );
    return outcomeOf(found);
  },
});

async function check(
  context: CommandContext,
  args: BuildArguments,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<readonly BuildWarning[]> {
  const { l10n } = context.ui;
  const { builder, problems } = await context.builds();
  const request = await readBuildArguments(args, l10n);
  const connection = await context.engine.connect(signal);
  const providers = buildProviders(context, connection, args, request.context, isInteractive);
  try {
    const warnings = await builder.check(connection, request, providers, signal);
    await problems.show(request.dockerfile, { warnings });
    return warnings;
  } catch (error) {
    const source = failureIn(error)?.source;
    if (source) {
      const failure = { message: errorMessage(error, l10n), source };
      await problems.show(request.dockerfile, { failure, warnings: [] });
    }
    throw error;
  }
}

function outcomeOf(warnings: readonly BuildWarning[]): Checked {
  return { warnings: warnings.map(({ message, source }) => warningOutcome(message, source)) };
}
