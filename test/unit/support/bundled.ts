import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundles, type Bundle } from '../../../scripts/bundles.mjs';

const ROOT = join(import.meta.dirname, '../../..');

/** A file of a bundle. */
export interface BundledFile {
  /** Its path in `dist`. */
  readonly name: string;
  readonly code: string;
  /** The paths of its modules from the root of the repository. */
  readonly modules: readonly string[];
  /** The names of the files that it loads at once. */
  readonly imports: readonly string[];
  /** The names of those that it loads later. */
  readonly dynamicImports: readonly string[];
}

let building: Promise<readonly (readonly BundledFile[])[]> | undefined;

/** Resolves to the files of each bundle of `npm run build`, which take seconds to make: tests share them. */
export function bundled(): Promise<readonly (readonly BundledFile[])[]> {
  return (building ??= Promise.all(bundles().map(filesOf)));
}

/** Builds a bundle without writing it. Resolves to its files. */
export async function filesOf(bundle: Bundle): Promise<readonly BundledFile[]> {
  const options = { ...bundle, absWorkingDir: ROOT, sourcemap: false } as const;
  const { metafile, outputFiles } = await build({ ...options, write: false });
  return outputFiles.map(({ path, text }) => {
    const { inputs = {}, imports = [] } = metafile.outputs[relative(ROOT, path)] ?? {};
    const isNamed = (name: string): boolean => !name.includes(':');
    const namesOf = (isDynamic: boolean): string[] =>
      imports
        .filter(
          ({ kind, external }) => external !== true && (kind === 'dynamic-import') === isDynamic,
        )
        .map((one) => relative('dist', one.path));
    return {
      name: relative(join(ROOT, 'dist'), path),
      code: text,
      // The others are made during the build.
      modules: Object.keys(inputs).filter(isNamed),
      imports: namesOf(false),
      dynamicImports: namesOf(true),
    };
  });
}

/** Returns a file and what it loads at once, directly or indirectly. */
export function loadedWith(
  entry: BundledFile,
  all: readonly BundledFile[],
): readonly BundledFile[] {
  const found = [entry];
  for (const { imports } of found)
    found.push(...all.filter((one) => imports.includes(one.name) && !found.includes(one)));
  return found;
}
