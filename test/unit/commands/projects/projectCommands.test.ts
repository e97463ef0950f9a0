import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';
import { ESCAPE, give, pick } from '../../support/scriptedUi.ts';
import { inProject } from '../../views/support/stage.ts';
import { openProjectLab, service, type ProjectLab } from './support/projectLab.ts';

describe('the commands on projects', () => {
  let lab: ProjectLab['lab'];
  let engine: ProjectLab['engine'];
  let row: ProjectLab['row'];
  let messages: ProjectLab['messages'];
  afterEach(() => lab.close());

  const open = async (...options: Parameters<typeof openProjectLab>): Promise<void> => {
    ({ lab, engine, row, messages } = await openProjectLab(...options));
  };

  it('list projects with their services, and whether these are up', async () => {
    const files = { 'com.docker.compose.project.config_files': '/a/compose.yaml' };
    await open([
      service('a', 'web', '', { state: 'running' }),
      container('b', { labels: { ...inProject('other', 'x'), ...files }, state: 'exited' }),
      container('c'),
    ]);
    assert.deepEqual(await lab.call('gantry.projects.list', {}), [
      {
        name: 'other',
        services: [{ name: 'x', containers: [idOf('b')], isUp: false }],
        files: ['/a/compose.yaml'],
      },
      {
        name: 'shop',
        services: [{ name: 'web', containers: [idOf('a')], isUp: true }],
        files: [],
      },
    ]);
  });

  it('return what became of each container, and show nothing to a caller', async () => {
    await open([service('a', 'web', 'db'), service('b', 'db'), service('c', 'job')]);
    engine.refuses.add('start db');
    const result = await lab.call('gantry.projects.start', { project: 'shop' });
    assert.deepEqual(result, {
      done: [{ kind: 'container', id: idOf('c'), name: 'job', outcome: 'started' }],
      failed: [
        {
          kind: 'container',
          id: idOf('b'),
          name: 'db',
          message: 'start db is not possible',
        },
        {
          kind: 'container',
          id: idOf('a'),
          name: 'web',
          message: 'It depends on db, which could not be started.',
        },
      ],
    });
    assert.deepEqual(lab.ui.shown, []);
  });

  it('refuse a project or service that does not exist, before anything is done', async () => {
    await open([service('a', 'web')]);
    const stop = (argument: object) => lab.call('gantry.projects.stop', argument);
    await assert.rejects(
      stop({ project: 'x' }),
      /^Error: The project x does not exist on this engine\.$/,
    );
    await assert.rejects(
      stop({ project: 'shop', service: 'db' }),
      /^Error: The project shop has no service db\.$/,
    );
    await assert.rejects(stop({}), /project/);
    await assert.rejects(stop({ project: 'shop', services: ['web'] }), /services/);
    assert.deepEqual(engine.asked, []);
  });

  it('remove the containers of a pod but the one that holds it, and leave the pod', async () => {
    const pod = [
      { Name: 'kube', InfraId: idOf('a'), Containers: [{ Id: idOf('a') }, { Id: idOf('b') }] },
    ];
    const members = ['infra', 'web'].map((name, at) =>
      container('ab'.charAt(at), { name, pod: { name: 'kube', isInfra: at === 0 } }),
    );
    await open(members, (own) => (request, response) => {
      if (request.path === '/libpod/pods/json') json(response, 200, pod);
      else return own.answer(request, response);
    });
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' });
      response.end('OK');
    });
    const removed = await lab.call('gantry.projects.remove', { project: 'kube' });
    assert.deepEqual(engine.asked, ['remove web']);
    assert.equal((removed as { done: readonly object[] }).done.length, 1);
    lab.ui.act(give(true));
    await lab.run('gantry.projects.remove', row('kube'));
    assert.deepEqual(engine.asked, ['remove web']);
    const down = lab.call('gantry.projects.down', { project: 'kube' });
    await assert.rejects(down, /kube is a pod\. Remove it with podman pod rm\./);
  });

  it('show one message for all containers that failed', async () => {
    await open([service('a', 'web', 'db'), service('b', 'db'), service('c', 'job')]);
    engine.refuses.add('start db');
    await lab.run('gantry.projects.start', row('shop'));
    assert.deepEqual(messages(), [
      [
        'error',
        'Could not start shop. 2 of 3 failed. db: start db is not possible · ' +
          'web: It depends on db, which could not be started.',
      ],
    ]);
  });

  it('show nothing after success, and report if nothing had to be done', async () => {
    await open([service('a', 'web', '', { state: 'exited' })]);
    await lab.run('gantry.projects.start', row('shop'));
    await lab.run('gantry.projects.stop', row('shop'));
    assert.deepEqual(messages(), []);
    await lab.run('gantry.projects.pause', row('shop'));
    assert.deepEqual(messages(), [['info', 'shop is not running.']]);
  });

  it('report what was done before the user canceled', async () => {
    await open([service('a', 'web', 'db:service_healthy:false'), service('b', 'db')]);
    engine.setHealth('db', 'starting');
    const running = lab.run('gantry.projects.start', row('shop'));
    const { activity } = lab.context;
    await when(() => activity.verbOf(idOf('a')) === 'waiting' && engine.asked.length === 1);
    await when(() => activity.verbOf(idOf('b')) === undefined);
    lab.ui.cancel();
    await running;
    assert.deepEqual(messages(), [['info', 'Canceled. Done: 1 of 2 (db).']]);
  });

  it('run on a service row, and ask for a project if there is no row', async () => {
    const replicas = [1, 2].map((number) =>
      container(number === 1 ? 'a' : 'b', {
        name: `web-${number}`,
        labels: inProject('shop', 'web', number),
      }),
    );
    await open([...replicas, service('c', 'db', '', { state: 'running' })]);
    await lab.run('gantry.projects.stop', row('shop', 'web'));
    assert.deepEqual(engine.asked.splice(0).sort(), ['stop web-1', 'stop web-2']);
    lab.ui.act(pick('shop'), ESCAPE);
    await lab.run('gantry.projects.kill');
    assert.equal(engine.asked.length, 3);
    assert.equal(await lab.run('gantry.projects.kill'), undefined);
    assert.equal(engine.asked.length, 3);
  });

  it('can be canceled while the projects to pick from are loaded', async () => {
    await open([service('a', 'web')]);
    lab.inventory.setPhase({ kind: 'connecting' });
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    assert.equal(await lab.run('gantry.projects.stop'), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [['progress', 'Loading projects']],
    );
  });

  it('ask before they run on containers that the filter hides, and not if it hides none', async () => {
    await open([
      service('a', 'web', '', { state: 'running' }),
      service('b', 'db', '', { state: 'running' }),
    ]);
    const context = { ...lab.context, now: Date.now };
    const filtered = (filter: string) => {
      const rows = new ContainerRows(ENGINE, context, undefined, { ...PLAIN, filter });
      return rows.roots[0] ?? assert.fail('no row');
    };
    await lab.run('gantry.projects.stop', filtered('!db'));
    assert.deepEqual(engine.asked, []);
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'gantry.projects.stop also for what the filter hides?');
    assert.equal(question.detail, 'Hidden: db');
    lab.ui.act(give('Continue'));
    await lab.run('gantry.projects.stop', filtered('!db'));
    assert.deepEqual(engine.asked.toSorted(), ['stop db', 'stop web']);
    await lab.run('gantry.projects.kill', filtered('shop'));
    assert.equal(lab.ui.of('confirm').length, 2);
  });

  it('run on the projects of several engines, each on its own', async () => {
    const blog = (letter: string) =>
      container(letter, { name: `blog-${letter}`, labels: inProject('blog', 'x', 1) });
    await open([service('a', 'web', '', { state: 'running' }), blog('b')]);
    const far = await openProjectLab([blog('c')]);
    lab.join('podman', far.lab);
    const gone = new ProjectNode('removed', 'blog');
    const rows = [row('shop'), new ProjectNode('podman', 'blog'), gone];
    await lab.run('gantry.projects.stop', ...rows);
    lab.ui.act(give('Remove'));
    await lab.run('gantry.projects.remove', ...rows);
    const { detail } = lab.ui.of('confirm')[0] ?? assert.fail();
    assert.match(detail ?? '', /blog-c/);
    assert.deepEqual(engine.asked, ['stop web', 'remove web']);
    assert.deepEqual(far.engine.asked, ['stop blog-c', 'remove blog-c']);
    assert.deepEqual(messages(), []);
  });

  it('report what became of the others if one of several projects is gone', async () => {
    await open([service('a', 'web', '', { state: 'running' })]);
    engine.holds.add('stop web');
    const rows = [row('shop'), new ProjectNode(ENGINE, 'gone')];
    const stopping = lab.run('gantry.projects.stop', ...rows);
    await when(() => engine.asked.length === 1);
    engine.release('stop web');
    const result = (await stopping) as { readonly done: readonly { readonly name: string }[] };
    assert.deepEqual(
      result.done.map(({ name }) => name),
      ['web'],
    );
    const why = 'gone: The project gone does not exist on this engine.';
    assert.deepEqual(messages(), [['error', `Could not stop 2 items. 1 of 2 failed. ${why}`]]);
  });

  it('remove the containers of the others if one of several projects is gone, and report it', async () => {
    await open([service('a', 'web')]);
    const gone = new ProjectNode(ENGINE, 'gone');
    lab.ui.act(give('Remove'));
    await lab.run('gantry.projects.remove', row('shop'), gone);
    assert.deepEqual(engine.asked, ['remove web']);
    const why = 'The project gone does not exist on this engine.';
    const words = 'Could not remove the containers of 2 items. 1 of 2 failed.';
    assert.deepEqual(messages(), [['error', `${words} gone: ${why}`]]);
    await lab.run('gantry.projects.remove', gone, new ProjectNode(ENGINE, 'gone too'));
    assert.match(messages()[1]?.[1] ?? '', /The project gone does not exist/);
    assert.equal(lab.ui.of('confirm').length, 1);
  });

  it('remove nothing, and ask nothing, if the containers of one of several projects are unknown', async () => {
    await open([service('a', 'web')]);
    const far = await openProjectLab([]);
    lab.join('podman', far.lab);
    const lost = new EngineError('timeout');
    Object.assign(far.lab.context.unit.engine, { connect: () => Promise.reject(lost) });
    await lab.run('gantry.projects.remove', row('shop'), new ProjectNode('podman', 'blog'));
    assert.equal(lab.ui.of('confirm').length, 0);
    assert.deepEqual(engine.asked, []);
    assert.match(
      messages().join(),
      /^error,Could not remove the project's containers\. .*not respond/,
    );
  });

  it('remove only the containers that the question named, and kill only those it announced', async () => {
    const up = service('a', 'web', '', { state: 'running' });
    const joined = service('d', 'joined');
    await open([up, service('b', 'db')]);
    lab.ui.act(() => {
      engine.add(joined);
      return 'Remove';
    });
    await lab.run('gantry.projects.remove', row('shop'));
    assert.deepEqual(engine.asked.sort(), ['remove db', 'remove web']);
    const forced = lab.engine.seen.filter(({ query }) => query.get('force') === '1');
    assert.deepEqual(
      forced.map(({ path }) => path),
      [`/containers/${up.id}`],
    );
    lab.ui.act(ESCAPE);
    await lab.run('gantry.projects.remove', row('shop'));
    assert.equal(engine.asked.length, 2);
  });

  it('ask nothing if the user cancels while the containers are listed', async () => {
    await open([service('a', 'web')], (own) => (request, response) => {
      if (request.path === '/containers/json') lab.ui.cancel();
      else return own.answer(request, response);
    });
    await lab.run('gantry.projects.remove', row('shop'));
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [['progress', 'Inspecting shop']],
    );
  });

  it('ask nothing if there is no container to remove', async () => {
    const labels = { ...inProject('shop', 'web'), 'com.docker.compose.oneoff': 'True' };
    await open([service('b', 'run', '', { labels })]);
    await lab.run('gantry.projects.remove', row('shop'));
    assert.deepEqual(lab.ui.of('confirm'), []);
    assert.deepEqual(messages(), [['info', 'There are no containers to remove.']]);
  });

  it('report that swarm replaces the containers of a stack, and do not take it down', async () => {
    const labels = {
      'com.docker.stack.namespace': 'shop',
      'com.docker.swarm.service.name': 'shop_web',
    };
    await open([container('a', { name: 'web', labels })]);
    await lab.run('gantry.projects.stop', row('shop'));
    const words = 'shop is a swarm stack. Swarm replaces its containers.';
    assert.deepEqual(messages(), [['info', words]]);
    await assert.rejects(lab.call('gantry.projects.down', { project: 'shop' }), /docker stack rm/);
  });
});
