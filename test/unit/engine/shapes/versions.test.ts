import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { listContainers } from '../../../../src/engine/containers/containers.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { failure } from '../../support/lab.ts';
import { RecordedEngine } from '../../support/recordedEngines.ts';
import { RECORDINGS, type Recording } from '../../support/recordings.ts';

describe('recorded responses: API versions', () => {
  let played: RecordedEngine;
  const open: Connection[] = [];

  async function connect(recording: Recording, pinnedApi?: string): Promise<Connection> {
    played = await RecordedEngine.start(recording);
    const endpoint = parseEndpoint(played.engine.url, 'setting');
    const connection = openConnection(
      pinnedApi === undefined ? endpoint : { ...endpoint, pinnedApi },
    );
    open.push(connection);
    return connection;
  }

  function asked(): readonly string[] {
    return played.engine.seen.map(({ version }) => version);
  }

  afterEach(async () => {
    for (const connection of open.splice(0)) connection.dispose();
    await played.stop();
  });

  it('negotiates again when the engine was replaced by an older one', async () => {
    const connection = await connect(RECORDINGS.docker29);
    await listContainers(connection, { all: true });
    played.become(RECORDINGS.docker25);
    await listContainers(connection, { all: true });
    assert.deepEqual(asked(), ['1.52', '1.52', '1.44']);
    assert.equal((await connection.info()).version, '25.0.5');
  });

  it('negotiates again on renew when Docker was replaced by Podman', async () => {
    const connection = await connect(RECORDINGS.docker28);
    await listContainers(connection, { all: true });
    played.become(RECORDINGS.podman5);
    assert.equal((await connection.renew()).product, 'podman');
    await listContainers(connection, { all: true });
    assert.deepEqual(asked(), ['1.51', '1.44']);
  });

  it("fails if the engine's oldest version is newer than the newest supported one", async () => {
    const connection = await connect({
      ...RECORDINGS.dockerNewest,
      newest: '1.70',
      oldest: '1.60',
    });
    const error = await failure(listContainers(connection, {}), 'tooNew');
    assert.match(error.message, /Minimum supported API version is 1\.60/);
    assert.equal(error.endpoint, played.engine.url);
  });

  it("fails if the engine's newest version is older than the oldest supported one", async () => {
    const connection = await connect({ ...RECORDINGS.docker25, newest: '1.40' });
    const error = await failure(listContainers(connection, {}), 'tooOld');
    assert.match(error.message, /1\.40/);
    assert.deepEqual(asked(), []);
  });

  const pins: [pinned: string, words: RegExp][] = [
    ['1.43', /client version 1\.43 is too old\. Minimum supported API version is 1\.44/],
    ['1.53', /^1\.53 > 1\.52$/],
    ['1.24', /^1\.24 < 1\.41$/],
  ];
  for (const [pinned, words] of pins) {
    it(`fails if ${pinned} is pinned on Docker 29.0, and explains why`, async () => {
      const connection = await connect(RECORDINGS.docker29, pinned);
      assert.match((await failure(listContainers(connection, {}), 'pinRefused')).message, words);
    });
  }
});
