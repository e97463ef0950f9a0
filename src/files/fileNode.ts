import * as l10n from '@vscode/l10n';

import { oneLine } from '../base/plainText.ts';
import { tooltipRows, type RowPresentation, type TooltipRow } from '../views/rowPresentation.ts';
import { TreeNode } from '../views/treeNode.ts';
import { formatDateTime, formatSize, joinSpoken } from '../views/format.ts';
import { hasReplacement } from '../engine/archive/hasReplacement.ts';
import type { FileEntry } from './fileIndex.ts';
import { joinPath, type FileRoot } from './fileRoot.ts';

/** A row for a path: the root of a container or image, or a file or folder in it. */
export abstract class PathNode extends TreeNode {
  readonly root: FileRoot;
  /** Absolute, in the container. */
  readonly path: string;
  /** Whether the row can have children. Also true for a link to a folder. */
  readonly isFolder: boolean;

  protected constructor(root: FileRoot, path: string, isFolder: boolean, parent?: PathNode) {
    super(root.engine, `files/${root.kind}/${root.id}${path}`, parent);
    this.root = root;
    this.path = path;
    this.isFolder = isFolder;
  }

  /** The path of the folder itself, or of the folder that contains the file. */
  get folder(): string {
    return this.isFolder || !(this.parent instanceof PathNode) ? this.path : this.parent.path;
  }

  abstract override present(): RowPresentation;
  abstract override tooltip(): readonly TooltipRow[];
}

/** The row of a file, folder, or link. */
export class FileNode extends PathNode {
  readonly entry: FileEntry;

  constructor(parent: PathNode, entry: FileEntry, isFolder: boolean) {
    super(parent.root, joinPath(parent.path, entry.name), isFolder, parent);
    this.entry = entry;
  }

  present(): RowPresentation {
    const { name, kind, linkTarget } = this.entry;
    const label = oneLine(name);
    const words = {
      file: () => formatSize(this.entry.size),
      folder: () => '',
      link: () => `→ ${oneLine(linkTarget)}`,
      other: () => l10n.t('device'),
    };
    const description = hasReplacement(name) ? l10n.t('name is not UTF-8') : words[kind]();
    const link = this.isFolder ? 'file-symlink-directory' : 'file-symlink-file';
    const icons = { file: 'file', folder: 'folder', link, other: 'circuit-board' };
    const what = this.isFolder ? 'folder' : kind === 'other' ? 'other' : 'file';
    return {
      label,
      description,
      icon: { id: icons[kind] },
      contextValue: `files.${what}.${this.root.kind}`,
      accessibilityLabel: joinSpoken(label, description),
    };
  }

  tooltip(): readonly TooltipRow[] {
    const { kind, size, permissions, modifiedAt, linkTarget } = this.entry;
    return tooltipRows(
      [l10n.t('Path'), this.path],
      [l10n.t('Link target'), linkTarget],
      [l10n.t('Size'), kind === 'file' ? formatSize(size) : ''],
      [l10n.t('Permissions'), permissions.toString(8).padStart(3, '0')],
      [
        l10n.t('Modified'),
        modifiedAt > 0 ? formatDateTime(new Date(modifiedAt).toISOString()) : '',
      ],
    );
  }
}

/** The root row of a container or image in the Files view. */
export class FileRootNode extends PathNode {
  readonly #titleOf: (name: string) => string;

  /** @param titleOf returns a name, followed by the name of its engine if there are several. */
  constructor(root: FileRoot, titleOf = (name: string) => name) {
    super(root, '/', true);
    this.#titleOf = titleOf;
  }

  /** Returns a row for the same files under another name. */
  renamed(name: string): FileRootNode {
    return new FileRootNode({ ...this.root, name }, this.#titleOf);
  }

  present(): RowPresentation {
    const label = oneLine(this.#titleOf(this.root.name));
    const words = { container: '', image: l10n.t('image'), volume: l10n.t('volume') };
    const icons = { container: 'vm', image: 'package', volume: 'database' };
    return {
      label,
      description: words[this.root.kind],
      icon: { id: icons[this.root.kind] },
      contextValue: `files.root.${this.root.kind}`,
      accessibilityLabel: l10n.t('Files of {0}', label),
    };
  }

  tooltip(): readonly TooltipRow[] {
    const { kind, id, name } = this.root;
    const field = kind === 'volume' ? l10n.t('Volume') : l10n.t('ID');
    return tooltipRows([l10n.t('Files of'), this.#titleOf(name)], [field, id]);
  }
}

/** A note below a folder: why its contents are missing or incomplete, or that there are none. */
export class FileNoteNode extends TreeNode {
  readonly folder: PathNode;
  readonly text: string;
  readonly kind: FileNoteKind;

  constructor(parent: PathNode, text: string, kind: FileNoteKind) {
    super(parent.engine, `${parent.id}/note`, parent);
    this.folder = parent;
    this.text = oneLine(text);
    this.kind = kind;
  }

  present(): RowPresentation {
    const isEmpty = this.kind === 'empty';
    return {
      // A description is dimmed: it is no file.
      label: isEmpty ? '' : this.text,
      description: isEmpty ? this.text : '',
      icon: isEmpty ? undefined : { id: this.kind === 'failed' ? 'error' : 'info' },
      contextValue: isEmpty ? 'files.empty' : `files.note.${this.kind}`,
      accessibilityLabel: this.text,
    };
  }

  tooltip(): readonly TooltipRow[] {
    return this.kind === 'empty' ? [] : [{ name: l10n.t('Files'), value: this.text }];
  }
}

export type FileNoteKind = 'failed' | 'partial' | 'empty';
