/** Where in a Dockerfile a build failed, for builders that do not report it: from the message and the step. */

import { fullName, parseReference } from '../options/reference.ts';
import { baseRegistries } from './dockerfile/baseRegistries.ts';
import {
  countedInstruction,
  neededStages,
  parseDockerfile,
  type Dockerfile,
  type Stage,
} from './dockerfile/dockerfile.ts';
import type { Instruction } from './dockerfile/readInstructions.ts';
import type { BaseRepository, BuildRequest, BuildSource, LineRange } from './model.ts';

/**
 * Returns the lines of a Dockerfile that a build failed at; undefined if neither message nor step shows it.
 *
 * @param text the Dockerfile that was built.
 */
export function failedLines(
  text: string,
  { args, target }: Pick<BuildRequest, 'args' | 'target'>,
  { message, step = '' }: FailureClues,
): LineRange | undefined {
  const line = lineInMessage(message);
  if (line !== undefined)
    return line <= linesIn(text).length ? { start: line, end: line } : undefined;
  const file = parseDockerfile(text, args);
  const instruction = step === '' ? undefined : instructionOf(file, step, target);
  if (instruction) return instruction.lines;
  return linesOfName(file, step) ?? linesOfName(file, message) ?? linesOfTarget(message);
}

/** Known facts about a failure. */
export interface FailureClues {
  /** The message of the builder. */
  readonly message: string;
  /** The name of the step that failed, as the builder wrote it. */
  readonly step?: string;
}

/**
 * Returns the lines of a range in a file as it is now; undefined if one of the lines differs from what was built.
 *
 * @param text the file.
 */
export function linesStillThere(
  { lines, text: built }: BuildSource,
  text: string,
): LineRange | undefined {
  if (built === undefined) return undefined;
  const before = linesIn(built).slice(lines.start - 1, lines.end);
  const now = linesIn(text).slice(lines.start - 1, lines.end);
  const isSame = before.length === now.length && before.every((line, at) => line === now[at]);
  return isSame && before.length > 0 ? lines : undefined;
}

/**
 * Returns the instruction of a step: `[stage-1 2/4] COPY . .` of BuildKit, `[1/2] STEP 2/4: COPY . .` of Buildah, or
 * `Step 2/4 : COPY . .` of the classic builder.
 */
function instructionOf(file: Dockerfile, step: string, target?: string): Instruction | undefined {
  const [, stage = '1', buildah] = BUILDAH_STEP.exec(step) ?? [];
  if (buildah !== undefined)
    return neededStages(file, target)[Number(stage) - 1]?.instructions[Number(buildah) - 1];
  // Counts the arguments before the first stage, too.
  const [, classic] = CLASSIC_STEP.exec(step) ?? [];
  if (classic !== undefined) return file.instructions[Number(classic) - 1];
  const vertex = BUILDKIT_STEP.exec(step);
  if (!vertex) return undefined;
  const [, name = '', k, n] = vertex;
  const found = stageOfStep(file, name);
  return found && countedInstruction(found, Number(k), Number(n));
}

const BUILDAH_STEP =
  /^(?:\[[a-z][^\]]{0,128}\] )?(?:\[(\d{1,6})\/\d{1,6}\] )?STEP (\d{1,6})\/\d{1,6}: /;
const CLASSIC_STEP = /^Step (\d{1,6})\/\d{1,6} : /;
const BUILDKIT_STEP =
  /^\[ *(?:[a-z][\w.-]{0,64}\/[\w./-]{1,64} +)?(?:([^\]\s/]{1,512}) +)?(\d{1,6})\/(\d{1,6})\] /;

/** Returns the stage that BuildKit names so; it names none if there is only one. */
function stageOfStep({ stages }: Dockerfile, name: string): Stage | undefined {
  if (name === '') return stages.length === 1 ? stages[0] : undefined;
  const named = stages.findLast((stage) => stage.name === name.toLowerCase());
  const [, index] = /^stage-(\d{1,6})$/.exec(name) ?? [];
  return named ?? (index === undefined ? undefined : stages[Number(index)]);
}

/** Returns the line that the parser of a Docker builder names. */
function lineInMessage(message: string): number | undefined {
  const [, line] = /dockerfile parse error (?:on )?line (\d{1,7}): /i.exec(message) ?? [];
  return line === undefined || Number(line) < 1 ? undefined : Number(line);
}

/** Returns the lines that name an image which could not be read, or the front end. */
function linesOfName(file: Dockerfile, text: string): LineRange | undefined {
  const name = imageIn(text);
  if (name === undefined) return undefined;
  const { syntax, stages } = file;
  if (syntax && isSameImage(syntax.image, name)) return { start: syntax.line, end: syntax.line };
  const stage = stages.find(
    ({ base, baseStage }) => baseStage === undefined && isSameImage(base, name),
  );
  if (stage) return stage.lines;
  const images = new Set(
    stages.flatMap((one) => one.images).filter((one) => isSameImage(one, name)),
  );
  const user = file.instructions.find(({ rest }) =>
    [...images].some((image) => rest.includes(`from=${image}`)),
  );
  return user?.lines;
}

/** Returns the image that a builder could not read, as its message or the name of its step has it. */
export function imageIn(text: string): string | undefined {
  for (const pattern of IMAGE_PATTERNS) {
    const [, name] = pattern.exec(text) ?? [];
    if (name !== undefined) return name.replace(/:$/, '');
  }
  return undefined;
}

const IMAGE_PATTERNS: readonly RegExp[] = [
  /^\[(?:[a-z][\w.-]{0,64}\/[\w./-]{1,64} +)?internal\] load metadata for (\S{1,512})$/,
  /^resolve image config for (?:docker-image:\/\/)?(\S{1,512})$/,
  /failed to resolve source metadata for (?:docker-image:\/\/)?(\S{1,512}): /,
  /failed to load metadata for (\S{1,512}): /,
  // Podman: the registry that it asked.
  /initializing source docker:\/\/(\S{1,512}): /,
  /short-name "?([^\s"]{1,512})"? did not resolve/,
];

/**
 * Returns the base image that a builder could not get, as far as its message names it; undefined for one that the
 * Dockerfile does not name, because the engine must not choose the registry that the user signs in to.
 */
export function refusedBase(
  message: string,
  dockerfile: string,
  request: Pick<BuildRequest, 'args' | 'platforms'>,
): BaseRepository | undefined {
  const image = parseReference(imageIn(message) ?? '');
  // Docker 20.10 names only the registry.
  const [, host] = /pulling from host (\S{1,255}) failed with status code /.exec(message) ?? [];
  const named = host === 'registry-1.docker.io' ? 'docker.io' : host;
  const registry = image.ok ? image.value.registry : named;
  const registries = baseRegistries(dockerfile, request);
  if (registry === undefined || !registries.has(registry)) return undefined;
  const repository = registries.get(registry);
  return { registry, ...(repository !== undefined && { repository }) };
}

function isSameImage(one: string, other: string): boolean {
  if (one === other) return true;
  const a = parseReference(one);
  const b = parseReference(other);
  return a.ok && b.ok && nameOf(a.value) === nameOf(b.value);
}

function nameOf(reference: Parameters<typeof fullName>[0]): string {
  const { digest, tag = 'latest' } = reference;
  return fullName(digest === undefined ? { ...reference, tag } : reference);
}

/** An unknown target is in no line; the whole file is marked. */
function linesOfTarget(message: string): LineRange | undefined {
  const isTarget = /target stage \S+ could not be found|the target \S+ was not found/i.test(
    message,
  );
  return isTarget ? { start: 1, end: 1 } : undefined;
}

function linesIn(text: string): readonly string[] {
  return text.split(/\r?\n/);
}
