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

// What each room may import besides itself and `base`, by the start of the path.
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  // What every room needs and no room owns.
  base: ['node:'],
  engine: ['node:'],
  // Only pure modules of Node.
  inventory: ['engine/', 'node:util'],
  // A container as a file, and as a `docker run` command.
  recipes: ['engine/', 'jsonc-parser', 'node:path'],
  // What containers use, while somebody looks.
  statistics: ['engine/', 'inventory/'],
  // Several engines side by side, what each failure reason means to the user, and what is kept for each engine.
  engines: ['engine/', 'inventory/', 'statistics/', 'node:'],
  // Compose projects and swarm stacks, from the labels of containers.
  projects: ['engine/', 'inventory/', 'node:'],
  // Credentials, from all places where they are stored; pulls and pushes in progress.
  registries: ['engine/', 'inventory/phase'],
  // Builds in progress, and those of this window.
  builds: ['engine/', 'projects/fileAccess', 'node:'],
  logs: [
    ...['engine/', 'node:'],
    ...['projects/projectLabels', 'projects/composeBuild', 'projects/composeFile'],
  ],
  views: [
    ...['builds/', 'engines/failures/', 'inventory/', 'registries/transfers/', 'statistics/'],
    ...['engine/model', 'engine/builds/model', 'engine/options/reference'],
    ...['engine/wire/wire', 'projects/orphans', 'projects/projectLabels'],
    ...['projects/projectFiles', 'projects/workspace/', 'projects/worktrees/'],
    ...['engine/facts/publishedTcpPorts'],
  ],
  logviewer: ['builds/', 'engine/', 'inventory/', 'logs/', 'node:'],
  output: ['builds/', 'engine/', 'logs/', 'registries/transfers/', 'node:'],
  // Its rows are targets of commands.
  files: [
    ...['engine/', 'inventory/', 'node:', 'projects/projectLabels'],
    ...['views/treeNode', 'views/treeItem', 'views/rowPresentation', 'views/format'],
  ],
  review: ['engine/', 'inventory/knownEngine', 'views/format', 'node:'],
  commands: [
    ...['builds/', 'engine/', 'engines/', 'files/', 'inventory/', 'output/', 'projects/'],
    ...['recipes/', 'registries/', 'review/', 'statistics/', 'node:'],
    ...['views/arrangement/', 'views/treeNode', 'views/images/', 'views/transfers/transferNode'],
    ...['views/engines/'],
    ...['views/networks/networkNode', 'views/builds/buildNode', 'views/volumes/'],
    ...['views/containers/containerNode', 'views/containers/presentProject', 'views/format'],
    ...['views/formatMeasure'],
    // A folder of this machine as engines write it.
    'logs/sources/normalizeSourcePath',
    // Inserts into files that users write.
    'jsonc-parser',
  ],
  tasks: [
    ...['builds/', 'commands/', 'engine/', 'inventory/knownEngine', 'output/terminal/'],
    ...['projects/', 'recipes/', 'node:path', 'node:util'],
    // Which files of the workspace are in a container.
    'logs/sources/',
  ],
  // The page that shows what uses disk space.
  cleanup: [
    ...[
      'commands/',
      'engine/',
      'inventory/age',
      'projects/projectLabels',
      'projects/worktrees/',
      'views/containers/presentWorktree',
      'views/format',
      'views/images/imageNames',
    ],
    ...['logviewer/page/dom', 'logviewer/page/pageStrings', 'logviewer/panelPage'],
  ],
  // The page that shows it as graphs.
  graphs: [
    ...[
      'commands/',
      'engine/',
      'projects/projectLabels',
      'statistics/',
      'views/format',
      'views/formatMeasure',
    ],
    ...['views/engines/engineState', 'logviewer/page/dom', 'logviewer/page/pageStrings'],
    ...['logviewer/panelPage', 'logviewer/logPositions', 'uplot'],
  ],
  // The page that shows one object.
  details: [
    ...[
      'commands/',
      'engine/',
      'inventory/membersOf',
      'statistics/',
      'views/format',
      'views/formatMeasure',
    ],
    ...['views/containers/containerCondition'],
    ...['logviewer/page/dom', 'logviewer/page/pageStrings', 'logviewer/panelPage'],
  ],
  // Composes everything that is loaded at its first use.
  app: [
    ...[
      'builds/',
      'cleanup/',
      'commands/',
      'details/',
      'engine/',
      'engines/',
      'files/',
      'graphs/',
      'inventory/',
    ],
    ...['logviewer/', 'output/', 'projects/', 'recipes/', 'registries/', 'review/', 'tasks/'],
    ...['views/', 'node:'],
  ],
  // What shows the first rows.
  extension: [
    ...['app/', 'builds/dockerfiles', 'commands/', 'engine/', 'engines/', 'files/', 'inventory/'],
    ...['projects/', 'registries/transfers/', 'tasks/', 'views/'],
  ],
};

// In addition to the table: type-only imports that are allowed.
const TYPES: Readonly<Record<string, readonly string[]>> = {
  views: ['engine/errors', 'engine/discovery/endpointCandidate', 'engine/http/endpoint'],
};

/** The only files that may import these packages. */
const EDGES: Readonly<Record<string, RegExp>> = {
  vscode:
    /^(extension|app\/(core|changeText|documents|features|openBuilds|workspaceFiles|devContainers|editorUi|editorQuickInputs|lenses\/(composeLensProvider|composeProblems|provideDockerfileLenses)|status\/projectStatus|upChanges\/upChangesView)|base\/(readOnlyTexts|settings)|engines\/(createEngines|showSshPrompt)|commands\/(frame\/commandHandler|recipes\/(recipeFiles|saveRecipeCommand|createFromRecipeCommand)|files\/compareFileCommand)|views\/(treeItem|treeViewHost|lazyTree|views|builds\/buildsTree)|output\/(logChannels|channelDocuments|channelLinks|transferNotifications|buildOutput|showWork|buildProblems)|review\/(changesView|reviewController)|cleanup\/cleanupPages|details\/detailsPages|graphs\/graphPages|logviewer\/(logViewers|panelPage|editorActions|workspaceSources)|files\/(changes\/treeFileSystem|containerFileSystem|filesView|lazyFileSystem)|output\/terminal\/(terminals|terminalTrust)|tasks\/(containerTasks|composeTasks|runInTask|execTasks))\.ts$/,
  // Translates the texts of the user interface. What the engine has to say is data.
  '@vscode': /^(?!engine\/)/,
  // The HTTP client, which is loaded with the first connection.
  undici: /^engine\/http\/(exchange|pools)\.ts$/,
  // Only these two files read and write tar archives.
  'tar-stream': /^engine\/archive\/(readTar|writeTar)\.ts$/,
  // Loaded only when a compose file is read.
  yaml: /^projects\/composeNodes\.ts$/,
  // The charts, in their page only.
  uplot: /^graphs\/page\//,
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
  const may = ['base/', ...(ARROWS[room] ?? []), ...(isType ? (TYPES[room] ?? []) : [])];
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

/** Returns the longest chain of nodes in a graph without cycles, each of which has an edge to the next. */
function longestChain(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const from = (node: string): readonly string[] => {
    const below = [...(edges.get(node) ?? [])].map((next) => known.get(next) ?? from(next));
    const [longest = []] = below.sort((a, b) => b.length - a.length);
    const chain = [node, ...longest];
    known.set(node, chain);
    return chain;
  };
  return [...edges.keys()].map(from).reduce((a, b) => (b.length > a.length ? b : a), []);
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

  it('have at most 20 files per folder, two levels deep, or three in the page and in builds', () => {
    const sizes = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...sizes].filter(([, { length }]) => length > 20);
    assert.deepEqual(crowded, []);
    const deepest = (folder: string): number =>
      /^(?:logviewer\/page|engine\/builds)\//.test(folder) ? 3 : 2;
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
    // The messages of each page, and the list of each folder of commands.
    assert.deepEqual([...twice].sort(), ['ToHost', 'ToPage', 'commands']);
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

  it('have no two rooms within a room that import each other, and no cycle of them', () => {
    // A folder with folders is no room: its files are.
    const parents = new Set(files.map((file) => dirname(dirname(file))));
    const innerRoomOf = (file: string): string =>
      parents.has(dirname(file)) ? file : dirname(file);
    for (const room of Object.keys(ARROWS)) {
      const inner = arrows.filter(({ from, to }) => roomOf(from) === room && roomOf(to) === room);
      const edges = edgesOf(inner, dirname);
      const mutual = [...edges].flatMap(([one, others]) =>
        [...others]
          .filter((other) => one < other && edges.get(other)?.has(one))
          .map((other) => [one, other]),
      );
      assert.deepEqual(
        mutual.filter((pair) => !pair.some((name) => parents.has(name))),
        [],
      );
      assert.equal(cycleIn(edgesOf(inner, innerRoomOf)), undefined);
    }
  });

  it('are at most 11 above one another, with the entry', () => {
    const chain = longestChain(edgesOf(arrows, roomOf));
    assert(chain.length <= 11, chain.join(' → '));
  });

  const wrong: [from: string, text: string][] = [
    ['engine/x.ts', "import * as vscode from 'vscode';"],
    ['engine/x.ts', "import type { Event } from 'vscode';"],
    ['engine/x.ts', "import Pool from 'undici/lib/dispatcher/pool.js';"],
    ['engine/x.ts', "import { settings } from '../commands/settings.ts';"],
    ['engine/x.ts', "import type { Inventory } from '../inventory/inventory.ts';"],
    ['inventory/x.ts', "import { nodes } from '../views/nodes.ts';"],
    ['inventory/x.ts', "import { readFile } from 'node:fs/promises';"],
    ['views/nodes.ts', "import * as vscode from 'vscode';"],
    ['views/x.ts', "import { EngineError } from '../engine/errors.ts';"],
    ['views/x.ts', "import { \n  listContainers, \n } from '../engine/containers.ts';"],
    ['views/x.ts', "import { x } from '../commands/commands.ts';"],
    ['output/x.ts', "export { x } from '../views/nodes.ts';"],
    ['output/logText.ts', "const vscode = await import('vscode');"],
    ['commands/x.ts', "import { Views } from '../views/views.ts';"],
    ['commands/x.ts', "import { x } from 'left-pad';"],
    ['base/lifetime.ts', "import { x } from '../engine/model.ts';"],
    ['base/settings.ts', "import { x } from '../commands/commands.ts';"],
    ['cellar/x.ts', "import { x } from '../engine/model.ts';"],
    ['engine/x.ts', "import * as l10n from '@vscode/l10n';"],
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
