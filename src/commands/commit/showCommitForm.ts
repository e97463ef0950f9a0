import * as vscode from 'vscode';

import {
  CHANGE_INSTRUCTIONS,
  checkChange,
  INSTRUCTION_TEMPLATES,
} from '../../engine/options/checkChange.ts';
import { commitSpec, type CommitDraft } from '../../engine/images/commitSpec.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { askText, showForm, type FormRow, type StepTitle } from '../forms/form.ts';
import type { ListOffer } from '../forms/editList.ts';
import { flagRow, listRow, validationMessage, textRow } from '../forms/formRows.ts';

const { l10n } = vscode;

/**
 * Asks what image to make of a container: first its name, then the rest in any order. Undefined where the
 * person leaves.
 */
export async function showCommitForm(
  question: CommitFormOptions,
): Promise<CommitFormResult | undefined> {
  return new CommitForm(question).ask();
}

/** What the form is about, and begins with. */
export interface CommitFormOptions {
  /** The container's name, and the image it was created from. */
  readonly name: string;
  readonly image: string;
  /** What is filled in already; with a repository the form begins with its overview. */
  readonly draft: CommitDraft;
  /** What taking a name does to the image that has it, as a sentence; undefined where none has. */
  readonly clash: (repository: string) => string | undefined;
  /** What the image will contain, in a few words; it is not waited for long. */
  readonly contents: () => Promise<string>;
}

/** How the form ended: with a commit, or with the wish to see first what it will contain. */
export interface CommitFormResult {
  readonly action: 'commit' | 'review';
  readonly draft: CommitDraft;
}

class CommitForm {
  readonly #options: CommitFormOptions;
  #draft: CommitDraft;

  constructor(question: CommitFormOptions) {
    this.#options = question;
    this.#draft = question.draft;
  }

  async ask(): Promise<CommitFormResult | undefined> {
    const contents = this.#options.contents();
    if (this.#draft.repository === '' && !(await this.#askName())) return undefined;
    const words = await contents;
    const wish = await showForm<CommitFormResult['action']>(this.#title(undefined, 2), () => ({
      actions: [
        { label: l10n.t('Commit'), icon: 'check', result: 'commit' },
        {
          label: l10n.t('Review what it will contain: {0}', words),
          icon: 'diff-multiple',
          result: 'review',
        },
      ],
      rows: this.#rows(),
      problem: nameProblem(this.#draft.repository),
    }));
    return wish && { action: wish, draft: this.#draft };
  }

  async #askName(): Promise<boolean> {
    const repository = await askText(this.#title(l10n.t('Image'), 1), {
      prompt: l10n.t('Name and tag of the new image'),
      placeholder: this.#example,
      problem: nameProblem,
      warning: this.#options.clash,
    });
    if (repository !== undefined) this.#keep('repository', repository);
    return repository !== undefined;
  }

  #rows(): FormRow[] {
    return [
      this.#nameRow(),
      this.#noteRow('message', l10n.t('Message'), l10n.t('what is new in it')),
      this.#noteRow('author', l10n.t('Author'), 'Jo Doe <jo@example.org>'),
      flagRow(l10n.t('Pause the container meanwhile'), this.#draft.pause ?? true, (pause) => {
        this.#keep('pause', pause);
      }),
      this.#changesRow(),
    ];
  }

  #keep<Field extends keyof CommitDraft>(field: Field, value: CommitDraft[Field]): void {
    this.#draft = { ...this.#draft, [field]: value };
  }

  #title(field?: string, step?: 1 | 2): StepTitle {
    const { name } = this.#options;
    const title =
      field === undefined ? l10n.t('Commit {0}', name) : l10n.t('Commit {0}: {1}', name, field);
    return step === undefined ? { title } : { title, step, totalSteps: 2 };
  }

  /** The name of the image the container was created from, with the container's as a tag. */
  get #example(): string {
    const { name, image } = this.#options;
    const base = parseReference(image);
    return base.ok ? `${base.value.familiar}:${name}` : 'me/app:1.0';
  }

  #nameRow(): FormRow {
    const label = l10n.t('Image');
    const { repository } = this.#draft;
    const { clash } = this.#options;
    const row = textRow({
      label,
      title: this.#title(label),
      value: repository,
      otherwise: l10n.t('none'),
      prompt: l10n.t('Name and tag of the new image'),
      example: this.#example,
      problem: nameProblem,
      warning: clash,
      keep: (text) => {
        this.#keep('repository', text);
      },
    });
    const words = clash(repository);
    return words === undefined
      ? row
      : { ...row, value: `${row.value} · ${words}`, icon: 'warning' };
  }

  #noteRow(field: 'message' | 'author', label: string, example: string): FormRow {
    return textRow({
      label,
      title: this.#title(label),
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
      title: this.#title(label),
      entries: this.#draft.changes ?? [],
      form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
      example: 'ENV MODE=production',
      problem: (text) => validationMessage(() => checkChange(text, l10n)),
      offers: () =>
        Promise.resolve({
          heading: l10n.t('Instructions'),
          of: () => INSTRUCTION_TEMPLATES.map(offer),
        }),
      keep: (changes) => {
        this.#keep('changes', changes);
      },
    });
  }
}

/** Picked, it is there to be written on. */
function offer(entry: string): ListOffer {
  return { label: entry, description: '', entry, isEdited: true };
}

function nameProblem(repository: string): string | undefined {
  return validationMessage(() => commitSpec({ id: '', repository }, l10n));
}
