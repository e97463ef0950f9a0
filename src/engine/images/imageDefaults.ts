/** What an image says of the containers that are made of it. */

import { oneLine } from '../../plainText.ts';
import type { Connection } from '../http/connection.ts';
import { failedWith } from '../errors.ts';
import { readHealthcheck, type Healthcheck } from '../options/healthcheck.ts';
import { inspectImage } from './images.ts';
import { asRecord, asText, asTextMap, asTexts } from '../wire.ts';

/** Where an image says nothing, a text or list is empty. All of it is fit to stand in a field of a form. */
export interface ImageDefaults {
  /** `80/tcp`, in order. */
  readonly ports: readonly string[];
  /** Full paths that are volumes of their own. */
  readonly volumes: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  readonly cmd: readonly string[];
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly workingDir: string;
  /** False where the image itself turns one off. */
  readonly healthcheck?: Healthcheck | false;
  readonly labelCount: number;
}

/** More is nobody's wish, but could be somebody's joke. */
const MOST = 500;

/** What the engine says of an image it has; undefined where it has none of this name. */
export async function fetchImageDefaults(
  connection: Connection,
  image: string,
  signal?: AbortSignal,
): Promise<ImageDefaults | undefined> {
  try {
    return readImageDefaults((await inspectImage(connection, image, signal)).raw);
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Shapes the engine's whole answer about an image. */
export function readImageDefaults(raw: unknown): ImageDefaults {
  const config = asRecord(asRecord(raw)['Config']);
  const healthcheck = readHealthcheck(config['Healthcheck']);
  return {
    ports: namesIn(config['ExposedPorts'], /^\d{1,5}\/(?:tcp|udp|sctp)$/).sort(byNumber),
    volumes: namesIn(config['Volumes'], /^\/[^\s:]/).sort(),
    env: asTexts(config['Env'])
      .filter((entry) => /^[^=\s\0]+=[^\0]*$/.test(entry))
      .slice(0, MOST),
    cmd: asTexts(config['Cmd']).slice(0, MOST),
    entrypoint: asTexts(config['Entrypoint']).slice(0, MOST),
    user: oneLine(asText(config['User'])),
    workingDir: oneLine(asText(config['WorkingDir'])),
    ...(healthcheck !== undefined && { healthcheck }),
    labelCount: Object.keys(asTextMap(config['Labels'])).length,
  };
}

function namesIn(value: unknown, form: RegExp): string[] {
  return Object.keys(asRecord(value))
    .filter((name) => form.test(name))
    .slice(0, MOST);
}

function byNumber(one: string, other: string): number {
  return Number.parseInt(one, 10) - Number.parseInt(other, 10) || one.localeCompare(other);
}
