import assert from 'node:assert/strict';
import { pullAgainCommand, pullCommand } from '../../../../src/commands/registries/pullCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow } from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { IMAGE, openRegistryLab, pullsAny, type RegistryLab } from '../../support/registryLab.ts';
import { ESCAPE, type } from '../../support/scriptedUi.ts';

const NAME = 'registry.example.org/me/app:1';

const findsNothing: Answer = (request, response) => {
  if (request.path !== '/images/create') return pullsAny(request, response);
  json(response, 404, { message: 'manifest for app:nope not found: manifest unknown' });
};

describe('commands/pullCommand', () => {
  let lab: RegistryLab;
  beforeEach(async () => (lab = await openRegistryLab()));
  afterEach(() => lab.close());

  it('reports that the registry has no such image, and opens the form with the typed text', async () => {
    lab.engine.answer(findsNothing);
    lab.ui.act(type('registry.example.org/me/app:nope'));
    assert.equal(await lab.run(pullCommand()), undefined);
    const [error] = lab.ui.of('error');
    assert.equal(
      error?.text,
      'me/app:nope not found in registry.example.org. Check the name and the tag.',
    );
    assert.deepEqual(error.buttons, ['Edit...']);
    lab.engine.answer(pullsAny);
    let before: string | undefined;
    lab.ui.act((shown) => {
      before = shown.pick?.value;
      return type(NAME)(shown);
    });
    assert.deepEqual(await error.press?.('Edit...'), { imageId: IMAGE });
    assert.equal(before, 'registry.example.org/me/app:nope');
    assert.deepEqual(lab.revealed, [NAME]);
  });

  it('names an image missing on Docker Hub as the user wrote it', async () => {
    lab.engine.answer(findsNothing);
    const pull = (reference: string) => lab.call(pullCommand(), { reference });
    await assert.rejects(pull('app:nope'), {
      message: 'app:nope not found in docker.io. Check the name and the tag.',
    });
    const digest = `sha256:${'b'.repeat(64)}`;
    await assert.rejects(pull(`me/app@${digest}`), {
      message: `me/app@${digest} not found in docker.io. Check the name and the digest.`,
    });
    await assert.rejects(
      pull('other.example.org/library/app'),
      /library\/app:latest not found in other\.example\.org/,
    );
  });

  it('pulls the tag of a row again without asking', async () => {
    const row = imageRow(image('a', { tags: [NAME] }));
    assert.deepEqual(await lab.run(pullAgainCommand(), row), { imageId: IMAGE });
    const [request] = lab.asked('/images/create');
    assert.deepEqual(
      [request?.query.get('fromImage'), request?.query.get('tag')],
      ['registry.example.org/me/app', '1'],
    );
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress'],
    );
  });

  it('sends and shows nothing if the user cancels', async () => {
    lab.ui.act(ESCAPE);
    assert.equal(await lab.run(pullCommand()), undefined);
    assert.deepEqual(lab.engine.seen, []);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['pick'],
    );
  });
});
