import * as l10n from '@vscode/l10n';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { oneLine } from '../../base/plainText.ts';
import { InputError } from '../../engine/errors.ts';
import { readComposeFile } from '../../projects/composeFile.ts';
import { findProject, type Project } from '../../projects/project.ts';
import { readComposeText } from '../../projects/projectFiles.ts';
import { pathKey } from '../../projects/projectOfFiles.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { localUri } from '../ui/localUri.ts';
import type { CommandId } from '../ui/ui.ts';
import { composeTargetsOf, isComposeRow } from './chooseCompose.ts';
import { loadProject, onProjects, projectSchema, type ProjectArguments } from './projectTarget.ts';

interface FileArguments extends ProjectArguments {
  /** One of the files of the project; by default the first one, or the first with the service. */
  readonly file?: string;
}

/** A compose file, with the line of the service in it. */
interface OpenedFile {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
}

const ID: CommandId = 'gantry.projects.openFile';

/** Opens the compose file of a project, at the line of a service. */
export const openComposeFileCommand = (): PlainCommand<FileArguments, OpenedFile> => ({
  id: 'gantry.projects.openFile',
  schema: { ...projectSchema, file: { kind: 'text' } },
  ...onProjects(ID, ({ files }) => files.length > 0),
  accepts: isComposeRow,
  isForOne: true,
  failureTitle: l10n.t('Could not open the compose file'),
  run: async (args, context, signal) => {
    const project = await loadProject(await context.engine.connect(signal), args, signal);
    const all = await filesWith(project, args.service);
    const { file } = args;
    const found = file === undefined ? all[0] : all.find((one) => isSame(one.file, file));
    if (!found) throw new InputError(l10n.t('File not found: {0}.', formatName(file ?? '')));
    return open(found, context);
  },
  runInteractive: async (context, nodes) => {
    const [row] = composeTargetsOf(nodes);
    const project = row && findProject(context.inventory.containers.values(), row.project);
    if (!project) return undefined;
    const overrides = await context.window.worktrees();
    const own = { ...project, files: overrides.without(project.files) };
    const found = await pickFile(await filesWith(own, row.service), context);
    return found && open(found, context);
  },
});

/**
 * Returns the compose files of a project; only those with the service, if there are any.
 *
 * @throws InputError if none is on this machine.
 */
async function filesWith(project: Project, service?: string): Promise<readonly OpenedFile[]> {
  const { files, name } = project;
  if (files.length === 0)
    throw new InputError(l10n.t('The files of project {0} are not known.', formatName(name)));
  const local: OpenedFile[] = [];
  for (const file of files) if (await isComposeFile(file)) local.push(await located(file, service));
  if (local.length === 0)
    throw new InputError(l10n.t('File not found: {0}.', formatName(files[0] ?? '')));
  const having = local.filter(({ line }) => line !== undefined);
  return having.length > 0 ? having : local;
}

/**
 * Whether a path is that of a compose file on this machine. It is from a label, which anything that creates containers
 * can set: a network share is not looked at, and a link to something else is not opened.
 */
async function isComposeFile(path: string): Promise<boolean> {
  const isPlain = isAbsolute(path) && !/^[\\/]{2}/.test(path) && oneLine(path) === path;
  if (!isPlain || !YAML.test(path)) return false;
  try {
    return YAML.test(await realpath(path)) && (await stat(path)).isFile();
  } catch {
    return false;
  }
}

const YAML = /\.ya?ml$/i;

async function located(file: string, service: string | undefined): Promise<OpenedFile> {
  const text = service === undefined ? undefined : await readComposeText(file);
  const read = text === undefined ? undefined : await readComposeFile(text);
  const line = read?.services.find(({ name }) => name === service)?.line;
  return { file, ...(line !== undefined && { line: line + 1 }) };
}

async function pickFile(
  files: readonly OpenedFile[],
  { ui, titleOf }: CommandContext,
): Promise<OpenedFile | undefined> {
  if (files.length === 1) return files[0];
  const picked = await ui.pick({
    title: titleOf(ui.commandTitle(ID) ?? ''),
    placeholder: l10n.t('Select a compose file'),
    items: files.map((one) => ({
      label: basename(one.file),
      description: dirname(one.file),
      one,
    })),
    matchOnDescription: true,
  });
  return picked?.one;
}

async function open(found: OpenedFile, { ui }: CommandContext): Promise<OpenedFile> {
  await ui.openFile(localUri(ui, found.file), found.line);
  return found;
}

function isSame(a: string, b: string): boolean {
  return pathKey(a) === pathKey(b);
}
