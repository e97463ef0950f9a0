import * as l10n from '@vscode/l10n';
import type { Memento } from '../../base/lifetime.ts';
import type { Project } from '../../projects/project.ts';
import { readProjectFiles } from '../../projects/projectFiles.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatItemText, formatName } from '../ui/formatNames.ts';
import { allowFiles, pathsNamedBy } from './allowFiles.ts';
import type { ComposeArguments } from './prepareCompose.ts';
import { listProjectsForUser } from './projectTarget.ts';

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
  const isAsked =
    context.ui.isTrusted() && args.profiles === undefined && args.services === undefined;
  const known = isAsked && !args.files ? await projectOf(args, context) : undefined;
  if (known && !(await allowFiles(pathsNamedBy(known), context))) return undefined;
  const files = isAsked ? (args.files ?? known?.files ?? []) : [];
  const { profiles } = await readProjectFiles(files, known?.workingDir);
  if (profiles.length === 0) return args;
  const { ui } = context;
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

async function projectOf(
  { project }: ComposeArguments,
  context: CommandContext,
): Promise<Project | undefined> {
  return (await listProjectsForUser(context)).find(({ name }) => name === project);
}

type Remembered = readonly (readonly [project: string, profiles: readonly string[]])[];

function remembered(memory: Memento): Remembered {
  return memory.get<Remembered>(KEY, []);
}

async function remember(memory: Memento, key: string, profiles: readonly string[]): Promise<void> {
  const others = remembered(memory).filter(([one]) => one !== key);
  await memory.update(KEY, [[key, profiles] as const, ...others].slice(0, KEPT));
}
