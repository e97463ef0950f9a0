import { detailsStrings } from '../../../src/details/detailsStrings.ts';
import type { DetailsContent, PageRow, ToHost, ToPage } from '../../../src/details/protocol.ts';
import { PageLab } from './pageLab.ts';

/** The details page on its own, with a fake extension. */
export class DetailsLab extends PageLab<ToHost, ToPage> {
  constructor() {
    super('details', { width: 400, height: 900 });
  }

  /** Loads a new page, and shows the content. */
  async open(content: DetailsContent, width = 400): Promise<void> {
    await this.begin();
    await this.page.setViewportSize({ width, height: 900 });
    await this.goTo();
    await this.show('a', content);
    await this.page.locator('section').first().waitFor({ state: 'attached' });
  }

  /** Shows an object by its ID. */
  async show(id: string, content: DetailsContent): Promise<void> {
    const kept = { engine: 'default', kind: 'container', id, isPinned: content.isPinned };
    await this.tell(
      { type: 'init', strings: detailsStrings(), kept },
      { type: 'content', content },
    );
  }
}

/** Returns a row; its key is its label. */
export function row(label: string, value: string, fields: Partial<PageRow> = {}): PageRow {
  return { key: label, label, value, ...fields };
}
