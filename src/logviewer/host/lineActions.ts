import * as l10n from '@vscode/l10n';
import type { ViewerServices } from './viewerServices.ts';
import type { ToHost } from '../protocol.ts';
import type { ViewerContext } from './viewerContent.ts';

type Message<Type extends ToHost['type']> = Extract<ToHost, { readonly type: Type }>;

/** Actions on lines: follow a link, copy, save, and go to a time. */
export class LineActions {
  readonly #context: ViewerContext;
  readonly #services: ViewerServices;

  constructor(context: ViewerContext, services: ViewerServices) {
    this.#context = context;
    this.#services = services;
  }

  /** Opens a link of a line, by its index in the row. Does nothing if the link no longer exists. */
  async openLink({ id, index }: Message<'openLink'>): Promise<void> {
    const { store, actions, content } = this.#context;
    const { maker, sources } = this.#services;
    const [line] = store.read(id, id + 1);
    const link = line && maker.links(line)[index];
    if (link?.kind === 'url') await actions.openUrl(link.url);
    if (link?.kind !== 'source') return;
    const location = sources.get(content.members.idOf(line?.member ?? -1) ?? '', link.reference);
    if (location) await actions.openSource(location);
  }

  /** Shows a message that older lines were not read, how far back the log is read, and which setting helps. */
  async showLimit(): Promise<void> {
    const { actions } = this.#context;
    const moment = this.#services.horizon();
    const what = moment
      ? l10n.t(
          'The memory limit is reached. Lines before {0} are neither shown nor searched.',
          moment,
        )
      : l10n.t('The memory limit is reached. Older lines are neither shown nor searched.');
    const help = l10n.t('A higher limit applies to log viewers that you open afterwards.');
    await actions.showWithSetting(`${what} ${help}`, 'gantry.logs.memory');
  }

  /** Copies the selection, if any of it is shown, or posts a notice if it is too large. */
  async copy(copy: Message<'copy'>): Promise<void> {
    const { actions, post } = this.#context;
    const text = this.#services.text.copied(copy);
    if (text) await actions.copy(text);
    else if (text === undefined) {
      const problem = l10n.t('Too much text for the clipboard. Save it to a file instead.');
      post({ type: 'notice', text: problem });
    }
  }

  async run(name: Exclude<Message<'command'>['name'], 'clear'>): Promise<void> {
    const { actions } = this.#context;
    const { text, jump } = this.#services;
    switch (name) {
      case 'save':
      case 'saveMatches':
        await actions.save(text.source(name === 'save'));
        return;
      case 'openDocument':
        await actions.openDocument(text.document());
        return;
      case 'jump': {
        const words = await actions.askMoment((given) => jump.check(given));
        if (words !== undefined) await jump.to(words);
      }
    }
  }
}
