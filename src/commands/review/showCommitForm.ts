import * as l10n from '@vscode/l10n';
import {
  CHANGE_INSTRUCTIONS,
  checkChange,
  INSTRUCTION_TEMPLATES,
} from '../../engine/options/checkChange.ts';
import type { CommitDraft } from '../../engine/containers/commitSpec.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { imageNameProblem } from '../frame/askImageName.ts';
import { showForm, type FormRow } from '../ui/form.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';
import { flagRow, listRow, validationMessage, textRow, type Keeper } from '../ui/formRows.ts';

/**
 * Asks for the options of a commit: first the image name, then the rest in any order. Resolves to undefined
 * if the user cancels.
 */
export async function showCommitForm(
  ui: Ui,
  options: CommitFormOptions,
): Promise<CommitFormResult | undefined> {
  let { draft } = options;
  const keeper: Keeper<CommitDraft> = (field) => (value) => {
    draft = { ...draft, [field]: value };
  };
  const contents = options.contents();
  if (draft.repository === '') {
    const { example, ...question } = imageQuestion(options);
    const { title } = titleOf(options, l10n.t('Image'));
    const step = { title, step: 1, totalSteps: 2, canGoBack: true, placeholder: example };
    const repository = await ui.input({ ...step, ...question });
    if (repository === undefined) return undefined;
    keeper('repository')(repository);
  }
  const review = l10n.t('Review what the image will contain: {0}', await contents);
  const title = { title: l10n.t('Commit {0}', options.name), step: 2, totalSteps: 2 };
  const action = await showForm<CommitFormResult['action']>(ui, title, () => ({
    actions: [
      { label: l10n.t('Commit'), icon: 'check', result: 'commit' },
      { label: review, icon: 'diff-multiple', result: 'review' },
    ],
    rows: rowsOf(ui, options, draft, keeper),
    problem: imageNameProblem(draft.repository),
  }));
  return action && { action, draft };
}

/** The subject and the initial values of the form. */
interface CommitFormOptions {
  /** The name of the container, and the image it was created from. */
  readonly name: string;
  readonly image: string;
  /** The initial values. If they include a repository, the form begins with the overview. */
  readonly draft: CommitDraft;
  /** The name and email address of Git, which the image gets unless the user changes it. */
  readonly gitAuthor: string | undefined;
  /** Returns a warning if tagging moves the tag from another image; undefined if there is none. */
  readonly clash: (repository: string) => string | undefined;
  /** Describes in a few words what the image will contain. The form does not wait long for it. */
  readonly contents: () => Promise<string>;
}

/** The result of the form: commit, or first review what the image will contain. */
interface CommitFormResult {
  readonly action: 'commit' | 'review';
  readonly draft: CommitDraft;
}

function titleOf({ name }: CommitFormOptions, field: string): StepTitle {
  return { title: l10n.t('Commit {0}: {1}', name, field) };
}

/** The example is the image that the container was created from, with the container's name as the tag. */
function imageQuestion({ name, image, clash }: CommitFormOptions) {
  const base = parseReference(image);
  return {
    prompt: l10n.t('Name and tag of the new image'),
    example: base.ok ? `${base.value.familiar}:${name}` : 'me/app:1.0',
    problem: imageNameProblem,
    warning: clash,
  };
}

function rowsOf(
  ui: Ui,
  options: CommitFormOptions,
  draft: CommitDraft,
  keeper: Keeper<CommitDraft>,
): readonly FormRow[] {
  const called = (label: string) => ({ label, title: titleOf(options, label) });
  const image = textRow(ui, {
    ...called(l10n.t('Image')),
    ...imageQuestion(options),
    value: draft.repository,
    keep: keeper('repository'),
  });
  const words = options.clash(draft.repository);
  return [
    words === undefined ? image : { ...image, value: `${image.value} · ${words}`, icon: 'warning' },
    textRow(ui, {
      ...called(l10n.t('Message')),
      value: draft.message ?? '',
      example: l10n.t('what changed in this image'),
      keep: keeper('message'),
    }),
    textRow(ui, {
      ...called(l10n.t('Author')),
      value: draft.author ?? '',
      ...(draft.author === options.gitAuthor && {
        shown: l10n.t('{0} (from Git, stored in the image)', draft.author ?? ''),
      }),
      example: 'Jo Doe <jo@example.org>',
      keep: keeper('author'),
    }),
    flagRow(l10n.t('Pause container during commit'), draft.pause ?? true, keeper('pause')),
    changesRow(ui, called(l10n.t('Changes')), draft, keeper),
  ];
}

function changesRow(
  ui: Ui,
  called: { readonly label: string; readonly title: StepTitle },
  { changes = [] }: CommitDraft,
  keeper: Keeper<CommitDraft>,
): FormRow {
  return listRow(ui, {
    ...called,
    entries: changes,
    form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
    example: 'ENV MODE=production',
    problem: (text) => validationMessage(() => checkChange(text)),
    offers: () => ({
      heading: l10n.t('Instructions'),
      of: () => INSTRUCTION_TEMPLATES.map((entry) => ({ label: entry, entry, isEdited: true })),
    }),
    keep: keeper('changes'),
  });
}
