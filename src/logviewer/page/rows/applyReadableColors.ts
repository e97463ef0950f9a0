import type { AnsiColors } from './ansiColors.ts';

/** What the style sheet colours text with, by its own names: colours that themes make for lines and shapes. */
const COLORS: Readonly<Record<string, string>> = {
  'color-0': 'charts-blue',
  'color-1': 'charts-green',
  // The theme's orange is made to be seen through.
  'color-2': 'terminal-ansiCyan',
  'color-3': 'charts-purple',
  // Red says that something is wrong.
  'color-4': 'terminal-ansiMagenta',
  'color-5': 'charts-yellow',
  warning: 'editorWarning-foreground',
  error: 'errorForeground',
};

/** Grounds on which the editor's own text stands. */
const GROUNDS = ['findMatch', 'findMatchHighlight', 'selection'];

/** Gives an element the theme's colours, each changed by as much as it needs to be read. */
export function applyReadableColors(element: HTMLElement, colors: AnsiColors): void {
  for (const [name, variable] of Object.entries(COLORS)) {
    element.style.setProperty(`--legible-${name}`, colors.ofTheme(`--vscode-${variable}`));
  }
  for (const name of GROUNDS) {
    const ground = `--vscode-editor-${name}Background`;
    element.style.setProperty(`--legible-${name}`, colors.textOn(ground));
  }
}
