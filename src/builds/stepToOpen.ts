import { BuildFailedError } from '../engine/builds/buildFailedError.ts';
import { stateBefore, type StateBefore } from './stateBefore.ts';
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
