import assert from 'node:assert/strict';
import { urlsIn } from '../../../../src/logs/text/textLink.ts';

describe('urlsIn', () => {
  for (const [line, ...expected] of [
    ['see http://x.example/a?b=c#d now', 'http://x.example/a?b=c#d'],
    ['Listening on http://localhost:3000.', 'http://localhost:3000'],
    ['HTTPS://X.example/', 'HTTPS://X.example/'],
    ['(see https://x.example/a_(b)).', 'https://x.example/a_(b)'],
    ['[a](https://x.example/b)', 'https://x.example/b'],
    ['https://x.example/[a] [https://y.example]', 'https://x.example/[a]', 'https://y.example'],
    [
      '"https://x.example/a", \'https://x.example/b\'',
      'https://x.example/a',
      'https://x.example/b',
    ],
    ['<https://x.example/a>…', 'https://x.example/a'],
    ['https://x.example/a,b;c!?', 'https://x.example/a,b;c'],
    ['https://x.example/größe。', 'https://x.example/größe'],
    ['http://[::1]:80/a', 'http://[::1]:80/a'],
    ['url=http://x.example/', 'http://x.example/'],
    ['http:// https:///x http:x ftp://x.example command:x vscode://x javascript://x'],
    ['xhttp://x.example http://x:99999/ http://%/'],
    [''],
  ] as const) {
    it(`finds ${expected.length} in ${JSON.stringify(line)}`, () => {
      assert.deepEqual(
        urlsIn(line).map(({ start, end, url }) => {
          assert.equal(line.slice(start, end), url);
          return url;
        }),
        expected,
      );
    });
  }

  it('is bounded, and fast in lines of 10 MB', () => {
    assert.equal(urlsIn('http://x '.repeat(100_000)).length, 1000);
    assert.deepEqual(urlsIn(`http://x/${'a'.repeat(3000)}`), []);
    for (const piece of ['http://', 'http://x', 'h', 'http://x)', ')', 'http://x('])
      assert.ok(urlsIn(piece.repeat(10_000_000 / piece.length)).length <= 1000, piece);
  }).timeout(30_000);
});
