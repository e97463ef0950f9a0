import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { DetailsTarget } from '../commands/frame/detailsTarget.ts';
import type { DescribedContainer } from '../commands/details/describeContainer.ts';
import {
  exitStory,
  isFailure,
  type ExitStory,
  type KnownRuns,
} from '../commands/details/exitStory.ts';
import type { LoadedDetails } from '../commands/details/loadDetails.ts';
import { exitLines } from '../commands/details/tellExit.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { InputError } from '../engine/errors.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { KeptExits, ShownExit } from './keptExits.ts';

/**
 * Tells why the container of a page ended, if it failed: from the details that the page has loaded, and from what the
 * window has seen. Only the end of the log is asked for, once for each exit that is shown.
 */
export class ExitReport implements Disposable {
  readonly #context: CommandContext;
  readonly #target: DetailsTarget;
  readonly #kept: KeptExits;
  readonly #onRead: () => void;
  #shown: ShownExit | undefined;
  /** Which exit the lines are of. */
  #exit = '';
  #reading: AbortController | undefined;

  /** @param onRead called when the end of the log is known. */
  constructor(
    context: CommandContext,
    target: DetailsTarget,
    { kept, onRead }: { readonly kept: KeptExits; readonly onRead: () => void },
  ) {
    this.#context = context;
    this.#target = target;
    this.#kept = kept;
    this.#onRead = onRead;
  }

  /** How the container ended; undefined if it did not fail, or nothing is known of that. */
  get shown(): ShownExit | undefined {
    return this.#shown;
  }

  /** Follows what was loaded. @param loaded undefined if the container is gone. */
  async follow(loaded: LoadedDetails | undefined, signal: AbortSignal): Promise<void> {
    if (this.#target.kind !== 'container') return;
    const { unit } = this.#context;
    const known = { events: unit.events, runs: await unit.runs() };
    signal.throwIfAborted();
    if (loaded?.kind === 'container') this.#tell(loaded, known);
    else this.#tellKept(known);
  }

  dispose(): void {
    this.#reading?.abort();
  }

  #tell({ facts, details }: Inspected, known: KnownRuns): void {
    const story = storyOf(facts.id, known, details);
    if (!story || !isTold(facts, story)) {
      this.#forget();
      return;
    }
    const exit = [facts.finishedAt, story.exitCode, story.events.at(-1)?.at].join(' ');
    const isSame = exit === this.#exit;
    this.#show({ story, lastLines: isSame ? this.#shown?.lastLines : undefined, owner: facts });
    if (isSame) return;
    this.#exit = exit;
    void this.#readLines(details);
  }

  /** Of one that was seen before it was removed, more is kept than of others. */
  #tellKept(known: KnownRuns): void {
    const { id } = this.#target;
    const before = this.#kept.find(this.#key);
    const story = storyOf(id, known, undefined);
    this.#forget();
    if (before && (!story || isSameExit(before.story, story))) {
      this.#shown = { ...before, owner: undefined };
    } else if (
      story &&
      isFailure({ ...story, wasStopped: known.runs.find(id)?.wasStopped ?? false })
    ) {
      this.#shown = { story, lastLines: undefined, owner: undefined };
    }
  }

  #forget(): void {
    this.#reading?.abort();
    this.#exit = '';
    this.#shown = undefined;
  }

  #show(exit: ShownExit): void {
    this.#shown = exit;
    this.#kept.keep(this.#key, exit);
  }

  async #readLines(details: ContainerDetails): Promise<void> {
    this.#reading?.abort();
    const { signal } = (this.#reading = new AbortController());
    try {
      const connection = await this.#context.engine.connect(signal);
      const lastLines = await exitLines(details, connection, signal);
      if (signal.aborted || !this.#shown || !lastLines) return;
      this.#show({ ...this.#shown, lastLines });
      this.#onRead();
    } catch {
      // Without a connection, the page says so.
    }
  }

  get #key(): string {
    return `${this.#context.unit.id} ${this.#target.id}`;
  }
}

type Inspected = Extract<LoadedDetails, { readonly kind: 'container' }>;

function storyOf(
  id: string,
  known: KnownRuns,
  details: ContainerDetails | undefined,
): ExitStory | undefined {
  try {
    return exitStory(id, known, details);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Whether the container has failed, or is in a restart loop. */
function isTold(
  { state, wasStopped, restartCount, startedAt }: DescribedContainer,
  story: ExitStory,
) {
  if (state === 'restarting') return true;
  if (state === 'exited' || state === 'dead') return isFailure({ ...story, wasStopped });
  if (state !== 'running' || restartCount === 0) return false;
  const isAsked = story.events.some(({ action, verb }) => action === 'kill' || verb !== undefined);
  const endedAt = story.events.findLast(({ action }) => action === 'die')?.at;
  return !isAsked && Date.now() - (endedAt ?? Date.parse(startedAt)) < LOOP_MS;
}

function isSameExit(one: ExitStory, other: ExitStory): boolean {
  return one.exitCode === other.exitCode && one.events.at(-1)?.at === other.events.at(-1)?.at;
}

/** A container that was restarted by its policy within this time in milliseconds is in a loop, or may be. */
const LOOP_MS = 300_000;
