import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type * as quickInputs from '../../../src/app/editorQuickInputs.ts';
import { formatItemText } from '../../../src/commands/ui/formatNames.ts';
import type { IconButton, PickItem } from '../../../src/commands/ui/ui.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import '../support/fakeEditor.ts';
import { commands as fake, QuickInputButtons, window } from '../support/fakeVscode.ts';

interface BoxItem {
  readonly label: string;
  readonly kind?: number;
  readonly description?: string;
  readonly detail?: string;
  readonly buttons?: readonly { readonly tooltip: string }[];
}

/** A quick input of VS Code that the test controls. */
class FakeBox {
  readonly accept = new Emitter<void>();
  readonly hidden = new Emitter<void>();
  readonly typed = new Emitter<string>();
  readonly button = new Emitter<unknown>();
  readonly itemButton = new Emitter<unknown>();
  readonly selection = new Emitter<void>();
  onDidAccept = this.accept.event;
  onDidHide = this.hidden.event;
  onDidChangeValue = this.typed.event;
  onDidTriggerButton = this.button.event;
  onDidTriggerItemButton = this.itemButton.event;
  onDidChangeSelection = this.selection.event;
  title = '';
  value = '';
  busy = false;
  ignoreFocusOut = false;
  validationMessage: unknown;
  buttons: readonly unknown[] = [];
  selectedItems: readonly BoxItem[] = [];
  activeItems: readonly BoxItem[] = [];
  isDisposed = false;
  #items: readonly BoxItem[] = [];
  #areSent = false;

  get items(): readonly BoxItem[] {
    return this.#items;
  }

  /** As in VS Code, makes the first item active. */
  set items(items: readonly BoxItem[]) {
    this.#items = items;
    this.#areSent = false;
    this.activeItems = items.filter(({ kind }) => kind !== -1).slice(0, 1);
  }

  get labels(): readonly string[] {
    return this.items.map(({ label }) => label);
  }

  /** How often it was shown. */
  shown = 0;
  /** The rows in the window, which forgets them when it hides the box. */
  rows: readonly BoxItem[] = [];

  show(): void {
    this.shown += 1;
    this.rows = this.#areSent ? [] : this.#items;
    this.#areSent = true;
  }

  dispose(): void {
    this.isDisposed = true;
  }

  type(text: string): void {
    this.value = text;
    this.typed.fire(text);
  }

  moveTo(label: string): void {
    this.activeItems = this.items.filter((item) => item.label === label);
  }

  enter(): void {
    this.selectedItems = this.activeItems;
    this.accept.fire();
  }
}

describe('quick inputs in VS Code', () => {
  let pick: typeof quickInputs.pick;
  let pickMany: typeof quickInputs.pickMany;
  let input: typeof quickInputs.input;
  let box: FakeBox;
  const { createQuickPick, createInputBox } = window;
  before(async () => {
    ({ pick, pickMany, input } = await import('../../../src/app/editorQuickInputs.ts'));
  });
  beforeEach(() => {
    box = new FakeBox();
    Object.assign(window, { createQuickPick: () => box, createInputBox: () => box });
  });
  afterEach(() => mock.reset());
  after(() => Object.assign(window, { createQuickPick, createInputBox }));

  const items: readonly PickItem[] = [{ label: 'one', heading: 'Numbers' }, { label: 'two' }];

  it('resolve to the item that Enter picks, and close', async () => {
    const picking = pick({ items });
    assert.deepEqual(box.labels, ['Numbers', 'one', 'two']);
    box.moveTo('two');
    box.enter();
    assert.equal(await picking, items[1]);
    assert(box.isDisposed);
  });

  it('resolve to undefined after Escape or Back', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const left = pick({ items });
    mock.timers.tick(300);
    await setImmediate();
    box.hidden.fire();
    assert.equal(await left, undefined);
    const back = pick({ items, canGoBack: true });
    box.button.fire(QuickInputButtons.Back);
    assert.equal(await back, undefined);
  });

  describe('that lose the focus while VS Code shows them', () => {
    let answers: (() => void)[];
    let asked: unknown[];
    let isGone: boolean;
    beforeEach(() => {
      answers = [];
      asked = [];
      isGone = false;
      mock.timers.enable({ apis: ['setTimeout'] });
      mock.method(fake, 'executeCommand', (command: unknown) => {
        asked.push(command);
        if (isGone) return Promise.reject(new Error('The window is gone.'));
        return new Promise<void>((resolve) => answers.push(resolve));
      });
    });

    /** Lets the window answer the last request. */
    const answer = async (): Promise<void> => {
      answers.at(-1)?.();
      await setImmediate();
    };

    for (const isStep of [false, true])
      it(`are shown again until the window has answered twice (${isStep ? '' : 'no '}step)`, async () => {
        const picking = pick({ items, isStep });
        assert.deepEqual([box.shown, box.ignoreFocusOut], [1, false]);
        mock.timers.tick(299);
        assert.deepEqual(asked, []);
        mock.timers.tick(1);
        await answer();
        assert.deepEqual([box.ignoreFocusOut, asked.length], [false, 2]);
        await answer();
        assert.equal(box.ignoreFocusOut, isStep);
        box.hidden.fire();
        assert.equal(await picking, undefined);
        assert.equal(box.shown, 1);
        // The command that focuses a quick input focuses the list: typed text would be lost.
        assert.deepEqual(asked, ['noop', 'noop']);
      });

    it('are shown again however late the window reports it, and then open as at first', async () => {
      const picking = pick({ items });
      mock.timers.tick(10_000);
      await answer();
      box.hidden.fire();
      assert.equal(box.shown, 2);
      // The first answer may have been on its way before the box was shown again.
      for (let at = 0; at < 3; at += 1) {
        box.hidden.fire();
        assert.equal(box.shown, 3 + at);
        await answer();
      }
      for (let at = 0; at < 2; at += 1) await answer();
      box.hidden.fire();
      assert.equal(await picking, undefined);
      assert.equal(box.shown, 5);
    });

    it('have their rows, active and checked ones, when they are shown again', () => {
      void pick({ items });
      box.moveTo('two');
      box.hidden.fire();
      assert.deepEqual([box.shown, box.rows], [2, box.items]);
      assert.deepEqual(
        box.activeItems.map(({ label }) => label),
        ['two'],
      );
      box = new FakeBox();
      void pickMany({
        title: () => '',
        placeholder: '',
        items,
        isChecked: ({ label }) => label === 'two',
      });
      box.hidden.fire();
      assert.deepEqual([box.shown, box.rows], [2, box.items]);
      assert.deepEqual(
        box.selectedItems.map(({ label }) => label),
        ['two'],
      );
    });

    it('close if the window cannot answer', async () => {
      isGone = true;
      const picking = pick({ items });
      mock.timers.tick(300);
      await setImmediate();
      box.hidden.fire();
      assert.equal(await picking, undefined);
    });
  });

  it('keep a position for typed text, and pick the unlisted item if no item is active', async () => {
    const listed = { label: 'one' };
    const picking = pick<PickItem>({
      items: [listed],
      typedItem: (typed) => (typed === 'x' ? { label: `use ${typed}` } : undefined),
      unlistedItem: (typed) => (typed === 'one' ? listed : undefined),
    });
    assert.deepEqual(box.labels, ['', 'one']);
    box.type('x');
    assert.deepEqual(box.labels, ['use x', 'one']);
    box.type('one');
    assert.deepEqual(box.labels, ['', 'one']);
    box.activeItems = [];
    box.enter();
    assert.equal(await picking, listed);
  });

  it('do not pick a disabled item', async () => {
    const picking = pick({ items: [{ label: 'wrong', isDisabled: true }, { label: 'right' }] });
    box.enter();
    box.moveTo('right');
    box.enter();
    assert.equal((await picking)?.label, 'right');
  });

  it('keep the active item when more items arrive, and show that items are loading', () => {
    const changes = new Emitter<void>();
    let found: readonly PickItem[] = [];
    void pick({
      items: () => [...found, ...items],
      onDidChange: changes.event,
      isBusy: () => found.length === 0,
    });
    assert(box.busy);
    box.moveTo('two');
    found = [{ label: 'zero' }];
    changes.fire();
    assert.deepEqual([box.activeItems[0]?.label, box.busy], ['two', false]);
    box.type('t');
    assert.equal(box.activeItems[0]?.label, 'zero');
    found = [{ label: 'three' }];
    changes.fire();
    assert.equal(box.activeItems[0].label, 'three');
  });

  it('begin at the active item of the question', () => {
    void pick({ items, activeItem: (listed) => listed[1] });
    assert.equal(box.activeItems[0]?.label, 'two');
  });

  it('leave the filtering of a fixed list to VS Code', () => {
    void pick({ items, activeItem: (listed) => listed[1] });
    const before = box.items;
    box.moveTo('one');
    box.type('o');
    assert.equal(box.items, before);
    assert.equal(box.activeItems[0]?.label, 'one');
  });

  it('rebuild the list after an item button has run', () => {
    const left = ['a', 'b'];
    const remove = (label: string): IconButton => ({
      icon: 'trash',
      tooltip: 'Remove',
      run: () => left.splice(left.indexOf(label), 1),
    });
    void pick({ items: () => left.map((label) => ({ label, buttons: [remove(label)] })) });
    const [first] = box.items;
    box.itemButton.fire({ item: first, button: first?.buttons?.[0] });
    assert.deepEqual(box.labels, ['b']);
  });

  it('sanitize untrusted texts: no icons, one line', () => {
    const texts = { label: '$(trash)\nRemove', description: '$(a)\nb', detail: 'why $(x)' };
    void pick({ items: [{ ...texts, detailIcon: 'error' }] });
    const [item] = box.items;
    assert.equal(item?.label, formatItemText('$(trash)\nRemove'));
    assert.equal(item.description, formatItemText('$(a)\nb'));
    assert.equal(item.detail, `$(error) ${formatItemText('why $(x)')}`);
  });

  it('resolve to the checked items, and show them in the title', async () => {
    const picking = pickMany({
      title: (checked) => `${checked.length} chosen`,
      placeholder: 'Choose',
      items,
      isChecked: ({ label }) => label === 'one',
    });
    assert.equal(box.title, '1 chosen');
    box.selectedItems = box.items.filter(({ kind }) => kind !== -1);
    box.selection.fire();
    assert.equal(box.title, '2 chosen');
    box.accept.fire();
    assert.deepEqual(await picking, items);
  });

  it('reject text with a problem, and show the warning or the hint of valid text', async () => {
    const asking = input({
      prompt: 'Name',
      problem: (text) => (text === 'bad' ? 'It is bad.' : undefined),
      warning: (text) => (text === 'risky' ? 'It is risky.' : undefined),
      hint: () => 'It is a name.',
    });
    assert.equal(box.validationMessage, undefined);
    box.type('bad');
    box.accept.fire();
    assert.equal(box.validationMessage, 'It is bad.');
    box.type('risky');
    assert.deepEqual(box.validationMessage, { message: 'It is risky.', severity: 2 });
    box.type('good');
    assert.deepEqual(box.validationMessage, { message: 'It is a name.', severity: 1 });
    box.accept.fire();
    assert.equal(await asking, 'good');
  });

  it('close when the question for a text is canceled', async () => {
    const end = new AbortController();
    const asking = input({ prompt: 'Secret', signal: end.signal });
    assert(!box.isDisposed);
    end.abort();
    assert.equal(await asking, undefined);
    assert(box.isDisposed);
  });
});
