import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/http.ts';
import { refusal, run } from '../kit/commands.ts';
import { at, inspect, isThere, raw, statusOf } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';

describe('the verbs on containers', () => {
  const lab = useLab('verbs');

  it('start says whether it was running already', async () => {
    const id = await lab.container(['sleep', '1000']);
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'started' });
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'alreadyStarted' });
  });

  it('start rejects in the engine’s words where the program is not there', async () => {
    const id = await lab.container(['/no/such/program']);
    await refusal(run('containers.start', { id }), /\/no\/such\/program/);
    assert.ok(await isThere(id));
  });

  it('stop says whether it was stopped already', async () => {
    const id = await lab.running();
    assert.deepEqual(await run('containers.stop', { id }), { outcome: 'stopped' });
    assert.equal(await stateOf(id), 'exited');
    assert.deepEqual(await run('containers.stop', { id }), { outcome: 'alreadyStopped' });
  });

  it('stop kills what has not ended within timeoutSeconds', async () => {
    // Its stop signal does nothing to the first process of a container.
    const id = await lab.container(['sleep', '1000'], 'deaf', { StopSignal: 'SIGTERM' });
    await raw('POST', `/containers/${id}/start`);
    await run('containers.stop', { id, timeoutSeconds: 0 });
    assert.equal(at(await inspect(id), 'State', 'ExitCode'), 137);
  });

  it('stop gives a container the time that timeoutSeconds says', async () => {
    const script = 'trap "sleep 2; exit 9" TERM; echo ready; while true; do sleep 0.1; done';
    const id = await lab.container(['sh', '-c', script], 'slow', { StopSignal: 'SIGTERM' });
    await raw('POST', `/containers/${id}/start`);
    await until(
      async () => (await statusOf('GET', `/containers/${id}/top`)) === 200,
      'its shell runs',
    );
    await run('containers.stop', { id, timeoutSeconds: 15 });
    assert.equal(at(await inspect(id), 'State', 'ExitCode'), 9);
  });

  it('restart starts anew what runs, and what has ended', async () => {
    const id = await lab.running();
    const startedAt = async (): Promise<unknown> => at(await inspect(id), 'State', 'StartedAt');
    const first = await startedAt();
    assert.deepEqual(await run('containers.restart', { id, timeoutSeconds: 0 }), {
      outcome: 'restarted',
    });
    assert.notEqual(await startedAt(), first);
    assert.equal(await stateOf(id), 'running');
    await raw('POST', `/containers/${id}/stop?t=0`);
    assert.deepEqual(await run('containers.restart', { id }), { outcome: 'restarted' });
    assert.equal(await stateOf(id), 'running');
  });

  it('kill sends the signal that is asked for, else KILL', async () => {
    const script = 'trap "exit 7" USR1; while true; do sleep 0.1; done';
    const first = await lab.running('usr1', ['sh', '-c', script]);
    await until(async () => {
      if ((await stateOf(first)) !== 'running') return true;
      await run('containers.kill', { id: first, signal: 'SIGUSR1' });
      return false;
    }, 'the signal has come through');
    const exitCode = async (id: string): Promise<unknown> =>
      at(await inspect(id), 'State', 'ExitCode');
    assert.ok([7, 138].includes(Number(await exitCode(first))), String(await exitCode(first)));
    const second = await lab.running('kill');
    assert.deepEqual(await run('containers.kill', { id: second }), { outcome: 'killed' });
    await until(async () => (await stateOf(second)) === 'exited', 'it is dead');
    assert.equal(await exitCode(second), 137);
  });

  it('kill says that nothing ran, and refuses what is no signal', async () => {
    const id = await lab.container(['true']);
    assert.deepEqual(await run('containers.kill', { id }), { outcome: 'alreadyStopped' });
    await refusal(run('containers.kill', { id, signal: 'not a signal' }), /not a signal/);
    await refusal(run('containers.kill', { id, signal: '' }), /signal/);
  });

  it('kill rejects in the engine’s words a signal it does not know', async () => {
    const id = await lab.running();
    await refusal(run('containers.kill', { id, signal: 'NOSUCH' }), /signal/i);
    assert.equal(await stateOf(id), 'running');
  });

  it('pause and unpause say whether it was so already', async () => {
    const id = await lab.running();
    assert.deepEqual(await run('containers.pause', { id }), { outcome: 'paused' });
    assert.equal(await stateOf(id), 'paused');
    assert.deepEqual(await run('containers.pause', { id }), { outcome: 'alreadyPaused' });
    assert.deepEqual(await run('containers.unpause', { id }), { outcome: 'unpaused' });
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.unpause', { id }), { outcome: 'alreadyUnpaused' });
  });

  it('pause rejects what does not run', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.pause', { id }));
    await refusal(run('containers.unpause', { id }));
  });

  it('rename gives another name, and says that it had it already', async () => {
    const id = await lab.container(['true']);
    const name = lab.name('new');
    assert.deepEqual(await run('containers.rename', { id, name }), { outcome: 'renamed' });
    assert.equal(at(await inspect(id), 'Name'), `/${name}`);
    // Podman gives it the same name again, and calls that well done.
    const outcome = bed().kind === 'docker' ? 'alreadyNamed' : 'renamed';
    assert.deepEqual(await run('containers.rename', { id, name }), { outcome });
  });

  it('rename refuses a name that is taken, and one that is none', async () => {
    const id = await lab.container(['true'], 'a');
    await lab.container(['true'], 'b');
    await refusal(run('containers.rename', { id, name: lab.name('b') }), /in use/);
    await refusal(run('containers.rename', { id, name: 'two words' }), /two words/);
    assert.equal(at(await inspect(id), 'Name'), `/${lab.name('a')}`);
  });
});

describe('gantry.containers.remove', () => {
  const lab = useLab('remove');

  it('removes what is stopped, and says that it was gone already', async () => {
    const id = await lab.container(['true']);
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'removed' });
    assert.equal(await isThere(id), false);
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'alreadyGone' });
  });

  it('rejects a name that nobody bears, which may be a slip', async () => {
    await refusal(run('containers.remove', { id: lab.name('gone') }), /no such container/i);
  });

  it('removes what runs by force only', async () => {
    const id = await lab.running();
    await refusal(run('containers.remove', { id }));
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.remove', { id, force: true }), { outcome: 'removed' });
    assert.equal(await isThere(id), false);
  });

  it('takes anonymous volumes along where that is asked for, and leaves them otherwise', async () => {
    const remains = async (options: object): Promise<boolean> => {
      const id = await lab.container(['true'], 'volume', { Volumes: { '/data': {} } });
      const volume = String(at(await inspect(id), 'Mounts', 0, 'Name'));
      assert.equal(await statusOf('GET', `/volumes/${volume}`), 200);
      await run('containers.remove', { id, ...options });
      const isLeft = (await statusOf('GET', `/volumes/${volume}`)) === 200;
      if (isLeft) await raw('DELETE', `/volumes/${volume}`);
      return isLeft;
    };
    assert.equal(await remains({ volumes: true }), false);
    assert.equal(await remains({ volumes: false }), true);
    assert.equal(await remains({}), true);
  });
});

describe('a container that a verb is for', () => {
  const lab = useLab('whom');

  it('is found by its full id, a part of it, or its name', async () => {
    const id = await lab.container(['true']);
    for (const text of [id, id.slice(0, 12), lab.name()]) {
      const found = await run('containers.inspect', { id: text });
      assert.equal(at(found, 'Id'), id);
    }
  });

  it('is not found by a part of its name', async () => {
    await lab.container(['true']);
    await refusal(run('containers.inspect', { id: lab.prefix }), /no such container/i);
  });

  it('has the engine’s own words where nobody bears that id', async () => {
    const nobody = lab.name('nobody');
    const verbs = ['start', 'stop', 'restart', 'kill', 'pause', 'unpause', 'wait', 'logs'] as const;
    for (const verb of verbs) {
      await refusal(run(`containers.${verb}`, { id: nobody }), /no such container/i);
      await refusal(run(`containers.${verb}`, { id: 'f'.repeat(64) }), /no such container/i);
    }
    await refusal(run('containers.rename', { id: nobody, name: 'other' }), /no such container/i);
    const repository = lab.name('image');
    await refusal(run('containers.commit', { id: nobody, repository }), /no such container/i);
    await refusal(run('containers.copyId', { id: nobody }), /no such container/i);
    await refusal(run('containers.copyName', { id: 'f'.repeat(64) }), /no such container/i);
  });
});
