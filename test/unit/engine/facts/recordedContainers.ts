import { readFileSync } from 'node:fs';

/** What an engine has said of the same container, its image, volume and network; `killed`: after it was killed. */
export interface Inspected {
  readonly container: Readonly<Record<string, unknown>>;
  readonly killed: Readonly<Record<string, unknown>>;
  readonly image: Readonly<Record<string, unknown>>;
  readonly volume: Readonly<Record<string, unknown>>;
  readonly network: Readonly<Record<string, unknown>>;
}

export const RECORDED_ENGINES = ['docker28', 'docker20', 'podman5', 'podman4'] as const;

/** Returns the recorded responses of an engine. */
export function inspected(engine: (typeof RECORDED_ENGINES)[number]): Inspected {
  const file = new URL(`recorded/${engine}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Inspected;
}
