import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';

// Each alternative takes time in proportion to what it matches: a container's output must not be able to hang
// the editor. In order: control sequences (colours, cursor), terminated strings (titles, links), short
// escapes, and any other control character but tab and line feed.
const CONTROLS =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\n\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text as an output channel shows it: without escape sequences and control characters; tabs and lines stay. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Lines as they are appended, each with its line end. @param withStamps the engine's time stamps in front. */
export function logText(lines: readonly LogLine[], withStamps: boolean): string {
  const text = withStamps
    ? lines.map((line) => `${line.timestamp} ${lastState(line.text)}\n`)
    : lines.map((line) => `${lastState(line.text)}\n`);
  return withoutControls(text.join(''));
}

/** Of a line that was written over and over, such as a progress bar, what it said last. */
function lastState(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => withoutControls(part) !== '') ?? '';
}

/** What Gantry itself says in a container's channel. */
export type Remark =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'started' }
  | { readonly kind: 'startedAgain' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly words: string | undefined };

/** A remark as a line of its own, in brackets, for all around it is the container's. */
export function remarkText(remark: Remark, l10n: L10n): string {
  const oneLine = withoutControls(sentence(remark, l10n)).replaceAll(/\s*\n\s*/g, ' ');
  return `[${oneLine}]\n`;
}

function sentence(remark: Remark, l10n: L10n): string {
  switch (remark.kind) {
    case 'exited':
      return l10n.t('The container exited with status {0}.', remark.exitCode);
    case 'started':
      return l10n.t('The container was started.');
    case 'startedAgain':
      return l10n.t('The container was started again.');
    case 'removed':
      return l10n.t('The container was removed.');
    case 'lost':
      return l10n.t('The connection to the engine is lost. The log goes on when it is back.');
    case 'failed':
      return remark.words === undefined
        ? l10n.t('The log cannot be read on: what the engine sent is no log.')
        : l10n.t('The log cannot be read on: {0}', remark.words);
  }
}
