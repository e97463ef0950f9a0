/**
 * A password or a token in a wrapping: whoever prints, copies or serialises what holds it finds nothing. Only
 * `reveal` gives it, so that a look for that word finds all who see it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself: for what is about to be sent, and for nothing that is kept. */
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

/** The secret in a wrapping, or as it came from a caller. */
export function reveal(secret: Secret | string): string {
  return secret instanceof Secret ? secret.reveal() : secret;
}
