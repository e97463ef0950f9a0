// A worker thread that activates the extension with a `vscode` stand-in that accepts any call, and posts the
// commands that the extension registered as an `Activation`. It is a thread because other tests load the same modules with
// another stand-in. `workerData` is the URL of the extension's entry point.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { ExtensionContext } from 'vscode';

/** What other extensions can call. */
export interface Activation {
  readonly commands: Readonly<Record<string, CommandFound>>;
  /** The type of the extension's API and the names of its members. */
  readonly api: readonly string[];
}

/** The properties of a registered command. */
interface CommandFound {
  /**
   * The types of its argument by property, optional ones with a question mark; undefined if it is not
   * validated.
   */
  readonly argument?: Readonly<Record<string, string>>;
  /** Whether a URI is accepted in place of the argument. */
  readonly takesUri: boolean;
}

/** The property of a command handler with the schema of its argument, as read by `describe`. */
const ARGUMENT = 'argument';

interface Field {
  readonly kind: Kind;
  readonly required?: boolean;
}
type Kind =
  | string
  | { readonly oneOf: readonly string[] }
  | { readonly check: (value: unknown) => boolean };
interface Handler {
  (...given: readonly unknown[]): unknown;
  readonly [ARGUMENT]?: Readonly<Record<string, Field>>;
}
/** What is registered: loads the actual handler at the first call. */
interface LazyHandler {
  (...given: readonly unknown[]): unknown;
  readonly load: () => Promise<Handler>;
}

const KINDS: Readonly<Record<string, string>> = {
  text: 'string',
  boolean: 'boolean',
  wholeNumber: 'integer',
  texts: 'string[]',
  textMap: 'object of strings',
};

/** The values to try for a custom check of a command. */
const SAMPLES: readonly unknown[] = [
  ...['', 'a', 'all', '10m', '2026-01-31T12:00:00Z'],
  ...[-2, -1, 0, 1, 1.5, NaN, Infinity],
  ...[true, false, null, [], ['a'], {}, { a: 'b' }],
  { username: 'a', password: 'b' },
  { username: 'a', password: 'b', serveraddress: 'c' },
  { test: 'a', interval: '1s', timeout: '1s', startPeriod: '1s', retries: 1 },
  ...[{ test: ['a'] }, { test: 1 }, { interval: 1 }, { retries: '1' }, { startInterval: '1s' }],
];

const handlers = new Map<string, LazyHandler>();
const known = new Map<string, unknown>();

/** Returns a proxy that has every property and is callable, constructible, iterable, and empty. */
function anything(path: string): unknown {
  const target = function (): void {
    // Called only through the proxy.
  };
  return new Proxy(target, {
    get: (_, name) => property(path, name, target),
    apply: (_, _self, given: readonly unknown[]) => called(path, given),
    construct: (_, _given, made: { readonly prototype: object }) =>
      new Proxy(Object.create(made.prototype) as object, {
        get: (one, name, self): unknown =>
          Reflect.has(one, name) ? Reflect.get(one, name, self) : property(path, name, target),
      }),
  });
}

function property(path: string, name: string | symbol, target: object): unknown {
  if (name === 'prototype') return Reflect.get(target, name);
  if (name === Symbol.iterator) return () => [].values();
  if (name === Symbol.toPrimitive) return () => '';
  if (name === 'fsPath') return '/nonexistent';
  // English.
  if (path === 'l10n') return undefined;
  if (typeof name === 'symbol' || name === 'then') return undefined;
  const inner = path === '' ? name : `${path}.${name}`;
  if (!known.has(inner)) known.set(inner, anything(inner));
  return known.get(inner);
}

function called(path: string, given: readonly unknown[]): unknown {
  const [first, second] = given;
  if (path === 'commands.registerCommand') handlers.set(String(first), second as LazyHandler);
  return anything(`${path}()`);
}

/** Returns the text of a file of the repository. */
function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** Returns a module with everything that the typings of VS Code declare as a value. */
function standIn(): string {
  const typings = read('node_modules/@types/vscode/index.d.ts');
  const values = typings.matchAll(
    /^(?:\t| {4})export (?:abstract )?(?:class|enum|namespace|const|let|function) (\w+)/gm,
  );
  const names = [...new Set([...values].map(([, name = '']) => name))];
  return names.map((name) => `export const ${name} = globalThis.editor.${name};`).join('\n');
}

function describe(shape: Readonly<Record<string, Field>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, { kind, required }]) => [
      required === true ? name : `${name}?`,
      describeKind(kind),
    ]),
  );
}

function describeKind(kind: Kind): string {
  if (typeof kind === 'string') return KINDS[kind] ?? kind;
  if ('oneOf' in kind)
    return [...kind.oneOf]
      .sort()
      .map((word) => `'${word}'`)
      .join(' | ');
  const fit = SAMPLES.filter((sample) => kind.check(sample));
  return `such as ${fit.map(written).join(', ')}`;
}

function written(sample: unknown): string {
  return typeof sample === 'number' ? String(sample) : JSON.stringify(sample);
}

/** Returns whether a command accepts a URI. If not, its error is the same as for a number. */
async function takesUri(handler: Handler, uri: unknown): Promise<boolean> {
  return (await answerTo(handler, uri)) !== (await answerTo(handler, 42));
}

async function answerTo(handler: Handler, given: unknown): Promise<string> {
  try {
    await handler(given);
    return '';
  } catch (error) {
    return String(error);
  }
}

async function findCommand(lazy: LazyHandler): Promise<CommandFound> {
  const handler = await lazy.load();
  const shape = handler[ARGUMENT];
  if (!shape) return { takesUri: false };
  const Uri = known.get('Uri') as new () => unknown;
  return { argument: describe(shape), takesUri: await takesUri(handler, new Uri()) };
}

/** Returns an extension context whose storage is empty and stores nothing. */
function extensionContext(): ExtensionContext {
  const memento = {
    get: (_key: string, value: unknown): unknown => value,
    update: (): Promise<void> => Promise.resolve(),
    keys: (): readonly string[] => [],
  };
  const given = {
    ...{ subscriptions: [], globalState: memento, workspaceState: memento },
    extension: { packageJSON: JSON.parse(read('package.json')) as unknown },
    asAbsolutePath: (path: string): string => `/nonexistent/${path}`,
  };
  return new Proxy(given, {
    get: (one, name, self): unknown =>
      Reflect.has(one, name)
        ? Reflect.get(one, name, self)
        : property('context', name, extensionContext),
  }) as unknown as ExtensionContext;
}

Object.assign(globalThis, { editor: anything('') });
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: 'editor:vscode', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url === 'editor:vscode'
      ? { format: 'module', source: standIn(), shortCircuit: true }
      : next(url, context),
});

const { activate } = (await import(String(workerData))) as {
  activate: (context: unknown) => unknown;
};
const api: unknown = await activate(extensionContext());
const commands: Record<string, CommandFound> = {};
for (const [id, handler] of handlers) commands[id] = await findCommand(handler);
const names = typeof api === 'object' && api !== null ? Object.keys(api) : [];
const activation: Activation = { commands, api: [typeof api, ...names] };
parentPort?.postMessage(activation);
process.exit();
