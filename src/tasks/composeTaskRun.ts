import * as l10n from '@vscode/l10n';
import { resolve } from 'node:path';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { runCompose } from '../commands/projects/composeCommands.ts';
import { NoProjectError, removeProject } from '../commands/projects/downCommand.ts';
import { type ComposeArguments } from '../commands/projects/findRequest.ts';
import { prepareCompose, type PreparedCompose } from '../commands/projects/prepareCompose.ts';
import { loadProject } from '../commands/projects/projectTarget.ts';
import {
  existingProject,
  nameInFiles,
  projectOfFiles,
} from '../commands/projects/requestedName.ts';
import { worktreeProjectOf } from '../commands/projects/worktreeProjectOf.ts';
import { runProject } from '../commands/projects/runProject.ts';
import { checkTaskTrust } from '../commands/tasks/checkTaskTrust.ts';
import { errorMessage } from '../commands/ui/errorMessage.ts';
import { formatName } from '../commands/ui/formatNames.ts';
import { monotonicClock } from '../base/time.ts';
import { runCli } from '../engine/cli/runCli.ts';
import { listContainersInPods } from '../engine/containers/listContainersInPods.ts';
import { InputError } from '../engine/errors.ts';
import { sameEngineOnly } from '../engine/http/sameEngineOnly.ts';
import type { Screen } from '../output/terminal/screen.ts';
import {
  servicesArguments,
  type ComposeRequest,
  type ComposeVerb,
} from '../projects/cli/composeArguments.ts';
import { findProject } from '../projects/project.ts';
import { waitForServices, type ServiceEnd } from '../projects/waitForServices.ts';
import { defaultFiles } from '../projects/withOverride.ts';
import { showProgram } from './cliTerminal.ts';
import type { ComposeTaskOptions } from './composeTaskOptions.ts';

/** One run of a task on a compose project. */
export class ComposeTaskRun {
  readonly #parts: ComposeTaskParts;
  /** Lines that may still be shown: a project may have any number of containers. */
  #linesLeft = MOST_LINES;

  constructor(parts: ComposeTaskParts) {
    this.#parts = parts;
  }

  /**
   * Runs the task to its end. Resolves to its exit code.
   *
   * @throws InputError if it cannot be run; EngineError; the signal's reason if aborted.
   */
  async run(): Promise<number> {
    const { options, context } = this.#parts;
    checkTaskTrust(context.ui);
    const target = await this.#target();
    if (options.command === 'up') return this.#up(target);
    if (options.command === 'down') return this.#down(target);
    return this.#runCompose('watch', await this.#prepare(target));
  }

  /** @throws InputError if the workspace folder has no compose file, and the task names nothing. */
  async #target(): Promise<ComposeArguments> {
    const { options, folder = '' } = this.#parts;
    const { project, services, profiles, envFiles, worktree } = options;
    const absolute = (path: string): string => (folder === '' ? path : resolve(folder, path));
    let files = options.files?.map(absolute);
    if (files === undefined && project === undefined) {
      files = folder === '' ? [] : [...(await defaultFiles(folder))];
      if (files.length === 0) {
        throw new InputError(
          l10n.t('The workspace folder has no compose file. Set "files" or "project".'),
        );
      }
    }
    return { project, files, services, profiles, worktree, envFiles: envFiles?.map(absolute) };
  }

  /** Runs Compose if there are files, and otherwise starts what exists. */
  async #up(target: ComposeArguments): Promise<number> {
    const { options, context, screen } = this.#parts;
    const { build = false, profiles = [], waitFor } = options;
    const isNew = build || profiles.length > 0 || target.worktree === true;
    if (target.files === undefined && !isNew) return this.#start(target.project ?? '');
    if (!isNew && !(await context.window.findCompose())) {
      const known = await this.#existing(target);
      if (known !== undefined) {
        screen.showMessage(
          l10n.t('Compose is not installed. Changes of the compose file are not applied.'),
        );
        return this.#start(known);
      }
    }
    const prepared = await this.#prepare(target);
    const code = await this.#runCompose(build ? 'build' : 'up', prepared);
    if (code !== 0 || waitFor === undefined) return code;
    const { request } = prepared;
    const found = request.project ?? (await this.#existing(request));
    const name = found ?? (await nameInFiles(request));
    return this.#wait(name, options.services ?? (await this.#servicesOf(prepared)));
  }

  #prepare(target: ComposeArguments): Promise<PreparedCompose> {
    return prepareCompose(target, this.#parts.context, this.#parts.signal);
  }

  async #runCompose(verb: ComposeVerb, prepared: PreparedCompose): Promise<number> {
    const { context, screen, signal } = this.#parts;
    const exitCode = await runCompose(verb, prepared, context, (call, linesOf) =>
      showProgram(screen, call, linesOf, signal),
    );
    signal.throwIfAborted();
    return exitCode;
  }

  /** Returns the name of the project that exists on the engine; undefined if there is none. */
  async #existing({ project, files = [] }: Partial<ComposeRequest>): Promise<string | undefined> {
    const { context, signal } = this.#parts;
    const all = await listContainersInPods(await context.engine.connect(signal), signal);
    return project === undefined
      ? existingProject({ files }, all)
      : findProject(all, project)?.name;
  }

  /** Asks Compose for the services that it works on; undefined if it does not say: those of profiles may be off. */
  async #servicesOf(prepared: PreparedCompose): Promise<readonly string[] | undefined> {
    const { cli, request, callOf } = prepared;
    const names: string[] = [];
    const add = (line: string, isError: boolean): void => {
      if (!isError && names.length < MOST_SERVICES) names.push(line.trim());
    };
    const call = callOf(servicesArguments(cli, request));
    const { code } = await runCli(call, add, this.#parts.signal);
    return code === 0 ? names : undefined;
  }

  /** Starts the containers of a project in their order, through the engine. */
  async #start(project: string): Promise<number> {
    const { options, context, signal } = this.#parts;
    const { services } = options;
    const reports = await Promise.all(
      (services ?? [undefined]).map((service) =>
        runProject(
          'start',
          { project, ...(service !== undefined && { service }) },
          context,
          signal,
        ),
      ),
    );
    signal.throwIfAborted();
    const failed = reports.flatMap(({ result }) => result.failed);
    // Several services may depend on the same one.
    for (const { name, message } of new Map(failed.map((one) => [one.id, one])).values())
      this.#show('error', `${formatName(name)}: ${message}`);
    if (failed.length > 0) return FAILED;
    return this.#wait(project, services);
  }

  /** Without a condition, what was started is not looked at. */
  async #wait(name: string, services: readonly string[] | undefined): Promise<number> {
    const { options, context, signal } = this.#parts;
    const { waitFor: condition } = options;
    if (condition === undefined) return 0;
    const { engine, inventory, unit } = context;
    const connection = await engine.connect(signal);
    const project = await loadProject(connection, { project: name }, signal);
    // Waits need the events of the engine.
    unit.start();
    const connect = sameEngineOnly(connection, (later) => engine.connect(later));
    const world = { connection, connect, inventory, clock: monotonicClock };
    const wanted = { condition, services, required: options.services };
    const isReady = await waitForServices(project, wanted, world, signal, (of, end) => {
      const line = endMessage(formatName(of), end);
      this.#show(GOOD.has(end.kind) ? 'message' : 'error', line);
    });
    return isReady ? 0 : FAILED;
  }

  /** A project that does not exist is down. */
  async #down(target: ComposeArguments): Promise<number> {
    const { options, context, screen, signal } = this.#parts;
    const { volumes = false, images = false } = options;
    const name = await this.#projectToRemove(target);
    if (name === undefined) return 0;
    try {
      const { done, failed } = await removeProject(
        { project: name, volumes, images },
        context,
        signal,
      );
      signal.throwIfAborted();
      for (const one of done) this.#show('message', l10n.t('Removed {0}.', formatName(one.name)));
      for (const one of failed) this.#show('error', `${formatName(one.name)}: ${one.message}`);
      return failed.length > 0 ? FAILED : 0;
    } catch (error) {
      if (!(error instanceof NoProjectError)) throw error;
      screen.showMessage(errorMessage(error));
      return 0;
    }
  }

  /**
   * Returns the project of files; undefined if there is none, which is said. A project that only has the same name is
   * another one, and what is removed is gone.
   *
   * @throws InputError if there are several.
   */
  async #projectToRemove(target: ComposeArguments): Promise<string | undefined> {
    const { context, screen, signal } = this.#parts;
    const { project, files = [], worktree } = target;
    if (project !== undefined && worktree !== true) return project;
    const all = await listContainersInPods(await context.engine.connect(signal), signal);
    if (worktree === true) return (await worktreeProjectOf(target, all, context)).project;
    const { name, kind } = await projectOfFiles(files, all);
    if (kind === 'own') return name;
    const shown = formatName(name);
    screen.showMessage(
      kind === 'foreign'
        ? l10n.t('The project {0} of this engine was created from other files, and stays.', shown)
        : l10n.t('The project {0} does not exist on this engine.', shown),
    );
    return undefined;
  }

  #show(kind: 'message' | 'error', line: string): void {
    this.#linesLeft -= 1;
    if (this.#linesLeft < 0) return;
    if (kind === 'error') this.#parts.screen.showError(line);
    else this.#parts.screen.showMessage(line);
  }
}

/** Dependencies of a run. */
export interface ComposeTaskParts {
  readonly options: ComposeTaskOptions;
  /** The workspace folder of the task, an absolute path. */
  readonly folder: string | undefined;
  readonly context: CommandContext;
  readonly screen: Screen;
  /** Ends the run: the programs that it started, and its waits. What was started in the engine stays. */
  readonly signal: AbortSignal;
}

/** The exit code if a service did not get as far as the task asks for. */
const FAILED = 1;
const MOST_LINES = 200;
const MOST_SERVICES = 1000;

const GOOD: ReadonlySet<ServiceEnd['kind']> = new Set([
  'running',
  'healthy',
  'completed',
  'noCheck',
]);

function endMessage(name: string, end: ServiceEnd): string {
  switch (end.kind) {
    case 'running':
    case 'noCheck':
      return l10n.t('{0} is running.', name);
    case 'healthy':
      return l10n.t('{0} is healthy.', name);
    case 'completed':
      return l10n.t('{0} has completed.', name);
    case 'unhealthy':
      return l10n.t('{0} is unhealthy.', name);
    case 'exited':
      return l10n.t('{0} exited with code {1}.', name, end.exitCode);
    case 'gone':
      return l10n.t('{0} was removed.', name);
    case 'missing':
      return l10n.t('The service {0} has no container.', name);
    case 'late':
      return l10n.t('{0} was not ready after {1} seconds.', name, Math.round(end.afterMs / 1000));
    case 'state':
      return l10n.t('{0} is not running: {1}.', name, end.state);
    case 'error':
      return `${name}: ${errorMessage(end.error)}`;
  }
}
