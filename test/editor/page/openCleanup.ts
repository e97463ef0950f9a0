import { cleanupStrings } from '../../../src/cleanup/cleanupStrings.ts';
import type { PageContent, PageItem, ToHost, ToPage } from '../../../src/cleanup/protocol.ts';
import { PageLab } from './pageLab.ts';

/** The clean-up page on its own, with a fake extension. */
export class CleanupLab extends PageLab<ToHost, ToPage> {
  constructor() {
    super('cleanup', { width: 300, height: 640 });
  }

  /** Loads the page, which has nothing kept, and shows the content. */
  async open(content: PageContent): Promise<void> {
    await this.begin();
    await this.load(content);
  }

  /** Loads the page again: it finds what it kept. */
  async load(content: PageContent): Promise<void> {
    await this.goTo();
    const strings = cleanupStrings();
    await this.tell({ type: 'init', strings, title: 'Clean Up', engine: 'default' });
    await this.tell({ type: 'content', content });
    await this.page.locator('.grid').waitFor({ state: 'attached' });
  }
}

/** Returns an item; its name is its key by default. */
export function item(key: string, fields: Partial<PageItem> = {}): PageItem {
  return {
    ...{
      key,
      seen: key,
      kind: 'images',
      name: key,
      tags: 0,
      size: 1000,
      atMost: undefined,
      age: '3 d',
    },
    ...{ ageGroup: 'week', project: '', worktree: '', note: 'unused', state: 'removable' },
    ...{ isSuggested: true, isExcluded: false, needs: [], ...fields },
  };
}

/** Returns content with these items. */
export function content(items: readonly PageItem[], rest: Partial<PageContent> = {}): PageContent {
  return {
    ...{ items, engine: '', hidden: 0, isLoading: false, isMeasuring: false, isRemoving: false },
    ...{ switches: 0, problem: '', isConnected: true },
    uses: [
      { kind: 'images', count: 4, size: 4_300_000_000, reclaimable: 1_200_000_000 },
      { kind: 'containers', count: 3, size: 120_000_000, reclaimable: 20_000 },
      { kind: 'volumes', count: 5, size: 250_000_000, reclaimable: 100_000_000 },
      { kind: 'buildCache', count: 4, size: 812_000_000, reclaimable: 812_000_000 },
    ],
    ...rest,
  };
}
