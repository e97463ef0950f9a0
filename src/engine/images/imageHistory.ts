import type { Connection } from '../http/connection.ts';
import { dockerfileSyntax } from './dockerfileSyntax.ts';
import { imagePath, inspectImage } from './images.ts';
import { fetchList } from '../http/fetchList.ts';
import { asImageId, asLines, asList, asMoment, asNumber, asRecord, asText } from '../wire/wire.ts';

/** Returns the history of an image, newest step first: `GET /images/{name}/history`. */
export async function imageHistory(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<readonly HistoryStep[]> {
  const path = imagePath(reference, 'history');
  return (await fetchList(connection, { method: 'GET', path, signal })).map(readHistoryStep);
}

export interface HistoryStep {
  /** ID of the image that this step created, if the engine has it. */
  readonly imageId?: string;
  /** ISO 8601; empty if unknown. */
  readonly createdAt: string;
  /** The command as the builder recorded it. Not sanitized. */
  readonly createdBy: string;
  /** Size in bytes of the layer; 0 for a step that changes only metadata. */
  readonly size: number;
  /** Tags of the image that this step created. */
  readonly tags: readonly string[];
  readonly comment: string;
}

/** Longer commands and comments are cut. Some steps contain whole scripts. */
const COMMAND_LIMIT = 32 * 1024;

/** Reads one element of the response. */
function readHistoryStep(value: unknown): HistoryStep {
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
 * Converts a step to the Dockerfile instruction it came from. Builders record how they ran it, each in its own format.
 *
 * @param createdBy the command as the engine returns it.
 */
export function instructionOf(createdBy: string): string {
  const whole = createdBy.trim();
  const text = whole.endsWith(BUILDKIT) ? whole.slice(0, -BUILDKIT.length).trimEnd() : whole;
  const instruction = /^(?:\|\d+ )?[^\n#]*#\(nop\)\s+(.*)$/s.exec(text)?.[1];
  if (instruction !== undefined) return dockerfileSyntax(instruction);
  const [, command] = SHELL_RUN.exec(text) ?? [];
  if (command !== undefined) return `RUN ${command.trim()}`;
  // Without a shell; build arguments come first: their number, then each with its value.
  const [, count, exec = ''] = /^(?:RUN )?\|(\d{1,3}) (.*)$/s.exec(text) ?? [];
  return count === undefined
    ? dockerfileSyntax(text)
    : `RUN ${exec.split(' ').slice(Number(count)).join(' ')}`;
}

/** Command that a shell runs. Its options may be those of an instruction `SHELL`, such as `-eo pipefail -c`. */
const SHELL_RUN =
  /^(?:RUN )?(?:\|\d+ .*?)?\/(?:usr\/)?bin\/(?:ba|da|a|z)?sh (?:-\w+ |pipefail )*-\w*c (.*)$/s;

/** Returns the layers (diff IDs) of an image, lowest first; empty if the engine does not report them. */
export async function layersOf(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { raw } = await inspectImage(connection, id, signal);
  const layers = asList(asRecord(asRecord(raw)['RootFS'])['Layers']).map(asText);
  return layers.includes('') ? [] : layers;
}

/** IDs of the parent and child images of an image. */
export interface Relatives {
  /** Parent images, nearest first. */
  readonly madeFrom: readonly string[];
  /** Child images, nearest first. */
  readonly madeInto: readonly string[];
}

/**
 * Finds the parents and children of an image by comparing layers: if all layers of one image are at the bottom of
 * another, it is a parent of that image. Two images with the same layers are not related, because the direction
 * is unknown.
 *
 * @param layers layers of each image by image ID, lowest first.
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
