import { isDisplayedWhole, oneLine, plainText } from '../../plainText.ts';

/** What ssh wants to know of the person. */
export interface SshQuestion {
  /**
   * `password` is answered in words that nobody else may read, `confirm` by `yes`. `notice` wants no answer: a key
   * waits to be touched, for example; it goes when its signal is aborted.
   */
  readonly kind: 'password' | 'confirm' | 'notice';
  /** One or more lines, as ssh or the other machine put them, without control characters. Plain text. */
  readonly prompt: string;
  /** Whom it is about, as in the endpoint: `user@host:22`. */
  readonly host: string;
  /** Whether all of `prompt` and `host` can be shown. A question that cannot must not be answered with yes. */
  readonly isWhole: boolean;
}

/**
 * Puts a question to the person.
 *
 * @param signal is aborted once no answer is wanted any more.
 * @returns their answer, which is never kept; undefined where they would not answer.
 */
export type Ask = (question: SshQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** In so many last characters a prompt says what answer it takes. */
const END = 100;

/**
 * Shapes what ssh handed to its askpass program.
 *
 * @param hint the variable `SSH_ASKPASS_PROMPT`, which newer versions set.
 */
export function asQuestion(prompt: string, hint: string, host: string): SshQuestion {
  return {
    // By its own end: a prompt that is cut is still a question of its kind.
    kind: kindOf(plainText(prompt.slice(-END)).trim(), hint),
    prompt: plainText(prompt).trim(),
    host,
    // By what ssh said: the text above may be cut, and short nevertheless.
    isWhole: isDisplayedWhole(prompt) && oneLine(host) === host,
  };
}

function kindOf(prompt: string, hint: string): SshQuestion['kind'] {
  if (hint === 'none') return 'notice';
  // The question of an unknown host key comes without a hint.
  if (hint === 'confirm' || /\(yes\/no(\/\[fingerprint\])?\)\?$/.test(prompt)) return 'confirm';
  return 'password';
}
