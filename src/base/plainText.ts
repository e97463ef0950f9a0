/**
 * Sanitizes text from untrusted sources (engines, registries, image authors, processes in containers): the
 * result contains nothing that reorders or hides text, controls a terminal, or is a link or an icon in VS
 * Code. Every regular expression here runs in linear time, whatever the text.
 */

// In order: control sequences (colors, cursor), terminated strings (titles, links), short escapes, and single
// characters: all controls but tab and line feed, bidirectional marks and overrides, line separators that
// only some programs know, and tag characters, which are invisible.
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\n\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/** Maximum number of characters of a name or a value. */
const LINE_LIMIT = 400;
/** Maximum number of characters of an explanation in sentences. */
const TEXT_LIMIT = 4000;
/** Maximum number of lines of a question, so that it fits on a small screen. */
const LINE_COUNT = 40;

/** Returns text of several lines without invisible characters, truncated with an ellipsis. */
export function plainText(text: string, limit = TEXT_LIMIT): string {
  const lines = text.slice(0, 4 * limit).split(/\r?\n/);
  return cut(lines.map((line) => visible(spaced(line)).trimEnd()).join('\n'), limit);
}

/** Removes escape sequences, control characters and bidirectional overrides. Tabs and line feeds stay. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Returns what {@link withoutControls} removes, match by match in order, lazily. */
export function controlsIn(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(CONTROLS);
}

/**
 * Returns text as one line without invisible characters, truncated with an ellipsis.
 *
 * @param limit maximum number of code points.
 */
export function oneLine(text: string, limit = LINE_LIMIT): string {
  // Fast path: nearly all texts are plain ASCII, and there may be thousands of rows.
  if (text.length <= limit && /^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  return cut(visible(spaced(text.slice(0, 4 * limit))).trim(), limit);
}

/** Maximum number of characters of a rejected value in an error message, so that the rule stays in sight. */
const QUOTE_LIMIT = 40;

/**
 * Returns a rejected value as an error message quotes it: truncated, and with the spaces that may be the problem. What
 * shows the message sanitizes it. Never use it as a value.
 */
export function quotable(text: string): string {
  return cut(text.slice(0, 4 * QUOTE_LIMIT), QUOTE_LIMIT);
}

/** Removes these characters from the end. A regular expression would try every run of them, wherever it is. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Replaces the passwords of URLs: a process that prints its configuration shows those of its proxies. Also the
 * beginning of one at the end of a text that was cut.
 *
 * @param hidden what is shown instead.
 */
export function withoutUrlPasswords(text: string, hidden = '…'): string {
  return text.replace(URL_PASSWORD, `://$1:${hidden}$2`);
}

/** Returns how many characters at the end of a text may be the beginning of a URL with a password. */
export function openUrlAtEnd(text: string): number {
  const end = text.slice(-LONGEST_URL);
  const start = end.lastIndexOf('://');
  if (start >= 0 && !URL_END.test(end.slice(start + 3))) return end.length - start;
  return [':/', ':'].find((part) => end.endsWith(part))?.length ?? 0;
}

// A user name and a password of at most 1280 characters. Only ASCII ends them: the text may have one character for each
// byte. Not the tag and digest of an image, as in `docker-image://alpine:3.18@sha256:…`.
const URL_PASSWORD =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /(?<!docker-image|oci-layout):\/\/([^\0-\x20/@:"'<>]{0,256}):[^\0-\x20/"'<>]{1,1024}(?:(@)|…$)/g;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const URL_END = /[\0-\x20/"'<>]/;
const LONGEST_URL = 1300;

/** Breaks Markdown links: VS Code would show `[…](…)` as a link, and a command link would run a command. */
export function withoutLinks(message: string): string {
  return message.replaceAll('](', '] (');
}

/** Returns a message or prompt that is safe to show in VS Code: no links, whatever the text. */
export function displayText(text: string): string {
  return withoutLinks(plainText(text));
}

/** Returns a title that is safe to show, as one line; see {@link displayText}. */
export function displayTitle(text: string): string {
  return withoutLinks(oneLine(text));
}

/** Whether {@link displayText} shows the text completely, also on a small screen. */
export function isDisplayedWhole(text: string): boolean {
  return text.split('\n').length <= LINE_COUNT && text.length <= TEXT_LIMIT;
}

/**
 * Escapes `$(name)` and `$(name~modifier)`, which some labels show as an icon. Nothing else: VS Code would
 * show the backslash, for example before `$((i+1))` of a shell command.
 */
export function withoutIcons(text: string): string {
  return text.replaceAll(/\$\((?=[A-Za-z\d-]+(?:~[A-Za-z]+)?\))/g, '\\$(');
}

/**
 * Returns JSON of the value with invisible characters as `\u` escapes, so that nothing is hidden but the passwords of
 * URLs.
 */
export function visibleJson(value: unknown): string {
  const json = withoutUrlPasswords(JSON.stringify(value, undefined, 2)).replace(
    /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu,
    (hidden) =>
      hidden
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  );
  return `${json}\n`;
}

/** Removes escape sequences and replaces other control characters with a space, so that words stay separate. */
function spaced(line: string): string {
  return line
    .replace(/[\t\n\v\f\r\u2028\u2029]+/g, ' ')
    .replace(CONTROLS, (found) => (/^\p{Cc}$/u.test(found) ? ' ' : ''));
}

function visible(line: string): string {
  return (
    line
      .toWellFormed()
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '')
      // A stack of combining marks on one letter would reach into the lines around it.
      .replace(/(\p{M}{3})\p{M}+/gu, '$1')
  );
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const letters = Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit).join('')}…` : text;
}
