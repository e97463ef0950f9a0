import { asId, asLine } from '../wire/wire.ts';
import type { StepYielder } from '../../base/stepYielder.ts';
import { plainText } from '../../base/plainText.ts';
import { timeOf } from './controlMessages.ts';
import type {
  StatusResponse,
  Vertex,
  VertexLog,
  VertexStatus,
  VertexWarning,
} from './controlMessages.ts';
import { linesOf } from './buildError.ts';
import type { BuildEvent, BuildStep, BuildWarning } from './model.ts';

/** The most steps, and the most parts of steps, that a build may have. Others are left out. */
const MOST_STEPS = 10_000;

/** The most warnings of one build. */
const MOST_WARNINGS = 1_000;

/** Steps that a part of a message counts, besides its size: it is searched for secrets, kept, and shown. */
const PART_STEPS = 500;

/** The largest Dockerfile that is kept with a warning, in bytes. */
const SOURCE_LIMIT = 1024 * 1024;

/** Turns what BuildKit reports about a build into events. */
export class BuildProgress {
  readonly #onEvent: (event: BuildEvent) => void;
  readonly #steps = new Map<string, BuildStep>();
  readonly #transfers = new Set<string>();
  /** Number of pieces of output of each step, and of warnings. */
  readonly #pieces = new Map<string, number>();
  #warnings = 0;
  /** The same for the stream that is read now. */
  #streamPieces = new Map<string, number>();
  #streamWarnings = 0;

  constructor(onEvent: (event: BuildEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** The step that failed, and not because the build was canceled or another step failed. */
  get failed(): BuildStep | undefined {
    return [...this.#steps.values()].find(({ state }) => state === 'failed');
  }

  /** Called before a stream that reports everything from the start: what is known already is not reported again. */
  beginAgain(): void {
    this.#streamPieces = new Map();
    this.#streamWarnings = 0;
  }

  /** Reports what a message has. Other work runs in between: it may have very many parts. */
  async reportInTurns(response: StatusResponse, pace: StepYielder): Promise<void> {
    for (const size of this.#parts(response)) {
      pace.count(PART_STEPS + size);
      if (pace.isDue) await pace.rest();
    }
  }

  /** Reports a message part by part. Yields the size of each. */
  *#parts({ vertexes, statuses, logs, warnings }: StatusResponse): Generator<number> {
    const steps = vertexes.map(readStep);
    const writing = new Set(logs.map(({ vertex }) => asId(vertex)));
    // A step that ends in the message with its last output ends after that output.
    const endsLate = ({ id, endedAt }: BuildStep): boolean =>
      endedAt !== undefined && writing.has(id);
    for (const step of steps) {
      this.#addStep(endsLate(step) ? begun(step) : step);
      yield 0;
    }
    for (const status of statuses) {
      this.#addTransfer(status);
      yield 0;
    }
    for (const log of logs) {
      this.#addOutput(log);
      yield log.data.length;
    }
    for (const step of steps.filter(endsLate)) {
      this.#addStep(step);
      yield 0;
    }
    for (const warning of warnings) {
      this.#addWarning(warning);
      yield warning.info?.data.length ?? 0;
    }
  }

  /** Reports the steps that still run as canceled: nothing more is known of them. */
  end(): void {
    for (const step of [...this.#steps.values()])
      if (step.state === 'running') this.#report({ ...step, state: 'canceled' });
  }

  #addStep(step: BuildStep): void {
    const isKnown = this.#steps.has(step.id);
    if (step.id !== '' && (isKnown || this.#steps.size < MOST_STEPS)) this.#report(step);
  }

  #report(step: BuildStep): void {
    this.#steps.set(step.id, step);
    this.#onEvent({ kind: 'step', step });
  }

  #addTransfer(status: VertexStatus): void {
    const step = asId(status.vertex);
    const id = asLine(status.id);
    const key = `${step} ${id}`;
    if (!this.#steps.has(step)) return;
    if (!this.#transfers.has(key) && this.#transfers.size >= MOST_STEPS) return;
    this.#transfers.add(key);
    const total = status.total > 0 ? status.total : undefined;
    this.#onEvent({
      kind: 'transfer',
      transfer: {
        step,
        id,
        name: asLine(status.name) || id,
        current: Math.max(0, status.current),
        ...(total !== undefined && { total }),
        isDone: timeOf(status.completed) !== undefined,
      },
    });
  }

  #addOutput({ vertex, timestamp, stream, data }: VertexLog): void {
    const step = asId(vertex);
    if (!this.#steps.has(step)) return;
    const count = (this.#streamPieces.get(step) ?? 0) + 1;
    this.#streamPieces.set(step, count);
    if (count <= (this.#pieces.get(step) ?? 0)) return;
    this.#pieces.set(step, count);
    const time = timeOf(timestamp) ?? 0;
    const name = stream === 2 ? 'stderr' : 'stdout';
    this.#onEvent({ kind: 'output', output: { step, time, stream: name, data } });
  }

  #addWarning(wire: VertexWarning): void {
    if (++this.#streamWarnings <= this.#warnings || this.#warnings >= MOST_WARNINGS) return;
    this.#warnings++;
    this.#onEvent({ kind: 'warning', warning: readWarning(wire) });
  }
}

function begun({ id, name, inputs, startedAt }: BuildStep): BuildStep {
  return { id, name, inputs, state: 'running', ...(startedAt !== undefined && { startedAt }) };
}

function readStep({ digest, name, inputs, ...vertex }: Vertex): BuildStep {
  const startedAt = timeOf(vertex.started);
  const endedAt = timeOf(vertex.completed);
  const error = plainText(vertex.error);
  return {
    id: asId(digest),
    name: asLine(name),
    inputs: inputs.map(asId).filter((id) => id !== ''),
    state: stateOf(vertex),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(error !== '' && { error }),
  };
}

function stateOf({
  error,
  isCached,
  started,
  completed,
}: Omit<Vertex, 'digest' | 'inputs' | 'name'>): BuildStep['state'] {
  if (error !== '') return /context canceled\s*$/.test(error) ? 'canceled' : 'failed';
  if (completed) return isCached ? 'cached' : 'done';
  return started ? 'running' : 'waiting';
}

function readWarning({ short, detail, url, info, ranges }: VertexWarning): BuildWarning {
  const more = plainText(detail.map((one) => Buffer.from(one).toString()).join('\n'));
  const lines = linesOf(ranges);
  const data = info?.data ?? new Uint8Array();
  return {
    message: asLine(Buffer.from(short).toString()),
    ...(more !== '' && { detail: more }),
    // Only what a browser opens.
    ...(/^https?:\/\/[\x21-\x7e]{1,500}$/.test(url) && { url }),
    ...(info &&
      lines && {
        source: {
          file: asLine(info.filename),
          ...(data.length <= SOURCE_LIMIT && { text: Buffer.from(data).toString() }),
          lines,
        },
      }),
  };
}
