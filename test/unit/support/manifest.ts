import { readFileSync } from 'node:fs';
import { FAILURES } from '../../../src/engines/failures/failures.ts';
import { OWN_STATES } from '../../../src/views/engines/engineState.ts';

/** A command in a menu, or a submenu. */
export interface MenuItem {
  readonly command: string;
  readonly submenu?: string;
  readonly group?: string;
  readonly when?: string;
}
/** The parts of `package.json` that VS Code reads. */
export interface Manifest {
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
  };
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly icon?: unknown }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly (MenuItem & { readonly key: string; readonly args?: unknown })[];
    readonly configuration: {
      readonly properties: Readonly<
        Record<
          string,
          { readonly scope?: string; readonly order: number; readonly default?: unknown }
        >
      >;
    };
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsWelcome: readonly {
      readonly contents: string;
      readonly view: string;
      readonly when: string;
    }[];
    readonly walkthroughs: readonly { readonly steps: readonly WalkthroughStep[] }[];
  };
}

interface WalkthroughStep {
  readonly description: string;
  readonly media: { readonly svg: string };
  readonly completionEvents: readonly string[];
}

/** The folder of the extension. */
export const root = new URL('../../../', import.meta.url);

/** Reads a file of the extension. */
export function read(name: string): string {
  return readFileSync(new URL(name, root), 'utf8');
}

export const manifest = JSON.parse(read('package.json')) as Manifest;
/** The texts of the manifest, by key. */
export const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;

/** The values of the context key `gantry.state`. */
export const GANTRY_STATES: readonly string[] = [
  ...new Set([...Object.values(OWN_STATES), ...Object.values(FAILURES).map(({ state }) => state)]),
];
