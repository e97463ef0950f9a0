/**
 * Returns an instruction of an image's history as it is written in a Dockerfile. Docker records lists and health checks
 * in the notation of Go, and values without their quotes; anything else stays.
 */
export function dockerfileSyntax(instruction: string): string {
  const [, keyword = '', rest = ''] = /^([A-Z]+) +(.*)$/s.exec(instruction) ?? [];
  const rewrite = Object.hasOwn(REWRITES, keyword) ? REWRITES[keyword] : undefined;
  const rewritten = rewrite?.(rest.trim());
  return rewritten === undefined ? instruction : `${keyword} ${rewritten}`;
}

/** By instruction. Each returns undefined for what is written as in a Dockerfile already. */
const REWRITES: Readonly<Record<string, (text: string) => string | undefined>> = {
  EXPOSE: (text) => keysOf(text)?.join(' ') ?? wordsIn(text)?.join(' '),
  VOLUME: (text) => wordsIn(text)?.join(' '),
  SHELL: (text) => toArray(wordsIn(text)),
  CMD: (text) => toArray(quotedIn(text)),
  ENTRYPOINT: (text) => toArray(quotedIn(text)),
  HEALTHCHECK: readHealthcheck,
  ENV: quoteValues,
  LABEL: quoteValues,
};

function toArray(words: readonly string[] | undefined): string | undefined {
  return words && `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

/** Reads a list such as `[/data /logs]`. */
function wordsIn(text: string): readonly string[] | undefined {
  const [, words] = /^\[([^\]"]*)\]$/.exec(text) ?? [];
  return words?.split(' ').filter((word) => word !== '');
}

/** Reads the keys of a map such as `map[53/udp:{} 80/tcp:{}]`. */
function keysOf(text: string): readonly string[] | undefined {
  const [, map] = /^map\[([^\]]*)\]$/.exec(text) ?? [];
  return map?.split(' ').map((entry) => entry.replace(/:\{\}$/, ''));
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const QUOTED_LIST = new RegExp(String.raw`^\[((?:${QUOTED}(?: (?=")|(?=\])))*)\]$`, 's');

/** Reads a list such as `["sh" "-c" "exit 1"]`. */
function quotedIn(text: string): readonly string[] | undefined {
  const [, list] = QUOTED_LIST.exec(text) ?? [];
  return list?.match(new RegExp(QUOTED, 'gs'))?.map((word) => unescape(word.slice(1, -1)));
}

/** The escapes of Go that are single letters. */
const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gs,
    (_whole, ...codes: readonly (string | undefined)[]) => {
      const [byte, short, long, letter = ''] = codes;
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
      if (Number.isNaN(code)) return LETTERS[letter] ?? letter;
      return code > 0x10_ff_ff ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

const HEALTHCHECK = new RegExp(
  String.raw`^&\{(\[.*\]) "(\w+)" "(\w+)" "(\w+)"(?: "(\w+)")? '(\\?.[^']*)'\}$`,
  's',
);

/** Reads such as `&{["CMD-SHELL" "true"] "5s" "3s" "0s" "0s" '\x03'}`: the last is the number of retries. */
function readHealthcheck(text: string): string | undefined {
  const [, list = '', ...values] = HEALTHCHECK.exec(text) ?? [];
  const [kind, ...command] = quotedIn(list) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'NONE') return kind;
  const [interval, timeout, startPeriod, startInterval, retries = ''] = values;
  const count = unescape(retries).codePointAt(0) ?? 0;
  const options = [
    ['interval', interval],
    ['timeout', timeout],
    ['start-period', startPeriod],
    ['start-interval', startInterval],
    ['retries', count === 0 ? undefined : String(count)],
  ];
  const shown = options.flatMap(([name = '', value]) =>
    value === undefined || value === '0s' ? [] : [`--${name}=${value}`],
  );
  const words = kind === 'CMD-SHELL' ? (command[0] ?? '') : (toArray(command) ?? '');
  return [...shown, 'CMD', words].join(' ');
}

/** Quotes values with spaces, as in `A=1 B="x y"`. Where another assignment begins in a value is not recorded. */
function quoteValues(text: string): string | undefined {
  if (/["'\\]/.test(text) || !/^[^\s=]+=/.test(text)) return undefined;
  return text
    .split(/ (?=[^\s=]+=)/)
    .map((one) => {
      const at = one.indexOf('=') + 1;
      const value = one.slice(at);
      return /\s/.test(value) ? `${one.slice(0, at)}"${value}"` : one;
    })
    .join(' ');
}
