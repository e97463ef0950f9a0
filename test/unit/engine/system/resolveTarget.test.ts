import assert from 'node:assert/strict';
import {
  AmbiguousError,
  resolveContainer,
  resolveImage,
} from '../../../../src/engine/system/resolveTarget.ts';
import { isFullId } from '../../../../src/engine/wire/wire.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const A = `ab${'1'.repeat(62)}`;
const B = `ab${'2'.repeat(62)}`;
const LISTED = [
  { Id: A, Names: ['/one'], RepoTags: ['r:1'] },
  { Id: B, Names: ['/two'], RepoTags: null },
];

/**
 * Answers like an engine that knows no prefixes: `status` for every inspect except by full ID or name, and a list
 * of both.
 */
function knowing(status: number): Answer {
  return ({ path }, response) => {
    const name = decodeURIComponent(path.split('/')[2] ?? '').replace('sha256:', '');
    if (path === '/containers/json' || path === '/images/json') json(response, 200, LISTED);
    else if (name === A || name === 'one') json(response, 200, { Id: A, Name: '/one' });
    else json(response, status, { message: 'no' });
  };
}

describe('resolveTarget', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('recognizes a full ID', () => {
    assert(isFullId(A));
    for (const text of [A.slice(1), `${A}0`, A.toUpperCase(), `sha256:${A}`])
      assert(!isFullId(text));
  });

  it('sends one request if the engine knows the name', async () => {
    for (const text of [A, 'one']) {
      const { engine, connection } = await lab.fake(knowing(404));
      assert.equal((await resolveContainer(connection, text)).id, A);
      assert.equal((await resolveImage(connection, text)).id, `sha256:${A}`);
      assert.equal(engine.seen.length, 2);
    }
  });

  for (const status of [400, 404, 500]) {
    it(`names both matches of an ambiguous prefix if the engine responds with ${status}`, async () => {
      const { connection } = await lab.fake(knowing(status));
      for (const [work, names] of [
        [resolveContainer(connection, 'ab'), ['one', 'two']],
        [resolveImage(connection, 'ab'), ['r:1', B.slice(0, 12)]],
        [resolveImage(connection, 'sha256:ab'), ['r:1', B.slice(0, 12)]],
      ] as const) {
        const error = await failure(work, 'notFound');
        assert(error instanceof AmbiguousError);
        assert.deepEqual(error.candidates, names);
      }
    });
  }

  it('rejects with the error of the engine if nothing matches', async () => {
    const { connection } = await lab.fake(knowing(404));
    for (const work of [resolveContainer(connection, 'cd'), resolveImage(connection, 'cd')]) {
      const error = await failure(work, 'notFound');
      assert(!(error instanceof AmbiguousError));
      assert.equal(error.message, 'no');
    }
  });

  it('does not list for a full ID or a text that is not a prefix of an ID', async () => {
    const { engine, connection } = await lab.fake(knowing(404));
    await failure(resolveContainer(connection, B), 'notFound');
    await failure(resolveImage(connection, 'registry/x:1'), 'notFound');
    assert.equal(engine.seen.length, 2);
  });

  it('finds an image by a prefix after the algorithm even if the engine does not', async () => {
    const { connection } = await lab.fake(knowing(500));
    assert.equal((await resolveImage(connection, `sha256:${A.slice(0, 12)}`)).id, `sha256:${A}`);
  });

  it('sends no request for a text that would change the path', async () => {
    const { engine, connection } = await lab.fake(knowing(404));
    for (const text of ['', '.', '..', '/x', 'a/b', '../containers/x', '%2e', 'a b', 'a?b']) {
      await failure(resolveContainer(connection, text), 'notFound');
    }
    for (const text of ['', '.', '..', '/x', 'a//b', 'x/../y', 'x/']) {
      await failure(resolveImage(connection, text), 'notFound');
    }
    assert.equal(engine.seen.length, 0);
  });
});
