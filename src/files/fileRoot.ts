import { asRecord, asText } from '../engine/wire/wire.ts';

/** Identifies the files of one container, image or volume of an engine. */
export interface FileRoot {
  /** The ID of the engine in this window. */
  readonly engine: string;
  readonly kind: FileRootKind;
  /** The full container or image ID, or the name of the volume. */
  readonly id: string;
  /** The display name. Not part of the identity. */
  readonly name: string;
}

/** Kind of an object that has files. */
export type FileRootKind = (typeof FILE_ROOT_KINDS)[number];

const FILE_ROOT_KINDS = ['container', 'image', 'volume'] as const;

/** The forms of IDs. They become part of requests. */
const IDS: Readonly<Record<FileRootKind, RegExp>> = {
  container: /^[0-9a-f]{64}$/,
  image: /^sha256:[0-9a-f]{64}$/,
  volume: /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/,
};

/** Where a window keeps what its Files view shows. */
export const OPEN_FILES_KEY = 'gantry.openFiles';

/** Reads a root that was stored. Returns undefined if it is invalid. */
export function readFileRoot(kept: unknown): FileRoot | undefined {
  const wire = asRecord(kept);
  const kind = FILE_ROOT_KINDS.find((one) => one === wire['kind']);
  const [engine = '', id = '', name = ''] = ['engine', 'id', 'name'].map((field) =>
    asText(wire[field]),
  );
  if (!kind || engine === '' || name === '' || !IDS[kind].test(id)) return undefined;
  return { engine, kind, id, name };
}

/** The URI scheme for files of containers, images and volumes. */
export const FILE_SCHEME = 'gantry-container';

/** The URI components used for container files. */
export interface FileUriParts {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  readonly fragment?: string;
}

/**
 * Returns the URI of a path: `gantry-container:/web/etc/hosts?engine=…&container=…`. The URI path starts with
 * the name and is for display; only the query identifies the container.
 *
 * @param path absolute, in the container.
 */
export function toFileUri(root: FileRoot, path: string): FileUriParts {
  // The name must be a single path segment.
  const name = (root.name.split('/').pop() ?? '').replace(/^\.*$/, '') || root.id.slice(0, 12);
  const query = `engine=${encodeURIComponent(root.engine)}&${root.kind}=${root.id}`;
  return {
    scheme: FILE_SCHEME,
    path: `/${name}${normalizePath(path) === '/' ? '' : normalizePath(path)}`,
    query,
  };
}

/** Parses the URI of a container file. Returns undefined if it is invalid. */
export function parseFileUri({
  path,
  query,
}: Omit<FileUriParts, 'scheme'>): { readonly root: FileRoot; readonly path: string } | undefined {
  const words = new URLSearchParams(query);
  const engine = words.get('engine') ?? '';
  const kind = words.has('image') ? 'image' : words.has('volume') ? 'volume' : 'container';
  const id = words.get(kind) ?? '';
  const [, name = '', inner = ''] = /^\/([^/]+)(\/.*)?$/s.exec(path) ?? [];
  if (engine === '' || name === '' || !IDS[kind].test(id)) return undefined;
  return { root: { engine, kind, id, name }, path: normalizePath(inner) };
}

/** Returns a key that identifies the root regardless of its name. */
export function fileRootKey({ engine, kind, id }: FileRoot): string {
  return `${engine}/${kind}/${id}`;
}

/** Returns a key that identifies a rename. */
export function renameKey(root: FileRoot, path: string, to: string): string {
  return [fileRootKey(root), path, to].join('\0');
}

/** Returns an absolute path without `.`, `..`, repeated slashes, or a trailing slash. */
export function normalizePath(path: string): string {
  return `/${splitPath(path).join('/')}`;
}

/** Returns the segments of an absolute path, none for `/`. */
export function splitPath(path: string): readonly string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

export function joinPath(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}
