/** Whose files are meant: those of one container, or of one image, of one engine. */
export interface FileRoot {
  /** The engine's id in this window. */
  readonly engine: string;
  readonly kind: 'container' | 'image';
  /** The full id. */
  readonly id: string;
  /** What to call it; says nothing of which it is. */
  readonly name: string;
}

/** The scheme of the files of containers and images. */
export const FILE_SCHEME = 'gantry-container';

/** The parts of an address that say something here. */
export interface FileUriParts {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/**
 * The address of a path: `gantry-container:/web/etc/hosts?engine=…&container=…`. What a person sees of it is the path,
 * which begins with the name; which container it is, the query alone says.
 *
 * @param path full, in the container.
 */
export function toFileUri(place: FileRoot, path: string): FileUriParts {
  // One part of the path, whatever the name is.
  const name = (place.name.split('/').pop() ?? '').replace(/^\.*$/, '') || place.id.slice(0, 12);
  const query = `engine=${encodeURIComponent(place.engine)}&${place.kind}=${place.id}`;
  return {
    scheme: FILE_SCHEME,
    path: `/${name}${normalizePath(path) === '/' ? '' : normalizePath(path)}`,
    query,
  };
}

/** What an address means; undefined where it is none. */
export function parseFileUri({
  path,
  query,
}: Omit<FileUriParts, 'scheme'>): { readonly place: FileRoot; readonly path: string } | undefined {
  const words = new URLSearchParams(query);
  const engine = words.get('engine') ?? '';
  const kind = words.has('image') ? 'image' : 'container';
  const id = words.get(kind) ?? '';
  const [, name = '', inner = ''] = /^\/([^/]+)(\/.*)?$/s.exec(path) ?? [];
  const isId = kind === 'image' ? /^sha256:[0-9a-f]{64}$/ : /^[0-9a-f]{64}$/;
  if (engine === '' || name === '' || !isId.test(id)) return undefined;
  return { place: { engine, kind, id, name }, path: normalizePath(inner) };
}

/** Tells places apart, whatever they are called. */
export function fileRootKey({ engine, kind, id }: FileRoot): string {
  return `${engine}/${kind}/${id}`;
}

/** A full path without `.`, `..`, doubled slashes or one at its end. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The parts of a full path; none for `/`. */
export function splitPath(path: string): readonly string[] {
  return normalizePath(path)
    .split('/')
    .filter((part) => part !== '');
}

/** A full path and a name in it. */
export function joinPath(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}
