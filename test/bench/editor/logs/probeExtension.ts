// An extension that runs in the extension host next to Gantry and reports over a socket when something is
// first appended to an output channel, and how long the host is busy without a pause.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Module from 'node:module';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { Pulse } from './pulse.ts';

/** The environment variable with the socket path of the probe. */
const SOCKET = 'GANTRY_BENCH_PROBE';

/** The entry point of the extension. */
export function activate(): void {
  const firstAppends = new Map<string, number>();
  hear((name) => {
    if (!firstAppends.has(name)) firstAppends.set(name, performance.timeOrigin + performance.now());
  });
  const pulse = new Pulse();
  const answers: Readonly<Record<string, (url: URL) => unknown>> = {
    '/appends': () => Object.fromEntries(firstAppends),
    '/pulse/start': () => {
      pulse.start();
    },
    '/pulse/stop': () => pulse.stop(),
    '/collect': () => collect(),
    '/feed': ({ searchParams }) => {
      feed(searchParams.get('name') ?? '', searchParams.get('file') ?? '');
    },
  };
  createServer(({ url = '' }, response) => {
    const asked = new URL(url, 'http://probe');
    response.end(JSON.stringify(answers[asked.pathname]?.(asked) ?? null));
  }).listen(process.env[SOCKET]);
}

/** Appends a whole file to an output channel of VS Code in one call. */
function feed(name: string, file: string): void {
  const channel = vscode.window.createOutputChannel(name);
  channel.append(readFileSync(file, 'utf8'));
  channel.show(true);
}

/** Forces a garbage collection. Returns the bytes that V8 holds for new objects. */
function collect(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name.startsWith('new_'))
    .reduce((sum, { physical_space_size: size }) => sum + size, 0);
}

/** The function with which VS Code gives its API to the module `vscode` of an extension, in a data URL. */
const IMPORT = 'globalThis._VSCODE_IMPORT_VSCODE_API';
const DATA_URL = 'data:text/javascript;base64,';

type Require = (this: { readonly filename: string }, id: string) => unknown;

/** Intercepts the appends of other extensions in this host by wrapping the API that they load. */
function hear(onAppend: (channel: string) => void): void {
  const tap = (api: typeof vscode): object => tapped(api, onAppend);
  const prototype = Module.prototype as unknown as { require: Require };
  const load = prototype.require;
  prototype.require = function (id) {
    const loaded = load.call(this, id);
    return id === 'vscode' && this.filename !== __filename ? tap(loaded as typeof vscode) : loaded;
  };
  Object.assign(globalThis, { gantryTap: tap });
  Module.registerHooks({
    load(url, context, next) {
      const code = url.startsWith(DATA_URL) ? url.slice(DATA_URL.length) : '';
      const text = Buffer.from(code, 'base64').toString();
      if (!text.includes(IMPORT)) return next(url, context);
      const source = text.replace(/globalThis\._VSCODE_IMPORT_VSCODE_API\(.*?\)/, 'gantryTap($&)');
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function tapped(api: typeof vscode, onAppend: (channel: string) => void): object {
  const create = (name: string, kind?: string): object => {
    const channel = api.window.createOutputChannel(name, kind);
    const append = (text: string): void => {
      if (text !== '') onAppend(name);
      channel.append(text);
    };
    return Object.create(channel, { append: { value: append } }) as object;
  };
  const window: unknown = Object.create(api.window, { createOutputChannel: { value: create } });
  return { ...api, window };
}
