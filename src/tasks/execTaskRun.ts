import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { loadProject, targetContainers } from '../commands/projects/projectTarget.ts';
import { projectOfFiles } from '../commands/projects/requestedName.ts';
import { formatName } from '../commands/ui/formatNames.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { listContainersInPods } from '../engine/containers/listContainersInPods.ts';
import { checkTaskTrust } from '../commands/tasks/checkTaskTrust.ts';
import { failedWith, InputError } from '../engine/errors.ts';
import { runUntil, type ProcessEnd, type StartedProcess } from '../engine/exec/runUntil.ts';
import type { Connection } from '../engine/http/connection.ts';
import { formatCommandLine } from '../engine/options/parseCommandLine.ts';
import { isLocalEngine } from '../engine/options/suggestHostPort.ts';
import { resolveContainer } from '../engine/system/resolveTarget.ts';
import type { ContainerState, LogSource } from '../engine/model.ts';
import { InputQueue } from '../output/terminal/inputQueue.ts';
import { Sizer } from '../output/terminal/sizer.ts';
import { defaultFiles } from '../projects/withOverride.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
import type { ExecTarget, ExecTaskOptions } from '../commands/tasks/execTaskOptions.ts';
import { ExecOutput } from './execOutput.ts';
import { PathMapper } from './paths/pathMapper.ts';
import { workspacePathsOf } from './paths/workspacePaths.ts';
import type { WorkTerminal } from './workTerminal.ts';

/** One run of a task with a command in a running container. */
export class ExecTaskRun {
  readonly #parts: ExecTaskParts;

  constructor(parts: ExecTaskParts) {
    this.#parts = parts;
  }

  /**
   * Runs the command to its end. Resolves to its exit code.
   *
   * @throws InputError if it cannot be run; EngineError; the signal's reason if aborted before it was started.
   */
  async run(): Promise<number> {
    const { options, context, terminal, signal } = this.#parts;
    checkTaskTrust(context.ui);
    const connection = await context.engine.connect(signal);
    const details = await this.#container(connection);
    terminal.screen.showMessage(
      l10n.t('> {0} (in {1})', formatCommandLine(options.command), formatName(details.name)),
    );
    const end = await this.#exec(connection, details);
    return this.#codeOf(end, details.name);
  }

  /** Returns the container, which runs. @throws InputError, EngineError. */
  async #container(connection: Connection): Promise<ContainerDetails> {
    const { options, signal } = this.#parts;
    const { target } = options;
    const details =
      'container' in target
        ? await this.#named(connection, target.container)
        : await inspectContainer(connection, await this.#ofService(connection, target), signal);
    checkRuns(details.name, details.state);
    return details;
  }

  async #named(connection: Connection, name: string): Promise<ContainerDetails> {
    try {
      return await resolveContainer(connection, name, this.#parts.signal);
    } catch (error) {
      if (!failedWith(error, 'notFound')) throw error;
      throw new InputError(
        l10n.t('The container {0} does not exist on this engine.', formatName(name)),
        {
          cause: error,
        },
      );
    }
  }

  /** Returns the ID of the first running container of a service. */
  async #ofService(
    connection: Connection,
    { service, project }: Extract<ExecTarget, { service: string }>,
  ): Promise<string> {
    const { signal, terminal } = this.#parts;
    const name = project ?? (await this.#projectOfFolder(connection));
    const wanted = { project: name, service };
    const all = targetContainers(await loadProject(connection, wanted, signal), wanted);
    const running = all.filter(({ state }) => state === 'running');
    const [found] = running;
    if (!found) {
      checkRuns(service, all[0]?.state ?? 'exited');
      throw notRunning(service);
    }
    if (all.length > 1) {
      terminal.screen.showMessage(
        l10n.t(
          'The service {0} has {1} containers. The command runs only in {2}.',
          formatName(service),
          all.length,
          formatName(found.name),
        ),
      );
    }
    return found.id;
  }

  /** @throws InputError if it is not known which project the workspace folder means. */
  async #projectOfFolder(connection: Connection): Promise<string> {
    const { folder, signal } = this.#parts;
    const files = folder === undefined ? [] : await defaultFiles(folder);
    if (files.length === 0) {
      throw new InputError(
        l10n.t('The workspace folder has no compose file. Set "project" or "container".'),
      );
    }
    const all = await listContainersInPods(connection, signal);
    const { name, kind } = await projectOfFiles(files, all);
    if (kind === 'foreign') {
      throw new InputError(
        l10n.t(
          'The project {0} of this engine was created from other files. To use it nevertheless, set "project".',
          formatName(name),
        ),
      );
    }
    return name;
  }

  async #exec(connection: Connection, details: ContainerDetails): Promise<ProcessEnd> {
    const { options, terminal, signal } = this.#parts;
    const { command, user, env, folder, tty } = options;
    const output = await this.#output(connection, details);
    let process: StartedProcess | undefined;
    const input = new InputQueue(async (bytes) => process?.write(bytes));
    const sizer = new Sizer(async (size) => (await process?.resize(size)) ?? true);
    // Not every engine takes the size with the start.
    sizer.set(terminal.size);
    if (tty) terminal.connect({ type: (text) => input.push(text), resize: (to) => sizer.set(to) });
    const spec = { command, user, env, workingDir: folder, hasTty: tty, size: terminal.size };
    const onStart = (started: StartedProcess): void => {
      process = started;
      input.start();
    };
    const onOutput = async (source: LogSource, bytes: Uint8Array): Promise<void> => {
      // Before the first output, a size is lost.
      if (tty) void sizer.start();
      await output.push(source, bytes);
    };
    try {
      return await runUntil(connection, details.id, { ...spec, onOutput, onStart }, signal);
    } catch (error) {
      if (failedWith(error, 'cut', 'timeout')) this.#sayItRuns(details.name);
      throw error;
    } finally {
      await output.end();
      terminal.connect(undefined);
      input.stop();
      sizer.stop();
    }
  }

  async #output(connection: Connection, details: ContainerDetails): Promise<ExecOutput> {
    const { options, context, terminal } = this.#parts;
    const folders = options.mapPaths ? context.ui.workspaceFolders() : [];
    const to = { screen: terminal.screen, hasTty: options.tty };
    if (folders.length === 0) return new ExecOutput(to);
    const isLocal = isLocalEngine(connection.endpoint);
    const paths = await workspacePathsOf(details, folders, isLocal);
    const { targets } = paths;
    const mapper = () => new PathMapper(targets, (path) => paths.locate(path));
    return new ExecOutput({ ...to, mapper: targets.length > 0 ? mapper : undefined });
  }

  #codeOf(end: ProcessEnd, name: string): number {
    const { screen } = this.#parts.terminal;
    switch (end.kind) {
      case 'exited':
        if (!end.isWhole) screen.showMessage(l10n.t('Some output may be missing.'));
        return end.exitCode ?? FAILURE_EXIT_CODE;
      case 'refused':
        // The engine has said why in place of its output.
        return end.exitCode ?? FAILURE_EXIT_CODE;
      case 'ended':
        return FAILURE_EXIT_CODE;
      case 'running':
        this.#sayItRuns(name);
        return FAILURE_EXIT_CODE;
    }
  }

  #sayItRuns(name: string): void {
    const { context, terminal } = this.#parts;
    const sentence = l10n.t('The command may still be running in {0}.', formatName(name));
    // A terminal that was closed shows nothing.
    if (terminal.screen.isOver) context.ui.warn(sentence);
    else terminal.screen.showError(sentence);
  }
}

/** Dependencies of a run. */
export interface ExecTaskParts {
  readonly options: ExecTaskOptions;
  /** The workspace folder of the task, an absolute path. */
  readonly folder: string | undefined;
  readonly context: CommandContext;
  readonly terminal: Pick<WorkTerminal, 'screen' | 'size' | 'connect'>;
  /** Ends the command. */
  readonly signal: AbortSignal;
}

/** @throws InputError that says what to do. */
function checkRuns(name: string, state: ContainerState): void {
  if (state === 'running') return;
  if (state !== 'paused') throw notRunning(name);
  throw new InputError(l10n.t('{0} is paused. Unpause it first.', formatName(name)));
}

function notRunning(name: string): InputError {
  return new InputError(
    l10n.t(
      '{0} is not running. Start it first, for example by a task of the type "gantry.compose" in "dependsOn".',
      formatName(name),
    ),
  );
}
