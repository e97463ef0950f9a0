/** What graphs take from the theme: a canvas does not know the variables of style sheets. */
export interface GraphTheme {
  readonly colors: readonly string[];
  readonly foreground: string;
  readonly faint: string;
  readonly grid: string;
  readonly background: string;
  readonly font: string;
  readonly marks: Readonly<Record<'good' | 'bad' | 'neutral', string>>;
  /** Whether lines must differ in more than their color. */
  readonly isHighContrast: boolean;
}

/** Reads the theme of the page as it is now. */
export function graphTheme(): GraphTheme {
  const style = getComputedStyle(document.body);
  const variable = (name: string): string => style.getPropertyValue(`--vscode-${name}`).trim();
  const isHighContrast = document.body.classList.contains('vscode-high-contrast');
  const foreground = variable('editor-foreground') || style.color;
  const family = variable('font-family') || 'sans-serif';
  return {
    colors: COLORS.map((name) => variable(name) || foreground),
    foreground,
    faint: variable('descriptionForeground') || foreground,
    grid: isHighContrast ? withAlpha(foreground, 0.35) : withAlpha(foreground, 0.12),
    background: variable('editor-background') || 'transparent',
    font: `11px ${family}`,
    marks: {
      good: variable('charts-green') || foreground,
      bad: variable('charts-red') || foreground,
      neutral: variable('descriptionForeground') || foreground,
    },
    isHighContrast,
  };
}

/** Returns a color of VS Code, which is `#rrggbb` or `#rrggbbaa`, with another opacity; others as they are. */
function withAlpha(color: string, alpha: number): string {
  const [hex] = /^#[0-9a-f]{6}/i.exec(color) ?? [];
  const digits = Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0');
  return hex === undefined ? color : `${hex}${digits}`;
}

/** Not the orange of charts: in the themes of VS Code, it can hardly be told from a dark background. */
const COLORS = [
  ...['charts-blue', 'charts-green', 'charts-yellow'],
  ...['charts-purple', 'terminal-ansiCyan', 'charts-red'],
];
