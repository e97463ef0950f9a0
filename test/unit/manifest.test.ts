import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { GANTRY_STATES } from '../../src/views/engines/gantryState.ts';

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}
interface Manifest {
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
  };
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly MenuItem[];
    readonly configuration: {
      readonly properties: Readonly<Record<string, { readonly scope?: string }>>;
    };
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
const commandSources = globSync('src/commands/**/*.ts', { cwd: root }).map(read).join('\n');

const declared = new Set(manifest.contributes.commands.map(({ command }) => command));

describe('the manifest', () => {
  it('declares every command that is registered, and no other', () => {
    const ids = commandSources.matchAll(
      /(?:id: |simple\(|(?<!execute)Command\(\s*)'(gantry\.[\w.]+)'/g,
    );
    const registered = new Set([...ids].map(([, id]) => id));
    assert.deepEqual([...registered].sort(), [...declared].sort());
  });

  it('shows only declared commands in menus, keys and welcome views', () => {
    const { menus, keybindings, viewsWelcome } = manifest.contributes;
    const linked = viewsWelcome.flatMap(({ contents }) => {
      const text = texts[contents.slice(1, -1)] ?? '';
      return [...text.matchAll(/command:(gantry\.[\w.]+)/g)].map(([, id]) => id);
    });
    // A menu inside a menu has none.
    const inMenus = Object.values(menus).flat();
    const ofMenus = inMenus.filter((item) => !('submenu' in item));
    const items = [...ofMenus, ...keybindings].map(({ command }) => command);
    for (const id of [...items, ...linked]) assert.ok(declared.has(id ?? ''), id);
  });

  it('has a text for every key, and a key for every text', () => {
    const used = new Set([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    assert.deepEqual([...used].sort(), Object.keys(texts).sort());
  });

  const welcomed = (view: string): readonly string[] =>
    manifest.contributes.viewsWelcome
      .filter((entry) => entry.view === view)
      .flatMap(({ when }) => /^gantry\.state == (\w+)$/.exec(when)?.[1] ?? []);

  it('has one welcome text for every state, and none for what is no state', () => {
    const found = welcomed('gantry.containers');
    const states = GANTRY_STATES.filter((state) => state !== 'ready' || found.includes(state));
    assert.deepEqual([...found].sort(), [...states].sort());
  });

  it('says at length in one view alone what is wrong: the other has a line for it', () => {
    assert.deepEqual(welcomed('gantry.images'), ['connecting', 'off']);
  });

  it('leads to no setting of the local machine that is one of the remote machine', () => {
    const machine = Object.entries(manifest.contributes.configuration.properties)
      .filter(([, { scope }]) => scope === 'machine')
      .map(([name]) => name);
    assert.ok(machine.includes('gantry.host'));
    for (const [key, text] of Object.entries(texts)) {
      const links = [...text.matchAll(/\(command:workbench\.action\.openSettings\?([^)]*)\)/g)];
      const opened = links.map(([, query = '']) => decodeURIComponent(query));
      for (const name of machine) assert.ok(!opened.some((query) => query.includes(name)), key);
    }
  });

  it('hints only at states there are', () => {
    const hinted = manifest.contributes.viewsWelcome.flatMap(
      ({ when }) => /gantry\.state =~ \/\^\(([\w|]+)\)\$\//.exec(when)?.[1]?.split('|') ?? [],
    );
    const states: readonly string[] = GANTRY_STATES;
    assert.ok(hinted.length > 0);
    for (const state of hinted) assert.ok(states.includes(state), state);
  });

  for (const state of GANTRY_STATES) {
    if (state === 'ready' || state === 'connecting') continue;
    const [words = '', ...links] = (texts[`welcome.${state}`] ?? '').split('\n');

    it(`says in the welcome of ${state} what is wrong, and has one button at most`, () => {
      assert.match(words, /^[A-Z].*\.$/);
      // A link that is a line of its own is a button.
      const buttons = links.filter((link) => /^\[[^\]]+\]\(command:[^)]+\)$/.test(link));
      assert.ok(buttons.length <= 1, links.join());
      if (state === 'off') return;
      const others = links.filter((link) => !buttons.includes(link));
      assert.deepEqual(others, [
        '[Diagnose](command:gantry.engines.diagnose) · [Retry](command:gantry.retry)',
      ]);
    });

    it(`has a row for ${state} in the table of troubles, under the same words`, () => {
      if (state === 'off') return;
      const [, table = ''] = read('README.md').split('## When something is wrong');
      const rows = [...table.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, first]) => first);
      assert.ok(rows.includes(/^(.*?)[.:](?: |$)/.exec(words)?.[1]), words);
    });
  }

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

  it('lets no workspace that is not trusted choose where logs open', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.ok(restrictedConfigurations.includes('gantry.logs.openIn'));
  });

  it('lets no workspace choose an engine', () => {
    const { configuration } = manifest.contributes;
    const { untrustedWorkspaces } = manifest.capabilities;
    const settings = Object.entries(configuration.properties);
    // Those that a workspace may say: how much is shown, and nothing of where from. Add to it with care.
    const harmless = [
      ...[
        'gantry.logs.tail',
        'gantry.logs.openIn',
        'gantry.logs.outputLines',
        'gantry.logs.memory',
      ],
      ...['gantry.images.groupBy', 'gantry.images.sortBy', 'gantry.images.showDangling'],
      ...['gantry.containers.hideStopped', 'gantry.containers.notifyOnFailure'],
    ];
    const choosing = settings.filter(([name]) => !harmless.includes(name));
    assert.ok(choosing.length >= 2);
    for (const [name, { scope }] of choosing) {
      assert.equal(scope, 'machine', name);
      assert.ok(untrustedWorkspaces.restrictedConfigurations.includes(name), name);
      // Read from the person's own settings even where somebody changes the scope.
      const key = name.replace('gantry.', '');
      assert.match(read('src/settings.ts'), new RegExp(`userSetting\\('${key}'\\)`));
      assert.doesNotMatch(read('src/settings.ts'), new RegExp(`get<unknown>\\('${key}'\\)`));
    }
    assert.equal(untrustedWorkspaces.supported, 'limited');
  });

  it('wakes the extension by nothing but its views, its commands, and its tabs after a reload', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onFileSystem:gantry-container',
      'onWebviewPanel:gantry.logViewer',
    ]);
  });
});
