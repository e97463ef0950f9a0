/**
 * A wrapped password or token, which does not appear when its owner is printed, copied or serialized. Only
 * `reveal` returns it, so that a search for that word finds all uses.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the secret. Only for what is sent next; the result must not be stored. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '…';
  }

  toJSON(): string {
    return '…';
  }
}

/** Returns the value of a secret, or the plain text given by the caller. */
export function reveal(secret: Secret | string): string {
  return secret instanceof Secret ? secret.reveal() : secret;
}
