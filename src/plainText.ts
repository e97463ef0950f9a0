/**
 * What strangers wrote (engines, registries, whoever made an image or runs in a container), made fit to show:
 * nothing in it reorders or hides text, drives a terminal, or is a link or an icon of the editor. Every
 * expression here takes time in proportion to its text, however that was made up.
 */

// In order: control sequences (colours, cursor), terminated strings (titles, links), short escapes, and single
// characters: all controls but tab and line feed, marks and overrides of the writing direction, line ends that
// only some programs know, and the tags, which are letters that nobody sees.
const CONTROLS =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\n\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/** Past so many characters a name or a value says nothing more to anybody. */
const LINE_LIMIT = 400;
/** The same for an explanation in sentences. */
const TEXT_LIMIT = 4000;
/** A question of more lines does not fit on a small screen. */
const LINE_COUNT = 40;

/** Text of several lines, each without anything that is not seen; cut with an ellipsis. */
export function plainText(text: string, limit = TEXT_LIMIT): string {
  const lines = text.slice(0, 4 * limit).split(/\r?\n/);
  return cut(lines.map((line) => visible(spaced(line)).trimEnd()).join('\n'), limit);
}

/** Text without escape sequences, control characters and overrides of the direction; tabs and lines stay. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** What {@link withoutControls} takes out, piece by piece in order, found as one goes on. */
export function controlsIn(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(CONTROLS);
}

/**
 * Text of one line, without anything that is not seen, and cut with an ellipsis.
 *
 * @param limit in characters as a person counts them, nearly.
 */
export function oneLine(text: string, limit = LINE_LIMIT): string {
  // Nearly all are so, and there may be thousands of rows.
  if (text.length <= limit && /^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  return cut(visible(spaced(text.slice(0, 4 * limit))).trim(), limit);
}

/** Text without any of these characters at its end. An expression would try every run of them, wherever it stands. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A message as the editor shows it: `[…](…)` would be a link, and a command link in it would run. */
export function withoutLinks(message: string): string {
  return message.replaceAll('](', '] (');
}

/** A message or prompt as it is handed to the editor: whatever words are in it, there is no link. */
export function displayText(text: string): string {
  return withoutLinks(plainText(text));
}

/** A title, which has one line: see {@link displayText}. */
export function displayTitle(text: string): string {
  return withoutLinks(oneLine(text));
}

/** Whether {@link displayText} shows this text to its end, on a small screen, too. */
export function isDisplayedWhole(text: string): boolean {
  return text.split('\n').length <= LINE_COUNT && text.length <= TEXT_LIMIT;
}

/** A text for a place where `$(name)` would be an icon. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** A value as JSON that says the same and hides nothing: what is not seen stands there by its number. */
export function visibleJson(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2).replace(
    /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu,
    (hidden) =>
      hidden
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  );
  return `${json}\n`;
}

/** Escape sequences go, every other control character is a space: words on both sides stay apart. */
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
      // A heap of accents on one letter reaches into the lines around it.
      .replace(/(\p{M}{3})\p{M}+/gu, '$1')
  );
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const letters = Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit).join('')}…` : text;
}
