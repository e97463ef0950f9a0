import { formatStepEnd } from '../../builds/formatBuild.ts';
import { StepLines } from '../../builds/stepLines.ts';
import { stagePositionOf } from '../../builds/buildTrace.ts';
import type { ViewedBuild } from '../../builds/shownBuild.ts';
import type { BuildEvent, BuildStep, BuildStepOutput } from '../../engine/builds/model.ts';
import type { LogLine } from '../../engine/model.ts';
import { Emitter, isCancellation, type Event } from '../../base/lifetime.ts';
import type { LogMember } from '../../logs/follow/logSet.ts';
import type { LogMarker, LogSetSink } from '../../logs/follow/logMarker.ts';
import type { MergedPage } from '../../logs/follow/olderMerge.ts';
import { MEMBER_NUMBERS } from '../../logs/store/storedLine.ts';
import { oneLine } from '../../base/plainText.ts';
import type { ViewerLog } from './sessionContext.ts';

/**
 * The output of a build as a log: each step that writes something is a member. What there is comes step by step, what
 * follows as it is reported.
 */
export class BuildLog implements ViewerLog {
  readonly #build: ViewedBuild;
  readonly #sink: LogSetSink;
  readonly #describe: (error: unknown) => string;
  readonly #steps = new Map<string, KnownStep>();
  readonly #joined = new Map<string, JoinedStep>();
  readonly #changes = new Emitter<void>();
  readonly #end = new AbortController();
  /** Ends when everything reported so far has been written. */
  #written: Promise<void> = Promise.resolve();

  /** Fires when a step wrote its first output, or ended. */
  readonly onDidChangeMembers: Event<void> = this.#changes.event;

  constructor(build: ViewedBuild, sink: LogSetSink, describe: (error: unknown) => string) {
    this.#build = build;
    this.#sink = sink;
    this.#describe = describe;
  }

  /** The steps that have written something, in the order of their first output. */
  get members(): readonly LogMember[] {
    return Array.from(this.#joined.values(), ({ member }) => member);
  }

  /** Reads what there is; follows a running build. Does not reject: the log shows why it cannot be read. */
  async open(): Promise<void> {
    const { signal } = this.#end;
    const read = this.#build.replay(this.#handle, signal).catch((error: unknown) => {
      if (signal.aborted || isCancellation(error)) return;
      const words = this.#describe(error);
      this.#write(() => this.#sink.marker(0, { kind: 'failed', words }, new Date().toISOString()));
    });
    if (this.#build.isOver) await read;
    await this.#written;
    if (!signal.aborted) this.#sink.caughtUp?.();
  }

  /** There is nothing before what `open` reads. */
  older(): Promise<MergedPage> {
    return Promise.resolve({ lines: [], isStart: true, horizon: '' });
  }

  dispose(): void {
    this.#end.abort();
    this.#changes.dispose();
  }

  readonly #handle = (event: BuildEvent): void => {
    if (event.kind === 'output') this.#addOutput(event.output);
    if (event.kind === 'step') this.#addStep(event.step);
  };

  #addStep(step: BuildStep): void {
    if (this.#build.step && step.id !== this.#build.step.id) return;
    const { name, startedAt } = step;
    const { number } = this.#steps.get(step.id) ?? { number: this.#steps.size + 1 };
    this.#steps.set(step.id, { number, name, startedAt });
    const joined = this.#joined.get(step.id) ?? (step.error && this.#join(step.id));
    if (joined) this.#finish(joined, step);
  }

  #finish(joined: JoinedStep, step: BuildStep): void {
    const end = formatStepEnd(step);
    if (end === undefined || joined.member.isOver) return;
    const at = stampOf(step.endedAt);
    const rests = joined.lines.flush().map(({ stream, text }) => lineOf(stream, at, text));
    this.#lines(joined, rests);
    this.#marker(joined, end, at);
    joined.member = { ...joined.member, isOver: true };
    this.#changes.fire();
  }

  #addOutput(output: BuildStepOutput): void {
    const joined = this.#joined.get(output.step) ?? this.#join(output.step);
    if (!joined) return;
    const at = stampOf(output.time);
    const lines = joined.lines.push(output).map((text) => lineOf(output.stream, at, text));
    this.#lines(joined, lines);
  }

  #join(id: string): JoinedStep | undefined {
    const step = this.#steps.get(id);
    if (!step || this.#joined.size >= MEMBER_NUMBERS) return undefined;
    const index = this.#joined.size;
    const member = { index, id, name: nameOf(step), isOver: false };
    const joined = { member, lines: new StepLines() };
    this.#joined.set(id, joined);
    this.#changes.fire();
    this.#marker(joined, step.name, stampOf(step.startedAt));
    return joined;
  }

  #lines({ member: { index } }: JoinedStep, lines: readonly LogLine[]): void {
    if (lines.length > 0) this.#write(() => this.#sink.lines(index, lines));
  }

  #marker({ member: { index } }: JoinedStep, text: string, at: string): void {
    const marker: LogMarker = { kind: 'step', words: text };
    this.#write(() => this.#sink.marker(index, marker, at));
  }

  /** The sink accepts one call at a time. */
  #write(write: () => Promise<void>): void {
    this.#written = this.#written.then(async () => {
      if (!this.#end.signal.aborted) await write();
    });
  }
}

/** Facts of a step for when it first writes something. */
interface KnownStep {
  /** From 1, in the order in which the steps were reported. */
  readonly number: number;
  readonly name: string;
  readonly startedAt: number | undefined;
}

interface JoinedStep {
  member: LogMember;
  readonly lines: StepLines;
}

/** Returns a name that fits in front of a line: `build 2/4`, or the number of a step of the builder itself. */
function nameOf({ number, name }: KnownStep): string {
  const position = stagePositionOf(name);
  if (!position) return `#${number}`;
  return oneLine(`${position.stage} ${position.position}/${position.all}`.trim());
}

/** Formats a time of the engine as RFC 3339; empty if it is not known. */
function stampOf(time = 0): string {
  const date = new Date(time > 0 ? time : NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function lineOf(source: LogLine['source'], timestamp: string, text: string): LogLine {
  return { source, timestamp, text };
}
