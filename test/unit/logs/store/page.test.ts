import assert from 'node:assert/strict';
import { Page, pageSizeFor } from '../../../../src/logs/store/page.ts';
import {
  isGantryLine,
  lineOrigin,
  MEMBER_NUMBERS,
  originKind,
  originMember,
} from '../../../../src/logs/store/storedLine.ts';

const SERIAL = 7;

/** Returns an empty page of so many bytes. */
function pageOf(size: number): Page {
  const page = new Page(new SharedArrayBuffer(size));
  page.begin(SERIAL);
  return page;
}

/** Adds texts, each with a record that is made of its index. Returns how many fit. */
function fill(page: Page, texts: readonly string[]): number {
  const first = page.count;
  const lines = texts.map((text) => ({ text }));
  const added = page.addTexts(lines, 0, lines.length);
  for (let index = first; index < first + added; index++)
    page.setRecord(index, index + 1, 10 * index, 20 * index, index + 5);
  return added;
}

const TEXTS = ['one', '', 'größer als 10 €', 'x'.repeat(99), '😀', 'last'];

/** Checks that a page has exactly these lines. */
function assertLines(page: Page, texts: readonly string[]): void {
  assert.deepEqual([page.serial, page.count], [SERIAL, texts.length]);
  let at = page.start(0);
  for (const [index, text] of texts.entries()) {
    const length = Buffer.byteLength(text);
    assert.equal(page.text(index), text);
    assert.deepEqual([page.start(index), page.end(index)], [at, at + length]);
    const stamp = { seconds: 10 * index, nanoseconds: 20 * index, form: index + 5 };
    assert.deepEqual([page.stamp(index), page.origin(index)], [stamp, index + 1]);
    // The line feed is a part of its line.
    for (const position of [at, at + length]) assert.equal(page.lineAt(position), index);
    at += length + 1;
  }
  assert.equal(page.textEnd, at);
}

describe('a page of lines', () => {
  for (const texts of [TEXTS, TEXTS.map((text) => text.replaceAll(/[^ -~]/g, '?'))])
    it(`has what was added to it at once and one by one: ${texts[2]}`, () => {
      const [atOnce, oneByOne] = [pageOf(4096), pageOf(4096)];
      assert.equal(fill(atOnce, texts), texts.length);
      for (const text of texts) assert.equal(fill(oneByOne, [text]), 1);
      assertLines(atOnce, texts);
      assertLines(oneByOne, texts);
    });

  it('is the same without its free space', () => {
    const page = pageOf(4096);
    // Each end of the text, relative to a whole word.
    for (const more of ['', 'a', 'ab', 'abc']) {
      fill(page, [...TEXTS, more]);
      const image = Buffer.concat(page.image());
      assert(image.length < 4096);
      const memory = new ArrayBuffer(image.length);
      new Uint8Array(memory).set(image);
      const copy = new Page(memory, { count: page.count, textEnd: page.textEnd });
      const texts = Array.from({ length: page.count }, (_, index) => page.text(index));
      assertLines(copy, texts);
      assert.equal(fill(copy, ['']), 0, 'nothing more fits');
      assertLines(copy, texts);
    }
  });

  for (const letter of ['x', 'é', '€', '😀'])
    it(`of the least size for a line of ${letter} has it whole, and no longer one`, () => {
      for (let count = 0; count < 40; count++) {
        const text = letter.repeat(count);
        const page = pageOf(pageSizeFor(Buffer.byteLength(text)));
        assert.equal(fill(page, [`${text}${'x'.repeat(16)}`]), 0);
        assert.equal(fill(page, [text, 'x'.repeat(64)]), 1);
        assertLines(page, [text]);
      }
    });

  it('takes as many lines as fit, and keeps its numbers apart from them', () => {
    const page = pageOf(1024);
    const added = fill(page, Array<string>(100).fill('é'.repeat(10)));
    // Of each line: 20 bytes, a line feed and a record. Of the page: a header, one more record, and the padding.
    assert.equal(added, Math.floor((1024 - 16 - 16 - 3) / (21 + 16)));
    assertLines(page, Array<string>(added).fill('é'.repeat(10)));
  });

  it('has no number while it is written for another block', () => {
    const page = pageOf(1024);
    fill(page, TEXTS);
    new Uint32Array(page.memory)[0] = SERIAL + 1;
    assert.equal(page.serial, -1);
    page.begin(SERIAL + 1);
    assert.deepEqual([page.serial, page.count, page.textEnd], [SERIAL + 1, 0, page.start(0)]);
  });
});

describe('the origin of a line', () => {
  for (const [kind, isOurs] of [
    ['stdout', false],
    ['stderr', false],
    ['marker', true],
    ['gap', true],
  ] as const)
    it(`has the container and that it is ${kind}`, () => {
      assert.equal(isGantryLine(kind), isOurs);
      for (const member of [0, 1, MEMBER_NUMBERS - 1]) {
        const origin = lineOrigin(member, kind);
        assert(origin < 2 ** 16);
        assert.deepEqual([originMember(origin), originKind(origin)], [member, kind]);
      }
      assert.equal(originMember(lineOrigin(MEMBER_NUMBERS + 3, kind)), 3);
    });
});
