import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import { checkEnv } from '../../engine/options/optionChecks.ts';
import { parseCommandLine } from '../../engine/options/parseCommandLine.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import { showForm } from '../ui/form.ts';
import { listRow, textRow, validationMessage, type FormRow } from '../ui/formRows.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Asks for a command to run in a container: first for the command itself, then for the rest in any order. Resolves to
 * undefined if the user cancels.
 *
 * @param draft the initial values. If they include a command, the form begins with the overview.
 */
export async function showRunForm(
  ui: Ui,
  name: string,
  draft: RunDraft,
): Promise<{ readonly action: 'run' | 'save'; readonly draft: RunDraft } | undefined> {
  const title = l10n.t('Run Command in {0}', name);
  let { command } = draft;
  if (command === '') {
    const typed = await ui.input({
      title,
      step: 1,
      totalSteps: 2,
      canGoBack: true,
      prompt: l10n.t('Program and arguments. For a shell, write sh -c and the rest in quotes.'),
      placeholder: EXAMPLE,
      problem: commandProblem,
    });
    if (typed === undefined) return undefined;
    command = typed;
  }
  return showForm<RunDraft, 'run' | 'save'>(ui, {
    title: { title, step: 2, totalSteps: 2 },
    namesRows: true,
    draft: { ...draft, command },
    actions: [
      { action: 'run', label: l10n.t('Run'), icon: 'play' },
      { action: 'save', label: l10n.t('Save as Task...'), icon: 'save' },
    ],
    overview: (now) => ({ rows: rows(), problem: commandProblem(now.command) }),
  });
}

/** What the user has entered. */
export interface RunDraft {
  /** A command line, which no shell sees. */
  readonly command: string;
  readonly user?: string | undefined;
  readonly folder?: string | undefined;
  readonly env: readonly string[];
  /** The name of a problem matcher, with its `$`. */
  readonly matcher?: string | undefined;
}

const EXAMPLE = 'npm test';

/** Why a text is no command; undefined if it is one. */
function commandProblem(text: string): string | undefined {
  const names = (): readonly string[] => parseCommandLine(text);
  const problem = validationMessage(names);
  if (problem !== undefined) return problem;
  return (names()[0] ?? '').trim() === '' ? l10n.t('Enter a program to run.') : undefined;
}

function rows(): readonly FormRow<RunDraft>[] {
  const own = l10n.t("the container's");
  const none = l10n.t('none');
  return [
    textRow('command', l10n.t('Command'), EXAMPLE, { problem: commandProblem }),
    textRow('user', l10n.t('User'), '1000:1000', { otherwise: own }),
    textRow('folder', l10n.t('Working directory'), '/app', {
      otherwise: own,
      problem: (text) =>
        posix.isAbsolute(text) ? undefined : l10n.t('Enter an absolute path in the container.'),
    }),
    listRow('env', l10n.t('Environment variables'), 'NAME=value', 'NODE_ENV=test', {
      check: checkEnv,
      mask: maskAssignment,
    }),
    {
      kind: 'choice',
      field: 'matcher',
      label: l10n.t('Problem matcher'),
      choices: [
        { label: none, value: undefined },
        ...MATCHERS.map((value) => ({ label: value, value })),
      ],
      other: {
        label: l10n.t('Other...'),
        value: '',
        prefix: '$',
        prompt: l10n.t('Name of the problem matcher, without the $'),
        problem: (text) =>
          /^\$[\w.-]+$/.test(text) ? undefined : l10n.t('Enter the name of a problem matcher.'),
      },
    },
  ];
}

/** Those of VS Code itself that find problems in the output of programs. */
const MATCHERS: readonly string[] = [
  ...['$tsc', '$eslint-stylish', '$eslint-compact', '$jshint', '$go', '$msCompile'],
];
