import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the files that Compose would use in the folder of a compose file without `--file`, if it is one of them: the
 * file with a default name, and the one that overrides it. Any other file is returned alone.
 */
export async function withOverride(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const name = await firstIn(folder, NAMES);
  const override = await firstIn(folder, OVERRIDES);
  const names = name === undefined || override === undefined ? [] : [name, override];
  return names.includes(basename(file)) ? names.map((one) => join(folder, one)) : [file];
}

/** Returns the files that Compose uses in a folder without `--file`; none if it has no compose file. */
export async function defaultFiles(folder: string): Promise<readonly string[]> {
  const name = await firstIn(folder, NAMES);
  return name === undefined ? [] : withOverride(join(folder, name));
}

/** Whether Compose takes a file for one that overrides another one, by its name. */
export function isOverride(file: string): boolean {
  return OVERRIDES.includes(basename(file));
}

/** The default names. Compose takes the first one that exists, of the overriding ones, too. */
const NAMES: readonly string[] = [
  'compose.yaml',
  'compose.yml',
  'docker-compose.yml',
  'docker-compose.yaml',
];
const OVERRIDES: readonly string[] = [
  ...['compose.override.yml', 'compose.override.yaml'],
  ...['docker-compose.override.yml', 'docker-compose.override.yaml'],
];

async function firstIn(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isThere) return name;
  }
  return undefined;
}
