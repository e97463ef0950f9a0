import { isDisplayedWhole, oneLine, plainText } from '../../base/plainText.ts';

/** A question of ssh to the user. */
export interface SshQuestion {
  /**
   * `password` is answered with secret text, `confirm` with `yes`. `notice` needs no answer: for example, a
   * security key has to be touched. It is closed when its signal is aborted.
   */
  readonly kind: 'password' | 'confirm' | 'notice';
  /** Plain text of one or more lines, from ssh or the remote host, without control characters. */
  readonly prompt: string;
  /** The host that the question is about, as in the endpoint: `user@host:22`. */
  readonly host: string;
  /** Whether `prompt` and `host` can be shown in full. If not, the question must not be answered with yes. */
  readonly isWhole: boolean;
}

/**
 * Asks the user a question.
 *
 * @param signal aborted when the answer is no longer needed.
 * @returns the user's answer, which must not be stored; undefined if the user does not answer.
 */
export type Ask = (question: SshQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** The last characters of a prompt, which show the kind of its answer. */
const END = 100;

/**
 * Converts a prompt that ssh passed to the askpass program.
 *
 * @param hint value of `SSH_ASKPASS_PROMPT`, which newer versions of ssh set.
 */
export function asQuestion(prompt: string, hint: string, host: string): SshQuestion {
  return {
    // By the end of the prompt: even if the prompt is cut when shown, its kind stays the same.
    kind: kindOf(plainText(prompt.slice(-END)).trim(), hint),
    prompt: plainText(prompt).trim(),
    host,
    // By the original prompt: the plain text may have been cut, even if it is short.
    isWhole: isDisplayedWhole(prompt) && oneLine(host) === host,
  };
}

function kindOf(prompt: string, hint: string): SshQuestion['kind'] {
  if (hint === 'none') return 'notice';
  // The question about an unknown host key has no hint.
  if (hint === 'confirm' || /\(yes\/no(\/\[fingerprint\])?\)\?$/.test(prompt)) return 'confirm';
  return 'password';
}
