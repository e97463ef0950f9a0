import { InputError } from '../errors.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatCommandLine } from './parseCommandLine.ts';

/**
 * Quotes arguments for a shell. Control characters are written as octal escapes: if pasted unescaped, a
 * terminal would take them for keys.
 */
export function quoteShellArguments(words: readonly string[]): string {
  return words.map(quoteShellArgument).join(' ');
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /([\x01-\x08\x0b-\x1f\x7f-\x9f])/;

function quoteShellArgument(word: string): string {
  const [plain = '', control, ...rest] = word.split(CONTROLS);
  if (control === undefined) return formatCommandLine([word]);
  const octal = [...Buffer.from(control, 'utf8')]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
  const next = rest.join('');
  return [
    plain === '' ? '' : formatCommandLine([plain]),
    `"$(printf '${octal}')"`,
    next === '' ? '' : quoteShellArgument(next),
  ].join('');
}

/**
 * Quotes the words of a command for PowerShell. The program comes first, and is called if its name is quoted.
 *
 * @throws InputError as `formatPowerShellCommand`.
 */
export function quotePowerShellArguments(words: readonly string[]): string {
  const bad = words.find((word) => !isQuotable(word));
  if (bad === undefined) {
    const line = words.map(quotePowerShellArgument).join(' ');
    // A string alone is only printed.
    return line.startsWith("'") ? `& ${line}` : line;
  }
  throw InputError.of(
    'Cannot format the command for PowerShell: {0} cannot be quoted.',
    oneLine(JSON.stringify(bad), 80),
  );
}

/** Whether PowerShell passes a word on as it is. */
export function isQuotable(word: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return word !== '' && !/[\0-\x1f"\u201c-\u201e\x7f-\x9f\u2028\u2029]|\\$/.test(word);
}

function quotePowerShellArgument(word: string): string {
  return /^(?:--?)?\w[\w-]*$|^\w[\w./:-]*$/.test(word) ? word : powerShellText(word);
}

/** Returns a text as PowerShell writes it. */
export function powerShellText(text: string): string {
  // PowerShell treats all of these as the same quotation mark.
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
