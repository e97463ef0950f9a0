import * as l10n from '@vscode/l10n';
import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path/posix';
import { oneLine } from '../base/plainText.ts';
import { FileConflictError, FileReadOnlyError, type FileLoss } from '../engine/files/fileErrors.ts';
import { judgeWrite } from '../engine/files/judgeWrite.ts';
import { writeFile, type WrittenFile } from '../engine/files/writeFile.ts';
import { hashOf } from '../engine/files/readHash.ts';
import type { AllFiles } from './allFiles.ts';
import { fileRootKey, type FileRoot } from './fileRoot.ts';

/** Saves the files that are open, so that no change of somebody else is lost. */
export class FileSaver {
  readonly #all: AllFiles;
  readonly #ui: SaveUi;
  readonly #known = new Map<string, Known>();
  /** What was read while a document has the file: the document may not have it. */
  readonly #pending = new Map<string, Pending>();
  /** What a user wants to overwrite, by its hash. */
  readonly #allowed = new Map<string, string | undefined>();
  /** Files whose losses were accepted. */
  readonly #accepted = new Set<string>();
  /** Roots of which it was said that what is saved in them can be lost. */
  readonly #told = new Set<string>();

  constructor(all: AllFiles, ui: SaveUi) {
    this.#all = all;
    this.#ui = ui;
  }

  /**
   * Remembers what was read. Not only an editor reads: what its document does not show is not what that is based on.
   *
   * @param stat what the editor was told before.
   * @param document that has the file; undefined if there is none yet.
   */
  remember(file: OpenedFile, contents: Uint8Array, stat: SeenStat, document?: ShownText): void {
    const key = keyOf(file);
    const read = { hash: hashOf(contents), ...stat };
    const text = Buffer.from(contents);
    this.#pending.delete(key);
    if (document && isUtf8(text))
      this.#pending.set(key, { read, text: hashOfText(text.toString()) });
    else if (document?.isDirty !== true) this.#learn(file, read);
    if (document) this.adopt(file, document);
  }

  /** Remembers what was read last if a document shows it now, and was not changed by the user since. */
  adopt(file: OpenedFile, document: ShownText): void {
    const key = keyOf(file);
    const pending = this.#pending.get(key);
    if (!pending || document.isDirty || hashOfText(document.getText()) !== pending.text) return;
    this.#pending.delete(key);
    this.#learn(file, pending.read);
  }

  #learn(file: OpenedFile, read: Pending['read']): void {
    this.#keep(file, { ...read, links: this.#known.get(keyOf(file))?.links });
  }

  /** Remembers how many names a file has. @returns why it cannot be written. */
  async study(file: OpenedFile): Promise<FileReadOnlyError | undefined> {
    const { way, reason, mount, facts } = await this.#all.accessToWrite(file.root)(
      (connection, root) => judgeWrite(connection, root, file.path),
    );
    const known = this.#known.get(keyOf(file));
    if (known && facts) this.#keep(file, { ...known, links: facts.links });
    if (way !== 'refused' || reason === undefined) return undefined;
    return new FileReadOnlyError(file.path, reason, mount?.target);
  }

  /**
   * Saves a file.
   *
   * @param shown what the editor was told of the file right before.
   * @throws as `writeFile` of the engine; FileConflictError also if it is not known what was read.
   */
  async save(
    file: OpenedFile,
    contents: Uint8Array,
    { isOpen, shown, ...options }: SaveOptions,
  ): Promise<void> {
    if (file.root.kind === 'image') throw new FileReadOnlyError(file.path, 'image');
    const key = keyOf(file);
    const known = this.#known.get(key);
    const expected = this.#expected(key, known, isOpen, shown);
    this.#allowed.delete(key);
    const write = (hash: string | undefined): Promise<WrittenFile> =>
      this.#all.accessToWrite(file.root)((connection, root) =>
        writeFile(connection, root, file.path, contents, {
          ...options,
          expected: hash,
          links: known?.links,
          confirmLoss: (losses) => this.#confirmLoss(file, losses),
        }),
      );
    const done = await write(expected).catch((error: unknown) => {
      // A new file.
      if (!known && error instanceof FileConflictError && error.hash === undefined)
        return write(undefined);
      throw error;
    });
    // The editor asks for the time and size next.
    this.#keep(file, { hash: done.hash, modifiedAt: 0, size: done.size, links: done.links });
    this.#tell(file, done);
  }

  /** Notes the first time and size that the editor is told after a save: those of what was saved. */
  see(file: OpenedFile, stat: SeenStat): void {
    const known = this.#known.get(keyOf(file));
    if (known?.modifiedAt === 0 && known.size === stat.size)
      this.#keep(file, { ...known, ...stat });
  }

  /** Lets the next save overwrite what the conflict has found. */
  allow(file: OpenedFile, { hash }: FileConflictError): void {
    this.#allowed.set(keyOf(file), hash);
  }

  /** Returns the hash that the file must have; undefined if any contents are overwritten. */
  #expected(
    key: string,
    known: Known | undefined,
    isOpen: boolean,
    shown: SeenStat | undefined,
  ): string | undefined {
    if (this.#allowed.has(key)) return this.#allowed.get(key);
    if (!known) return isOpen ? UNKNOWN : undefined;
    // The editor has seen that, and asked.
    const isShown =
      shown !== undefined &&
      known.modifiedAt > 0 &&
      shown.modifiedAt > known.modifiedAt &&
      shown.size !== known.size;
    return isShown ? undefined : known.hash;
  }

  async #confirmLoss(file: OpenedFile, losses: readonly FileLoss[]): Promise<boolean> {
    const key = keyOf(file);
    if (this.#accepted.has(key)) return true;
    const words = losses.map((loss) =>
      loss === 'setuid'
        ? l10n.t('The engine drops setuid and setgid of the file.')
        : l10n.t('The engine drops the extended attributes of the file.'),
    );
    const question = l10n.t('Save {0}?', oneLine(basename(file.path), 80));
    const isAccepted = await this.#ui.confirm(question, words.join(' '), l10n.t('Save'));
    if (isAccepted) this.#accepted.add(key);
    return isAccepted;
  }

  #tell({ root }: OpenedFile, { judgement }: WrittenFile): void {
    const key = fileRootKey(root);
    if (root.kind !== 'container' || judgement.mount || this.#told.has(key)) return;
    this.#told.add(key);
    const words = l10n.t(
      'Saved in the container {0}. What is not in a mount is lost when the container is removed.',
      oneLine(root.name, 80),
    );
    const commit = { title: l10n.t('Commit...'), run: () => this.#ui.commit(root) };
    this.#ui.info(words, commit);
  }

  #keep(file: OpenedFile, known: Known): void {
    const key = keyOf(file);
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
  }
}

/** A file in an editor. */
export interface OpenedFile {
  readonly root: FileRoot;
  readonly path: string;
}

/** What an editor compares to notice changes. */
export interface SeenStat {
  readonly modifiedAt: number;
  readonly size: number;
}

interface Known extends SeenStat {
  readonly hash: string;
  readonly links: number | undefined;
}

/** What a document shows of a file. */
interface ShownText {
  readonly isDirty: boolean;
  getText(): string;
}

interface Pending {
  readonly read: Omit<Known, 'links'>;
  /** The hash of the text. */
  readonly text: string;
}

interface SaveOptions {
  readonly create: boolean;
  readonly overwrite: boolean;
  /** Whether it is a document that may have been read before. */
  readonly isOpen: boolean;
  readonly shown: SeenStat | undefined;
}

/** What is shown while files are saved. */
export interface SaveUi {
  info(message: string, ...actions: readonly SaveAction[]): void;
  warn(message: string, ...actions: readonly SaveAction[]): void;
  confirm(message: string, detail: string, button: string): Promise<boolean>;
  /** Asks for the image to commit a container to. */
  commit(root: FileRoot): void;
}

interface SaveAction {
  readonly title: string;
  readonly run: () => unknown;
}

/** No file has this hash. */
const UNKNOWN = 'unknown';

/** Maximum number of files of which it is known what was read. */
const MOST_KNOWN = 2000;

/** Editors show no byte order mark, and line breaks of one kind. */
function hashOfText(text: string): string {
  return hashOf(Buffer.from(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')));
}

function keyOf({ root, path }: OpenedFile): string {
  return `${fileRootKey(root)} ${path}`;
}
