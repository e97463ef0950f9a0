import type { WindowServices } from '../commands/frame/commandContext.ts';
import { errorMessage } from '../commands/ui/errorMessage.ts';
import { closeAll } from '../output/terminal/closeAll.ts';
import { WorkTerminal } from './workTerminal.ts';

/** The terminals of the tasks of one type. */
export class WorkTerminals {
  readonly #work: WindowServices['work'];
  readonly #running = new Set<WorkTerminal>();

  /** @param work remembers the tasks in case that the window ends first. */
  constructor(work: WindowServices['work']) {
    this.#work = work;
  }

  /** Cancels what runs, as closing the terminals does. Resolves when it has ended, or after a short time. */
  end(): Promise<void> {
    return closeAll(this.#running, ({ exitCode }) => exitCode);
  }

  /**
   * Returns the terminal of a task.
   *
   * @param name the label of a task that can be run again by it.
   * @param prepare reads the definition, and returns what runs and resolves to the exit code. Its errors are shown in the
   *   terminal.
   */
  create(name: string | undefined, prepare: () => TaskWork): WorkTerminal {
    const work = async (_screen: unknown, signal: AbortSignal): Promise<number> => {
      const run = prepare();
      this.#running.add(terminal);
      // VS Code runs a task again by its label.
      const again = { command: 'workbench.action.tasks.runTask', argument: name };
      using _note =
        name === undefined ? undefined : this.#work?.begin({ kind: 'task', name, again });
      try {
        return await run(terminal, signal);
      } finally {
        this.#running.delete(terminal);
      }
    };
    const terminal = new WorkTerminal(work, errorMessage);
    return terminal;
  }
}

type TaskWork = (terminal: WorkTerminal, signal: AbortSignal) => Promise<number>;
