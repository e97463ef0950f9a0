import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An import: the importing file, the imported file or package, and whether it is a type-only import. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

// What each layer may import besides itself, by the start of the path. A layer that is not listed may import
// nothing.
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  lifetime: [],
  sentence: [],
  translate: ['sentence'],
  time: ['lifetime'],
  plainText: [],
  registeredTypes: [],
  settings: ['vscode', 'lifetime', 'engine/model'],
  engine: ['lifetime', 'time', 'sentence', 'plainText', 'node:'],
  // Only pure modules of Node.
  inventory: ['engine/', 'lifetime', 'time', 'node:util'],
  // Command-line programs that work on an engine.
  cli: ['engine/', 'recipes/formatRunCommand', 'node:'],
  // Compose projects and swarm stacks, from the labels of containers.
  projects: ['cli/', 'engine/', 'inventory/', 'lifetime', 'time', 'plainText', 'node:'],
  // What each failure reason means to the user.
  failures: ['translate', 'engine/', 'plainText'],
  // Several engines side by side.
  engines: [
    'settings',
    'failures/',
    'engine/',
    'inventory/',
    'lifetime',
    'time',
    'plainText',
    'node:',
  ],
  // Pulls and pushes in progress.
  transfers: ['engine/', 'inventory/inventory', 'inventory/phase', 'lifetime', 'time', 'plainText'],
  // Builds in progress, and those of this window.
  builds: ['translate', 'cli/', 'engine/', 'lifetime', 'time', 'plainText', 'node:'],
  views: [
    'builds/',
    'engine/builds/model',
    'failures/',
    'projects/orphans',
    'projects/projectLabels',
    'projects/project',
    'projects/projectFiles',
    'transfers/',
    'inventory/',
    'engine/model',
    'settings',
    'lifetime',
    'time',
    'plainText',
  ],
  logs: [
    'projects/projectLabels',
    'projects/composeBuild',
    'projects/composeFile',
    'engine/',
    'inventory/',
    'lifetime',
    'time',
    'plainText',
    'node:',
  ],
  logviewer: [
    'builds/',
    'files/writeAtomically',
    'logs/',
    'engine/',
    'inventory/',
    'settings',
    'registeredTypes',
    'lifetime',
    'time',
    'plainText',
    'node:',
  ],
  // `views/treeNode`, so that its rows are targets of commands.
  files: [
    'views/treeNode',
    'views/images/imageNode',
    'views/rowPresentation',
    'views/format',
    'views/treeItem',
    'inventory/',
    'engine/',
    'lifetime',
    'plainText',
    'node:',
  ],
  terminal: [
    'logs/',
    'engine/',
    'inventory/',
    'settings',
    'lifetime',
    'time',
    'plainText',
    'node:',
  ],
  review: [
    'views/format',
    'files/',
    'engine/',
    'inventory/knownEngine',
    'lifetime',
    'readOnlyTexts',
    'plainText',
    'node:',
  ],
  recipes: ['translate', 'engine/', 'plainText', 'jsonc-parser', 'node:path'],
  output: [
    'translate',
    'builds/',
    'transfers/',
    'logs/',
    'engine/',
    'inventory/',
    'lifetime',
    'time',
    'plainText',
  ],
  // Credentials, from all places where they are stored.
  registries: ['engine/', 'lifetime', 'time', 'plainText', 'node:'],
  commands: [
    'translate',
    'builds/',
    'cli/',
    'projects/',
    'registries/',
    'output/',
    'files/',
    'review/',
    'terminal/',
    'recipes/',
    'transfers/',
    'views/treeNode',
    'views/images/imageNode',
    'views/transfers/transferNode',
    'views/engines/engineNode',
    'views/engines/engineState',
    'views/networks/networkNode',
    'views/builds/buildNode',
    'views/volumes/volumeNode',
    'views/volumes/presentVolume',
    'views/containers/projectTitles',
    'views/format',
    'engines/',
    'failures/',
    'inventory/',
    'engine/',
    'lifetime',
    'time',
    'readOnlyTexts',
    'plainText',
    'node:',
  ],
  // Implements the user interface of the commands in VS Code.
  editorUi: [
    'editorQuickInputs',
    'commands/ui',
    'commands/errorMessage',
    'settings',
    'lifetime',
    'plainText',
    'node:os',
  ],
  editorQuickInputs: ['commands/ui', 'commands/formatNames', 'lifetime', 'time', 'plainText'],
  tasks: [
    'builds/',
    'cli/',
    'commands/',
    'projects/',
    'recipes/',
    'terminal/',
    'engine/',
    'inventory/knownEngine',
    'registeredTypes',
    'workspaceFiles',
    'lifetime',
    'time',
    'plainText',
    'node:path',
  ],
  workspaceFiles: ['projects/fileAccess', 'lifetime'],
  readOnlyTexts: ['lifetime'],
  // What is shown above the services of compose files.
  lenses: [
    'builds/dockerfiles',
    'engines/',
    'projects/',
    'engine/model',
    'engine/builds/',
    'lifetime',
    'time',
    'plainText',
  ],
  // The view of what Up would change.
  upChanges: [
    'commands/projects/composeRunner',
    'projects/cli/upChanges',
    'views/format',
    'lifetime',
  ],
  // The page that shows what uses disk space.
  cleanup: [
    'commands/',
    'engine/',
    'inventory/age',
    'logviewer/page/dom',
    'logviewer/page/pageStrings',
    'logviewer/panelPage',
    'projects/projectLabels',
    'views/format',
    'registeredTypes',
    'lifetime',
    'time',
    'plainText',
  ],
  // The contexts of commands, one for each engine.
  commandContexts: [
    'cleanup/',
    'commands/',
    'logviewer/',
    'output/',
    'terminal/',
    'engines/',
    'views/',
    'settings',
    'lifetime',
  ],
  // Composes what builds images.
  openBuilds: [
    'builds/',
    'commands/builds/',
    'commands/buildx/',
    'engine/',
    'engines/',
    'output/',
    'lifetime',
    'time',
  ],
  // What is loaded at first use.
  features: [
    'openBuilds',
    'builds/dockerfiles',
    'commandContexts',
    'cleanup/',
    'editorUi',
    'files/',
    'transfers/',
    'engines/',
    'views/',
    'commands/',
    'output/',
    'review/',
    'terminal/',
    'tasks/',
    // Gives the proxies of the Docker CLI to commands.
    'registries/proxyVariables',
    'lenses/',
    'upChanges/',
    'logviewer/',
    'vscode',
    'lifetime',
  ],
  extension: [
    'features',
    'builds/dockerfiles',
    'lenses/provideDockerfileLenses',
    'settings',
    'files/',
    'transfers/',
    'engines/',
    'engine/',
    'views/',
    'commands/',
    'tasks/',
    'projects/composeFiles',
    'projects/orphans',
    'inventory/',
    'vscode',
    'workspaceFiles',
    'registeredTypes',
    'lifetime',
    'time',
  ],
};

// In addition to the table: type-only imports that are allowed.
const TYPES: Readonly<Record<string, readonly string[]>> = {
  views: ['engine/errors', 'engine/discovery/endpointCandidate'],
  commands: ['settings'],
};

/** The only files that may import these packages. */
const EDGES: Readonly<Record<string, RegExp>> = {
  vscode:
    /^(extension|features|openBuilds|readOnlyTexts|settings|workspaceFiles|editorUi|editorQuickInputs|engines\/(createEngines|showSshPrompt)|commands\/(commandRegistry|documents|recipes\/(recipeFiles|saveRecipeCommand|createFromRecipeCommand)|files\/compareFileCommand)|views\/(treeItem|treeViewHost|lazyTree|views|builds\/buildsTree)|output\/(logChannels|channelDocuments|channelLinks|transferNotifications|buildOutput|showWork|buildProblems)|review\/(changesView|reviewController|reviewDocuments)|cleanup\/cleanupPages|logviewer\/(logViewers|panelPage|editorActions|workspaceSources)|files\/(containerFileSystem|filesView|lazyFileSystem)|terminal\/(terminals|terminalTrust)|tasks\/(containerTasks|composeTasks|cliTasks)|lenses\/(composeLensProvider|provideDockerfileLenses)|upChanges\/upChangesView)\.ts$/,
  // Translates the texts of the user interface. What the engine has to say is data.
  '@vscode': /^(?!engine\/)/,
  // The HTTP client, which is loaded with the first connection.
  undici: /^engine\/http\/(exchange|pools)\.ts$/,
  // Only these two files read and write tar archives.
  'tar-stream': /^engine\/archive\/(readTar|writeTar)\.ts$/,
  // Loaded only when a compose file is read.
  yaml: /^projects\/composeNodes\.ts$/,
};

const IMPORT = /^(?:import|export)\s+(type\s)?[^;'"]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /(?:^import\s*|\bimport\s*\(\s*)['"]([^'"]+)['"]/gm;

function importsOf(from: string, text: string): readonly Arrow[] {
  const named = [...text.matchAll(IMPORT)].map(([, type, to = '']) => ({ to, isType: !!type }));
  const bare = [...text.matchAll(BARE)].map(([, to = '']) => ({ to, isType: false }));
  return [...named, ...bare].map(({ to, isType }) => ({
    from,
    to: to.startsWith('.') ? normalize(join(dirname(from), to)) : to,
    isType,
  }));
}

const EXPORT = /^export (?:async )?(function\*?|abstract class|class|const|interface|type) (\w+)/gm;

/** Returns the kinds and names of what a file exports. Those of a group of overloads are one. */
function exportsOf(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(EXPORT)].map(([, kind = '', name = '']) => [name, kind]));
}

/**
 * Returns why the name of a file is not that of its main export, or the main export is not first; undefined if all is
 * well. A set of equals has no main export. A base class must come before what extends it.
 */
function misnomer(file: string, text: string): string | undefined {
  const exported = exportsOf(text);
  const names = [...exported.keys()].filter((name) => exported.get(name) !== 'abstract class');
  const isMain = (name: string): boolean =>
    name.toLowerCase() === basename(file, '.ts').toLowerCase();
  const main = names.findIndex(isMain);
  if (main > 0) return `${file}: ${names[main]} is not first`;
  const values = names.filter((name) => !/^(interface|type)$/.test(exported.get(name) ?? ''));
  const isAlone = values.length === 1 && exported.get(values[0] ?? '') !== 'const';
  if (main < 0 && isAlone) return `${file}: exports only ${values[0]}`;
  return undefined;
}

function roomOf(file: string): string {
  return file.split('/', 1)[0]?.replace(/\.ts$/, '') ?? '';
}

/** Returns why an import is not allowed; undefined if it is. */
function objection({ from, to, isType }: Arrow): string | undefined {
  const room = roomOf(from);
  const edge = EDGES[to.split('/', 1)[0] ?? ''];
  if (edge) return edge.test(from) ? undefined : `${from} → ${to}: not at the edge`;
  if (roomOf(to) === room && (to.endsWith('.ts') || to.endsWith('.css'))) return undefined;
  const may = [...(ARROWS[room] ?? []), ...(isType ? (TYPES[room] ?? []) : [])];
  const isAllowed = may.some((start) =>
    /[/:]$/.test(start) ? to.startsWith(start) : to === start || to === `${start}.ts`,
  );
  return isAllowed ? undefined : `${from} → ${to}`;
}

/** Returns a cycle in the graph, if there is one. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const walk = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of edges.get(node) ?? []) {
      const found = walk(next, [...path, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const found = walk(node, []);
    if (found) return found;
  }
  return undefined;
}

function edgesOf(
  arrows: readonly Arrow[],
  nameOf: (file: string) => string,
): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    if (!to.endsWith('.ts') || nameOf(from) === nameOf(to)) continue;
    edges.set(nameOf(from), (edges.get(nameOf(from)) ?? new Set()).add(nameOf(to)));
  }
  return edges;
}

describe('the layers', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).map((file) => file.replaceAll('\\', '/'));
  const arrows = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));

  it('import one another only as the table allows', () => {
    assert(files.length > 40 && arrows.length > 100, `${files.length}, ${arrows.length}`);
    assert.deepEqual(
      arrows.map(objection).filter((one) => one !== undefined),
      [],
    );
  });

  it('are all in the table', () => {
    assert.deepEqual(
      [...new Set(files.map(roomOf))].filter((room) => !(room in ARROWS)),
      [],
    );
  });

  it('have at most 20 files per folder, two levels deep, or three in the page', () => {
    const sizes = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...sizes].filter(([, { length }]) => length > 20);
    assert.deepEqual(crowded, []);
    const deepest = (folder: string): number => (folder.startsWith('logviewer/page') ? 3 : 2);
    assert.deepEqual(
      [...sizes.keys()].filter((folder) => folder.split('/').length > deepest(folder)),
      [],
    );
  });

  it('export no name twice', () => {
    const names = files.flatMap((file) => [
      ...exportsOf(readFileSync(join(SRC, file), 'utf8')).keys(),
    ]);
    assert(names.length > 1000);
    const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    // The messages of each page.
    assert.deepEqual([...twice].sort(), ['ToHost', 'ToPage']);
  });

  it('have files that are named after their main export, which comes first', () => {
    const wrong = files.map((file) => misnomer(file, readFileSync(join(SRC, file), 'utf8')));
    assert.deepEqual(
      wrong.filter((one) => one !== undefined),
      [],
    );
  });

  for (const [file, text, isRight] of [
    ['a/parseAge.ts', 'export function parseAge() {}\nexport interface Age {}', true],
    ['a/parseAge.ts', 'export interface Age {}\nexport function parseAge() {}', false],
    ['a/untilArgument.ts', 'export interface Age {}\nexport async function parseAge() {}', false],
    ['a/moments.ts', 'export function parseAge() {}\nexport function ageOf() {}', true],
    ['a/node.ts', 'export abstract class Row {}\nexport class Node extends Row {}', true],
  ] as const) {
    it(`${isRight ? 'allow' : 'do not allow'} ${JSON.stringify(text)} in ${file}`, () => {
      assert.equal(misnomer(file, text) === undefined, isRight);
    });
  }

  it('have no import cycles, neither between layers nor between files, including type-only imports', () => {
    assert.equal(cycleIn(edgesOf(arrows, roomOf)), undefined);
    assert.equal(cycleIn(edgesOf(arrows, (file) => file)), undefined);
  });

  const wrong: [from: string, text: string][] = [
    ['engine/x.ts', "import * as vscode from 'vscode';"],
    ['engine/x.ts', "import type { Event } from 'vscode';"],
    ['engine/x.ts', "import Pool from 'undici/lib/dispatcher/pool.js';"],
    ['engine/x.ts', "import { settings } from '../settings.ts';"],
    ['engine/x.ts', "import type { Inventory } from '../inventory/inventory.ts';"],
    ['inventory/x.ts', "import { nodes } from '../views/nodes.ts';"],
    ['inventory/x.ts', "import { readFile } from 'node:fs/promises';"],
    ['views/nodes.ts', "import * as vscode from 'vscode';"],
    ['views/x.ts', "import { EngineError } from '../engine/errors.ts';"],
    ['views/x.ts', "import { \n  listContainers, \n } from '../engine/containers.ts';"],
    ['views/x.ts', "import { x } from '../commands/commandRegistry.ts';"],
    ['output/x.ts', "export { x } from '../views/nodes.ts';"],
    ['output/logText.ts', "const vscode = await import('vscode');"],
    ['commands/x.ts', "import { Views } from '../views/views.ts';"],
    ['commands/x.ts', "import { x } from 'left-pad';"],
    ['lifetime.ts', "import { x } from './sentence.ts';"],
    ['settings.ts', "import { x } from './commands/commandRegistry.ts';"],
    ['cellar/x.ts', "import { x } from '../lifetime.ts';"],
    ['commands/x.ts', "import '../extension.ts';"],
  ];
  for (const [from, text] of wrong) {
    it(`do not allow ${JSON.stringify(text)} in ${from}`, () => {
      assert.equal(importsOf(from, text).map(objection).filter(Boolean).length, 1);
    });
  }

  it('do not allow a cycle', () => {
    const circle = [
      ...importsOf('a/x.ts', "import { y } from '../b/y.ts';"),
      ...importsOf('b/y.ts', "import { z } from '../c/z.ts';"),
      ...importsOf('c/z.ts', "import { x } from '../a/x.ts';"),
    ];
    assert.deepEqual(cycleIn(edgesOf(circle, roomOf)), ['a', 'b', 'c', 'a']);
    assert.equal(cycleIn(edgesOf(circle.slice(1), roomOf)), undefined);
  });
});
