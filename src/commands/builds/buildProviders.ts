import { readFile } from 'node:fs/promises';
import type { BuildProviders } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { CommandContext } from '../context.ts';
import { formatName } from '../formatNames.ts';
import { secretFile, type BuildArguments, type SecretSource } from './buildArguments.ts';

/**
 * Returns what the engine may ask for during a build. Nothing of it is kept.
 *
 * @param folder the absolute path of the build context.
 * @param isInteractive whether the user can be asked.
 */
export function buildProviders(
  context: CommandContext,
  connection: Connection,
  { secrets = {}, ssh }: Pick<BuildArguments, 'secrets' | 'ssh'>,
  folder: string,
  isInteractive: boolean,
): BuildProviders {
  const { ui } = context;
  return {
    credentials: async (registry, signal) => {
      const access = { connection, ref: { registry }, isInteractive, signal };
      return (await context.registries()).withAuth(access, (auth) => Promise.resolve(auth));
    },
    secret: async (id) => {
      const source = Object.hasOwn(secrets, id) ? secrets[id] : undefined;
      if (!source) throw new InputError(ui.l10n.t('Secret {0} not found.', formatName(id)));
      return secretValue(context, id, source, folder);
    },
    ...(ssh === true && { sshAgent: agentSocket(context) }),
  };
}

async function secretValue(
  { ui }: CommandContext,
  id: string,
  source: SecretSource,
  folder: string,
): Promise<Uint8Array> {
  const { l10n } = ui;
  const name = formatName(id);
  if ('file' in source) {
    const path = secretFile(source.file, folder);
    // The reason names the path, and nothing of the content.
    return readFile(path).catch((cause: unknown) => {
      throw new InputError(l10n.t('Could not read the secret {0} from {1}.', name, path), {
        cause,
      });
    });
  }
  if ('env' in source) {
    const value = process.env[source.env];
    if (value !== undefined) return Buffer.from(value);
    throw new InputError(
      l10n.t('Environment variable {1} for the secret {0} is not set.', name, source.env),
    );
  }
  const prompt = l10n.t('Value of the secret {0}. It is not stored.', name);
  const typed = await ui.input({ prompt, isSecret: true });
  if (typed === undefined) throw new DOMException('This operation was canceled', 'AbortError');
  return Buffer.from(typed);
}

function agentSocket({ ui }: CommandContext): string {
  const path = process.env['SSH_AUTH_SOCK'] ?? '';
  if (path !== '') return path;
  throw new InputError(ui.l10n.t('No SSH agent is running: SSH_AUTH_SOCK is not set.'));
}
