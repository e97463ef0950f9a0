const NOTHING: ReadonlySet<string> = new Set<string>();

/** Which members belong to which key, without keys that have none. */
export class MultiMap {
  readonly #members = new Map<string, Set<string>>();

  of(key: string): ReadonlySet<string> {
    return this.#members.get(key) ?? NOTHING;
  }

  add(key: string, member: string): void {
    const members = this.#members.get(key);
    if (members) members.add(member);
    else this.#members.set(key, new Set([member]));
  }

  remove(key: string, member: string): void {
    const members = this.#members.get(key);
    members?.delete(member);
    if (members?.size === 0) this.#members.delete(key);
  }
}
