import * as l10n from '@vscode/l10n';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { inspectInRegistry } from '../../engine/registries/registryImage.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { formatReference } from '../../engine/options/reference.ts';
import type { CommandContext } from './commandContext.ts';
import { askChoice, type StepChoice } from '../ui/askChoice.ts';

/**
 * Asks for a platform. Offers those that the registry has the image for, if the engine can ask it.
 *
 * @param text the reference as typed so far.
 * @returns the platform, with an undefined value for the engine's own; undefined if the user cancels.
 */
export async function askPlatform(
  context: CommandContext,
  text: string,
  current: string | undefined,
): Promise<{ readonly value: string | undefined } | undefined> {
  // If the registry cannot be asked, the common platforms are offered.
  const known = await context.ui
    .progress(l10n.t('Loading platforms'), 'late', (signal) => platformsOf(context, text, signal))
    .catch(() => []);
  const choices: StepChoice<string | undefined>[] = [
    { label: l10n.t('engine default'), value: undefined },
    ...(known.length > 0 ? known : USUAL_PLATFORMS).map((value) => ({ label: value, value })),
  ];
  const placeholder =
    known.length > 0
      ? l10n.t('Platforms available in the registry')
      : l10n.t('Platform to pull the image for');
  const title = l10n.t('Pull Image: Platform');
  return askChoice(context.ui, { title }, placeholder, choices, (value) => value === current);
}

/** The most common platforms; offered if the registry cannot be asked. */
export const USUAL_PLATFORMS = ['amd64', 'arm64', 'arm/v7', '386', 'ppc64le', 's390x'].map(
  (cpu) => `linux/${cpu}`,
);

async function platformsOf(
  context: CommandContext,
  text: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ref = pullTarget(text);
  const connection = await context.engine.connect(signal);
  if (!capabilitiesOf(await connection.info(signal)).asksRegistries) return [];
  const access = { connection, ref, isInteractive: false, signal };
  const registries = await context.window.registries();
  const image = await registries.withAuth(access, (auth) =>
    inspectInRegistry(connection, formatReference(ref), auth, signal),
  );
  return image.platforms;
}
