/** What decides how a program writes letters past ASCII. */
const LOCALE = ['LANG', 'LC_ALL', 'LC_CTYPE'];

/**
 * The environment of a shell in the editor's terminal, as `NAME=value`.
 *
 * @param known names of the variables the container has: its own locale stays.
 */
export function shellVariables(known: ReadonlySet<string>): readonly string[] {
  const hasLocale = LOCALE.some((name) => known.has(name));
  const locale = hasLocale ? [] : ['LANG=C.UTF-8'];
  return ['TERM=xterm-256color', 'COLORTERM=truecolor', 'TERM_PROGRAM=vscode', ...locale];
}
