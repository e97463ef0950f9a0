import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildRun } from '../../builds/buildRun.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';
import { formatSize } from '../../views/format.ts';
import type { CommandContext } from '../commandContext.ts';
import { formatName } from '../formatNames.ts';
import type { MessageAction, Ui } from '../ui.ts';
import { withErrorMessage } from '../withErrorMessage.ts';

/** Returns the button that shows what was sent of the context of a build; none if nothing was. */
export function sentAction(context: CommandContext, run: BuildRun): readonly MessageAction[] {
  const { ui } = context;
  const { end, spec } = run;
  const sent = end?.phase === 'done' ? end.result.sent : undefined;
  if (!sent || sent.largest.length === 0) return [];
  const { l10n } = ui;
  const items = sent.largest.map(({ path, size }) => ({
    label: formatName(path),
    description: formatSize(size),
    path,
  }));
  const pickFile = async (): Promise<void> => {
    const file = await ignoreFileOf(spec.request);
    const chosen = await ui.pick({
      title: l10n.t('Sent to the Engine: {0}', formatSize(sent.bytes)),
      placeholder: l10n.t('Select a file to add it to {0}', basename(file)),
      items,
    });
    if (chosen) await addPattern(file, chosen.path, ui);
  };
  const failureTitle = l10n.t('Could not change the ignore file');
  const show = (): unknown => withErrorMessage(failureTitle, context, pickFile);
  return [{ title: l10n.t('Show Sent Files...'), run: show }];
}

/** That of the Dockerfile counts more than that of the context. */
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
  const { l10n } = ui;
  if (/[\n\r]/.test(path))
    throw new InputError(
      l10n.t(
        '{0} has a line break in its name. Ignore it by a pattern for its folder.',
        formatName(path),
      ),
    );
  await appendLine(file, patternOf(path), l10n);
  const uriPath = decodeURIComponent(pathToFileURL(file).pathname);
  await ui.openFile(ui.uri({ scheme: 'file', path: uriPath, query: '' }));
}

/** Appends a line to a file, and to no other that a link leads to. */
async function appendLine(path: string, line: string, l10n: L10n): Promise<void> {
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
