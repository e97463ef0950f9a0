/** Reads mounts and tmpfs mounts from a container inspect as create options. */

import type { CreateArguments } from '../engine/options/options.ts';
import { formatTypedMount } from '../engine/options/typedMount.ts';
import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../engine/wire/wire.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Mount and tmpfs options, with the targets of the mounts that no option can express. */
interface MountArguments {
  readonly args: Pick<CreateArguments, 'mounts' | 'tmpfs'>;
  readonly unsupported: readonly string[];
}

/** The name of an anonymous volume, which is not reused: the next container gets a new one. */
const NAMELESS = /^[0-9a-f]{64}$/;

/** Options that engines write for every mount, or that are the default. */
const USUAL = ['rw', 'rprivate', 'nosuid', 'nodev'];
const USUAL_BIND: ReadonlySet<string> = new Set([...USUAL, 'rbind', 'exec']);

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
  const used = asList(container['Mounts']).map(asRecord);
  const binds = asTexts(host['Binds']).map((text) => readBind(text, used));
  const typed = asList(host['Mounts']).map((one) => readTyped(asRecord(one)));
  const anonymous = Object.keys(asRecord(asRecord(container['Config'])['Volumes'])).filter(
    (target) => !declared.has(target),
  );
  const found: readonly Found[] = [...binds, ...typed, ...anonymous.map((mount) => ({ mount }))];
  const mounts = found.flatMap(({ mount }) => mount ?? []);
  const memory = [...tmpfsOf(host), ...found.flatMap(({ tmpfs }) => tmpfs ?? [])];
  const copied = new Set([
    ...anonymous,
    ...asTexts(host['Binds']),
    ...typed.map(({ target }) => target),
  ]);
  const unnamed = nameless(used).filter((target) => !copied.has(target));
  const left = [...found.flatMap((one) => one.left ?? []), ...unnamed, ...otherKinds(used)];
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
  /** The target of a mount whose volume has no name; it is expressed. */
  readonly target?: string;
}

/** Reads `source:target[:options]` or `/target`, as written by the engine. @param used the mounts in use. */
function readBind(text: string, used: readonly Wire[]): Found {
  if (/^\/[^:]*$/.test(text)) return { mount: text };
  const [source, target, options] = splitBind(text, used);
  if (source === '') return { left: text };
  if (NAMELESS.test(source)) return { left: target };
  const kept = options.split(',').filter((option) => option !== '' && !USUAL_BIND.has(option));
  if (!hasColon(source, target))
    return { mount: [source, target, ...(kept.length > 0 ? [kept.join(',')] : [])].join(':') };
  const mount = { Type: 'bind', Source: source, Target: target, ReadOnly: kept.includes('ro') };
  return {
    mount: formatTypedMount(mount),
    left: kept.some((one) => one !== 'ro') ? target : undefined,
  };
}

/** Splits a bind. Podman writes one for every mount, also with a path that has a colon: the mount in use tells. */
function splitBind(text: string, used: readonly Wire[]): readonly [string, string, string] {
  for (const mount of used) {
    const path = asText(mount['Source']);
    const folder = asText(mount['Destination']);
    const start = `${path}:${folder}`;
    const isIt = path !== '' && (text === start || text.startsWith(`${start}:`));
    if (isIt) return [path, folder, text.slice(start.length + 1)];
  }
  const [, source = '', target = '', options = ''] =
    /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::([^:]*))?$/.exec(text) ?? [];
  return [source, target, options];
}

function readTyped(mount: Wire): Found {
  const [kind, source, target] = [mount['Type'], mount['Source'], mount['Target']].map(asText);
  if (target === undefined || target === '') return {};
  if (kind === 'tmpfs') return readTypedTmpfs(mount, target);
  const typed = formatTypedMount(mount);
  if (typed === undefined || (kind === 'bind' && source === '')) return { left: target };
  if (source === '') return { mount: isPlain(typed) ? target : typed, target };
  const end = mount['ReadOnly'] === true ? ':ro' : '';
  const short = `${source}:${target}${end}`;
  return { mount: isPlain(typed) && !hasColon(source, target) ? short : typed };
}

/** Whether a mount has no option but read-only, or the creation of its source, which a bind does anyway. */
function isPlain(typed: string): boolean {
  return !/,"?(?:bind-propagation|volume-nocopy|volume-subpath)\b/.test(typed);
}

/** Returns the targets of anonymous volumes, which the next container does not have unless its image declares them. */
function nameless(used: readonly Wire[]): readonly string[] {
  return used
    .filter((mount) => mount['Type'] === 'volume' && NAMELESS.test(asText(mount['Name'])))
    .map((mount) => asText(mount['Destination']));
}

/** Returns the targets of what is mounted otherwise, such as an image: Podman lists it only among the mounts in use. */
function otherKinds(used: readonly Wire[]): readonly string[] {
  return used
    .filter((mount) => !['', 'bind', 'volume', 'tmpfs', 'npipe'].includes(asText(mount['Type'])))
    .map((mount) => asText(mount['Destination']));
}

/** Whether a path has a colon besides that of a drive letter. */
function hasColon(...paths: readonly (string | undefined)[]): boolean {
  return paths.some((path = '') => path.replace(/^[a-zA-Z]:(?=[\\/])/, '').includes(':'));
}

function readTypedTmpfs(mount: Wire, target: string): Found {
  const { SizeBytes, Mode, ...others } = asRecord(mount['TmpfsOptions']);
  const size = asNumber(SizeBytes) ?? 0;
  const mode = asNumber(Mode) ?? 0;
  const options = [
    ...(size > 0 ? [`size=${size}`] : []),
    ...(mode > 0 ? [`mode=${mode.toString(8)}`] : []),
    ...(mount['ReadOnly'] === true ? ['ro'] : []),
  ];
  const isWhole = !hasColon(target) && Object.values(others).every((value) => (value ?? '') === '');
  const tmpfs = options.length > 0 ? `${target}:${options.join(',')}` : target;
  return isWhole ? { tmpfs } : { left: target };
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
