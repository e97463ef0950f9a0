import * as l10n from '@vscode/l10n';
import type { CommandId } from '../commands/ui/ui.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { LoadedDetails } from '../commands/details/loadDetails.ts';
import { withErrorMessage } from '../commands/ui/withErrorMessage.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import type { ToPage } from './protocol.ts';
import type { RowAct, SourceRow } from './sections/sourceRow.ts';

/** More characters than somebody reads of one secret. */
const LONGEST_VALUE = 64 * 1024;

/** Does what the page asks for on one row: copy, show a secret, follow a link. */
export class RowActions {
  readonly #context: CommandContext;
  readonly #page: Pick<PanelPage<unknown, ToPage>, 'post'>;
  readonly #run: (id: CommandId, argument: object) => Promise<unknown>;
  #rows: ReadonlyMap<string, SourceRow> = new Map();

  constructor(
    context: CommandContext,
    page: Pick<PanelPage<unknown, ToPage>, 'post'>,
    { run }: { readonly run: (id: CommandId, argument: object) => Promise<unknown> },
  ) {
    this.#context = context;
    this.#page = page;
    this.#run = run;
  }

  /** Sets the rows that the page shows. */
  offer(rows: ReadonlyMap<string, SourceRow>): void {
    this.#rows = rows;
  }

  /** Handles a message about a row that is shown. Others are ignored. */
  async handle(type: string, key: string, loaded: LoadedDetails | undefined): Promise<void> {
    const row = this.#rows.get(key);
    if (!row) return;
    const { hiddenKey, copied = row.value, act } = row;
    const hidden = hiddenKey === undefined ? undefined : loaded?.hidden.reveal(hiddenKey);
    if (type === 'reveal' && hidden !== undefined)
      this.#page.post({ type: 'revealed', key, value: hidden.slice(0, LONGEST_VALUE) });
    await withErrorMessage(undefined, this.#context, async () => {
      if (type === 'copy') await this.#context.ui.copy(hidden ?? copied);
      if (type === 'follow' && act) await this.#follow(act, row.value);
    });
  }

  async #follow(act: RowAct, value: string): Promise<void> {
    const context = this.#context;
    await withErrorMessage(l10n.t('Could not open {0}', value), context, () => {
      switch (act.kind) {
        case 'details':
          return context.openDetails(act.target);
        case 'logs':
          return context.openViewer({ ids: [act.owner.id] }, [act.owner.name], act.at);
        case 'command':
          return this.#run(act.id, act.argument);
      }
    });
  }
}
