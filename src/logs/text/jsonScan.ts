/** Skips over JSON text without parsing it. Each function takes time proportional to what it skips. */

/** Returns the end of the whitespace that starts at `at`. */
export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t' || text[end] === '\n' || text[end] === '\r') end++;
  return end;
}

/** Returns the position of the quote that closes the string starting at `at`; -1 if there is none. */
export function closingQuote(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (end - backslashes > at && text[end - backslashes - 1] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** Returns the position after the value that starts at `at`; the end of the text if the value is incomplete. */
export function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return afterString(text, at);
  if (first !== '{' && first !== '[') return afterScalar(text, at);
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    const character = text[end];
    if (character === '"') end = afterString(text, end) - 1;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return end + 1;
  }
  return text.length;
}

function afterString(text: string, at: number): number {
  const end = closingQuote(text, at + 1);
  return end < 0 ? text.length : end + 1;
}

function afterScalar(text: string, at: number): number {
  let end = at;
  while (end < text.length && !',}] \t\r\n'.includes(text[end] ?? '')) end++;
  return end;
}
