import * as l10n from '@vscode/l10n';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BuildRun } from '../../builds/buildRun.ts';
import { sentFiles } from '../../builds/buildResults.ts';
import type { BuildRequest, SentContext } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import { BuildNode } from '../../views/builds/buildNode.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatName } from '../ui/formatNames.ts';
import { localUri } from '../ui/localUri.ts';
import type { Ui } from '../ui/ui.ts';
import { REF, type RefArguments } from './buildListCommands.ts';

/** Shows the largest files of its context that a build sent to the engine, and adds one to the ignore file. */
export const sentFilesCommand = (): PlainCommand<RefArguments, SentContext> => ({
  id: 'gantry.builds.sentFiles',
  schema: REF,
  failureTitle: l10n.t('Could not change the ignore file'),
  run: async ({ ref }, context) => {
    const { builds } = await context.window.builds();
    const run = builds.get(context.unit.id, ref);
    return (run && sentFiles(run)) ?? throwNoFiles();
  },
  runInteractive: async (context, [node]) => {
    const { builds } = await context.window.builds();
    const matches = (run: BuildRun): boolean =>
      run.engine === context.unit.id && sentFiles(run) !== undefined;
    const shown = node instanceof BuildNode ? node.build : builds.all.findLast(matches);
    const sent = shown && sentFiles(shown);
    if (!(shown instanceof BuildRun) || !sent) return throwNoFiles();
    await pickFile(shown, sent, context.ui);
    return sent;
  },
});

function throwNoFiles(): never {
  throw new InputError(l10n.t('Only a build of this window knows which files were sent.'));
}

async function pickFile({ spec }: BuildRun, sent: SentContext, ui: Ui): Promise<void> {
  const items = sent.largest.map(({ path, size }) => ({
    label: formatName(path),
    description: formatSize(size),
    path,
  }));
  const file = await ignoreFileOf(spec.request);
  const chosen = await ui.pick({
    title: l10n.t('Sent to the Engine: {0}', formatSize(sent.bytes)),
    placeholder: l10n.t('Select a file to add it to {0}', basename(file)),
    items,
  });
  if (chosen) await addPattern(file, chosen.path, ui);
}

/** Returns the ignore file: that of the Dockerfile counts more than that of the context. */
async function ignoreFileOf({ context, dockerfile }: BuildRequest): Promise<string> {
  const own = `${dockerfile}.dockerignore`;
  const isThere = await lstat(own).then(
    () => true,
    () => false,
  );
  return isThere ? own : join(context, '.dockerignore');
}

/** @throws InputError for a name or a file that cannot get the pattern. */
async function addPattern(file: string, path: string, ui: Ui): Promise<void> {
  if (/[\n\r]/.test(path))
    throw new InputError(
      l10n.t(
        '{0} has a line break in its name. Ignore it by a pattern for its folder.',
        formatName(path),
      ),
    );
  await appendLine(file, patternOf(path));
  await ui.openFile(localUri(ui, file));
}

/** Appends a line to a file, and to no other that a link leads to. */
async function appendLine(path: string, line: string): Promise<void> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // On Windows, the last two are undefined, which counts as 0.
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const file = isLink ? undefined : await open(path, flags);
  try {
    const found = await file?.stat();
    if (!file || found?.isFile() !== true)
      throw new InputError(
        l10n.t(
          '{0} is a link or not a file. Add the pattern to the file itself.',
          formatName(path),
        ),
      );
    const { size } = found;
    const last = size > 0 ? (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer : NEW_LINE;
    await file.appendFile(`${last.equals(NEW_LINE) ? '' : '\n'}${line}\n`);
  } finally {
    await file?.close();
  }
}

const NEW_LINE = Buffer.from('\n');

/** Returns the pattern that matches this path alone. White space at the ends and marks at the start would not count. */
function patternOf(path: string): string {
  return path
    .replaceAll(/[\\*?[\]]/g, '\\$&')
    .replace(/^[!#]/, '\\$&')
    .replace(/^[\s\u0085]|[\s\u0085]$/g, '[$&]');
}
