import type { StepState } from '../../builds/buildTrace.ts';

/**
 * Returns the names of the stages of a build, each after those that it copies from or begins with. BuildKit reports the
 * last stage first.
 */
export function stagesInOrder(steps: readonly StepState[]): readonly string[] {
  const byId = new Map(steps.map((one) => [one.step.id, one]));
  const ordered = new Set<string>();
  const seen = new Set<StepState>();
  for (const step of steps) {
    // Not recursive: a build may have thousands of steps, each the input of the next.
    const pending = [step];
    while (pending.length > 0) {
      const last = pending.at(-1) ?? step;
      if (!seen.has(last)) {
        seen.add(last);
        const inputs = last.step.inputs.flatMap((id) => byId.get(id) ?? []);
        pending.push(...inputs.filter((one) => !seen.has(one)).toReversed());
        continue;
      }
      pending.pop();
      const stage = last.stagePosition?.stage;
      if (stage !== undefined) ordered.add(stage);
    }
  }
  return [...ordered];
}

/** Returns steps with those of the Dockerfile in its order, in the places that these have. */
export function stepsInOrder(steps: readonly StepState[]): readonly StepState[] {
  const position = ({ stagePosition }: StepState): number => stagePosition?.position ?? 0;
  const counted = steps
    .filter(({ stagePosition }) => stagePosition)
    .sort((a, b) => position(a) - position(b))
    .values();
  return steps.map((one) => (one.stagePosition ? (counted.next().value ?? one) : one));
}

/** Whether a step is one of the builder itself that says little, such as loading the Dockerfile. */
export function isInternal({ step }: StepState): boolean {
  return /^\[(?:\S+ )?internal\] /.test(step.name);
}
