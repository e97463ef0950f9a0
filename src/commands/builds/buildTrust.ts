import * as l10n from '@vscode/l10n';
import { basename, dirname, join } from 'node:path';
import { exposureOf } from '../../engine/http/endpoint.ts';
import { InputError } from '../../engine/errors.ts';
import { isReallyWithin, realPathOf } from '../../projects/fileAccess.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { proxyLines } from '../create/proxies.ts';
import { formatName, formatPath } from '../ui/formatNames.ts';
import { contextSize, packsForPodman, type BuildPaths } from '../frame/contextRow.ts';
import type { Ui } from '../ui/ui.ts';

/** @throws InputError in an untrusted workspace, where only the user may start a build. */
export function refuseUntrusted(ui: Ui): void {
  if (ui.isTrusted()) return;
  throw new InputError(
    l10n.t(
      'This workspace is in Restricted Mode. Gantry does not build its files without confirmation.',
    ),
  );
}

/**
 * Returns the files of a build with the folders that they really lie in.
 *
 * @throws InputError if any of them is outside of the workspace in Restricted Mode: the repository chose it.
 */
export function requireInside<Paths extends BuildPaths>(ui: Ui, paths: Paths): Paths {
  if (ui.isTrusted()) return paths;
  const folders = ui.workspaceFolders();
  const { context, dockerfile } = paths;
  // The Dockerfile and the ignore files may be links.
  const ignored = ['dockerignore', 'containerignore'].flatMap((name) => [
    `${dockerfile}.${name}`,
    join(context, `.${name}`),
  ]);
  const used = [context, dockerfile, ...ignored];
  for (const path of used) {
    const real = realPathOf(path);
    if (real !== undefined && isReallyWithin(real, folders)) continue;
    throw new InputError(
      l10n.t(
        '{0} is outside of the workspace folder. Trust the workspace to build with it.',
        formatPath(real ?? path),
      ),
    );
  }
  const folder = realPathOf(dirname(dockerfile)) ?? dirname(dockerfile);
  const real = { context: realPathOf(context), dockerfile: join(folder, basename(dockerfile)) };
  return { ...paths, ...real };
}

/**
 * Asks before a build or a check in an untrusted workspace: names what is sent to which engine. Resolves to the files
 * that may be used, or to undefined if the user cancels.
 *
 * @throws InputError as `requireInside`.
 */
export async function confirmUntrusted<Paths extends BuildPaths>(
  context: Pick<CommandContext, 'ui' | 'unit' | 'engine' | 'window'>,
  paths: Paths,
  act: 'build' | 'check',
): Promise<Paths | undefined> {
  const { ui, unit } = context;
  if (ui.isTrusted()) return paths;
  const isBuild = act === 'build';
  const used = requireInside(ui, paths);
  const name = formatName(used.dockerfile);
  const sends = isBuild
    ? l10n.t(
        'The engine {0} runs the commands in the Dockerfile and receives the files of the build context.',
        formatName(unit.name),
      )
    : l10n.t(
        'The engine {0} receives the Dockerfile and its ignore file, but no other file of the build context.',
        formatName(unit.name),
      );
  const detail = [sends, ...(await sentLines(context, used, isBuild))];
  const isAgreed = await ui.confirm(
    isBuild
      ? l10n.t('Build {0} in Restricted Mode?', name)
      : l10n.t('Check {0} in Restricted Mode?', name),
    detail.join('\n'),
    isBuild ? l10n.t('Build') : l10n.t('Check'),
  );
  return isAgreed ? used : undefined;
}

/** Returns what is sent for a build or a check. @throws EngineError. */
async function sentLines(
  context: Pick<CommandContext, 'ui' | 'engine' | 'window'>,
  used: BuildPaths,
  isBuild: boolean,
): Promise<readonly string[]> {
  const { ui } = context;
  return ui.progress(l10n.t('Reading the build context'), 'late', async (signal) => {
    const connection = await context.engine.connect(signal);
    const isPodman = await packsForPodman(connection, signal);
    const size = await contextSize(used, { most: MOST_COUNTED, isPodman }, signal);
    return [
      l10n.t('Build context: {0}', formatPath(used.context)),
      l10n.t('Size: {0}', size),
      ...(isBuild ? await proxyLines(context, connection) : []),
    ];
  });
}

/** Maximum number of entries of a context counted for a question, in which nothing may be left out. */
const MOST_COUNTED = 200_000;

/** Asks before Docker's classic builder is used, which builds some Dockerfiles differently. */
export async function confirmClassic(ui: Ui): Promise<boolean> {
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
  throw new InputError(l10n.t('The SSH agent is not allowed for this build.'));
}

/** Asks before the SSH agent is made available to a build. */
export async function confirmAgent(
  { engine }: Pick<CommandContext, 'engine'>,
  ui: Ui,
): Promise<boolean> {
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
