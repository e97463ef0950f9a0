import assert from 'node:assert/strict';
import { findShellOwner, shellServiceOf } from '../../src/commands/containers/findShellOwner.ts';
import { removeContainer, stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { Site } from './support.ts';

describe('the container that has replaced another one, on a real engine', () => {
  const site = new Site();
  after(() => site.leave());

  const COMPOSE = 'com.docker.compose';
  /** Runs a container of a service, whose project has this folder. */
  function replica(number: number, folder = '/srv/shop'): Promise<string> {
    const Labels = {
      [`${COMPOSE}.project`]: 'shop',
      [`${COMPOSE}.service`]: 'web',
      [`${COMPOSE}.container-number`]: `${number}`,
      [`${COMPOSE}.config-hash`]: 'f00',
      [`${COMPOSE}.project.working_dir`]: folder,
    };
    return site.sleeper({ body: { Labels } });
  }

  it('is found by its service, its number and the folder of its project', async () => {
    const { connection } = site;
    const { url } = connection.endpoint;
    const old = await replica(2);
    const was = shellServiceOf(await inspectContainer(connection, old), url) ?? assert.fail();
    const find = () => findShellOwner(connection, old, was);
    await replica(2, '/srv/other');
    const first = await replica(1);
    assert.deepEqual([(await find()).id, (await find()).isReplacement], [old, false]);
    // It may start again.
    await stopContainer(connection, old);
    assert.equal((await find()).id, old);
    const second = await replica(2);
    assert.deepEqual([(await find()).id, (await find()).isReplacement], [second, true]);
    await removeContainer(connection, old, { force: true });
    assert.equal((await find()).id, second);
    await removeContainer(connection, second, { force: true });
    assert.equal((await find()).id, first);
    await stopContainer(connection, first);
    await assert.rejects(find(), {
      message: 'The service web of the project shop has no running container.',
    });
    const elsewhere = { ...was, host: 'tcp://other:2375' };
    await assert.rejects(findShellOwner(connection, old, elsewhere), { reason: 'engineReplaced' });
    await assert.rejects(findShellOwner(connection, old, undefined), { reason: 'notFound' });
  });
});
