/** The rows of the create form that offer values of the image: variables and ports. */

import * as l10n from '@vscode/l10n';
import { nonEmpty } from '../../engine/options/containerOption.ts';
import { checkEnv, checkEnvName } from '../../engine/options/optionChecks.ts';
import { parsePort, type PortBinding } from '../../engine/options/portBinding.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import type { FormDependencies } from './formDependencies.ts';
import type { SuggestPort } from './portConflicts.ts';
import type { CreateFormDraft } from './createDraft.ts';
import { listOptionRow, type CreateRow } from './optionRows.ts';
import { validationMessage } from '../ui/formRows.ts';
import type { ListOffer } from '../ui/editList.ts';

/**
 * Returns the row for environment variables. A name without a value unsets a variable, if the engine supports
 * that.
 */
export function envRow(
  { env = [], unsetEnv = [], defaults }: CreateFormDraft,
  { canUnset }: FormDependencies,
): CreateRow {
  const inherited = defaults?.env ?? [];
  const count = inherited.length;
  return {
    kind: 'list',
    label: l10n.t('Environment variables'),
    form: canUnset ? l10n.t('NAME=value, or NAME to unset') : 'NAME=value',
    example: 'TZ=Europe/Vienna',
    otherwise: count > 0 ? l10n.t('none ({0} from the image)', count) : undefined,
    check: (text) => checkVariable(text, canUnset),
    mask: maskAssignment,
    describe: (entry) => (entry.includes('=') ? undefined : l10n.t('not set')),
    offers: () => ({
      heading: l10n.t('from the image; select one to change it'),
      of: (entries) => inheritedOffers(inherited, entries, canUnset),
    }),
    value: [...env, ...unsetEnv],
    keep: (entries) => ({
      env: nonEmpty(entries.filter((entry) => entry.includes('='))),
      unsetEnv: nonEmpty(entries.filter((entry) => !entry.includes('='))),
    }),
  };
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
export function portsRow(draft: CreateFormDraft, dependencies: FormDependencies): CreateRow {
  const exposed = draft.defaults?.ports ?? [];
  const form = '[ip:][hostPort:]containerPort[/proto]';
  const none = l10n.t('none (exposed by the image: {0})', exposed.join(', '));
  return listOptionRow('ports', l10n.t('Ports'), form, '8080:80', {
    otherwise: exposed.length > 0 ? none : undefined,
    offers: async () => {
      const offers = await portOffers(exposed, draft.ports ?? [], dependencies.suggestPort);
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
  published: readonly string[],
  suggestPort: SuggestPort,
): Promise<readonly PortOffer[]> {
  const given = new Set(bindings(published).map(({ hostPort }) => Number(hostPort)));
  const offers: PortOffer[] = [];
  for (const port of exposed) {
    const [number = '', protocol = 'tcp'] = port.split('/');
    const free = await suggestPort(Number(number), protocol, given);
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
