import type {
  BuildEvent,
  BuildRefusal,
  BuildStepOutput,
  BuildStep,
  BuildTransfer,
  BuildWarning,
} from '../engine/builds/model.ts';
import { StepOutput } from './stepOutput.ts';

/** Limits of what one build may report. */
const MOST_TRANSFERS = 500;
const MOST_WARNINGS = 1000;
const MOST_REFUSALS = 100;
/** Of the output of all steps, in UTF-16 code units. */
const OUTPUT_LIMIT = 32 * 1024 * 1024;
const OUTPUT_SLACK = 1024 * 1024;

/** Known facts of a build: its steps in the order in which they were reported, their output, and warnings. */
export class BuildTrace {
  readonly #steps = new Map<string, StepState>();
  readonly #ordered: StepState[] = [];
  /** Number of steps of the Dockerfile in each state. */
  readonly #states = new Map<BuildStep['state'], number>();
  readonly #warnings: BuildWarning[] = [];
  readonly #refusals: BuildRefusal[] = [];
  /** The length of all outputs. */
  #length = 0;

  /** Adds what the engine reports. */
  add(event: BuildEvent): void {
    if (event.kind === 'step') this.#addStep(event.step);
    else if (event.kind === 'transfer') this.#addTransfer(event.transfer);
    else if (event.kind === 'output') this.#addOutput(event.output);
    else if (event.kind === 'warning') this.#addWarning(event.warning);
    else if (this.#refusals.length < MOST_REFUSALS) this.#refusals.push(event.refusal);
  }

  get steps(): readonly StepState[] {
    return this.#ordered;
  }

  get warnings(): readonly BuildWarning[] {
    return this.#warnings;
  }

  /** The requests of the engine that were refused. */
  get refusals(): readonly BuildRefusal[] {
    return this.#refusals;
  }

  /** Returns a step by its ID, or by its number from 1. */
  step(key: string): StepState | undefined {
    return (
      this.#steps.get(key) ??
      (/^[1-9]\d{0,6}$/.test(key) ? this.#ordered[Number(key) - 1] : undefined)
    );
  }

  /** Counted as steps are reported: it is asked for after each. */
  get counts(): StepCounts {
    const count = (state: BuildStep['state']): number => this.#states.get(state) ?? 0;
    const all = [...this.#states.values()].reduce((sum, one) => sum + one, 0);
    return { all, cached: count('cached'), finished: count('cached') + count('done') };
  }

  /** Repeats what is known, step by step: its beginning, its output, how it ended; then all warnings and refusals. */
  *replay(): Generator<BuildEvent> {
    for (const { step, output } of this.#steps.values()) {
      if (output.length > 0) yield { kind: 'step', step: { ...step, state: 'running' } };
      for (const { text, ...piece } of output.pieces)
        yield { kind: 'output', output: { ...piece, step: step.id, data: Buffer.from(text) } };
      yield { kind: 'step', step };
    }
    for (const warning of this.#warnings) yield { kind: 'warning', warning };
    for (const refusal of this.#refusals) yield { kind: 'refusal', refusal };
  }

  #addStep(step: BuildStep): void {
    const known = this.#steps.get(step.id);
    if (known) {
      this.#count(known.step, -1);
      known.step = step;
    } else if (this.#ordered.length < MOST_STEPS) {
      const added = new StepState(this.#ordered.length + 1, step);
      this.#steps.set(step.id, added);
      this.#ordered.push(added);
    } else return;
    this.#count(step, 1);
  }

  #count({ name, state }: BuildStep, change: number): void {
    const position = stagePositionOf(name);
    // The others are of the builder itself, and a base image has nothing to run.
    if (!position || /^FROM\b/i.test(position.text)) return;
    this.#states.set(state, (this.#states.get(state) ?? 0) + change);
  }

  #addWarning(warning: BuildWarning): void {
    if (this.#warnings.length < MOST_WARNINGS) this.#warnings.push(warning);
  }

  #addTransfer(transfer: BuildTransfer): void {
    const transfers = this.#steps.get(transfer.step)?.transfers;
    if (!transfers || (transfers.size >= MOST_TRANSFERS && !transfers.has(transfer.id))) return;
    transfers.set(transfer.id, transfer);
  }

  #addOutput(added: BuildStepOutput): void {
    const output = this.#steps.get(added.step)?.output;
    if (!output) return;
    const before = output.length;
    output.add(added);
    this.#length += output.length - before;
    if (this.#length > OUTPUT_LIMIT) this.#dropOldest();
  }

  /** Only a build with many noisy steps gets here. Drops more than needed, so that it does so rarely. */
  #dropOldest(): void {
    const outputs = this.steps.map(({ output }) => output);
    while (this.#length > OUTPUT_LIMIT - OUTPUT_SLACK) {
      const longest = outputs.reduce((a, b) => (b.length > a.length ? b : a));
      const before = longest.length;
      while (longest.length > before - OUTPUT_SLACK && longest.length > 0) longest.drop();
      this.#length += longest.length - before;
    }
  }
}

/** A step with what it has reported. */
export class StepState {
  /** From 1, in the order in which the steps were reported. */
  readonly number: number;
  step: BuildStep;
  readonly transfers = new Map<string, BuildTransfer>();
  readonly output = new StepOutput();

  constructor(number: number, step: BuildStep) {
    this.number = number;
    this.step = step;
  }

  /** The stage, from its name; undefined for a step of the builder itself. */
  get stagePosition(): StagePosition | undefined {
    return stagePositionOf(this.step.name);
  }
}

/** Number of steps of the Dockerfile, without `FROM`. `finished` includes the cached ones. */
export interface StepCounts {
  readonly all: number;
  readonly cached: number;
  readonly finished: number;
}

/** Where a step is in its stage. */
export interface StagePosition {
  /** With the platform, if the build has several; empty if the build has one stage. */
  readonly stage: string;
  /** From 1. */
  readonly position: number;
  readonly all: number;
  /** The instruction. */
  readonly text: string;
}

/**
 * Reads the name of a step, such as `[linux/amd64 stage-1 2/4] COPY . .`: platform and stage may be missing, the number
 * may be padded.
 */
export function stagePositionOf(name: string): StagePosition | undefined {
  const [, prefix = '', text = ''] = /^\[([^\]]*)\] (.*)$/s.exec(name) ?? [];
  const words = prefix.split(/ +/);
  const [, position, all] = /^(\d{1,6})\/(\d{1,6})$/.exec(words.pop() ?? '') ?? [];
  if (position === undefined) return undefined;
  return { stage: words.join(' '), position: Number(position), all: Number(all), text };
}

/** The most steps of a build that are known. */
export const MOST_STEPS = 5000;
