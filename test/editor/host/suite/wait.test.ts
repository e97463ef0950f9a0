import assert from 'node:assert/strict';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests, type Recorder } from '../kit/recorder.ts';

const ROUNDS = 4;

describe('gantry.containers.wait', () => {
  const lab = useLab('wait');

  it('resolves when a running container exits', async () => {
    const id = await lab.running('it', ['sh', '-c', 'sleep 0.3; exit 5']);
    assert.deepEqual(await run('containers.wait', { id }), { exitCode: 5 });
  });

  it('resolves immediately for an exited container', async () => {
    const id = await lab.ended(['sh', '-c', 'exit 6']);
    assert.deepEqual(await run('containers.wait', { id, condition: 'not-running' }), {
      exitCode: 6,
    });
  });

  it('rejects not-running for a container that was never started', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.wait', { id }), /has never been started/, /next-exit/);
  });

  it('rejects an unknown condition', async () => {
    const id = await lab.container(['true']);
    for (const condition of ['', 'stopped', 'NOT-RUNNING', 7, null]) {
      await refusal(run('containers.wait', { id, condition }), /"condition" must be one of/);
    }
  });

  it('waits for the next exit of a container that has exited before', async () => {
    const id = await lab.ended(['sh', '-c', '[ -f /seen ] && exit 8; touch /seen; exit 7']);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    await run('containers.start', { id });
    assert.deepEqual(await waiting, { exitCode: 8 });
  });

  it(`returns the exit codes of ${ROUNDS} containers that exit within milliseconds of a later start`, async () => {
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

  it("rejects with the engine's message if the later start fails", async () => {
    const id = await lab.container(['/no/such/program']);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    const refused = refusal(waiting, /\/no\/such\/program/);
    await refusal(run('containers.start', { id }), /\/no\/such\/program/);
    await refused;
  });
});

describe('wait and concurrent commands', () => {
  const lab = useLab('hold');
  let recorder: Recorder;

  before(async () => {
    recorder = await recordRequests();
  });
  after(() => recorder.close());

  it('a wait sends a full ID without a lookup first', async () => {
    const id = await lab.running();
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    const own = (): readonly string[] =>
      recorder.lines().filter((line) => line.includes(`/containers/${id}/`));
    await until(() => own().length > 0, 'a request for the container');
    assert.match(own()[0]!, /^POST \S+\/wait\?condition=next-exit$/);
    await raw('POST', `/containers/${id}/kill`);
    assert.equal((await waiting).exitCode, 137);
  });

  it('a wait for the removal returns the exit code of the last run', async () => {
    const id = await lab.ended(['sh', '-c', 'exit 9']);
    const gate = recorder.holdAnswers(/condition=removed/);
    const waiting = run('containers.wait', { id, condition: 'removed' });
    await gate.reached;
    gate.open();
    await run('containers.remove', { id });
    assert.deepEqual(await waiting, { exitCode: 9 });
  });

  it('a start is not delayed forever', async () => {
    const id = await lab.container(['sh', '-c', 'exit 3']);
    const gate = recorder.holdAnswers(/\/wait\?/);
    const waiting = run('containers.wait', { id, condition: 'next-exit' });
    await gate.reached;
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'started' });
    gate.open();
    assert.deepEqual(await waiting, { exitCode: 3 });
  });

  it('a start of another container is not delayed', async () => {
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
