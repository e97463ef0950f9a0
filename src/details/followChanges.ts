import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { DetailsTarget } from '../commands/frame/detailsTarget.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';

/**
 * Calls back when an object, or what is known around it, may have changed: with true if the engine has to be asked
 * again. Lists that only a visible view needs are kept while the page is visible.
 */
export function followChanges(
  { kind, id }: DetailsTarget,
  { inventory }: Pick<CommandContext, 'inventory'>,
  page: Pick<PanelPage<unknown, never>, 'isVisible' | 'onDidChangeVisibility'>,
  onChange: (isChanged: boolean) => void,
): Disposable {
  const store = new DisposableStore();
  const list = kind === 'volume' || kind === 'network' ? inventory[`${kind}s`] : undefined;
  let wasLive = inventory.phase.kind === 'live';
  store.listen(inventory.onDidChange, (change) => {
    const isLive = inventory.phase.kind === 'live';
    // Another engine may be in use, or events were missed.
    const isBack = isLive && !wasLive;
    wasLive = isLive;
    const isChanged = change[`${kind}s`].has(id) || isBack;
    const isAround = kind !== 'container' && change.containers.size > 0;
    if (isChanged || isAround || change.phase) onChange(isChanged);
  });
  store.listen(inventory.onDidSeeEvent, (event) => {
    if (kind === 'container' && event.id === id && UNLISTED.has(event.action)) onChange(true);
  });
  store.listen(inventory.volumeSizes.onDidChange, (names) => {
    if (kind === 'volume' && names.has(id)) onChange(false);
  });
  let look: Disposable | undefined;
  const see = (): void => {
    look?.dispose();
    look = page.isVisible ? list?.look() : undefined;
  };
  store.listen(page.onDidChangeVisibility, see);
  see();
  store.add({ dispose: () => look?.dispose() });
  return store;
}

/** The events of what the list of containers does not have. */
const UNLISTED: ReadonlySet<string> = new Set(['health_status', 'update', 'oom']);
