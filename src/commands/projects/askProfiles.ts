import * as l10n from '@vscode/l10n';
import type { Memento } from '../../base/lifetime.ts';
import { readProjectFiles } from '../../projects/projectFiles.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatItemText, formatName } from '../ui/formatNames.ts';
import { allowFiles } from './allowFiles.ts';
import { findRequest, pathsNamedByLabels, type ComposeArguments } from './findRequest.ts';
import { listContainersForUser } from './projectTarget.ts';

const KEY = 'gantry.profiles';
/** Maximum number of projects whose profiles are remembered. */
const KEPT = 50;

/**
 * Lets the user select profiles if the files of the project define any, the last ones first. The profiles of a
 * single service need not be selected. Asks before it reads files outside of the workspace. Resolves to undefined if
 * the user cancels.
 */
export async function askProfiles(
  args: ComposeArguments,
  context: CommandContext,
): Promise<ComposeArguments | undefined> {
  const { ui } = context;
  if (!ui.isTrusted() || args.profiles !== undefined || args.services !== undefined) return args;
  const containers = args.files ? [] : await listContainersForUser(context);
  const { request } = await findRequest(args, containers, context);
  if (!(await allowFiles(pathsNamedByLabels(args, request), context))) return undefined;
  const { profiles } = await readProjectFiles(request.files, request.folder);
  if (profiles.length === 0) return args;
  const key = args.project ?? args.files?.[0] ?? '';
  const last = remembered(context.window.memory).find(([one]) => one === key)?.[1] ?? [];
  const picked = await ui.pickMany({
    title: () => context.titleOf(l10n.t('Profiles of {0}', formatName(key))),
    placeholder: l10n.t('Select profiles to enable, or none'),
    items: profiles.map((profile) => ({ label: formatItemText(profile), profile })),
    isChecked: ({ profile }) => last.includes(profile),
  });
  if (!picked) return undefined;
  const chosen = picked.map(({ profile }) => profile);
  await remember(context.window.memory, key, chosen);
  return { ...args, profiles: chosen };
}

type Remembered = readonly (readonly [project: string, profiles: readonly string[]])[];

function remembered(memory: Memento): Remembered {
  return memory.get<Remembered>(KEY, []);
}

async function remember(memory: Memento, key: string, profiles: readonly string[]): Promise<void> {
  const others = remembered(memory).filter(([one]) => one !== key);
  await memory.update(KEY, [[key, profiles] as const, ...others].slice(0, KEPT));
}
