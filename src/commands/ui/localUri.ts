import { pathToFileURL } from 'node:url';
import type { FileUri, Ui } from './ui.ts';

/** Returns the URI of a file on the machine that the extension runs on. @param path absolute. */
export function localUri({ uri }: Pick<Ui, 'uri'>, path: string, fragment?: string): FileUri {
  const uriPath = decodeURIComponent(pathToFileURL(path).pathname);
  return uri({
    scheme: 'file',
    path: uriPath,
    query: '',
    ...(fragment !== undefined && { fragment }),
  });
}
