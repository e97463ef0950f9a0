import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { openBuilder } from '../../../../../src/engine/builds/grpc/builderConnection.ts';
import { startFakeBuilder } from '../../../support/fakeBuilder.ts';
import { openLab, type Lab } from '../../../support/lab.ts';

describe('the connection to a builder', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('is not opened, and leaves no socket, if it is canceled before the engine says anything', async () => {
    const { connection, engine } = await lab.fake();
    const silent = new Promise<Duplex>((resolve) => {
      engine.grpc(resolve);
    });
    const controller = new AbortController();
    const reason = new DOMException('canceled', 'AbortError');
    const opening = assert.rejects(openBuilder(connection, controller.signal), reason);
    const socket = await silent;
    const closed = new Promise((resolve) => {
      socket.on('error', () => undefined).once('close', resolve);
    });
    socket.resume();
    controller.abort(reason);
    await opening;
    await closed;
  });

  it('is checked with a whole call, of which any status is enough', async () => {
    let count = 0;
    const builder = await startFakeBuilder({
      ...{ api: '1.53', takesPlain: true },
      services: new Map([
        [
          '/moby.buildkit.v1.Control/ListWorkers',
          async ({ messages }) => {
            for await (const _ of messages) count += 1;
            throw new Error('none');
          },
        ],
      ]),
    });
    try {
      (await openBuilder(lab.connect(builder.url))).dispose();
      assert.deepEqual([count, builder.ways], [1, ['plain']]);
    } finally {
      await builder.stop();
    }
  });
});
