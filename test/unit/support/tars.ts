import { pack, type Header } from 'tar-stream';

/** Returns the bytes of a tar with these entries, each filled with dots. */
export async function packed(
  entries: readonly (Partial<Header> & Pick<Header, 'name'>)[],
): Promise<Buffer> {
  const tar = pack();
  for (const entry of entries) tar.entry(entry, Buffer.alloc(entry.size ?? 0, '.'));
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** Encodes a path stat for the header `X-Docker-Container-Path-Stat`. */
export function pathStat(fields: object): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64');
}
