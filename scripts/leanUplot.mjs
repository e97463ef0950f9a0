// What the bundle leaves out of uPlot.
import { readFileSync } from 'node:fs';

/**
 * What stands for functions of uPlot in the bundle. Never used are:
 *
 * - its own words for dates and times: the page formats times as the log viewer does (`time: false`);
 * - its own lines: see `linePath.ts`;
 * - points on the lines (`points: { show: false }`).
 *
 * @type {Readonly<Record<string, string>>}
 */
const STUBS = {
  genTimeStuffs: '() => [[], [], () => undefined]',
  timeAxisVals: '() => undefined',
  timeAxisStamps: '() => undefined',
  timeSeriesStamp: '() => undefined',
  timeSeriesVal: '() => undefined',
  fmtDate: '() => undefined',
  linear: '() => undefined',
  points: '() => undefined',
};

/** From here on, the chart gets more lines and functions as properties. The page uses none of them. */
const PROPERTIES = '\nuPlot.assign = assign;\n';

/**
 * Leaves out of the bundle what `STUBS` stands for, and what only that and the properties of the chart need.
 *
 * @type {import('esbuild').Plugin}
 */
export const leanUplot = {
  name: 'lean-uplot',
  setup(build) {
    build.onLoad({ filter: /node_modules[\\/]uplot[\\/]dist[\\/]uPlot\.esm\.js$/ }, ({ path }) => ({
      contents: leanSource(readFileSync(path, 'utf8')),
    }));
  },
};

/** @param {string} source */
function leanSource(source) {
  const end = source.indexOf(PROPERTIES);
  if (end < 0) throw new Error('The chart library has no properties to leave out');
  let lean = `${source.slice(0, end)}\nexport { uPlot as default };\n`;
  for (const [name, stub] of Object.entries(STUBS)) {
    const whole = new RegExp(`^function ${name}\\(.*?^}$`, 'ms');
    if (!whole.test(lean)) throw new Error(`The chart library has no function ${name}`);
    lean = lean.replace(whole, () => `const ${name} = ${stub};`);
  }
  return lean;
}
