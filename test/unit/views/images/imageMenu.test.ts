import assert from 'node:assert/strict';
import { manifest } from '../../support/manifest.ts';
import { isTrue } from '../../support/whenClause.ts';

/** Returns the commands in the context menu of a row and in its submenus, by its context value. */
function menuOf(viewItem: string): ReadonlySet<string> {
  const shownIn = (menu: string) =>
    (manifest.contributes.menus[menu] ?? []).filter(({ when }) =>
      isTrue(when, { view: 'gantry.images', viewItem }),
    );
  const shown = shownIn('view/item/context').flatMap((item) =>
    item.submenu === undefined ? [item] : shownIn(item.submenu),
  );
  return new Set(shown.map(({ command }) => command.replace(/^gantry\.(images\.)?/, '')));
}

describe('context menu of the Images view', () => {
  it('offers push and pull for an image with a tag', () => {
    const menu = menuOf('image.tagged');
    assert(menu.has('push') && menu.has('pullAgain'), [...menu].join());
    const other = menuOf('image.dangling');
    assert(other.has('inspect') && !other.has('push') && !other.has('pullAgain'));
  });

  it('offers the check for a newer image only if the engine supports it', () => {
    assert(menuOf('image.tagged.askable').has('checkNewer'));
    assert(menuOf('image.tagged.askable.newer').has('checkNewer'));
    assert(!menuOf('image.tagged').has('checkNewer'));
  });

  it('offers only retry and dismiss for a failed pull or push, and only cancel for a running pull', () => {
    for (const failed of ['pull.failed', 'push.failed'])
      assert.deepEqual(menuOf(failed), new Set(['pulls.retry', 'pulls.dismiss']));
    assert.deepEqual(menuOf('pull.running'), new Set(['pulls.cancel']));
  });
});
