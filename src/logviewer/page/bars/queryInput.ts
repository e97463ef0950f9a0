import type { ViewerQuery } from '../../protocol.ts';
import { iconButton, isMac, make, setPressed } from '../dom.ts';
import type { PageStrings } from '../pageStrings.ts';

type Toggle = 'matchCase' | 'wholeWord' | 'isRegex';

const TOGGLES: readonly {
  readonly name: Toggle;
  readonly icon: string;
  readonly word: 'matchCase' | 'wholeWord' | 'regex';
  readonly code: string;
}[] = [
  { name: 'matchCase', icon: 'case-sensitive', word: 'matchCase', code: 'KeyC' },
  { name: 'wholeWord', icon: 'whole-word', word: 'wholeWord', code: 'KeyW' },
  { name: 'isRegex', icon: 'regex', word: 'regex', code: 'KeyR' },
];

/** A field for words to look for, with the editor's three toggles. */
export class QueryInput {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #flags: Record<Toggle, boolean> = { matchCase: false, wholeWord: false, isRegex: false };
  readonly #buttons = new Map<Toggle, HTMLButtonElement>();
  readonly #onChange: () => void;

  constructor(label: string, words: PageStrings, onChange: () => void) {
    this.#onChange = onChange;
    this.input = make('input', {
      attributes: { type: 'text', placeholder: label, 'aria-label': label, spellcheck: 'false' },
    });
    this.input.addEventListener('input', onChange);
    this.element = make('div', { class: 'query', children: [this.input] });
    for (const toggle of TOGGLES) this.#addToggle(toggle, words);
    this.element.addEventListener('keydown', (event) => {
      this.#onKey(event);
    });
  }

  /** What stands in it; undefined where that is nothing. */
  get query(): ViewerQuery | undefined {
    const pattern = this.input.value;
    return pattern === '' ? undefined : { pattern, ...this.#flags };
  }

  set query(query: ViewerQuery | undefined) {
    this.input.value = query?.pattern ?? '';
    for (const { name } of TOGGLES) this.#set(name, query?.[name] ?? false);
  }

  /** Says that what stands in it cannot be looked for; undefined: it can. */
  setProblem(problem: string | undefined): void {
    this.element.classList.toggle('problem', problem !== undefined);
    this.input.title = problem ?? '';
    this.input.setAttribute('aria-invalid', String(problem !== undefined));
  }

  #addToggle({ name, icon, word, code }: (typeof TOGGLES)[number], words: PageStrings): void {
    const key = `${isMac() ? '⌥⌘' : 'Alt+'}${code.slice(-1)}`;
    const button = iconButton(icon, words.get('withKey', words.get(word), key), () => {
      this.#flip(name);
    });
    this.#buttons.set(name, button);
    setPressed(button, false);
    this.element.append(button);
  }

  #onKey(event: KeyboardEvent): void {
    const isToggle = event.altKey && event.metaKey === isMac() && !event.ctrlKey;
    const toggle = isToggle ? TOGGLES.find(({ code }) => code === event.code) : undefined;
    if (!toggle) return;
    event.preventDefault();
    event.stopPropagation();
    this.#flip(toggle.name);
  }

  #flip(name: Toggle): void {
    this.#set(name, !this.#flags[name]);
    this.#onChange();
  }

  #set(name: Toggle, isOn: boolean): void {
    this.#flags[name] = isOn;
    const button = this.#buttons.get(name);
    if (button) setPressed(button, isOn);
  }
}
