import { findBuildx, type Buildx } from '../builds/buildx/findBuildx.ts';
import type { BuildxAccess } from '../builds/buildx/runBuildx.ts';
import { BUILDX_TASK_TYPE } from '../base/registeredTypes.ts';
import type { CliTasks } from './cliTasks.ts';

/** Runs `docker buildx` in tasks of the window. */
export class BuildxTasks implements BuildxAccess {
  readonly #tasks: () => Promise<Pick<CliTasks, 'run'>>;
  #found: Promise<Buildx | undefined> | undefined;

  /** @param tasks loads what runs the tasks. */
  constructor(tasks: () => Promise<Pick<CliTasks, 'run'>>) {
    this.#tasks = tasks;
  }

  readonly find: BuildxAccess['find'] = async () => {
    const found = await (this.#found ??= findBuildx(process.env));
    // The user may install it.
    if (!found) this.#found = undefined;
    return found;
  };

  readonly run: BuildxAccess['run'] = async (call, options) => {
    const tasks = await this.#tasks();
    return tasks.run(call, { type: BUILDX_TASK_TYPE, ...options });
  };
}
