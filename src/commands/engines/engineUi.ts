import * as l10n from '@vscode/l10n';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Returns a user interface for the commands on one engine: while there are several engines, its name is in every title,
 * also of progress, and below every question, unless it is there already.
 *
 * @param nameOf returns the name; undefined if there is only one engine.
 */
export function engineUi(ui: Ui, nameOf: () => string | undefined): Ui {
  const has = (text: string, name: string): boolean => text.includes(`(${name})`);
  const titled = (title: string): string => {
    const name = nameOf();
    return title === '' || name === undefined || has(title, name) ? title : `${title} (${name})`;
  };
  const below = (message: string, detail: string): string => {
    const name = nameOf();
    if (name === undefined || has(message, name)) return detail;
    const line = l10n.t('Engine: {0}.', formatName(name));
    return detail === '' ? line : `${detail}\n${line}`;
  };
  const withTitle = <Q extends { readonly title?: string }>(question: Q): Q => {
    const { title } = question;
    return title === undefined ? question : { ...question, title: titled(title) };
  };
  return {
    ...ui,
    choose: (message, detail, buttons) => ui.choose(message, below(message, detail), buttons),
    confirm: (message, detail, button) => ui.confirm(message, below(message, detail), button),
    pick: (question) => {
      const { liveTitle } = question;
      const live = liveTitle && { liveTitle: () => titled(liveTitle()) };
      return ui.pick({ ...withTitle(question), ...live });
    },
    pickMany: (question) =>
      ui.pickMany({ ...question, title: (checked) => titled(question.title(checked)) }),
    progress: (title, when, run) => ui.progress(titled(title), when, run),
    input: (question) => ui.input(withTitle(question)),
    openDialog: (question) => ui.openDialog(withTitle(question)),
    saveDialog: (question) => ui.saveDialog(withTitle(question)),
  };
}
