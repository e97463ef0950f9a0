import { queryProblem } from '../../../logs/search/lineMatcher.ts';
import type { ViewerQuery } from '../../protocol.ts';
import { iconButton, isMac, make } from '../dom.ts';
import type { PageStrings } from '../pageStrings.ts';

const TOGGLES = [
  { name: 'matchCase', icon: 'case-sensitive', code: 'KeyC' },
  { name: 'wholeWord', icon: 'whole-word', code: 'KeyW' },
  { name: 'isRegex', icon: 'regex', code: 'KeyR' },
] as const;

type Toggle = (typeof TOGGLES)[number]['name'];

/** An input for a query, with the three toggles of VS Code's find widget. */
export class QueryInput {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #flags: Record<Toggle, boolean> = { matchCase: false, wholeWord: false, isRegex: false };
  readonly #buttons = new Map<Toggle, HTMLButtonElement>();
  readonly #words: PageStrings;
  readonly #onChange: () => void;

  constructor(label: string, words: PageStrings, onChange: () => void) {
    this.#words = words;
    this.#onChange = onChange;
    this.input = make('input', {
      attributes: { type: 'text', placeholder: label, 'aria-label': label, spellcheck: 'false' },
    });
    this.input.addEventListener('input', onChange);
    this.element = make('div', { class: 'query', children: [this.input] });
    for (const toggle of TOGGLES) this.#addToggle(toggle, words);
    this.element.addEventListener('keydown', this.#onKey);
  }

  /** The query; undefined if the input is empty. */
  get query(): ViewerQuery | undefined {
    const pattern = this.input.value;
    return pattern === '' ? undefined : { pattern, ...this.#flags };
  }

  set query(query: ViewerQuery | undefined) {
    this.input.value = query?.pattern ?? '';
    for (const { name } of TOGGLES) this.#set(name, query?.[name] ?? false);
  }

  /** Marks the query if its expression is invalid. Returns why it is; undefined if it is valid. */
  check(): string | undefined {
    const reason = queryProblem(this.query);
    const problem = reason && this.#words.get('invalidRegex', reason);
    this.setProblem(problem);
    return problem;
  }

  /** Marks the query as invalid and shows why; undefined if it is valid. */
  setProblem(problem: string | undefined): void {
    this.element.classList.toggle('problem', problem !== undefined);
    this.input.title = problem ?? '';
    this.input.setAttribute('aria-invalid', String(problem !== undefined));
  }

  #addToggle({ name, icon, code }: (typeof TOGGLES)[number], words: PageStrings): void {
    const key = `${isMac() ? '⌥⌘' : 'Alt+'}${code.slice(-1)}`;
    const button = iconButton(icon, words.get('withKey', words.get(name), key), () => {
      this.#flip(name);
    });
    this.#buttons.set(name, button);
    button.ariaPressed = 'false';
    this.element.append(button);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const isToggle = event.altKey && event.metaKey === isMac() && !event.ctrlKey;
    const toggle = isToggle ? TOGGLES.find(({ code }) => code === event.code) : undefined;
    if (!toggle) return;
    event.preventDefault();
    event.stopPropagation();
    this.#flip(toggle.name);
  };

  #flip(name: Toggle): void {
    this.#set(name, !this.#flags[name]);
    this.#onChange();
  }

  #set(name: Toggle, isOn: boolean): void {
    this.#flags[name] = isOn;
    const button = this.#buttons.get(name);
    if (button) button.ariaPressed = String(isOn);
  }
}
