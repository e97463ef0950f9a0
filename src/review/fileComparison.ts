/** The display of one side of a changed file: its text, or a summary. */

import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import { oneLine } from '../base/plainText.ts';
import { formatSize } from '../views/format.ts';

/** The two sides of a comparison. A side is undefined if the path does not exist there. */
export interface FileComparison {
  readonly left: string | undefined;
  readonly right: string | undefined;
  /** Whether the sides are summaries rather than the contents of the files. */
  readonly isSummary: boolean;
}

/** Largest file shown as text, in bytes. VS Code does not compare larger ones either. */
export const TEXT_LIMIT = 5 * 1024 * 1024;

export interface ComparedFile {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** In bytes; 0 if it is not a file. */
  readonly size: number;
  /** The nine permission bits and the three special bits. */
  readonly mode: number;
  /** The target of a link. May contain characters that must not be displayed. */
  readonly target: string;
  /** The contents, if it is a file of at most {@link TEXT_LIMIT} bytes. */
  readonly content: Uint8Array | undefined;
  /** SHA-256 of the contents in hexadecimal, if `content` is not set. */
  readonly hash?: string;
}

/** Compares two sides of a path: as text if both sides are readable as text and differ, otherwise as summaries. */
export function compareFiles(
  left: ComparedFile | undefined,
  right: ComparedFile | undefined,
): FileComparison {
  const texts = { left: left && textOf(left), right: right && textOf(right) };
  const isText =
    (left === undefined || texts.left !== undefined) &&
    (right === undefined || texts.right !== undefined) &&
    texts.left !== texts.right;
  if (isText) return { ...texts, isSummary: false };
  return { left: left && summaryOf(left), right: right && summaryOf(right), isSummary: true };
}

/** Returns the text of a file, or the target of a link. Returns undefined if it is not text. */
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
    // Legacy Western text files: every byte is valid in this encoding.
    return new TextDecoder('windows-1252').decode(content);
  }
}

function summaryOf(file: ComparedFile): string {
  const { kind, size, mode, target, content, hash } = file;
  const sha = content === undefined ? hash : createHash('sha256').update(content).digest('hex');
  const lines = [
    KINDS[kind](),
    ...(kind === 'file' ? [l10n.t('Size: {0} ({1} bytes)', formatSize(size), size)] : []),
    l10n.t('Permissions: {0}', formatMode(mode)),
    ...(kind === 'link' ? [l10n.t('Link target: {0}', oneLine(target, 4096))] : []),
    ...(kind === 'file' && sha !== undefined ? [l10n.t('SHA-256: {0}', sha)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const KINDS: Readonly<Record<ComparedFile['kind'], () => string>> = {
  file: () => l10n.t('File'),
  folder: () => l10n.t('Folder'),
  link: () => l10n.t('Symbolic link'),
  other: () => l10n.t('Device, pipe, or socket'),
};

/** Formats permissions as `rwxr-xr-x (755)`. */
export function formatMode(mode: number): string {
  const bits = Array.from('rwxrwxrwx', (letter, index) =>
    (mode >> (8 - index)) & 1 ? letter : '-',
  );
  return `${bits.join('')} (${(mode & 0o7777).toString(8).padStart(3, '0')})`;
}
