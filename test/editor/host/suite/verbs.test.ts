import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { at, inspect, isThere, raw, statusOf } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';

describe('the container commands', () => {
  const lab = useLab('verbs');

  it('start reports whether the container was already running', async () => {
    const id = await lab.container(['sleep', '1000']);
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'started' });
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.start', { id }), { outcome: 'alreadyStarted' });
  });

  it("start rejects a missing program with the engine's message", async () => {
    const id = await lab.container(['/no/such/program']);
    await refusal(run('containers.start', { id }), /\/no\/such\/program/);
    assert.ok(await isThere(id));
  });

  it('stop reports whether the container was already stopped', async () => {
    const id = await lab.running();
    assert.deepEqual(await run('containers.stop', { id }), { outcome: 'stopped' });
    assert.equal(await stateOf(id), 'exited');
    assert.deepEqual(await run('containers.stop', { id }), { outcome: 'alreadyStopped' });
  });

  it('stop kills a container that has not exited within timeoutSeconds', async () => {
    // A signal without effect. SIGTERM ends the engine's program that is about to start `sleep`.
    const id = await lab.container(['sleep', '1000'], 'deaf', { StopSignal: 'SIGWINCH' });
    await raw('POST', `/containers/${id}/start`);
    await run('containers.stop', { id, timeoutSeconds: 0 });
    assert.equal(at(await inspect(id), 'State', 'ExitCode'), 137);
  });

  it('restart restarts a running container, and starts an exited one', async () => {
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

  it('kill sends the given signal, by default KILL', async () => {
    const script = 'trap "exit 7" USR1; while true; do sleep 0.1; done';
    const first = await lab.running('usr1', ['sh', '-c', script]);
    await until(async () => {
      if ((await stateOf(first)) !== 'running') return true;
      await run('containers.kill', { id: first, signal: 'SIGUSR1' });
      return false;
    }, 'the container has received the signal');
    const exitCode = async (id: string): Promise<unknown> =>
      at(await inspect(id), 'State', 'ExitCode');
    assert.ok([7, 138].includes(Number(await exitCode(first))), String(await exitCode(first)));
    const second = await lab.running('kill');
    assert.deepEqual(await run('containers.kill', { id: second }), { outcome: 'killed' });
    await until(
      async () => (await stateOf(second)) === 'exited',
      'the second container has exited',
    );
    assert.equal(await exitCode(second), 137);
  });

  it('kill reports a stopped container, and rejects an invalid signal', async () => {
    const id = await lab.container(['true']);
    assert.deepEqual(await run('containers.kill', { id }), { outcome: 'alreadyStopped' });
    await refusal(run('containers.kill', { id, signal: 'not a signal' }), /not a signal/);
    await refusal(run('containers.kill', { id, signal: '' }), /signal/);
  });

  it("kill rejects an unknown signal with the engine's message", async () => {
    const id = await lab.running();
    await refusal(run('containers.kill', { id, signal: 'NOSUCH' }), /signal/i);
    assert.equal(await stateOf(id), 'running');
  });

  it('pause and unpause report whether the container was already in that state', async () => {
    const id = await lab.running();
    assert.deepEqual(await run('containers.pause', { id }), { outcome: 'paused' });
    assert.equal(await stateOf(id), 'paused');
    assert.deepEqual(await run('containers.pause', { id }), { outcome: 'alreadyPaused' });
    assert.deepEqual(await run('containers.unpause', { id }), { outcome: 'unpaused' });
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.unpause', { id }), { outcome: 'alreadyUnpaused' });
  });

  it('pause and unpause reject a container that is not running', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.pause', { id }));
    await refusal(run('containers.unpause', { id }));
  });

  it('rename changes the name, and reports an unchanged one', async () => {
    const id = await lab.container(['true']);
    const name = lab.name('new');
    assert.deepEqual(await run('containers.rename', { id, name }), { outcome: 'renamed' });
    assert.equal(at(await inspect(id), 'Name'), `/${name}`);
    // Podman accepts the current name and reports success.
    const outcome = bed().kind === 'docker' ? 'alreadyNamed' : 'renamed';
    assert.deepEqual(await run('containers.rename', { id, name }), { outcome });
  });

  it('rename rejects a name in use, and an invalid one', async () => {
    const id = await lab.container(['true'], 'a');
    await lab.container(['true'], 'b');
    await refusal(run('containers.rename', { id, name: lab.name('b') }), /in use/);
    await refusal(run('containers.rename', { id, name: 'two words' }), /two words/);
    assert.equal(at(await inspect(id), 'Name'), `/${lab.name('a')}`);
  });
});

describe('gantry.containers.remove', () => {
  const lab = useLab('remove');

  it('removes a stopped container, and reports one that is already gone', async () => {
    const id = await lab.container(['true']);
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'removed' });
    assert.equal(await isThere(id), false);
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'alreadyGone' });
  });

  it('rejects an unknown name, which may be a typo', async () => {
    await refusal(run('containers.remove', { id: lab.name('gone') }), /no such container/i);
  });

  it('removes a running container only with force', async () => {
    const id = await lab.running();
    await refusal(run('containers.remove', { id }));
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(await run('containers.remove', { id, force: true }), { outcome: 'removed' });
    assert.equal(await isThere(id), false);
  });

  it('removes anonymous volumes only if requested', async () => {
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

describe('the container of a command', () => {
  const lab = useLab('whom');

  it('is found by its full ID, a prefix of the ID, or its name', async () => {
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

  it("is reported as missing with the engine's message", async () => {
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
