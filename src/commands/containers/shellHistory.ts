import type { Memento } from '../../base/lifetime.ts';
import { RecentEntries } from '../../base/recentEntries.ts';
import { asList, asRecord, asText } from '../../engine/wire/wire.ts';
import type { OpenShellOptions } from './openShellOptions.ts';

const KEY = 'gantry.lastShells';
const LONGEST = 1000;
const MOST_NAMES = 50;

/**
 * The last options of a shell, for each service or container. VS Code stores them unencrypted, and variables can be
 * secrets: only their names are kept there, and their values as long as the window.
 */
export class ShellHistory {
  readonly #values = new Map<string, readonly string[]>();

  /** @param memory storage of the workspace. */
  last(memory: Memento, key: string): LastShell {
    const kept = asRecord(new RecentEntries<unknown>(memory, KEY).get(key));
    const [shell, user, workingDir] = ['shell', 'user', 'workingDir'].map((field) =>
      asText(kept[field]),
    );
    const env = this.#values.get(key) ?? [];
    return {
      options: {
        ...(shell && { shell }),
        ...(user && { user }),
        ...(workingDir && { workingDir }),
        ...(env.length > 0 && { env }),
      },
      names: asList(kept['names']).map(asText),
    };
  }

  async put(
    memory: Memento,
    key: string,
    { env = [], ...options }: OpenShellOptions,
  ): Promise<void> {
    this.#values.set(key, env);
    const short = Object.entries(options).filter(([, text]) => text.length <= LONGEST);
    const given = env.map((entry) => entry.split('=', 1)[0] ?? '');
    // Those of earlier times stay, because without their values they are easily left out.
    const names = [...new Set([...given, ...this.last(memory, key).names])].slice(0, MOST_NAMES);
    const kept = { ...Object.fromEntries(short), names };
    await new RecentEntries<unknown>(memory, KEY).put(key, kept);
  }
}

interface LastShell {
  readonly options: OpenShellOptions;
  /** Of the variables, also of those whose value is not known anymore. */
  readonly names: readonly string[];
}
