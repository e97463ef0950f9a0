import { BuildProgress } from '../../engine/builds/buildProgress.ts';
import { GivenSecrets } from '../../engine/builds/givenSecrets.ts';
import type { BuildEvent, BuildStep } from '../../engine/builds/model.ts';
import type { StepYielder } from '../../base/stepYielder.ts';
import { withoutUrlPasswords } from '../../base/plainText.ts';
import { BuildTranscript } from '../buildTranscript.ts';
import { readBuildxFailure, type BuildxFailure } from './buildxFailure.ts';
import { readRawProgress } from './readRawProgress.ts';

/** Maximum number of lines in plain words that are kept. */
const KEPT_LINES = 200;
/** Limit of such a line, in characters. */
const LINE_LIMIT = 10_000;
/** Maximum number of names of steps that are kept. */
const MOST_NAMES = 10_000;

/** Turns the output of buildx into the events of a build, and into the lines of its transcript. */
export class BuildxOutput {
  readonly #progress: BuildProgress;
  readonly #transcript: BuildTranscript;
  readonly #pace: StepYielder;
  readonly #words: string[] = [];
  readonly #names = new Map<string, string>();
  #lines: string[] = [];

  /** @param pace is counted on for each part of a line: a line may have very many. */
  constructor(onEvent: (event: BuildEvent) => void, pace: StepYielder) {
    this.#pace = pace;
    this.#transcript = new BuildTranscript();
    const given = new GivenSecrets();
    this.#progress = new BuildProgress((event) => {
      for (const shown of given.hideIn(event)) {
        this.#lines.push(...this.#transcript.add(shown).split('\n').slice(0, -1));
        onEvent(shown);
      }
    });
  }

  /**
   * Processes a line of stdout or stderr. Resolves to the lines to show for it. The next line must wait for that.
   *
   * @throws the reason of the signal of the pace.
   */
  async process(line: string): Promise<readonly string[]> {
    const status = readRawProgress(line);
    if (!status) return this.#processText(line);
    const vertexes = status.vertexes.map((one) => ({ ...one, name: this.#nameOf(one) }));
    await this.#progress.reportInTurns({ ...status, vertexes }, this.#pace);
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Reports the steps that still run as canceled. */
  end(): void {
    this.#progress.end();
  }

  /** The step that failed. */
  get failed(): BuildStep | undefined {
    return this.#progress.failed;
  }

  /** Why the run failed. */
  get failure(): BuildxFailure {
    return readBuildxFailure(this.#words);
  }

  #processText(line: string): readonly string[] {
    const text = withoutUrlPasswords(line).slice(0, LINE_LIMIT);
    this.#words.push(text);
    if (this.#words.length > KEPT_LINES) this.#words.shift();
    return [text];
  }

  /** Targets of a bake file share equal steps: each stays with the target that reported it first. */
  #nameOf({ digest, name }: { readonly digest: string; readonly name: string }): string {
    const known = this.#names.get(digest);
    if (known === undefined && this.#names.size < MOST_NAMES) this.#names.set(digest, name);
    return known ?? name;
  }
}
