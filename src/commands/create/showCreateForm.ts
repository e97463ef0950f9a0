import * as l10n from '@vscode/l10n';
import { createSpec } from '../../engine/containers/createSpec.ts';
import { checkImage } from '../../engine/options/optionChecks.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { Image } from '../../engine/model.ts';
import {
  conflictMessage,
  freeContainerName,
  findPortConflicts,
  portConflictMessage,
  missingProgramMessage,
} from './portConflicts.ts';
import type { CreateFormState } from './createFormState.ts';
import type { FormDependencies } from './formDependencies.ts';
import { finishDraft, stillMissing, type CreateDraft } from './createDraft.ts';
import type { CreateAction, RememberedCreate } from '../../recipes/createHistory.ts';
import { commandRow, createRows } from './createRows.ts';
import { askChoice, showForm, type FormAction, type FormRow, type Form } from '../ui/form.ts';
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
  return new CreateForm(ui, dependencies, preset).ask();
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

class CreateForm implements CreateFormState {
  readonly ui: Ui;
  readonly dependencies: FormDependencies;
  readonly #preset: CreatePreset;
  draft: CreateDraft;
  defaults: ImageDefaults | undefined;
  #notKept: readonly string[] = [];

  constructor(ui: Ui, dependencies: FormDependencies, preset: CreatePreset) {
    this.ui = ui;
    this.dependencies = dependencies;
    this.#preset = preset;
    this.draft = preset.draft;
  }

  keep<Field extends keyof CreateDraft>(field: Field, value: CreateDraft[Field]): void {
    this.draft = { ...this.draft, [field]: value };
  }

  titleOf(label: string | undefined, step?: 1 | 2): StepTitle {
    const { title: whole = l10n.t('Create Container') } = this.#preset;
    const title = label === undefined ? whole : l10n.t('{0}: {1}', whole, label);
    return step === undefined ? { title } : { title, step, totalSteps: 2 };
  }

  async ask(): Promise<CreateFormResult | undefined> {
    if (this.draft.image === undefined) await this.#askImage(1);
    else await this.#readDefaults();
    if (this.draft.image === undefined) return undefined;
    if (this.#preset.isFresh && !(await this.#askBeginning(this.draft.image))) return undefined;
    // Read once, so that the order stays while the form is open, whatever another window stores.
    const actions = this.dependencies.creates.ends().map((end) => endOf(end));
    const end = await showForm(this.ui, this.titleOf(undefined, 2), () => ({
      actions,
      rows: [this.#imageRow(), ...(this.defaults ? [] : [this.#pullRow()]), ...createRows(this)],
      ...this.#faults(),
    }));
    return end && { args: finishDraft(this.draft, end !== 'create'), end };
  }

  #faults(): Omit<Form<CreateAction>, 'actions' | 'rows'> {
    const args = finishDraft(this.draft, false);
    const containers = this.dependencies.containers();
    const wrong = validationMessage(() => createSpec(args)) ?? conflictMessage(args, containers);
    const missingProgram = this.defaults && missingProgramMessage(args, this.defaults);
    const problem = wrong ?? missingProgram;
    const remedy = wrong === undefined && missingProgram ? commandRow(this) : undefined;
    const held =
      problem === undefined
        ? portConflictMessage(findPortConflicts(args.ports ?? [], containers))
        : undefined;
    const notKept = notKeptMessage(stillMissing(this.draft, this.#notKept));
    const warnings = [this.#preset.warning, notKept, held].filter((one) => one !== undefined);
    return { problem, remedy, warning: warnings.length === 0 ? undefined : warnings.join(' ') };
  }

  /** Offers to begin with the last values for this image. Resolves to false if the user cancels. */
  async #askBeginning(image: string): Promise<boolean> {
    const last = this.dependencies.creates.last(image);
    if (!last) return true;
    const picked = await askChoice(
      this.ui,
      this.titleOf(l10n.t('Start From')),
      l10n.t('You created a container from this image before'),
      [
        {
          label: l10n.t('Use Previous Values'),
          detail: lastUsedMessage(last),
          value: true,
        },
        { label: l10n.t('Use Image Defaults'), value: false },
      ],
      () => false,
    );
    if (picked?.value === true) {
      const { name } = last.args;
      const free = name && freeContainerName(name, this.dependencies.containers());
      this.draft = { ...last.args, image, name: free };
      this.#notKept = last.notKept;
    }
    return picked !== undefined;
  }

  #imageRow(): FormRow {
    const { image = '' } = this.draft;
    const known = knownReferences(this.dependencies.images);
    return {
      label: l10n.t('Image'),
      value: known.find(({ reference }) => reference === image)?.label ?? image,
      edit: () => this.#askImage(),
    };
  }

  #pullRow(): FormRow {
    const { image = '', platform } = this.draft;
    return {
      label: l10n.t('Pull Now'),
      icon: 'cloud-download',
      value: l10n.t("not available locally; pull to load the image's defaults"),
      edit: async () => {
        if (await this.dependencies.pull({ reference: image, platform }))
          await this.#readDefaults();
      },
    };
  }

  async #askImage(step?: 1): Promise<void> {
    const references = knownReferences(this.dependencies.images);
    const image = await askReference(this.ui, this.titleOf(l10n.t('Image'), step), {
      placeholder: l10n.t('Select an image or enter an image name, for example busybox:latest'),
      typed: l10n.t('use this image (pulled if not available locally)'),
      groups: [{ heading: l10n.t('local'), references }],
      problem: (text) => validationMessage(() => checkImage(text)),
      prefersTyped: false,
    });
    if (image === undefined) return;
    this.keep('image', image);
    await this.#readDefaults();
  }

  async #readDefaults(): Promise<void> {
    this.defaults = await this.dependencies.defaultsOf(this.draft.image ?? '');
  }
}

function endOf(end: CreateAction): FormAction<CreateAction> {
  switch (end) {
    case 'create':
      return { label: l10n.t('Create'), icon: 'add', result: end };
    case 'start':
      return { label: l10n.t('Create and Start'), icon: 'play', result: end };
    case 'follow':
      return { label: l10n.t('Create, Start, and Show Logs'), icon: 'output', result: end };
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
