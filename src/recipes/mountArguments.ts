/** Reads mounts and tmpfs mounts from a container inspect as create options. */

import type { CreateArguments } from '../engine/options/options.ts';
import { asList, asRecord, asText, asTextMap, asTexts } from '../engine/wire.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Mount and tmpfs options, with the targets of the mounts that no option can express. */
export interface MountArguments {
  readonly args: Pick<CreateArguments, 'mounts' | 'tmpfs'>;
  readonly unsupported: readonly string[];
}

/** The name of an anonymous volume, which is not reused: the next container gets a new one. */
const NAMELESS = /^[0-9a-f]{64}$/;

/** Options that engines write for every mount, or that are the default. */
const USUAL = ['rw', 'rprivate', 'nosuid', 'nodev'];
const USUAL_BIND: ReadonlySet<string> = new Set([...USUAL, 'rbind', 'exec']);
const KNOWN_BIND: ReadonlySet<string> = new Set(['ro', 'z', 'Z']);

const USUAL_TMPFS: ReadonlySet<string> = new Set([...USUAL, 'tmpcopyup']);

/** The tmpfs mounts that an engine adds to a container with a read-only root file system. */
const ADDED_TMPFS: ReadonlySet<string> = new Set(['/run', '/tmp', '/var/tmp', '/dev/shm']);

/**
 * @param container the complete inspect response.
 * @param image the `Config` of its image: volumes that the image declares need no option.
 */
export function mountArguments(container: Wire, image: Wire): MountArguments {
  const host = asRecord(container['HostConfig']);
  const declared = new Set(Object.keys(asRecord(image['Volumes'])));
  const binds = asTexts(host['Binds']).map(readBind);
  const typed = asList(host['Mounts']).map((one) => readTyped(asRecord(one)));
  const found = [...binds, ...typed];
  const mounts = found.flatMap(({ mount }) => mount ?? []);
  const memory = [...tmpfsOf(host), ...found.flatMap(({ tmpfs }) => tmpfs ?? [])];
  const left = [...found.flatMap((one) => one.left ?? []), ...nameless(container)];
  return {
    args: {
      mounts: mounts.length > 0 ? mounts : undefined,
      tmpfs: memory.length > 0 ? memory : undefined,
    },
    unsupported: [...new Set(left)].filter((target) => !declared.has(target)),
  };
}

interface Found {
  readonly mount?: string;
  readonly tmpfs?: string;
  /** The target of a mount that cannot be expressed completely. */
  readonly left?: string;
}

/** Parses `source:target[:options]` as written by the engine. */
function readBind(text: string): Found {
  const [, source = '', target = '', options = ''] =
    /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::(.*))?$/.exec(text) ?? [];
  if (source === '') return { left: text };
  if (NAMELESS.test(source)) return { left: target };
  const all = options.split(',').filter((option) => option !== '' && !USUAL_BIND.has(option));
  const known = all.filter((option) => KNOWN_BIND.has(option));
  return {
    mount: [source, target, ...(known.length > 0 ? [known.join(',')] : [])].join(':'),
    left: known.length < all.length ? target : undefined,
  };
}

/** Fields with options that a bind string cannot express. */
const MORE = ['BindOptions', 'VolumeOptions', 'TmpfsOptions', 'ImageOptions'];

function readTyped(mount: Wire): Found {
  const [kind, source, target] = [mount['Type'], mount['Source'], mount['Target']].map(asText);
  if (target === undefined || target === '') return {};
  const left = MORE.some((name) => hasOptions(mount[name])) ? target : undefined;
  if (kind === 'tmpfs') return { tmpfs: target, left };
  if ((kind !== 'bind' && kind !== 'volume') || source === '') return { left: target };
  const isReadOnly = mount['ReadOnly'] === true;
  return { mount: `${source ?? ''}:${target}${isReadOnly ? ':ro' : ''}`, left };
}

/** Whether options are set. `CreateMountpoint` is ignored because a bind creates a missing folder anyway. */
function hasOptions(options: unknown): boolean {
  return Object.entries(asRecord(options)).some(
    ([name, value]) =>
      name !== 'CreateMountpoint' && value !== null && value !== '' && value !== false,
  );
}

/**
 * Returns the targets of anonymous volumes, which the next container does not have unless its image declares
 * them.
 */
function nameless(container: Wire): readonly string[] {
  return asList(container['Mounts'])
    .map(asRecord)
    .filter((mount) => mount['Type'] === 'volume' && NAMELESS.test(asText(mount['Name'])))
    .map((mount) => asText(mount['Destination']));
}

function tmpfsOf(host: Wire): readonly string[] {
  return Object.entries(asTextMap(host['Tmpfs'])).flatMap(([target, options]) => {
    const given = options.split(',').filter((one) => one !== '');
    const kept = given.filter((one) => !USUAL_TMPFS.has(one));
    const isAdded = given.includes('tmpcopyup') && kept.length === 0 && ADDED_TMPFS.has(target);
    if (isAdded && host['ReadonlyRootfs'] === true) return [];
    return [kept.length > 0 ? `${target}:${kept.join(',')}` : target];
  });
}
