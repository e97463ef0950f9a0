import assert from 'node:assert/strict';
import { run } from '../kit/commands.ts';
import { isThere } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';

describe('projects', () => {
  const lab = useLab('projects');

  it('are listed with their services, started, stopped, and taken down', async () => {
    const project = lab.name('shop');
    const member = (service: string): Promise<string> =>
      lab.container(['sleep', '1000'], service, {
        Labels: {
          'com.docker.compose.project': project,
          'com.docker.compose.service': service,
          'com.docker.compose.config-hash': 'hash',
          'com.docker.compose.container-number': '1',
          'com.docker.compose.oneoff': 'False',
        },
      });
    const ids = [await member('web'), await member('db')];
    const services = async (): Promise<unknown> =>
      (await run('projects.list', {}))
        .find(({ name }) => name === project)
        ?.services.map(({ name, isUp }) => [name, isUp])
        .sort();
    assert.deepEqual(await services(), [
      ['db', false],
      ['web', false],
    ]);
    const outcomes = async (command: 'start' | 'stop' | 'down'): Promise<readonly string[]> => {
      const { done, failed } = await run(`projects.${command}`, { project });
      assert.deepEqual(failed, []);
      return done.map(({ outcome }) => outcome);
    };
    assert.deepEqual(await outcomes('start'), ['started', 'started']);
    assert.deepEqual(await services(), [
      ['db', true],
      ['web', true],
    ]);
    assert.deepEqual(await outcomes('stop'), ['stopped', 'stopped']);
    for (const id of ids) assert.equal(await stateOf(id), 'exited');
    assert.deepEqual(await outcomes('down'), ['removed', 'removed']);
    for (const id of ids) assert.equal(await isThere(id), false);
  });
});
