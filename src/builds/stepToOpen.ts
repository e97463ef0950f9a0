import { BuildFailedError } from '../engine/builds/buildFailedError.ts';
import { formatCommandLine } from '../engine/options/parseCommandLine.ts';
import { tryParseJson } from '../engine/wire/parseJson.ts';
import { asTexts } from '../engine/wire/wire.ts';
import { argumentsBefore, parseDockerfile } from '../engine/builds/dockerfile/dockerfile.ts';
import type { Instruction } from '../engine/builds/dockerfile/readInstructions.ts';
import type { BuildRun } from './buildRun.ts';
import type { StepState } from './buildTrace.ts';

/** A failed step, and how to get the state before it. */
export interface StepToOpen extends StateBefore {
  readonly step: StepState;
  /** The Dockerfile as the engine reports it. */
  readonly text: string;
  /** The image of that state; undefined if it has to be built. */
  readonly image?: string;
}

/** Returns the step that a build failed at, if the state before it can be looked at in a container. */
export function stepToOpen({ spec, error, trace }: BuildRun): StepToOpen | undefined {
  const { platforms = [], args } = spec.request;
  if (!(error instanceof BuildFailedError) || platforms.length > 1) return undefined;
  const { step: id, source: { text, lines } = {} } = error.failure;
  if (text === undefined || lines === undefined) return undefined;
  const { steps } = trace;
  const failed = steps.find(({ step }) => step.id === id) ?? steps.find(isFailed);
  const state = failed && stateBefore(text, lines.start, args);
  if (!state) return undefined;
  // Only a builder that writes text has the images of its steps, and no cache that another build could use.
  if (!steps.some(({ step }) => step.image !== undefined))
    return spec.rebuild && { ...state, text, step: failed };
  const [before = ''] = failed.step.inputs;
  const image = trace.step(before)?.step.image;
  return image === undefined ? undefined : { ...state, text, step: failed, image };
}

function isFailed({ step }: StepState): boolean {
  return step.state === 'failed';
}

/** The state before an instruction. */
export interface StateBefore {
  /** A Dockerfile whose last stage ends before the instruction. */
  readonly dockerfile: string;
  /** Command of the instruction, as one line for a shell; undefined if it runs nothing, or a here-document. */
  readonly command?: string;
  /** The arguments of the build that the instruction sees. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Returns the state before the instruction at a line; undefined if it is not one that works in a container.
 *
 * @param line from 1.
 * @param given the arguments of the build.
 */
export function stateBefore(
  text: string,
  line: number,
  given?: Readonly<Record<string, string>>,
): StateBefore | undefined {
  const file = parseDockerfile(text, given);
  const found = file.instructions.find(({ lines }) => lines.start <= line && line <= lines.end);
  if (!found || !['RUN', 'COPY', 'ADD'].includes(found.keyword)) return undefined;
  const { start } = found.lines;
  const command = commandOf(found);
  return {
    dockerfile: `${text
      .split('\n')
      .slice(0, start - 1)
      .join('\n')}\n`,
    ...(command !== undefined && { command }),
    variables: argumentsBefore(file, start, given),
  };
}

/** Returns the command of `RUN` without its flags. */
function commandOf({ keyword, rest }: Instruction): string | undefined {
  const command = rest.replace(/^(?:--\S+\s+)+/, '').trim();
  if (keyword !== 'RUN' || command === '' || command.startsWith('<<')) return undefined;
  const parsed = command.startsWith('[') ? tryParseJson(command) : undefined;
  return Array.isArray(parsed) ? formatCommandLine(asTexts(parsed)) : command;
}
