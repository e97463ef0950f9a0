/** Returns the data of the two paths of a sparkline. Both are empty without values. */
export function sparklinePaths(
  points: readonly SparkPoint[],
  most: number,
): { readonly line: string; readonly area: string } {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return { line: '', area: '' };
  const top = Math.max(most, ...points.map(({ value }) => (isShown(value) ? value : 0)), TINY);
  const span = Math.max(1, last.at - first.at);
  const runs = runsOf(points).map((run) =>
    run.map(({ at, value }) => {
      const x = ((at - first.at) / span) * SPARK_WIDTH;
      return `${round(x)} ${round(SPARK_HEIGHT - (Math.max(0, value) / top) * SPARK_HEIGHT)}`;
    }),
  );
  const xOf = (point = ''): string => point.split(' ', 1)[0] ?? '';
  return {
    line: runs.map((run) => `M${run.join('L')}`).join(''),
    area: runs
      .map(
        (run) =>
          `M${xOf(run[0])} ${SPARK_HEIGHT}L${run.join('L')}L${xOf(run.at(-1))} ${SPARK_HEIGHT}Z`,
      )
      .join(''),
  };
}

/** A value at a time in milliseconds. */
export interface SparkPoint {
  readonly at: number;
  readonly value: number | undefined;
}

/** The size of the drawing, which is stretched to that of its element. */
export const SPARK_WIDTH = 120;
export const SPARK_HEIGHT = 32;
const TINY = 1e-9;

/** Splits points where a value is missing. */
function runsOf(points: readonly SparkPoint[]): readonly (readonly ShownPoint[])[] {
  const runs: ShownPoint[][] = [];
  let run: ShownPoint[] = [];
  for (const { at, value } of points) {
    if (!isShown(value)) run = [];
    else if (run.push({ at, value }) === 1) runs.push(run);
  }
  return runs;
}

interface ShownPoint {
  readonly at: number;
  readonly value: number;
}

function isShown(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
