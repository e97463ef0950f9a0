// The subset of the tar format that an image layer needs.

/** One entry: a folder, a file or a symbolic link. */
export type Entry =
  | { readonly name: string; readonly kind: 'folder' }
  | { readonly name: string; readonly kind: 'link'; readonly target: string }
  | { readonly name: string; readonly kind: 'file'; readonly data: Buffer; readonly mode?: number };

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

/** Packs the entries; all are owned by root and have the same fixed date. */
export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(packed), Buffer.alloc(2 * BLOCK)]);
}

function packed(entry: Entry): Buffer[] {
  if (entry.kind !== 'file') return [header(entry, 0)];
  const padding = Buffer.alloc((BLOCK - (entry.data.length % BLOCK)) % BLOCK);
  return [header(entry, entry.data.length), entry.data, padding];
}

function header(entry: Entry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    block.write(value.toString(8).padStart(width - 1, '0'), at);
  block.write(entry.name, 0);
  octal(entry.kind === 'file' ? (entry.mode ?? 0o644) : 0o755, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(1_700_000_000, 136, 12);
  block.write(TYPES[entry.kind], 156);
  if (entry.kind === 'link') block.write(entry.target, 157);
  block.write('ustar\x0000', 257);
  // The checksum is computed with its own field filled with blanks.
  block.write(' '.repeat(8), 148);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}
