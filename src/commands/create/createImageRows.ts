/** The rows of the create form that offer what the image says: variables, ports, volumes, the health check. */

import * as vscode from 'vscode';

import { nonEmpty } from '../../engine/options/containerOption.ts';
import { checkEnv, checkEnvName } from '../../engine/options/optionChecks.ts';
import { InputError } from '../../engine/errors.ts';
import { parsePort } from '../../engine/options/portBinding.ts';
import type { L10n } from '../../l10n.ts';
import { listFieldRow, type CreateFormState } from './createFormState.ts';
import type { FormRow } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import type { ListOffer } from '../forms/editList.ts';

const { l10n } = vscode;

/** A name alone stands for a variable that is not to be, where the engine can take one away. */
export function envRow(desk: CreateFormState, canUnset: boolean): FormRow {
  const { draft, defaults } = desk;
  const inherited = defaults?.env ?? [];
  const form = canUnset ? l10n.t('NAME=value, or NAME to take it away') : 'NAME=value';
  return listFieldRow(desk, 'env', l10n.t('Environment'), form, 'TZ=Europe/Vienna', {
    entries: [...(draft.env ?? []), ...(draft.unsetEnv ?? [])],
    ...(inherited.length > 0 && {
      otherwise: l10n.t('none but {0} of the image', inherited.length),
    }),
    problem: (text) => validationMessage(() => checkVariable(text, canUnset)),
    describe: (entry) => (entry.includes('=') ? undefined : l10n.t('is not set')),
    offers: () =>
      Promise.resolve({
        heading: l10n.t('of the image; pick one to change it'),
        of: (entries) => inheritedOffers(inherited, entries, canUnset),
      }),
    keep: (entries) => {
      desk.keep('env', nonEmpty(entries.filter((entry) => entry.includes('='))));
      desk.keep('unsetEnv', nonEmpty(entries.filter((entry) => !entry.includes('='))));
    },
  });
}

function checkVariable(text: string, canUnset: boolean): string {
  const isName = canUnset && text !== '' && !text.includes('=');
  return isName ? checkEnvName(text, l10n) : checkEnv(text, l10n);
}

function inheritedOffers(
  inherited: readonly string[],
  entries: readonly string[],
  canUnset: boolean,
): readonly ListOffer[] {
  const changed = new Set(entries.map(nameIn));
  return inherited
    .filter((entry) => !changed.has(nameIn(entry)))
    .map((entry) => ({
      label: entry,
      description: '',
      entry,
      isEdited: true,
      ...(canUnset && {
        other: { entry: nameIn(entry), tooltip: l10n.t('Take It Away'), icon: 'close' },
      }),
    }));
}

function nameIn(entry: string): string {
  return entry.split('=', 1)[0] ?? '';
}

/** A free port of the engine's machine for a port of a container: undefined where none is known. */
export type SuggestPort = (
  port: number,
  protocol: string,
  besides: ReadonlySet<number>,
) => Promise<number | undefined>;

/** @param suggest asked for each port that the image exposes and nobody has published yet. */
export function portsRow(desk: CreateFormState, suggest: SuggestPort): FormRow {
  const exposed = desk.defaults?.ports ?? [];
  const form = '[ip:][hostPort:]containerPort[/proto]';
  return listFieldRow(desk, 'ports', l10n.t('Ports'), form, '8080:80', {
    ...(exposed.length > 0 && { otherwise: l10n.t('none of {0}', exposed.join(', ')) }),
    offers: async () => {
      const offers = await portOffers(exposed, desk.draft.ports ?? [], suggest);
      return {
        heading: l10n.t('exposed by the image; pick one to publish it'),
        of: (entries) => offers.filter(({ port }) => !publishedPorts(entries).has(port)),
      };
    },
  });
}

async function portOffers(
  exposed: readonly string[],
  entries: readonly string[],
  suggest: SuggestPort,
): Promise<readonly (ListOffer & { readonly port: string })[]> {
  const given = new Set<number>(hostPorts(entries));
  const offers: (ListOffer & { readonly port: string })[] = [];
  for (const port of exposed) {
    const [number = '', protocol = 'tcp'] = port.split('/');
    const free = await suggest(Number(number), protocol, given);
    if (free !== undefined) given.add(free);
    const ending = protocol === 'tcp' ? number : port;
    const entry = free === undefined ? ending : `${free}:${ending}`;
    const description = free === undefined ? '' : l10n.t('{0} is free', String(free));
    offers.push({ port, label: entry, description, entry });
  }
  return offers;
}

/** Those of entries that are ports, as the API names them; the others were refused, or are being written. */
function publishedPorts(entries: readonly string[]): ReadonlySet<string> {
  return new Set(bindings(entries).map(({ containerPort }) => containerPort));
}

function hostPorts(entries: readonly string[]): readonly number[] {
  return bindings(entries).map(({ hostPort }) => Number(hostPort));
}

function bindings(entries: readonly string[]): ReturnType<typeof parsePort> {
  return entries.flatMap((entry) => {
    try {
      return parsePort(entry, l10n);
    } catch (error) {
      if (error instanceof InputError) return [];
      throw error;
    }
  });
}

/** Each volume that the image declares can be given a name, so that it outlives the container. */
export function mountsRow(desk: CreateFormState): FormRow {
  const declared = desk.defaults?.volumes ?? [];
  return listFieldRow(desk, 'mounts', l10n.t('Mounts'), 'source:target[:ro]', '/srv/data:/data', {
    ...(declared.length > 0 && {
      otherwise: l10n.t('none; a volume without a name at {0}', declared.join(', ')),
    }),
    offers: () =>
      Promise.resolve({
        heading: l10n.t('volumes of the image; pick one to give it a name'),
        of: (entries) => volumeOffers(declared, desk.draft.image ?? '', entries, l10n),
      }),
  });
}

function volumeOffers(
  declared: readonly string[],
  image: string,
  entries: readonly string[],
  texts: L10n,
): readonly ListOffer[] {
  const repository = shortName(image) || 'volume';
  return declared
    .filter((path) => !entries.some((entry) => entry.split(':')[1] === path))
    .map((path) => {
      const folder = path.split('/').findLast((part) => part !== '') ?? 'data';
      const name = `${repository}-${folder}`.replaceAll(/[^\w.-]/g, '-');
      const entry = `${name}:${path}`;
      return {
        label: path,
        description: texts.t('as the volume {0}', name),
        entry,
        isEdited: true,
      };
    });
}

/** `app` of `registry.example.org:5000/me/app:1@sha256:…`. */
function shortName(image: string): string {
  const [tagged = ''] = image.split('@', 1);
  return tagged.split('/').at(-1)?.split(':', 1)[0] ?? '';
}
