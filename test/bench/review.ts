import { Pool } from 'undici';
import { listChanges } from '../../src/engine/containers/listChanges.ts';
import { changeTree } from '../../src/review/changeTree.ts';
import { rootRows, rowsBelow, type ReviewRow } from '../../src/review/reviewRow.ts';
import type { ReviewSubject } from '../../src/review/review.ts';
import type { Measurements } from './benchmark.ts';
import { createOne, verb, waitForEnd } from './crowd.ts';
import { median, rounded, timesInTurn } from './figures.ts';
import { withEngine } from './stage.ts';

const ROUNDS = 9;
const FILES = 5000;
/** In folders of fifty. */
const WORK = `for d in $(seq ${FILES / 50}); do mkdir -p /srv/app/$d; for f in $(seq 50); do echo $f > /srv/app/$d/f$f; done; done`;

/**
 * Measures building and partly expanding the tree of a container's changes, compared with the list request
 * alone.
 */
export function benchReview(): Promise<Measurements<'tree'>> {
  return withEngine(async ({ connection, socket }) => {
    const id = await createOne(socket, 'changed', { Cmd: ['sh', '-c', WORK] });
    await verb(socket, id, 'start');
    await waitForEnd(socket, id);
    const pool = new Pool('http://localhost', { socketPath: socket });
    const path = `/v1.41/containers/${id}/changes`;
    const times = await timesInTurn(ROUNDS, {
      peer: async () => (await pool.request({ method: 'GET', path })).body.text(),
      subject: async () => {
        unfold(changeTree((await listChanges(connection, id)).changes));
      },
    });
    await pool.destroy();
    return { tree: { ...times, limit: { most: rounded(1.5 * median(times.peer) + 200, 0) } } };
  });
}

/** Expands the rows of the first two levels. */
function unfold(tree: ReturnType<typeof changeTree>): void {
  const subject = { mounts: [] } as unknown as ReviewSubject;
  const below = (rows: readonly ReviewRow[]): readonly ReviewRow[] =>
    rows.flatMap((row) => rowsBelow(row) ?? []);
  below(below(rootRows({ subject, tree, leftOut: 0 })));
}
