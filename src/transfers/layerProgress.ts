/** Adds up what an engine says of a pull or a push: how far it and its layers are, and the lines worth keeping. */

import type { PullStep } from '../engine/model.ts';
import { formatBytes } from './formatBytes.ts';

/** Adds the records of one transfer up. */
export class LayerProgress {
  readonly #layers = new Map<string, Layer>();
  readonly #reported = new Set<string>();
  // Two, for a share of the layers says nothing of the bytes that are told beside it.
  #byCount = 0;
  #byBytes = 0;

  /** Takes the next record. Returns the line it is worth in the history, if it is worth one. */
  add(step: PullStep): string | undefined {
    const layer = this.#layerOf(step);
    if (layer) fold(layer, step);
    this.#measure([...this.#layers.values()]);
    return this.#milestone(step, layer);
  }

  /** The layers, in the order in which the engine first told of them. */
  get layers(): readonly LayerState[] {
    return [...this.#layers].map(([id, { phase, share, total }]) => ({ id, phase, share, total }));
  }

  get bytesDone(): number {
    return sum([...this.#layers.values()].map((layer) => layer.done));
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

  /** Each of the two only grows. */
  #measure(layers: readonly Layer[]): void {
    const { bytesDone, bytesAll } = bytesOf(layers);
    if (bytesAll > 0) this.#byBytes = Math.max(this.#byBytes, bytesDone / bytesAll);
    else this.#byCount = Math.max(this.#byCount, shareOfLayers(layers));
  }

  /** The first record has a tag where the others have a layer. */
  #layerOf({ id, status }: PullStep): Layer | undefined {
    if (id === undefined || status.startsWith('Pulling from ')) return undefined;
    let layer = this.#layers.get(id);
    if (!layer && this.#layers.size < LAYERS) {
      layer = newLayer();
      this.#layers.set(id, layer);
    }
    return layer;
  }

  /** Each thing is told once; a count-down ("Retrying in 5 seconds") is one thing. */
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

/** Where a layer is on its way. `moving` is downloading or uploading; `moved` has arrived and waits to be unpacked. */
export type LayerPhase =
  'waiting' | 'moving' | 'retrying' | 'verifying' | 'moved' | 'unpacking' | 'done' | 'alreadyThere';

/** One layer as it is now. */
export interface LayerState {
  /** As the engine calls it: mostly the first twelve digits of its digest. */
  readonly id: string;
  readonly phase: LayerPhase;
  /** How much of the phase is done, from 0 to 1; undefined where the engine does not tell. */
  readonly share: number | undefined;
  /** Bytes on the wire; 0 while it is not known. */
  readonly total: number;
}

/** How far a transfer is, over all its layers. What is done never goes back; what is still to come may grow. */
export interface TransferState {
  readonly bytesDone: number;
  /** 0 where the engine tells no sizes. */
  readonly bytesAll: number;
  /** Whether layers of unknown size are in `bytesAll` as average ones. */
  readonly isEstimate: boolean;
  /** From 0 to 1: of the bytes as soon as any size is known, until then of the layers. */
  readonly fraction: number;
  readonly layersDone: number;
  readonly layersUnpacked: number;
  readonly layersAll: number;
  /** Whether all is here and is only being unpacked, which not all engines tell. */
  readonly isUnpacking: boolean;
}

interface Layer {
  phase: LayerPhase;
  share: number | undefined;
  done: number;
  /** 0 while it is not known. */
  total: number;
  isFetched: boolean;
  isUnpacking: boolean;
  isUnpacked: boolean;
}

/** What engines say of a layer. Other words change nothing: they are told in the history. */
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

/** The phases in which a layer has arrived. */
const ARRIVED: ReadonlySet<LayerPhase> = new Set([
  'verifying',
  'moved',
  'unpacking',
  'done',
  'alreadyThere',
]);

/** Words that a layer passes through many times or on its way; the history has where it got to. */
const PASSING: ReadonlySet<string> = new Set([
  'Waiting',
  'Downloading',
  'Verifying Checksum',
  'Extracting',
  'Preparing',
  'Pushing',
]);

/** An image has 127 layers at most; whoever tells of more means to fill the memory. */
const [LAYERS, LINES] = [1000, 10_000];

function newLayer(): Layer {
  return {
    ...{ phase: 'waiting', share: undefined, done: 0, total: 0 },
    ...{ isFetched: false, isUnpacking: false, isUnpacked: false },
  };
}

function phaseOf(status: string): LayerPhase | undefined {
  if (Object.hasOwn(PHASES, status)) return PHASES[status];
  if (status.startsWith('Retrying in ')) return 'retrying';
  // A push found it in another repository of the same registry.
  return status.startsWith('Mounted from ') ? 'alreadyThere' : undefined;
}

/** How far it is in its phase. A share stays as long as the engine repeats itself without numbers. */
function shareOf(
  { current, total }: PullStep,
  phase: LayerPhase,
  before: number | undefined,
): number | undefined {
  if (phase !== 'moving' && phase !== 'unpacking') return undefined;
  if (current === undefined || total === undefined) return before;
  return Math.min(Math.max(current / total, 0), 1);
}

/** A layer that is tried again begins anew with small numbers: what was reached once stays. */
function fold(layer: Layer, step: PullStep): void {
  const { current, total } = step;
  const phase = phaseOf(step.status);
  if (phase === undefined) return;
  layer.share = shareOf(step, phase, layer.phase === phase ? layer.share : undefined);
  layer.phase = phase;
  // Only on the way are the numbers bytes of the line: extracting counts others.
  if (phase === 'moving') {
    layer.total = Math.max(layer.total, total ?? 0);
    // Bytes of an unknown whole tell nothing.
    layer.done = Math.min(Math.max(layer.done, current ?? 0), layer.total);
  }
  if (!ARRIVED.has(phase)) return;
  layer.isFetched = true;
  layer.isUnpacked ||= phase === 'done' || phase === 'alreadyThere';
  layer.isUnpacking ||= phase === 'unpacking';
  layer.done = Math.max(layer.done, layer.total);
}

/** Bytes done and in all. Most layers wait for their turn at first, and tell their size only then. */
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

function shareOfLayers(layers: readonly Layer[]): number {
  // One more than there are: an engine that tells no sizes tells of its layers one after the other, too.
  return count(layers, (layer) => layer.isFetched) / (layers.length + 1);
}

function count(layers: readonly Layer[], fits: (layer: Layer) => boolean): number {
  return layers.filter(fits).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
