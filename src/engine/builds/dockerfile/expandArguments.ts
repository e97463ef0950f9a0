/**
 * Replaces the variables of one Dockerfile: `$NAME`, `${NAME}`, defaults (`${NAME:-default}`, `${NAME:+other}`),
 * removed prefixes and suffixes (`${NAME#a*}`, `${NAME%b*}`), and replacements (`${NAME/a/b}`). What is unknown stays,
 * and so does what comes after very much work: a file that is only opened must not keep the editor busy.
 */
export class ArgumentExpansion {
  #left = MOST_WORK;

  /** @returns the text, at most {@link MOST_VALUE} characters of it, and of the values. */
  expand(text: string, values: ReadonlyMap<string, string>): string {
    let added = 0;
    return text
      .slice(0, MOST_VALUE)
      .replace(
        VARIABLE,
        (whole: string, inner?: string, operator = '', operand = '', bare = ''): string => {
          if (this.#left <= 0) return whole;
          const value = values.get(inner ?? String(bare));
          this.#left -= whole.length + (value?.length ?? 0);
          const replaced =
            added < MOST_VALUE ? (changed(value, String(operator), String(operand)) ?? whole) : '';
          this.#left -= replaced.length;
          added += replaced.length;
          return replaced;
        },
      );
  }
}

/** The characters of variables, their values, and results that are handled for one file: more than any real one has. */
const MOST_WORK = 256 * 1024;

/** The longest text that is expanded: without a limit, values could double in every line. */
export const MOST_VALUE = 4096;

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)(?:(:?[-+]|##?|%%?|\/\/?)([^{}]*))?\}|([A-Za-z_]\w*))/g;

/** Returns undefined for what is unknown. */
function changed(value: string | undefined, operator: string, operand: string): string | undefined {
  const isSet = value !== undefined && (value !== '' || !operator.startsWith(':'));
  if (operator.endsWith('-')) return isSet ? value : operand;
  if (operator.endsWith('+')) return isSet ? operand : '';
  if (operator === '' || value === undefined) return value;
  if (operator.startsWith('/')) return replaced(value, operand, operator === '//');
  // Whether characters are escaped or one of several is only for the builder.
  if (/[?[\]\\]/.test(operand)) return undefined;
  const isLongest = operator.length === 2;
  if (operator.startsWith('#')) return value.slice(prefixLength(value, operand, isLongest));
  const rest = reversed(value).slice(prefixLength(reversed(value), reversed(operand), isLongest));
  return reversed(rest);
}

/** Returns undefined for a pattern with wildcards. */
function replaced(value: string, operand: string, isEach: boolean): string | undefined {
  const slash = operand.indexOf('/');
  const [from, to] =
    slash < 0 ? [operand, ''] : [operand.slice(0, slash), operand.slice(slash + 1)];
  if (/[*?[\]\\]/.test(from)) return undefined;
  if (from === '') return value;
  return (isEach ? value.split(from) : cutAtFirst(value, from)).join(to);
}

function cutAtFirst(value: string, from: string): readonly string[] {
  const at = value.indexOf(from);
  return at < 0 ? [value] : [value.slice(0, at), value.slice(at + from.length)];
}

/** Returns the length of the start of a text that a pattern with asterisks matches; 0 if none does. */
function prefixLength(text: string, pattern: string, isLongest: boolean): number {
  const [first = '', ...others] = pattern.split('*');
  if (!text.startsWith(first)) return 0;
  let end = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const at = isLast && isLongest ? text.lastIndexOf(part) : text.indexOf(part, end);
    if (at < end) return 0;
    end = at + part.length;
  }
  return end;
}

function reversed(text: string): string {
  return text.split('').toReversed().join('');
}
