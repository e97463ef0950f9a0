import fc from 'fast-check';

/** Fixed, so that runs are reproducible. A failure prints this seed and the smallest case. */
const SEED = 20_261;

/** Checks a property with the given number of runs. */
export function holds<T>(property: fc.IRawProperty<T>, runs = 200): void {
  fc.assert(property as fc.IProperty<T>, { seed: SEED, numRuns: runs });
}

/** Checks an asynchronous property. */
export async function holdsInTime<T>(property: fc.IAsyncProperty<T>, runs: number): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns: runs });
}

/** Generates bytes and chunks of them, cut anywhere, possibly with empty chunks. */
export function cut(
  bytes: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<{ readonly bytes: Uint8Array; readonly chunks: readonly Uint8Array[] }> {
  return bytes.chain((whole) =>
    fc.array(fc.nat(whole.length), { maxLength: 8 }).map((places) => {
      const edges = [0, ...places.toSorted((a, b) => a - b), whole.length];
      const chunks = edges.slice(1).map((end, at) => whole.slice(edges[at], end));
      return { bytes: whole, chunks };
    }),
  );
}
