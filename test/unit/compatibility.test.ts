// Compares the public surface with a recorded list: command IDs, arguments and results, settings, views,
// keys, the task type, file patterns, URI schemes, stored state and npm scripts. If a difference is intended,
// record it:
//
//     GANTRY_RECORD=1 npx mocha test/unit/compatibility.test.ts
//
// and review the diff of compatibility.json. What the tests know about the structure of the code is in three
// constants: ENTRY_POINT here, ARGUMENT in support/activation.ts and RUN in support/commandRuns.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Activation } from './support/activation.ts';
import { findRuns } from './support/commandRuns.ts';
import { writeResults } from './support/resultTypes.ts';

type Json = string | number | boolean | null | undefined | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}
type Entry = Readonly<Record<string, string>>;

interface Manifest {
  readonly activationEvents: Json;
  readonly capabilities: Json;
  readonly scripts: Entry;
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: JsonObject };
    readonly grammars: readonly Entry[];
    readonly jsonValidation: readonly { readonly fileMatch: Json; readonly url: string }[];
    readonly keybindings: readonly Entry[];
    readonly languages: readonly Entry[];
    readonly submenus: readonly Entry[];
    readonly taskDefinitions: readonly { readonly type: string; readonly properties: JsonObject }[];
    readonly views: Readonly<Record<string, readonly Entry[]>>;
    readonly viewsContainers: Readonly<Record<string, readonly Entry[]>>;
    readonly walkthroughs?: readonly Entry[];
  };
}

const SECTIONS = [
  'activation',
  'api',
  'commands',
  'contextKeys',
  'fileTypes',
  'keybindings',
  'namesInSource',
  'registrations',
  'scripts',
  'settings',
  'tasks',
  'views',
] as const;
type Surface = Readonly<Record<(typeof SECTIONS)[number], Json>>;

const ROOT = new URL('../../', import.meta.url);
const RECORDED = new URL('compatibility.json', import.meta.url);
const SOURCE = 'src';
/** The file that VS Code activates, the only source file that this test names. */
const ENTRY_POINT = `${SOURCE}/extension.ts`;

const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

/** Properties that only users read, and the order of things: free to change. */
const TEXTS = new Set([
  ...['aliases', 'contextualTitle', 'defaultSnippets', 'description', 'enumDescriptions'],
  ...['examples', 'icon', 'initialSize', 'label', 'markdownDescription', 'order'],
  ...['patternErrorMessage', 'title'],
]);

/** Returns the value without texts. Properties whose value is an object stay, because they only share the name. */
function withoutTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, one]) => !TEXTS.has(key) || isObject(one));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutTexts(one)]));
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sorts keys, and also arrays, which are all sets. */
function sorted(value: Json): Json {
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
  }
  if (!Array.isArray(value)) return value;
  const items = value.map(sorted).map((item): [string, Json] => [JSON.stringify(item), item]);
  return [...new Map(items)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** Returns one line for each value, with its path. */
function linesOf(value: Json, path: string): readonly string[] {
  const isEmpty = Object.keys(value ?? {}).length === 0;
  if (typeof value !== 'object' || isEmpty) return [`${path}: ${JSON.stringify(value)}`];
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, one]) => linesOf(one, `${path} › ${key}`));
  }
  return (value as readonly Json[]).flatMap((one, index) =>
    linesOf(one, isObject(one) ? `${path} › ${index + 1}` : path),
  );
}

/** Returns removed (-) and added (+) lines, ordered by path. */
function changes(recorded: Json, now: Json, section: string): readonly string[] {
  const before = new Set(linesOf(recorded, section));
  const after = new Set(linesOf(now, section));
  return [
    ...[...before].filter((line) => !after.has(line)).map((line) => [line, '-']),
    ...[...after].filter((line) => !before.has(line)).map((line) => [line, '+']),
  ]
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([line = '', sign = '']) => `${sign} ${line}`);
}

/** Activates the extension in a worker thread, and returns what it registered. */
async function activate(): Promise<Activation> {
  const worker = new Worker(new URL('support/activation.ts', import.meta.url), {
    workerData: new URL(ENTRY_POINT, ROOT).href,
  });
  const [activation] = (await once(worker, 'message')) as [Activation];
  await worker.terminate();
  return activation;
}

function commandsNow(contributed: readonly string[], { commands }: Activation): JsonObject {
  const ids = [...new Set([...contributed, ...Object.keys(commands)])];
  const results = writeResults(findRuns(fileURLToPath(ROOT), ENTRY_POINT, new Set(ids)));
  return Object.fromEntries(
    ids.map((id) => [
      id,
      {
        isContributed: contributed.includes(id),
        isRegistered: id in commands,
        argument: commands[id]?.argument ?? 'not checked',
        takesUri: commands[id]?.takesUri,
        result: results.get(id) ?? 'nothing',
      },
    ]),
  );
}

/** Prints a line for each fact: a command, a setting, a view. */
function print(surface: Surface): string {
  const within = (text: string): string => text.slice(1, -1);
  const sections = Object.entries(surface).map(([name, facts]) => {
    const isList = Array.isArray(facts);
    const lines = Object.entries(facts ?? {}).map(([key, fact]: [string, Json]) =>
      isList ? JSON.stringify(fact) : within(JSON.stringify({ [key]: fact })),
    );
    const all = lines.join(',\n    ');
    return `  "${name}": ${isList ? `[\n    ${all}\n  ]` : `{\n    ${all}\n  }`}`;
  });
  return `{\n${sections.join(',\n')}\n}\n`;
}

/** Returns the context keys in the manifest's conditions, without settings and view IDs. */
function contextKeysOf(manifest: string, views: readonly string[]): readonly string[] {
  const conditions = [...manifest.matchAll(/"when": "(.*)"/g)].map(
    ([, condition = '']) => condition,
  );
  return conditions
    .flatMap((condition) => condition.match(/(?<![\w.])gantry\.[\w.]+/g) ?? [])
    .filter((key) => !views.includes(key));
}

/**
 * Returns schemes, context keys and storage keys in the source: all names with the extension's prefix except
 * `others`.
 */
function namesInSource(others: readonly string[]): readonly string[] {
  return globSync(`${SOURCE}/**/*.ts`, { cwd: fileURLToPath(ROOT) })
    .flatMap((file) => [...read(file).matchAll(/(['"`])(gantry[-.][\w.-]+)\1/g)])
    .map(([, , name = '']) => name)
    .filter((name) => !others.includes(name));
}

/** Returns the first arguments of each `register…` and `createTreeView` call in the source: IDs, schemes, types. */
function registrationsInSource(): JsonObject {
  const provide = 'vscode.workspace.registerTextDocumentContentProvider(';
  const texts = globSync(`${SOURCE}/**/*.ts`, { cwd: fileURLToPath(ROOT) }).map((file) =>
    // The first argument is that of the class.
    read(file).replace(`${provide}scheme`, '').replaceAll('new ReadOnlyTexts(', provide),
  );
  const constantsIn = (text: string): ReadonlyMap<string, string> =>
    new Map(
      [...text.matchAll(/\bconst ([A-Z_]+) = '(gantry[^']*)';/g)].map(([, a = '', b = '']) => [
        a,
        b,
      ]),
    );
  const all = constantsIn(texts.join('\n'));
  const found: Record<string, string[]> = {};
  const call =
    /\bvscode\.((?:languages|tasks|window|workspace)\.(?:register|createTreeView)\w*)(?:<\w+>)?\(\s*(?:'([^']+)'|(\w+))?/g;
  for (const text of texts) {
    const own = constantsIn(text);
    for (const [, method = '', literal, name = ''] of text.matchAll(call))
      (found[method] ??= []).push(literal ?? own.get(name) ?? all.get(name) ?? '');
  }
  return found;
}

function keyed(entries: readonly Entry[], key: string): JsonObject {
  return Object.fromEntries(entries.map(({ [key]: id = '', ...rest }) => [id, withoutTexts(rest)]));
}

function fileTypesOf({ grammars, jsonValidation, languages }: Manifest['contributes']): JsonObject {
  return {
    grammars: grammars.map(({ language = '', scopeName = '' }) => `${language}: ${scopeName}`),
    languages: keyed(languages, 'id'),
    schemas: jsonValidation.map(({ fileMatch, url }) => ({
      fileMatch,
      schema: withoutTexts(JSON.parse(read(url)) as Json),
    })),
  };
}

function viewsOf({
  submenus,
  views,
  viewsContainers,
  walkthroughs,
}: Manifest['contributes']): Json {
  const all = Object.entries(views).flatMap(([container, those]) =>
    those.map(({ id = '', when }): [string, Json] => [id, { container, when }]),
  );
  const containers = Object.entries(viewsContainers).map(([place, those]): [string, Json] => [
    place,
    those.map(({ id }) => id),
  ]);
  return {
    views: Object.fromEntries(all),
    containers: Object.fromEntries(containers),
    submenus: submenus.map(({ id }) => id),
    walkthroughs: (walkthroughs ?? []).map(({ id }) => id),
  };
}

async function surfaceNow(): Promise<Surface> {
  const text = read('package.json');
  const { activationEvents, capabilities, contributes, scripts } = JSON.parse(text) as Manifest;
  const activation = await activate();
  const contributed = contributes.commands.map(({ command }) => command);
  const commands = commandsNow(contributed, activation);
  const settings = contributes.configuration.properties;
  const views = Object.values(contributes.views).flat();
  const bindings = contributes.keybindings.map(({ command = '', key = '', ...rest }) => ({
    ...rest,
    binding: `${command} ${key}`,
  }));
  const paths = new RegExp(`\\b${SOURCE}/\\S+`, 'g');
  return {
    activation: { activationEvents, capabilities: withoutTexts(capabilities) },
    api: activation.api,
    commands,
    contextKeys: contextKeysOf(
      text,
      views.map(({ id = '' }) => id),
    ),
    fileTypes: fileTypesOf(contributes),
    keybindings: keyed(bindings, 'binding'),
    namesInSource: namesInSource([...Object.keys(commands), ...Object.keys(settings)]),
    registrations: registrationsInSource(),
    scripts: Object.fromEntries(
      // The folder that a script names may change with the source.
      Object.entries(scripts).map(([name, line]) => [name, line.replace(paths, `${SOURCE}/…`)]),
    ),
    settings: withoutTexts(settings),
    tasks: Object.fromEntries(
      contributes.taskDefinitions.map(({ type, properties }) => [type, withoutTexts(properties)]),
    ),
    views: viewsOf(contributes),
  };
}

describe('the public surface', () => {
  let recorded: Surface;
  let now: Surface;

  before(async function () {
    // Loads and type-checks the whole extension.
    this.timeout(60_000);
    now = sorted(await surfaceNow()) as Surface;
    if (process.env['GANTRY_RECORD'] === '1') writeFileSync(RECORDED, print(now));
    recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Surface;
  });

  for (const section of SECTIONS) {
    it(`matches the recorded ${section}`, () => {
      assert.deepEqual(changes(recorded[section], now[section], section), []);
    });
  }
});
