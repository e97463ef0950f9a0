import type { Level } from './level.ts';
import { numberLevel, valueLevel } from './wordLevel.ts';

/**
 * The level of formats that tell it by one character or by a fixed beginning; undefined for all others.
 *
 * @param head the beginning of a line.
 */
export function letterLevel(head: string): Level | undefined {
  switch (head.charCodeAt(0)) {
    case 0x3c:
      return levelOfSyslog(head);
    case 0x5b:
      // Tornado: "[I 2026…".
      return isLetter(head, 1) && head[2] === ' ' && isDigit(head, 3)
        ? letterAt(head, 1)
        : undefined;
    case 0x54:
      return head.startsWith('Traceback (most recent call last)') ? 'error' : undefined;
    case 0x6e:
      return head.startsWith('npm ') ? levelOfNpm(head) : undefined;
    case 0x74:
      return /^thread '[^']{1,100}'(?: \(\d+\))? panicked at /.test(head) ? 'error' : undefined;
    default:
      if (isDigit(head, 0)) return levelOfRedis(head);
      if (!isLetter(head, 0)) return undefined;
      return isSmall(head, 1) ? levelOfPhrase(head) : levelOfFirstLetter(head);
  }
}

/** `<3>`, the facility in the higher bits. */
function levelOfSyslog(head: string): Level | undefined {
  const end = head.indexOf('>');
  const priority = head.slice(1, Math.min(end, 5));
  return end > 0 && end < 5 && /^\d+$/.test(priority)
    ? numberLevel(String(Number(priority) % 8))
    : undefined;
}

/** What Java and .NET say of an exception that nobody caught. */
function levelOfPhrase(head: string): Level | undefined {
  const isCrash = /^(?:Exception in thread "|Unhandled exception[.:])/.test(head);
  return isCrash ? 'error' : undefined;
}

/** klog's `E0102 12:00:00`, Ruby's `E, [2026…`. */
function levelOfFirstLetter(head: string): Level | undefined {
  const isRuby = head.startsWith(', [', 1) && isDigit(head, 4);
  const isKlog = isDigit(head, 1) && /^\w\d{4} \d\d:/.test(head.slice(0, 9));
  return isRuby || isKlog ? letterAt(head, 0) : undefined;
}

function levelOfNpm(head: string): Level | undefined {
  const word = /^npm ([A-Za-z]{3,5})!?(?: |$)/.exec(head.slice(0, 12))?.[1];
  return word === undefined ? undefined : known(valueLevel(word));
}

/** `1:M 01 Jan 2026 12:00:00.000 * Ready`: its mark for what is worth a note is a star, for a warning a hash. */
function levelOfRedis(head: string): Level | undefined {
  const colon = head.indexOf(':');
  if (colon > 7 || head[colon + 2] !== ' ' || !isLetter(head, colon + 1)) return undefined;
  const mark = /^\d+:[MSCX] \d\d \w{3} \d{4} [\d:.]{8,12} ([.*#-]) /.exec(head.slice(0, 50))?.[1];
  return mark === undefined ? undefined : REDIS[mark];
}

const REDIS: Readonly<Record<string, Level>> = {
  '.': 'debug',
  '-': 'info',
  '*': 'info',
  '#': 'warning',
};

/** A capital letter that stands for a level. */
function letterAt(head: string, at: number): Level | undefined {
  return known(valueLevel(head[at] ?? ''));
}

function known(level: Level): Level | undefined {
  return level === 'none' ? undefined : level;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x41 && code <= 0x5a;
}

function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x61 && code <= 0x7a;
}
