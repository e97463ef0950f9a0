import assert from 'node:assert/strict';
import { execCommand } from '../../src/commands/containers/execCommand.ts';
import {
  killContainer,
  pauseContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { until } from '../bed/until.ts';
import { openCommandLab, type CommandLab } from '../unit/support/commandLab.ts';
import { Site } from './support.ts';

describe('a command that is run in a container of a real engine', () => {
  const site = new Site();
  let lab: CommandLab;
  let id: string;
  before(async () => {
    const engine = { connect: () => Promise.resolve(site.connection) } as unknown as Engine;
    lab = await openCommandLab((_, response) => void response.destroy(), { engine });
    id = await site.sleeper({ body: { HostConfig: { NetworkMode: 'none' } } });
  });
  after(async () => {
    await lab.close();
    await site.leave();
  });

  const exec = (argument: object): Promise<unknown> => lab.call(execCommand(), { id, ...argument });

  it('returns its outputs apart, and its exit code', async () => {
    const script = 'pwd; id -u; echo "$1 $NAME" >&2; cat; exit 3';
    const result = await exec({
      command: ['sh', '-c', script, 'sh', '$(id)\n-x'],
      user: '1234',
      workingDir: '/tmp',
      env: ['NAME=a b'],
      input: 'é\n',
    });
    const stdout = '/tmp\n1234\né\n';
    assert.deepEqual(result, { exitCode: 3, stdout, stderr: '$(id)\n-x a b\n', isWhole: true });
  });

  it('has no more than 1 MiB of each output, as text, and runs to its end nevertheless', async () => {
    const script =
      'head -c 1048575 /dev/zero | tr "\\0" a; printf "é"; printf "\\377b" >&2; exit 7';
    const result = await exec({ command: ['sh', '-c', script] });
    const stdout = 'a'.repeat(1048575);
    assert.deepEqual(result, { exitCode: 7, stdout, stderr: '\ufffdb', isWhole: false });
  });

  it('is ended after its time, or reported as running if that is not possible', async () => {
    const late = { command: ['sh', '-c', 'sleep 4331'], timeoutSeconds: 1 };
    await assert.rejects(exec(late), /sh did not exit within 1 s and was ended\.$/);
    const look = 'cat /proc/[0-9]*/cmdline | tr "\\0" " "';
    const left = (await runExec(site.connection, id, ['sh', '-c', look]))?.output ?? '';
    assert.match(left, /sleep 1000/);
    assert.doesNotMatch(left, /sleep 4331/);
    const own = await site.sleeper();
    await runExec(site.connection, own, ['sh', '-c', 'cp /bin/busybox /tail; rm /bin/sh']);
    const tail = { id: own, command: ['/tail', '-f', '/etc/passwd'], timeoutSeconds: 1 };
    await assert.rejects(exec(tail), /and could not be ended: it may still be running\.$/);
  });

  it('says what is missing, and that its container does not run', async () => {
    const command = ['true'];
    const rejected = async (argument: object, words: RegExp): Promise<void> => {
      await assert.rejects(exec(argument), words);
    };
    await rejected({ command: ['nosuch'] }, /: ops-[\d-]+ has no program "nosuch"\.$/);
    await rejected({ command, user: 'nosuch' }, /ops-[\d-]+ has no user or group "nosuch"\.$/);
    await rejected({ command, workingDir: '/nosuch' }, /ops-[\d-]+ has no folder \/nosuch\.$/);
    await rejected({ command: [] }, /"command" must be a list/);
    await rejected({ command, env: ['NAME'] }, /NAME=value/);
    await rejected({ command, timeoutSeconds: 0 }, /"timeoutSeconds" must be from 1/);
    await rejected({ command, id: await site.create(command) }, /is not running\. Start it/);
    await rejected({ command, id: 'f'.repeat(64) }, /no such container|no container with/i);
    const paused = await site.sleeper();
    await pauseContainer(site.connection, paused);
    await rejected({ command, id: paused }, /is paused\. Unpause it to run a command\.$/);
    await unpauseContainer(site.connection, paused);
  });

  it('says that its container stopped, if no exit code says it', async () => {
    const own = await site.sleeper();
    const end = exec({ id: own, command: ['sleep', '1000'] }).then(JSON.stringify, String);
    await until(async () => {
      const command = ['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'];
      const { output = '' } = (await runExec(site.connection, own, command)) ?? {};
      return output.split('sleep 1000').length > 2;
    }, 'it runs');
    await killContainer(site.connection, own);
    assert.match(await end, /"exitCode":137|stopped before sleep exited\.$/);
  });
});
