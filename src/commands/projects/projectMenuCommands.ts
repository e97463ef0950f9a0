import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import { isUp, type Container } from '../../engine/model.ts';
import { findProject, type Project } from '../../projects/project.ts';
import { withoutFinished } from '../../projects/projectLabels.ts';
import { projectsOfEngines } from '../../projects/projectOfFiles.ts';
import { ContainerNode, ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import { joinParts } from '../../views/format.ts';
import { editorCommands, type EditorCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { checkArguments, isPlainObject, type ArgumentSchema } from '../ui/checkArguments.ts';
import { formatName } from '../ui/formatNames.ts';
import { localUri } from '../ui/localUri.ts';
import type { CommandId, PickItem, Ui } from '../ui/ui.ts';
import { pickWorkspaceProject } from './pickWorkspaceProject.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';

const ACTIONS: CommandId = 'gantry.projects.actions';

/** Shows what can be done with a compose file, a project, or a service in a list: the menu of a lens and of the status bar. */
export function projectMenuCommands(parts: CommandDependencies): readonly EditorCommand[] {
  const show = async (given: unknown): Promise<void> => {
    const argument = isPlainObject(given) ? given : await pickWorkspaceProject(parts, ACTIONS);
    if (!argument) return;
    checkArguments(argument, SCHEMA, ACTIONS);
    const place = await choosePlace(placesOf(argument, parts), parts);
    if (!place) return;
    const picked = await parts.ui.pick({
      title: titleOf(place),
      placeholder: l10n.t('Select what to do'),
      items: actsAt(place, parts),
    });
    await picked?.run();
  };
  return editorCommands({
    [ACTIONS]: (first) => withErrorMessage(undefined, parts, () => show(first)),
  });
}

/** Whether a container can be started. A job that is done is left alone. */
export function isDown(containers: readonly Container[]): boolean {
  const members = containers.map((container) => ({ container }));
  return withoutFinished(members).some(({ container }) => !isUp(container));
}

/** What a menu is for: a compose file, or a project of an engine; the whole, or a service of it. */
interface MenuArguments {
  /** Absolute path. */
  readonly file?: string;
  readonly project?: string;
  readonly engine?: string;
  readonly service?: string;
  /** Whether the compose file says how the service is built. */
  readonly canBuild?: boolean;
}

const SCHEMA: ArgumentSchema = {
  file: { kind: 'text' },
  project: { kind: 'text' },
  engine: { kind: 'text' },
  service: { kind: 'text' },
  canBuild: { kind: 'boolean' },
};

/** What a menu is for, as it is now. */
interface Place extends Pick<MenuArguments, 'file' | 'service' | 'canBuild'> {
  /** The engine of the project. */
  readonly context?: CommandContext;
  /** Undefined if nothing was created yet. */
  readonly project?: Project;
}

/** An entry of the menu. */
interface Act extends PickItem {
  readonly run: () => unknown;
}

type Call = (id: CommandId, ...passed: readonly unknown[]) => () => Promise<unknown>;

/** Returns a place for each project of each engine that fits, or one without a project. */
function placesOf(
  argument: MenuArguments,
  { engines, choice }: CommandDependencies,
): readonly Place[] {
  const { file, project: name, engine, service, canBuild } = argument;
  const units = engine === undefined ? engines.all : [choice.named(engine)];
  const contexts = units.map(({ id }) => choice.ofEngine(id)).filter((one) => one !== undefined);
  const lists = contexts.map((one) => [one, [...one.inventory.containers.values()]] as const);
  const named = lists.flatMap(([context, containers]) => {
    const project = findProject(containers, name ?? '');
    return project ? [{ engine: context, project }] : [];
  });
  const found = file === undefined ? named : projectsOfEngines(file, lists);
  const places = found.map(({ engine: context, project }) => {
    return { file, service, canBuild, project, context };
  });
  return places.length > 0 ? places : [{ file, service, canBuild }];
}

/** Asks which project is meant if there are several. Resolves to undefined if the user cancels. */
async function choosePlace(
  places: readonly Place[],
  { ui }: CommandDependencies,
): Promise<Place | undefined> {
  if (places.length === 1) return places[0];
  const picked = await ui.pick({
    title: ui.commandTitle(ACTIONS),
    placeholder: l10n.t('Select a project'),
    items: places.map((place) => ({ label: titleOf({ ...place, service: undefined }), place })),
  });
  return picked?.place;
}

/** Names a place: a service with its project, and with the engine if there are several. */
function titleOf({ file = '', service, project, context }: Place): string {
  const whole = project?.name ?? (service === undefined ? basename(file) : undefined);
  const name = joinParts(service && formatName(service), whole && formatName(whole));
  return context?.titleOf(name) ?? name;
}

function actsAt(place: Place, { ui, handlerOf }: CommandDependencies): readonly Act[] {
  const call: Call =
    (id, ...passed) =>
    async () =>
      (await handlerOf(id))(...passed);
  const { file, service, context, project, canBuild } = place;
  const rows = project && context && rowsOf(project, context, service);
  const files = { files: [file], ...(service !== undefined && { services: [service] }) };
  // The second argument marks it as a choice of the user.
  const onFiles = (id: CommandId) => (rows ? call(id, rows.whole) : call(id, files, []));
  const canUp = project ? !project.isStack && !project.isPod : file !== undefined;
  const down =
    rows && canUp && service === undefined ? call('gantry.projects.down', rows.whole) : undefined;
  const build =
    file !== undefined && canBuild === true
      ? call('gantry.images.build', localUri(ui, file, service), [])
      : undefined;
  return [
    ...(canUp ? upActs(ui, onFiles) : []),
    ...(rows ? [...stateActs(rows, call), ...viewActs(rows, call)] : []),
    ...(build ? [{ icon: 'tools', label: l10n.t('Build Image...'), run: build }] : []),
    ...(rows && file === undefined ? showActs(rows, ui, context) : []),
    ...(down ? [{ icon: 'trash', label: l10n.t('Down...'), run: down }] : []),
  ];
}

/** Returns what runs the compose file, or why nothing does. */
function upActs(ui: Ui, onFiles: (id: CommandId) => Act['run']): readonly Act[] {
  if (!ui.isTrusted())
    return [
      {
        icon: 'shield',
        label: l10n.t('Up Needs a Trusted Workspace'),
        detail: l10n.t('A compose file can run any program as you.'),
        run: () => ui.manageTrust(),
      },
    ];
  return [
    { icon: 'play-circle', label: l10n.t('Up'), run: onFiles('gantry.projects.up') },
    {
      icon: 'git-branch',
      label: l10n.t('Up in This Worktree'),
      run: onFiles('gantry.projects.upInWorktree'),
    },
    {
      icon: 'diff',
      label: l10n.t('What Would Up Change?'),
      run: onFiles('gantry.projects.whatWouldUpChange'),
    },
  ];
}

/** Returns what leads to the rows of a project. A compose file has a place of its own. */
function showActs(
  { containers: [first] }: Rows,
  ui: Ui,
  { reveal }: CommandContext,
): readonly Act[] {
  if (!first) return [];
  const show = (): void => {
    ui.focusView('gantry.containers.focus');
    reveal(first.container.id);
  };
  return [{ icon: 'list-tree', label: l10n.t('Show in Containers'), run: show }];
}

/** The rows that stand for a project or service, as commands accept them. */
interface Rows {
  readonly whole: ProjectNode | ServiceNode;
  readonly containers: readonly ContainerNode[];
}

function rowsOf(project: Project, { unit }: CommandContext, service: string | undefined): Rows {
  const node = new ProjectNode(unit.id, project.name);
  const own = project.services.filter(({ name }) => name === (service ?? name));
  const containers = own
    .flatMap((one) => one.containers)
    .map((one) => new ContainerNode(unit.id, one, isUp(one), node));
  const whole = service === undefined ? node : new ServiceNode(node, service);
  for (const one of containers) whole.add(one);
  return { whole, containers };
}

/** Returns what starts and ends containers, by their states. */
function stateActs({ whole, containers }: Rows, call: Call): readonly Act[] {
  const all = containers.map(({ container }) => container);
  const isAnyUp = all.some(isUp);
  const acts: readonly (Act & { readonly isShown: boolean })[] = [
    {
      icon: 'play',
      label: l10n.t('Start'),
      run: call('gantry.projects.start', whole),
      isShown: isDown(all),
    },
    {
      icon: 'debug-continue',
      label: l10n.t('Unpause'),
      run: call('gantry.projects.unpause', whole),
      isShown: all.some(({ state }) => state === 'paused'),
    },
    {
      icon: 'debug-stop',
      label: l10n.t('Stop'),
      run: call('gantry.projects.stop', whole),
      isShown: isAnyUp,
    },
    {
      icon: 'debug-restart',
      label: l10n.t('Restart'),
      run: call('gantry.projects.restart', whole),
      isShown: isAnyUp,
    },
  ];
  return acts.filter(({ isShown }) => isShown);
}

/** The most containers of a service that have entries of their own. */
const MOST_CONTAINERS = 5;

/** Returns what shows something of containers: their logs, a shell, a page. */
function viewActs({ whole, containers }: Rows, call: Call): readonly Act[] {
  const [first, ...others] = containers;
  if (!first) return [];
  const logs = { icon: 'output', label: l10n.t('Logs') };
  const isSingle = whole instanceof ServiceNode && others.length === 0;
  const openLogs = isSingle
    ? call('gantry.containers.logs', first)
    : call('gantry.containers.openLogViewer', whole);
  const running = containers.filter(({ container }) => container.state === 'running');
  // A shell of any of them would be that of a service nobody chose.
  const withShell = whole instanceof ServiceNode ? running : [];
  const nameOf = ({ container }: ContainerNode) =>
    others.length > 0 ? { description: container.name } : {};
  return [
    { ...logs, run: openLogs },
    ...withShell.slice(0, MOST_CONTAINERS).map((one) => ({
      icon: 'terminal',
      label: l10n.t('Open Shell'),
      ...nameOf(one),
      run: call('gantry.containers.openShell', one),
    })),
    ...running.flatMap((one) => pageAct(one, call)).slice(0, MOST_CONTAINERS),
  ];
}

/** Returns what opens a published port in the browser; a question follows if there are several. */
function pageAct(row: ContainerNode, call: Call): readonly Act[] {
  const { name, ports } = row.container;
  const published = new Set(
    ports.flatMap(({ protocol, publicPort }) => (protocol === 'tcp' ? (publicPort ?? []) : [])),
  );
  if (published.size === 0) return [];
  const label = published.size > 1 ? l10n.t('Open in Browser...') : l10n.t('Open in Browser');
  return [
    {
      icon: 'globe',
      label,
      description: [name, [...published].join(', ')].join(' · '),
      run: call('gantry.containers.openInBrowser', row),
    },
  ];
}
