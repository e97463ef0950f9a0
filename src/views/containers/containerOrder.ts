import * as l10n from '@vscode/l10n';
import { isTroubled, isUp, type Container, type ContainerState } from '../../engine/model.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import type { Reading } from '../../statistics/reading.ts';
import { groupLabelOf, type Arrangement } from '../arrangement/arrangements.ts';
import type { Pin } from '../arrangement/pins.ts';
import { formatImageName } from '../format.ts';
import type { RenderContext } from '../rowPresentation.ts';
import { byId, naturalOrder } from '../sortedSet.ts';
import { stateTitle } from './containerCondition.ts';

/** The order of the rows below one parent, and their groups. */
export interface ContainerOrder {
  readonly compare: (a: OrderedRow, b: OrderedRow) => number;
  /** Returns what the position of a container depends on, besides its name. */
  readonly keyOf: (container: Container) => number;
  /** Whether a row has another position, because its container uses more or less than before. */
  readonly isMoved: (row: OrderedRow) => boolean;
  /** Returns the group that a container is in; undefined if it is in none. */
  readonly groupOf: (container: Container) => string | undefined;
}

/** A row in the order. */
export interface OrderedRow {
  readonly id: string;
  readonly engine: string;
  readonly title: string;
  readonly isGroup: boolean;
  /** Its container, or the first one in it. */
  readonly sample: Container | undefined;
  /** The containers below it. */
  readonly containers?: readonly { readonly sample: Container }[];
  readonly pin: Pin | undefined;
}

/** What the position of a row depends on before its title. It holds as long as the sample is the same. */
interface Place {
  readonly sample: Container | undefined;
  readonly rank: number;
  readonly key: number;
}

/** Shared by all orders: rows of several engines may be in one list. A row has one order for life. */
const places = new WeakMap<OrderedRow, Place>();

/**
 * Returns the order for an arrangement: groups first, then what is pinned, then what is of the workspace. By default
 * not by state: if a row moved when its container stops, the next click could hit another container.
 */
export function containerOrder(
  { groupBy, sortBy, isWorkspaceFirst }: Arrangement,
  { pins, workspaceOf, readingOf }: Pick<RenderContext, 'pins' | 'workspaceOf' | 'readingOf'>,
): ContainerOrder {
  const rankOf = (row: OrderedRow): number => {
    if (pins?.isEmpty === false && row.pin && pins.has(row.pin)) return 0;
    const { sample } = row;
    return isWorkspaceFirst && sample && workspaceOf?.(sample).length ? 1 : 2;
  };
  const measured = MEASURED[sortBy];
  const keyOf = SORTS[sortBy] ?? (() => 0);
  const rowKeyOf = (row: OrderedRow, sample: Container): number =>
    measured ? -sumOf(row, sample, measured, readingOf) : keyOf(sample);
  // A sort compares each row many times.
  const placeOf = (row: OrderedRow): Place => {
    const { isGroup, sample } = row;
    const known = places.get(row);
    if (known && known.sample === sample) return known;
    const place = {
      sample,
      rank: rankOf(row),
      key: isGroup || !sample ? 0 : rowKeyOf(row, sample),
    };
    places.set(row, place);
    return place;
  };
  return {
    compare: (a, b) =>
      Number(b.isGroup) - Number(a.isGroup) ||
      comparePlaces(placeOf(a), placeOf(b)) ||
      naturalOrder(a.title, b.title) ||
      byId(a, b),
    keyOf,
    isMoved: (row) => {
      const { sample } = row;
      // One that was never compared has no others beside it.
      const known = measured && places.get(row);
      return known && sample && known.key !== rowKeyOf(row, sample) ? places.delete(row) : false;
    },
    groupOf: groupingBy(groupBy),
  };
}

/** Returns the pin of a container: in a project, that of its service, whose containers are replaced. */
export function containerPin(engine: string, container: Container): Pin {
  const project = projectOf(container);
  const service = serviceOf(container);
  return project === undefined || service === undefined
    ? [engine, 'container', container.name]
    : [engine, 'service', project, service];
}

const SORTS: Readonly<Record<string, (container: Container) => number>> = {
  created: ({ createdAt }) => -(Date.parse(createdAt) || 0),
  state: (container) => {
    if (isTroubled(container)) return 0;
    return isUp(container) ? 1 : container.state === 'created' ? 2 : 3;
  },
  port: ({ ports }) => Math.min(...ports.map(({ publicPort = NO_PORT }) => publicPort), NO_PORT),
};

const NO_PORT = 65_536;

/** What rows are sorted by that is measured again and again. Rounded, so that rows do not move all the time. */
const MEASURED: Readonly<Record<string, Measure>> = {
  cpu: { of: (reading) => reading?.cpuPercent ?? 0, step: (percent) => Math.round(percent / 5) },
  memory: {
    of: (reading) => reading?.memoryBytes ?? 0,
    step: (bytes) => Math.round(Math.log2(1 + bytes) * 8),
  },
};

interface Measure {
  readonly of: (reading: Reading | undefined) => number;
  /** Rounds the sum of a row. */
  readonly step: (amount: number) => number;
}

function comparePlaces(a: Place, b: Place): number {
  return a.rank - b.rank || a.key - b.key;
}

function sumOf(
  { engine, containers }: OrderedRow,
  sample: Container,
  { of, step }: Measure,
  readingOf: RenderContext['readingOf'],
): number {
  const ids = containers?.map((one) => one.sample.id) ?? [sample.id];
  return step(ids.reduce((sum, id) => sum + of(readingOf?.(id, engine)), 0));
}

function groupingBy(groupBy: string): ContainerOrder['groupOf'] {
  const label = groupLabelOf(groupBy);
  if (label !== undefined)
    return ({ labels }) => (Object.hasOwn(labels, label) ? labels[label] : '');
  switch (groupBy) {
    case 'image':
      return ({ image }) => formatImageName(image);
    case 'network':
      return ({ networks }) => networks.map(({ name }) => name).join(', ');
    case 'state':
      return ({ state }) => state;
    case 'engine':
    case 'none':
      return () => undefined;
    default:
      return projectOf;
  }
}

/** Returns the title and icon of a group. */
export function presentContainerGroup(groupBy: string, key: string): GroupLook {
  const label = groupLabelOf(groupBy);
  if (label !== undefined)
    return { icon: 'tag', title: key === '' ? l10n.t('no {0}', label) : key };
  if (groupBy === 'state') return { icon: 'pulse', title: stateTitle(key as ContainerState) };
  return groupBy === 'image'
    ? { icon: 'package', title: key }
    : { icon: 'type-hierarchy-sub', title: key === '' ? l10n.t('no network') : key };
}

interface GroupLook {
  /** A codicon. */
  readonly icon: string;
  readonly title: string;
}
