import type { Connection } from '../http/connection.ts';
import { imagePath, inspectImage } from './images.ts';
import { fetchList } from '../fetchList.ts';
import { asImageId, asLines, asList, asMoment, asNumber, asRecord, asText } from '../wire.ts';

/** How an image was made, the newest step first: `GET /images/{name}/history`. */
export async function imageHistory(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<readonly HistoryStep[]> {
  const path = imagePath(reference, 'history');
  return (await fetchList(connection, { method: 'GET', path, signal })).map(readHistoryStep);
}

/** One step in which an image was made. */
export interface HistoryStep {
  /** Of the image that ended with this step, where the engine has it. */
  readonly imageId?: string;
  /** ISO 8601; empty where nobody knows. */
  readonly createdAt: string;
  /** What was done, as the builder wrote it down. Not cleaned. */
  readonly createdBy: string;
  /** Bytes it added; 0 for a step that only says something about the image. */
  readonly size: number;
  /** Names of the image that ended with it. */
  readonly tags: readonly string[];
  readonly comment: string;
}

/** Whole scripts stand in some; the rest of a longer one is cut. */
const COMMAND_LIMIT = 32 * 1024;

/** One element of it. */
export function readHistoryStep(value: unknown): HistoryStep {
  const wire = asRecord(value);
  const imageId = asImageId(wire['Id']);
  return {
    ...(/^sha256:[0-9a-f]{64}$/.test(imageId) && { imageId }),
    createdAt: asMoment(wire['Created']),
    createdBy: asText(wire['CreatedBy']).slice(0, COMMAND_LIMIT),
    size: Math.max(0, asNumber(wire['Size']) ?? 0),
    tags: asLines(wire['Tags']).filter((tag) => !tag.includes('<none>')),
    comment: asText(wire['Comment']).slice(0, COMMAND_LIMIT),
  };
}

const BUILDKIT = '# buildkit';

/**
 * A step as the instruction of a Dockerfile it was: builders write down how they ran it, each in its own way.
 *
 * @param createdBy as the engine has it.
 */
export function instructionOf(createdBy: string): string {
  const whole = createdBy.trim();
  const text = whole.endsWith(BUILDKIT) ? whole.slice(0, -BUILDKIT.length).trimEnd() : whole;
  const said = /^(?:\|\d+ .*?)?\/bin\/sh -c #\(nop\)\s+(.*)$/s.exec(text)?.[1];
  if (said !== undefined) return said;
  // With build arguments, these stand before: their number and each with its value.
  const run = /^(?:RUN )?(?:\|\d+ (.*?))?\/bin\/(?:ba)?sh -c (.*)$/s.exec(text);
  return run ? `RUN ${(run[2] ?? '').trim()}` : text;
}

/** The layers of an image from the lowest, by what is in them; empty where the engine does not tell. */
export async function layersOf(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { raw } = await inspectImage(connection, id, signal);
  const layers = asList(asRecord(asRecord(raw)['RootFS'])['Layers']).map(asText);
  return layers.includes('') ? [] : layers;
}

/** Which images another was made from, and which were made from it. */
export interface Relatives {
  /** The nearest first. */
  readonly madeFrom: readonly string[];
  /** The nearest first. */
  readonly madeInto: readonly string[];
}

/**
 * The relatives of an image by their layers: one whose layers are all at the bottom of another's is what that was
 * made from. Where two have the same layers nobody can tell, and neither is the other's.
 *
 * @param layers of each image by id, the lowest first.
 */
export function relativesIn(layers: ReadonlyMap<string, readonly string[]>, id: string): Relatives {
  const own = layers.get(id) ?? [];
  const others = [...layers].filter(([other]) => other !== id);
  const count = ([, chain]: readonly [string, readonly string[]]): number => chain.length;
  const from = others.filter(([, chain]) => isBelow(chain, own));
  const into = others.filter(([, chain]) => isBelow(own, chain));
  return {
    madeFrom: from.sort((a, b) => count(b) - count(a)).map(([other]) => other),
    madeInto: into.sort((a, b) => count(a) - count(b)).map(([other]) => other),
  };
}

function isBelow(lower: readonly string[], upper: readonly string[]): boolean {
  if (lower.length === 0 || lower.length >= upper.length) return false;
  return lower.every((layer, index) => layer === upper[index]);
}
