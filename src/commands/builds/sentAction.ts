import { appendFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildRun } from '../../builds/buildRun.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
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
  return (await textOf(own)) === undefined ? join(context, '.dockerignore') : own;
}

async function addPattern(file: string, path: string, ui: Ui): Promise<void> {
  const text = (await textOf(file)) ?? '';
  const isWhole = text === '' || text.endsWith('\n');
  await appendFile(file, `${isWhole ? '' : '\n'}${patternOf(path)}\n`);
  const uriPath = decodeURIComponent(pathToFileURL(file).pathname);
  await ui.openFile(ui.uri({ scheme: 'file', path: uriPath, query: '' }));
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Returns the pattern that matches this path alone. */
function patternOf(path: string): string {
  return path.replaceAll(/[\\*?[\]]/g, '\\$&').replace(/^[!#]/, '\\$&');
}
