import { homedir } from 'node:os';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { writeAtomically } from '../../files/writeAtomically.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { InputError } from '../../engine/errors.ts';
import { saveImages } from '../../engine/images/imageArchive.ts';
import { DisposableStore } from '../../lifetime.ts';
import { formatSize } from '../../views/format.ts';
import { withFileErrors, checkArchivePath, fileExists, archivePath } from './archiveFiles.ts';
import { withByteProgress, type ByteProgress } from '../files/withByteProgress.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showInfo } from '../notifications.ts';
import { findImageTarget, pickTarget, targetsOf, type CommandTarget } from '../targets.ts';
import { displayTitle, withoutTrailing } from '../../plainText.ts';

const { l10n } = vscode;

interface SaveArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
  readonly path: string;
  readonly overwrite?: boolean;
}

/** A file with images in it. */
interface Saved {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Saves one or several images to one file. */
export const saveImagesCommand: PlainCommand<SaveArguments, Saved> = {
  id: 'gantry.images.save',
  schema: {
    id: { kind: 'text' },
    ids: { kind: 'texts' },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
  },
  selects: 'image',
  failureTitle: l10n.t('Could not save the images'),
  run: async (args, context, signal) => {
    const path = checkArchivePath(args.path);
    const connection = await context.engine.connect(signal);
    const find = (text: string): Promise<CommandTarget> =>
      findImageTarget(context, connection, text, signal);
    const targets = await Promise.all(textsOf(args).map(find));
    return save(context, targets, { path, overwrite: args.overwrite === true, signal });
  },
  runInteractive: async (context, nodes) => {
    const targets = await targetsFor(context, nodes);
    const uri = targets.length > 0 && (await askFile(targets));
    if (!uri) return undefined;
    const path = archivePath(uri);
    const total = totalOf(targets);
    // The dialog has asked before it gave a name that is taken: a file that comes after that stays.
    const overwrite = await fileExists(path);
    const saved = await withByteProgress(l10n.t('Saving {0}', namesOf(targets)), (signal, tell) =>
      save(context, targets, { path, overwrite, signal, tell, total }),
    );
    showInfo(l10n.t('Saved {0} ({1}) to {2}', namesOf(targets), formatSize(saved.size), path));
    return saved;
  },
};

function textsOf({ id, ids }: SaveArguments): readonly string[] {
  const command = saveImagesCommand.id;
  if ((id === undefined) === (ids === undefined)) {
    throw new InputError(l10n.t('{0} needs either "id" or "ids".', command));
  }
  const texts = ids ?? [id ?? ''];
  if (texts.length === 0) throw new InputError(l10n.t('{0}: "ids" is empty.', command));
  if (texts.some((text) => text.trim() === '')) {
    throw new InputError(l10n.t('{0}: the id is empty.', command));
  }
  return texts;
}

async function targetsFor(
  context: CommandContext,
  nodes: Parameters<typeof targetsOf>[0],
): Promise<readonly CommandTarget[]> {
  // What several engines have cannot become one file: those of the first are meant.
  const found = targetsOf(nodes, 'image', undefined, () => context).filter((_, index) => {
    return nodes[index]?.engine === context.unit.id;
  });
  if (found.length > 0) return found;
  const picked = await pickTarget(context, 'image', undefined);
  return picked ? [picked] : [];
}

interface SaveOptions {
  readonly path: string;
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  readonly tell?: (moved: ByteProgress) => void;
  readonly total?: number | undefined;
}

async function save(
  context: CommandContext,
  targets: readonly CommandTarget[],
  { path, overwrite, signal, tell, total }: SaveOptions,
): Promise<Saved> {
  const busy = new DisposableStore();
  for (const { id } of targets) busy.add(context.activity.begin(id, 'saving'));
  try {
    const connection = await context.engine.connect(signal);
    const names = [...new Set(targets.map(({ id }) => id))];
    const source = archiveOf(connection, names, signal);
    const onBytes = (bytes: number): void => tell?.({ bytes, total });
    const size = await withFileErrors(path, () =>
      writeAtomically(source, path, { overwrite, onBytes }),
    );
    return { path, size };
  } finally {
    busy.dispose();
  }
}

/** Asked for only once the file is open: an archive that nobody reads would go on for ever. */
async function* archiveOf(
  connection: Connection,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* await saveImages(connection, names, signal);
}

/** About so large it will be; undefined where an image's size is not known. */
function totalOf(targets: readonly CommandTarget[]): number | undefined {
  const images = new Map(targets.map(({ image }) => [image?.id, image?.size ?? 0]));
  const sum = [...images.values()].reduce((all, size) => all + size, 0);
  return sum > 0 ? sum : undefined;
}

function namesOf(targets: readonly CommandTarget[]): string {
  const [first] = targets;
  return targets.length === 1 && first ? first.name : l10n.t('{0} images', targets.length);
}

function askFile(targets: readonly CommandTarget[]): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  const base = folder?.uri ?? vscode.Uri.file(homedir());
  const name = targets.length === 1 ? fileName(targets[0]?.name ?? '') : 'images';
  return vscode.window.showSaveDialog({
    title: displayTitle(l10n.t('Save {0}', namesOf(targets))),
    saveLabel: l10n.t('Save'),
    defaultUri: vscode.Uri.joinPath(base, `${name}.tar`),
    filters: { [l10n.t('Archive')]: ['tar'] },
  });
}

/** Of an image's name what can stand in a file's, without the registry: `web-1` for `ghcr.io/me/web:1`. */
function fileName(image: string): string {
  const last = image.slice(dirname(`/${image}`).length).split('@', 1)[0] ?? '';
  const name = last.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
  return withoutTrailing(name, '-') || 'image';
}
