/**
 * Detects values that look like secrets among the fields of a container, so that none is stored where others
 * could read it.
 */

/** Names that match the patterns below but are known to be harmless. */
const HARMLESS_NAME = /^(?:(?:OLD_?)?PWD|SSH_AUTH_SOCK)$/i;
/** Parts of names, with any text around them. */
const SECRET_PART =
  /passw(?:or)?d|passphrase|passcode|pwd|secret|token(?!i[sz])|credential|private|auth(?!or(?!i[sz]))|api_?key|access_?key/i;
/**
 * Parts of names at the end of a word, except as the end of a harmless word: "monkey" is not a key and
 * "compass" not a password.
 */
const SECRET_END =
  /(?:(?<!com|by|sur|tres)pass|(?<!mon|don|tur|joc|hoc|whis)keys?|(?:^|[^a-z])(?:pw|pat|dsn|creds?))(?![a-z])/i;
/** Fewer patterns for command arguments, because many more of those are harmless. */
const SECRET_WORD = /PASS(?:WORD|WD|PHRASE)?\b|SECRET|TOKEN|CREDENTIAL|API.?KEY/i;
/** `NAME=value` anywhere in an argument. The lookbehind keeps a name from being matched twice. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)=(?=[^\s=])/g;

/** Values that are recognizable as secrets: private keys, tokens of known vendors. */
const SECRET_VALUE =
  /-----BEGIN [A-Z ]{0,50}PRIVATE KEY|\b(?:gh[pousr]_|github_pat_|glpat-|(?:AKIA|ASIA)[A-Z0-9]|xox[abprs]-|sk-\w{6})/;
/** A complete run of characters before a dot, so that nothing is matched twice. */
const BEFORE_DOT = /(?<![\w-])[\w-]+(?=\.)/g;
/** The beginning of a JSON Web Token: `{"` in Base64. */
const SIGNED_TOKEN = /\beyJ[\w-]/;
/** A password before the host of a URL: `postgres://me:secret@db`. */
const SECRET_ADDRESS = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether the value of a variable or label with this name may be a secret. */
export function isSecretName(name: string): boolean {
  if (HARMLESS_NAME.test(name)) return false;
  // Splits camel case, so that `dbPass` is treated as `DB_PASS`.
  const parted = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return SECRET_PART.test(parted) || SECRET_END.test(parted);
}

/** Whether a value may be a secret, whatever its name. */
export function isSecretValue(value: string): boolean {
  return (
    SECRET_VALUE.test(value) ||
    SECRET_ADDRESS.test(value) ||
    [...value.matchAll(BEFORE_DOT)].some(([part]) => SIGNED_TOKEN.test(part))
  );
}

/** Whether the arguments of a command may contain a secret: `--password x`, `-e TOKEN=y`. */
export function hasSecretArguments(words: readonly string[]): boolean {
  return words.some((word) => SECRET_WORD.test(word) || isSecretValue(word) || assignsSecret(word));
}

/** Shown in place of a secret, whatever its length. */
export const MASK = '••••••';

/** Returns `NAME=value` with a mask as its value if the value may be a secret. */
export function maskAssignment(entry: string): string {
  const equals = entry.indexOf('=');
  if (equals < 0) return entry;
  const name = entry.slice(0, equals);
  const value = entry.slice(equals + 1);
  const isSecret = value !== '' && (isSecretName(name) || isSecretValue(value));
  return isSecret ? `${name}=${MASK}` : entry;
}

function assignsSecret(word: string): boolean {
  return [...word.matchAll(ASSIGNMENT)].some(([, name = '']) => isSecretName(name));
}
