import * as vscode from 'vscode';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { inspectInRegistry } from '../../engine/registries/registryImage.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { formatReference } from '../../engine/options/reference.ts';
import type { CommandContext } from '../context.ts';
import { askChoice, type StepChoice } from './form.ts';
import { withProgress } from '../notifications.ts';

const { l10n } = vscode;

/** What most images are made for; offered where the registry cannot be asked. */
const USUAL = [
  'linux/amd64',
  'linux/arm64',
  'linux/arm/v7',
  'linux/386',
  'linux/ppc64le',
  'linux/s390x',
];

/**
 * Asks for a platform: those that the registry has the image for, where the engine can ask it.
 *
 * @param text the reference as far as it is typed.
 * @returns the platform, undefined in it for the engine's own; undefined where the person leaves.
 */
export async function askPlatform(
  context: CommandContext,
  text: string,
  current: string | undefined,
): Promise<{ readonly value: string | undefined } | undefined> {
  // What cannot be asked is no reason to offer nothing.
  const known = await withProgress(l10n.t('Asking for platforms'), 'late', (signal) =>
    platformsOf(context, text, signal),
  ).catch(() => []);
  const choices: StepChoice<string | undefined>[] = [
    { label: l10n.t('the engine’s own'), value: undefined },
    ...(known.length > 0 ? known : USUAL).map((value) => ({ label: value, value })),
  ];
  const placeholder =
    known.length > 0
      ? l10n.t('The registry has the image for these platforms')
      : l10n.t('The platform to pull the image for');
  const title = l10n.t('Pull Image: Platform');
  return askChoice({ title }, placeholder, choices, (value) => value === current);
}

async function platformsOf(
  context: CommandContext,
  text: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const place = pullTarget(text, l10n);
  const connection = await context.engine.connect(signal);
  if (!capabilitiesOf(await connection.info(signal)).asksRegistries) return [];
  const access = { connection, ref: place, isInteractive: false, signal };
  const image = await context.registries.withAuth(access, (auth) =>
    inspectInRegistry(connection, formatReference(place), auth, signal),
  );
  return image.platforms;
}
