import * as l10n from '@vscode/l10n';
import { INSTRUCTION_TEMPLATES } from '../../engine/options/checkChange.ts';
import type { CommitDraft } from '../../engine/containers/commitSpec.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { imageNameProblem } from '../frame/askImageName.ts';
import { showForm } from '../ui/form.ts';
import { changesRow, textRow, type FormRow } from '../ui/formRows.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Asks for the options of a commit: first the image name, then the rest in any order. Resolves to undefined
 * if the user cancels.
 */
export async function showCommitForm(
  ui: Ui,
  options: CommitFormOptions,
): Promise<CommitFormResult | undefined> {
  let { draft } = options;
  const title = l10n.t('Commit {0}', options.name);
  const contents = options.contents();
  if (draft.repository === '') {
    const { example: placeholder, ...question } = imageQuestion(options);
    const step = { title: l10n.t('{0}: {1}', title, l10n.t('Image')), step: 1, totalSteps: 2 };
    const repository = await ui.input({ ...step, canGoBack: true, placeholder, ...question });
    if (repository === undefined) return undefined;
    draft = { ...draft, repository };
  }
  const review = l10n.t('Review what the image will contain: {0}', await contents);
  return showForm<CommitDraft, CommitFormResult['action']>(ui, {
    title: { title, step: 2, totalSteps: 2 },
    namesRows: true,
    draft,
    actions: [
      { action: 'commit', label: l10n.t('Commit'), icon: 'check' },
      { action: 'review', label: review, icon: 'diff-multiple' },
    ],
    overview: (now) => ({
      rows: rowsOf(options, now),
      problem: imageNameProblem(now.repository),
    }),
  });
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
  options: CommitFormOptions,
  { repository, author = '', pause = true }: CommitDraft,
): readonly FormRow<CommitDraft>[] {
  const { example, ...question } = imageQuestion(options);
  const warning = options.clash(repository);
  const ofGit = l10n.t('{0} (from Git, stored in the image)', author);
  return [
    textRow('repository', l10n.t('Image'), example, {
      ...question,
      ...(warning !== undefined && { shown: `${repository} · ${warning}`, icon: 'warning' }),
    }),
    textRow('message', l10n.t('Message'), l10n.t('what changed in this image')),
    textRow('author', l10n.t('Author'), 'Jo Doe <jo@example.org>', {
      shown: author === options.gitAuthor ? ofGit : undefined,
    }),
    {
      kind: 'flag',
      label: l10n.t('Pause container during commit'),
      value: pause,
      keep: (isOn) => ({ pause: isOn }),
    },
    changesRow('ENV MODE=production', () => ({
      heading: l10n.t('Instructions'),
      of: () => INSTRUCTION_TEMPLATES.map((entry) => ({ label: entry, entry, isEdited: true })),
    })),
  ];
}
