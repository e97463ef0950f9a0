import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { LoadedDetails } from '../commands/details/loadDetails.ts';
import { sendSignal } from '../commands/details/sendSignal.ts';
import { errorMessage } from '../commands/ui/errorMessage.ts';
import { withErrorMessage } from '../commands/ui/withErrorMessage.ts';
import { listProcesses, type ContainerProcess } from '../engine/exec/listProcesses.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Clock } from '../base/time.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import { processTree } from './processTree.ts';
import type { ToPage } from './protocol.ts';

/** Time in milliseconds between two requests for the processes. */
const INTERVAL_MS = 5000;

/** The processes of a container. They are asked for again and again while somebody sees them, and not otherwise. */
export class ProcessList implements Disposable {
  readonly #context: CommandContext;
  readonly #page: Pick<PanelPage<unknown, ToPage>, 'post'>;
  readonly #clock: Clock;
  #running: AbortController | undefined;
  /** Which run of the container is listed. */
  #run = '';
  #container: { readonly id: string; readonly name: string } | undefined;
  #processes: readonly ContainerProcess[] = [];
  /** What the page has got last. */
  #told: Extract<ToPage, { readonly type: 'processes' }> | undefined;

  constructor(
    context: CommandContext,
    page: Pick<PanelPage<unknown, ToPage>, 'post'>,
    { clock }: { readonly clock: Clock },
  ) {
    this.#context = context;
    this.#page = page;
    this.#clock = clock;
  }

  /** Lists the processes of what is seen, if it is a container that runs; undefined if nothing is seen. */
  look(seen: LoadedDetails | undefined): void {
    const facts = seen?.kind === 'container' ? seen.facts : undefined;
    const isRunning = facts?.state === 'running';
    const run = isRunning ? `${facts.id} ${facts.startedAt}` : '';
    if (run === this.#run) return;
    this.#stop();
    this.#run = run;
    this.#container = isRunning ? facts : this.#container;
    if (isRunning) void this.#follow(facts.id);
    else if (seen) this.#post(undefined);
  }

  /** Tells a new page what the one before has got. */
  repeat(): void {
    if (this.#told) this.#page.post(this.#told);
  }

  /** Asks for a signal for a process, and sends it. */
  async signal(key: string): Promise<void> {
    const container = this.#container;
    const process = this.#processes.find(({ pid }) => pid !== undefined && String(pid) === key);
    if (!container || process?.pid === undefined) return;
    const { pid, command } = process;
    const { id, name } = container;
    await withErrorMessage(l10n.t('Could not send the signal'), this.#context, async () => {
      const sent = await sendSignal({ id, name, pid, command }, this.#context);
      if (sent && this.#run !== '') this.#again(id);
    });
  }

  dispose(): void {
    this.#stop();
  }

  #again(id: string): void {
    this.#stop();
    void this.#follow(id);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #follow(id: string): Promise<void> {
    const { signal } = (this.#running = new AbortController());
    try {
      for (;;) {
        const connection = await this.#context.engine.connect(signal);
        this.#post(await listProcesses(connection, id, signal));
        await this.#clock.delay(INTERVAL_MS, signal);
      }
    } catch (error) {
      // Asked for again when the container starts again, or the page is shown again.
      if (!signal.aborted) this.#post(undefined, errorMessage(error));
    }
  }

  #post(processes: readonly ContainerProcess[] | undefined, problem = ''): void {
    this.#processes = processes ?? [];
    const shown = processes && processTree(processes);
    this.#told = { type: 'processes', processes: shown, problem };
    this.#page.post(this.#told);
  }
}
