/** No browser promises to open a longer one. */
const LONGEST = 2083;

/** An address a log may lead to: `http` or `https` with a host, fit for a browser. Anything else is undefined. */
export function webAddress(text: string): string | undefined {
  if (text.length > LONGEST || !/^https?:\/\/[^\s/?#]/i.test(text)) return undefined;
  return URL.canParse(text) ? text : undefined;
}
