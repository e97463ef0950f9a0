import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../frame/commandContext.ts';
import { runComposeForUser } from '../projects/composeCommands.ts';
import type { ComposeArguments } from '../projects/findRequest.ts';
import type { Ui } from '../ui/ui.ts';
import { findChanges, type UpChanges } from './findChanges.ts';

/** The preview of Up that is shown in its view, and what the view can do with it. */
export class UpPreviews {
  #shown: Preview | undefined;

  get shown(): Preview | undefined {
    return this.#shown;
  }

  /**
   * Finds what Up would change, and shows it in place of the last preview.
   *
   * @param up does it; by default runs Compose.
   */
  async show(
    chosen: ComposeArguments,
    context: CommandContext,
    up: Preview['up'] = () => runComposeForUser('up', chosen, context),
  ): Promise<UpChanges> {
    const { ui } = context;
    const refresh = async (): Promise<UpChanges> => {
      const found = await ui.progress(l10n.t('Previewing Up'), 'late', (signal) =>
        findChanges(chosen, context, signal),
      );
      const { project, files = [], services = [] } = chosen;
      const name = [found.project ?? project ?? files[0] ?? '', ...services].join(' ');
      this.#shown = { refresh, up };
      const { changes, differences = [] } = found;
      await ui.showUpChanges({ name, changes, differences });
      return found;
    };
    return refresh();
  }

  async close(ui: Ui): Promise<void> {
    this.#shown = undefined;
    await ui.showUpChanges(undefined);
  }
}

/** A preview of Up that is shown. */
interface Preview {
  /** Does it. */
  readonly up: () => Promise<unknown>;
  /** Finds the changes again, and shows them. */
  readonly refresh: () => Promise<unknown>;
}
