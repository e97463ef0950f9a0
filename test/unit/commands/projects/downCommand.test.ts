import assert from 'node:assert/strict';
import type { ProjectResult } from '../../../../src/commands/projects/projectOutcome.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';
import { ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { ENGINE } from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';
import type { ProjectEngine } from '../../support/projectEngine.ts';
import { check, ESCAPE, give } from '../../support/scriptedUi.ts';
import { inProject } from '../../views/support/stage.ts';
import { openProjectLab, service, type ProjectLab } from './support/projectLab.ts';

describe('the command to take a project down', () => {
  let lab: ProjectLab['lab'];
  let engine: ProjectLab['engine'];
  let row: ProjectLab['row'];
  let messages: ProjectLab['messages'];
  afterEach(() => lab.close());

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
    const answer =
      (own: ProjectEngine): Answer =>
      (request, response) => {
        const { method, path } = request;
        if (method === 'DELETE' && !path.startsWith('/containers/')) response.writeHead(204).end();
        else if (path === '/networks')
          json(response, 200, [
            { Id: idOf('5'), Name: 'shop_front', Labels: labels },
            { Id: idOf('6'), Name: 'shop_back', Labels: labels },
            { Id: idOf('7'), Name: 'bridge' },
          ]);
        else if (path === '/volumes/shop_data')
          json(response, 200, { Name: 'shop_data', Labels: labels, CreatedAt: createdAt });
        else if (path === '/volumes/shop_shared')
          json(response, 200, { Name: 'shop_shared', Labels: labels });
        else if (path === '/volumes')
          json(response, 200, {
            Volumes: [
              { Name: 'shop_data', Labels: labels, CreatedAt: createdAt },
              { Name: 'shop_shared', Labels: labels },
              { Name: 'data', Labels: {} },
            ],
          });
        else return own.answer(request, response);
      };
    const containers = [web, oneOff, last];
    ({ lab, engine, row, messages } = await openProjectLab(containers, answer));
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

  it('look at each volume once right before it is removed, and list them for the question only', async () => {
    await openShop({ ...other, networks: [], mounts: [] });
    await lab.call('gantry.projects.down', { project: 'shop', volumes: true });
    const looks = lab.engine.seen.flatMap(({ method, path }) =>
      path.startsWith('/volumes') ? [`${method} ${path}`] : [],
    );
    assert.deepEqual(looks, [
      'GET /volumes',
      ...['GET /volumes/shop_data', 'DELETE /volumes/shop_data'],
      ...['GET /volumes/shop_shared', 'DELETE /volumes/shop_shared'],
    ]);
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

  it('take down the projects of several engines, each after a question of its own', async () => {
    const blog = { ...other, labels: inProject('blog', 'x', 1) };
    await openShop(blog);
    const far = await openProjectLab([{ ...blog, ...{ name: 'far', networks: [], mounts: [] } }]);
    lab.join('podman', far.lab);
    const run = (project = 'shop') =>
      lab.run(
        'gantry.projects.down',
        new ProjectNode(ENGINE, project),
        new ProjectNode('podman', 'blog'),
      );
    const questions = () => lab.ui.of('confirm').map(({ text }) => text);
    lab.ui.act(ESCAPE);
    await run();
    assert.deepEqual([questions(), deleted(), far.engine.asked], [[], [], []]);
    lab.ui.act(check(), give('Take Down'), give('Take Down'));
    await run();
    assert.deepEqual(questions(), ['Take down shop?', 'Take down blog (podman)?']);
    assert.deepEqual(deleted(), [...containersOnly, `/networks/${idOf('5')}`]);
    assert.deepEqual(far.engine.asked, ['stop far', 'remove far']);
    assert.deepEqual(messages(), []);
    await run('gone');
    assert.deepEqual(messages(), [
      ['error', 'The project gone does not exist on this engine.'],
      ['error', 'The project blog does not exist on this engine.'],
    ]);
  });

  it('ask about no other engine after the user canceled a progress', async () => {
    await openShop();
    const blog = { ...other, labels: inProject('blog', 'x', 1), networks: [], mounts: [] };
    const far = await openProjectLab([blog]);
    lab.join('podman', far.lab);
    const run = () =>
      lab.run('gantry.projects.down', row('shop'), new ProjectNode('podman', 'blog'));
    engine.holds.add('stop run');
    lab.ui.act(check(), give('Take Down'));
    const takingDown = run();
    await when(() => engine.asked.includes('stop run'));
    lab.ui.cancel();
    await takingDown;
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    await run();
    assert.deepEqual(
      lab.ui.of('progress').map(({ text }) => text),
      ['Inspecting shop', 'Taking down shop', 'Inspecting shop'],
    );
    assert.deepEqual(far.engine.asked, []);
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

  for (const [end, message] of [
    ['cut', /^Could .*\. 1 of 4 failed\. run:1: /],
    ['canceled', /^Canceled\. Done: 3 of 4 \(run, web, web:1\)\.$/],
  ] as const) {
    it(`report the images that were removed before the removal of another one is ${end}`, async () => {
      const images = [web, oneOff].map((one) => ({
        Id: one.imageId,
        RepoTags: [`${one.name}:1`],
      }));
      const answer =
        (own: ProjectEngine): Answer =>
        (request, response) => {
          const image = images.find(({ Id }) => decodeURIComponent(request.path).includes(Id));
          if (request.path === '/images/json') json(response, 200, images);
          else if (!image) return own.answer(request, response);
          else if (request.method === 'GET') json(response, 200, image);
          else if (image !== images[1]) json(response, 200, []);
          else if (end === 'cut') response.destroy();
          else lab.ui.cancel();
        };
      ({ lab, engine, row, messages } = await openProjectLab([web, oneOff], answer));
      lab.ui.act(check('web:1', 'run:1'), give('Take Down'));
      const { done } = (await lab.run('gantry.projects.down', row('shop'))) as ProjectResult;
      assert.deepEqual(
        done.map((one) => one.name),
        ['run', 'web', 'web:1'],
      );
      assert.match(messages()[0]?.[1] ?? '', message);
    });
  }

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
