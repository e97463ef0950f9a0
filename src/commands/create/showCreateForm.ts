import * as vscode from 'vscode';

import { createSpec } from '../../engine/options/createSpec.ts';
import { checkImage } from '../../engine/options/optionChecks.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { Container, Image } from '../../engine/model.ts';
import {
  conflictMessage,
  freeContainerName,
  findPortConflicts,
  portConflictMessage,
  missingProgramMessage,
} from './portConflicts.ts';
import type { CreateFormState } from './createFormState.ts';
import { finishDraft, stillMissing, type CreateDraft } from './createDraft.ts';
import type { CreateAction, RememberedCreate } from './createHistory.ts';
import { commandRow, createRows } from './createRows.ts';
import type { SuggestPort } from './createImageRows.ts';
import {
  askChoice,
  showForm,
  type FormAction,
  type FormRow,
  type Form,
  type StepTitle,
} from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import { askReference, type KnownReference } from '../forms/askReference.ts';

const { l10n } = vscode;

/**
 * Asks for everything about a container: first its image, unless `preset` has one, then the rest in any order.
 * Resolves to the argument of `gantry.containers.create` and the end picked, or to undefined where the person leaves.
 */
export async function showCreateForm(
  seams: CreateFormDependencies,
  preset: CreatePreset,
): Promise<CreateFormResult | undefined> {
  return new CreateForm(seams, preset).ask();
}

/** What the form asks of an engine and remembers of a person. */
export interface CreateFormDependencies {
  readonly images: readonly Image[];
  /** As they are now. */
  readonly containers: () => readonly Container[];
  /** What an image says of its containers; undefined where it is not here, or nothing can be asked. */
  readonly defaultsOf: (image: string) => Promise<ImageDefaults | undefined>;
  /** Gets an image before its container is made. False where that failed, and the person knows. */
  readonly pull: (image: string, platform: string | undefined) => Promise<boolean>;
  readonly suggestPort: SuggestPort;
  /** Whether the engine can take a variable of the image away. */
  readonly canUnset: boolean;
  readonly last: (image: string) => RememberedCreate | undefined;
  /** The first is the one that is meant most. */
  readonly ends: readonly CreateAction[];
}

/** What a person wants: a container, and what is to happen to it then. */
export interface CreateFormResult {
  readonly args: CreateArguments;
  readonly end: CreateAction;
}

/** How a form begins. */
export interface CreatePreset {
  /** What the form is called; default: that it creates a container. */
  readonly title?: string;
  readonly draft: CreateDraft;
  /** Whether the draft is only an image, so that what was last made of it may be begun with. */
  readonly isFresh?: true;
  /** What is to be known about the draft: a sentence. */
  readonly warning?: string;
}

class CreateForm implements CreateFormState {
  readonly #dependencies: CreateFormDependencies;
  readonly #isFresh: boolean;
  readonly #title: string;
  #draft: CreateDraft;
  #defaults: ImageDefaults | undefined;
  readonly #warning: string | undefined;
  #notKept: readonly string[] = [];

  constructor(seams: CreateFormDependencies, { draft, isFresh, warning, title }: CreatePreset) {
    this.#dependencies = seams;
    this.#draft = draft;
    this.#isFresh = isFresh === true;
    this.#warning = warning;
    this.#title = title ?? l10n.t('Create Container');
  }

  get draft(): CreateDraft {
    return this.#draft;
  }

  get defaults(): ImageDefaults | undefined {
    return this.#defaults;
  }

  keep<Field extends keyof CreateDraft>(field: Field, value: CreateDraft[Field]): void {
    this.#draft = { ...this.#draft, [field]: value };
  }

  titleOf(label: string | undefined, step?: 1 | 2): StepTitle {
    const title = label === undefined ? this.#title : l10n.t('{0}: {1}', this.#title, label);
    return step === undefined ? { title } : { title, step, totalSteps: 2 };
  }

  async ask(): Promise<CreateFormResult | undefined> {
    if (this.#draft.image === undefined) await this.#askImage(1);
    else await this.#readDefaults();
    if (this.#draft.image === undefined) return undefined;
    if (this.#isFresh && !(await this.#askBeginning())) return undefined;
    const end = await showForm(this.titleOf(undefined, 2), () => ({
      actions: this.#dependencies.ends.map(endOf),
      rows: this.#rows(),
      ...this.#faults(),
    }));
    return end && { args: finishDraft(this.#draft, end !== 'create'), end };
  }

  #rows(): readonly FormRow[] {
    const { canUnset, suggestPort } = this.#dependencies;
    return [
      this.#imageRow(),
      ...(this.#defaults ? [] : [this.#pullRow()]),
      ...createRows(this, { canUnset, suggestPort }),
    ];
  }

  #faults(): Omit<Form<CreateAction>, 'actions' | 'rows'> {
    const args = finishDraft(this.#draft, false);
    const containers = this.#dependencies.containers();
    const wrong =
      validationMessage(() => createSpec(args, l10n)) ?? conflictMessage(args, containers, l10n);
    const missingProgram = this.#defaults && missingProgramMessage(args, this.#defaults, l10n);
    const problem = wrong ?? missingProgram;
    const remedy = wrong === undefined && missingProgram ? commandRow(this) : undefined;
    const held =
      problem === undefined
        ? portConflictMessage(findPortConflicts(args.ports ?? [], containers, l10n), l10n)
        : undefined;
    const missing = stillMissing(this.#draft, this.#notKept);
    const notKept = missing.length > 0 ? notKeptMessage(missing) : undefined;
    const warnings = [this.#warning, notKept, held].filter((one) => one !== undefined);
    return { problem, remedy, warning: warnings.length === 0 ? undefined : warnings.join(' ') };
  }

  /** Whether to begin with what was filled in last for this image. False where the person leaves. */
  async #askBeginning(): Promise<boolean> {
    const { image = '' } = this.#draft;
    const last = this.#dependencies.last(image);
    if (!last) return true;
    const picked = await askChoice(
      this.titleOf(l10n.t('Begin')),
      l10n.t('You have made a container of this image before'),
      [
        {
          label: l10n.t('Start from last time'),
          detail: lastUsedMessage(last),
          value: true,
        },
        { label: l10n.t('Start from the image'), value: false },
      ],
      () => false,
    );
    if (picked?.value === true) this.#beginWith(last, image);
    return picked !== undefined;
  }

  #beginWith({ args, notKept }: RememberedCreate, image: string): void {
    const name =
      args.name === undefined
        ? undefined
        : freeContainerName(args.name, this.#dependencies.containers());
    this.#draft = { ...args, image, name };
    this.#notKept = notKept;
  }

  #imageRow(): FormRow {
    const { image = '' } = this.#draft;
    const known = knownReferences(this.#dependencies.images).find((one) => one.reference === image);
    return {
      label: l10n.t('Image'),
      value: known?.label ?? image,
      edit: () => this.#askImage(),
    };
  }

  #pullRow(): FormRow {
    const { image = '', platform } = this.#draft;
    return {
      label: l10n.t('Pull Now'),
      icon: 'cloud-download',
      value: l10n.t('the image is not here; what it says of its containers comes with it'),
      edit: async () => {
        if (await this.#dependencies.pull(image, platform)) await this.#readDefaults();
      },
    };
  }

  async #askImage(step?: 1): Promise<void> {
    const image = await askReference(this.titleOf(l10n.t('Image'), step), {
      placeholder: l10n.t('Pick an image, or type any: busybox:latest'),
      typed: l10n.t('use this name; it is pulled if it is not here'),
      groups: [{ heading: l10n.t('here'), references: knownReferences(this.#dependencies.images) }],
      problem: (text) => validationMessage(() => checkImage(text, l10n)),
      prefersTyped: false,
    });
    if (image === undefined) return;
    this.keep('image', image);
    await this.#readDefaults();
  }

  async #readDefaults(): Promise<void> {
    this.#defaults = await this.#dependencies.defaultsOf(this.#draft.image ?? '');
  }
}

function endOf(end: CreateAction): FormAction<CreateAction> {
  switch (end) {
    case 'create':
      return { label: l10n.t('Create'), icon: 'add', result: end };
    case 'start':
      return { label: l10n.t('Create and Start'), icon: 'play', result: end };
    case 'follow':
      return { label: l10n.t('Create, Start and Follow'), icon: 'output', result: end };
  }
}

function lastUsedMessage({ args, notKept }: RememberedCreate): string {
  const parts = [args.name ?? '', ...(args.ports ?? []), ...(args.mounts ?? [])];
  const said = parts.filter((part) => part !== '').join(', ');
  return [said, notKept.length > 0 ? notKeptMessage(notKept) : '']
    .filter((part) => part !== '')
    .join(' · ');
}

function notKeptMessage(notKept: readonly string[]): string {
  return l10n.t('Not kept, as it may be secret: {0}.', notKept.join(', '));
}

/** An untagged image has nothing but its id to be called by. */
function knownReferences(images: readonly Image[]): KnownReference[] {
  const shortId = (id: string): string => id.replace('sha256:', '').slice(0, 12);
  return images.flatMap(({ id, tags }): KnownReference[] => {
    if (tags.length === 0) {
      return [{ label: shortId(id), description: l10n.t('untagged'), reference: id }];
    }
    return tags.map((tag) => ({ label: tag, description: shortId(id), reference: tag }));
  });
}
