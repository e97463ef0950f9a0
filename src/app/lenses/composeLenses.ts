import * as l10n from '@vscode/l10n';
import { isTroubled, isUp, type Container } from '../../engine/model.ts';
import { oneLine } from '../../base/plainText.ts';
import { isDown } from '../../commands/projects/projectMenuCommands.ts';
import { isBuildable } from '../../projects/composeBuild.ts';
import { isExpected, type ComposeFile, type ComposeService } from '../../projects/composeFile.ts';
import { uncreatedServices, withoutFinished } from '../../projects/projectLabels.ts';
import { projectsOfEngines, type ProjectOfEngine } from '../../projects/projectOfFiles.ts';
import { countedParts } from '../../views/containers/presentProject.ts';

/**
 * Returns the lenses of a compose file: state and ports of what was created from it, and what can be done. A quiet file
 * has one lens for each service, which opens a menu.
 */
export function composeLenses(source: LensSource): readonly ComposeLens[] {
  const { file, path, isQuiet } = source;
  if (file.line === undefined || file.services.length === 0) return [];
  const all = projectsOfEngines(path, source.engines);
  const [first] = all;
  const found = first && foundOf(first);
  // Of several projects, the menu asks which one is meant. A button could only act on the first.
  if (isQuiet || all.length > 1) return quietLenses(file.line, found, source);
  return [
    ...projectLenses(file.line, found, source),
    ...file.services.flatMap((one) => serviceLenses(one, found, source)),
  ];
}

/** A line above a service, or above all of them. Without a command it is only information. */
export interface ComposeLens {
  /** From 0. */
  readonly line: number;
  readonly title: string;
  readonly tooltip?: string;
  readonly command?: string;
  readonly argument?: object;
  /** Whether the command may ask the user, and shows what comes of it. */
  readonly isChoice?: true;
  /** The service whose image is built. */
  readonly build?: string;
}

/** Source of lenses. */
interface LensSource {
  readonly file: ComposeFile;
  readonly path: string;
  /** The containers of each engine, by its name. */
  readonly engines: ReadonlyMap<string, readonly Container[]>;
  /** Whether compose files may be run. */
  readonly canRun: boolean;
  /** Whether there is one lens for each service. */
  readonly isQuiet: boolean;
  /** Whether the containers of an engine are known. */
  readonly isKnown: boolean;
  /** Returns the services that Up creates, as the row of the project knows them; undefined if it has no row. */
  readonly expectedOf: (engine: string, container: Container) => Iterable<string> | undefined;
}

/** A project that was created from the file. Of several, the first of the first engine. */
interface Found extends ProjectOfEngine<string> {
  /** The containers of each service. */
  readonly containers: ReadonlyMap<string, readonly Container[]>;
  /** The services that others wait for to complete. */
  readonly jobs: ReadonlySet<string>;
}

/** Looks at each service once: a file may have many, and so may the engine. */
function foundOf({ engine, project }: ProjectOfEngine<string>): Found {
  const { services } = project;
  const completed = services.flatMap(({ dependencies }) =>
    dependencies.flatMap(({ service, condition }) => (condition === 'completed' ? [service] : [])),
  );
  return {
    engine,
    project,
    containers: new Map(services.map(({ name, containers }) => [name, containers])),
    jobs: new Set(completed),
  };
}

/** Returns one lens above all services, and one above each. */
function quietLenses(
  line: number,
  found: Found | undefined,
  source: LensSource,
): readonly ComposeLens[] {
  const { file, path, isKnown } = source;
  const none = isKnown ? l10n.t('not created') : l10n.t('state unknown');
  const lens = (at: number, title: string | undefined, more: object): ComposeLens => ({
    line: at,
    title: title ?? withIcon('circle-outline', [none]),
    tooltip: l10n.t('Show what can be done'),
    command: 'gantry.projects.actions',
    argument: { file: path, ...more },
  });
  return [
    lens(line, found && projectState(found, source), {}),
    ...file.services.map((one) => {
      const more = { service: one.name, ...(hasBuild(one) && { canBuild: true }) };
      return lens(one.line, found && serviceState(one.name, found), more);
    }),
  ];
}

function projectLenses(
  line: number,
  found: Found | undefined,
  source: LensSource,
): readonly ComposeLens[] {
  const target = found ? { project: found.project.name } : { files: [source.path] };
  const on = found && { engine: found.engine };
  const all = found?.project.services.flatMap(({ containers }) => containers) ?? [];
  const lens = (title: string, command: string, more = {}): ComposeLens => ({
    line,
    title,
    command: `gantry.projects.${command}`,
    isChoice: true,
    argument: { ...on, ...target, ...more },
  });
  return [
    ...(found ? [{ line, title: projectState(found, source) }] : []),
    source.canRun ? lens(l10n.t('Up'), 'up') : restrictedLens(line),
    ...(isDown(all) ? [lens(l10n.t('Start'), 'start')] : []),
    ...(all.some(isUp) ? [lens(l10n.t('Stop'), 'stop'), lens(l10n.t('Restart'), 'restart')] : []),
    ...logsLens(line, found?.engine, all),
  ];
}

function serviceLenses(
  service: ComposeService,
  found: Found | undefined,
  { path, canRun }: LensSource,
): readonly ComposeLens[] {
  const { name, line } = service;
  const project = found?.project.name;
  const containers = found?.containers.get(name) ?? [];
  const on = found && { engine: found.engine };
  const up = project === undefined ? { files: [path] } : { project };
  const lens = (title: string, command: string, argument: object): ComposeLens => ({
    line,
    title,
    command: `gantry.projects.${command}`,
    isChoice: true,
    argument: { ...on, ...argument },
  });
  const own = { project, service: name };
  return [
    ...(found ? [{ line, title: serviceState(name, found) }] : []),
    ...(canRun ? [lens(l10n.t('Up'), 'up', { ...up, services: [name] })] : []),
    ...(isDown(containers) ? [lens(l10n.t('Start'), 'start', own)] : []),
    ...(containers.some(isUp)
      ? [lens(l10n.t('Stop'), 'stop', own), lens(l10n.t('Restart'), 'restart', own)]
      : []),
    ...(hasBuild(service) ? [{ line, title: l10n.t('Build Image...'), build: name }] : []),
    ...logsLens(line, found?.engine, containers),
  ];
}

function hasBuild({ build, merge }: ComposeService): boolean {
  return isBuildable(merge?.build ?? build);
}

/** Says why there is no Up, which runs the compose file. */
function restrictedLens(line: number): ComposeLens {
  return { line, title: l10n.t('Up Needs a Trusted Workspace'), command: 'workbench.trust.manage' };
}

/**
 * Returns how many services were not created, although a plain Up would: as the row of the project counts them, or else
 * those of this file.
 */
function missingIn({ engine, project }: Found, { file, expectedOf }: LensSource): number {
  const containers = project.services.flatMap((one) => one.containers);
  const [first] = containers;
  const own = file.services.filter(isExpected).map(({ name }) => name);
  const expected = (first && expectedOf(engine, first)) ?? own;
  return uncreatedServices(containers, expected).length;
}

/** As many as the log viewer takes. */
const MOST_LOGS = 50;

function logsLens(
  line: number,
  engine: string | undefined,
  containers: readonly Container[],
): readonly ComposeLens[] {
  if (containers.length === 0) return [];
  const ids = containers.slice(0, MOST_LOGS).map(({ id }) => id);
  const command = 'gantry.containers.openLogViewer';
  return [{ line, title: l10n.t('Logs'), command, argument: { engine, ids } }];
}

/** Returns the icon, the counts of the project's row, and the published ports: `2 of 3 up · 8080→80`. */
function projectState(found: Found, source: LensSource): string {
  const { services, oneOffs } = found.project;
  const containers = [...services.flatMap((one) => one.containers), ...oneOffs];
  const members = withoutFinished(containers.map((one) => ({ container: one, isUp: isUp(one) })));
  return stateText(containers, countedParts(members, missingIn(found, source)));
}

/** Returns the icon, the state, and the published ports of a service: `running · 8080→80`. */
function serviceState(name: string, { containers, jobs }: Found): string {
  const own = containers.get(name) ?? [];
  const [first, ...others] = own;
  if (!first) return stateText(own, [l10n.t('not created')]);
  if (others.length === 0) return stateText(own, [wordsOf(first, jobs.has(name))]);
  return stateText(own, countedParts(own.map((one) => ({ container: one, isUp: isUp(one) }))));
}

function stateText(containers: readonly Container[], words: readonly string[]): string {
  const up = containers.filter(isUp);
  const ports = [...new Set(up.flatMap(publishedPorts))].slice(0, 5).join(', ');
  const icon = up.length === 0 ? 'circle-outline' : 'pass';
  return withIcon(containers.some(isTroubled) ? 'warning' : icon, [...words, ports]);
}

function withIcon(icon: string, parts: readonly string[]): string {
  // A plain space beside an icon is not shown there.
  return `$(${icon})\u00a0${parts.filter((part) => part !== '').join(' · ')}`;
}

function wordsOf(container: Container, isJob: boolean): string {
  const { state, exitCode, health } = container;
  if (state === 'exited' && exitCode !== undefined)
    return isJob && exitCode === 0 ? l10n.t('completed') : l10n.t('exited ({0})', exitCode);
  // The words of the engine, as in the rows.
  return oneLine(health && isUp(container) ? `${state} (${health})` : state);
}

function publishedPorts({ ports }: Container): readonly string[] {
  return ports.flatMap(({ publicPort, privatePort }) =>
    publicPort === undefined ? [] : [`${publicPort}→${privatePort}`],
  );
}
