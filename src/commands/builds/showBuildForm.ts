import * as l10n from '@vscode/l10n';
import { parseDockerfile, type Dockerfile } from '../../engine/builds/dockerfile/dockerfile.ts';
import { checkPlatform } from '../../engine/options/optionChecks.ts';
import { parseRepositoryAndTag, requireValid } from '../../engine/options/reference.ts';
import { isSecretName } from '../../engine/options/secretDetection.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { tagClashMessage } from '../frame/askImageName.ts';
import { USUAL_PLATFORMS } from '../frame/askPlatform.ts';
import type { ListOffer } from '../ui/editList.ts';
import { askChoice, showForm, type FormRow } from '../ui/form.ts';
import { contextRow } from '../frame/contextRow.ts';
import { flagRow, listRow, textRow, validationMessage, type Keeper } from '../ui/formRows.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';
import { askBuilder } from './chooseBuilder.ts';
import { proposedTag } from './buildArguments.ts';
import { type SecretSource, type BuildDraft } from '../../builds/buildMemory.ts';
import { leftOutMessage } from './composeService.ts';
import {
  declaredArguments,
  unknownArguments,
  unknownSentence,
} from '../../engine/builds/requestWarnings.ts';
import { translate } from '../../base/translate.ts';

/**
 * Asks for the options of a build. Resolves to undefined if the user cancels.
 *
 * @param values what it begins with instead of the defaults.
 */
export async function showBuildForm(
  context: CommandContext,
  subject: FormSubject,
  values?: Partial<BuildDraft>,
): Promise<BuildDraft | undefined> {
  const { ui } = context;
  const dockerfile = parseDockerfile(subject.text);
  let draft: BuildDraft = {
    tags: [proposedTag(subject.context)],
    args: {},
    secrets: {},
    ssh: false,
    noCache: false,
    pull: false,
    ...values,
  };
  const keeper: Keeper<BuildDraft> = (field) => (value) => {
    draft = { ...draft, [field]: value };
  };
  const title = l10n.t('Build Image');
  const folders = { ...subject, context: draft.context ?? subject.context };
  const row = await contextRow(context, folders, keeper('context'));
  return showForm(ui, { title }, () => ({
    actions: [{ label: l10n.t('Build'), icon: 'tools', result: draft }],
    rows: [...rowsOf(context, draft, dockerfile, { title, keeper }), row],
    problem: problemOf(draft, dockerfile),
    warning: warningOf(draft, dockerfile, context) ?? leftOutMessage(subject.leftOut),
  }));
}

/** What the form needs to know of a build. */
export interface FormSubject {
  /** Absolute path, as that of the Dockerfile. */
  readonly context: string;
  readonly dockerfile: string;
  /** The content of the Dockerfile. */
  readonly text: string;
  /** The keys of a compose file that the form does not have. */
  readonly leftOut?: readonly string[];
}

/** How the rows are shown, and how they keep their values. */
interface RowParts {
  readonly title: string;
  readonly keeper: Keeper<BuildDraft>;
}

function rowsOf(
  context: CommandContext,
  draft: BuildDraft,
  dockerfile: Dockerfile,
  { title, keeper }: RowParts,
): readonly FormRow[] {
  const { ui } = context;
  return [
    listRow(ui, {
      ...{
        title: stepOf(title, l10n.t('Tags')),
        label: l10n.t('Tags'),
        form: 'repository:tag',
        example: 'me/app:1.0',
      },
      entries: draft.tags,
      problem: tagProblem,
      keep: keeper('tags'),
    }),
    targetRow(ui, draft, dockerfile, { title, keeper }),
    argsRow(ui, draft, dockerfile, { title, keeper }),
    platformsRow(ui, draft, { title, keeper }),
    ...builderRows(context, draft, keeper),
    secretsRow(ui, draft, { title, keeper }),
    flagRow(l10n.t('SSH agent'), draft.ssh, keeper('ssh')),
    flagRow(l10n.t('No cache (--no-cache)'), draft.noCache, keeper('noCache')),
    flagRow(l10n.t('Always pull base images (--pull)'), draft.pull, keeper('pull')),
  ];
}

function targetRow(
  ui: Ui,
  { target }: BuildDraft,
  { stages }: Dockerfile,
  { title, keeper }: RowParts,
): FormRow {
  const label = l10n.t('Target');
  const otherwise = l10n.t('last stage');
  const choices = stages.flatMap(({ name, base }) =>
    name === undefined ? [] : [{ label: name, detail: base, value: name }],
  );
  if (choices.length === 0) {
    const keep = (text: string): void => {
      keeper('target')(text === '' ? undefined : text);
    };
    const text = { label, value: target ?? '', otherwise, example: 'build', keep };
    return textRow(ui, { title: stepOf(title, label), ...text });
  }
  return {
    label,
    value: target ?? otherwise,
    ...(target !== undefined && { icon: 'edit' }),
    edit: async () => {
      const all = [{ label: otherwise, value: undefined }, ...choices];
      const [step, placeholder] = [stepOf(title, label), l10n.t('Target stage')];
      const isNow = (one: string | undefined): boolean => one === target;
      const chosen = await askChoice(ui, step, placeholder, all, isNow);
      if (chosen) keeper('target')(chosen.value);
    },
  };
}

function argsRow(
  ui: Ui,
  { args }: BuildDraft,
  dockerfile: Dockerfile,
  { title, keeper }: RowParts,
): FormRow {
  return listRow(ui, {
    ...{
      title: stepOf(title, l10n.t('Arguments')),
      label: l10n.t('Arguments'),
      form: 'NAME=value',
      example: 'VERSION=1.2',
    },
    entries: Object.entries(args).map(([name, value]) => `${name}=${value}`),
    problem: (entry) =>
      /^[A-Za-z_]\w*=/.test(entry)
        ? undefined
        : l10n.t('"{0}" does not have the form {1}.', entry, 'NAME=value'),
    mask: (entry) => {
      const [name = ''] = entry.split('=', 1);
      return isSecretName(name) ? `${name}=•••` : entry;
    },
    describe: (entry) => {
      const [name = ''] = entry.split('=', 1);
      const isUnknown = unknownArguments(dockerfile, [name]).length > 0;
      return isUnknown ? l10n.t('not used by the Dockerfile') : undefined;
    },
    offers: () => ({
      heading: l10n.t('arguments in the Dockerfile'),
      of: (entries) => offeredArguments(dockerfile, entries),
    }),
    keep: (entries) => {
      keeper('args')(Object.fromEntries(entries.map(assignmentOf)));
    },
  });
}

/** Offers the arguments that are not set yet. */
function offeredArguments(
  dockerfile: Dockerfile,
  entries: readonly string[],
): readonly ListOffer[] {
  return [...declaredArguments(dockerfile).values()]
    .filter(({ name }) => !entries.some((entry) => entry.startsWith(`${name}=`)))
    .map(({ name, default: usual = '' }) => ({
      label: name,
      description: usual === '' ? l10n.t('no default') : l10n.t('default {0}', usual),
      entry: `${name}=${usual}`,
      isEdited: true,
    }));
}

function platformsRow(
  ui: Ui,
  { platforms = [] }: BuildDraft,
  { title, keeper }: RowParts,
): FormRow {
  const label = l10n.t('Platforms');
  return listRow(ui, {
    ...{ title: stepOf(title, label), label, form: 'os/arch', example: 'linux/arm64' },
    otherwise: l10n.t('engine default'),
    entries: platforms,
    problem: (text) =>
      validationMessage(() => {
        checkPlatform(text);
      }),
    offers: () => ({
      heading: l10n.t('common platforms'),
      of: (entries) =>
        USUAL_PLATFORMS.filter((one) => !entries.includes(one)).map((one) => ({
          label: one,
          entry: one,
        })),
    }),
    keep: keeper('platforms'),
  });
}

/** The builder, and what only another one than the engine does. */
function builderRows(
  context: CommandContext,
  { builder, push = false }: BuildDraft,
  keeper: Keeper<BuildDraft>,
): readonly FormRow[] {
  const otherwise = l10n.t('engine');
  const row: FormRow = {
    label: l10n.t('Builder'),
    value: builder ?? otherwise,
    ...(builder !== undefined && { icon: 'edit' }),
    edit: async () => {
      const placeholder = l10n.t('Builder of docker buildx');
      const chosen = await askBuilder(context, builder, { placeholder, otherwise });
      if (chosen) keeper('builder')(chosen.value);
    },
  };
  if (builder === undefined) return [row];
  return [row, flagRow(l10n.t('Push instead of storing on the engine'), push, keeper('push'))];
}

function secretsRow(ui: Ui, { secrets }: BuildDraft, { title, keeper }: RowParts): FormRow {
  return listRow(ui, {
    ...{
      title: stepOf(title, l10n.t('Secrets')),
      label: l10n.t('Secrets'),
      form: 'id=file:path',
      example: 'token=env:TOKEN',
    },
    entries: Object.entries(secrets).map(([id, source]) => `${id}=${formatSecret(source)}`),
    problem: (entry) =>
      secretOf(entry)
        ? undefined
        : l10n.t('Use id=file:path, id=env:NAME, or id=prompt to be asked during the build.'),
    keep: (entries) => {
      const sources = entries
        .flatMap((entry) => secretOf(entry) ?? [])
        .map((one) => [one.id, one.source]);
      keeper('secrets')(Object.fromEntries(sources) as BuildDraft['secrets']);
    },
  });
}

/** Returns the title of the step for a field. */
function stepOf(title: string, label: string): StepTitle {
  return { title: `${title}: ${label}` };
}

function secretOf(
  entry: string,
): { readonly id: string; readonly source: SecretSource } | undefined {
  const [, id = '', kind, from] = /^([^=\s]+)=(?:(file|env):(.+)|prompt)$/.exec(entry) ?? [];
  if (id === '') return undefined;
  if (kind === undefined || from === undefined) return { id, source: { prompt: true } };
  return { id, source: kind === 'file' ? { file: from } : { env: from } };
}

function formatSecret(source: SecretSource): string {
  if ('file' in source) return `file:${source.file}`;
  return 'env' in source ? `env:${source.env}` : 'prompt';
}

function problemOf({ tags, target }: BuildDraft, { stages }: Dockerfile): string | undefined {
  const invalid = tags.map((tag) => tagProblem(tag)).find((one) => one !== undefined);
  if (invalid !== undefined) return invalid;
  const isKnown =
    target === undefined ||
    stages.length === 0 ||
    /^\d+$/.test(target) ||
    stages.some(({ name }) => name === target.toLowerCase());
  return isKnown ? undefined : l10n.t('The Dockerfile has no stage {0}.', target);
}

function warningOf(
  { tags, args }: BuildDraft,
  dockerfile: Dockerfile,
  context: CommandContext,
): string | undefined {
  const unknown = unknownArguments(dockerfile, Object.keys(args));
  if (unknown.length > 0) return translate(unknownSentence(unknown));
  return tags.map((tag) => tagClashMessage(tag, context)).find((one) => one !== undefined);
}

function tagProblem(text: string): string | undefined {
  return validationMessage(() => requireValid(parseRepositoryAndTag(text)));
}

function assignmentOf(entry: string): readonly [name: string, value: string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
