import assert from 'node:assert/strict';
import { pullProjectCommand } from '../../../../src/commands/projects/pullProjectCommand.ts';
import { ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { ENGINE } from '../../support/commandLab.ts';
import type { Answer } from '../../support/fakeEngine.ts';
import { json } from '../../support/fakeEngine.ts';
import { IMAGE, openRegistryLab, pullsAny, type RegistryLab } from '../../support/registryLab.ts';
import { podmanPing } from '../../support/projectEngine.ts';
import { give } from '../../support/scriptedUi.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { inProject } from '../../views/support/stage.ts';

const DB = 'registry.example.org/db:1';
const WEB = 'registry.example.org/web:1';
const LOCAL = 'localhost/shop-built:latest';

/** Three containers of two images, one of which is listed by its ID because its tag has moved. */
const CONTAINERS = [
  { Id: idOf('1'), Names: ['/db-1'], Image: DB, Labels: inProject('shop', 'db', 1) },
  { Id: idOf('2'), Names: ['/db-2'], Image: DB, Labels: inProject('shop', 'db', 2) },
  { Id: idOf('3'), Names: ['/web'], Image: IMAGE, Labels: inProject('shop', 'web') },
];
const BUILT = { Id: idOf('4'), Names: ['/own'], Image: LOCAL, Labels: inProject('shop', 'own') };

const POD = {
  ...{ Name: 'kube', InfraId: BUILT.Id },
  Containers: [{ Id: BUILT.Id }, { Id: idOf('1') }],
};

describe('the command that pulls the images of a project', () => {
  let lab: RegistryLab;
  let listed: readonly object[];
  beforeEach(async () => {
    listed = CONTAINERS;
    lab = await openRegistryLab(answer);
  });
  afterEach(() => lab.close());

  const answer: Answer = (request, response) => {
    const { path, query } = request;
    if (path === '/containers/json') json(response, 200, listed);
    else if (path === '/libpod/pods/json') json(response, 200, [POD]);
    else if (path.startsWith('/containers/'))
      json(response, 200, { Id: idOf('3'), Config: { Image: WEB } });
    else if (query.get('fromImage') === 'localhost/shop-built')
      json(response, 404, { message: 'manifest unknown' });
    else return pullsAny(request, response);
  };

  const image = (name: string) => ({ kind: 'image', id: IMAGE, name, outcome: 'pulled' });
  const pulled = (on = lab) =>
    on.asked('/images/create').map(({ query }) => `${query.get('fromImage')}:${query.get('tag')}`);

  it('pulls each image once, under the name that the container was created with', async () => {
    const result = await lab.call(pullProjectCommand(), { project: 'shop' });
    assert.deepEqual(result, { done: [image(DB), image(WEB)], failed: [] });
    assert.deepEqual(pulled().sort(), [DB, WEB]);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('pulls only the image of a service', async () => {
    const argument = { project: 'shop', service: 'web' };
    const result = await lab.call(pullProjectCommand(), argument);
    assert.deepEqual(result, { done: [image(WEB)], failed: [] });
  });

  it('pulls the images of projects of several engines, each on its own', async () => {
    const far = await openRegistryLab(answer);
    lab.join('podman', far);
    const rows = [new ProjectNode(ENGINE, 'shop'), new ProjectNode('podman', 'shop')];
    await lab.run(pullProjectCommand(), ...rows);
    assert.deepEqual(
      [pulled().sort(), pulled(far).sort()],
      [
        [DB, WEB],
        [DB, WEB],
      ],
    );
  });

  it('does not pull the image of the container that holds a pod together', async () => {
    const Image = 'localhost/podman-pause:5.8.6';
    listed = [
      { ...BUILT, Image, Labels: {} },
      { ...CONTAINERS[0], Labels: {} },
    ];
    lab.engine.ping(podmanPing);
    const result = await lab.call(pullProjectCommand(), { project: 'kube' });
    assert.deepEqual(result, { done: [image(DB)], failed: [] });
  });

  it('shows in one message which images could not be pulled', async () => {
    listed = [...CONTAINERS, BUILT];
    lab.ui.act(({ items }) => items?.[0], give(undefined));
    lab.list([]);
    lab.inventory.setPhase({ kind: 'connecting' });
    const result = await lab.run(pullProjectCommand());
    assert.deepEqual((result as { done: unknown }).done, [image(DB), image(WEB)]);
    const [error] = lab.ui.of('error');
    assert.equal(
      error?.text,
      `Could not pull all images of shop. 1 of 3 failed. ${LOCAL}: shop-built:latest not found in localhost. Check the name and the tag.`,
    );
  });
});
