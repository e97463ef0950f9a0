import assert from 'node:assert/strict';
import { checkNewerCommand } from '../../../../src/commands/registries/checkNewerCommand.ts';
import { pullAgainCommand } from '../../../../src/commands/registries/pullCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { IMAGE, openRegistryLab, type RegistryLab } from '../../support/registryLab.ts';

const NAME = 'registry.example.org/me/app:1';
const OLD = `sha256:${'1'.repeat(64)}`;
const NEW = `sha256:${'2'.repeat(64)}`;

describe('commands/checkNewerCommand', () => {
  let lab: RegistryLab;
  /** The digest of the image on the engine; undefined if it was built there. */
  let here: string | undefined;
  beforeEach(async () => {
    here = OLD;
    lab = await openRegistryLab(({ path }, response) => {
      if (path.startsWith('/distribution/'))
        json(response, 200, { Descriptor: { digest: NEW }, Platforms: [] });
      else if (path === '/images/create') {
        here = NEW;
        json(response, 200, { status: `Digest: ${NEW}` });
      } else json(response, 200, { Id: IMAGE, RepoTags: [NAME], RepoDigests: digests() });
    });
  });
  afterEach(() => lab.close());

  const digests = () => (here === undefined ? [] : [`registry.example.org/me/app@${here}`]);
  const row = () => imageRow(now());
  const now = () => image('a', { tags: [NAME], digests: digests() });
  const check = () => lab.run(checkNewerCommand(), row());
  const isNewer = () =>
    lab.context.window.newer.isNewer({ engine: lab.context.unit.id, reference: NAME }, now());

  it('reports that the registry has a newer image, until that is pulled', async () => {
    assert.deepEqual(await check(), { outcome: 'newer', digest: NEW });
    assert.equal(lab.ui.of('info').at(-1)?.text, `A newer ${NAME} is available.`);
    assert.equal(isNewer(), true);
    await lab.run(pullAgainCommand(), row());
    assert.equal(isNewer(), false);
    await check();
    assert.equal(lab.ui.of('info').at(-1)?.text, `${NAME} is up to date.`);
  });

  it('rejects an ID, which no registry knows, like Pull Again', async () => {
    for (const command of [checkNewerCommand(), pullAgainCommand()])
      await assert.rejects(lab.call(command, { id: IMAGE }), /This image has no tag/);
    assert.deepEqual(
      lab.engine.seen.filter(({ path }) => path !== `/images/${IMAGE}/json`),
      [],
    );
  });

  it('reports that an image that was built locally cannot be compared', async () => {
    here = undefined;
    assert.deepEqual(await check(), { outcome: 'notPulled', digest: NEW });
    assert.equal(
      lab.ui.of('info').at(-1)?.text,
      `${NAME} was not pulled from its registry. The registry has a different image.`,
    );
    assert.equal(isNewer(), false);
  });
});
