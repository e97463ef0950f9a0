/** The rows of the create form that offer values of the image: variables, ports, volumes. */

import * as l10n from '@vscode/l10n';
import { nonEmpty } from '../../engine/options/containerOption.ts';
import { checkEnv, checkEnvName } from '../../engine/options/optionChecks.ts';
import { parseMount } from '../../engine/options/mountSpec.ts';
import { parsePort, type PortBinding } from '../../engine/options/portBinding.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import { listFieldRow, type CreateFormState } from './createFormState.ts';
import type { FormRow } from '../ui/form.ts';
import { validationMessage } from '../ui/formRows.ts';
import type { ListOffer } from '../ui/editList.ts';

/**
 * Returns the row for environment variables. A name without a value unsets a variable, if the engine supports
 * that.
 */
export function envRow(state: CreateFormState): FormRow {
  const { draft, defaults } = state;
  const { canUnset } = state.dependencies;
  const inherited = defaults?.env ?? [];
  const count = inherited.length;
  const form = canUnset ? l10n.t('NAME=value, or NAME to unset') : 'NAME=value';
  return listFieldRow(state, 'env', l10n.t('Environment variables'), form, 'TZ=Europe/Vienna', {
    entries: [...(draft.env ?? []), ...(draft.unsetEnv ?? [])],
    ...(count > 0 && { otherwise: l10n.t('none ({0} from the image)', count) }),
    problem: (text) => validationMessage(() => checkVariable(text, canUnset)),
    mask: maskAssignment,
    describe: (entry) => (entry.includes('=') ? undefined : l10n.t('not set')),
    offers: () => ({
      heading: l10n.t('from the image; select one to change it'),
      of: (entries) => inheritedOffers(inherited, entries, canUnset),
    }),
    keep: (entries) => {
      state.keep('env', nonEmpty(entries.filter((entry) => entry.includes('='))));
      state.keep('unsetEnv', nonEmpty(entries.filter((entry) => !entry.includes('='))));
    },
  });
}

function checkVariable(text: string, canUnset: boolean): string {
  const isName = canUnset && text !== '' && !text.includes('=');
  return isName ? checkEnvName(text) : checkEnv(text);
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
      label: maskAssignment(entry),
      entry,
      isEdited: true,
      ...(canUnset && {
        other: { entry: nameIn(entry), tooltip: l10n.t('Unset'), icon: 'close' },
      }),
    }));
}

function nameIn(entry: string): string {
  return entry.split('=', 1)[0] ?? '';
}

/** Returns the row for ports. Offers each exposed port of the image that is not yet published. */
export function portsRow(state: CreateFormState): FormRow {
  const exposed = state.defaults?.ports ?? [];
  const form = '[ip:][hostPort:]containerPort[/proto]';
  return listFieldRow(state, 'ports', l10n.t('Ports'), form, '8080:80', {
    ...(exposed.length > 0 && {
      otherwise: l10n.t('none (exposed by the image: {0})', exposed.join(', ')),
    }),
    offers: async () => {
      const offers = await portOffers(exposed, state);
      return {
        heading: l10n.t('exposed by the image; select one to publish it'),
        of: (entries) => {
          const published = bindings(entries).map(({ containerPort }) => containerPort);
          return offers.filter(({ port }) => !published.includes(port));
        },
      };
    },
  });
}

interface PortOffer extends ListOffer {
  readonly port: string;
}

async function portOffers(
  exposed: readonly string[],
  { draft, dependencies }: CreateFormState,
): Promise<readonly PortOffer[]> {
  const given = new Set(bindings(draft.ports ?? []).map(({ hostPort }) => Number(hostPort)));
  const offers: PortOffer[] = [];
  for (const port of exposed) {
    const [number = '', protocol = 'tcp'] = port.split('/');
    const free = await dependencies.suggestPort(Number(number), protocol, given);
    if (free !== undefined) given.add(free);
    const ending = protocol === 'tcp' ? number : port;
    const entry = free === undefined ? ending : `${free}:${ending}`;
    const description = free === undefined ? '' : l10n.t('{0} is free', String(free));
    offers.push({ port, label: entry, description, entry });
  }
  return offers;
}

/** Parses the valid entries. The others were rejected, or are still being typed. */
function bindings(entries: readonly string[]): readonly PortBinding[] {
  return entries
    .filter((entry) => validationMessage(() => parsePort(entry)) === undefined)
    .flatMap((entry) => parsePort(entry));
}

/** Returns the row for mounts. Each volume of the image can get a name, so that it outlives the container. */
export function mountsRow(state: CreateFormState): FormRow {
  const declared = state.defaults?.volumes ?? [];
  const form = 'source:target[:ro]';
  return listFieldRow(state, 'mounts', l10n.t('Mounts'), form, '/srv/data:/data', {
    ...(declared.length > 0 && {
      otherwise: l10n.t('none (anonymous volume at {0})', declared.join(', ')),
    }),
    offers: () => ({
      heading: l10n.t('volumes of the image; select one to name it'),
      of: (entries) => volumeOffers(declared, state.draft.image ?? '', entries),
    }),
  });
}

function volumeOffers(
  declared: readonly string[],
  image: string,
  entries: readonly string[],
): readonly ListOffer[] {
  const repository = shortName(image) || 'volume';
  const valid = entries.filter((entry) => !validationMessage(() => parseMount(entry)));
  const mounted = new Set(valid.map((entry) => parseMount(entry).target));
  return declared
    .filter((path) => !mounted.has(path))
    .map((path) => {
      const folder = path.split('/').findLast((part) => part !== '') ?? 'data';
      const name = `${repository}-${folder}`.replaceAll(/[^\w.-]/g, '-');
      const description = l10n.t('as volume {0}', name);
      return { label: path, description, entry: `${name}:${path}`, isEdited: true };
    });
}

/** Returns the last component of the repository: `app` of `registry.example.org:5000/me/app:1@sha256:…`. */
function shortName(image: string): string {
  const [tagged = ''] = image.split('@', 1);
  return tagged.split('/').at(-1)?.split(':', 1)[0] ?? '';
}
