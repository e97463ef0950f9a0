import * as l10n from '@vscode/l10n';
import { stat } from 'node:fs/promises';
import { BuildRun } from '../../builds/buildRun.ts';
import { InputError } from '../../engine/errors.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { localUri } from '../ui/localUri.ts';
import { meantBuild, REF, type RefArguments } from './buildListCommands.ts';

interface OpenedDockerfile {
  readonly file: string;
}

/** Opens the Dockerfile, or the bake file, of a build of this window: that of others may be anywhere. */
export const openDockerfileCommand = (): PlainCommand<RefArguments, OpenedDockerfile> => ({
  id: 'gantry.builds.openDockerfile',
  schema: REF,
  failureTitle: l10n.t('Could not open the Dockerfile'),
  run: async ({ ref }, context) => open(ref, context),
  runInteractive: async (context, [node]) => {
    const meant = await meantBuild(context, node);
    return meant && open(meant.build.ref, context);
  },
});

/** @throws InputError if the file is not known, or not there any more. */
async function open(ref: string, { ui, unit, window }: CommandContext): Promise<OpenedDockerfile> {
  const { builds } = await window.builds();
  const run = builds.get(unit.id, ref);
  if (!(run instanceof BuildRun))
    throw new InputError(l10n.t('Only a build of this window knows its Dockerfile.'));
  const file = run.spec.request.dockerfile;
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true)
    throw new InputError(l10n.t('File not found: {0}.', formatName(file)));
  await ui.openFile(localUri(ui, file));
  return { file };
}
