import * as l10n from '@vscode/l10n';
import { askChoice } from './askChoice.ts';
import { editList } from './editList.ts';
import {
  validationMessage,
  type Checked,
  type ChoiceParts,
  type DrawnRow,
  type FormRow,
  type ListParts,
  type Place,
  type TextMap,
  type TextParts,
} from './formRows.ts';
import { inputWithLineBreaks } from './inputWithLineBreaks.ts';

/** Returns what a row shows for a draft. */
export function drawFormRow<Draft>(row: FormRow<Draft>, draft: Draft): DrawnRow<Draft> {
  switch (row.kind) {
    case 'text':
      return drawText(row, valueIn(row, draft) ?? '');
    case 'flag': {
      const isOn = valueIn(row, draft) === true;
      return { value: isOn ? l10n.t('yes') : l10n.t('no'), edit: () => changeOf(row, !isOn) };
    }
    case 'list':
      return drawList(row, valueIn(row, draft) ?? [], (entries) => changeOf(row, entries));
    case 'map':
      return drawList(row, textsOf(valueIn(row, draft)), (texts) => changeOf(row, mapOf(texts)));
    case 'choice':
      return drawChoice(row, valueIn(row, draft), (value) => changeOf(row, value));
    case 'step':
      return row;
  }
}

function problemOf({ check, problem }: Checked, text: string): string | undefined {
  return check ? validationMessage(() => check(text)) : problem?.(text);
}

function valueIn<Draft, Value>(place: Place<Draft, Value>, draft: Draft): Value | undefined {
  return 'field' in place ? (draft[place.field] as Value | undefined) : place.value;
}

function changeOf<Draft, Value>(place: Place<Draft, Value>, value: Value): Partial<Draft> {
  return 'keep' in place ? place.keep(value) : ({ [place.field]: value } as Partial<Draft>);
}

function textsOf(map: TextMap = {}): readonly string[] {
  return Object.entries(map).map(([name, value]) => `${name}=${value}`);
}

function mapOf(texts: readonly string[]): TextMap {
  const names = texts.map((text) => text.split('=', 1)[0] ?? '');
  return Object.fromEntries(
    names.map((name, at) => [name, texts[at]?.slice(name.length + 1) ?? '']),
  );
}

/** Marks a row whose value is not the default. */
const CHANGED = 'edit';

function drawText<Draft>(row: TextParts & Place<Draft, string>, value: string): DrawnRow<Draft> {
  const { label, otherwise, icon, example, warning } = row;
  const meaning =
    otherwise === undefined
      ? l10n.t('{0} (leave empty for none)', label)
      : l10n.t('{0} (leave empty for {1})', label, otherwise);
  return {
    value: value === '' ? (otherwise ?? l10n.t('none')) : (row.shown ?? value),
    icon: icon ?? (value === '' ? undefined : CHANGED),
    edit: async (title, ui) => {
      const text = await inputWithLineBreaks(ui, {
        ...title,
        canGoBack: true,
        prompt: row.prompt ?? meaning,
        placeholder: example,
        value,
        problem: (typed) => (typed === '' ? undefined : problemOf(row, typed)),
        warning,
      });
      if (text === undefined) return undefined;
      const isUnset = text === '' && otherwise !== undefined && 'field' in row;
      return isUnset ? ({ [row.field]: undefined } as Partial<Draft>) : changeOf(row, text);
    },
  };
}

function drawList<Draft>(
  row: ListParts,
  entries: readonly string[],
  keep: (entries: readonly string[]) => Partial<Draft>,
): DrawnRow<Draft> {
  const { otherwise = l10n.t('none'), offers, ...question } = row;
  const shown = entries.map((entry) => {
    const text = row.mask?.(entry) ?? entry;
    const description = row.describe?.(entry);
    return description === undefined ? text : l10n.t('{0} ({1})', text, description);
  });
  const problem = (entry: string) => problemOf(row, entry);
  return {
    value: shown.length === 0 ? otherwise : shown.join(', '),
    icon: shown.length === 0 ? undefined : CHANGED,
    edit: async (title, ui) => {
      const offered = await offers?.();
      return keep(await editList(ui, title, { ...question, entries, problem, offers: offered }));
    },
  };
}

function drawChoice<Draft>(
  { label, icon, placeholder = label, choices, more, other }: ChoiceParts,
  current: string | undefined,
  keep: (value: string | undefined) => Partial<Draft>,
): DrawnRow<Draft> {
  type Choice = (typeof choices)[number];
  const isCurrent = (choice: Choice) => choice !== other && choice.value === current;
  return {
    value: current ?? choices[0]?.label ?? '',
    icon,
    edit: async (title, ui) => {
      const all: readonly Choice[] = [
        ...choices,
        ...((await more?.()) ?? []),
        ...(other ? [other] : []),
      ];
      const items = all.map((choice) => ({ ...choice, value: choice }));
      const picked = await askChoice(ui, title, placeholder, items, isCurrent);
      if (!other || picked?.value !== other) return picked && keep(picked.value.value);
      const { prompt, value, prefix } = other;
      const problem = (text: string) => problemOf(other, `${prefix}${text}`);
      const typed = await ui.input({ ...title, canGoBack: true, prompt, value, problem });
      return typed === undefined ? undefined : keep(`${prefix}${typed}`);
    },
  };
}
