/** The outline of a Dockerfile: its stages and arguments, and which instructions the builder counts as steps. */

import {
  readInstructions,
  splitFlags,
  splitWords,
  withoutQuotes,
  type Directives,
  type Instruction,
} from './readInstructions.ts';
import { ArgumentExpansion, MOST_VALUE } from './expandArguments.ts';
import type { LineRange } from '../model.ts';

/** Facts about a Dockerfile without building it. */
export interface Dockerfile {
  /** The image of the front end from `# syntax=`, and its line. */
  readonly syntax?: { readonly image: string; readonly line: number };
  readonly escape: Directives['escape'];
  /** The arguments before the first stage. */
  readonly args: readonly DockerfileArg[];
  readonly stages: readonly Stage[];
  /** Everything in the order of its lines. */
  readonly instructions: readonly Instruction[];
}

/** An `ARG`. */
export interface DockerfileArg {
  readonly name: string;
  /** As written, without quotation marks. In a stage also that of the argument before the first stage. */
  readonly default?: string;
  readonly line: number;
}

/** Stage, which begins with a `FROM`. */
export interface Stage {
  /** From 0. */
  readonly index: number;
  /** In lower case, if it has one. */
  readonly name?: string;
  /** The image, with arguments replaced as far as they are known; `scratch`; or the name of an earlier stage. */
  readonly base: string;
  /** The index of the earlier stage that it begins with. */
  readonly baseStage?: number;
  readonly lines: LineRange;
  readonly args: readonly DockerfileArg[];
  /** Begins with `FROM`. */
  readonly instructions: readonly Instruction[];
  /** The indexes of the other stages it takes files from or begins with. */
  readonly needs: readonly number[];
  /** The images it takes files from or begins with. */
  readonly images: readonly string[];
}

/**
 * Reads the outline of a Dockerfile. Never throws: what is invalid is left out.
 *
 * @param given values of arguments, in place of their defaults.
 */
export function parseDockerfile(
  text: string,
  given: Readonly<Record<string, string>> = {},
): Dockerfile {
  const { directives, instructions } = readInstructions(text);
  const first = instructions.findIndex(({ keyword }) => keyword === 'FROM');
  const args = argsIn(instructions.slice(0, first < 0 ? instructions.length : first), directives);
  const expansion = new ArgumentExpansion();
  const values = valuesOf(args, given, expansion);
  const usuals = new Map(
    args.flatMap(({ name, default: usual }) => (usual === undefined ? [] : [[name, usual]])),
  );
  const stages: Stage[] = [];
  const names = new Map<string, number>();
  for (const group of groupsOf(instructions)) {
    const stage = stageOf(group, {
      index: stages.length,
      names,
      usuals,
      values,
      directives,
      expansion,
    });
    stages.push(stage);
    if (stage.name !== undefined) names.set(stage.name, stage.index);
  }
  return { ...directives, args, stages, instructions };
}

/** Returns a stage by its name, in any case, or its index; the last one by default; undefined if there is none. */
export function findStage({ stages }: Dockerfile, target?: string): Stage | undefined {
  if (target === undefined || target === '') return stages.at(-1);
  // The last one of several counts.
  const named = stages.findLast(({ name }) => name === target.toLowerCase());
  return named ?? (/^\d+$/.test(target) ? stages[Number(target)] : undefined);
}

/** Returns the stages that are built for a target, in their order; all if the target is unknown. */
export function neededStages(dockerfile: Dockerfile, target?: string): readonly Stage[] {
  const last = findStage(dockerfile, target);
  if (!last) return dockerfile.stages;
  const needed = new Set([last.index]);
  // A stage needs earlier ones only.
  for (let at = last.index; at >= 0; at--)
    if (needed.has(at)) dockerfile.stages[at]?.needs.forEach((one) => needed.add(one));
  return dockerfile.stages.filter(({ index }) => needed.has(index));
}

/**
 * Returns the instruction of a step that BuildKit names `[stage k/n]`. Steps that come from the base image (`ONBUILD`)
 * are those of `FROM`.
 */
export function countedInstruction(
  { baseStage, base, instructions: [from, ...rest] }: Stage,
  k: number,
  n: number,
): Instruction | undefined {
  const own = rest.filter(({ keyword }) => COUNTED.includes(keyword));
  // A base with an argument that only the builder knows may be a stage.
  const isUnknown = base.includes('$') && n === own.length;
  const isFromCounted = baseStage === undefined && base !== 'scratch' && !isUnknown;
  const inherited = n - own.length;
  if (k < 1 || k > n || inherited < (isFromCounted ? 1 : 0)) return undefined;
  return k <= inherited ? from : own[k - inherited - 1];
}

/** Returns the values of the arguments that are declared in a stage before a line, as far as they are known. */
export function argumentsBefore(
  { args, stages }: Pick<Dockerfile, 'args' | 'stages'>,
  line: number,
  given: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const stage = stages.findLast(({ lines }) => lines.start < line);
  const own = stage?.args.filter((arg) => arg.line < line) ?? [];
  const values = valuesOf([...args, ...own], given);
  return new Map(own.flatMap(({ name }) => [[name, values.get(name) ?? '']]));
}

const COUNTED: readonly string[] = ['RUN', 'COPY', 'ADD', 'WORKDIR'];

/** Facts known before a stage. */
interface Before {
  readonly index: number;
  readonly names: ReadonlyMap<string, number>;
  /** The defaults of the arguments before the first stage, and their values. */
  readonly usuals: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
  readonly directives: Directives;
  readonly expansion: ArgumentExpansion;
}

function groupsOf(
  instructions: readonly Instruction[],
): readonly (readonly [Instruction, ...Instruction[]])[] {
  const groups: [Instruction, ...Instruction[]][] = [];
  for (const one of instructions) {
    if (one.keyword === 'FROM') groups.push([one]);
    else groups.at(-1)?.push(one);
  }
  return groups;
}

function stageOf(instructions: readonly [Instruction, ...Instruction[]], before: Before): Stage {
  const [from, ...rest] = instructions;
  const { index, names, values, directives, expansion } = before;
  const { words } = splitFlags(from.rest, directives.escape);
  const [image = '', as = '', name] = words;
  const base = withoutQuotes(expansion.expand(image, values), directives.escape);
  const sources = rest.flatMap((one) => sourcesOf(one, directives.escape));
  const baseStage = names.get(base.toLowerCase());
  const others = sources.map((source) => stageNamed(source, before) ?? source);
  const all = [baseStage ?? base, ...others];
  return {
    index,
    ...(as.toLowerCase() === 'as' && name !== undefined && { name: name.toLowerCase() }),
    base,
    ...(baseStage !== undefined && { baseStage }),
    lines: from.lines,
    args: argsIn(rest, directives).map((arg) => withGlobal(arg, before.usuals)),
    instructions,
    needs: unique(all.filter((one) => typeof one === 'number')),
    images: unique(all.filter((one) => typeof one === 'string')).filter(isImage),
  };
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

function isImage(reference: string): boolean {
  return reference !== '' && reference !== 'scratch';
}

/** Returns the index of an earlier stage by its name or index. */
function stageNamed(source: string, { names, index }: Before): number | undefined {
  const named = names.get(source.toLowerCase());
  if (named !== undefined || !/^\d{1,6}$/.test(source)) return named;
  return Number(source) < index ? Number(source) : undefined;
}

/** Returns what `COPY --from=` and `RUN --mount=…,from=` name. */
function sourcesOf({ keyword, rest }: Instruction, escape: string): readonly string[] {
  if (!rest.includes('from=')) return [];
  const { flags } = splitFlags(keyword === 'ONBUILD' ? rest.replace(/^\S+/, '') : rest, escape);
  return flags.flatMap((flag) => {
    if (flag.startsWith('--from=')) return [flag.slice('--from='.length)];
    if (!flag.startsWith('--mount=')) return [];
    const parts = flag.slice('--mount='.length).split(',');
    return parts.filter((part) => part.startsWith('from=')).map((part) => part.slice(5));
  });
}

function argsIn(
  instructions: readonly Instruction[],
  { escape }: Directives,
): readonly DockerfileArg[] {
  return instructions
    .filter(({ keyword }) => keyword === 'ARG')
    .flatMap(({ rest, lines }) =>
      splitWords(rest, escape).flatMap((word) => {
        const [, name, value] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(word) ?? [];
        if (name === undefined) return [];
        const known = value === undefined ? {} : { default: withoutQuotes(value, escape) };
        return [{ name, ...known, line: lines.start }];
      }),
    );
}

/** Returns an argument with the default of the one before the first stage, if it has none itself. */
function withGlobal(arg: DockerfileArg, usuals: ReadonlyMap<string, string>): DockerfileArg {
  if (arg.default !== undefined) return arg;
  const usual = usuals.get(arg.name);
  return usual === undefined ? arg : { ...arg, default: usual };
}

/** The arguments that a `FROM` may use without a declaration. */
const AUTOMATIC = /^(?:BUILD|TARGET)(?:PLATFORM|OS|OSVERSION|ARCH|VARIANT|STAGE)$/;

function valuesOf(
  args: readonly DockerfileArg[],
  given: Readonly<Record<string, string>>,
  expansion = new ArgumentExpansion(),
): ReadonlyMap<string, string> {
  // Those that are not declared are the builder's own, such as the platform.
  const values = new Map<string, string>(
    Object.entries(given).filter(([name]) => AUTOMATIC.test(name)),
  );
  for (const arg of args) {
    const own = Object.hasOwn(given, arg.name) ? given[arg.name] : undefined;
    const value =
      own ?? (arg.default === undefined ? undefined : expansion.expand(arg.default, values));
    if (value !== undefined) values.set(arg.name, value.slice(0, MOST_VALUE));
  }
  return values;
}
