import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}
interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly MenuItem[];
    readonly configuration: { readonly properties: Readonly<Record<string, object>> };
    readonly viewsWelcome: readonly {
      readonly contents: string;
      readonly view: string;
      readonly when: string;
    }[];
  };
}

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
const commandSources = readdirSync(new URL('src/commands', root))
  .map((file) => read(`src/commands/${file}`))
  .join('\n');

const declared = new Set(manifest.contributes.commands.map(({ command }) => command));

describe('the manifest', () => {
  it('declares every command that is registered, and no other', () => {
    const ids = commandSources.matchAll(/(?:id: |simple\(|Command\(\s*)'(gantry\.[\w.]+)'/g);
    const registered = new Set([...ids].map(([, id]) => id));
    assert.deepEqual([...registered].sort(), [...declared].sort());
  });

  it('shows only declared commands in menus, keys and welcome views', () => {
    const { menus, keybindings, viewsWelcome } = manifest.contributes;
    const linked = viewsWelcome.flatMap(({ contents }) => {
      const text = texts[contents.slice(1, -1)] ?? '';
      return [...text.matchAll(/command:(gantry\.[\w.]+)/g)].map(([, id]) => id);
    });
    const items = [...Object.values(menus).flat(), ...keybindings].map(({ command }) => command);
    for (const id of [...items, ...linked]) assert.ok(declared.has(id ?? ''), id);
  });

  it('has a text for every key, and a key for every text', () => {
    const used = new Set([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    assert.deepEqual([...used].sort(), Object.keys(texts).sort());
  });

  it('has a welcome text in both views for every state but the good one', () => {
    const states = /gantry\.state == (\w+)/;
    for (const view of ['gantry.containers', 'gantry.images']) {
      const found = manifest.contributes.viewsWelcome
        .filter((entry) => entry.view === view)
        .map((entry) => states.exec(entry.when)?.[1]);
      for (const state of [
        'connecting',
        'ready',
        'absent',
        'denied',
        'refused',
        'notEngine',
        'tooOld',
        'tooNew',
        'unreachable',
      ]) {
        assert.ok(found.includes(state), `${view}: ${state}`);
      }
    }
  });

  it('declares every setting that is read', () => {
    const names = [
      ...read('src/settings.ts').matchAll(
        /\.(?:get<unknown>|inspect<unknown>|update)\(\s*'([\w.]+)'/g,
      ),
    ];
    const known = Object.keys(manifest.contributes.configuration.properties);
    assert.ok(names.length >= 3);
    for (const [, name] of names) assert.ok(known.includes(`gantry.${name ?? ''}`), name);
  });

  it('wakes the extension by nothing but its views and commands', () => {
    assert.deepEqual(manifest.activationEvents, []);
  });
});
