import assert from 'node:assert/strict';
import { listContainers, inspectContainer } from '../../../../src/engine/containers/containers.ts';
import { parseJson } from '../../../../src/engine/wire/parseJson.ts';
import { JsonRecords } from '../../../../src/engine/wire/jsonRecords.ts';
import { errorMessage } from '../../../../src/commands/ui/errorMessage.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** `[[],[],…]`: three bytes each, and a hundred in memory. */
const many = (count: number): string => `[${'[],'.repeat(count)}0]`;

describe('JSON of an engine', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const says = async (text: string) =>
    (
      await lab.fake((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(text);
      })
    ).connection;

  it('is parsed like by JSON.parse within the limits', () => {
    const text = JSON.stringify({ a: ['[{,'.repeat(100), '"\\', null, 1.5, { 'ö"[': true }] });
    assert.deepEqual(parseJson(text), JSON.parse(text));
    assert.deepEqual(parseJson(nested(64)), JSON.parse(nested(64)));
    assert.throws(() => parseJson('{"a'), SyntaxError);
    assert.throws(() => parseJson('["\\'), SyntaxError);
  });

  it('is rejected past 64 levels, even with escaped quotation marks', () => {
    assert.throws(() => parseJson(nested(65)), { reason: 'tooLarge' });
    assert.throws(() => parseJson(`["\\"",${nested(64)}]`), { reason: 'tooLarge' });
    // Brackets inside a string are not levels.
    assert.equal(parseJson(JSON.stringify(nested(1000))), nested(1000));
  });

  it('is rejected with an error message for millions of values in one list entry', async () => {
    const connection = await says(`[{"x":${many(2_100_000)}}]`);
    const error = await failure(listContainers(connection, { all: true }), 'tooLarge');
    assert.match(errorMessage(error), /response to GET \/containers\/json is too large/);
  });

  it('is rejected with an error message for a million values in one object', async () => {
    const connection = await says(`{"Id":"a","x":${many(600_000)}}`);
    const error = await failure(inspectContainer(connection, 'a'), 'tooLarge');
    assert.match(errorMessage(error), /response to GET \/containers\/a\/json is too large/);
  });

  it('is rejected for a record of a stream', () => {
    const records = new JsonRecords({ endpoint: 'e', operation: 'GET /events' });
    assert.throws(() => records.push(Buffer.from(`${nested(65)}\n`)), {
      reason: 'tooLarge',
      operation: 'GET /events',
    });
  });
});
