import * as l10n from '@vscode/l10n';
import { createSpec } from '../../engine/containers/createSpec.ts';
import { checkImage } from '../../engine/options/optionChecks.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import type { Image } from '../../engine/model.ts';
import {
  conflictMessage,
  freeContainerName,
  findPortConflicts,
  portConflictMessage,
  missingProgramMessage,
} from './portConflicts.ts';
import type { CreateRow } from './optionRows.ts';
import type { FormDependencies } from './formDependencies.ts';
import {
  finishDraft,
  stillMissing,
  type CreateDraft,
  type CreateFormDraft,
} from './createDraft.ts';
import type { CreateAction, RememberedCreate } from '../../recipes/createHistory.ts';
import { commandRow, createRows } from './createRows.ts';
import { askChoice } from '../ui/askChoice.ts';
import { showForm, type FormAction, type Overview } from '../ui/form.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';
import { validationMessage } from '../ui/formRows.ts';
import { askReference, type ReferenceItem } from '../ui/askReference.ts';
import { joinParts, joinSpoken, shortId } from '../../views/format.ts';

/**
 * Asks for the options of a container: first the image, unless `preset` has one, then the rest in any order.
 * Resolves to the argument of `gantry.containers.create` and the selected action, or to undefined if the user
 * cancels.
 */
export async function showCreateForm(
  ui: Ui,
  dependencies: FormDependencies,
  preset: CreatePreset,
): Promise<CreateFormResult | undefined> {
  const { title = l10n.t('Create Container'), warning } = preset;
  const begun = await askBeginning(ui, dependencies, title, preset);
  if (!begun) return undefined;
  const { draft, notKept } = begun;
  const done = await showForm<CreateFormDraft, CreateAction>(ui, {
    title: { title, step: 2, totalSteps: 2 },
    namesRows: true,
    draft,
    // Read once, so that the order stays while the form is open, whatever another window stores.
    actions: dependencies.creates.ends().map((end) => actionOf(end)),
    overview: (now) => ({
      rows: [
        imageRow(now, dependencies),
        ...(now.defaults ? [] : [pullRow(now, dependencies)]),
        ...createRows(now, dependencies),
      ],
      ...faultsOf(now, dependencies, [warning, notKeptMessage(stillMissing(now, notKept))]),
    }),
  });
  return done && { args: finishDraft(done.draft, done.action !== 'create'), end: done.action };
}

/** The options of the container, and what to do with it. */
interface CreateFormResult {
  readonly args: CreateArguments;
  readonly end: CreateAction;
}

/** The initial state of the form. */
export interface CreatePreset {
  /** The title; by default, that of creating a container. */
  readonly title?: string;
  readonly draft: CreateDraft;
  /** Whether the draft has only an image, so that the last values for it can be offered. */
  readonly isFresh?: true;
  /** A warning about the draft, as a sentence. */
  readonly warning?: string;
}

/** Beginning of the form. */
interface Beginning {
  readonly draft: CreateFormDraft;
  /** Fields that the last values lack. */
  readonly notKept: readonly string[];
}

/** Asks for the image, and whether to begin with the last values for it. Resolves to undefined if the user cancels. */
async function askBeginning(
  ui: Ui,
  dependencies: FormDependencies,
  title: string,
  { draft, isFresh }: CreatePreset,
): Promise<Beginning | undefined> {
  const { creates, containers, defaultsOf } = dependencies;
  const step = { title: l10n.t('{0}: {1}', title, l10n.t('Image')), step: 1, totalSteps: 2 };
  const image = draft.image ?? (await askImage(ui, step, dependencies));
  if (image === undefined) return undefined;
  const defaults = await defaultsOf(image);
  const fresh = { draft: { ...draft, image, defaults }, notKept: [] };
  const last = isFresh && creates.last(image);
  if (!last) return fresh;
  const { args, notKept } = last;
  const name = args.name && freeContainerName(args.name, containers());
  const picked = await askChoice<Beginning>(
    ui,
    { title: l10n.t('{0}: {1}', title, l10n.t('Start From')) },
    l10n.t('You created a container from this image before'),
    [
      {
        label: l10n.t('Use Previous Values'),
        detail: lastUsedMessage(last),
        value: { draft: { ...args, image, name, defaults }, notKept },
      },
      { label: l10n.t('Use Image Defaults'), value: fresh },
    ],
    () => false,
  );
  return picked?.value;
}

/** @param notes further warnings. */
function faultsOf(
  draft: CreateFormDraft,
  dependencies: FormDependencies,
  notes: readonly (string | undefined)[],
): Omit<Overview<CreateFormDraft>, 'rows'> {
  const args = finishDraft(draft, false);
  const containers = dependencies.containers();
  const wrong = validationMessage(() => createSpec(args)) ?? conflictMessage(args, containers);
  const missingProgram = draft.defaults && missingProgramMessage(args, draft.defaults);
  const problem = wrong ?? missingProgram;
  const held =
    problem === undefined
      ? portConflictMessage(findPortConflicts(args.ports ?? [], containers))
      : undefined;
  const warnings = [...notes, held].filter((one) => one !== undefined);
  return {
    problem,
    remedy: problem !== undefined && wrong === undefined ? commandRow(draft) : undefined,
    warning: warnings.length === 0 ? undefined : warnings.join(' '),
  };
}

function imageRow({ image = '' }: CreateFormDraft, dependencies: FormDependencies): CreateRow {
  const known = knownReferences(dependencies.images);
  return {
    kind: 'step',
    label: l10n.t('Image'),
    value: known.find(({ reference }) => reference === image)?.label ?? image,
    edit: async (title, ui) => {
      const chosen = await askImage(ui, title, dependencies);
      if (chosen === undefined) return undefined;
      return { image: chosen, defaults: await dependencies.defaultsOf(chosen) };
    },
  };
}

function pullRow(
  { image = '', platform }: CreateFormDraft,
  { pull, defaultsOf }: FormDependencies,
): CreateRow {
  return {
    kind: 'step',
    label: l10n.t('Pull Now'),
    icon: 'cloud-download',
    value: l10n.t("not available locally; pull to load the image's defaults"),
    edit: async () => {
      const isPulled = await pull({ reference: image, platform });
      return isPulled ? { defaults: await defaultsOf(image) } : undefined;
    },
  };
}

function askImage(
  ui: Ui,
  title: StepTitle,
  { images }: FormDependencies,
): Promise<string | undefined> {
  return askReference(ui, title, {
    placeholder: l10n.t('Select an image or enter an image name, for example busybox:latest'),
    typed: l10n.t('use this image (pulled if not available locally)'),
    groups: [{ heading: l10n.t('local'), references: knownReferences(images) }],
    problem: (text) => validationMessage(() => checkImage(text)),
    prefersTyped: false,
  });
}

function actionOf(action: CreateAction): FormAction<CreateAction> {
  switch (action) {
    case 'create':
      return { action, label: l10n.t('Create'), icon: 'add' };
    case 'start':
      return { action, label: l10n.t('Create and Start'), icon: 'play' };
    case 'follow':
      return { action, label: l10n.t('Create, Start, and Show Logs'), icon: 'output' };
  }
}

function lastUsedMessage({ args, notKept }: RememberedCreate): string {
  const values = [args.name, ...(args.ports ?? []), ...(args.mounts ?? [])];
  return joinParts(joinSpoken(...values), notKeptMessage(notKept));
}

function notKeptMessage(notKept: readonly string[]): string | undefined {
  if (notKept.length === 0) return undefined;
  return l10n.t('Not saved because it may contain a secret: {0}.', notKept.join(', '));
}

/** An untagged image can only be referenced by its ID. */
function knownReferences(images: readonly Image[]): readonly ReferenceItem[] {
  return images.flatMap(({ id, tags }): readonly ReferenceItem[] =>
    tags.length === 0
      ? [{ label: shortId(id), description: l10n.t('untagged'), reference: id }]
      : tags.map((tag) => ({ label: tag, description: shortId(id), reference: tag })),
  );
}
