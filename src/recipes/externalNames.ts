import type { YamlMap } from './formatYaml.ts';

/** The keys of volumes or networks in a compose file, which stand for those that exist. */
export class ExternalNames {
  readonly #existing: ReadonlyMap<string, string>;
  readonly #project: string | undefined;
  /** By the name. */
  readonly #keys = new Map<string, string>();

  /**
   * @param existing the names by the keys that the file has already.
   * @param project the project whose name is left out of the keys.
   */
  constructor(existing: ReadonlyMap<string, string> | undefined, project: string | undefined) {
    this.#existing = existing ?? new Map();
    this.#project = project;
  }

  keyOf(name: string): string {
    const [known] = [...this.#existing].find(([, existing]) => existing === name) ?? [];
    const key = known ?? this.#keys.get(name) ?? this.#newKey(name);
    if (known === undefined) this.#keys.set(name, key);
    return key;
  }

  #newKey(name: string): string {
    const prefix = `${this.#project}_`;
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    // This key of a network stands for the one that Compose creates.
    return freeName(validName(own), ['default', ...this.#existing.keys(), ...this.#keys.values()]);
  }

  /** Returns the entries that the file needs in addition. */
  entries(): YamlMap {
    const all = [...this.#keys].map(([name, key]): [string, YamlMap] => [
      key,
      { ...(name !== key && { name: escapeVariable(name) }), external: true },
    ]);
    return Object.fromEntries(all);
  }
}

/** Returns a name as Compose accepts it for a service, a volume, or a network. */
export function validName(name: string): string {
  return name.replace(/[^\w.-]/g, '_') || '_';
}

/** Returns the name, or if it is used, the name with the first number that makes it free. */
export function freeName(name: string, used: Iterable<string>, separator = '-'): string {
  const all = new Set(used);
  for (let number = 2, free = name; ; number++) {
    if (!all.has(free)) return free;
    free = `${name}${separator}${number}`;
  }
}

/** Returns a text that Compose reads as it is, without values of variables. */
export function escapeVariable(text: string): string {
  return text.replaceAll('$', '$$$$');
}
