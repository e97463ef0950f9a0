import * as vscode from 'vscode';

import { CHANGE_INSTRUCTIONS, checkChange } from '../engine/changeInstruction.ts';
import { commitSpec, type CommitArguments } from '../engine/commitSpec.ts';
import { askText, showOverview, type FormRow, type Place } from './form.ts';
import { flagRow, listRow, problemOf, textRow } from './formRows.ts';

const { l10n } = vscode;

/** A commit but for its container. */
export type CommitAnswer = Omit<CommitArguments, 'id'>;

/**
 * Asks what image to make of a container: first its name, then the rest in any order. Undefined where the
 * person leaves.
 *
 * @param container its name, and the image it was created from.
 */
export async function askCommit(container: {
  readonly name: string;
  readonly image: string;
}): Promise<CommitAnswer | undefined> {
  return new CommitForm(container.name, container.image).ask();
}

class CommitForm {
  readonly #container: string;
  readonly #image: string;
  #draft: CommitAnswer = { repository: '' };

  constructor(container: string, image: string) {
    this.#container = container;
    this.#image = image;
  }

  async ask(): Promise<CommitAnswer | undefined> {
    const repository = await askText(this.#place(l10n.t('Image'), 1), {
      prompt: this.#namePrompt(),
      placeholder: 'me/app:1.0',
      problem: nameProblem,
    });
    if (repository === undefined) return undefined;
    this.#keep('repository', repository);
    const isSure = await showOverview(this.#place(undefined, 2), () => ({
      ends: [{ label: l10n.t('Commit'), icon: 'check', result: true }],
      rows: this.#rows(),
      problem: nameProblem(this.#draft.repository),
    }));
    return isSure === undefined ? undefined : this.#draft;
  }

  #rows(): FormRow[] {
    const name = l10n.t('Image');
    return [
      textRow({
        label: name,
        place: this.#place(name),
        value: this.#draft.repository,
        otherwise: l10n.t('none'),
        prompt: this.#namePrompt(),
        example: 'me/app:1.0',
        problem: nameProblem,
        keep: (text) => {
          this.#keep('repository', text);
        },
      }),
      this.#noteRow('message', l10n.t('Message'), l10n.t('what is new in it')),
      this.#noteRow('author', l10n.t('Author'), 'Jo Doe <jo@example.org>'),
      flagRow(l10n.t('Pause the container meanwhile'), this.#draft.pause ?? true, (pause) => {
        this.#keep('pause', pause);
      }),
      this.#changesRow(),
    ];
  }

  #keep<Field extends keyof CommitAnswer>(field: Field, value: CommitAnswer[Field]): void {
    this.#draft = { ...this.#draft, [field]: value };
  }

  #place(field?: string, step?: 1 | 2): Place {
    const title =
      field === undefined
        ? l10n.t('Commit {0}', this.#container)
        : l10n.t('Commit {0}: {1}', this.#container, field);
    return step === undefined ? { title } : { title, step, totalSteps: 2 };
  }

  #namePrompt(): string {
    return this.#image === ''
      ? l10n.t('The new image as repository:tag; without a tag it is latest')
      : l10n.t(
          'The new image as repository:tag; without a tag it is latest. {0} was made of {1}',
          this.#container,
          this.#image,
        );
  }

  #noteRow(field: 'message' | 'author', label: string, example: string): FormRow {
    return textRow({
      label,
      place: this.#place(label),
      value: this.#draft[field] ?? '',
      otherwise: l10n.t('none'),
      prompt: l10n.t('{0}; leave it empty for none', label),
      example,
      problem: () => undefined,
      keep: (text) => {
        this.#keep(field, text);
      },
    });
  }

  #changesRow(): FormRow {
    const label = l10n.t('Changes');
    return listRow({
      label,
      place: this.#place(label),
      entries: this.#draft.changes ?? [],
      form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
      example: 'ENV MODE=production',
      problem: (text) => problemOf(() => checkChange(text, l10n)),
      keep: (changes) => {
        this.#keep('changes', changes);
      },
    });
  }
}

function nameProblem(repository: string): string | undefined {
  return problemOf(() => commitSpec({ id: '', repository }, l10n));
}
