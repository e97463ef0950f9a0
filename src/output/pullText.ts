/** What a pull looks like to a person: how far it is, and the few lines worth keeping. */

import type { PullStep } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';

/** How far a pull is, over all its layers. What is done never goes back; what is still to come may grow. */
export interface PullState {
  readonly bytesDone: number;
  /** 0 where the engine tells no sizes. */
  readonly bytesAll: number;
  /** Whether layers of unknown size are in `bytesAll` as average ones. */
  readonly isEstimate: boolean;
  /** From 0 to 1. */
  readonly fraction: number;
  readonly layersDone: number;
  readonly layersUnpacked: number;
  readonly layersAll: number;
  /** Whether all is here and is only being unpacked, which not all engines tell. */
  readonly isUnpacking: boolean;
}

interface Layer {
  done: number;
  /** 0 while it is not known. */
  total: number;
  isFetched: boolean;
  isUnpacking: boolean;
  isUnpacked: boolean;
}

/** The words after which a layer has arrived, on all engines. */
const FETCHED: ReadonlySet<string> = new Set([
  'Verifying Checksum',
  'Download complete',
  'Already exists',
  'Extracting',
  'Pull complete',
]);

/** Words that a layer passes through many times or on its way; the history has where it got to. */
const PASSING: ReadonlySet<string> = new Set([
  'Waiting',
  'Downloading',
  'Verifying Checksum',
  'Extracting',
]);

/** An image has 127 layers at most; whoever tells of more means to fill the memory. */
const [LAYERS, LINES] = [1000, 10_000];

/** Adds the records of one pull up. */
export class PullTally {
  readonly #layers = new Map<string, Layer>();
  readonly #told = new Set<string>();
  #fraction = 0;

  /** Takes the next record. Returns the line it is worth in the history, if it is worth one. */
  add(step: PullStep): string | undefined {
    const layer = this.#layerOf(step);
    if (layer) fold(layer, step);
    this.#fraction = Math.max(this.#fraction, fractionOf([...this.#layers.values()]));
    return this.#milestone(step, layer);
  }

  get state(): PullState {
    const layers = [...this.#layers.values()];
    return {
      ...bytesOf(layers),
      fraction: this.#fraction,
      layersDone: count(layers, (layer) => layer.isFetched),
      layersUnpacked: count(layers, (layer) => layer.isUnpacked),
      layersAll: layers.length,
      isUnpacking:
        layers.every((layer) => layer.isFetched) && layers.some((layer) => layer.isUnpacking),
    };
  }

  /** The first record has a tag where the others have a layer. */
  #layerOf({ id, status }: PullStep): Layer | undefined {
    if (id === undefined || status.startsWith('Pulling from ')) return undefined;
    let layer = this.#layers.get(id);
    if (!layer && this.#layers.size < LAYERS) {
      layer = { done: 0, total: 0, isFetched: false, isUnpacking: false, isUnpacked: false };
      this.#layers.set(id, layer);
    }
    return layer;
  }

  /** Each thing is told once; a count-down ("Retrying in 5 seconds") is one thing. */
  #milestone({ id, status }: PullStep, layer: Layer | undefined): string | undefined {
    if (layer && PASSING.has(status)) return undefined;
    const line = id === undefined ? status : `${id}: ${status}`;
    const key = `${id ?? ''} ${status.replace(/\d+/g, '#')}`;
    if (this.#told.has(key) || this.#told.size >= LINES) return undefined;
    this.#told.add(key);
    const hasSize = status === 'Download complete' && layer !== undefined && layer.total > 0;
    return hasSize ? `${line} (${formatBytes(layer.total)})` : line;
  }
}

/** "12% · 6.0 MB of 48.0 MB · 3 of 8 layers", or what of it is known. */
export function describeState(state: PullState, l10n: L10n): string {
  const { bytesAll, fraction, layersDone, layersAll } = state;
  if (layersAll === 0) return '';
  if (state.isUnpacking) {
    return l10n.t('Unpacking · {0} of {1} layers', state.layersUnpacked, layersAll);
  }
  const parts = [
    bytesAll > 0 && l10n.t('{0}%', Math.floor(fraction * 100)),
    bytesAll > 0 && describeBytes(state, l10n),
    l10n.t('{0} of {1} layers', layersDone, layersAll),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

function describeBytes({ bytesDone, bytesAll, isEstimate }: PullState, l10n: L10n): string {
  const [done, all] = [formatBytes(bytesDone), formatBytes(bytesAll)];
  return isEstimate ? l10n.t('{0} of about {1}', done, all) : l10n.t('{0} of {1}', done, all);
}

/** Bytes as a person reads them: `999 B`, `1.2 kB`, `48.0 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  // As it will be rounded: 999.96 kB are 1.0 MB, not 1000.0 kB.
  while (Number(value.toFixed(1)) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A layer that is tried again begins anew with small numbers: what was reached once stays. */
function fold(layer: Layer, { status, current, total }: PullStep): void {
  // Only while it downloads are the numbers bytes of the line: extracting counts others.
  if (status === 'Downloading') {
    layer.total = Math.max(layer.total, total ?? 0);
    // Bytes of an unknown whole tell nothing.
    layer.done = Math.min(Math.max(layer.done, current ?? 0), layer.total);
  }
  if (!FETCHED.has(status)) return;
  layer.isFetched = true;
  layer.isUnpacked ||= status === 'Pull complete' || status === 'Already exists';
  layer.isUnpacking ||= status === 'Extracting';
  layer.done = Math.max(layer.done, layer.total);
}

/** Bytes done and in all. Most layers wait for their turn at first, and tell their size only then. */
function bytesOf(
  layers: readonly Layer[],
): Pick<PullState, 'bytesDone' | 'bytesAll' | 'isEstimate'> {
  const known = layers.filter((layer) => layer.total > 0);
  const all = sum(known.map((layer) => layer.total));
  const open = count(layers, (layer) => layer.total === 0 && !layer.isFetched);
  return {
    bytesDone: sum(layers.map((layer) => layer.done)),
    bytesAll: known.length === 0 ? 0 : Math.round(all + open * (all / known.length)),
    isEstimate: known.length > 0 && open > 0,
  };
}

function fractionOf(layers: readonly Layer[]): number {
  const { bytesDone, bytesAll } = bytesOf(layers);
  if (bytesAll > 0) return bytesDone / bytesAll;
  // One more than there are: an engine that tells no sizes tells of its layers one after the other, too.
  return count(layers, (layer) => layer.isFetched) / (layers.length + 1);
}

function count(layers: readonly Layer[], fits: (layer: Layer) => boolean): number {
  return layers.filter(fits).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
