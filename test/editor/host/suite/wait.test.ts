import assert from 'node:assert/strict';
import { until } from '../../../bed/http.ts';
import { refusal, run } from '../kit/commands.ts';
import { raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests, type Recorder } from '../kit/recorder.ts';

const ROUNDS = 20;

describe('gantry.containers.wait', () => {
  const lab = useLab('wait');

  it('resolves at the end of a container that runs', async () => {
    const id = await lab.running('it', ['sh', '-c', 'sleep 0.3; exit 5']);
    assert.deepEqual(await run('containers.wait', { id }), { exitCode: 5 });
  });

  it('answers at once for a container that has ended', async () => {
    const id = await lab.ended(['sh', '-c', 'exit 6']);
    assert.deepEqual(await run('containers.wait', { id, condition: 'not-running' }), {
      exitCode: 6,
    });
  });

  it('refuses not-running for a container that was never started', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.wait', { id }), /never started/, /next-exit/);
  });

  it('refuses a condition that is none', async () => {
    const id = await lab.container(['true']);
    for (const condition of ['', 'stopped', 'NOT-RUNNING', 7, null]) {
      await refusal(run('containers.wait', { id, condition }), /"condition" must be one of/);
    }
  });

  it('waits for the next end of one that has ended before', async () => {
    const id = await lab.ended(['sh', '-c', '[ -f /seen ] && exit 8; touch /seen; exit 7']);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    await run('containers.start', { id });
    assert.deepEqual(await waiting, { exitCode: 8 });
  });

  it(`has the right status of ${ROUNDS} that end within milliseconds of the start after it`, async () => {
    const one = async (status: number): Promise<void> => {
      const id = await lab.container(['sh', '-c', `exit ${status}`], String(status));
      const waiting = run('containers.wait', { id, condition: 'next-exit' });
      const starting = run('containers.start', { id });
      assert.deepEqual(await starting, { outcome: 'started' });
      assert.deepEqual(await waiting, { exitCode: status });
    };
    for (let status = 1; status <= ROUNDS; status += 4) {
      await Promise.all([0, 1, 2, 3].map((more) => one(status + more)));
    }
  });

  it('ends with the engine’s words where the start after it fails', async () => {
    const id = await lab.container(['/no/such/program']);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    const refused = refusal(waiting, /\/no\/such\/program/);
    await refusal(run('containers.start', { id }), /\/no\/such\/program/);
    await refused;
  });
});

describe('a wait and what is asked for at the same time', () => {
  const lab = useLab('hold');
  let recorder: Recorder;

  beforeEach(async () => {
    recorder = await recordRequests();
  });
  afterEach(() => recorder.close());

  it('a wait sends a full id without a look-up before it', async () => {
    const id = await lab.running();
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    const own = (): readonly string[] =>
      recorder.lines().filter((line) => line.includes(`/containers/${id}/`));
    await until(() => own().length > 0, 'a request for the container');
    assert.match(own()[0]!, /^POST \S+\/wait\?condition=next-exit$/);
    await raw('POST', `/containers/${id}/kill`);
    assert.equal((await waiting).exitCode, 137);
  });

  it('a wait for the removal tells how the container had ended', async () => {
    const id = await lab.ended(['sh', '-c', 'exit 9']);
    const gate = recorder.holdAnswers(/condition=removed/);
    const waiting = run('containers.wait', { id, condition: 'removed' });
    await gate.reached;
    gate.open();
    await run('containers.remove', { id });
    assert.deepEqual(await waiting, { exitCode: 9 });
  });

  it('a start is held until the engine has registered the wait before it', async () => {
    const id = await lab.container(['sh', '-c', 'exit 3']);
    const gate = recorder.holdAnswers(/\/wait\?/);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    const starting = run('containers.start', { id });
    await gate.reached;
    assert.ok(!recorder.lines().some((line) => line.includes('/start')));
    gate.open();
    await starting;
    assert.deepEqual(await waiting, { exitCode: 3 });
  });

  it('a start is not held for ever', async () => {
    const id = await lab.container(['sh', '-c', 'exit 3']);
    const gate = recorder.holdAnswers(/\/wait\?/);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'started' });
    gate.open();
    assert.deepEqual(await waiting, { exitCode: 3 });
  });

  it('a start of another container is not held', async () => {
    const [slow, quick] = [await lab.container(['true'], 'a'), await lab.container(['true'], 'b')];
    const gate = recorder.holdAnswers(/\/wait\?/);
    const waiting = run('containers.wait', { id: slow, condition: 'next-exit' });
    await gate.reached;
    await run('containers.start', { id: quick });
    gate.open();
    await run('containers.start', { id: slow });
    assert.deepEqual(await waiting, { exitCode: 0 });
  });
});
