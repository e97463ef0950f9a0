import { plainText } from '../../base/plainText.ts';
import { readImageDefaults } from '../images/imageDefaults.ts';
import type { HistoryStep } from '../images/imageHistory.ts';
import type { ImageDetails } from '../images/images.ts';
import { asLabels, asLine, asList, asMoment, asNumber, asRecord, asText } from '../wire/wire.ts';
import type { NamedValue } from './containerFacts.ts';
import { HiddenValues } from './hiddenValues.ts';

/** Reads all that the details of an image show, and the values that are masked in it. */
export function readImageFacts(
  { raw, id, tags, digests, platform }: ImageDetails,
  history: readonly HistoryStep[],
): { readonly facts: ImageFacts; readonly hidden: HiddenValues } {
  const wire = asRecord(raw);
  const hidden = new HiddenValues();
  const { env, cmd, entrypoint, user, workingDir, ports, volumes } = readImageDefaults(raw);
  const facts = {
    id,
    tags,
    digests,
    platform,
    user,
    workingDir,
    ports,
    createdAt: asMoment(asText(wire['Created'])),
    size: Math.max(0, asNumber(wire['Size']) ?? 0),
    author: asLine(wire['Author']),
    layers: asList(asRecord(wire['RootFS'])['Layers']).length,
    steps: history.length,
    entrypoint: hidden.command('entrypoint', entrypoint),
    cmd: hidden.command('cmd', cmd),
    volumes: volumes.map((path) => plainText(path)),
    environment: env.map((entry) => {
      const at = entry.indexOf('=');
      return hidden.named('variable', entry.slice(0, at), entry.slice(at + 1));
    }),
    labels: hidden.labels(asLabels(asRecord(wire['Config'])['Labels'])),
  };
  return { facts, hidden };
}

/** What is known of an image. */
export interface ImageFacts {
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly createdAt: string;
  /** In bytes. */
  readonly size: number;
  /** `os/architecture[/variant]`. */
  readonly platform: string;
  readonly author: string;
  readonly layers: number;
  readonly steps: number;
  readonly entrypoint: string;
  readonly cmd: string;
  readonly user: string;
  readonly workingDir: string;
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: readonly NamedValue[];
  readonly labels: readonly NamedValue[];
}
