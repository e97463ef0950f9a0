import type { ViewerServices } from '../session/viewerServices.ts';
import type { ToHost } from '../protocol.ts';
import type { EditorActions, SessionContext } from '../session/sessionContext.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import type { ViewerContent } from '../session/viewerContent.ts';

type Message<Type extends ToHost['type']> = Extract<ToHost, { readonly type: Type }>;

/** What a person does with lines besides looking at them: following links, copying, saving, going to a time. */
export class LineActions {
  readonly #parts: LineActionsDependencies;

  constructor(parts: LineActionsDependencies) {
    this.#parts = parts;
  }

  /** Opens what a link of a line leads to, as its row numbers it; nothing where there is no such link any more. */
  async openLink({ id, index }: Message<'openLink'>): Promise<void> {
    const { store, actions, content, services } = this.#parts;
    const [line] = store.read(id, id + 1);
    const link = line && services.maker.links(line)[index];
    if (link?.kind === 'url') await actions.openUrl(link.url);
    if (link?.kind !== 'place') return;
    const place = services.places.get(content.members.idOf(line?.member ?? -1) ?? '', link.place);
    if (place) await actions.openSource(place);
  }

  /** Says that older lines were not read, how far back it is read, and what helps. */
  async tellLimit(): Promise<void> {
    const { l10n, actions, services } = this.#parts;
    const moment = services.horizon();
    const what = moment
      ? l10n.t(
          'There is no room for lines from before {0}: they are neither shown nor searched.',
          moment,
        )
      : l10n.t('There is no room for older lines: they are neither shown nor searched.');
    const help = l10n.t('With more memory there is, in log viewers that are opened then.');
    await actions.tellOfSetting(`${what} ${help}`, 'gantry.logs.memory');
  }

  /** Copies what is selected, unless it is too much. */
  async copy(copy: Message<'copy'>): Promise<void> {
    const { l10n, actions, services, tell } = this.#parts;
    const text = services.text.copied(copy);
    if (text === undefined) {
      tell(l10n.t('This is too much for the clipboard. Save it to a file instead.'));
    } else await actions.copy(text);
  }

  /** Does what one of the toolbar's buttons stands for. */
  async run(name: Exclude<Message<'command'>['name'], 'clear'>): Promise<void> {
    const { actions, services } = this.#parts;
    switch (name) {
      case 'save':
      case 'saveMatches':
        await actions.save(services.text.source(name === 'save'));
        return;
      case 'openDocument':
        await actions.openDocument(services.text.document());
        return;
      case 'jump': {
        const words = await actions.askMoment((given) => services.jump.check(given));
        if (words !== undefined) await services.jump.to(words);
      }
    }
  }
}

/** What is done with lines stands on this. */
export interface LineActionsDependencies extends Pick<SessionContext, 'l10n'> {
  readonly store: LineStore;
  readonly content: ViewerContent;
  readonly services: Pick<ViewerServices, 'maker' | 'places' | 'text' | 'jump' | 'horizon'>;
  readonly actions: EditorActions;
  /** Tells the person one sentence. */
  readonly tell: (text: string) => void;
}
