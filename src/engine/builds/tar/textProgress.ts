/** Turns the text that Buildah and the classic builder write into steps and their output. */

import { createHash } from 'node:crypto';
import { plainText } from '../../../base/plainText.ts';
import { asLine } from '../../wire/wire.ts';
import type { Stage } from '../dockerfile/dockerfile.ts';
import type { BuildEvent, BuildStep } from '../model.ts';

/** The most steps of a build. Further ones count as output. */
const MOST_STEPS = 10_000;

/** The longest line of a builder: a `RUN` with all its continuations. Anything longer is output. */
const LONGEST_MARK = 256 * 1024;

export class TextProgress {
  readonly #onEvent: (event: BuildEvent) => void;
  readonly #stages: readonly Stage[];
  readonly #now: () => number;
  #step: BuildStep | undefined;
  #current: StepLine | undefined;
  #count = 0;
  /** As the builder writes it, to find the lines of the Dockerfile. */
  #text: string | undefined;

  /** @param stages the stages that are built. */
  constructor(
    onEvent: (event: BuildEvent) => void,
    stages: readonly Stage[] = [],
    now: () => number = Date.now,
  ) {
    this.#onEvent = onEvent;
    this.#stages = stages;
    this.#now = now;
  }

  /** The step that runs, and how the builder wrote it. */
  get current(): { readonly step: BuildStep; readonly text: string } | undefined {
    return this.#step && this.#text !== undefined
      ? { step: this.#step, text: this.#text }
      : undefined;
  }

  /** Adds the text of one record. What the builder itself writes has records of its own. */
  add(text: string): void {
    const line = text.length > LONGEST_MARK ? '' : text.trimEnd();
    const warning = warningIn(line);
    if (warning !== undefined) this.#onEvent({ kind: 'warning', warning: { message: warning } });
    if (line.includes('\n') || !this.#handleMark(line)) this.#reportOutput(text);
  }

  /** Ends the step that runs. */
  end(state: 'done' | 'failed' | 'canceled', error = ''): void {
    const why = plainText(error);
    this.#finish(state, why === '' ? {} : { error: why });
  }

  /** Returns whether a line is one of the builder, not output. */
  #handleMark(line: string): boolean {
    const stepLine = stepLineOf(line);
    if (stepLine && this.#isNext(stepLine)) {
      this.#begin(stepLine, line);
      return true;
    }
    if (this.#step === undefined) return false;
    const [, image] = IMAGE.exec(line) ?? [];
    if (image !== undefined) this.#report({ ...this.#step, image });
    if (CACHED.test(line)) this.#finish('cached');
    else if (COMMITTED.test(line)) this.#finish('done');
    else if (COMMITTING.test(line) && this.#current?.k === this.#current?.n) this.#finish('done');
    else return RUNNING.test(line) || NOISE.test(line);
    return true;
  }

  /** Steps are numbered one by one; other numbers are output that looks like a step. */
  #isNext({ stage, k, n }: StepLine): boolean {
    const before = this.#current;
    if (this.#count >= MOST_STEPS || k > n) return false;
    if (before?.stage !== stage) return k === 1;
    return k === before.k + 1 && n === before.n;
  }

  #begin(stepLine: StepLine, line: string): void {
    this.#finish('done');
    const before = stepLine.k > 1 ? this.#step : undefined;
    this.#current = stepLine;
    this.#text = line.slice(0, 4096);
    this.#count++;
    const id = createHash('sha256')
      .update(`${before?.id ?? ''}\n${line}`)
      .digest('hex');
    this.#report({
      id: `sha256:${id}`,
      name: asLine(nameOf(stepLine, this.#stages)),
      inputs: before ? [before.id] : [],
      state: 'running',
      startedAt: this.#now(),
      ...baseOf(stepLine),
    });
  }

  #finish(state: BuildStep['state'], more: Partial<BuildStep> = {}): void {
    if (this.#step?.state !== 'running') return;
    this.#report({ ...this.#step, ...more, state, endedAt: this.#now() });
  }

  #report(step: BuildStep): void {
    this.#step = step;
    this.#onEvent({ kind: 'step', step });
  }

  #reportOutput(text: string): void {
    if (!this.#step || text === '') return;
    if (this.#step.state !== 'running' && RESULT.test(text)) return;
    const isError = text.startsWith(RED);
    const data = Buffer.from(isError ? text.replaceAll(RED, '').replaceAll(PLAIN, '') : text);
    const stream = isError ? 'stderr' : 'stdout';
    const output = { step: this.#step.id, time: this.#now(), stream, data } as const;
    this.#onEvent({ kind: 'output', output });
  }
}

/** Where a step is in the build. */
interface StepLine {
  /** With the platform, if the builder reports it. */
  readonly stage: string;
  readonly k: number;
  readonly n: number;
  readonly text: string;
}

const STEP = /^((?:\[[^\]\s]{1,64}\] ){0,2})(?:STEP|Step) (\d{1,6})\/(\d{1,6}) ?: (.*)$/s;

function stepLineOf(line: string): StepLine | undefined {
  const [, stage = '', k, n, text = ''] = STEP.exec(line) ?? [];
  return k === undefined ? undefined : { stage: stage.trim(), k: Number(k), n: Number(n), text };
}

/** Returns the image that a stage begins with, as far as there is one. */
function baseOf({ k, text }: StepLine): Pick<BuildStep, 'image'> {
  const [, image] = /^FROM (?:--\S+ )*([^\s-]\S*)/i.exec(text) ?? [];
  return k > 1 || image === undefined || image === 'scratch' ? {} : { image };
}

/** Returns the name in the form of BuildKit. */
function nameOf({ stage, k, n, text }: StepLine, stages: readonly Stage[]): string {
  const [, number = ''] = /\[(\d+)\/\d+\]$/.exec(stage) ?? [];
  const found = number === '' ? undefined : stages[Number(number) - 1];
  const name = found ? `${found.name ?? `stage-${found.index}`} ` : '';
  // Buildah has the ID of an earlier stage.
  const from = k === 1 ? found?.instructions[0]?.rest : undefined;
  return `[${name}${k}/${n}] ${from === undefined ? text : `FROM ${from}`}`;
}

/**
 * Returns what Buildah writes of an instruction that it leaves out, such as `HEALTHCHECK` in an image of another
 * format.
 */
function warningIn(line: string): string | undefined {
  if (!['is not supported', 'will be ignored'].every((words) => line.includes(words)))
    return undefined;
  const [, message] = /^time="[^"]*" level=warning msg="(.*)"$/.exec(line) ?? [];
  return asLine(message?.replaceAll('\\"', '"') ?? line);
}

const CACHED = /^ ?--(?:->|>) Using cache\b/;
/** The image of the state after a step. */
const IMAGE = /^ ?--(?:->|>) (?:Using cache )?([0-9a-f]{11,64})$/;
const COMMITTED = /^ ?--(?:->|>) (?:Pushing cache )?[0-9a-f]{11,64}$/;
const RUNNING =
  /^ ---> Running in [0-9a-f]{12}$|^(?: ---> )?Remov(?:ed|ing) intermediate container [0-9a-f]{12}$/;

/** Around stderr of the classic builder. */
const RED = '\x1b[91m';
const PLAIN = '\x1b[0m';

const COMMITTING = /^(?:\[[^\]\s]{1,64}\] ){0,2}COMMIT(?: |$)/;
/** The image, after the last step. */
const RESULT = /^(?:Successfully (?:built|tagged) |[0-9a-f]{12,64}\s*$)/;

/** Pattern of what Podman writes about itself. */
const NOISE =
  /^time="[^"\n]*" level=\w+ msg="\+?\(UNHANDLED LOGLEVEL\)|^Resolving %!q\(<nil>\) to /;
