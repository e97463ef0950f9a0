import { StringDecoder } from 'node:string_decoder';
import type {
  BuildEvent,
  BuildStep,
  BuildStepOutput,
  BuildWarning,
} from '../engine/builds/model.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';
import { MOST_STEPS } from './buildTrace.ts';
import { formatDuration, formatRefusal } from './formatBuild.ts';
import { printedLine } from './stepOutput.ts';

/** Limits of a line, and of one that has not ended yet, in UTF-16 code units. */
const LINE_LIMIT = 10_000;

/**
 * Writes a build as text, in the form that `docker build --progress=plain` has made familiar: each line begins with
 * the number of its step.
 */
export class BuildTranscript {
  readonly #l10n: L10n;
  readonly #steps = new Map<string, WrittenStep>();
  #last: WrittenStep | undefined;

  constructor(l10n: L10n) {
    this.#l10n = l10n;
  }

  /** Adds what the engine reports. Returns complete lines, each with a line feed; empty if there are none yet. */
  add(event: BuildEvent): string {
    if (event.kind === 'step') return this.#addStep(event.step);
    if (event.kind === 'output') return this.#addOutput(event.output);
    if (event.kind === 'transfer') return '';
    const words =
      event.kind === 'warning'
        ? this.#warning(event.warning)
        : formatRefusal(event.refusal, this.#l10n);
    return `${words}\n`;
  }

  #warning({ message, source }: BuildWarning): string {
    const words = this.#l10n.t('Warning: {0}', oneLine(message));
    return source ? `${words} (${oneLine(source.file)}:${source.lines.start})` : words;
  }

  #addStep(step: BuildStep): string {
    const known = this.#steps.get(step.id);
    if (!known && (step.state === 'waiting' || this.#steps.size >= MOST_STEPS)) return '';
    const written = known ?? new WrittenStep(this.#steps.size + 1, step.name);
    this.#steps.set(step.id, written);
    if (step.state === written.state) return '';
    written.state = step.state;
    const end = this.#endOf(step);
    const begin = known ? '' : this.#lines(written, []);
    return begin + (end === undefined ? '' : this.#lines(written, [...written.flush(), end]));
  }

  #addOutput({ step, stream, data }: BuildStepOutput): string {
    const written = this.#steps.get(step);
    if (!written) return '';
    const lines = written.take(stream, data);
    return lines.length === 0 ? '' : this.#lines(written, lines);
  }

  /** The name of a step is shown above its lines whenever those of another step were in between. */
  #lines(step: WrittenStep, lines: readonly string[]): string {
    const isOther = this.#last !== step;
    this.#last = step;
    const all = isOther ? [oneLine(step.name), ...lines] : lines;
    return all.map((line) => `#${step.number} ${line}\n`).join('');
  }

  #endOf({ state, error, startedAt, endedAt }: BuildStep): string | undefined {
    const l10n = this.#l10n;
    if (state === 'cached') return 'CACHED';
    if (state === 'canceled') return 'CANCELED';
    if (state === 'failed') return `ERROR: ${oneLine(error ?? l10n.t('failed'))}`;
    if (state !== 'done') return undefined;
    const isTimed = startedAt !== undefined && endedAt !== undefined;
    return isTimed ? `DONE ${formatDuration(endedAt - startedAt, l10n)}` : 'DONE';
  }
}

class WrittenStep {
  readonly number: number;
  readonly name: string;
  state: BuildStep['state'] | undefined;
  readonly #streams = new Map<string, { readonly decoder: StringDecoder; rest: string }>();

  constructor(number: number, name: string) {
    this.number = number;
    this.name = name;
  }

  /** Returns the lines that are now complete. */
  take(stream: string, data: Uint8Array): readonly string[] {
    const kept = this.#streams.get(stream) ?? { decoder: new StringDecoder(), rest: '' };
    this.#streams.set(stream, kept);
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const lines = (kept.rest + kept.decoder.write(bytes)).split('\n');
    kept.rest = lines.pop() ?? '';
    if (kept.rest.length > LINE_LIMIT) {
      lines.push(kept.rest);
      kept.rest = '';
    }
    return lines.map(written);
  }

  /** Returns the lines that did not end. */
  flush(): readonly string[] {
    const rests = [...this.#streams.values()].map(({ rest }) => rest);
    this.#streams.clear();
    return rests.filter((rest) => rest !== '').map(written);
  }
}

function written(line: string): string {
  return printedLine(line.slice(0, LINE_LIMIT));
}
