/** What a person sees of one side of a changed file: its text, or what can be said of it. */

import { createHash } from 'node:crypto';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';
import { formatSize } from '../views/format.ts';

/** One side of a comparison; undefined where there is nothing at that path. */
export interface FileComparison {
  readonly left: string | undefined;
  readonly right: string | undefined;
  /** Whether these are words about the files and not their texts. */
  readonly isSummary: boolean;
}

/** Bytes up to which a file is shown as text. The editor compares no more, either. */
export const TEXT_LIMIT = 5 * 1024 * 1024;

/** One file of one side as it was found. */
export interface ComparedFile {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes; 0 for what is no file. */
  readonly size: number;
  /** The permissions, nine bits and three. */
  readonly mode: number;
  /** Of a link; may hold what is not fit to show. */
  readonly target: string;
  /** The whole content of a file of no more than {@link TEXT_LIMIT} bytes. */
  readonly content: Uint8Array | undefined;
  /** SHA-256 of the content in hexadecimal digits, where there is no content here. */
  readonly hash?: string | undefined;
}

/**
 * How two sides of a path are compared: as texts where both can be read and differ, else by what is said of
 * them.
 */
export function compareFiles(
  left: ComparedFile | undefined,
  right: ComparedFile | undefined,
  l10n: L10n,
): FileComparison {
  const texts = { left: left && textOf(left), right: right && textOf(right) };
  const isText =
    (left === undefined || texts.left !== undefined) &&
    (right === undefined || texts.right !== undefined) &&
    texts.left !== texts.right;
  if (isText) return { ...texts, isSummary: false };
  return {
    left: left && summaryOf(left, l10n),
    right: right && summaryOf(right, l10n),
    isSummary: true,
  };
}

/** The text of a file, or where a link leads; undefined for what cannot be read as text. */
function textOf({ kind, content, target }: ComparedFile): string | undefined {
  if (kind === 'link') return `→ ${oneLine(target, 4096)}\n`;
  if (kind !== 'file' || content === undefined) return undefined;
  if (content[0] === 0xff && content[1] === 0xfe)
    return new TextDecoder('utf-16le').decode(content);
  if (content[0] === 0xfe && content[1] === 0xff)
    return new TextDecoder('utf-16be').decode(content);
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    // Old text files of the western world; every byte means something there.
    return new TextDecoder('windows-1252').decode(content);
  }
}

function summaryOf(file: ComparedFile, l10n: L10n): string {
  const { kind, size, mode, target, content, hash } = file;
  const sha = content === undefined ? hash : createHash('sha256').update(content).digest('hex');
  const lines = [
    formatKind(kind, l10n),
    ...(kind === 'file' ? [l10n.t('Size: {0} ({1} bytes)', formatSize(size), size)] : []),
    l10n.t('Permissions: {0}', formatMode(mode)),
    ...(kind === 'link' ? [l10n.t('Leads to: {0}', oneLine(target, 4096))] : []),
    ...(kind === 'file' && sha !== undefined ? [l10n.t('SHA-256: {0}', sha)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function formatKind(kind: ComparedFile['kind'], l10n: L10n): string {
  switch (kind) {
    case 'file':
      return l10n.t('File');
    case 'folder':
      return l10n.t('Folder');
    case 'link':
      return l10n.t('Symbolic link');
    case 'other':
      return l10n.t('Neither a file nor a folder: a device, a pipe or a socket');
  }
}

/** Permissions as people know them: `rwxr-xr-x (755)`. */
export function formatMode(mode: number): string {
  const bits = Array.from('rwxrwxrwx', (letter, index) =>
    (mode >> (8 - index)) & 1 ? letter : '-',
  );
  return `${bits.join('')} (${(mode & 0o7777).toString(8).padStart(3, '0')})`;
}
