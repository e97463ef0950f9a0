import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer, inspectContainer } from '../../src/engine/containers/containers.ts';
import {
  restartContainer,
  startContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { LogRuns } from '../../src/output/logRuns.ts';
import { startEngineOf, type BedEngine } from '../bed/engines.ts';
import { bed } from '../bed/env.ts';
import { importBusybox } from '../bed/images.ts';
import { FakeChannel } from '../unit/support/fakeChannel.ts';
import { cheap } from './support.ts';

describe('a followed log when the engine is restarted', () => {
  let engine: BedEngine;

  before(async function () {
    this.timeout(180_000);
    engine = await startEngineOf(bed().kind);
    await importBusybox(engine);
  });

  after(async () => {
    await engine.stop();
  });

  it('continues without losing a line', async function () {
    this.timeout(180_000);
    const there = connectTo(engine.socket);
    const changes = new Emitter<ContainersChange>();
    let channel: FakeChannel | undefined;
    const runs = new LogRuns({
      connect: () => Promise.resolve(there),
      onDidChangeContainers: changes.event,
      watch: () => undefined,
      createChannel: (name) => (channel = new FakeChannel(name)),
    });
    try {
      const { id } = await createContainer(there, {
        body: cheap({ Image: bed().image, Cmd: ['sh', '-c', 'echo one; sleep 1000'] }),
      });
      await startContainer(there, id);
      await runs.open({ id, name: 'survivor' }, { follow: true, tail: 'all', timestamps: false });
      await channel!.endsWith('one\n');
      await engine.restart();
      if (!(await inspectContainer(there, id)).isRunning) await startContainer(there, id);
      else await restartContainer(there, id, { timeoutSeconds: 0 });
      changes.fire({ containers: new Set([id]) });
      await channel!.until(() => channel!.text.split('one\n').length === 3);
      assert.equal(withoutMarkers(channel!.text), 'one\none\n');
    } finally {
      runs.dispose();
      there.dispose();
    }
  });
});

/** Removes the markers and returns the container's own output. */
function withoutMarkers(text: string): string {
  return text.replaceAll(/\[.*\]\n/g, '');
}

function connectTo(socket: string): Connection {
  return openConnection({
    url: `unix://${socket}`,
    transport: { kind: 'socket', path: socket },
    source: 'setting',
  });
}
