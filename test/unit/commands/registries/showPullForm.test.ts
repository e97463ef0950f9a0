import assert from 'node:assert/strict';
import { pullCommand } from '../../../../src/commands/registries/pullCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { IMAGE, openRegistryLab, type RegistryLab } from '../../support/registryLab.ts';
import { pick, type, type Answer } from '../../support/scriptedUi.ts';

/** Types a text, and clicks the button in the title bar. */
const choosePlatform =
  (text: string): Answer =>
  ({ pick: question }) => {
    question?.onType?.(text);
    return question?.titleButton?.item;
  };

describe('the pull form', () => {
  let lab: RegistryLab;
  beforeEach(async () => (lab = await openRegistryLab()));
  afterEach(() => lab.close());

  const pull = (...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    return lab.run(pullCommand());
  };

  it('shows what the typed text means, or what is wrong with it', async () => {
    await pull();
    const [shown] = lab.ui.of('pick');
    assert.equal(shown?.text, 'Pull Image');
    const row = (text: string) => {
      const { label, description, isDisabled } = shown.pick?.typedItem?.(text) ?? {};
      return { label, description, isDisabled };
    };
    assert.deepEqual(row('nginx'), {
      ...{ label: 'nginx', description: 'pull docker.io/library/nginx:latest' },
      isDisabled: undefined,
    });
    assert.equal(row('ghcr.io/me/app:1').description, 'pull');
    const wrong = row('nginx:1:2');
    assert.match(wrong.label ?? '', /is not an image name/);
    assert.equal(wrong.isDisabled, true);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('pulls for the picked platform, and keeps the typed text', async () => {
    let typed: string | undefined;
    const pulled = await pull(choosePlatform('ghcr.io/me/app:1'), pick('linux/amd64'), (shown) => {
      typed = shown.pick?.value;
      return type(typed ?? '')(shown);
    });
    assert.deepEqual(pulled, { imageId: IMAGE });
    const titles = lab.ui.of('pick').map(({ text }) => text);
    assert.deepEqual(titles, ['Pull Image', 'Pull Image: Platform', 'Pull Image for linux/amd64']);
    assert.equal(typed, 'ghcr.io/me/app:1');
    const [request] = lab.asked('/images/create');
    assert.equal(request?.query.get('platform'), 'linux/amd64');
    assert.deepEqual(lab.revealed, ['ghcr.io/me/app:1']);
  });

  it('offers recently pulled images, then local ones', async () => {
    lab.list([], [image('a', { tags: ['docker.io/me/here:1'] })]);
    await pull(type('me/lately:1'));
    await pull();
    const rows = lab.ui
      .of('pick')
      .at(-1)
      ?.items?.map(({ heading, label }) => [heading, label]);
    assert.deepEqual(rows, [
      ['pulled recently', 'me/lately:1'],
      ['local, pull again', 'docker.io/me/here:1'],
    ]);
  });
});
