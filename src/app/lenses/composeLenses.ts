import * as l10n from '@vscode/l10n';
import { isUp, type Container } from '../../engine/model.ts';
import { oneLine } from '../../base/plainText.ts';
import { isBuildable } from '../../projects/composeBuild.ts';
import { isExpected, type ComposeFile, type ComposeService } from '../../projects/composeFile.ts';
import type { Project } from '../../projects/project.ts';
import { withoutFinished } from '../../projects/projectLabels.ts';
import { projectWithFile } from '../../projects/projectOfFiles.ts';

/** Returns the lenses of a compose file: state and ports of what was created from it, and what can be done. */
export function composeLenses(source: LensSource): readonly ComposeLens[] {
  const { file, path } = source;
  if (file.line === undefined || file.services.length === 0) return [];
  const found = findProject(path, source.engines);
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
}

/** A project that was created from the file. */
interface Found {
  readonly engine: string;
  readonly project: Project;
  /** The containers of each service. */
  readonly containers: ReadonlyMap<string, readonly Container[]>;
  /** The services that others wait for to complete. */
  readonly jobs: ReadonlySet<string>;
}

/** The files of a project are in its labels. Of several, the one of the first engine. */
function findProject(
  path: string,
  engines: ReadonlyMap<string, readonly Container[]>,
): Found | undefined {
  for (const [engine, containers] of engines) {
    const project = projectWithFile(path, containers);
    if (project) return foundOf(engine, project);
  }
  return undefined;
}

/** Looks at each service once: a file may have many, and so may the engine. */
function foundOf(engine: string, project: Project): Found {
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

function projectLenses(
  line: number,
  found: Found | undefined,
  { file, path, canRun }: LensSource,
): readonly ComposeLens[] {
  const target = found ? { project: found.project.name } : { files: [path] };
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
    ...(found ? [{ line, title: stateText(withoutJobs(all), missingIn(file, found)) }] : []),
    canRun ? lens(l10n.t('Up'), 'up') : restrictedLens(line),
    ...(isDown(all) ? [lens(l10n.t('Start'), 'start')] : []),
    ...(all.some(isUp) ? [lens(l10n.t('Stop'), 'stop'), lens(l10n.t('Restart'), 'restart')] : []),
    ...logsLens(line, found?.engine, all),
  ];
}

function serviceLenses(
  { name, line, build, merge }: ComposeService,
  found: Found | undefined,
  { path, canRun }: LensSource,
): readonly ComposeLens[] {
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
    ...(found ? [{ line, title: stateText(containers, 0, found.jobs.has(name)) }] : []),
    ...(canRun ? [lens(l10n.t('Up'), 'up', { ...up, services: [name] })] : []),
    ...(isDown(containers) ? [lens(l10n.t('Start'), 'start', own)] : []),
    ...(containers.some(isUp)
      ? [lens(l10n.t('Stop'), 'stop', own), lens(l10n.t('Restart'), 'restart', own)]
      : []),
    ...(isBuildable(merge?.build ?? build)
      ? [{ line, title: l10n.t('Build Image...'), build: name }]
      : []),
    ...logsLens(line, found?.engine, containers),
  ];
}

/** Says why there is no Up, which runs the compose file. */
function restrictedLens(line: number): ComposeLens {
  return { line, title: l10n.t('Up Needs a Trusted Workspace'), command: 'workbench.trust.manage' };
}

/** Whether a container can be started. A job that is done is left alone. */
function isDown(containers: readonly Container[]): boolean {
  return withoutJobs(containers).some((container) => !isUp(container));
}

/** Returns the containers that are to be up, as the row of the project counts them. */
function withoutJobs(containers: readonly Container[]): readonly Container[] {
  const members = containers.map((container) => ({ container }));
  return withoutFinished(members).map(({ container }) => container);
}

/** Returns how many services of the file were not created, although a plain Up would. */
function missingIn({ services }: ComposeFile, { project }: Found): number {
  const created = new Set(project.services.map(({ name }) => name));
  return services.filter((one) => !created.has(one.name) && isExpected(one)).length;
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

/**
 * Returns the icon, the state, and the published ports: `running · 8080→80`.
 *
 * @param missing how many services were not created.
 * @param isJob whether the service is to complete.
 */
function stateText(containers: readonly Container[], missing = 0, isJob = false): string {
  const up = containers.filter(isUp);
  const ports = new Set(up.flatMap(publishedPorts));
  const isSick = containers.some(({ health }) => health === 'unhealthy');
  const icon = isSick ? 'warning' : up.length === 0 ? 'circle-outline' : 'pass';
  const words = stateWords(containers, { up: up.length, missing, isJob });
  const parts = [words, [...ports].slice(0, 5).join(', ')];
  // A plain space beside an icon is not shown there.
  return `$(${icon})\u00a0${parts.filter((part) => part !== '').join(' · ')}`;
}

function stateWords(
  containers: readonly Container[],
  {
    up,
    missing,
    isJob,
  }: { readonly up: number; readonly missing: number; readonly isJob: boolean },
): string {
  const [first] = containers;
  if (!first) return l10n.t('not created');
  const all = containers.length + missing;
  if (all > 1) return l10n.t('{0} of {1} running', up, all);
  const { state, exitCode, health } = first;
  if (state === 'exited' && exitCode !== undefined)
    return isJob && exitCode === 0 ? l10n.t('completed') : l10n.t('exited ({0})', exitCode);
  // The words of the engine, as in the rows.
  return oneLine(health && up > 0 ? `${state} (${health})` : state);
}

function publishedPorts({ ports }: Container): readonly string[] {
  return ports.flatMap(({ publicPort, privatePort }) =>
    publicPort === undefined ? [] : [`${publicPort}→${privatePort}`],
  );
}
