import { graphStrings } from '../../../src/graphs/graphStrings.ts';
import type {
  GraphMark,
  GraphMember,
  MemberReadings,
  ReadingRow,
  ToHost,
  ToPage,
} from '../../../src/graphs/protocol.ts';
import { PageLab } from './pageLab.ts';
import type { Theme } from './themes.ts';

/** 14:00:00 UTC. */
export const END = Date.UTC(2026, 10, 25, 14, 0, 0);

/** The statistics page on its own, with a fake extension. */
export class GraphsLab extends PageLab<ToHost, ToPage> {
  constructor() {
    super('graphs', { width: 1400, height: 800 });
  }

  /** Loads the page, which has nothing kept, and shows the readings. */
  async open(content: GraphsContent): Promise<void> {
    await this.begin();
    await this.load(content);
  }

  /** Loads the page again: it finds what it kept. */
  async load({ members, readings, marks = [], step = 5000, problem = '' }: GraphsContent) {
    await this.goTo();
    const ids = members.map(({ key }) => key);
    await this.tell(
      {
        ...{ type: 'init', strings: graphStrings(), title: 'Statistics: shop', step },
        ...{ utcOffset: 0, selection: { engine: 'default', ids } },
      },
      { type: 'members', members, hidden: 0, problem },
      { type: 'readings', now: END, readings },
      { type: 'marks', marks },
    );
    await this.page.locator('.u-over').first().waitFor();
    await this.still();
  }

  /** Resolves when the page has drawn all graphs, one for each frame. */
  async still(): Promise<void> {
    await this.page.evaluate(
      `(async () => { for (let at = 0; at < 8; at++) await new Promise(requestAnimationFrame); })()`,
    );
  }

  /** Changes the theme as VS Code does. */
  override async setTheme(theme: Theme): Promise<void> {
    await super.setTheme(theme);
    await this.still();
  }
}

/** What the page shows. */
interface GraphsContent {
  readonly members: readonly GraphMember[];
  readonly readings: readonly MemberReadings[];
  readonly marks?: readonly GraphMark[];
  readonly step?: number;
  readonly problem?: string;
}

/** Returns containers with an ID like Docker's. */
export function members(...names: readonly string[]): readonly GraphMember[] {
  return names.map((name, at) => ({ key: keyOf(at), name, state: 'up' }));
}

/** Returns the ID of a container by its index. */
export function keyOf(index: number): string {
  return index.toString(16).padStart(64, '0');
}

/**
 * Returns readings as of a container at work, up to the end.
 *
 * @param minutes how far they go back.
 */
export function work(index: number, minutes: number, step = 5000): MemberReadings {
  const count = Math.floor((minutes * 60_000) / step);
  const rows: ReadingRow[] = [];
  let received = 1_000_000;
  let sent = 500_000;
  let read = 0;
  let written = 0;
  for (let at = 0; at <= count; at++) {
    const phase = at / 20 + index * 1.7;
    const wave = (Math.sin(phase) + 1) / 2;
    const noise = ((at * 7919 + index * 104_729) % 97) / 97;
    const cpu = 5 + index * 3 + 30 * wave * wave + 6 * noise;
    received += Math.round((2000 + 30_000 * wave * wave) * (step / 1000));
    sent += Math.round((1000 + 12_000 * wave * wave + 2000 * noise) * (step / 1000));
    read += at % 60 < 6 ? 900_000 * noise : 0;
    written += 200_000 * wave;
    rows.push([
      ...([END - (count - at) * step, at === 0 ? null : cpu] as const),
      ...[80_000_000 + index * 9_000_000 + 20_000_000 * wave, 268_435_456],
      ...[received, sent, read, written, 4 + Math.round(3 * wave) + (index % 4)],
    ]);
  }
  return { key: keyOf(index), rows };
}
