import * as l10n from '@vscode/l10n';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SECRET_LIMIT } from '../../engine/builds/sessionServices.ts';
import type { BuildProviders, BuildRequest } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { readStart } from '../../base/readLocalFile.ts';
import { WorkQueue } from '../../base/time.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { buildTitle, type BuildArguments } from './buildArguments.ts';
import { type SecretSource } from '../../builds/buildMemory.ts';

/**
 * Returns what the engine may ask for during one build. What it was given is kept for the time of the build: the
 * engine asks again and again.
 *
 * @param asking.isInteractive whether the user can be asked.
 * @param asking.signal aborted when the build has ended.
 */
export function buildProviders(
  context: CommandContext,
  connection: Connection,
  { secrets = {}, ssh }: Pick<BuildArguments, 'secrets' | 'ssh'>,
  request: BuildRequest,
  { isInteractive, signal }: { readonly isInteractive: boolean; readonly signal: AbortSignal },
): BuildProviders {
  const { ui } = context;
  const title = l10n.t('Building {0}', context.titleOf(buildTitle(request)));
  // An input box hides the one before. Without one of its secrets, the build is canceled.
  const prompts = new WorkQueue(true);
  return {
    credentials: once(async (registry, _signal, repository) => {
      const ref = { registry, ...(repository !== undefined && { repository }) };
      const access = { connection, ref, isInteractive, signal };
      return (await context.window.registries()).withAuth(access, (auth) => Promise.resolve(auth));
    }),
    secret: once(async (id) => {
      const source = Object.hasOwn(secrets, id) ? secrets[id] : undefined;
      if (!source) throw new InputError(l10n.t('Secret {0} not found.', formatName(id)));
      if ('prompt' in source) return prompts.add(() => askSecret(ui, title, id, signal));
      return limited(await secretValue(id, source, request.context), id);
    }),
    ...(ssh === true && { sshAgent: agentSocket() }),
  };
}

/** Returns a function that does the work once for each key. It goes on if the call that began it is canceled. */
function once<T, Rest extends readonly unknown[]>(
  work: (key: string, ...rest: Rest) => Promise<T>,
): (key: string, ...rest: Rest) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key, ...rest) => {
    const found = known.get(key) ?? work(key, ...rest);
    known.set(key, found);
    return found;
  };
}

async function askSecret(
  ui: Ui,
  title: string,
  id: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  const prompt = l10n.t('Value of the secret {0}. It is not stored.', formatName(id));
  const typed = await ui.input({ title, prompt, isSecret: true, signal });
  // Without its secret, the build is canceled.
  if (typed === undefined) throw new DOMException('This operation was canceled', 'AbortError');
  return Buffer.from(typed);
}

async function secretValue(
  id: string,
  source: Exclude<SecretSource, { readonly prompt: true }>,
  folder: string,
): Promise<Uint8Array> {
  const name = formatName(id);
  if ('file' in source) {
    const path = resolve(folder, source.file);
    // The reason names the path, and nothing of the content.
    return readSecret(path).catch((cause: unknown) => {
      throw new InputError(l10n.t('Could not read the secret {0} from {1}.', name, path), {
        cause,
      });
    });
  }
  const value = process.env[source.env];
  if (value !== undefined) return Buffer.from(value);
  throw new InputError(
    l10n.t('Environment variable {1} for the secret {0} is not set.', name, source.env),
  );
}

/** Reads a secret from a file, which may also be a pipe, and no more than can be too much. */
async function readSecret(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    return await readStart(file, SECRET_LIMIT + 1);
  } finally {
    await file.close();
  }
}

function limited(value: Uint8Array, id: string): Uint8Array {
  if (value.length <= SECRET_LIMIT) return value;
  throw new InputError(l10n.t('The secret {0} is larger than 500 KiB.', formatName(id)));
}

function agentSocket(): string {
  const path = process.env['SSH_AUTH_SOCK'] ?? '';
  if (path !== '') return path;
  throw new InputError(l10n.t('No SSH agent is running: SSH_AUTH_SOCK is not set.'));
}
