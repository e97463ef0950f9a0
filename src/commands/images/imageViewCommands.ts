import * as l10n from '@vscode/l10n';
import type { ImagesSettings } from '../../base/settings.ts';
import { editorCommands, type Command } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands that change how the Images view shows images. */
export function imageViewCommands(ui: Ui): readonly Command[] {
  const groupBy = (value: ImagesSettings['groupBy']) => () =>
    ui.settings.setImages('groupBy', value);
  const sortBy = (value: ImagesSettings['sortBy']) => () => ui.settings.setImages('sortBy', value);
  const showDangling = (value: boolean) => () => ui.settings.setImages('showDangling', value);
  return editorCommands({
    // Two commands each: the menu shows the one whose title has a check mark if the value is set.
    'gantry.images.groupByNone': groupBy('none'),
    'gantry.images.groupByNone.on': groupBy('none'),
    'gantry.images.groupByRepository': groupBy('repository'),
    'gantry.images.groupByRepository.on': groupBy('repository'),
    'gantry.images.groupByRegistry': groupBy('registry'),
    'gantry.images.groupByRegistry.on': groupBy('registry'),
    'gantry.images.sortByName': sortBy('name'),
    'gantry.images.sortByName.on': sortBy('name'),
    'gantry.images.sortByNewest': sortBy('newest'),
    'gantry.images.sortByNewest.on': sortBy('newest'),
    'gantry.images.sortBySize': sortBy('size'),
    'gantry.images.sortBySize.on': sortBy('size'),
    'gantry.images.showDangling': showDangling(true),
    'gantry.images.hideDangling': showDangling(false),
    // Not awaited: the command ends before the user answers.
    'gantry.images.filter': () => {
      void askFilter(ui);
    },
    'gantry.images.clearFilter': () => ui.filterImages(''),
  });
}

/** Filters while the user types. Escape restores the previous filter. */
async function askFilter(ui: Ui): Promise<void> {
  const before = ui.imageFilter();
  const text = await ui.input({
    title: l10n.t('Filter Images'),
    prompt: l10n.t('Part of a tag, ID, or digest. Leave empty to show all images.'),
    value: before,
    onType: (typed) => ui.filterImages(typed.trim()),
  });
  if (text === undefined) ui.filterImages(before);
}
