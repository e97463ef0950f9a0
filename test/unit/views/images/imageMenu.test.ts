import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

interface MenuEntry {
  readonly command?: string;
  readonly when?: string;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly contributes: { readonly menus: Readonly<Record<string, readonly MenuEntry[]>> };
};

/** Returns the commands in the context menu of a row, by its context value. */
function menuOf(contextValue: string): ReadonlySet<string> {
  const entries = contributes.menus['view/item/context'] ?? [];
  const shown = entries.filter(({ when = '' }) => {
    const [, pattern] =
      /view == gantry\.images && viewItem =~ \/(.*?)\/(?: && !listMultiSelection)?$/.exec(when) ??
      [];
    return pattern !== undefined && new RegExp(pattern).test(contextValue);
  });
  return new Set(shown.map(({ command = '' }) => command.replace(/^gantry\.(images\.)?/, '')));
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
