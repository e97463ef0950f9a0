/** Aggregates the progress records of a pull or push: overall and layer progress, and the lines for the history. */

import type { PullStep } from '../../engine/model.ts';
import { formatBytes } from './formatBytes.ts';

/** Aggregates the records of one transfer. */
export class LayerProgress {
  readonly #layers = new Map<string, Layer>();
  readonly #reported = new Set<string>();
  // Tracked separately: the fraction of layers does not match the byte counts shown next to it.
  #byCount = 0;
  #byBytes = 0;

  /** Adds the next record. Returns its line for the history, if it is worth one. */
  add(step: PullStep): string | undefined {
    const layer = this.#layerOf(step);
    if (layer) {
      fold(layer, step);
      this.#measure([...this.#layers.values()]);
    }
    return this.#milestone(step, layer);
  }

  /** The layers, in the order in which the engine first reported them. */
  get layers(): readonly LayerState[] {
    return [...this.#layers].map(([id, { phase, share, total }]) => ({ id, phase, share, total }));
  }

  get state(): TransferState {
    const layers = [...this.#layers.values()];
    const bytes = bytesOf(layers);
    return {
      ...bytes,
      fraction: bytes.bytesAll > 0 ? this.#byBytes : this.#byCount,
      layersDone: count(layers, (layer) => layer.isFetched),
      layersUnpacked: count(layers, (layer) => layer.isUnpacked),
      layersAll: layers.length,
      isUnpacking:
        layers.every((layer) => layer.isFetched) && layers.some((layer) => layer.isUnpacking),
    };
  }

  /** Updates the two fractions. Neither ever decreases. */
  #measure(layers: readonly Layer[]): void {
    const { bytesDone, bytesAll } = bytesOf(layers);
    const fetched = count(layers, (layer) => layer.isFetched);
    if (bytesAll > 0) this.#byBytes = Math.max(this.#byBytes, bytesDone / bytesAll);
    // One more than reported so far: an engine that reports no sizes also reports its layers one after the other.
    else this.#byCount = Math.max(this.#byCount, fetched / (layers.length + 1));
  }

  /** Returns the layer of a record. The ID in the first record is a tag, not a layer. */
  #layerOf({ id, status }: PullStep): Layer | undefined {
    if (id === undefined || status.startsWith('Pulling from ')) return undefined;
    let layer = this.#layers.get(id);
    if (!layer && this.#layers.size < LAYERS) {
      layer = new Layer();
      this.#layers.set(id, layer);
    }
    return layer;
  }

  /**
   * Returns the line of a record on its first occurrence. Lines that differ only in numbers, such as the
   * countdown "Retrying in 5 seconds", count as one.
   */
  #milestone({ id, status }: PullStep, layer: Layer | undefined): string | undefined {
    if (layer && PASSING.has(status)) return undefined;
    const line = id === undefined ? status : `${id}: ${status}`;
    const key = `${id ?? ''} ${status.replace(/\d+/g, '#')}`;
    if (this.#reported.has(key) || this.#reported.size >= LINES) return undefined;
    this.#reported.add(key);
    const hasSize = status === 'Download complete' && layer !== undefined && layer.total > 0;
    return hasSize ? `${line} (${formatBytes(layer.total)})` : line;
  }
}

/** The phase of a layer. `moving` is downloading or uploading; `moved` is downloaded and waiting to be extracted. */
export type LayerPhase =
  | 'waiting'
  | 'moving'
  | 'retrying'
  | 'verifying'
  | 'moved'
  | 'unpacking'
  | 'done'
  | 'alreadyThere';

export interface LayerState {
  /** The ID reported by the engine, usually the first twelve digits of the digest. */
  readonly id: string;
  readonly phase: LayerPhase;
  /** The completed fraction of the phase, from 0 to 1, or undefined if the engine does not report it. */
  readonly share: number | undefined;
  /** The compressed size in bytes; 0 if unknown. */
  readonly total: number;
}

/** The overall progress of a transfer. Completed amounts never decrease; totals may grow. */
export interface TransferState {
  readonly bytesDone: number;
  /** 0 if the engine reports no sizes. */
  readonly bytesAll: number;
  /** Whether `bytesAll` includes layers of unknown size, counted with the average size. */
  readonly isEstimate: boolean;
  /** From 0 to 1: the fraction of bytes once any size is known, before that the fraction of layers. */
  readonly fraction: number;
  readonly layersDone: number;
  readonly layersUnpacked: number;
  readonly layersAll: number;
  /** Whether everything is downloaded and only extracting remains. Not all engines report it. */
  readonly isUnpacking: boolean;
}

class Layer {
  phase: LayerPhase = 'waiting';
  share: number | undefined;
  done = 0;
  /** 0 if unknown. */
  total = 0;
  isFetched = false;
  isUnpacking = false;
  isUnpacked = false;
}

/** The phases by the status text of engines. Other texts do not change the phase and appear only in the history. */
const PHASES: Readonly<Record<string, LayerPhase>> = {
  'Pulling fs layer': 'waiting',
  Waiting: 'waiting',
  Downloading: 'moving',
  'Verifying Checksum': 'verifying',
  'Download complete': 'moved',
  Extracting: 'unpacking',
  'Pull complete': 'done',
  'Already exists': 'alreadyThere',
  Preparing: 'waiting',
  Pushing: 'moving',
  Pushed: 'done',
  'Layer already exists': 'alreadyThere',
};

/** The phases before a layer has arrived. */
const ON_THE_WAY: ReadonlySet<LayerPhase> = new Set(['waiting', 'moving', 'retrying']);

/** Status texts left out of the history because they repeat or are only intermediate steps. */
const PASSING: ReadonlySet<string> = new Set([
  'Waiting',
  'Downloading',
  'Verifying Checksum',
  'Extracting',
  'Preparing',
  'Pushing',
]);

// Limits against memory exhaustion by a malicious engine. An image has at most 127 layers.
const LAYERS = 1000;
const LINES = 10_000;

function phaseOf(status: string): LayerPhase | undefined {
  if (Object.hasOwn(PHASES, status)) return PHASES[status];
  if (status.startsWith('Retrying in ')) return 'retrying';
  // The registry already has the layer in another repository (push).
  return status.startsWith('Mounted from ') ? 'alreadyThere' : undefined;
}

/**
 * Returns the completed fraction of the phase. Keeps the previous one while the engine repeats the status
 * without numbers.
 */
function shareOf(
  { current, total }: PullStep,
  phase: LayerPhase,
  before: number | undefined,
): number | undefined {
  if (phase !== 'moving' && phase !== 'unpacking') return undefined;
  if (current === undefined || total === undefined) return before;
  return Math.min(Math.max(current / total, 0), 1);
}

/**
 * Applies a record to a layer. Byte counts never decrease, although a retried layer starts again with small numbers.
 */
function fold(layer: Layer, step: PullStep): void {
  const { current, total } = step;
  const phase = phaseOf(step.status);
  if (phase === undefined) return;
  layer.share = shareOf(step, phase, layer.phase === phase ? layer.share : undefined);
  layer.phase = phase;
  // Only while downloading or uploading are the numbers transferred bytes; extracting counts differently.
  if (phase === 'moving') {
    layer.total = Math.max(layer.total, total ?? 0);
    // Without a total, the byte count is meaningless.
    layer.done = Math.min(Math.max(layer.done, current ?? 0), layer.total);
  }
  if (ON_THE_WAY.has(phase)) return;
  layer.isFetched = true;
  layer.isUnpacked ||= phase === 'done' || phase === 'alreadyThere';
  layer.isUnpacking ||= phase === 'unpacking';
  layer.done = Math.max(layer.done, layer.total);
}

/** Sums up bytes done and total. Most layers wait at first and report their size only when they start. */
function bytesOf(
  layers: readonly Layer[],
): Pick<TransferState, 'bytesDone' | 'bytesAll' | 'isEstimate'> {
  const known = layers.filter((layer) => layer.total > 0);
  const all = sum(known.map((layer) => layer.total));
  const open = count(layers, (layer) => layer.total === 0 && !layer.isFetched);
  return {
    bytesDone: sum(layers.map((layer) => layer.done)),
    bytesAll: known.length === 0 ? 0 : Math.round(all + open * (all / known.length)),
    isEstimate: known.length > 0 && open > 0,
  };
}

function count(layers: readonly Layer[], fits: (layer: Layer) => boolean): number {
  return layers.filter(fits).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
