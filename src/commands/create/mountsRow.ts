import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import { parseMount } from '../../engine/options/mountSpec.ts';
import { formatTypedMount } from '../../engine/options/typedMount.ts';
import { withHeading } from '../ui/askReference.ts';
import type { ListOffer } from '../ui/editList.ts';
import { validationMessage } from '../ui/formRows.ts';
import type { CreateFormDraft } from './createDraft.ts';
import type { FormDependencies } from './formDependencies.ts';
import { listOptionRow, type CreateRow } from './optionRows.ts';

/**
 * Returns the row for mounts. Offers folders and files of this machine, the volumes of the image, which can get a name
 * so that they outlive the container, and those of the engine.
 */
export function mountsRow(
  { defaults, image = '' }: CreateFormDraft,
  { volumes, browse }: FormDependencies,
): CreateRow {
  const declared = defaults?.volumes ?? [];
  const none = l10n.t('none (anonymous volume at {0})', declared.join(', '));
  return listOptionRow('mounts', l10n.t('Mounts'), 'source:target[:ro]', '/srv/data:/data', {
    otherwise: declared.length > 0 ? none : undefined,
    selected: targetIn,
    offers: async () => {
      const known = await volumes();
      return {
        of: (entries) => {
          const mounts = mountsIn(entries);
          const ofImage = declaredOffers(declared, image, mounts);
          return [
            ...withHeading(l10n.t('folders and files of this machine'), browseOffers(browse)),
            ...withHeading(l10n.t('volumes of the image; select one to name it'), ofImage),
            ...withHeading(l10n.t('volumes of the engine'), volumeOffers(known, mounts)),
          ];
        },
      };
    },
  });
}

type Mount = ReturnType<typeof parseMount>;

/** Parses the valid entries. The others were rejected, or are still being typed. */
function mountsIn(entries: readonly string[]): readonly Mount[] {
  const valid = entries.filter((entry) => !validationMessage(() => parseMount(entry)));
  return valid.map((entry) => parseMount(entry));
}

/** Returns the part of an offered entry that is the path in the container. */
function targetIn(entry: string): readonly [start: number, end: number] {
  return [Math.max(entry.lastIndexOf(':'), entry.lastIndexOf('=')) + 1, entry.length];
}

const USUAL_TARGET = '/data';

function browseOffers(browse: FormDependencies['browse']): readonly ListOffer[] {
  if (!browse)
    return [
      {
        label: l10n.t('Browse...'),
        description: l10n.t('The engine does not see the files of this machine.'),
        isDisabled: true,
      },
    ];
  const ask = (what: 'folders' | 'files') => async (): Promise<string | undefined> => {
    const path = await browse(what);
    return path === undefined ? undefined : bindEntry(path);
  };
  return [
    { label: l10n.t('Browse for a Folder...'), icon: 'folder-opened', ask: ask('folders') },
    { label: l10n.t('Browse for a File...'), icon: 'file', ask: ask('files') },
  ];
}

/** Returns the mount of a folder or file, below its own name. */
function bindEntry(path: string): string {
  const name = basename(path);
  const target = /^\.?\w[\w.-]*$/.test(name) ? `/${name}` : USUAL_TARGET;
  const entry = `${path}:${target}`;
  if (validationMessage(() => parseMount(entry)) === undefined) return entry;
  // A path with a colon can be written only in the form of `--mount`.
  return formatTypedMount({ Type: 'bind', Source: path, Target: target }) ?? entry;
}

/** Offers the volumes that are not mounted yet. */
function volumeOffers(names: readonly string[], mounts: readonly Mount[]): readonly ListOffer[] {
  return names
    .filter((name) => !mounts.some(({ source }) => source === name))
    .map((name) => ({ label: name, entry: `${name}:${USUAL_TARGET}`, isEdited: true }));
}

/** Offers a name for each volume of the image that is not mounted yet. */
function declaredOffers(
  declared: readonly string[],
  image: string,
  mounts: readonly Mount[],
): readonly ListOffer[] {
  const repository = shortName(image) || 'volume';
  return declared
    .filter((path) => !mounts.some(({ target }) => target === path))
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
