import assert from 'node:assert/strict';
import { showForm, type Overview } from '../../../../src/commands/ui/form.ts';
import { listRow, textRow, type FormRow } from '../../../../src/commands/ui/formRows.ts';
import { give, pick, ScriptedUi, type, type Answer } from '../../support/scriptedUi.ts';

interface Draft {
  readonly name?: string | undefined;
  readonly size?: number;
  readonly isOn?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly mode?: string;
}

describe('a form', () => {
  let ui: ScriptedUi;
  /** Picks the row, answers its steps, and picks the action. */
  const edit = async (
    row: FormRow<Draft>,
    draft: Draft,
    answers: readonly Answer[],
    faults: (draft: Draft) => Partial<Overview<Draft>> = () => ({}),
  ): Promise<Draft | undefined> => {
    ui = new ScriptedUi(pick(row.label), ...answers, pick('Make'));
    const done = await showForm(ui, {
      title: { title: 'Thing', step: 2, totalSteps: 2 },
      namesRows: true,
      draft,
      actions: [{ action: 'make', label: 'Make', icon: 'check' }],
      overview: (now) => ({ rows: [row], ...faults(now) }),
    });
    return done?.draft;
  };
  /** What the first overview shows of the row. */
  const shown = (): readonly (string | undefined)[] => {
    const row = ui.of('pick')[0]?.items?.[1];
    return [row?.description, row?.icon];
  };

  it('keeps the empty text of a row, but no value if the row has another meaning for it', async () => {
    const name = textRow('name', 'Name', 'web');
    assert.deepEqual(await edit(name, { name: 'a' }, [give('')]), { name: '' });
    assert.deepEqual(shown(), ['a', 'edit']);
    assert.equal(ui.of('input')[0]?.text, 'Thing: Name');
    const random = textRow('name', 'Name', 'web', { otherwise: 'random' });
    assert.deepEqual(await edit(random, {}, [give('')]), { name: undefined });
    assert.deepEqual(shown(), ['random', 'blank']);
  });

  it('keeps a value elsewhere if its row says so', async () => {
    const keep = (text: string) => ({ size: Number(text) });
    const row = { kind: 'text', label: 'Size', example: '1', value: '7', keep } as const;
    assert.deepEqual(await edit(row, {}, [give('8')]), { size: 8 });
  });

  it('toggles a flag without a step', async () => {
    const row = { kind: 'flag', field: 'isOn', label: 'On' } as const;
    assert.deepEqual(await edit(row, {}, []), { isOn: true });
    assert.deepEqual(shown(), ['no', 'blank']);
  });

  it('edits a map as a list, each value after the first equals sign', async () => {
    const list = listRow('labels', 'Labels', 'name=value', 'a=b', { problem: () => undefined });
    const row = { ...list, kind: 'map' } as const;
    const answers = [pick('a=b=c'), give('a=d=e'), type('f'), pick('Done')];
    assert.deepEqual(await edit(row, { labels: { a: 'b=c' } }, answers), {
      labels: { a: 'd=e', f: '' },
    });
    assert.deepEqual(shown(), ['a=b=c', 'edit']);
  });

  it('takes one of several values, or a typed one after its prefix', async () => {
    const usual = { label: 'usual', value: undefined };
    const other = { label: 'Other...', prompt: 'Speed', value: '3', prefix: 'at:' };
    const problem = (text: string) => (text === 'at:no' ? 'no speed' : undefined);
    const row = {
      ...({ kind: 'choice', field: 'mode', label: 'Mode' } as const),
      choices: [usual, { label: 'fast', value: 'fast' }],
      other: { ...other, problem },
    };
    assert.deepEqual(await edit(row, {}, [pick('fast')]), { mode: 'fast' });
    assert.deepEqual(shown(), ['usual', 'blank']);
    const typed = await edit(row, { mode: 'fast' }, [pick('Other...'), give('9')]);
    assert.deepEqual(typed, { mode: 'at:9' });
    assert.equal(ui.of('pick')[1]?.active?.label, 'fast');
    const { input } = ui.of('input')[0] ?? {};
    assert.deepEqual([input?.value, input?.problem?.('no')], ['3', 'no speed']);
  });

  it('opens the row that fixes a problem instead of completing', async () => {
    const row = textRow('name', 'Name', 'web');
    const faults = ({ name = '' }: Draft) =>
      name === '' ? { problem: 'No name.', remedy: row } : {};
    const fixed = await edit(row, {}, [give(''), pick('Make'), give('a')], faults);
    assert.deepEqual(fixed, { name: 'a' });
    const [action] = ui.of('pick')[0]?.items ?? [];
    assert.deepEqual(
      [action?.icon, action?.detail, action?.detailIcon],
      ['circle-slash', 'No name.', 'error'],
    );
  });
});
