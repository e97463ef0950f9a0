/** What a container sees of its machine: folders, volumes, memory as folders, devices. */

import type { CreateArguments } from '../engine/options/options.ts';
import { asList, asRecord, asText, asTextMap, asTexts } from '../engine/wire.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Mounts and folders in memory, with the targets of those that cannot be said. */
export interface MountArguments {
  readonly args: Pick<CreateArguments, 'mounts' | 'tmpfs'>;
  readonly unsupported: readonly string[];
}

/** A volume nobody gave a name: the next container gets one of its own. */
const NAMELESS = /^[0-9a-f]{64}$/;

/** What engines write of a bind that says nothing of it, or that is so everywhere. */
const USUAL_BIND: ReadonlySet<string> = new Set([
  'rw',
  'rprivate',
  'rbind',
  'nosuid',
  'nodev',
  'exec',
]);
const KNOWN_BIND: ReadonlySet<string> = new Set(['ro', 'z', 'Z']);

const USUAL_TMPFS: ReadonlySet<string> = new Set([
  'rw',
  'rprivate',
  'nosuid',
  'nodev',
  'tmpcopyup',
]);

/** Folders in memory that an engine adds by itself to a container that may not write. */
const ADDED_TMPFS: ReadonlySet<string> = new Set(['/run', '/tmp', '/var/tmp', '/dev/shm']);

/**
 * @param container its whole inspect.
 * @param image the `Config` of its image: what it declares as a volume comes by itself.
 */
export function mountArguments(container: Wire, image: Wire): MountArguments {
  const host = asRecord(container['HostConfig']);
  const declared = new Set(Object.keys(asRecord(image['Volumes'])));
  const binds = asTexts(host['Binds']).map(readBind);
  const typed = asList(host['Mounts']).map((one) => readTyped(asRecord(one)));
  const found = [...binds, ...typed];
  const mounts = found.flatMap(({ mount }) => mount ?? []);
  const memory = [...tmpfsOf(host), ...found.flatMap(({ tmpfs }) => tmpfs ?? [])];
  const left = [
    ...found.flatMap((one) => (one.left === undefined ? [] : [one.left])),
    ...nameless(container),
  ];
  return {
    args: {
      ...(mounts.length > 0 && { mounts }),
      ...(memory.length > 0 && { tmpfs: memory }),
    },
    unsupported: [...new Set(left)].filter((target) => !declared.has(target)),
  };
}

interface Found {
  readonly mount?: string;
  readonly tmpfs?: string;
  /** Its target, where something of it cannot be said. */
  readonly left?: string;
}

/** `source:target[:options]` as the engine spells it. */
function readBind(text: string): Found {
  const [, source = '', target = '', options = ''] =
    /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::(.*))?$/.exec(text) ?? [];
  if (source === '') return { left: text };
  if (NAMELESS.test(source)) return { left: target };
  const all = options.split(',').filter((option) => option !== '' && !USUAL_BIND.has(option));
  const known = all.filter((option) => KNOWN_BIND.has(option));
  return {
    mount: [source, target, ...(known.length > 0 ? [known.join(',')] : [])].join(':'),
    ...(known.length < all.length && { left: target }),
  };
}

/** What says more than what a bind can say. */
const MORE = ['BindOptions', 'VolumeOptions', 'TmpfsOptions', 'ImageOptions'];

function readTyped(mount: Wire): Found {
  const [kind, source, target] = [mount['Type'], mount['Source'], mount['Target']].map(asText);
  if (target === undefined || target === '') return {};
  const saysMore = MORE.some((name) => isSaying(mount[name]));
  if (kind === 'tmpfs') return { tmpfs: target, ...(saysMore && { left: target }) };
  if ((kind !== 'bind' && kind !== 'volume') || source === '') return { left: target };
  const isReadOnly = mount['ReadOnly'] === true;
  return {
    mount: `${source ?? ''}:${target}${isReadOnly ? ':ro' : ''}`,
    ...(saysMore && { left: target }),
  };
}

/** That a missing folder is made is what a bind does anyway. */
function isSaying(options: unknown): boolean {
  return Object.entries(asRecord(options)).some(
    ([name, value]) =>
      name !== 'CreateMountpoint' && value !== null && value !== '' && value !== false,
  );
}

/** Targets of volumes without a name, which the next container has none of unless its image says so. */
function nameless(container: Wire): readonly string[] {
  return asList(container['Mounts'])
    .map(asRecord)
    .filter((mount) => mount['Type'] === 'volume' && NAMELESS.test(asText(mount['Name'])))
    .map((mount) => asText(mount['Destination']));
}

function tmpfsOf(host: Wire): readonly string[] {
  return Object.entries(asTextMap(host['Tmpfs'])).flatMap(([target, options]) => {
    const said = options.split(',').filter((one) => one !== '');
    const kept = said.filter((one) => !USUAL_TMPFS.has(one));
    const isAdded = said.includes('tmpcopyup') && kept.length === 0 && ADDED_TMPFS.has(target);
    if (isAdded && host['ReadonlyRootfs'] === true) return [];
    return [kept.length > 0 ? `${target}:${kept.join(',')}` : target];
  });
}
