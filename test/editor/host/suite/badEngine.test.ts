import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusal, run } from '../kit/commands.ts';
import { connecting, type Fake } from '../kit/fakeEngine.ts';
import { useLab } from '../kit/lab.ts';
import { useHost } from '../kit/settings.ts';

describe('a faulty server at the address of the engine', () => {
  const lab = useLab('engine');
  let fake: Fake | undefined;

  afterEach(async () => {
    await useHost(undefined);
    fake?.close();
    fake = undefined;
  });

  it('is reported by all commands', async () => {
    fake = await connecting((socket) => socket.destroy());
    await useHost(fake.socket);
    const verbs = ['start', 'stop', 'restart', 'kill', 'pause', 'unpause', 'remove'] as const;
    for (const verb of verbs)
      await refusal(run(`containers.${verb}`, { id: 'web' }), /was lost before it responded/);
    const id = 'f'.repeat(64);
    await refusal(
      run('containers.wait', { id, condition: 'next-exit' }),
      /was lost before it responded/,
    );
    await refusal(run('containers.logs', { id }), /was lost before it responded/);
    await refusal(run('containers.inspect', { id }), /was lost before it responded/);
    await refusal(
      run('containers.commit', { id, repository: 'a' }),
      /was lost before it responded/,
    );
    await refusal(run('containers.create', { image: 'busybox' }), /was lost before it responded/);
    await refusal(run('images.list', {}), /was lost before it responded/);
    await refusal(run('images.pull', { reference: 'busybox' }), /was lost before it responded/);
    await refusal(run('images.remove', { id: 'busybox' }), /was lost before it responded/);
  });

  it('does not prevent using an engine that is available later', async () => {
    fake = await connecting((socket) => socket.destroy());
    const { socket } = fake;
    await useHost(socket);
    await refusal(run('containers.list', {}), /was lost before it responded/);
    fake.close();
    await refusal(run('containers.list', {}), /socket .* not found/);
    await useHost(undefined);
    const id = await lab.container(['true']);
    assert.ok((await run('containers.list', { all: true })).some((one) => one.id === id));
  });
});

describe('the setting gantry.host', () => {
  useLab('host');
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-host-'));
  });
  afterEach(async () => {
    await useHost(undefined);
    rmSync(folder, { recursive: true });
  });

  it('prevents the use of any other engine, even if that of DOCKER_HOST runs', async () => {
    await useHost(join(folder, 'nothing'));
    await refusal(run('containers.list', {}), /nothing/);
    await refusal(run('images.list', {}), /nothing/);
  });
});
