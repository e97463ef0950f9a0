// Records a window of VS Code as an animated picture.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { until } from '../bed/until.ts';

interface Frame {
  readonly picture: Buffer;
  milliseconds: number;
}

/** Duration of a frame while the pointer moves or text is typed. */
const STEP_MS = 70;
/** How many frames a movement of the pointer takes. */
const MOVE_STEPS = 5;

/** Screenshots do not include the pointer of the mouse, so the page draws one. */
const DRAW_POINTER = `(() => {
  const svg = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const pointer = svg('svg', { id: 'film-pointer', width: 18, height: 24, viewBox: '0 0 18 24' });
  const arrow = 'M1 1 L1 18 L5.4 14 L8.2 20.6 L11 19.4 L8.3 13 L14 13 Z';
  pointer.append(svg('path', { d: arrow, fill: '#fff', stroke: '#000', 'stroke-width': 1.2 }));
  Object.assign(pointer.style, { position: 'fixed', zIndex: 1000000, pointerEvents: 'none' });
  document.body.append(pointer);
})()`;

/** Screenshots of a page, each with its duration. Moves the mouse and types so that both can be followed. */
export class Film {
  readonly #page: Page;
  readonly #frames: Frame[] = [];
  #pointer: { readonly x: number; readonly y: number };

  private constructor(page: Page, pointer: { readonly x: number; readonly y: number }) {
    this.#page = page;
    this.#pointer = pointer;
  }

  /** @param pointer where the pointer of the mouse is at the beginning. */
  static async of(page: Page, pointer: { readonly x: number; readonly y: number }): Promise<Film> {
    await page.evaluate(DRAW_POINTER);
    const film = new Film(page, pointer);
    await film.#point(pointer);
    return film;
  }

  /** Total duration in milliseconds. */
  get length(): number {
    return this.#frames.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  }

  /** Adds what the page shows now. If nothing has changed, the previous frame is shown for longer. */
  async hold(milliseconds: number): Promise<void> {
    const picture = await this.#page.screenshot();
    const last = this.#frames.at(-1);
    if (last?.picture.equals(picture)) last.milliseconds += milliseconds;
    else this.#frames.push({ picture, milliseconds });
  }

  /** Moves the pointer to the center of an element. */
  async moveTo(target: Locator): Promise<void> {
    const box = await until(async () => target.boundingBox(), 'the place of an element');
    const from = this.#pointer;
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let step = 1; step <= MOVE_STEPS; step++) {
      // Slower at both ends.
      const share = (1 - Math.cos((Math.PI * step) / MOVE_STEPS)) / 2;
      await this.#point({
        x: from.x + share * (to.x - from.x),
        y: from.y + share * (to.y - from.y),
      });
      await this.hold(STEP_MS);
    }
  }

  async type(text: string): Promise<void> {
    for (const letter of text) {
      await this.#page.keyboard.type(letter);
      await this.hold(STEP_MS);
    }
  }

  /** Writes the frames as an animated WebP that repeats. */
  save(path: string): void {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-film-'));
    try {
      const frames = this.#frames.flatMap(({ picture, milliseconds }, index) => {
        const file = join(folder, `${String(index).padStart(3, '0')}.png`);
        writeFileSync(file, picture);
        return ['-d', String(milliseconds), file];
      });
      // Several times smaller than without loss, and text stays sharp.
      const format = ['-loop', '0', '-min_size', '-lossy', '-q', '85', '-m', '6'];
      execFileSync('img2webp', [...format, ...frames, '-o', path], { stdio: 'pipe' });
    } finally {
      if (process.env['GANTRY_SHOTS']) console.log(`The frames are in ${folder}`);
      else rmSync(folder, { recursive: true, force: true });
    }
  }

  async #point(to: { readonly x: number; readonly y: number }): Promise<void> {
    this.#pointer = to;
    await this.#page.mouse.move(to.x, to.y);
    const style = JSON.stringify({ left: `${to.x}px`, top: `${to.y}px` });
    await this.#page.evaluate(
      `Object.assign(document.getElementById('film-pointer').style, ${style})`,
    );
  }
}
