import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { createContainer } from '../../../src/engine/containers/containers.ts';
import { startContainer } from '../../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { bed } from '../../bed/env.ts';
import { until } from '../../bed/until.ts';
import { importBusybox } from '../../bed/images.ts';
import { cheap } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

describe('an engine', function () {
  this.timeout(60_000);

  let engine: BedEngine;
  let connection: Connection;
  let rig: Rig;
  let openBefore: ReturnType<typeof openThings>;

  before(async () => {
    engine = await startEngineOf(bed().kind);
    await importBusybox(engine);
    connection = openConnection(parseEndpoint(engine.url, 'setting'));
    await create();
  });

  after(async () => {
    connection.dispose();
    await engine.stop();
  });

  beforeEach(async () => {
    openBefore = openThings();
    rig = new Rig(engine.url);
    await rig.live();
  });

  afterEach(async () => {
    rig.dispose();
    await nothingMoreThan(openBefore);
  });

  const create = async (): Promise<string> => {
    const body = cheap({ Image: bed().image, Cmd: ['sleep', '1000'] });
    return (await createContainer(connection, { body })).id;
  };

  it('is shown as lost when killed, and correctly after its restart', async () => {
    const id = await create();
    await startContainer(connection, id);
    await engine.kill();
    await rig.saysLost();
    await engine.restart();
    await rig.isRight();
    assert(rig.inventory.containers.has(id));
  });

  it('is shown as lost when stopped, and correctly after its start', async () => {
    process.kill(engine.pid, 'SIGTERM');
    await until(() => !existsSync(`/proc/${engine.pid}`), 'the engine process exits');
    await rig.saysLost();
    await engine.restart();
    await create();
    await rig.isRight();
  });

  it('is found frozen by the first request, and shown correctly after it continues', async () => {
    engine.pause();
    try {
      await until(() => standsStill(engine.pid), 'the engine process is stopped');
      rig.limitMs = 300;
      const answer = (await rig.engine.connect()).send({ method: 'GET', path: '/containers/json' });
      await assert.rejects(answer, { reason: 'timeout' });
      await rig.saysLost();
    } finally {
      rig.limitMs = undefined;
      engine.resume();
    }
    await create();
    await rig.isRight();
  });
});

/** Returns whether every thread of a process is stopped. */
function standsStill(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).every((thread) =>
    readFileSync(`${folder}/${thread}/stat`, 'utf8').includes(') T '),
  );
}
