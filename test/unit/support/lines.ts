import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { NewLine, StoredLine } from '../../../src/logs/store/storedLine.ts';
import { codePoint } from './codePoint.ts';

/** Returns a timestamp in the format of Docker, some nanoseconds after a fixed time. */
export function stamp(nanoseconds: number): string {
  return `2026-08-01T10:00:00.${String(nanoseconds).padStart(9, '0')}Z`;
}

/** Returns a line of the first container. */
export function line(text: string, timestamp = stamp(1)): NewLine {
  return { member: 0, kind: 'stdout', timestamp, text };
}

/** Returns the input fields of a stored line. */
export function given({ member, kind, timestamp, text }: StoredLine): NewLine {
  return { member, kind, timestamp, text };
}

/** Typical log texts: short ones, colors, non-ASCII characters, overwritten lines, stack frames. */
export const someText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', '')),
  fc.string({ unit: codePoint, maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
  fc.constantFrom(
    '',
    'error: no',
    'ERROR it broke',
    'java.lang.IllegalStateException: no',
    '\tat a.b.C.d(C.java:12)',
    '    at run (/app/a.js:1:2)',
    'Caused by: a.b.CException: x',
    'an er\u001b[31mror\u001b[0m in red',
    '10 %\r20 %\rerror 30 %',
    'Fehler: größer als 10 €',
    'an error in the Errors of errorous',
  ),
  fc.nat(3000).map((length) => 'x'.repeat(length)),
);

/** Timestamps as engines write them, and invalid ones. */
const someStamp: fc.Arbitrary<string> = fc.oneof(
  fc.nat(999_999_999).map(stamp),
  fc.constantFrom(
    '',
    '2026-08-01T10:00:00Z',
    '2026-08-01T10:00:00.5Z',
    '2026-12-31T23:59:59.000000001+02:00',
    '2024-02-29T00:00:00.123456789-05:30',
    '1970-01-01T00:00:00Z',
    '2026-02-30T10:00:00.000000000Z',
    '2026-08-01T10:00:00.00000000xZ',
    'no stamp at all',
    '９'.repeat(30),
  ),
);

/** Lines of several containers. */
export const someLines: fc.Arbitrary<NewLine[]> = fc.array(
  fc.record({
    member: fc.constantFrom(0, 1, 300),
    kind: fc.constantFrom('stdout', 'stderr', 'marker', 'gap'),
    timestamp: someStamp,
    text: someText,
  }),
  { maxLength: 60 },
);

/** Creates a folder before each test and removes it afterwards. */
export function withFolder(): { readonly path: () => string } {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'gantry-lines-'));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  return { path: () => path };
}
