// What the details of a container say, on a real engine.
import assert from 'node:assert/strict';
import { killContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { runHealthcheck } from '../../src/engine/containers/containerHealth.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import type { ContainerFacts } from '../../src/engine/facts/containerFacts.ts';
import { readContainerFacts } from '../../src/engine/facts/readContainerFacts.ts';
import { readImageFacts } from '../../src/engine/facts/readImageFacts.ts';
import { readVolumeFacts } from '../../src/engine/facts/readVolumeFacts.ts';
import { imageHistory } from '../../src/engine/images/imageHistory.ts';
import { inspectImage } from '../../src/engine/images/images.ts';
import { MASK } from '../../src/engine/options/secretDetection.ts';
import { sendSignal } from '../../src/commands/details/sendSignal.ts';
import type { CommandContext } from '../../src/commands/frame/commandContext.ts';
import { listProcesses } from '../../src/engine/exec/listProcesses.ts';
import { give, pick, ScriptedUi } from '../unit/support/scriptedUi.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { inspectVolume } from '../../src/engine/volumes/volumes.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

const SECOND = 1e9;

describe('the details of a container', () => {
  const site = new Site();
  const { connection, isPodman, facts: bed } = site;
  let id: string;
  let volume: string;
  before(async () => {
    volume = site.volume();
    await createVolume(connection, { name: volume, labels: { token: 'hunter2', a: 'b' } });
    id = await site.create(['sleep', '1000'], {
      body: {
        Env: ['A=1', 'API_TOKEN=hunter2'],
        WorkingDir: '/tmp',
        Healthcheck: {
          Test: ['CMD-SHELL', 'echo away; exit 4'],
          Interval: SECOND,
          Timeout: 5 * SECOND,
          Retries: 1,
        },
        HostConfig: { Binds: [`${volume}:/data`], Memory: 64 * 1024 * 1024, PidsLimit: 40 },
      },
    });
    await startContainer(connection, id);
  });
  after(() => site.leave());

  const read = async (): Promise<ContainerFacts> => {
    const { raw, imageId } = await inspectContainer(connection, id);
    return readContainerFacts(raw, (await inspectImage(connection, imageId)).raw).facts;
  };

  it('say why it is unhealthy, with the output of the probe', async () => {
    // Without systemd timers, Podman never probes.
    if (isPodman) await runHealthcheck(connection, id);
    const facts = await until(async () => {
      const all = await read();
      return all.health === 'unhealthy' && all;
    }, 'it is unhealthy');
    const probe = facts.probes.at(-1);
    assert.deepEqual([probe?.output, probe?.exitCode], ['away', isPodman ? 1 : 4]);
    assert.ok((probe?.durationMs ?? -1) >= 0);
    assert.equal(facts.healthcheck, 'echo away; exit 4');
  });

  it('say what differs from the image, and mask secrets', async () => {
    const { differences = [], environment, limits, mounts } = await read();
    const found = new Map(differences.map(({ what, after: now }) => [what, now]));
    assert.equal(found.get('cmd'), 'sleep 1000');
    assert.equal(found.get('env'), 'A, API_TOKEN');
    assert.equal(found.get('workingDir'), '/tmp');
    assert.equal(environment.find(({ name }) => name === 'API_TOKEN')?.value, MASK);
    assert.deepEqual(
      mounts.filter(({ type }) => type === 'volume').map(({ source, target }) => [source, target]),
      [[volume, '/data']],
    );
    const limit = (name: string) => limits.find(({ what }) => what === name)?.value;
    assert.deepEqual([limit('memory'), limit('pids')], [64 * 1024 * 1024, 40]);
  });

  it('say how it has ended', async () => {
    await killContainer(connection, id);
    const facts = await until(async () => {
      const all = await read();
      return all.state === 'exited' && all;
    }, 'it has exited');
    assert.deepEqual([facts.exitCode, facts.signal, facts.oomKilled], [137, 'SIGKILL', false]);
    assert.ok(Date.parse(facts.finishedAt) >= Date.parse(facts.startedAt));
  });

  it('are there for its image and its volume, too', async () => {
    const image = await inspectImage(connection, bed.image);
    const { facts } = readImageFacts(image, await imageHistory(connection, bed.image));
    assert.match(facts.platform, /^linux\//);
    assert.ok(facts.size > 0 && facts.layers > 0 && facts.steps > 0);
    const read = readVolumeFacts(await inspectVolume(connection, volume));
    assert.deepEqual([read.facts.name, read.facts.driver], [volume, 'local']);
    const labels = new Map(read.facts.labels.map(({ name, value }) => [name, value]));
    assert.deepEqual([labels.get('a'), labels.get('token')], ['b', MASK]);
    assert.notEqual(read.facts.mountpoint, '');
  });

  it('offer a signal for a process whose ID in the container is known', async () => {
    const shell = await site.run(['sh', '-c', 'sleep 501 & sleep 502 & wait']);
    const found = async (command: string) =>
      (await listProcesses(connection, shell)).find((one) => one.command.endsWith(command));
    const child = await until(() => found('sleep 501'), 'the process');
    // Docker knows only the ID on its host.
    assert.equal(child.pid !== undefined, isPodman);
    if (child.pid === undefined) return;
    const ui = new ScriptedUi(pick('SIGTERM'), give('Send Signal'));
    const context = {
      ui,
      titleOf: (name: string) => name,
      engine: { connect: () => Promise.resolve(connection) },
    } as unknown as CommandContext;
    const process = { id: shell, name: 'shell', pid: child.pid, command: child.command };
    assert.equal(await sendSignal(process, context), 'sent');
    await until(async () => (await found('sleep 501')) === undefined, 'it has ended');
    assert.ok(await found('sleep 502'));
    ui.act(pick('SIGTERM'), give('Send Signal'));
    await assert.rejects(sendSignal(process, context), /No such process/);
  });
});
