import * as vscode from 'vscode';

import {
  checkContainerName,
  checkEnv,
  checkImage,
  checkPlatform,
  checkUser,
  checkWorkingDir,
  createSpec,
  type CreateArguments,
} from '../engine/createSpec.ts';
import type { Image } from '../engine/model.ts';
import { parseMount } from '../engine/mountSpec.ts';
import { parsePort } from '../engine/portSpec.ts';
import { networkRow, restartRow } from './createChoices.ts';
import {
  finishDraft,
  labelEntries,
  readLabels,
  readWords,
  showWords,
  type CreateDraft,
} from './createDraft.ts';
import { showOverview, type FormRow, type Place } from './form.ts';
import { flagRow, listRow, problemOf, textRow } from './formRows.ts';
import { askForReference, type KnownReference } from './referenceStep.ts';

const { l10n } = vscode;

type Check = (text: string, l10n: typeof vscode.l10n) => unknown;

/**
 * Asks for everything about a container: first its image, unless `preset` has one, then the rest in any order.
 * Resolves to the argument of `gantry.containers.create`, or to undefined where the person leaves.
 */
export async function askCreate(
  images: readonly Image[],
  preset: Partial<CreateArguments> = {},
): Promise<CreateArguments | undefined> {
  const form = new CreateForm(images, preset);
  return form.ask();
}

class CreateForm {
  readonly #images: readonly Image[];
  #draft: CreateDraft;

  constructor(images: readonly Image[], draft: CreateDraft) {
    this.#images = images;
    this.#draft = draft;
  }

  async ask(): Promise<CreateArguments | undefined> {
    if (this.#draft.image === undefined) await this.#askImage(1);
    if (this.#draft.image === undefined) return undefined;
    const start = await showOverview(placeOf(undefined, 2), () => ({
      ends: [
        { label: l10n.t('Create and Start'), icon: 'play', result: true },
        { label: l10n.t('Create'), icon: 'add', result: false },
      ],
      rows: [...this.#usualRows(), ...this.#otherRows()],
      problem: problemOf(() => createSpec(finishDraft(this.#draft, false), l10n)),
    }));
    return start === undefined ? undefined : finishDraft(this.#draft, start);
  }

  /** What people set most. */
  #usualRows(): FormRow[] {
    return [
      this.#imageRow(),
      this.#commandRow('cmd', l10n.t('Command')),
      this.#textRow('name', l10n.t('Name'), l10n.t('a random one'), 'web', checkContainerName),
      this.#listRow('env', l10n.t('Environment'), 'NAME=value', 'TZ=Europe/Vienna', checkEnv),
      this.#listRow(
        'ports',
        l10n.t('Ports'),
        '[ip:][hostPort:]containerPort[/proto]',
        '8080:80',
        parsePort,
      ),
      this.#listRow(
        'mounts',
        l10n.t('Mounts'),
        'source:target[:ro]',
        '/srv/data:/data',
        parseMount,
      ),
    ];
  }

  /** The rest of what people set. */
  #otherRows(): FormRow[] {
    const ofImage = l10n.t('the image’s own');
    return [
      this.#choiceRow('restart', l10n.t('Restart policy')),
      this.#flagRow('autoRemove', l10n.t('Remove when it stops')),
      this.#flagRow('tty', l10n.t('Terminal (TTY)')),
      this.#flagRow('openStdin', l10n.t('Keep input open')),
      this.#choiceRow('network', l10n.t('Network')),
      this.#labelsRow(),
      this.#textRow('workingDir', l10n.t('Working directory'), ofImage, '/work', checkWorkingDir),
      this.#textRow('user', l10n.t('User'), ofImage, '1000:1000', checkUser),
      this.#commandRow('entrypoint', l10n.t('Entrypoint')),
      this.#textRow(
        'platform',
        l10n.t('Platform'),
        l10n.t('the engine’s own'),
        'linux/arm64',
        checkPlatform,
      ),
    ];
  }

  #keep<Field extends keyof CreateDraft>(field: Field, value: CreateDraft[Field]): void {
    this.#draft = { ...this.#draft, [field]: value };
  }

  #imageRow(): FormRow {
    const { image = '' } = this.#draft;
    const known = knownReferences(this.#images).find((one) => one.reference === image);
    return {
      label: l10n.t('Image'),
      value: known?.label ?? image,
      edit: () => this.#askImage(),
    };
  }

  async #askImage(step?: 1): Promise<void> {
    const image = await askForReference(placeOf(l10n.t('Image'), step), {
      placeholder: l10n.t('Pick an image, or type any: busybox:latest'),
      typed: l10n.t('use this name; it is pulled if it is not here'),
      groups: [{ heading: l10n.t('here'), references: knownReferences(this.#images) }],
      problem: (text) => problemOf(() => checkImage(text, l10n)),
      prefersTyped: false,
    });
    if (image !== undefined) this.#keep('image', image);
  }

  #textRow(
    field: 'name' | 'workingDir' | 'user' | 'platform',
    label: string,
    otherwise: string,
    example: string,
    check: Check,
  ): FormRow {
    return textRow({
      label,
      place: placeOf(label),
      value: this.#draft[field] ?? '',
      otherwise,
      prompt: l10n.t('{0}; leave it empty for {1}', label, otherwise),
      example,
      problem: (text) => problemOf(() => check(text, l10n)),
      keep: (text) => {
        this.#keep(field, text === '' ? undefined : text);
      },
    });
  }

  #commandRow(field: 'cmd' | 'entrypoint', label: string): FormRow {
    return textRow({
      label,
      place: placeOf(label),
      value: showWords(this.#draft[field]),
      otherwise: l10n.t('the image’s own'),
      prompt: l10n.t('Words as in a shell, with quotes; leave it empty for the image’s own'),
      example: "sh -c 'echo hello'",
      problem: (text) => problemOf(() => readWords(text, l10n)),
      keep: (text) => {
        this.#keep(field, readWords(text, l10n));
      },
    });
  }

  #listRow(
    field: 'env' | 'ports' | 'mounts',
    label: string,
    form: string,
    example: string,
    check: Check,
  ): FormRow {
    return listRow({
      label,
      place: placeOf(label),
      entries: this.#draft[field] ?? [],
      form,
      example,
      problem: (text) => problemOf(() => check(text, l10n)),
      keep: (entries) => {
        this.#keep(field, entries);
      },
    });
  }

  #labelsRow(): FormRow {
    const label = l10n.t('Labels');
    return listRow({
      label,
      place: placeOf(label),
      entries: labelEntries(this.#draft.labels),
      form: 'name=value',
      example: 'com.example.owner=me',
      problem: (text) => problemOf(() => readLabels([text], l10n)),
      keep: (entries) => {
        this.#keep('labels', entries.length === 0 ? undefined : readLabels(entries, l10n));
      },
    });
  }

  #flagRow(field: 'autoRemove' | 'tty' | 'openStdin', label: string): FormRow {
    return flagRow(label, this.#draft[field] === true, (isOn) => {
      this.#keep(field, isOn ? true : undefined);
    });
  }

  #choiceRow(field: 'restart' | 'network', label: string): FormRow {
    const value = this.#draft[field];
    const keep = (chosen: string | undefined): void => {
      this.#keep(field, chosen);
    };
    return field === 'restart'
      ? restartRow(placeOf(label), label, value, keep)
      : networkRow(placeOf(label), label, value, keep);
  }
}

function placeOf(field: string | undefined, step?: 1 | 2): Place {
  const title =
    field === undefined ? l10n.t('Create Container') : l10n.t('Create Container: {0}', field);
  return step === undefined ? { title } : { title, step, totalSteps: 2 };
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
