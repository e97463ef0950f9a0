/** What looks like a secret among the fields of a container, so that none is kept where others could read it. */

const SECRET_NAME = /PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|KEY|CREDENTIAL|AUTH|PRIVATE/i;
/** Of words many more are harmless: a monkey is no key. */
const SECRET_WORD = /PASS(?:WORD|WD|PHRASE)?\b|SECRET|TOKEN|CREDENTIAL|API.?KEY/i;
/** A password before the host of an address: `postgres://me:secret@db`. */
const SECRET_ADDRESS = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether the value of a variable or label of this name is better not kept. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether a value is better not kept, whatever it is called. */
export function isSecretValue(value: string): boolean {
  return SECRET_ADDRESS.test(value);
}

/** Whether there may be a secret among the words of a command: `--password x`, `-e TOKEN=y`. */
export function hasSecretWords(words: readonly string[]): boolean {
  return words.some((word) => SECRET_WORD.test(word) || isSecretValue(word));
}
