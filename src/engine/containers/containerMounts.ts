import type { ContainerDetails } from './containerDetails.ts';
import { asList, asRecord, asText } from '../wire.ts';

/** All mounts of a container, in the order of their places: what is in them is no part of an image made of it. */
export function containerMounts({ raw }: Pick<ContainerDetails, 'raw'>): readonly ContainerMount[] {
  const wire = asRecord(raw);
  const mounts = asList(wire['Mounts']).map(asRecord).map(readMount);
  // Docker tells of memory only where it was asked for it.
  const inMemory = Object.keys(asRecord(asRecord(wire['HostConfig'])['Tmpfs']));
  const all = [...mounts, ...inMemory.map((target) => ({ type: 'tmpfs', target, source: '' }))];
  const unique = new Map(all.filter(({ target }) => target !== '').map((one) => [one.target, one]));
  return [...unique.values()].sort((a, b) => (a.target < b.target ? -1 : 1));
}

/** Something that lies over a container's own files. */
export interface ContainerMount {
  /** `volume`, `bind`, `tmpfs`, or an engine's own word. */
  readonly type: string;
  /** In the container. */
  readonly target: string;
  /** The volume's name or the folder on the engine's machine; empty for memory. */
  readonly source: string;
}

function readMount(wire: Readonly<Record<string, unknown>>): ContainerMount {
  const type = asText(wire['Type']);
  const name = asText(wire['Name']);
  const source = type === 'volume' && name !== '' ? name : asText(wire['Source']);
  return { type, target: asText(wire['Destination']), source };
}
