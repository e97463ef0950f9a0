import assert from 'node:assert/strict';
import { downCommand } from '../../../../src/commands/projects/downCommand.ts';
import {
  listProjectsCommand,
  projectCommands,
} from '../../../../src/commands/projects/projectCommands.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/withTemporaryContainer.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';
import { ProjectEngine } from '../../support/projectEngine.ts';
import { check, ESCAPE, give, pick } from '../../support/scriptedUi.ts';
import { inProject } from '../../views/support/stage.ts';

function service(letter: string, name: string, depends = '', fields = {}): Container {
  const labels = { ...inProject('shop', name, 1), 'com.docker.compose.depends_on': depends };
  return container(letter, { name, labels, state: 'exited', ...fields });
}

describe('the commands on projects', () => {
  let lab: CommandLab;
  let engine: ProjectEngine;
  afterEach(() => lab.close());

  async function open(
    containers: readonly Container[],
    answer: Answer = (request, response) => engine.answer(request, response),
  ): Promise<void> {
    engine = new ProjectEngine(containers);
    lab = await openCommandLab(answer);
    const { ui } = lab;
    lab.registry.register({
      plain: [...projectCommands(ui), listProjectsCommand(ui), downCommand(ui)],
    });
    lab.list(containers);
  }

  /** Returns the row of a project, or of one of its services. */
  function row(project: string, title?: string): TreeNode {
    const context = { ...lab.context, l10n: lab.ui.l10n, now: Date.now };
    const rows = new ContainerRows(ENGINE, context, { hideStopped: false });
    const found = rows.roots.find((one) => one.present(context).label === project);
    const child = found?.children?.find((one) => one.present(context).label === title);
    return (title === undefined ? found : child) ?? assert.fail('no row');
  }

  const messages = () =>
    lab.ui.shown.flatMap(({ kind, text }) =>
      kind === 'info' || kind === 'error' ? [[kind, text]] : [],
    );

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
    await open(members, (request, response) => {
      if (request.path === '/libpod/pods/json') json(response, 200, pod);
      else void engine.answer(request, response);
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

  describe('to take a project down', () => {
    const labels = { 'com.docker.compose.project': 'shop' };
    const web = service('a', 'web', '', {
      imageId: `sha256:${idOf('1')}`,
      state: 'running',
      labels: inProject('shop', 'web', 1),
    });
    const oneOff = service('b', 'run', '', {
      state: 'running',
      labels: { ...inProject('shop', 'web'), 'com.docker.compose.oneoff': 'True' },
    });
    const other = container('c', {
      name: 'other',
      networks: [{ name: 'shop_back', networkId: idOf('6') }],
      mounts: [{ type: 'volume', volume: 'shop_shared', path: '/data', isReadOnly: false }],
    });
    const deleted = () =>
      lab.engine.seen.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : []));

    /** When the volumes were created. */
    let createdAt: string;

    async function openShop(last = other): Promise<void> {
      createdAt = '2026-01-01T00:00:00Z';
      await open([web, oneOff, last], (request, response) => {
        const { method, path } = request;
        if (method === 'DELETE' && !path.startsWith('/containers/')) response.writeHead(204).end();
        else if (path === '/networks')
          json(response, 200, [
            { Id: idOf('5'), Name: 'shop_front', Labels: labels },
            { Id: idOf('6'), Name: 'shop_back', Labels: labels },
            { Id: idOf('7'), Name: 'bridge' },
          ]);
        else if (path === '/volumes/shop_data')
          json(response, 200, { Name: 'shop_data', CreatedAt: createdAt });
        else if (path === '/volumes/shop_shared') json(response, 200, { Name: 'shop_shared' });
        else if (path === '/volumes')
          json(response, 200, {
            Volumes: [
              { Name: 'shop_data', Labels: labels, CreatedAt: createdAt },
              { Name: 'shop_shared', Labels: labels },
              { Name: 'data', Labels: {} },
            ],
          });
        else return engine.answer(request, response);
      });
    }

    const containersOnly = [`/containers/${oneOff.id}`, `/containers/${web.id}`];

    it('remove containers, one-off runs, and networks; volumes only if chosen', async () => {
      await openShop();
      const result = await lab.call('gantry.projects.down', { project: 'shop' });
      assert.deepEqual(deleted(), [...containersOnly, `/networks/${idOf('5')}`]);
      assert.deepEqual(engine.asked, ['stop run', 'remove run', 'stop web', 'remove web']);
      const network = { kind: 'network', id: idOf('6'), name: 'shop_back' };
      assert.deepEqual(result, {
        done: [
          { kind: 'container', id: oneOff.id, name: 'run', outcome: 'removed' },
          { kind: 'container', id: web.id, name: 'web', outcome: 'removed' },
          { kind: 'network', id: idOf('5'), name: 'shop_front', outcome: 'removed' },
        ],
        failed: [{ ...network, message: 'Used by container other.' }],
      });
    });

    it('ask nothing twice before a change', async () => {
      await openShop({ ...other, networks: [], mounts: [] });
      await lab.call('gantry.projects.down', { project: 'shop', volumes: true });
      let looks: string[] = [];
      for (const { method, path } of lab.engine.seen) {
        if (method === 'GET') looks.push(path);
        else looks = [];
        assert.deepEqual(looks, [...new Set(looks)]);
      }
      assert.equal(deleted().length, 6);
    });

    it('have the networks listed again', async () => {
      await openShop();
      let marks = 0;
      lab.inventory.networks.markStale = () => void marks++;
      await lab.call('gantry.projects.down', { project: 'shop' });
      assert.equal(marks, 1);
    });

    it('do not count a container of ours that reads a volume', async () => {
      await openShop({
        ...{ ...other, networks: [] },
        ...{ name: 'gantry-temporary-0123456789ab', state: 'created', command: 'gantry never' },
        labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' },
      });
      await lab.call('gantry.projects.down', { project: 'shop', volumes: true });
      assert.deepEqual(deleted(), [
        ...containersOnly,
        ...[`/networks/${idOf('5')}`, `/networks/${idOf('6')}`],
        ...['/volumes/shop_data', '/volumes/shop_shared'],
      ]);
    });

    it('show first what is removed and what stays', async () => {
      await openShop();
      lab.ui.act(check('shop_data'), give('Take Down'));
      await lab.run('gantry.projects.down', row('shop'));
      const [list] = lab.ui.of('pickMany');
      assert.deepEqual(
        list?.items?.map(({ label }) => label),
        ['shop_data'],
      );
      const [question] = lab.ui.of('confirm');
      assert.equal(question?.text, 'Take down shop?');
      assert.equal(
        question.detail,
        [
          'Running containers to stop: run, web.',
          'Data inside the containers is lost unless it is in a volume or bind mount.',
          'All files in these volumes are deleted: shop_data.',
          'Containers to remove: run, web.',
          'Networks to remove: shop_front.',
          'shop_back is kept: used by other.',
          'shop_shared is kept: used by other.',
        ].join('\n'),
      );
      assert.deepEqual(deleted(), [
        ...containersOnly,
        `/networks/${idOf('5')}`,
        '/volumes/shop_data',
      ]);
      assert.deepEqual(messages(), []);
    });

    it('take down several projects after one question, with what they share', async () => {
      const blog = { ...other, labels: inProject('blog', 'x', 1) };
      await openShop(blog);
      lab.ui.act(check('shop_data'), give('Take Down'));
      await lab.run('gantry.projects.down', row('shop'), row('blog'));
      const questions = lab.ui.of('confirm').map(({ text }) => text);
      assert.deepEqual(questions, ['Take down 2 projects?']);
      assert.deepEqual(deleted(), [
        ...[...containersOnly, `/containers/${blog.id}`],
        ...[`/networks/${idOf('5')}`, `/networks/${idOf('6')}`, '/volumes/shop_data'],
      ]);
      const offered = lab.ui.of('pickMany')[0]?.items?.map(({ label }) => label);
      assert.deepEqual(offered, ['shop_data', 'shop_shared']);
      assert.deepEqual(messages(), []);
    });

    it('remove nothing if the user cancels', async () => {
      await openShop();
      lab.ui.act(ESCAPE);
      await lab.run('gantry.projects.down', row('shop'));
      lab.ui.act(check(), ESCAPE);
      await lab.run('gantry.projects.down', row('shop'));
      assert.deepEqual([deleted(), engine.asked], [[], []]);
    });

    it('report what was done before the user canceled, and offer to go on', async () => {
      await openShop();
      engine.holds.add('stop web');
      lab.ui.act(check('shop_data'), give('Take Down'));
      const running = lab.run('gantry.projects.down', row('shop'));
      await when(() => engine.asked.includes('stop web'));
      lab.ui.cancel();
      await running;
      const [info] = lab.ui.of('info');
      assert.match(info?.text ?? '', /^Canceled\. Done: 1 of 4 \(run\)\.$/);
      assert.deepEqual(info?.buttons, ['Try Again...']);
      engine.release('stop web');
      lab.ui.act(check('shop_data'), give('Take Down'));
      await info.press?.('Try Again...');
      assert.deepEqual(deleted().slice(1), [
        ...[`/containers/${web.id}`, `/networks/${idOf('5')}`, '/volumes/shop_data'],
      ]);
    });

    it('keep what a container has begun to use while the question was open', async () => {
      await openShop();
      const late = container('d', {
        name: 'late',
        labels: inProject('shop', 'late', 1),
        networks: [{ name: 'shop_front', networkId: idOf('5') }],
      });
      lab.ui.act(check(), () => {
        engine.add(late);
        return 'Take Down';
      });
      await lab.run('gantry.projects.down', row('shop'));
      assert.deepEqual(deleted(), containersOnly);
      assert(!engine.asked.includes('stop late'));
      const words =
        'Could not take down shop completely. 1 of 3 failed. shop_front: Used by container late.';
      assert.deepEqual(messages(), [['error', words]]);
    });

    it('remove a volume whose age has changed because containers wrote to it', async () => {
      await openShop();
      lab.ui.act(check('shop_data'), () => {
        createdAt = '2026-01-02T00:00:00Z';
        return 'Take Down';
      });
      await lab.run('gantry.projects.down', row('shop'));
      assert.deepEqual(deleted().slice(-1), ['/volumes/shop_data']);
    });

    it('keep a volume that was created again while the question was open', async () => {
      await openShop();
      lab.engine.ping((_, response) => {
        response.writeHead(200, { 'api-version': '1.48', server: 'Docker/28.0.0 (linux)' });
        response.end('OK');
      });
      lab.ui.act(check('shop_data'), () => {
        createdAt = '2026-01-02T00:00:00Z';
        return 'Take Down';
      });
      await lab.run('gantry.projects.down', row('shop'));
      assert.deepEqual(deleted(), [...containersOnly, `/networks/${idOf('5')}`]);
    });

    it('report what is left if the connection is cut, and offer to try again', async () => {
      await openShop();
      lab.ui.act(check(), () => {
        engine.cuts.add('remove web');
        return 'Take Down';
      });
      await lab.run('gantry.projects.down', row('shop'));
      const [error] = lab.ui.of('error');
      assert.match(
        error?.text ?? '',
        /^Could not take down shop completely\. \d of 3 failed\. web: /,
      );
      assert.deepEqual(error?.buttons, ['Try Again...']);
      lab.ui.act(ESCAPE);
      await error.press?.('Try Again...');
      assert.equal(lab.ui.of('pickMany').length, 2);
    });
  });
});
