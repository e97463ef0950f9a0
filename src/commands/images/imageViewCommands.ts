import type { ImagesSettings } from '../../base/settings.ts';
import type { ArrangedRows } from '../../views/arrangement/arrangements.ts';
import { editorCommands, type Command } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands that change how the Images view shows images: in the settings, so what was chosen is dropped. */
export function imageViewCommands(
  { settings }: Pick<Ui, 'settings'>,
  rows: Pick<ArrangedRows, 'arrangements'>,
): readonly Command[] {
  const groupBy = (value: ImagesSettings['groupBy']) => async () => {
    await settings.setImages('groupBy', value);
    rows.arrangements.reset('images', 'groupBy');
  };
  const sortBy = (value: ImagesSettings['sortBy']) => async () => {
    await settings.setImages('sortBy', value);
    rows.arrangements.reset('images', 'sortBy');
  };
  const showDangling = (value: boolean) => async () => {
    await settings.setImages('showDangling', value);
    rows.arrangements.reset('images', 'isHiding');
  };
  return editorCommands({
    // Two commands each: earlier, a menu showed the one whose title has a check mark if the value was set.
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
  });
}
