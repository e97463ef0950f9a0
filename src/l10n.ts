/**
 * Turns a sentence a person reads into their language. `vscode.l10n` is one; rooms without `vscode` get it
 * passed in under the name `l10n`, so that the extractor finds every `l10n.t('…')`.
 */
export interface L10n {
  /** `message` is a literal; `{0}`, `{1}` in it stand for the arguments. */
  t(message: string, ...args: (string | number)[]): string;
}

/** The sentences as they stand in the source: for where there is no editor to translate them. */
export const english: L10n = {
  t: (message, ...args) =>
    message.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
};
