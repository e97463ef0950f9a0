import assert from 'node:assert/strict';
import type { GraphMark } from '../../../src/graphs/protocol.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { END, GraphsLab, keyOf, members, work } from './openGraphs.ts';
import { THEMES } from './themes.ts';

const NAMES = ['shop-web-1', 'shop-db-1', 'shop-cache-with-a-rather-long-name-1', 'shop-worker-1'];

/** A start, an exit, and a kill for lack of memory. */
const MARKS: readonly GraphMark[] = [
  { key: keyOf(0), at: END - 1_500_000, kind: 'started' },
  { key: keyOf(0), at: END - 1_440_000, kind: 'healthy' },
  { key: keyOf(0), at: END - 700_000, kind: 'unhealthy' },
  { key: keyOf(0), at: END - 620_000, kind: 'outOfMemory' },
  { key: keyOf(0), at: END - 600_000, kind: 'exited', exitCode: 137 },
  { key: keyOf(0), at: END - 590_000, kind: 'started' },
];

describe('statistics page', function () {
  this.timeout(60_000);
  const lab = new GraphsLab();
  after(() => lab.close());

  const cpu = () => lab.page.getByRole('slider', { name: 'CPU' });

  for (const width of [400, 900, 1400])
    it(`is readable at ${width} pixels in each theme`, async () => {
      const all = members(...NAMES);
      const readings = all.map((_, index) => work(index, 60));
      await lab.open({ members: all, readings, marks: MARKS });
      await lab.page.setViewportSize({ width, height: 800 });
      await lab.tell({ type: 'position', at: END - 1_000_000 });
      for (const [name, theme] of THEMES) {
        await lab.setTheme(theme);
        await lab.shot(`${name}-${width}`);
        assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
      }
      const wide = await lab.page.evaluate(`document.querySelector('.body').scrollWidth`);
      assert.equal(wide, width);
      await lab.open({ members: all.slice(0, 1), readings: readings.slice(0, 1), marks: MARKS });
      await lab.page.setViewportSize({ width, height: 800 });
      await lab.still();
      await lab.shot(`one-${width}`);
      assert.deepEqual(lab.complaints, []);
    });
});
