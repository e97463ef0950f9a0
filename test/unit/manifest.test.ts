import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isTrue } from './support/whenClause.ts';
import { GANTRY_STATES, manifest, read, root, texts } from './support/manifest.ts';

const walkthroughSteps = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps);
const declared = new Set(manifest.contributes.commands.map(({ command }) => command));

/** The commands in menus of rows that work on all selected rows. */
const FOR_SEVERAL: readonly string[] = [
  ...['start', 'stop', 'restart', 'pause', 'unpause', 'kill', 'remove', 'logs', 'inspect']
    .concat('openLogViewer', 'openShell', 'attach', 'copyName', 'copyId', 'pin', 'unpin')
    .concat('showStatistics')
    .map((name) => `gantry.containers.${name}`),
  ...['inspect', 'history', 'pullAgain', 'checkNewer', 'save', 'remove']
    .concat('copyReference', 'copyDigest', 'copyId')
    .map((name) => `gantry.images.${name}`),
  ...['delete', 'download', 'copyPath', 'refresh', 'close'].map((name) => `gantry.files.${name}`),
  ...['inspect', 'remove', 'copyName'].map((name) => `gantry.volumes.${name}`),
  ...['connect', 'disconnect', 'inspect', 'remove', 'copyName', 'copyAddress'].map(
    (name) => `gantry.networks.${name}`,
  ),
  ...['start', 'stop', 'restart', 'pause', 'unpause', 'kill', 'pull', 'remove', 'down'].map(
    (name) => `gantry.projects.${name}`,
  ),
  ...['cancel', 'remove', 'copyName'].map((name) => `gantry.builds.${name}`),
  ...['containers', 'images', 'volumes', 'networks'].map((view) => `gantry.${view}.filterAndSort`),
];

/** The submenus for all selected rows. */
const SUBMENUS_FOR_SEVERAL = [
  'gantry.containers.copy',
  'gantry.containers.more',
  'gantry.containers.network',
  'gantry.images.copy',
  'gantry.images.more',
  'gantry.projects.more',
];

/** Commands of the Command Palette that work without an engine: on engines, credentials, settings, or open editors. */
const WITHOUT_ENGINE =
  /^gantry\.(?:(?:engines|registries|logViewer|changes)\.|refresh$|showDetails$|images\.(?:groupBy|sortBy|clearFilter|(?:show|hide)Dangling)|containers\.(?:show|hide)Stopped)/;

/** Part of a `when` clause: an engine can be reached, or it is not known yet. */
const REACHABLE = '!gantry.state || gantry.state =~ /^(ready|connecting)$/';

/** Returns the commands of Gantry in the argument of `runCommands`. */
function commandsIn(args: unknown): readonly string[] {
  const { commands } = args as { readonly commands: readonly (string | { command: string })[] };
  return commands
    .map((one) => (typeof one === 'string' ? one : one.command))
    .filter((command) => command.startsWith('gantry.'));
}

describe('the manifest', () => {
  it('uses only declared commands in menus, keybindings, welcome views and walkthroughs', () => {
    const { menus, keybindings, viewsWelcome } = manifest.contributes;
    const linking = [
      ...viewsWelcome.map(({ contents }) => contents),
      ...walkthroughSteps.map(({ description }) => description),
    ];
    const linked = linking.flatMap((key) => {
      const text = texts[key.slice(1, -1)] ?? '';
      return [...text.matchAll(/command:(gantry\.[\w.]+)/g)].map(([, id]) => id);
    });
    // A submenu entry has no command.
    const inMenus = Object.values(menus).flat();
    const ofMenus = inMenus.filter((item) => !('submenu' in item));
    const ofKeys = keybindings.flatMap(({ command, args }) =>
      command === 'runCommands' ? commandsIn(args) : [command],
    );
    const items = [...ofMenus.map(({ command }) => command), ...ofKeys];
    // VS Code has a command for each view that focuses it.
    const ofViews = Object.values(manifest.contributes.views).flat();
    const known = new Set([...declared, ...ofViews.map(({ id }) => `${id}.focus`)]);
    for (const id of [...items, ...linked]) assert.ok(known.has(id ?? ''), id);
  });

  it('completes each step of the walkthrough by a command or state that exists, and shows a picture', () => {
    assert.ok(walkthroughSteps.length > 0);
    for (const { completionEvents, media } of walkthroughSteps) {
      assert.ok(completionEvents.length > 0);
      for (const event of completionEvents) {
        const [, id, state = ''] =
          /^(?:onCommand:(gantry[\w.]+)|onContext:gantry\.state == (\w+))$/.exec(event) ?? [];
        assert.ok(id === undefined ? GANTRY_STATES.includes(state) : declared.has(id), event);
      }
      assert.ok(existsSync(new URL(media.svg, root)), media.svg);
    }
  });

  it('offers commands for one row only while one row is selected', () => {
    const { menus, keybindings } = manifest.contributes;
    const ofRows = (menus['view/item/context'] ?? []).filter(
      ({ group = '', when = '' }) =>
        !group.startsWith('inline') &&
        /viewItem (?:=~ \/\^|== )\(?(?:container|image|files|volume|project|network|build)/.test(
          when,
        ),
    );
    const inSubmenus = SUBMENUS_FOR_SEVERAL.flatMap((id) => menus[id] ?? []);
    const ofKeys = keybindings.filter(({ when = '' }) => when.includes('focusedView'));
    for (const item of [...ofRows, ...inSubmenus, ...ofKeys]) {
      const { command, submenu = '', when = '' } = item;
      // Several containers can be connected to one network, and several rows below networks disconnected.
      const isInNetworks = when.startsWith('view == gantry.networks');
      const isForOne =
        command === (isInNetworks ? 'gantry.networks.connect' : 'gantry.networks.disconnect');
      const isForSeveral =
        !isForOne && [...FOR_SEVERAL, ...SUBMENUS_FOR_SEVERAL].includes(command || submenu);
      assert.equal(when.includes('!listMultiSelection'), !isForSeveral, command || submenu);
    }
  });

  it('gives the entries in the menu of a row an order without ties', () => {
    const entries = (manifest.contributes.menus['view/item/context'] ?? []).filter(
      ({ group = '' }) => !group.startsWith('inline'),
    );
    for (const kind of [
      ...['container', 'project', 'service', 'image', 'volume', 'network', 'networkMember'],
      ...['build', 'engine', 'files', 'change'],
    ]) {
      const named = new RegExp(`viewItem .*\\b${kind}\\b`);
      const ofKind = entries.filter(({ when = '' }) => named.test(when));
      const places = ofKind.map(
        ({ when = '', group }) => `${when.split(' && ')[0] ?? ''} ${group ?? ''}`,
      );
      assert.ok(places.length > 0, kind);
      assert.deepEqual(places, [...new Set(places)], kind);
    }
  });

  it('hides the commands that need an engine from the Command Palette while none can be reached', () => {
    const palette = manifest.contributes.menus['commandPalette'] ?? [];
    const shown = [...declared].filter((id) => !WITHOUT_ENGINE.test(id));
    const always = shown.filter((id) => {
      const when = palette.find(({ command }) => command === id)?.when ?? '';
      return when !== 'false' && !when.includes(REACHABLE);
    });
    assert.deepEqual(always, []);
  });

  it('shows a small Command Palette, also if every clause that can be true is', () => {
    const { commands, configuration, menus } = manifest.contributes;
    const settings = Object.entries(configuration.properties).map(
      ([name, { default: value }]) => [`config.${name}`, value as string | boolean] as const,
    );
    const keys = {
      ...Object.fromEntries(settings),
      'gantry.state': 'ready',
      'gantry.severalEngines': true,
      'gantry.canAttachEditor': true,
      'gantry.isOtherEngine': true,
      'gantry.images.isFiltered': true,
      'gantry.review': 'container',
      activeWebviewPanelId: 'gantry.logViewer',
      isWorkspaceTrusted: true,
    };
    const whens = new Map(menus['commandPalette']?.map(({ command, when }) => [command, when]));
    const shown = commands.filter(({ command }) => isTrue(whens.get(command), keys));
    assert.ok(shown.length <= 83, `${shown.length}: ${shown.map((one) => one.command).join()}`);
  });

  it('has an icon for each button: VS Code shows the title of a command without one', () => {
    const { commands, menus } = manifest.contributes;
    const withIcon = new Set(commands.flatMap(({ command, icon }) => (icon ? [command] : [])));
    const buttons = [
      ...(menus['view/item/context'] ?? []).filter(({ group }) => group?.startsWith('inline')),
      ...(menus['view/title'] ?? []).filter(({ group }) => group?.startsWith('navigation')),
    ];
    assert.ok(buttons.length > 20);
    for (const { command } of buttons) assert.ok(withIcon.has(command), command);
  });

  it('hides the buttons that create something from the title of a view while no engine can be reached', () => {
    const buttons = (manifest.contributes.menus['view/title'] ?? []).filter(
      ({ command, group = '' }) =>
        group.startsWith('navigation') && /\.(?:create|pull|build)$/.test(command),
    );
    assert.equal(buttons.length, 5);
    for (const { command, when = '' } of buttons) assert.ok(when.includes(REACHABLE), command);
  });

  it('offers what reads local files on files of the machine that the extension runs on', () => {
    const { menus } = manifest.contributes;
    const entries = ['explorer/context', 'editor/title/run'].flatMap((menu) => menus[menu] ?? []);
    assert.ok(entries.length >= 7);
    // In a remote window, the scheme of such a file is that of the window.
    for (const { command, submenu = command, when = '' } of entries)
      assert.ok(when.startsWith('resourceScheme =~ /^(file|vscode-remote)$/ && '), submenu);
  });

  it('gives the settings an order without ties', () => {
    const { properties } = manifest.contributes.configuration;
    const orders = Object.values(properties).map(({ order }) => order);
    assert.deepEqual(
      orders.toSorted((a, b) => a - b),
      orders.map((_, at) => at + 1),
    );
  });

  it('has a text for every key, and a key for every text', () => {
    const used = new Set([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    assert.deepEqual([...used].sort(), Object.keys(texts).sort());
  });

  it('does not open the local settings for a setting with machine scope', () => {
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

  it('declares every setting that is read', () => {
    const names = [
      ...read('src/base/settings.ts').matchAll(/\b(?:read|write|userSetting)\('([\w.]+)'/g),
    ];
    const known = Object.keys(manifest.contributes.configuration.properties);
    assert.ok(names.length >= 10);
    for (const [, name] of names) assert.ok(known.includes(`gantry.${name ?? ''}`), name);
  });

  it('does not let an untrusted workspace choose where logs open', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.ok(restrictedConfigurations.includes('gantry.logs.openIn'));
  });

  it('does not let a workspace choose an engine', () => {
    const { configuration } = manifest.contributes;
    const { untrustedWorkspaces } = manifest.capabilities;
    const settings = Object.entries(configuration.properties);
    // The settings that a workspace may set: they control what is shown, not where it comes from. Be careful
    // with additions.
    const harmless = [
      ...[
        'gantry.logs.tail',
        'gantry.logs.openIn',
        'gantry.logs.outputLines',
        'gantry.logs.memory',
      ],
      ...['gantry.images.groupBy', 'gantry.images.sortBy', 'gantry.images.showDangling'],
      'gantry.codeLens',
      ...['gantry.containers.hideStopped', 'gantry.containers.notifyOnFailure'],
      ...['gantry.containers.openOnClick', 'gantry.containers.statistics'],
      // Has an effect in a trusted workspace only.
      'gantry.builds.checkOnSave',
    ];
    const choosing = settings.filter(([name]) => !harmless.includes(name));
    assert.ok(choosing.length >= 2);
    for (const [name, { scope }] of choosing) {
      assert.equal(scope, 'machine', name);
      assert.ok(untrustedWorkspaces.restrictedConfigurations.includes(name), name);
      // Read from the user settings even if the scope changes.
      const key = name.replace('gantry.', '');
      assert.match(read('src/base/settings.ts'), new RegExp(`userSetting\\('${key}'\\)`));
      assert.doesNotMatch(read('src/base/settings.ts'), new RegExp(`get<unknown>\\('${key}'\\)`));
    }
    assert.equal(untrustedWorkspaces.supported, 'limited');
  });

  it('activates the extension only for its views, its commands, its restored tabs, compose files, and Dockerfiles', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onFileSystem:gantry-container',
      'onWebviewPanel:gantry.logViewer',
      'onWebviewPanel:gantry.cleanUp',
      'onWebviewPanel:gantry.details',
      'onWebviewPanel:gantry.graphs',
      'onLanguage:dockercompose',
      'onLanguage:dockerfile',
    ]);
  });
});
