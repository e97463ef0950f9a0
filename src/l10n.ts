/**
 * Translates texts for the user. `vscode.l10n` is an implementation. Code without `vscode` gets it passed in
 * under the name `l10n`, so that the extractor finds every `l10n.t('…')`.
 */
export interface L10n {
  /** Returns the translated message. `message` must be a literal; `{0}`, `{1}` in it represent the arguments. */
  t(message: string, ...args: (string | number)[]): string;
}

/** Returns the texts untranslated, for code that runs without VS Code. */
export const english: L10n = {
  t: (message, ...args) =>
    message.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
};
