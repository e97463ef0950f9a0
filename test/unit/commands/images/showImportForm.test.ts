import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/commandContext.ts';
import { showImportForm } from '../../../../src/commands/images/showImportForm.ts';
import type { Image } from '../../../../src/engine/model.ts';
import { ENTER, ESCAPE, give, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';

const [HOLDER, OTHER] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

describe('commands/showImportForm', () => {
  let ui: ScriptedUi;
  const images = new Map<string, Image>();
  const has = (id: string, ...tags: readonly string[]): void => {
    images.clear();
    images.set(id, { id, tags, digests: [], createdAt: '', size: 0 });
  };
  const importAs = (name: string, then: Answer) => {
    ui = new ScriptedUi(give(name), then);
    const context = { ui, inventory: { images } } as unknown as CommandContext;
    return showImportForm('/tmp/root.tar', context);
  };

  it('imports after a name and Enter, because the first row is active', async () => {
    images.clear();
    const answer = await importAs('me/app:1', ENTER);
    assert.deepEqual(answer, { repository: 'me/app:1', seen: { holder: undefined } });
    assert.equal(ui.shown[1]?.active?.label, 'Import');
    assert.equal(await importAs('me/app:1', ESCAPE), undefined);
  });

  it('remembers the image that the user was warned of, not the one that has the tag later', async () => {
    has(HOLDER, 'me/app:1');
    const answer = await importAs('me/app:1', (overview) => {
      assert.match(overview.active?.detail ?? '', /Moves the only tag from aaaaaaaaaaaa/);
      has(OTHER, 'me/app:1');
      return overview.active;
    });
    assert.deepEqual(answer?.seen, { holder: HOLDER });
  });
});
