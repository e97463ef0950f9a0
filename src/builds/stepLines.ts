import { StringDecoder } from 'node:string_decoder';
import type { BuildStepOutput } from '../engine/builds/model.ts';

/** Limit of a line, and of one that has not ended yet, in UTF-16 code units. */
const LINE_LIMIT = 10_000;

/** Makes lines of the output of one step, whose pieces may end within a line, or within a character. */
export class StepLines {
  readonly #streams = new Map<
    BuildStepOutput['stream'],
    { decoder: StringDecoder; rest: string }
  >();

  /** Returns the lines that are now complete, as the step wrote them. */
  push({ stream, data }: Pick<BuildStepOutput, 'stream' | 'data'>): readonly string[] {
    const kept = this.#streams.get(stream) ?? { decoder: new StringDecoder(), rest: '' };
    this.#streams.set(stream, kept);
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    // What was there before has no end of a line, so it is not searched again for each piece.
    const [first = '', ...others] = kept.decoder.write(bytes).split('\n');
    const lines = [kept.rest + first, ...others];
    kept.rest = lines.pop() ?? '';
    if (kept.rest.length > LINE_LIMIT) {
      lines.push(kept.rest);
      kept.rest = '';
    }
    return lines.map(shortened);
  }

  /** Returns the lines that did not end, with their streams. */
  flush(): readonly StepLine[] {
    const rests = Array.from(this.#streams, ([stream, { rest }]) => ({ stream, text: rest }));
    this.#streams.clear();
    return rests.filter(({ text }) => text !== '');
  }
}

export interface StepLine {
  readonly stream: BuildStepOutput['stream'];
  readonly text: string;
}

function shortened(line: string): string {
  return line.slice(0, LINE_LIMIT);
}
