import type { InputQuestion, Ui } from './ui.ts';

/**
 * Asks for text that may have line breaks. An input box has one line and would drop them, so it shows a symbol for
 * each.
 */
export async function inputWithLineBreaks(
  ui: Ui,
  question: InputQuestion,
): Promise<string | undefined> {
  const { value = '', problem, warning } = question;
  // A symbol that is part of the text itself must not become a line break.
  if (/[␤␍]/.test(value) || !/[\n\r]/.test(value)) return ui.input(question);
  const text = await ui.input({
    ...question,
    value: value.replaceAll('\n', '␤').replaceAll('\r', '␍'),
    problem: problem && ((typed) => problem(withLineBreaks(typed))),
    warning: warning && ((typed) => warning(withLineBreaks(typed))),
  });
  return text === undefined ? undefined : withLineBreaks(text);
}

function withLineBreaks(text: string): string {
  return text.replaceAll('␤', '\n').replaceAll('␍', '\r');
}
