/**
 * Returns the HTML document of the log viewer. It loads only Gantry's own script, style sheet, and icon font.
 * The script creates the whole content.
 */
export function pageHtml(parts: PageHtmlOptions): string {
  const { cspSource, nonce } = parts;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(parts.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(parts.style)}">
<title>${escaped(parts.title)}</title>
</head>
<body>
<script nonce="${escaped(nonce)}" src="${escaped(parts.script)}"></script>
</body>
</html>
`;
}

/** Parts of the log viewer's document. All URIs are webview URIs. */
interface PageHtmlOptions {
  /** Source of the webview's own files for the content security policy: `webview.cspSource`. */
  readonly cspSource: string;
  /** Random nonce, different for each document. */
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
  readonly title: string;
  /** Display language, as in `vscode.env.language`. */
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
