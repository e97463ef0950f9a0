import assert from 'node:assert/strict';
import { commands } from '../../../../src/commands/containers/commands.ts';
import type { CommandDependencies } from '../../../../src/commands/frame/commandDependencies.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('the commands that list and inspect', () => {
  const web = container('a', { name: 'web' });
  const app = image('b', { tags: ['me/app:1'] });
  const details = { Id: web.id, Name: '/web', Any: { thing: [1] } };
  let lab: CommandLab;
  beforeEach(async () => {
    lab = await openCommandLab(({ path }, response) => {
      if (path === '/containers/json') json(response, 200, [{ Id: web.id, Names: ['/web'] }]);
      else if (path === '/images/json')
        json(response, 200, [{ Id: app.id, RepoTags: app.tags }, { Id: image('c').id }]);
      else json(response, 200, details);
    });
    lab.register(commands({ ui: lab.ui } as unknown as CommandDependencies));
    // What the views show is not what the engine has.
    lab.list([container('d'), container('e')], []);
  });
  afterEach(() => lab.close());

  const asked = (): readonly string[] => lab.engine.seen.map(({ path }) => path);

  it('ask the engine with one request for each call', async () => {
    for (let calls = 1; calls <= 2; calls++) {
      const listed = (await lab.call('gantry.containers.list', {})) as readonly (typeof web)[];
      assert.deepEqual(
        listed.map(({ id, name }) => [id, name]),
        [[web.id, 'web']],
      );
      assert.equal(asked().length, calls);
    }
    const images = (await lab.call('gantry.images.list', { all: true })) as readonly (typeof app)[];
    assert.deepEqual(
      images.map(({ id, tags }) => [id, tags]),
      [
        [app.id, app.tags],
        [image('c').id, []],
      ],
    );
    assert.equal(lab.engine.seen[0]?.query.get('all'), null);
    assert.equal(lab.engine.seen.at(-1)?.query.get('all'), '1');
  });

  it('return the complete response for an inspect, and show nothing to a caller', async () => {
    assert.deepEqual(await lab.call('gantry.containers.inspect', { id: web.id }), details);
    assert.deepEqual(await lab.call('gantry.images.inspect', { id: 'me/app:1' }), details);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('reject an invalid argument before any request', async () => {
    for (const noun of ['containers', 'images']) {
      const call = (argument: object) => lab.call(`gantry.${noun}.list`, argument);
      await assert.rejects(call({ all: 'yes' }), /"all" must be true or false/);
      await assert.rejects(call({ running: true }), /unknown property "running"/);
    }
    assert.deepEqual(asked(), []);
  });
});
