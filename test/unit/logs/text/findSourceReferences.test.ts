import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findSourceReferences } from '../../../../src/logs/text/findSourceReferences.ts';

/** Returns each reference as the underlined text, an arrow, and its parts. */
function references(plain: string): readonly string[] {
  return findSourceReferences(plain).map(
    ({ start, end, path, line, column, module }) =>
      `${plain.slice(start, end)} → ${path} ${line ?? ''} ${column ?? ''}${module ? ` ${module}` : ''}`,
  );
}

describe('findSourceReferences', () => {
  for (const [line, ...expected] of [
    // Node
    ['    at run (/app/src/x.js:12:5)', '/app/src/x.js:12:5 → /app/src/x.js 12 5'],
    ['    at /app/src/x.js:12:5', '/app/src/x.js:12:5 → /app/src/x.js 12 5'],
    [
      '    at async file:///app/a%20b/x.mjs:3:1',
      'file:///app/a%20b/x.mjs:3:1 → /app/a b/x.mjs 3 1',
    ],
    ['    at f (file:///C:/app/x.mjs:3:1)', 'file:///C:/app/x.mjs:3:1 → C:/app/x.mjs 3 1'],
    ['    at f (C:\\app\\x.js:3:1)', 'C:\\app\\x.js:3:1 → C:\\app\\x.js 3 1'],
    [
      '    at f (webpack-internal:///(rsc)/./src/app/page.tsx:12:3)',
      'webpack-internal:///(rsc)/./src/app/page.tsx:12:3 → src/app/page.tsx 12 3',
    ],
    [
      '    at f (webpack:///./src/x.vue?1f2e:12:3)',
      'webpack:///./src/x.vue?1f2e:12:3 → src/x.vue 12 3',
    ],
    ['    at f (webpack://my-app/src/x.ts:12:3)', 'webpack://my-app/src/x.ts:12:3 → src/x.ts 12 3'],
    [
      '    at f (/app/app/(shop)/[id]/page.tsx:2:3)',
      '/app/app/(shop)/[id]/page.tsx:2:3 → /app/app/(shop)/[id]/page.tsx 2 3',
    ],
    ['    at node:internal/process/task_queues:95:5'],
    ['    at Array.map (<anonymous>)'],
    // Python
    [
      '  File "/app/my app/x.py", line 12, in f',
      '/app/my app/x.py", line 12 → /app/my app/x.py 12 ',
    ],
    ['  File "<stdin>", line 1, in <module>'],
    ['  File "<frozen importlib._bootstrap>", line 1, in f'],
    // Java
    [
      '\tat com.example.Foo$Bar.baz(Foo.java:12)',
      'Foo.java:12 → Foo.java 12  com/example/Foo.java',
    ],
    [
      '\tat app//com.example.FooKt.main(Foo.kt:3) ~[x.jar]',
      'Foo.kt:3 → Foo.kt 3  com/example/Foo.kt',
    ],
    ['\tat com.example.Foo.<init>(Foo.java:12)', 'Foo.java:12 → Foo.java 12  com/example/Foo.java'],
    ['\tat Foo.main(Foo.java:12)', 'Foo.java:12 → Foo.java 12 '],
    ['\tat java.base/java.lang.Thread.run(Unknown Source)'],
    // Go
    ['\t/app/main.go:12 +0x1d', '/app/main.go:12 → /app/main.go 12 '],
    ['2026/01/01 12:00:00 main.go:12: x', 'main.go:12 → main.go 12 '],
    ['ts=1 caller=api/main.go:12 msg=x', 'api/main.go:12 → api/main.go 12 '],
    // .NET
    ['   at X.Y() in /src/Foo.cs:line 12', '/src/Foo.cs:line 12 → /src/Foo.cs 12 '],
    [
      '   at X.Y() in C:\\My App\\Foo.cs:line 12',
      'C:\\My App\\Foo.cs:line 12 → C:\\My App\\Foo.cs 12 ',
    ],
    ['Foo.cs(12,5): error CS1002', 'Foo.cs(12,5) → Foo.cs 12 5'],
    // Rust
    ["thread 'main' panicked at src/main.rs:3:5:", 'src/main.rs:3:5 → src/main.rs 3 5'],
    ['             at ./src/main.rs:3:5', './src/main.rs:3:5 → src/main.rs 3 5'],
    [' --> src/main.rs:3:5', 'src/main.rs:3:5 → src/main.rs 3 5'],
    // Ruby
    ["\tfrom /app/app.rb:12:in 'Foo#bar'", '/app/app.rb:12 → /app/app.rb 12 '],
    ['app.rb:12:in `f`: boom (RuntimeError)', 'app.rb:12 → app.rb 12 '],
    // PHP
    ['#0 /app/x.php(12): foo()', '/app/x.php(12) → /app/x.php 12 '],
    ['PHP Warning:  y in /app/x.php on line 12', '/app/x.php on line 12 → /app/x.php 12 '],
    ['Uncaught Exception: y in /app/x.php:12', '/app/x.php:12 → /app/x.php 12 '],
    // Anything
    ['[main.go:12] x', 'main.go:12 → main.go 12 '],
    ['a.ts:1, "b.ts:2:3"; (c.ts:4)', 'a.ts:1 → a.ts 1 ', 'b.ts:2:3 → b.ts 2 3', 'c.ts:4 → c.ts 4 '],
    ['see src/größe.py:7.', 'src/größe.py:7 → src/größe.py 7 '],
    ['/app/Dockerfile:3', '/app/Dockerfile:3 → /app/Dockerfile 3 '],
    ['x.ts:0', 'x.ts:0 → x.ts  '],
    // No references
    ['GET http://example.com:8080/x.js:12:3'],
    ['http://localhost:3000/static/js/x.js:1:2'],
    ['redis.default.svc:6379 example.com:80 127.0.0.1:80 [::1]:53 nginx:1.25 localhost:3000'],
    ['12:00:00 2026-01-01T12:00:00.123Z //example.com/x.js:80'],
    ['a.ts:12px b.ts:x a.ts 12'],
    ['…/.bashrc:3 ..:3'],
    [''],
  ] as const) {
    it(`finds ${expected.length} in ${JSON.stringify(line)}`, () => {
      assert.deepEqual(references(line), expected);
    });
  }

  it('is bounded, and fast in lines of 10 MB', () => {
    assert.equal(findSourceReferences('a.ts:1 '.repeat(100_000)).length, 100);
    for (const piece of [
      'a',
      'a.',
      '[',
      '(a)/',
      '(',
      '/',
      'a:1',
      'file://',
      'File "',
      '(A.java:',
      ':line 1',
      ' in ',
      '?a',
    ])
      assert.ok(
        findSourceReferences(`${piece.repeat(10_000_000 / piece.length)}:1`).length <= 100,
        piece,
      );
  }).timeout(30_000);

  it('returns references in order without overlaps, whatever the line', () => {
    const piece = fc.constantFrom(
      ...[
        'a.ts',
        ':1',
        ':2',
        '(3)',
        ' ',
        'File "',
        '", line 4',
        '/x',
        '(B.java:5)',
        ' in ',
        ':line 6',
        'file://',
        '[',
        ']',
        '%',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 30 }),
        (pieces) => {
          const plain = pieces.join('');
          let last = 0;
          for (const { start, end } of findSourceReferences(plain)) {
            assert.ok(start >= last && end > start && end <= plain.length);
            last = end;
          }
        },
      ),
      { numRuns: 300, seed: 4 },
    );
  }).timeout(30_000);
});
