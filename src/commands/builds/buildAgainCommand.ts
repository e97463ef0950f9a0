import * as l10n from '@vscode/l10n';
import { canBuildAgain } from '../../builds/buildRun.ts';
import type { BuildDraft } from '../../builds/buildMemory.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import { BuildNode } from '../../views/builds/buildNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { Ui } from '../ui/ui.ts';
import type { BuildArguments } from './buildArguments.ts';
import { buildDraft, buildForCaller, type BuildFollowUps } from './buildCommand.ts';
import { pickBuild, REF, type RefArguments } from './buildListCommands.ts';
import { confirmAgent, confirmUntrusted } from './buildTrust.ts';
import type { BuildOutcome } from './startBuild.ts';

/** Builds once more what a build of this window has built, with the files and secrets as they are now. */
export const buildAgainCommand = (
  ui: Ui,
  follow: BuildFollowUps,
): PlainCommand<RefArguments, BuildOutcome> => ({
  id: 'gantry.builds.again',
  schema: REF,
  selects: 'build',
  accepts: (row) => row instanceof BuildNode,
  isForOne: true,
  failureTitle: l10n.t('Could not build the image'),
  run: async ({ ref }, context, signal) => {
    const { builds } = await context.window.builds();
    const args = argumentsOf(builds.get(context.unit.id, ref));
    const asked = Object.values(args.secrets ?? {}).some((source) => 'prompt' in source);
    if (asked) throw new InputError(l10n.t('This build asks for a secret. Build it from its row.'));
    return buildForCaller(args, context, ui, signal);
  },
  runInteractive: async (context, [node]) => {
    const build = node instanceof BuildNode ? node.build : await pickBuild(context, canBuildAgain);
    return build && buildAgain(context, argumentsOf(build), follow);
  },
});

async function buildAgain(
  context: CommandContext,
  args: AgainArguments,
  follow: BuildFollowUps,
): Promise<BuildOutcome | undefined> {
  const { context: folder, dockerfile } = args;
  const pointed = { context: folder, dockerfile };
  const used = await confirmUntrusted(context, pointed, 'build');
  if (!used || (args.ssh === true && !(await confirmAgent(context, context.ui)))) return undefined;
  const access = await context.window.builds();
  const asked = { draft: draftOf(args), args: { ...args, ...used } };
  return buildDraft(context, access, used, follow, asked);
}

type AgainArguments = BuildArguments & Pick<BuildRequest, 'context' | 'dockerfile'>;

/** Returns the argument that a build was started with. @throws InputError if it cannot be built again. */
function argumentsOf(build: Parameters<typeof canBuildAgain>[0] | undefined): AgainArguments {
  if (!build || !canBuildAgain(build))
    throw new InputError(
      l10n.t('Only a build that was started in this window, and has ended, can be built again.'),
    );
  const { platforms, secrets: _ids, ...request } = build.spec.request;
  return { ...request, ...build.spec.given, ...(platforms && { platform: platforms }) };
}

/** Returns what the form shows; undefined for arguments that it does not have. */
function draftOf({
  context,
  tags = [],
  target,
  args = {},
  platform,
  secrets = {},
  ssh = false,
  noCache = false,
  pull = false,
  builder,
  push,
  ...others
}: AgainArguments): BuildDraft | undefined {
  const { dockerfile: _dockerfile, ...left } = others;
  if (Object.keys(left).length > 0) return undefined;
  return {
    context,
    tags,
    target,
    args,
    secrets,
    ssh,
    noCache,
    pull,
    builder,
    ...(platform !== undefined && { platforms: [platform].flat() }),
    ...(push !== undefined && { push }),
  };
}
