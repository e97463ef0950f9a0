import type { LineRange } from '../../engine/builds/model.ts';

/** Why buildx failed, from the end of its output. */
export interface BuildxFailure {
  readonly message: string;
  /** The target of the bake file. */
  readonly target?: string;
  /** Where in the Dockerfile. */
  readonly excerpt?: Excerpt;
}

/** The lines of a Dockerfile that buildx marks. */
export interface Excerpt {
  readonly lines: LineRange;
  /** Their text, to compare with the file. */
  readonly text: readonly string[];
}

/** Reads the lines that buildx wrote in plain words. */
export function readBuildxFailure(output: readonly string[]): BuildxFailure {
  const at = output.findLastIndex((line) => line.startsWith('ERROR: '));
  const words = at < 0 ? output : output.slice(at);
  const all = words
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('View build details: '))
    .join(' ');
  const [, target, message = all] = ERROR.exec(all) ?? [];
  const excerpt = readExcerpt(at < 0 ? [] : output.slice(0, at));
  return { message, ...(target !== undefined && { target }), ...(excerpt && { excerpt }) };
}

const ERROR =
  /^ERROR: (?:failed to build: )?(?:target ([^:\s]{1,200}): )?(?:failed to build: )?(?:failed to solve: )?(.*)$/s;

/** Reads `Dockerfile:2`, a rule, and the lines around the error, of which `>>>` marks those that failed. */
function readExcerpt(output: readonly string[]): Excerpt | undefined {
  const start = output.findLastIndex(
    (line, at) => /:\d{1,7}$/.test(line) && /^-{10,}$/.test(output[at + 1] ?? ''),
  );
  if (start < 0) return undefined;
  const marked = output.slice(start + 2).flatMap((line) => {
    const [, number, text] = /^ *(\d{1,7}) \| >>> ?(.*)$/.exec(line) ?? [];
    return number === undefined ? [] : [{ number: Number(number), text: text ?? '' }];
  });
  const first = marked[0];
  const last = marked.at(-1);
  if (!first || !last) return undefined;
  return {
    lines: { start: first.number, end: last.number },
    text: marked.map(({ text }) => text),
  };
}
