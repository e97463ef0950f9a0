import * as l10n from '@vscode/l10n';
import type { Dockerfile } from '../../engine/builds/dockerfile/dockerfile.ts';
import { checkPlatform } from '../../engine/options/optionChecks.ts';
import { isSecretName } from '../../engine/options/secretDetection.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { imageNameProblem, tagClashMessage } from '../frame/askImageName.ts';
import { USUAL_PLATFORMS } from '../frame/askPlatform.ts';
import type { ListOffer } from '../ui/editList.ts';
import { showForm } from '../ui/form.ts';
import { contextRow } from '../frame/contextRow.ts';
import { listRow, textRow, type FormRow } from '../ui/formRows.ts';
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
  const { outline } = subject;
  const draft: BuildDraft = {
    tags: [proposedTag(subject.context)],
    args: {},
    secrets: {},
    ssh: false,
    noCache: false,
    pull: false,
    ...values,
  };
  const folders = { ...subject, context: draft.context ?? subject.context };
  const row = await contextRow(context, folders);
  const done = await showForm(context.ui, {
    title: { title: l10n.t('Build Image') },
    namesRows: true,
    draft,
    actions: [{ action: 'build', label: l10n.t('Build'), icon: 'tools' }],
    overview: (now) => ({
      rows: [...rowsOf(context, now, outline), row],
      problem: problemOf(now, outline),
      warning: warningOf(now, outline, context) ?? leftOutMessage(subject.leftOut),
    }),
  });
  return done?.draft;
}

/** Facts of a build that the form needs. */
export interface FormSubject {
  /** Absolute path, as that of the Dockerfile. */
  readonly context: string;
  readonly dockerfile: string;
  /** Of the Dockerfile. */
  readonly outline: Dockerfile;
  /** The keys of a compose file that the form does not have. */
  readonly leftOut?: readonly string[];
}

type BuildRow = FormRow<BuildDraft>;

function rowsOf(
  context: CommandContext,
  draft: BuildDraft,
  dockerfile: Dockerfile,
): readonly BuildRow[] {
  return [
    listRow('tags', l10n.t('Tags'), 'repository:tag', 'me/app:1.0', { problem: imageNameProblem }),
    targetRow(draft, dockerfile),
    argsRow(dockerfile),
    listRow('platforms', l10n.t('Platforms'), 'os/arch', 'linux/arm64', {
      otherwise: l10n.t('engine default'),
      check: checkPlatform,
      offers: () => ({ heading: l10n.t('common platforms'), of: offeredPlatforms }),
    }),
    ...builderRows(context, draft),
    secretsRow(draft),
    { kind: 'flag', field: 'ssh', label: l10n.t('SSH agent') },
    { kind: 'flag', field: 'noCache', label: l10n.t('No cache (--no-cache)') },
    { kind: 'flag', field: 'pull', label: l10n.t('Always pull base images (--pull)') },
  ];
}

function targetRow({ target }: BuildDraft, { stages }: Dockerfile): BuildRow {
  const label = l10n.t('Target');
  const otherwise = l10n.t('last stage');
  const choices = stages.flatMap(({ name, base }) =>
    name === undefined ? [] : [{ label: name, detail: base, value: name }],
  );
  if (choices.length === 0) return textRow('target', label, 'build', { otherwise });
  return {
    kind: 'choice',
    field: 'target',
    label,
    icon: target === undefined ? undefined : 'edit',
    placeholder: l10n.t('Target stage'),
    choices: [{ label: otherwise, value: undefined }, ...choices],
  };
}

function argsRow(dockerfile: Dockerfile): BuildRow {
  const row = listRow('args', l10n.t('Arguments'), 'NAME=value', 'VERSION=1.2', {
    problem: (entry) =>
      /^[A-Za-z_]\w*=/.test(entry)
        ? undefined
        : l10n.t('"{0}" does not have the form {1}.', entry, 'NAME=value'),
    mask: (entry) => {
      const [name = ''] = entry.split('=', 1);
      return isSecretName(name) ? `${name}=•••` : entry;
    },
    describe: (entry) => {
      const isUnknown = unknownArguments(dockerfile, entry.split('=', 1)).length > 0;
      return isUnknown ? l10n.t('not used by the Dockerfile') : undefined;
    },
    offers: () => ({
      heading: l10n.t('arguments in the Dockerfile'),
      of: (entries) => offeredArguments(dockerfile, entries),
    }),
  });
  return { ...row, kind: 'map' };
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

function offeredPlatforms(entries: readonly string[]): readonly ListOffer[] {
  const others = USUAL_PLATFORMS.filter((one) => !entries.includes(one));
  return others.map((entry) => ({ label: entry, entry }));
}

/** The builder, and what only another one than the engine does. */
function builderRows(context: CommandContext, { builder }: BuildDraft): readonly BuildRow[] {
  const otherwise = l10n.t('engine');
  const row: BuildRow = {
    kind: 'step',
    label: l10n.t('Builder'),
    value: builder ?? otherwise,
    icon: builder === undefined ? undefined : 'edit',
    edit: async () => {
      const placeholder = l10n.t('Builder of docker buildx');
      const chosen = await askBuilder(context, builder, { placeholder, otherwise });
      return chosen && { builder: chosen.value };
    },
  };
  if (builder === undefined) return [row];
  const push = l10n.t('Push instead of storing on the engine');
  return [row, { kind: 'flag', field: 'push', label: push }];
}

function secretsRow({ secrets }: BuildDraft): BuildRow {
  return {
    kind: 'list',
    label: l10n.t('Secrets'),
    form: 'id=file:path',
    example: 'token=env:TOKEN',
    problem: (entry) =>
      secretOf(entry)
        ? undefined
        : l10n.t('Use id=file:path, id=env:NAME, or id=prompt to be asked during the build.'),
    value: Object.entries(secrets).map(([id, source]) => `${id}=${formatSecret(source)}`),
    keep: (entries) => ({
      secrets: Object.fromEntries(entries.map(secretOf).filter((one) => one !== undefined)),
    }),
  };
}

function secretOf(entry: string): readonly [id: string, source: SecretSource] | undefined {
  const [, id = '', kind, from] = /^([^=\s]+)=(?:(file|env):(.+)|prompt)$/.exec(entry) ?? [];
  if (id === '') return undefined;
  if (kind === undefined || from === undefined) return [id, { prompt: true }];
  return [id, kind === 'file' ? { file: from } : { env: from }];
}

function formatSecret(source: SecretSource): string {
  if ('file' in source) return `file:${source.file}`;
  return 'env' in source ? `env:${source.env}` : 'prompt';
}

function problemOf({ tags, target }: BuildDraft, { stages }: Dockerfile): string | undefined {
  const invalid = tags.map(imageNameProblem).find((one) => one !== undefined);
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
