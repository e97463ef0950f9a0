/** The file `.env`, from which Compose reads the values of variables. */

/** Returns a line that Compose reads as this value. */
export function formatEnvLine(name: string, value: string): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return `${name}=${value}\n`;
  // Between these, everything is literal.
  if (/^[^'\\\p{Cc}]*$/u.test(value)) return `${name}='${value}'\n`;
  const escaped = value.replace(
    /[\\"$\p{Cc}]/gu,
    (character) => ESCAPES[character] ?? octal(character),
  );
  return `${name}="${escaped}"\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  $: '\\$',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** In the form of a shell: a zero, and the three digits of a byte. A byte is not enough for others than ASCII. */
function octal(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\0${code.toString(8).padStart(3, '0')}` : character;
}

/** A variable with its value, which may have several lines between quotation marks. */
const ENTRY =
  /^[ \t]*(?:export[ \t]+)?([^\s=:#'"]+)[ \t]*(?:[=:][ \t]*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\n]*)|$)/gms;

/** Returns the names of the variables in the text of such a file. */
export function envFileNames(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(ENTRY)].map(([, name = '']) => name));
}
