/** The defaults that an image sets for its containers. */

import { oneLine } from '../../base/plainText.ts';
import type { Connection } from '../http/connection.ts';
import { readHealthcheck, type Healthcheck } from '../options/healthcheck.ts';
import { findImage } from './images.ts';
import { asRecord, asText, asTextMap, asTexts } from '../wire/wire.ts';

/** Texts and lists are empty if the image does not set them. All values are safe to show in a form field. */
export interface ImageDefaults {
  /** `80/tcp`, sorted. */
  readonly ports: readonly string[];
  /** Absolute paths of the image's volumes. */
  readonly volumes: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  readonly cmd: readonly string[];
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly workingDir: string;
  /** False if the image turns off the health check of its base image. */
  readonly healthcheck?: Healthcheck | false;
  readonly labelCount: number;
}

/** Limit per list, against a malicious image. */
const MOST = 500;

/** Reads the defaults of a local image (`GET /images/{name}/json`); undefined if the engine does not have the image. */
export async function fetchImageDefaults(
  connection: Connection,
  image: string,
  signal?: AbortSignal,
): Promise<ImageDefaults | undefined> {
  const found = await findImage(connection, image, signal);
  return found && readImageDefaults(found.raw);
}

/** Reads the defaults from the response to an image inspect. */
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
