import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { writeFile, type WriteOptions } from '../../engine/files/writeFile.ts';
import { hashOf } from '../../engine/files/readHash.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { resolveLocation, type FileLocation } from './fileLocation.ts';

interface WriteArguments {
  /** The ID or name of a container. */
  readonly id?: string;
  /** The name of a volume. */
  readonly volume?: string;
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
  readonly create?: boolean;
  readonly mode?: number;
  /** What must still be there: its SHA-256 in hexadecimal, or the text. */
  readonly expected?: string;
}

interface Written {
  readonly size: number;
  /** Absent where the engine does not report it. */
  readonly owner?: number;
  readonly group?: number;
  readonly mode: number;
}

/** Writes a file of a container or volume, which keeps its owner, group and mode. */
export const writeCommand = (): PlainCommand<WriteArguments, Written> => ({
  id: 'gantry.files.write',
  schema: {
    id: { kind: 'text' },
    volume: { kind: 'text' },
    path: { kind: 'text', required: true },
    text: { kind: 'text' },
    base64: { kind: 'text' },
    create: { kind: 'boolean' },
    mode: { kind: 'wholeNumber' },
    expected: { kind: 'text' },
  },
  failureTitle: l10n.t('Could not save the file'),
  run: async (args, context, signal) => {
    const contents = contentsOf(args);
    const { create = false, mode } = args;
    if (mode !== undefined && (mode < 0 || mode > 0o7777))
      throw new InputError(l10n.t('"mode" must be a number from 0 to 4095.'));
    const where = await resolveLocation(args, context, signal);
    const options = { create, mode, expected: hashIn(args) };
    return write(where, contents, options, context, signal);
  },
});

async function write(
  { root, path }: FileLocation,
  contents: Buffer,
  options: WriteOptions,
  context: CommandContext,
  signal: AbortSignal,
): Promise<Written> {
  if (path === '/') throw new InputError(l10n.t('"path" must be the path of a file.'));
  const { all } = await context.window.files();
  try {
    const { size, owner, group, mode } = await all.accessToWrite(root)(
      (connection, archive) => writeFile(connection, archive, path, contents, options, signal),
      signal,
    );
    return {
      size,
      ...(owner !== undefined && { owner }),
      ...(group !== undefined && { group }),
      mode,
    };
  } finally {
    all.refresh(root);
  }
}

function contentsOf({ text, base64 }: WriteArguments): Buffer {
  if ((text === undefined) === (base64 === undefined))
    throw new InputError(l10n.t('Set either "text" or "base64".'));
  if (text !== undefined) return Buffer.from(text);
  const bytes = Buffer.from(base64 ?? '', 'base64');
  const length = Math.ceil((base64 ?? '').length / 4) * 4;
  if (bytes.toString('base64') === (base64 ?? '').padEnd(length, '=')) return bytes;
  throw new InputError(l10n.t('"base64" is not valid Base64.'));
}

function hashIn({ expected }: WriteArguments): string | undefined {
  if (expected === undefined || /^[0-9a-f]{64}$/.test(expected)) return expected;
  return hashOf(Buffer.from(expected));
}
