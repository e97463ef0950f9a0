import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/context.ts';
import type * as importForm from '../../../../src/commands/images/showImportForm.ts';
import type { Image } from '../../../../src/engine/model.ts';
import { act, ENTER, ESCAPE, give, shown, type Answer } from '../../support/fakeEditor.ts';

const [HOLDER, OTHER] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

describe('commands/importForm', () => {
  let askImport: typeof importForm.showImportForm;
  before(async () => {
    ({ showImportForm: askImport } =
      await import('../../../../src/commands/images/showImportForm.ts'));
  });

  const images = new Map<string, Image>();
  const context = { inventory: { images } } as unknown as CommandContext;
  const has = (id: string, ...tags: readonly string[]): void => {
    images.clear();
    images.set(id, { id, tags, digests: [], createdAt: '', size: 0 });
  };
  const importAs = (name: string, then: Answer) => {
    act(give(name), then);
    return askImport('/tmp/root.tar', context);
  };

  it('imports by a name and Enter: the first row has the focus', async () => {
    images.clear();
    const answer = await importAs('me/app:1', ENTER);
    assert.deepEqual(answer, { repository: 'me/app:1', seen: { holder: undefined } });
    assert.equal(shown()[1]?.active?.label, 'Import');
    assert.equal(await importAs('me/app:1', ESCAPE), undefined);
  });

  it('keeps in mind which image the user was warned of, and not which has the tag later', async () => {
    has(HOLDER, 'me/app:1');
    const answer = await importAs('me/app:1', (overview) => {
      assert.match(overview.active?.detail ?? '', /Moves the tag from aaaaaaaaaaaa/);
      has(OTHER, 'me/app:1');
      return overview.active;
    });
    assert.deepEqual(answer?.seen, { holder: HOLDER });
  });
});
