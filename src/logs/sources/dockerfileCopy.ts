import { basename, posix } from 'node:path';

/** What a `COPY` puts where. */
export interface DockerfileCopy {
  /** Relative to the build context. */
  readonly source: string;
  /** In the container. */
  readonly target: string;
  /** Whether only a file of just this path comes from there, and nothing below it. */
  readonly isFile: boolean;
}

interface Stage {
  readonly name: string;
  /** Undefined where that cannot be known. */
  folder: string | undefined;
  readonly copies: DockerfileCopy[];
}

/** No Dockerfile that people write has more stages, or copies in one. */
const [MOST_STAGES, MOST_COPIES] = [50, 100];

/**
 * What a Dockerfile copies from its build context, what counts most first: the last instruction of the stage that is
 * run, then those of the other stages, where programs are compiled. What depends on variables or patterns is left out.
 *
 * @param target the stage that is run; undefined: the last.
 * @param workingDir where stages begin that are made from other images; empty where that is unknown.
 */
export function copiesIn(
  text: string,
  target: string | undefined,
  workingDir: string,
): readonly DockerfileCopy[] {
  const stages: Stage[] = [];
  for (const [instruction, rest] of instructionsOf(text)) {
    if (instruction === 'FROM' && stages.push(stageFrom(rest, stages, workingDir)) > MOST_STAGES) {
      return [];
    }
    const stage = stages.at(-1);
    if (stage && instruction === 'WORKDIR') stage.folder = folderFrom(stage.folder, rest);
    if (stage && stage.copies.length < MOST_COPIES && /^(?:COPY|ADD)$/.test(instruction)) {
      stage.copies.push(...copiesOf(rest, stage));
    }
  }
  const run =
    target === undefined ? stages.at(-1) : stages.find(({ name }) => name === target.toLowerCase());
  const others = stages.filter((stage) => stage !== run).reverse();
  return [...(run ? [run] : []), ...others]
    .flatMap(({ copies }) => [...copies].reverse())
    .slice(0, MOST_COPIES);
}

function instructionsOf(text: string): readonly (readonly [string, string])[] {
  // With another sign for lines that go on, nothing here would hold.
  if (/^[ \t]*#[ \t]*escape[ \t]*=/im.test(text)) return [];
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  const whole = lines.join('\n').replaceAll(/\\[ \t]*\n/g, ' ');
  return whole.split('\n').flatMap((line) => {
    const [before = '', instruction] = /^\s*([A-Za-z]+)\s/.exec(line) ?? [];
    if (instruction === undefined) return [];
    return [[instruction.toUpperCase(), line.slice(before.length).trim()]];
  });
}

/** A stage that goes on from another has what that one has. */
function stageFrom(rest: string, stages: readonly Stage[], workingDir: string): Stage {
  const [image = '', , name = ''] = wordsOf(rest).words;
  const base = stages.findLast((stage) => stage.name !== '' && stage.name === image.toLowerCase());
  return {
    name: name.toLowerCase(),
    folder: base ? base.folder : workingDir === '' ? undefined : workingDir,
    copies: [...(base?.copies ?? [])],
  };
}

function folderFrom(before: string | undefined, written: string): string | undefined {
  const path = written.replace(/^(["'])(.*)\1$/, '$2');
  if (path.includes('$')) return undefined;
  if (path.startsWith('/')) return posix.normalize(path);
  return before === undefined ? undefined : posix.join(before, path);
}

function copiesOf(rest: string, { folder }: Stage): readonly DockerfileCopy[] {
  const { words, flags } = wordsOf(rest);
  const written = words.at(-1);
  if (written === undefined || flags.some((flag) => /^--(?:from|parents)\b/.test(flag))) return [];
  const target = folderFrom(folder, written);
  if (target === undefined) return [];
  return words
    .slice(0, -1)
    .slice(0, MOST_COPIES)
    .filter((source) => !/[*?[\]$]|^<<|:\/\//.test(source))
    .flatMap((written) => {
      const source = cleaned(posix.join('/', written)).slice(1) || '.';
      const whole = { source, target: cleaned(target), isFile: false };
      const name = basename(source);
      const single = { source, target: posix.join(target, name), isFile: true };
      return name === '.' ? [whole] : [whole, single];
    });
}

function cleaned(path: string): string {
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** The words of an instruction, in either form; none where there are quotes in the plain one. */
function wordsOf(rest: string): { readonly flags: readonly string[]; readonly words: string[] } {
  const flags = /^(?:--\S+\s+)+/.exec(rest)?.[0] ?? '';
  const plain = rest.slice(flags.length);
  return { flags: flags.split(/\s+/).filter((flag) => flag !== ''), words: listOf(plain) };
}

function listOf(plain: string): string[] {
  if (!plain.startsWith('[')) return /["']/.test(plain) ? [] : plain.split(/\s+/);
  try {
    const list: unknown = JSON.parse(plain);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
