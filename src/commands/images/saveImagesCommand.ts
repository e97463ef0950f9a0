import * as l10n from '@vscode/l10n';
import { dirname } from 'node:path';
import { writeAtomically, type AtomicWriteOptions } from '../../base/writeAtomically.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { saveImages } from '../../engine/images/imageArchive.ts';
import { DisposableStore } from '../../base/lifetime.ts';
import { formatSize } from '../../views/format.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { checkArchivePath, fileExists, archivePath } from '../files/archiveFiles.ts';
import { withByteProgress } from '../files/withByteProgress.ts';
import { writeNoted } from '../files/writeNoted.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { findImageTarget, targetsOf, targetTexts, type CommandTarget } from '../frame/targets.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { withoutTrailing } from '../../base/plainText.ts';
import type { FileUri, Ui } from '../ui/ui.ts';

interface SaveArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
  readonly path: string;
  readonly overwrite?: boolean;
}

/** A tar archive with images. */
interface Saved {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** Saves one or more images to one tar archive. */
export const saveImagesCommand = (): PlainCommand<SaveArguments, Saved> => ({
  id: 'gantry.images.save',
  schema: {
    id: { kind: 'text' },
    ids: { kind: 'texts' },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
  },
  selects: 'image',
  pick: pickRow('gantry.images.save', 'image'),
  failureTitle: l10n.t('Could not save the images'),
  run: async (args, context, signal) => {
    const path = checkArchivePath(args.path);
    const connection = await context.engine.connect(signal);
    const texts = targetTexts('gantry.images.save', args);
    const targets = await Promise.all(
      texts.map((text) => findImageTarget(context, connection, text, signal)),
    );
    return save(context, targets, path, { overwrite: args.overwrite === true }, signal);
  },
  runInteractive: saveInteractively,
});

async function saveInteractively(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<Saved | undefined> {
  const { ui } = context;
  const targets = targetsFor(context, nodes);
  const uri = targets.length > 0 && (await askFile(ui, targets));
  if (!uri) return undefined;
  const path = archivePath(uri);
  const total = totalOf(targets);
  // The dialog asked before it returned an existing file. A file that is created after that is not overwritten.
  const overwrite = await fileExists(path);
  const saved = await withByteProgress(
    ui,
    l10n.t('Saving {0}', namesOf(targets)),
    (signal, onProgress) => {
      const onBytes = (bytes: number): void => onProgress(bytes, total);
      return save(context, targets, path, { overwrite, onBytes }, signal);
    },
  );
  ui.info(l10n.t('Saved {0} ({1}) to {2}', namesOf(targets), formatSize(saved.size), path));
  return saved;
}

/** @throws InputError if the rows cannot be saved to one file. */
function targetsFor(context: CommandContext, nodes: readonly TreeNode[]): readonly CommandTarget[] {
  if (nodes.some(({ engine }) => engine !== context.unit.id))
    throw new InputError(
      l10n.t('Select images of one engine only. An archive has images of one engine.'),
    );
  const found = targetsOf(nodes, 'image', undefined, () => context);
  if (found.length < nodes.length) throw new InputError(l10n.t('Select only images.'));
  return found;
}

async function save(
  context: CommandContext,
  targets: readonly CommandTarget[],
  path: string,
  options: AtomicWriteOptions,
  signal: AbortSignal,
): Promise<Saved> {
  const busy = new DisposableStore();
  for (const { id } of targets) busy.add(context.activity.begin(id, 'saving'));
  try {
    const connection = await context.engine.connect(signal);
    const names = [...new Set(targets.map(({ id }) => id))];
    const source = archiveOf(connection, names, signal);
    const noted = {
      kind: 'save',
      name: namesOf(targets),
      path,
      overwrite: options.overwrite,
      command: 'gantry.images.save',
      argument: { ids: names },
    } as const;
    const size = await writeNoted(context, noted, (token) =>
      writeAtomically(source, path, { ...options, token }),
    );
    return { path, size };
  } finally {
    busy.dispose();
  }
}

/**
 * Sends the request only once the file is open: an archive that is not read would keep the request open
 * forever.
 */
async function* archiveOf(
  connection: Connection,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* await saveImages(connection, names, signal);
}

/** Returns the estimated size in bytes; undefined if no image size is known. */
function totalOf(targets: readonly CommandTarget[]): number | undefined {
  const images = new Map(targets.map(({ image }) => [image?.id, image?.size ?? 0]));
  const sum = [...images.values()].reduce((all, size) => all + size, 0);
  return sum > 0 ? sum : undefined;
}

function namesOf(targets: readonly CommandTarget[]): string {
  const [first] = targets;
  return targets.length === 1 && first ? first.name : l10n.t('{0} images', targets.length);
}

function askFile(ui: Ui, targets: readonly CommandTarget[]): Promise<FileUri | undefined> {
  const name = targets.length === 1 ? fileName(targets[0]?.name ?? '') : 'images';
  return ui.saveDialog({
    title: l10n.t('Save {0}', namesOf(targets)),
    button: l10n.t('Save'),
    name: `${name}.tar`,
    filters: { [l10n.t('Archive')]: ['tar'] },
  });
}

/** Returns a file name for an image, without the registry: `web-1` for `ghcr.io/me/web:1`. */
function fileName(image: string): string {
  const last = image.slice(dirname(`/${image}`).length).split('@', 1)[0] ?? '';
  const name = last.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
  return withoutTrailing(name, '-') || 'image';
}
