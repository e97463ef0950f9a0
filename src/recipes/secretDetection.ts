/** What looks like a secret among the fields of a container, so that none is kept where others could read it. */

/** Names of these kinds that are known to hold none. */
const HARMLESS_NAME = /^(?:(?:OLD_?)?PWD|SSH_AUTH_SOCK)$/i;
/** Whatever stands around them. */
const SECRET_PART =
  /passw(?:or)?d|passphrase|passcode|pwd|secret|token(?!i[sz])|credential|private|auth(?!or(?!i[sz]))|api_?key|access_?key/i;
/** Only at the end of a word, and not where they end a harmless one: a monkey is no key, a compass no password. */
const SECRET_END =
  /(?:(?<!com|by|sur|tres)pass|(?<!mon|don|tur|joc|hoc|whis)keys?|(?:^|[^a-z])(?:pw|pat|dsn|creds?))(?![a-z])/i;
/** Of the words of a command many more are harmless. */
const SECRET_WORD = /PASS(?:WORD|WD|PHRASE)?\b|SECRET|TOKEN|CREDENTIAL|API.?KEY/i;
/** `NAME=value` somewhere in a word. A name begins where no other goes on, so that none is read twice. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)=(?=[^\s=])/g;

/** Values that say it of themselves: private keys, tokens of known makers, signed tokens. */
const SECRET_VALUE =
  /-----BEGIN [A-Z ]{0,50}PRIVATE KEY|\b(?:gh[pousr]_|github_pat_|glpat-|(?:AKIA|ASIA)[A-Z0-9]|xox[abprs]-|sk-\w{6})/;
/** What stands before a dot, whole, so that nothing is read twice. */
const BEFORE_DOT = /(?<![\w-])[\w-]+(?=\.)/g;
/** A signed token begins so, with `{"` in Base64. */
const SIGNED_TOKEN = /\beyJ[\w-]/;
/** A password before the host of an address: `postgres://me:secret@db`. */
const SECRET_ADDRESS = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether the value of a variable or label of this name is better not kept. */
export function isSecretName(name: string): boolean {
  if (HARMLESS_NAME.test(name)) return false;
  // `dbPass` is two words as much as `DB_PASS` is.
  const parted = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return SECRET_PART.test(parted) || SECRET_END.test(parted);
}

/** Whether a value is better not kept, whatever it is called. */
export function isSecretValue(value: string): boolean {
  return (
    SECRET_VALUE.test(value) ||
    SECRET_ADDRESS.test(value) ||
    [...value.matchAll(BEFORE_DOT)].some(([part]) => SIGNED_TOKEN.test(part))
  );
}

/** Whether there may be a secret among the words of a command: `--password x`, `-e TOKEN=y`. */
export function hasSecretArguments(words: readonly string[]): boolean {
  return words.some((word) => SECRET_WORD.test(word) || isSecretValue(word) || assignsSecret(word));
}

function assignsSecret(word: string): boolean {
  return [...word.matchAll(ASSIGNMENT)].some(([, name = '']) => isSecretName(name));
}
