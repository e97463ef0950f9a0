import type { L10n } from '../../../src/l10n.ts';
import type { NewLine, StoredLine } from '../../../src/logs/store/storedLine.ts';

/** English as it is written. */
export const PLAIN: L10n = {
  t: (message, ...args) =>
    message.replaceAll(/\{(\d)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
};

/** Lines in plain memory. */
export class FakeStore {
  lines: StoredLine[] = [];
  firstId = 0;
  droppedCount = 0;

  get endId(): number {
    return this.firstId + this.lines.length;
  }

  append(lines: readonly NewLine[]): void {
    for (const line of lines) this.lines.push({ ...line, id: this.endId, level: 'none' });
  }

  prepend(lines: readonly NewLine[]): void {
    this.firstId -= lines.length;
    const older = lines.map((line, at) => ({
      ...line,
      id: this.firstId + at,
      level: 'none' as const,
    }));
    this.lines.unshift(...older);
  }

  read(from: number, to: number): readonly StoredLine[] {
    return this.lines.slice(Math.max(0, from - this.firstId), Math.max(0, to - this.firstId));
  }

  idAt(milliseconds: number): number {
    const at = this.lines.findIndex(({ timestamp }) => Date.parse(timestamp) >= milliseconds);
    return at < 0 ? this.endId : this.firstId + at;
  }

  clear(): void {
    this.firstId = this.endId;
    this.lines = [];
  }
}

/** A line as the store has it. */
export function stored(text: string, more: Partial<StoredLine> = {}): StoredLine {
  const plain = { id: 1, member: 0, kind: 'stdout', level: 'none', timestamp: '' } as const;
  return { ...plain, text, ...more };
}
