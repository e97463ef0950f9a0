import * as vscode from 'vscode';
import { settings, type ImagesSettings } from '../../settings.ts';
import type { CommandRegistry } from '../commandRegistry.ts';

const { l10n } = vscode;

/** Registers the commands that change how images are shown. */
export function registerImageViewCommands(registry: CommandRegistry, view: ImageFilter): void {
  for (const { id, name, value } of VIEW_OPTIONS) {
    registry.simple(id, () => settings.setImages(name, value));
  }
  // Shown, not waited for: whoever calls it goes on at once.
  registry.simple('gantry.images.filter', () => {
    askFilter(view);
  });
  registry.simple('gantry.images.clearFilter', () => {
    view.imageFilter = '';
  });
}

/** The part of the images view that is not a setting. */
export interface ImageFilter {
  /** What the images that are shown have in their names; empty for all. */
  imageFilter: string;
}

/** A way to show images. Of each there are two commands: the menu shows the one whose title has a check mark. */
type ViewOption = { readonly id: string } & {
  readonly [Name in keyof ImagesSettings]: {
    readonly name: Name;
    readonly value: ImagesSettings[Name];
  };
}[keyof ImagesSettings];

const VIEW_OPTIONS: readonly ViewOption[] = [
  { id: 'gantry.images.groupByNone', name: 'groupBy', value: 'none' },
  { id: 'gantry.images.groupByNone.on', name: 'groupBy', value: 'none' },
  { id: 'gantry.images.groupByRepository', name: 'groupBy', value: 'repository' },
  { id: 'gantry.images.groupByRepository.on', name: 'groupBy', value: 'repository' },
  { id: 'gantry.images.groupByRegistry', name: 'groupBy', value: 'registry' },
  { id: 'gantry.images.groupByRegistry.on', name: 'groupBy', value: 'registry' },
  { id: 'gantry.images.sortByName', name: 'sortBy', value: 'name' },
  { id: 'gantry.images.sortByName.on', name: 'sortBy', value: 'name' },
  { id: 'gantry.images.sortByNewest', name: 'sortBy', value: 'newest' },
  { id: 'gantry.images.sortByNewest.on', name: 'sortBy', value: 'newest' },
  { id: 'gantry.images.sortBySize', name: 'sortBy', value: 'size' },
  { id: 'gantry.images.sortBySize.on', name: 'sortBy', value: 'size' },
  { id: 'gantry.images.showDangling', name: 'showDangling', value: true },
  { id: 'gantry.images.hideDangling', name: 'showDangling', value: false },
];

/** Filters while it is typed; Escape leaves it as it was before. */
function askFilter(view: ImageFilter): void {
  const before = view.imageFilter;
  const box = vscode.window.createInputBox();
  box.title = l10n.t('Filter Images');
  box.prompt = l10n.t('Part of a name, an id or a digest; empty for all images');
  box.value = before;
  // A look at what is left of the images is no end of filtering.
  box.ignoreFocusOut = true;
  let isKept = false;
  box.onDidChangeValue((text) => {
    view.imageFilter = text.trim();
  });
  box.onDidAccept(() => {
    isKept = true;
    box.hide();
  });
  box.onDidHide(() => {
    if (!isKept) view.imageFilter = before;
    box.dispose();
  });
  box.show();
}
