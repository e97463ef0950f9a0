import { exposureOf } from '../../engine/discovery/endpoint.ts';
import { InputError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';
import type { CommandContext } from '../commandContext.ts';
import { formatName } from '../formatNames.ts';
import type { Ui } from '../ui.ts';
import type { BuildsAccess } from './buildsAccess.ts';

type Trust = Pick<BuildsAccess, 'isTrusted'>;

/** @throws InputError in an untrusted workspace, where only the user may start a build. */
export function refuseUntrusted({ isTrusted }: Trust, l10n: L10n): void {
  if (isTrusted()) return;
  throw new InputError(
    l10n.t(
      'This workspace is in Restricted Mode. Gantry does not build its files without confirmation.',
    ),
  );
}

/** Asks before a build in an untrusted workspace: it runs the commands of the Dockerfile. */
export async function confirmUntrusted(
  { isTrusted }: Trust,
  dockerfile: string,
  ui: Ui,
): Promise<boolean> {
  if (isTrusted()) return true;
  const { l10n } = ui;
  return ui.confirm(
    l10n.t('Build {0} in Restricted Mode?', formatName(dockerfile)),
    l10n.t('The engine runs the commands in the Dockerfile and receives the files in its folder.'),
    l10n.t('Build'),
  );
}

/** Asks before Docker's classic builder is used, which builds some Dockerfiles differently. */
export async function confirmClassic(ui: Ui): Promise<boolean> {
  const { l10n } = ui;
  return ui.confirm(
    l10n.t('Build with the classic builder?'),
    l10n.t('This engine has no BuildKit. The classic builder has no secrets, mounts, or heredocs.'),
    l10n.t('Build'),
  );
}

/**
 * Asks before a build of a caller or a task uses the SSH agent, if it is to.
 *
 * @throws InputError if the user does not allow it.
 */
export async function requireAgent(
  context: Pick<CommandContext, 'engine'>,
  { ssh }: { readonly ssh?: boolean },
  ui: Ui,
): Promise<void> {
  if (ssh !== true || (await confirmAgent(context, ui))) return;
  throw new InputError(ui.l10n.t('The SSH agent is not allowed for this build.'));
}

/** Asks before the SSH agent is made available to a build. */
export async function confirmAgent(
  { engine }: Pick<CommandContext, 'engine'>,
  ui: Ui,
): Promise<boolean> {
  const { l10n } = ui;
  const isExposed = engine.endpoint !== undefined && exposureOf(engine.endpoint) !== undefined;
  const detail = l10n.t(
    'While it runs, the build can authenticate wherever your SSH keys are accepted. The keys are not sent.',
  );
  const warning = isExposed
    ? `\n\n${l10n.t('The connection is not secure: others on the network could use the agent, too.')}`
    : '';
  return ui.confirm(
    l10n.t('Allow this build to use your SSH agent?'),
    detail + warning,
    l10n.t('Allow'),
  );
}
