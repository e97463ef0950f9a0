import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { forwardFailures, type FailureNotifier } from '../../../../src/app/forwardFailures.ts';
import { notifyOfFailure } from '../../../../src/commands/containers/notifyOfFailure.ts';
import type { NotifyLevel } from '../../../../src/base/settings.ts';
import type { ContainerFailure } from '../../../../src/inventory/runs/containerFailures.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { turn } from '../../support/fakeClock.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

type Omitted<T> = T extends unknown ? Omit<T, 'id' | 'name'> : never;
type Failure = Omitted<ContainerFailure>;

describe('what goes wrong with a container', () => {
  let lab: EngineLab;
  let world: Lab;
  let inspected: object;
  let level: NotifyLevel;
  let loads: number;
  let notify: (failure: ContainerFailure) => Promise<void>;
  beforeEach(async () => {
    lab = await openEngineLab();
    level = 'failures';
    loads = 0;
    world = openLab();
    inspected = {};
    const { connection } = await world.fake((_, response) => json(response, 200, inspected));
    const engine = { connect: () => Promise.resolve(connection) };
    const context = { ui: lab.ui, engine, titleOf: (name: string) => `${name} (work)` };
    notify = (failure) => notifyOfFailure(failure, context as unknown as CommandContext);
    const notifier: FailureNotifier = {
      notifyOfFailure: (failure) =>
        void notifyOfFailure(failure, context as unknown as CommandContext),
    };
    const load = (): Promise<FailureNotifier> => {
      loads += 1;
      return Promise.resolve(notifier);
    };
    forwardFailures(lab.engines.onDidFail, () => level, load);
  });
  afterEach(async () => {
    lab.close();
    await world.close();
  });

  /** Lists the container as running, then as exited. */
  const end = async (exitCode: number, key = 'a'): Promise<void> => {
    const ended: Partial<Container> = { state: 'exited', exitCode };
    for (const changes of [{}, ended]) {
      const now = [container(key, { name: 'web', ...changes })];
      lab.engines.all[0]?.inventory.replaceAll(now, [], Date.now(), { kind: 'live', info: INFO });
    }
    await turn();
  };
  const warnings = () => lab.ui.of('warn').map(({ text, buttons }) => [text, buttons]);

  it('shows one warning with a button for its logs', async () => {
    await end(3);
    const text = 'web (work) exited unexpectedly with code 3.';
    assert.deepEqual(warnings(), [[text, ['Show Details', 'Show Logs']]]);
  });

  it('shows nothing after exit code 0', async () => {
    await end(0);
    assert.deepEqual(warnings(), []);
  });

  it('shows and loads nothing while the setting is off', async () => {
    level = 'off';
    await end(3);
    assert.deepEqual([warnings(), loads], [[], 0]);
    level = 'failures';
    await end(3, 'b');
    assert.deepEqual([warnings().length, loads], [1, 1]);
  });

  /** Reports a failure as the engine unit does, and returns the text of the warning. */
  const told = async (failure: Failure): Promise<string> => {
    const before = lab.ui.of('warn').length;
    await notify({ ...failure, id: idOf('a'), name: 'web' });
    return lab.ui
      .of('warn')
      .slice(before)
      .map(({ text }) => text)
      .join();
  };

  it('says the memory limit that was exceeded', async () => {
    const killed = { kind: 'outOfMemory', exitCode: 137 } as const;
    assert.deepEqual(
      [await told({ ...killed, limitBytes: 16_777_216 }), await told(killed)],
      [
        'web (work) exceeded its memory limit of 16 MiB and was killed.',
        'web (work) ran out of memory and was killed.',
      ],
    );
  });

  it('says that a process was killed, with the limit if it can be read', async () => {
    const text = 'A process in web (work) was killed: out of memory';
    assert.equal(await told({ kind: 'processKilled' }), `${text}.`);
    inspected = { Id: idOf('a'), HostConfig: { Memory: 16_777_216 } };
    assert.equal(await told({ kind: 'processKilled' }), `${text} at the limit of 16 MiB.`);
  });

  it('says how often a container crashed', async () => {
    assert.equal(
      await told({ kind: 'crashLoop', exitCode: 2, count: 3 }),
      'web (work) keeps crashing: 3 exits, the last with code 2.',
    );
  });

  it('says the output of the failed health check, as one short line', async () => {
    const Log = [
      { ExitCode: 1, Output: 'old' },
      { ExitCode: 1, Output: `\u001b[31mno\nconnection\u202e ${'x'.repeat(9999)}` },
      { ExitCode: 0, Output: 'fine' },
    ];
    inspected = { Id: idOf('a'), State: { Health: { Status: 'unhealthy', Log } } };
    const text = await told({ kind: 'unhealthy' });
    const start = 'web (work) is unhealthy. Its health check: no connection xxx';
    assert.equal(text.slice(0, start.length), start);
    assert(text.length < 200 && text.endsWith('…'), text);
  });

  it('says that a container is unhealthy even if its health check cannot be read', async () => {
    assert.equal(await told({ kind: 'unhealthy' }), 'web (work) is unhealthy.');
  });

  it('is told at the level of the setting', async () => {
    const health = 'unhealthy';
    for (const [now, count] of [
      ['off', 0],
      ['failures', 0],
      ['all', 1],
    ] as const) {
      level = now;
      const id = idOf(now);
      const { inventory } = lab.engines.all[0] ?? assert.fail();
      inventory.replaceAll([container(now)], [], Date.now(), { kind: 'live', info: INFO });
      inventory.recordEvent({ type: 'container', action: 'health_status', id, health });
      await turn();
      assert.equal(loads, count, now);
    }
  });
});
