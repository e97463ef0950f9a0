import * as vscode from 'vscode';
import { formatItemText } from '../commands/ui/formatNames.ts';
import type {
  InputQuestion,
  PickItem,
  PickManyQuestion,
  PickQuestion,
  StepTitle,
} from '../commands/ui/ui.ts';
import { DisposableStore, toDisposable, type Disposable } from '../base/lifetime.ts';
import { displayText, displayTitle } from '../base/plainText.ts';
import { wallClock } from '../base/time.ts';

/** Lets the user pick an item of a list. Resolves to undefined if the user cancels. */
export function pick<Item extends PickItem>(
  question: PickQuestion<Item>,
): Promise<Item | undefined> {
  const { items, typedItem, unlistedItem, titleButton } = question;
  const box = openBox(question);
  const paint = (): void => paintBox(box, question);
  /** Updates the list and keeps the active item: a late update must not move the user off the item. */
  const repaint = (): void => {
    const [at] = box.activeItems;
    const isFirst = at === box.items[0];
    paint();
    if (at && !isFirst) activate(box, box.items.find(sameAs(at))?.item);
  };
  question.onType?.(box.value);
  paint();
  const listen = (done: (picked: Item | undefined) => void): readonly Disposable[] => {
    const changes = question.onDidChange?.(repaint);
    return [
      ...(changes ? [changes] : []),
      box.onDidChangeValue((typed) => {
        question.onType?.(typed);
        // VS Code filters a fixed list itself. Setting the items again would move the user off the active item.
        if (typeof items === 'function' || typedItem) paint();
      }),
      box.onDidTriggerButton((button) => {
        done(button === vscode.QuickInputButtons.Back ? undefined : titleButton?.item);
      }),
      box.onDidTriggerItemButton(({ item, button }) => {
        item.item?.buttons?.find(({ tooltip }) => tooltip === button.tooltip)?.run();
        paint();
      }),
      box.onDidAccept(() => {
        const picked = box.selectedItems[0]?.item ?? unlistedItem?.(box.value);
        // Enter while no item is active picks nothing.
        if (picked && !picked.isDisabled) done(picked);
      }),
    ];
  };
  return showAndWait(box, listen, repaint);
}

function openBox<Item extends PickItem>(question: PickQuestion<Item>) {
  const { titleButton } = question;
  const box = vscode.window.createQuickPick<EditorItem<Item>>();
  applyTitle(box, question, question.isStep);
  box.placeholder = question.placeholder;
  box.value = question.value ?? '';
  box.matchOnDescription = question.matchOnDescription ?? false;
  box.matchOnDetail = question.matchOnDetail ?? false;
  box.buttons = [
    ...(question.canGoBack ? [vscode.QuickInputButtons.Back] : []),
    ...(titleButton ? [{ ...titleButton, iconPath: new vscode.ThemeIcon(titleButton.icon) }] : []),
  ];
  return box;
}

function paintBox<Item extends PickItem>(
  box: vscode.QuickPick<EditorItem<Item>>,
  question: PickQuestion<Item>,
): void {
  const { items, typedItem, activeItem } = question;
  const listed = typeof items === 'function' ? items(box.value) : items;
  const typed = typedItem?.(box.value);
  // VS Code identifies a picked item by its position. If the items moved, an Enter typed at that moment
  // would pick the neighbor of the item that the user saw. A separator without a label keeps the position
  // and is not shown.
  const first = typedItem ? [typed ? editorItem(typed) : SEPARATOR] : [];
  box.items = [...first, ...editorItems(listed)];
  box.busy = question.isBusy?.() ?? false;
  if (question.liveTitle) box.title = displayTitle(question.liveTitle());
  activate(box, activeItem?.(listed, box.value));
}

function sameAs<Item extends PickItem>(at: EditorItem<Item>) {
  return ({ label, kind }: vscode.QuickPickItem): boolean => label === at.label && kind === at.kind;
}

/**
 * Makes the item active. If there is none, the first stays active: assigning an empty list would leave none
 * active.
 */
function activate<Item>(box: vscode.QuickPick<EditorItem<Item>>, active: Item | undefined): void {
  const found = active && box.items.find(({ item }) => item === active);
  if (found) box.activeItems = [found];
}

/** Lets the user check items of a list. Resolves to the checked items, or to undefined if the user cancels. */
export function pickMany<Item extends PickItem>(
  question: PickManyQuestion<Item>,
): Promise<readonly Item[] | undefined> {
  const box = vscode.window.createQuickPick<EditorItem<Item>>();
  box.ignoreFocusOut = true;
  box.canSelectMany = true;
  box.matchOnDescription = true;
  box.placeholder = question.placeholder;
  box.items = editorItems(question.items);
  box.selectedItems = box.items.filter(({ item }) => item && question.isChecked(item));
  const checked = (): readonly Item[] => box.selectedItems.flatMap(({ item }) => item ?? []);
  const paint = (): void => {
    box.title = displayTitle(question.title(checked()));
  };
  paint();
  const listen = (done: (picked: readonly Item[]) => void): readonly Disposable[] => [
    box.onDidChangeSelection(paint),
    box.onDidAccept(() => done(checked())),
  ];
  return showAndWait(box, listen, () => {
    const { items, selectedItems } = box;
    Object.assign(box, { items, selectedItems });
  });
}

/** Asks for text. Resolves to undefined if the user cancels. */
export function input(question: InputQuestion): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  applyTitle(box, question, true);
  box.buttons = question.canGoBack ? [vscode.QuickInputButtons.Back] : [];
  box.prompt = displayText(question.prompt);
  box.placeholder = question.placeholder;
  box.password = question.isSecret ?? false;
  box.value = question.value ?? '';
  if (question.selection) box.valueSelection = question.selection;
  const check = (): string | undefined => {
    const problem = question.problem?.(box.value);
    box.validationMessage =
      problem === undefined ? validationMessageOf(question, box.value) : displayText(problem);
    return problem;
  };
  if (box.value !== '') check();
  return showAndWait(box, (done) => [
    box.onDidChangeValue((text) => {
      question.onType?.(text);
      check();
    }),
    box.onDidTriggerButton(() => done(undefined)),
    box.onDidAccept(() => {
      if (check() === undefined) done(box.value);
    }),
    onAbort(question.signal, () => done(undefined)),
  ]);
}

function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable {
  signal?.addEventListener('abort', run, { once: true });
  return toDisposable(() => signal?.removeEventListener('abort', run));
}

function validationMessageOf(
  { warning, hint }: InputQuestion,
  text: string,
): vscode.InputBoxValidationMessage | undefined {
  const { Warning, Info } = vscode.InputBoxValidationSeverity;
  const warned = warning?.(text);
  if (warned !== undefined) return { message: displayText(warned), severity: Warning };
  const hinted = hint?.(text);
  return hinted === undefined ? undefined : { message: displayText(hinted), severity: Info };
}

/** @param isStep whether the box stays open when it loses the focus to a click or to another window. */
function applyTitle(
  box: vscode.QuickInput,
  { title, step, totalSteps }: Partial<StepTitle>,
  isStep = false,
): void {
  box.ignoreFocusOut = isStep;
  box.title = title === undefined ? undefined : displayTitle(title);
  box.step = step;
  box.totalSteps = totalSteps;
}

/**
 * @param listen subscribes to the box, and calls `done` with the answer.
 * @param fill sets the rows of the box again, which VS Code forgets when it hides the box.
 */
function showAndWait<Value>(
  box: vscode.QuickInput,
  listen: (done: (value: Value | undefined) => void) => readonly Disposable[],
  fill: () => void = () => undefined,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const subscriptions = new DisposableStore();
    const opening = holdOpen(box);
    const done = (value: Value | undefined): void => {
      // The disposal of the box hides it, too.
      opening.dispose();
      resolve(value);
      subscriptions.dispose();
    };
    subscriptions.add(box);
    for (const subscription of listen(done)) subscriptions.add(subscription);
    // Fires on Escape, and when we dispose the box ourselves; the promise is already resolved then.
    subscriptions.add(
      box.onDidHide(() => {
        if (!opening.showAgain(fill)) done(undefined);
      }),
    );
    box.show();
  });
}

/**
 * Shows a box again that is hidden while it opens: at the end of a refresh that is running then, VS Code returns the
 * focus to the tree, and the question about one of its rows would be gone, or its text would be typed into the tree.
 * Only a box that is shown again gets the focus in its input: VS Code's command for it focuses the list.
 *
 * VS Code does so until the tree has noticed that it lost the focus, however busy the window is. Then the window has
 * answered twice since it was asked to show the box: once after showing it, and once after what was due then. That a box
 * was hidden is reported before the second answer.
 */
function holdOpen(
  box: vscode.QuickInput,
): Disposable & { readonly showAgain: (fill: () => void) => boolean } {
  const { ignoreFocusOut } = box;
  let isOpening = true;
  let awaited = ANSWERS;
  // So that the loss of the focus is noticed.
  box.ignoreFocusOut = false;
  const answered = async (): Promise<void> => {
    for (; isOpening && awaited > 0; awaited -= 1) await vscode.commands.executeCommand('noop');
  };
  const opened = (): void => {
    if (isOpening) box.ignoreFocusOut = ignoreFocusOut;
    isOpening = false;
  };
  const timer = wallClock.after(SHOWN_AFTER_MS, () => {
    void answered().then(opened, opened);
  });
  return {
    dispose: () => {
      isOpening = false;
      timer.dispose();
    },
    showAgain: (fill) => {
      if (!isOpening) return false;
      fill();
      // One more than from the start: the pending answer may be older.
      awaited = ANSWERS + 1;
      box.show();
      return true;
    },
  };
}

const SHOWN_AFTER_MS = 300;
/** Number of answers of the window after which a box is open. */
const ANSWERS = 2;

/**
 * An item as VS Code takes it. `item` is undefined for a separator, also for the one at the position of
 * `typedItem`.
 */
interface EditorItem<Item> extends vscode.QuickPickItem {
  readonly item?: Item;
}

const SEPARATOR = { label: '', kind: vscode.QuickPickItemKind.Separator };

function editorItems<Item extends PickItem>(items: readonly Item[]): readonly EditorItem<Item>[] {
  return items.flatMap((item) =>
    item.heading === undefined
      ? [editorItem(item)]
      : [{ ...SEPARATOR, label: item.heading }, editorItem(item)],
  );
}

function editorItem<Item extends PickItem>(item: Item): EditorItem<Item> {
  const { label, description, detail, detailIcon, icon, alwaysShow, buttons } = item;
  const text = detail && formatItemText(detail);
  const codicon = detailIcon === undefined ? '' : `$(${detailIcon}) `;
  return {
    label: formatItemText(label),
    description: description && formatItemText(description),
    detail: text && codicon + text,
    iconPath: icon === undefined ? undefined : new vscode.ThemeIcon(icon),
    alwaysShow,
    buttons: buttons?.map((button) => ({ ...button, iconPath: new vscode.ThemeIcon(button.icon) })),
    item,
  };
}
