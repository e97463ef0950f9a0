import assert from 'node:assert/strict';
import { pauseContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { listProcesses, type ContainerProcess } from '../../src/engine/exec/listProcesses.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

describe('processes of a container of a real engine', () => {
  const site = new Site();
  after(() => site.leave());

  it('are listed as a tree, with memory and time, without a program in the container', async () => {
    const script = 'sleep 1001 & while :; do :; done';
    const id = await site.run(['sh', '-c', script]);
    const listed = async (): Promise<readonly ContainerProcess[]> => {
      const all = await listProcesses(site.connection, id);
      const isBusy = all.some(({ cpuPercent = 0 }) => cpuPercent > 0);
      return all.length === 2 && isBusy ? all : [];
    };
    await until(async () => (await listed()).length > 0, 'two processes, one of them busy');
    const all = await listed();
    const first = all.find(({ command }) => command === `sh -c ${script}`) ?? assert.fail();
    const child = all.find(({ command }) => command === 'sleep 1001') ?? assert.fail();
    for (const { hostPid = 0, memoryBytes = 0, user } of all)
      assert.ok(hostPid > 0 && memoryBytes > 1024 && user === 'root', JSON.stringify(all));
    assert.equal(child.parent, first.pid ?? first.hostPid);
    assert.deepEqual([first.pid, first.parent], site.isPodman ? [1, 0] : [undefined, first.parent]);
  });

  it('are refused where none runs, and on Podman where it is paused', async () => {
    const stopped = await site.create(['true']);
    await assert.rejects(listProcesses(site.connection, stopped), EngineError);
    const paused = await site.sleeper();
    await pauseContainer(site.connection, paused);
    const listing = listProcesses(site.connection, paused);
    if (site.isPodman) await assert.rejects(listing, EngineError);
    else assert.equal((await listing).length, 1);
  });
});
