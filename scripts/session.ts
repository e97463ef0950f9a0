// A session of `npm start`, under the project's own Node: starts an engine, the extension and VS Code, and
// stops them all at the end.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { errorMessage } from '../src/commands/ui/errorMessage.ts';
import type { BedEngine } from '../test/bed/engines.ts';
import { hasDesktopCode, provideParts, type Missing, type PartName } from '../test/bed/system.mjs';
import { answers, findEngine } from './find-engine.ts';
import { installVSCode, root } from './install.mjs';
import { startThrowaway } from './throwaway.ts';

const say = (line: string) => console.log(line);

/** Cleanup functions in the order of the starts; they run in reverse order. */
const endings: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;
/** Whether anything runs that lasts only as long as this process. */
const state = { holding: false };

function hold(end: () => Promise<void>): void {
  state.holding = true;
  endings.push(end);
}

function endAll(): Promise<void> {
  ending ??= (async () => {
    for (const end of endings.reverse()) await end();
  })();
  return ending;
}

/** Resolves when the user, or the end of their terminal, ends the session. */
const wanted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => resolve());
  process.once('disconnect', () => resolve());
});

/** Installs parts of the test bed. An installation that has begun is always completed. */
function provide(names: readonly PartName[]): Promise<Missing[]> {
  const providing = provideParts(names, say);
  const over = () => undefined;
  endings.push(() => providing.then(over, over));
  return providing;
}

/** Returns the variables that lead VS Code to the engine; none if Gantry finds the engine automatically. */
async function engineVariables(): Promise<Record<string, string>> {
  const found = await findEngine();
  if (found) {
    const there = (await answers(found)) ? '' : ' (it does not answer)';
    say(`Using the engine at ${found.url}${there}. It is only read and shown.`);
    const chosen = process.env['DOCKER_HOST'];
    return chosen ? { DOCKER_HOST: chosen } : {};
  }
  const engine = await throwaway();
  return engine ? { DOCKER_HOST: engine.url } : {};
}

async function throwaway(): Promise<BedEngine | undefined> {
  say('No engine answers on this machine; starting a throwaway one.');
  const missing = await provide(['docker', 'registry']);
  const needed = missing.find(({ part }) => part === 'docker');
  if (needed) {
    say(`Not possible: ${needed.what} is missing. ${needed.how}`);
    say('VS Code opens all the same; Gantry shows an engine as soon as one is there.');
    return undefined;
  }
  const engine = await startThrowaway(say);
  hold(() => engine.stop());
  say(`A throwaway Docker engine is at ${engine.url}`);
  return engine;
}

async function build(): Promise<void> {
  say('Building the extension …');
  const child = spawn(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error('The extension could not be built.');
}

/** Opens a window of the user's own VS Code, which the user closes. */
function openDesktop(variables: Record<string, string>): void {
  const args = ['--new-window', `--extensionDevelopmentPath=${root}`];
  say('Opening VS Code.');
  const env = { ...process.env, ...variables };
  const { status } = spawnSync('code', args, { env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`code ended with status ${String(status)}.`);
}

async function openServed(variables: Record<string, string>): Promise<void> {
  await installVSCode(say);
  const { serveVSCode } = await import('../test/bed/vscode/serve.mjs');
  const token = crypto.randomUUID();
  const served = await serveVSCode({ extension: root, env: variables, token });
  hold(() => served.stop());
  void served.exited.then(() => process.kill(process.pid, 'SIGTERM'));
  say(`Open ${served.url}`);
}

async function session(): Promise<void> {
  const variables = await engineVariables();
  await build();
  if (hasDesktopCode()) openDesktop(variables);
  else await openServed(variables);
  if (!state.holding) return;
  say('Ctrl-C ends it all.');
  await wanted;
}

process.channel?.unref();
// A signal during the start ends the session without waiting for the start to complete.
const begun = session().then(
  () => 0,
  (error: unknown) => {
    console.error(errorMessage(error));
    return 1;
  },
);
process.exitCode = await Promise.race([begun, wanted.then(() => 0)]);
if (state.holding) say('Stopping …');
await endAll();
if (process.connected) process.disconnect();
process.exit();
