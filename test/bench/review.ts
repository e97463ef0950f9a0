import { Pool } from 'undici';
import { listChanges } from '../../src/engine/containers/listChanges.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { createContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { changeTree } from '../../src/review/changeTree.ts';
import { rootRows, rowsBelow, type ReviewRow } from '../../src/review/reviewRow.ts';
import type { ReviewSubject } from '../../src/review/review.ts';
import { BED_IMAGE } from '../bed/images.ts';
import { inTurn, rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 9;
const FILES = 5000;
/** In folders of fifty. */
const WORK = `for d in $(seq ${FILES / 50}); do mkdir -p /srv/app/$d; for f in $(seq 50); do echo $f > /srv/app/$d/f$f; done; done`;

/**
 * Measures building and partly expanding the tree of a container's changes, compared with the list request
 * alone.
 */
export async function benchReview(socket: string): Promise<BenchRow[]> {
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const pool = new Pool('http://localhost', { socketPath: socket });
  const body = { Image: BED_IMAGE, Cmd: ['sh', '-c', WORK] };
  const { id } = await createContainer(connection, { body });
  try {
    const { exit } = await waitForContainer(connection, id, 'next-exit');
    await startContainer(connection, id);
    await exit;
    const path = `/v1.41/containers/${id}/changes`;
    const times = await inTurn(ROUNDS, {
      raw: async () => (await pool.request({ method: 'GET', path })).body.text(),
      ours: async () => {
        unfold(changeTree((await listChanges(connection, id)).changes));
      },
    });
    const limit = 1.5 * times.raw + 200;
    return [
      {
        name: `the tree of ${FILES} changed files`,
        value: rounded(times.ours, 1),
        unit: 'ms',
        peer: `GET /changes alone, ${rounded(times.raw, 1)} ms`,
        ratio: rounded(times.ours / times.raw, 2),
        target: `≤ ${rounded(limit, 0)}`,
        holds: times.ours <= limit,
      },
    ];
  } finally {
    await removeContainer(connection, id, { force: true });
    connection.dispose();
    await pool.destroy();
  }
}

/** Expands the rows of the first two levels. */
function unfold(tree: ReturnType<typeof changeTree>): void {
  const subject = { mounts: [] } as unknown as ReviewSubject;
  const below = (rows: readonly ReviewRow[]): readonly ReviewRow[] =>
    rows.flatMap((row) => rowsBelow(row) ?? []);
  below(below(rootRows({ subject, tree, leftOut: 0 })));
}
