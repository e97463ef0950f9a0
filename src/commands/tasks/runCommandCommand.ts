import * as l10n from '@vscode/l10n';
import { basename, join } from 'node:path';
import { oneLine } from '../../base/plainText.ts';
import { EXEC_TASK_TYPE } from '../../base/registeredTypes.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { formatCommandLine, parseCommandLine } from '../../engine/options/parseCommandLine.ts';
import { hasSecretArguments, maskAssignment } from '../../engine/options/secretDetection.ts';
import { findProject } from '../../projects/project.ts';
import {
  isOfComposeService,
  numberOf,
  projectOf,
  serviceOf,
} from '../../projects/projectLabels.ts';
import { defaultFiles } from '../../projects/withOverride.ts';
import { ContainerNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { findContainerTarget, knownContainers } from '../frame/targets.ts';
import { projectsOf, targetContainers } from '../projects/projectTarget.ts';
import { projectOfFiles } from '../projects/requestedName.ts';
import { formatName } from '../ui/formatNames.ts';
import { checkTaskTrust } from './checkTaskTrust.ts';
import { execTaskSchema, readExecTaskOptions } from './execTaskOptions.ts';
import { insertTask, type NewTask } from './insertTask.ts';
import { showRunForm, type RunDraft } from './showRunForm.ts';

const ID = 'gantry.containers.runCommand';

interface RunArguments {
  readonly id: string;
  readonly command: string | readonly string[];
  readonly user?: string;
  readonly folder?: string;
  readonly env?: readonly string[];
  readonly tty?: boolean;
  readonly mapPaths?: boolean;
  readonly problemMatcher?: readonly string[];
}

interface RunResult {
  readonly exitCode: number;
}

/**
 * Runs a command in a running container as a task, or saves it as one. The values of the form are kept for each service,
 * or else container, until the window is closed.
 */
export function runCommandCommand(): PlainCommand<RunArguments, RunResult> {
  const drafts = new Map<string, RunDraft>();
  const { command, user, folder, env, tty, mapPaths } = execTaskSchema();
  return {
    id: 'gantry.containers.runCommand',
    schema: {
      id: { kind: 'text', required: true },
      command,
      user,
      folder,
      env,
      tty,
      mapPaths,
      problemMatcher: { kind: 'texts' },
    },
    selects: 'container',
    accepts: (row) => row instanceof ContainerNode || row instanceof ServiceNode,
    isForOne: true,
    pick: pickRow(ID, 'container', isRunning),
    failureTitle: l10n.t('Could not run the command'),
    run: runTyped,
    runInteractive: async (context, nodes) => {
      checkTaskTrust(context.ui);
      const container = await containerOf(nodes, context);
      const { name } = container;
      const service = serviceOf(container);
      const key = JSON.stringify([context.unit.id, projectOf(container), service ?? name]);
      const draft = drafts.get(key) ?? { command: '', env: [] };
      const decision = await showRunForm(context.ui, formatName(name), draft);
      if (!decision) return undefined;
      drafts.set(key, decision.draft);
      if (decision.action === 'run') return runDraft(decision.draft, container, context);
      await saveAsTask(decision.draft, container, context);
      return undefined;
    },
  };
}

function isRunning({ state }: Container): boolean {
  return state === 'running';
}

async function runTyped(
  { id: text, problemMatcher, ...fields }: RunArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<RunResult> {
  checkTaskTrust(context.ui);
  const { command, user, folder, env, tty, mapPaths } = readExecTaskOptions({
    ...fields,
    container: text,
  });
  const connection = await context.engine.connect(signal);
  const { id } = await findContainerTarget(context, connection, text, signal);
  const { name, state } = await inspectContainer(connection, id, signal);
  if (state !== 'running') throw notRunning(name);
  const exitCode = await context.ui.runExecTask({
    title: titleOf(name, command),
    engine: context.unit.name,
    container: id,
    command,
    env,
    tty,
    mapPaths,
    ...(user !== undefined && { user }),
    ...(folder !== undefined && { folder }),
    ...(problemMatcher && { problemMatcher }),
  });
  return { exitCode };
}

/** The name of a task: where it runs, and what. */
function titleOf(name: string, command: readonly string[]): string {
  return `${formatName(name)}: ${formatCommandLine(command)}`;
}

/** Returns the container of the row: of a service, the first that runs. @throws InputError if none runs. */
async function containerOf(
  [node]: readonly TreeNode[],
  context: CommandContext,
): Promise<Container> {
  const known = await knownContainers(context);
  if (node instanceof ContainerNode) {
    const now = known.find(({ id }) => id === node.container.id) ?? node.container;
    if (!isRunning(now)) throw notRunning(now.name);
    return now;
  }
  const [target] = node ? projectsOf([node]) : [];
  const project = target && findProject(known, target.project);
  const found = project && targetContainers(project, target).find(isRunning);
  if (!found) throw notRunning(target?.service ?? '');
  return found;
}

function notRunning(name: string): InputError {
  return new InputError(l10n.t('{0} is not running.', formatName(name)));
}

async function runDraft(
  { command, user, folder, env, matcher }: RunDraft,
  { id, name }: Container,
  context: CommandContext,
): Promise<RunResult> {
  const words = parseCommandLine(command);
  const exitCode = await context.ui.runExecTask({
    title: titleOf(name, words),
    engine: context.unit.name,
    container: id,
    command: words,
    env,
    ...(user !== undefined && { user }),
    ...(folder !== undefined && { folder }),
    ...(matcher !== undefined && { problemMatcher: [matcher] }),
  });
  return { exitCode };
}

/** Inserts a task into the tasks.json of a workspace folder, and shows it there. */
async function saveAsTask(
  draft: RunDraft,
  container: Container,
  context: CommandContext,
): Promise<void> {
  const { ui } = context;
  const folder = await pickFolder(context);
  if (folder === undefined || !(await confirmSecrets(draft, context))) return;
  const task = await taskOf(draft, container, folder, context);
  const path = join(folder, '.vscode', 'tasks.json');
  const isSaved = await ui.changeText(path, (text) => insertTask(text, task));
  if (!isSaved) ui.info(l10n.t('Save tasks.json, which had unsaved changes, to run the task.'));
}

/** @throws InputError if there is no workspace folder. */
async function pickFolder({ ui }: CommandContext): Promise<string | undefined> {
  const folders = ui.workspaceFolders();
  const [only] = folders;
  if (only === undefined)
    throw new InputError(l10n.t('Tasks are saved in a workspace folder. Open a folder first.'));
  if (folders.length === 1) return only;
  const items = folders.map((path) => ({ label: basename(path), description: path, path }));
  const title = l10n.t('Save as Task');
  const placeholder = l10n.t('Select the folder whose tasks.json gets the task');
  return (await ui.pick({ title, placeholder, items, matchOnDescription: true }))?.path;
}

/** Asks before something that looks like a secret is written into a file that others may read. */
async function confirmSecrets(
  { command, env }: RunDraft,
  { ui }: CommandContext,
): Promise<boolean> {
  const suspect = env.filter((entry) => maskAssignment(entry) !== entry);
  const names = suspect.map((entry) => entry.slice(0, entry.indexOf('=')));
  const inCommand = hasSecretArguments(parseCommandLine(command)) ? [l10n.t('the command')] : [];
  const all = [...names.map(formatName), ...inCommand];
  if (all.length === 0) return true;
  const button = l10n.t('Save');
  const chosen = await ui.choose(
    l10n.t('Save values that look like secrets in tasks.json?'),
    [
      l10n.t('The file will contain, as you typed it: {0}.', all.join(', ')),
      l10n.t('Everyone who gets the workspace can read it.'),
    ].join(' '),
    [button],
  );
  return chosen === button;
}

async function taskOf(
  { command, user, folder, env, matcher }: RunDraft,
  container: Container,
  root: string,
  context: CommandContext,
): Promise<NewTask> {
  const words = parseCommandLine(command);
  const engine = engineOf(context);
  const { name = container.name, ...target } = await targetOf(container, root, context);
  return {
    label: titleOf(name, words),
    type: EXEC_TASK_TYPE,
    ...target,
    command: words,
    ...(user !== undefined && { user }),
    ...(folder !== undefined && { folder }),
    ...(env.length > 0 && { env }),
    ...(engine !== undefined && { engine }),
    problemMatcher: matcher === undefined ? [] : [matcher],
  };
}

/** Returns how a task names a container: by its service, which outlives it, where that means this container. */
async function targetOf(
  container: Container,
  root: string,
  context: CommandContext,
): Promise<Readonly<Record<string, string>> & { readonly name?: string }> {
  const service = serviceOf(container) ?? '';
  const project = projectOf(container) ?? '';
  const isFirst = (numberOf(container) ?? '1') === '1';
  if (!isOfComposeService(container) || !isFirst || !isPlain(service) || !isPlain(project))
    return { container: nameOrId(container) };
  const isOwn = await isProjectOf(root, project, context);
  return { name: service, ...(!isOwn && { project }), service };
}

/** Returns the name of the engine; undefined if it is the only one. */
function engineOf({ titleOf: nameAmongEngines, unit }: CommandContext): string | undefined {
  return nameAmongEngines('') === '' || !isPlain(unit.name) ? undefined : unit.name;
}

/** Whether a task of a workspace folder means this project if it names none. */
async function isProjectOf(
  root: string,
  project: string,
  context: CommandContext,
): Promise<boolean> {
  const files = await defaultFiles(root);
  if (files.length === 0) return false;
  try {
    const { name, kind } = await projectOfFiles(files, await knownContainers(context));
    return kind === 'own' && name === project;
  } catch (error) {
    // Of several, none is meant.
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** Whether a name stays as it is in tasks.json, where VS Code replaces variables and runs commands that they name. */
function isPlain(name: string): boolean {
  return !name.includes('${') && oneLine(name) === name;
}

function nameOrId({ id, name }: Container): string {
  return /^[a-zA-Z0-9][\w.-]*$/.test(name) ? name : id;
}
