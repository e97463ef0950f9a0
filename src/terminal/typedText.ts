/**
 * Answers that tell a program what is on the clipboard (OSC 52), or in which colors the terminal shows things. A
 * container asks for them by what it writes, and the editor's terminal answers as if they were typed.
 */
// eslint-disable-next-line no-control-regex -- they begin and end with control characters
const TELLING = /\x1b\](?:4|5|1\d|52);[^\x07\x1b]*(?:\x07|\x1b\\|$)/g;

/** Reports of places, sizes, the mouse and the focus, and strings: longer than the sequence of any common key. */
// eslint-disable-next-line no-control-regex -- they begin with a control character
const REPORT = /^\x1b(?:\[[^]{2}|\[[IO]$|P)/;

/** What a user may have typed or pasted: without what the terminal tells of the user's machine by itself. */
export function typedText(input: string): string {
  return input.replace(TELLING, '');
}

/** Whether a terminal has said this by itself, so that no key was pressed. */
export function isAnswer(input: string): boolean {
  return typedText(input) === '' || REPORT.test(input);
}
