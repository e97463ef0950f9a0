/**
 * The log viewer's document: it loads our own script, style sheet and icon font, and nothing else. Everything in it
 * is made by the script.
 */
export function pageHtml({
  cspSource,
  nonce,
  script,
  style,
  title,
  language,
}: PageHtmlOptions): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(title)}</title>
</head>
<body>
<script nonce="${escaped(nonce)}" src="${escaped(script)}"></script>
</body>
</html>
`;
}

/** Where the page's parts are. All are addresses a webview may load. */
export interface PageHtmlOptions {
  /** What a webview names as the source of its own files: `webview.cspSource`. */
  readonly cspSource: string;
  /** A fresh unguessable word for each page. */
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
  /** What the document is called. */
  readonly title: string;
  /** As in `vscode.env.language`. */
  readonly language: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
