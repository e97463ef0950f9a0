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
    // In the order of the log viewer, as far as both have the color.
    colors: ['blue', 'green', 'orange', 'purple', 'red', 'yellow'].map(
      (name) => variable(`charts-${name}`) || foreground,
    ),
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
