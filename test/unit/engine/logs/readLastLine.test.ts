import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { readLastLine } from '../../../../src/engine/logs/readLastLine.ts';
import { frame } from '../../support/chunks.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const STAMP = '2026-08-01T10:00:00.000000001Z';

describe('the last line of a log', () => {
  let engine: FakeEngine;
  let connection: Connection;

  beforeEach(async () => {
    engine = await startFakeEngine();
    const transport = { kind: 'socket', path: engine.socket } as const;
    connection = openConnection({ url: engine.url, transport, source: 'setting' });
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  for (const [what, texts, expected] of [
    ['is the last one that is not blank', ['one\n', 'two\n', '\n', '  \n'], 'two'],
    ['may have no line end', ['one\n', 'two'], 'two'],
    ['is missing if all lines are blank', ['\n', ' \n'], undefined],
  ] as const)
    it(what, async () => {
      engine.answer((_, response) => {
        response.setHeader('date', 'Sat, 01 Aug 2026 10:00:05 GMT');
        response.end(Buffer.concat(texts.map((text) => frame(1, `${STAMP} ${text}`))));
      });
      const { signal } = new AbortController();
      assert.equal(await readLastLine(connection, 'x', false, signal), expected);
      assert.equal(engine.seen[0]?.query.get('tail'), '20');
    });
});
