import ts from 'typescript';

/**
 * Visits all nodes of a TypeScript source in their order.
 *
 * @param {string} file
 * @param {string} text the content of the file
 * @param {(node: ts.Node, placeOf: () => string) => void} visit `placeOf` returns the place of the node
 *   (`file:line`).
 */
export function walkSyntax(file, text, visit) {
  const source = ts.createSourceFile(file, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  /** @param {ts.Node} node */
  const walk = (node) => {
    visit(node, () => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      return `${file}:${line + 1}`;
    });
    ts.forEachChild(node, walk);
  };
  walk(source);
}
