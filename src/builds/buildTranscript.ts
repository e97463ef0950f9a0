import * as l10n from '@vscode/l10n';
import type {
  BuildEvent,
  BuildStep,
  BuildStepOutput,
  BuildWarning,
} from '../engine/builds/model.ts';
import { oneLine } from '../base/plainText.ts';
import { MOST_STEPS } from './buildTrace.ts';
import { formatRefusal, formatStepEnd } from './formatBuild.ts';
import { StepLines } from './stepLines.ts';
import { printedLine } from './stepOutput.ts';
import { messageOf } from '../base/translate.ts';

/**
 * Writes a build as text, in the form that `docker build --progress=plain` has made familiar: each line begins with
 * the number of its step.
 */
export class BuildTranscript {
  readonly #steps = new Map<string, WrittenStep>();
  #last: WrittenStep | undefined;

  /** Adds what the engine reports. Returns complete lines, each with a line feed; empty if there are none yet. */
  add(event: BuildEvent): string {
    if (event.kind === 'step') return this.#addStep(event.step);
    if (event.kind === 'output') return this.#addOutput(event.output);
    if (event.kind === 'transfer') return '';
    const words =
      event.kind === 'warning' ? this.#warning(event.warning) : formatRefusal(event.refusal);
    return `${words}\n`;
  }

  #warning(warning: BuildWarning): string {
    const { source } = warning;
    const words = l10n.t('Warning: {0}', oneLine(messageOf(warning)));
    return source ? `${words} (${oneLine(source.file)}:${source.lines.start})` : words;
  }

  #addStep(step: BuildStep): string {
    const known = this.#steps.get(step.id);
    if (!known && (step.state === 'waiting' || this.#steps.size >= MOST_STEPS)) return '';
    const written = known ?? new WrittenStep(this.#steps.size + 1, step.name);
    this.#steps.set(step.id, written);
    if (step.state === written.state) return '';
    written.state = step.state;
    const end = formatStepEnd(step);
    const begin = known ? '' : this.#lines(written, []);
    if (end === undefined) return begin;
    const rests = written.lines.flush().map(({ text }) => printedLine(text));
    return begin + this.#lines(written, [...rests, end]);
  }

  #addOutput(output: BuildStepOutput): string {
    const written = this.#steps.get(output.step);
    if (!written) return '';
    const lines = written.lines.push(output).map(printedLine);
    return lines.length === 0 ? '' : this.#lines(written, lines);
  }

  /** The name of a step is shown above its lines whenever those of another step were in between. */
  #lines(step: WrittenStep, lines: readonly string[]): string {
    const isOther = this.#last !== step;
    this.#last = step;
    const all = isOther ? [oneLine(step.name), ...lines] : lines;
    return all.map((line) => `#${step.number} ${line}\n`).join('');
  }
}

class WrittenStep {
  readonly number: number;
  readonly name: string;
  readonly lines = new StepLines();
  state: BuildStep['state'] | undefined;

  constructor(number: number, name: string) {
    this.number = number;
    this.name = name;
  }
}
