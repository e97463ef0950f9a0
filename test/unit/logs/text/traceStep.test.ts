import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TraceReader } from '../../../../src/logs/search/traceReader.ts';
import { nextTraceStep } from '../../../../src/logs/text/traceStep.ts';

/** Returns the lines with a bar before each detected continuation line, a space before others. */
function marked(lines: readonly string[]): readonly string[] {
  const reader = new TraceReader();
  // The first line cannot continue another.
  reader.next('before', 0);
  return lines.map((line) => `${reader.next(line, 0) ? '|' : ' '}${line}`);
}

const NODE = [
  ' ready',
  ' Error: boom',
  '|    at f (/app/x.js:12:5)',
  '|    at async g (/app/x.js:20:5) {',
  "|  code: 'ENOENT',",
  '|  [cause]: Error: inner',
  '|      at h (/app/x.js:1:1)',
  '|}',
  ' next',
];

const NODE_UNCAUGHT = [
  ' /app/x.js:12',
  "|    throw new Error('boom');",
  '|    ^',
  '|',
  '|Error: boom',
  '|    at f (/app/x.js:12:11)',
  ' ',
  ' Node.js v24.0.0',
];

const PYTHON = [
  ' 2026-01-01 12:00:00,123 ERROR app: failed',
  '|Traceback (most recent call last):',
  '|  File "/app/x.py", line 3, in f',
  '|    g()',
  '|    ~^^',
  '|ValueError: inner',
  '|',
  '|During handling of the above exception, another exception occurred:',
  '|',
  '|Traceback (most recent call last):',
  '|  File "/app/x.py", line 9, in h',
  '|  [Previous line repeated 9 more times]',
  '|RuntimeError: outer',
  ' 2026-01-01 12:00:00,124 INFO app: next',
  ' Traceback (most recent call last):',
  '|  File "/app/x.py", line 3, in f',
  '|KeyError',
  ' next',
];

const JAVA = [
  ' 2026-01-01 12:00:00,123 ERROR [main] c.e.Foo: failed',
  '|java.lang.IllegalStateException: outer',
  '|\tat com.example.Foo.bar(Foo.java:12)',
  '|\tat java.base/java.lang.Thread.run(Thread.java:1583)',
  '|\tSuppressed: java.io.IOException: close',
  '|\t\tat com.example.Foo.close(Foo.java:20)',
  '|Caused by: java.io.IOException: inner',
  '|\tat com.example.Foo.baz(Foo.java:15)',
  '|\t... 12 more',
  ' 2026-01-01 12:00:00,124 INFO [main] c.e.Foo: next',
  ' Exception in thread "main" java.lang.NullPointerException',
  '|\tat Foo.main(Foo.java:3)',
  ' next',
];

const GO = [
  ' 2026/01/01 12:00:00 start',
  ' panic: runtime error: invalid memory address or nil pointer dereference',
  '|[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]',
  '|',
  '|goroutine 1 [running]:',
  '|main.(*T).f(0x0)',
  '|\t/app/main.go:12 +0x1d',
  '|main.main()',
  '|\t/app/main.go:7 +0x20',
  '|',
  '|goroutine 18 [chan receive]:',
  '|created by main.main in goroutine 1',
  '|\t/app/main.go:6 +0x20',
  '|exit status 2',
  ' next',
];

const GO_HTTP = [
  ' 2026/01/01 12:00:00 http: panic serving 127.0.0.1:1: boom',
  '|goroutine 7 [running]:',
  '|net/http.(*conn).serve.func1()',
  '|\t/usr/local/go/src/net/http/server.go:1903 +0xb0',
  ' 2026/01/01 12:00:01 next',
];

const NET = [
  ' fail: App[0]',
  ' Unhandled exception. System.InvalidOperationException: outer',
  '| ---> System.Exception: inner',
  '|   at X.Y() in /src/Foo.cs:line 12',
  '|   --- End of inner exception stack trace ---',
  '|   at X.Z() in /src/Foo.cs:line 20',
  '|--- End of stack trace from previous location ---',
  '|   at X.Main(String[] args)',
  ' next',
];

const RUST = [
  " thread 'main' panicked at src/main.rs:3:5:",
  '|index out of bounds',
  '|note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
  '|stack backtrace:',
  '|   0: std::panicking::begin_panic',
  '|             at /rustc/x/library/std/src/panicking.rs:1:2',
  '|   1: app::main',
  '|             at ./src/main.rs:3:5',
  ' next',
];

const RUBY = [
  " /app/app.rb:12:in 'Foo#bar': boom (RuntimeError)",
  "|\tfrom /app/app.rb:20:in 'Foo#baz'",
  "|\tfrom /app/app.rb:25:in '<main>'",
  ' next',
];

const PHP = [
  ' PHP Fatal error:  Uncaught Exception: boom in /app/x.php:12',
  '|Stack trace:',
  '|#0 /app/x.php(20): foo()',
  '|#1 {main}',
  '|  thrown in /app/x.php on line 12',
  ' next',
  ' [2026-01-01 12:00:00] local.ERROR: boom',
  '|[stacktrace]',
  '|#0 /app/x.php(20): foo()',
  '|#1 {main}',
  '|"} ',
  ' next',
];

describe('the lines of a stack trace', () => {
  for (const [name, expected] of Object.entries({
    ...{ NODE, NODE_UNCAUGHT, PYTHON, JAVA, GO, GO_HTTP, NET, RUST, RUBY, PHP },
  })) {
    it(`belong to the first line of the trace: ${name}`, () => {
      assert.deepEqual(marked(expected.map((line) => line.slice(1))), expected);
    });
  }

  it('are not confused with lines that look similar', () => {
    const lines = [
      '',
      '  indented',
      '\ttab',
      ' at',
      '# 1 thing',
      '#1 in the charts',
      'Caused by: you',
      'from a to b',
    ];
    assert.deepEqual(
      marked(lines),
      lines.map((line) => ` ${line}`),
    );
    assert.deepEqual(marked(['ERROR x', 'INFO y', 'z']), [' ERROR x', ' INFO y', ' z']);
    assert.deepEqual(marked(['ERROR x', '  indented', 'java.lang.x']), [
      ' ERROR x',
      '   indented',
      ' java.lang.x',
    ]);
  });

  it('are detected if their head is missing', () => {
    assert.deepEqual(marked(['\tat Foo.main(Foo.java:3)', 'next']), [
      '|\tat Foo.main(Foo.java:3)',
      ' next',
    ]);
  });

  it('end with the first unrelated line, whatever came before', () => {
    const lines = [NODE, NODE_UNCAUGHT, PYTHON, JAVA, GO, GO_HTTP, NET, RUST, RUBY, PHP].flat();
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...lines), fc.string()), { maxLength: 20 }),
        (some) => {
          const plain = '2026-01-01 12:00:00 INFO a plain line of its own';
          // Two states take any line as the message, and one more as the source text.
          const found = marked([...some, plain, plain, plain, plain]);
          assert.equal(found.at(-1), ` ${plain}`);
        },
      ),
      { numRuns: 300, seed: 4 },
    );
  }).timeout(30_000);

  it('are detected fast in lines of 10 MB', () => {
    for (const piece of [' ', '\t', '#', 'a.', 'A', '^', '/']) {
      const long = piece.repeat(10_000_000 / piece.length);
      for (const before of ['error', 'frames', 'go', 'python', 'sourceMark', 'sourceText'] as const)
        assert.ok(nextTraceStep(long, before).after);
    }
  }).timeout(30_000);
});
