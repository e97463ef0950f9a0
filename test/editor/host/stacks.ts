import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Maps the locations in a stack from the bundles to the sources. Node could do so in the extension host, but VS
 * Code creates its own stacks there.
 *
 * @param bundles folder of the bundled suites
 */
export function mapStack(stack: string, bundles: string): string {
  const name = bundles.slice(bundles.lastIndexOf('/') + 1);
  const place = new RegExp(`[^\\s()]*/${name}/([^\\s():]+\\.c?js):(\\d+):(\\d+)`, 'g');
  return stack.replaceAll(place, (whole, file: string, line: string, column: string) => {
    return source(join(bundles, file), Number(line), Number(column)) ?? whole;
  });
}

function source(bundle: string, line: number, column: number): string | undefined {
  const file = `${bundle}.map`;
  if (!existsSync(file)) return undefined;
  const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMap['payload']);
  const origin = map.findOrigin(line, column);
  if (!('fileName' in origin)) return undefined;
  const path = relative(process.cwd(), join(dirname(bundle), origin.fileName));
  return `${path}:${origin.lineNumber}:${origin.columnNumber}`;
}
