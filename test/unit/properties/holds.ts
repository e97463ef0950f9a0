import fc from 'fast-check';

/** The same runs each time; a failure prints this seed and the smallest case. */
const SEED = 20_261;

/** Runs a property so often. */
export function holds<T>(property: fc.IRawProperty<T>, runs = 200): void {
  fc.assert(property as fc.IProperty<T>, { seed: SEED, numRuns: runs });
}

/** The same for one that takes its time. */
export async function holdsInTime<T>(property: fc.IAsyncProperty<T>, runs: number): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns: runs });
}

/** Bytes, and where to cut them: anywhere, also several times at one place. */
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
