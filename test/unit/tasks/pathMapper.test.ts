import assert from 'node:assert/strict';
import { PathMapper } from '../../../src/tasks/paths/pathMapper.ts';

const FILES: Readonly<Record<string, string>> = {
  '/app/src/a.ts': '/work/shop/src/a.ts',
  '/app/src/b c.ts': '/work/shop/src/b c.ts',
  '/app/(group)/[id]/page.tsx': '/work/shop/(group)/[id]/page.tsx',
  '/etc/app.conf': '/work/shop/app.conf',
  '/app/ä/ö.ts': '/work/shop/ä/ö.ts',
};

describe('paths in the output of a command', () => {
  let asked: number;
  let mapper: PathMapper;

  const open = (): void => {
    asked = 0;
    mapper = new PathMapper(['/app', '/etc/app.conf'], (path) => {
      asked += 1;
      return Promise.resolve(FILES[path]);
    });
  };
  beforeEach(open);

  const mapped = async (...chunks: readonly string[]): Promise<string> => {
    let shown = '';
    open();
    for (const chunk of chunks) shown += await mapper.push(chunk);
    return shown + (await mapper.end());
  };

  const lines: readonly (readonly [what: string, written: string, shown: string])[] = [
    ['of tsc', '/app/src/a.ts(3,7): error', '/work/shop/src/a.ts(3,7): error'],
    ['of gcc', '/app/src/a.ts:3:7: error: x', '/work/shop/src/a.ts:3:7: error: x'],
    ['alone on a line', '/app/src/a.ts', '/work/shop/src/a.ts'],
    ['in a stack', '    at f (/app/src/a.ts:3:7)', '    at f (/work/shop/src/a.ts:3:7)'],
    ['in quotes', 'File "/app/src/a.ts", line 3', 'File "/work/shop/src/a.ts", line 3'],
    ['of a URL', 'file:///app/src/a.ts:3', 'file:///work/shop/src/a.ts:3'],
    ['with a space', '/app/src/b c.ts:1:1', '/work/shop/src/b c.ts:1:1'],
    ['with brackets', '/app/(group)/[id]/page.tsx(3,1)', '/work/shop/(group)/[id]/page.tsx(3,1)'],
    ['with other letters', '/app/ä/ö.ts:1', '/work/shop/ä/ö.ts:1'],
    ['twice', '/app/src/a.ts /app/src/a.ts', '/work/shop/src/a.ts /work/shop/src/a.ts'],
    ['at the end of a sentence', 'See /app/src/a.ts.', 'See /work/shop/src/a.ts.'],
    ['after a flag', '--in=/app/src/a.ts', '--in=/work/shop/src/a.ts'],
    ['of a single file', '/etc/app.conf:3', '/work/shop/app.conf:3'],
    ['in colors', '\x1b[4m/app/src/a.ts\x1b[24m', '\x1b[4m/work/shop/src/a.ts\x1b[24m'],
    ['in colors of gcc', '\x1b[K/app/src/a.ts:\x1b[m', '\x1b[K/work/shop/src/a.ts:\x1b[m'],
    ['in a link', '\x1b]8;;/app/src/a.ts\x1b\\x', '\x1b]8;;/work/shop/src/a.ts\x1b\\x'],
  ];
  for (const [what, written, shown] of lines) {
    it(`are replaced ${what}`, async () => {
      assert.equal(await mapped(`${written}\n`), `${shown}\n`);
      assert.equal(await mapped(`${written}\r\nnext`), `${shown}\r\nnext`);
      assert.equal(await mapped(written), shown);
    });

    it(`are replaced ${what}, whatever the chunks`, async () => {
      assert.equal(await mapped(...Array.from(`${written}\r\n`)), `${shown}\r\n`);
      for (let at = 1; at < written.length; at++)
        assert.equal(await mapped(written.slice(0, at), `${written.slice(at)}\n`), `${shown}\n`);
    });
  }

  for (const text of [
    '/app/src/missing.ts:3:7',
    '/app/src/a.tsx',
    '/app/src/a.ts/b',
    'x/app/src/a.ts',
    '/x/app/src/a.ts',
    '../app/src/a.ts',
    'http://host/app/src/a.ts',
    'https:///app/src/a.ts',
    '//app/src/a.ts',
    'src/a.ts',
    '/application/src/a.ts',
    '/app',
    '${root}/app/src/a.ts',
    '\x1b]0;title\x07 \x1b[2J',
  ]) {
    it(`stay in ${JSON.stringify(text)}`, async () => {
      assert.equal(await mapped(`${text}\n`), `${text}\n`);
      assert.equal(await mapped(...Array.from(`${text}\n`)), `${text}\n`);
    });
  }

  it('hold back nothing but what may be one', async () => {
    assert.equal(await mapper.push('.....F...'), '.....F...');
    assert.equal(
      await mapper.push('\x1b[31m 50 % done, in /usr/lib'),
      '\x1b[31m 50 % done, in /usr/lib',
    );
    assert.equal(await mapper.push('\rat /ap'), '\rat ');
    assert.equal(await mapper.push('ple'), '/apple');
    assert.equal(await mapper.push(' /app/src/a.ts'), ' ');
    assert.equal(await mapper.push(':1\nnext'), '/work/shop/src/a.ts:1\nnext');
  });

  it('do not hold back a line without an end, nor take a path that is cut for one', async () => {
    const tail = 'x'.repeat(20_000);
    assert.equal(await mapper.push(`/app/src/a.ts:1 ${tail}`), `/work/shop/src/a.ts:1 ${tail}`);
    assert.equal(await mapper.push('/app/src/a.ts'), '/app/src/a.ts');
    const spaces = ' '.repeat(16 * 1024 - 10);
    assert.equal(
      await mapper.push(`\n/app/-${spaces}/app/src/a.ts`),
      `\n/app/-${spaces}/app/src/a.ts`,
    );
    assert.equal(await mapper.push('x'), 'x');
  });

  it('are looked for only so often in lines of megabytes', async function () {
    this.timeout(20_000);
    for (const piece of [
      '/app/',
      '/app/x ',
      ' /app',
      '/',
      '(',
      '/app/src/a.ts. ',
      '\x1b[',
      '/app/../',
      '^/app',
    ]) {
      open();
      const text = piece.repeat(Math.ceil((1024 * 1024) / piece.length));
      let shown = 0;
      for (let at = 0; at < text.length; at += 64 * 1024)
        shown += (await mapper.push(text.slice(at, at + 64 * 1024))).length;
      shown += (await mapper.push('\n')).length;
      if (piece !== '/app/src/a.ts. ') assert.equal(shown, text.length + 1, piece);
      assert.ok(asked <= text.length / 8 + 20_000, piece);
    }
  });
});
